//! `pipeline papers`: papers are listed, shown, removed, and added again.

use crate::common::Place;

const KEPT: &str = "waxenhoult_2023_cadence_short";
const GONE: &str = "tandrik_2021_vo2_walkers";

fn sources(place: &Place) -> Vec<String> {
    let (code, list) = place.json(&["papers"]);
    assert_eq!(code, 0);
    let each = list["sources"].as_array().expect("a list").iter();
    each.map(|s| s["source_id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn a_removed_paper_stays_away_until_its_file_is_named() {
    let Some(place) = Place::with_natives() else { return };
    for paper in [KEPT, GONE] {
        place.paper(&format!("{paper}.pdf"));
    }
    let model = place.model(3);
    let ingest = |path: &str| place.json(&["ingest", path, "--set", &model]);
    assert_eq!(ingest("papers").0, 0);
    assert_eq!(sources(&place), [GONE, KEPT]);

    let (code, shown) = place.json(&["papers", "show", GONE]);
    assert_eq!(code, 0);
    assert_eq!(shown["year"], 2021);
    let kinds = shown["sections"].as_array().expect("a list").iter();
    let kinds: Vec<_> = kinds.map(|s| s["section"].as_str().expect("a kind")).collect();
    assert!(kinds.contains(&"abstract") && kinds.contains(&"methods"), "{kinds:?}");
    let text = place.run(&["papers", "show", GONE]).stdout();
    assert!(text.contains("authors") && text.contains("results"), "{text}");

    // A wrong id removes nothing, and names the likely one.
    place
        .run(&["papers", "remove", KEPT, "tandrik_2021_vo2_walker"])
        .fails_with(2, &["tandrik_2021_vo2_walker\"", "did you mean", GONE]);
    assert_eq!(sources(&place).len(), 2);

    let (code, removed) = place.json(&["papers", "remove", GONE]);
    assert_eq!((code, &removed["removed"][0]), (0, &GONE.into()));
    assert!(place.path(&format!("papers/{GONE}.pdf")).exists(), "the file stays");
    assert_eq!(sources(&place), [KEPT]);

    // Neither a run over the folder nor a renamed copy brings it back.
    std::fs::rename(place.path(&format!("papers/{GONE}.pdf")), place.path("papers/renamed.pdf"))
        .expect("renamed");
    let (code, summary) = ingest("papers");
    assert_eq!((code, &summary["added"]), (0, &0.into()), "{summary}");
    let reason = summary["skipped"][0]["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("pipeline papers remove"), "{summary}");
    assert_eq!(sources(&place), [KEPT]);

    // Its name does, for good.
    assert_eq!(ingest("papers/renamed.pdf").1["added"], 1);
    assert_eq!(ingest("papers").1["unchanged"], 2);
    assert_eq!(sources(&place), ["renamed", KEPT]);
}

#[test]
fn a_page_is_drawn_with_a_quote_marked() {
    let Some(place) = Place::with_natives() else { return };
    place.paper(&format!("{GONE}.pdf"));
    assert_eq!(place.run(&["ingest", "papers", "--set", &place.model(3)]).code(), 0);
    let draw = |page: &str, more: &[&str]| {
        let args = ["papers", "page", GONE, page, "--output", "page.png"];
        place.run(&[args.as_slice(), more].concat())
    };
    let json = |page: &str, more: &[&str]| {
        let args = ["papers", "page", GONE, page, "--output", "page.png"];
        place.done(&[args.as_slice(), more].concat())
    };
    let page = json("2", &[]);
    let plain = std::fs::read(place.path("page.png")).expect("a picture");
    assert!(plain.starts_with(b"\x89PNG"));
    assert_eq!(page["quote"], serde_json::Value::Null);
    let text = page["text"].as_str().expect("a text");
    let sentences: Vec<&str> = text.split_inclusive(". ").filter(|s| s.len() > 60).collect();
    assert!(sentences.len() > 5, "{text}");
    for sentence in sentences.iter().step_by(3) {
        let marked = json("2", &["--quote", sentence.trim()]);
        assert!(marked["quote"].as_array().is_some_and(|areas| !areas.is_empty()), "{sentence}");
        assert_ne!(std::fs::read(place.path("page.png")).expect("a picture"), plain, "{sentence}");
    }
    let shown = draw("2", &["--quote", sentences[0].trim()]).stdout();
    assert!(shown.contains("page.png") && shown.contains("marked"), "{shown}");
    draw("1", &["--quote", "The badgers slept."])
        .fails_with(2, &["is not on page 1 of", GONE, "give it as the answer has it"]);
    draw("99", &[]).fails_with(2, &["has no page 99"]);
    std::fs::rename(place.path(&format!("papers/{GONE}.pdf")), place.path("papers/moved.pdf"))
        .expect("renamed");
    draw("2", &[]).fails_with(2, &["cannot be shown", "not where it was"]);
    std::fs::rename(place.path("papers/moved.pdf"), place.path(&format!("papers/{GONE}.pdf")))
        .expect("renamed");
    // A picture replaces a picture of ours and nothing else.
    place.write("page.png", b"mine");
    draw("1", &[]).fails_with(2, &["page.png", "was not written by pipeline"]);
}
