use super::*;
use crate::indexer::update::candidates::document as found;
use ingest::inputs::Format;
use types::Document;

/// Applies bibliographies to papers (file, DOI, title); gives the venue that each gets, and the notes.
fn applied(
    files: &[(&str, &str)],
    papers: &[(&str, Option<&str>, &str)],
) -> (Vec<Option<String>>, Vec<String>) {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().expect("has one")).expect("made");
        fs::write(path, text).expect("written");
    }
    let cache = Cache::in_memory();
    let mut all: Vec<Paper> = papers
        .iter()
        .map(|(name, doi, title)| {
            let path = dir.path().join(name);
            let mut document = Document::default();
            document.meta.doi = doi.map(str::to_owned);
            document.meta.title = Some((*title).to_owned());
            cache.put_document(Some(&path), name, &document).expect("written");
            found(path, None, dir.path().to_owned(), Format::Pdf, (*name).to_owned())
        })
        .collect();
    let mut plan = IngestPlan::default();
    apply(&mut all, Links::default(), &[dir.path().to_owned()], &cache, &mut plan);
    let base = dir.path().display().to_string();
    let notes = plan.notes.iter().map(|note| note.replace(&base, "")).collect();
    let venue = |paper: &Paper| match &paper.metadata {
        MetadataSource::Manifest(row) => row.venue.clone(),
        _ => None,
    };
    (all.iter().map(venue).collect(), notes)
}

fn entry(key: &str, doi: &str, title: &str) -> String {
    format!("@article{{{key}, doi = {{{doi}}}, title = {{{title}}}, journal = {{{key}}}}}\n")
}

fn some(names: &[&str]) -> Vec<Option<String>> {
    let each = names.iter();
    each.map(|name| (!name.is_empty()).then(|| (*name).to_owned())).collect()
}

const SNAILS: &str = "Sleep of garden snails";

#[test]
fn the_doi_counts_before_the_title_and_the_rest_is_named() {
    let bib = [
        entry("by_doi", "10.99999/a.1", "Another title than the paper has"),
        entry("by_title", "", "Slugs that sing at night"),
        entry("nobody", "10.99999/a.3", "Whales in winter and spring"),
    ];
    let papers = [
        ("p/a.pdf", Some("10.99999/A.1"), "Slugs that sing at night"),
        ("p/b.pdf", None, "SLUGS that sing at Night"),
        ("p/c.pdf", None, "Owls that hunt by day"),
    ];
    let (titles, notes) = applied(&[("p/refs.bib", &bib.concat())], &papers);
    assert_eq!(titles, some(&["by_doi", "by_title", ""]));
    assert_eq!(notes, ["/p/refs.bib: 1 of 3 entries match no paper: nobody"]);
}

#[test]
fn entries_that_disagree_are_not_used() {
    let two = [entry("x", "10.99999/a.1", SNAILS), entry("y", "10.99999/a.1", SNAILS)].concat();
    let papers = [("a.pdf", Some("10.99999/a.1"), SNAILS)];
    let (titles, notes) = applied(&[("refs.bib", &two)], &papers);
    assert_eq!(titles, some(&[""]));
    assert_eq!(notes, ["/refs.bib: not used where several entries match: a (x, y)"]);
    // One paper exported twice is no question.
    let twice = [entry("x", "10.99999/a.1", SNAILS), entry("x", "10.99999/a.1", SNAILS)].concat();
    let (titles, notes) = applied(&[("refs.json", "[]"), ("refs.bib", &twice)], &papers);
    assert_eq!((titles, notes.len()), (some(&["x"]), 0));
}

#[test]
fn the_nearest_file_counts_first() {
    let files = [
        ("refs.bib", entry("far", "10.99999/a.1", SNAILS)),
        ("p/refs.bib", entry("near", "10.99999/a.1", SNAILS)),
        ("q/refs.bib", entry("other", "", "Quite another paper on owls")),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let papers = [("p/a.pdf", Some("10.99999/a.1"), SNAILS), ("q/b.pdf", Some("10.99999/a.1"), SNAILS)];
    let (titles, notes) = applied(&files, &papers);
    assert_eq!(titles, some(&["near", "far"]));
    assert_eq!(notes, ["/q/refs.bib: 1 of 1 entries match no paper: other"]);
}
