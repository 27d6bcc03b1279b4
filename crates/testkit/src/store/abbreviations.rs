//! The properties of abbreviations.

use super::{Library, MakeStore, TestStore, filled};
use types::{SectionKind, SourceEntry, SourceId};

/// Three sources that define abbreviations, in several spellings.
fn sources() -> Vec<SourceEntry> {
    use SectionKind::Results;
    Library::new()
        .source("a_2019", "Snails", "Ada Orvella", None)
        .chunk(
            Results,
            &["We saw Garden snail activity (GSA).", "GSA fell; mean resting time (MRT) rose."],
            0.9,
        )
        .chunk(Results, &["Garden-snail activity (GSA) was low."], 0.8)
        .source("b_2021", "Walls", "Bram Solvik", None)
        .chunk(Results, &["Garden snail activity (GSA) was high.", "No definition (here)."], 0.7)
        .source("c_none", "Sheds", "Ines Moro", None)
        .chunk(Results, &["We call it GSA (great slug aggregation)."], 0.6)
        .entries()
}

/// What a store says of a form.
async fn check(store: &dyn TestStore, form: &str, want: &[(&str, &str, usize)]) {
    let keys = ["", form, "beets"].map(text::definitions::key);
    let found = store.open().vocabulary.abbreviations(&keys).await.expect("reads");
    let of_form: Vec<_> =
        found[1].iter().map(|one| (one.short.as_str(), one.long.as_str(), one.sources)).collect();
    assert_eq!(of_form, want, "{form}");
    assert!(found.len() == 3 && found[0].is_empty() && found[2].is_empty(), "{found:?}");
}

pub(super) async fn abbreviations(make: MakeStore<'_>) {
    let mut store = filled(make, sources()).await;
    let activity = |sources| ("GSA", "Garden snail activity", sources);
    let slugs = ("GSA", "great slug aggregation", 1);
    check(&*store, "GSA", &[activity(2), slugs]).await;
    check(&*store, "garden snail activities", &[activity(2)]).await;
    check(&*store, "Great slug aggregation", &[slugs]).await;
    check(&*store, "mrt", &[("MRT", "mean resting time", 1)]).await;
    for form in ["snail activity", "garden", "here", "MRT GSA"] {
        check(&*store, form, &[]).await;
    }
    // What a removed source defined goes with it.
    let kept = ["b_2021", "c_none"].map(SourceId::from);
    let mut version = store.version();
    version.keep(&kept).expect("keeps");
    version.commit().expect("commits");
    check(&*store, "GSA", &[activity(1), slugs]).await;
    check(&*store, "MRT", &[]).await;
    // However many commits wrote the sources.
    let mut version = store.version();
    version.keep(&kept).expect("keeps");
    let first = sources().into_iter().next().expect("a source");
    version.add(first).expect("adds");
    version.commit().expect("commits");
    check(&*store, "GSA", &[activity(2), slugs]).await;
}
