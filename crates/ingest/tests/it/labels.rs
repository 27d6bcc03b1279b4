//! The labels of the query sets against the text that this crate reads from the sample corpus.
//!
//! Every gold quote must stand in its paper, on the page and in the section that its label names. What the
//! reader gets wrong is listed in `queries/known-misses.tsv`: a new miss fails the test, and so does a listed
//! one that no longer occurs, so the list can only become shorter. The labels themselves are checked by an
//! independent reader (`corpus/src/check_labels.py`).

#![cfg(target_os = "linux")]

use crate::common::{libpdfium, worker};
use ingest::{Limits, WorkerPool};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use types::{BlockKind, Document, Section, SectionKind};

const SETS: [&str; 2] = ["eval.jsonl", "extended.jsonl"];
const MISSES: &str = "known-misses.tsv";
const HEADER: &str = "query\tquote\twhat\treason";

/// What the tests need of a line of a query set; `queries/README.md` describes all of it.
#[derive(Deserialize)]
struct Query {
    id: String,
    #[serde(default)]
    gold_evidence: Vec<Label>,
}

#[derive(Deserialize)]
struct Label {
    source_id: String,
    quote: String,
    page: u32,
    section: String,
    /// The float that holds the quote. Its rows may be read into any section.
    #[serde(rename = "in")]
    float: Option<String>,
}

/// Query id, number of the quote from 0, and what was missed: `quote`, `page` or `section`.
type Miss = (String, usize, &'static str);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    let path = root().join("queries").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn queries() -> Vec<Query> {
    let mut queries = Vec::new();
    for name in SETS {
        for (i, line) in read(name).lines().enumerate() {
            let query = serde_json::from_str(line).unwrap_or_else(|e| panic!("{name}:{}: {e}", i + 1));
            queries.push(query);
        }
    }
    queries
}

fn papers() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("corpus")).expect("the sample corpus is there");
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "pdf"));
    files.sort();
    files
}

/// The corpus as this crate reads it, by source id; `None` without PDFium.
fn documents() -> Option<BTreeMap<String, Document>> {
    let library = libpdfium()?;
    let mut documents = BTreeMap::new();
    let pool = WorkerPool::new(worker(&library, None), Limits::default(), 2);
    pool.parse_all(papers().into_iter().enumerate(), |parsed| {
        let document = parsed.outcome.unwrap_or_else(|e| panic!("{}: {e}", parsed.path.display()));
        documents.insert(document.meta.source_id.as_str().to_owned(), document);
    });
    Some(documents)
}

/// The document's text with the bars between table cells blanked, byte for byte: readers print none.
fn without_cell_bars(document: &Document) -> String {
    let mut text = document.text.clone();
    for block in document.sections.iter().flat_map(|s| &s.blocks) {
        if block.kind == BlockKind::TableRow {
            let span = block.span.start..block.span.end;
            let row = text[span.clone()].replace(" | ", "   ");
            text.replace_range(span, &row);
        }
    }
    text
}

/// Every place of the quote, from the first byte of its first part to the end of its last.
fn places(text: &str, quote: &str) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(found) = text::quote::find_quote(&text[from..], quote) {
        let (Some(first), Some(last)) = (found.parts.first(), found.parts.last()) else {
            break;
        };
        places.push(from + first.start..from + last.end);
        from += last.end;
    }
    places
}

/// The section that holds the byte; a heading belongs to what stands below it.
fn section_at(document: &Document, at: usize) -> Option<&Section> {
    document.sections.iter().find(|s| at < s.span.end)
}

fn page_at(document: &Document, at: usize) -> Option<u32> {
    let mut blocks = document.sections.iter().flat_map(|s| &s.blocks);
    blocks.find(|b| at < b.span.end).map(|b| b.page_at(at))
}

/// Lower-case letters and digits only, numbering such as "2.1." left out.
fn heading_key(heading: &str) -> String {
    let folded = text::fold::fold(heading);
    let words = folded.text().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ' ');
    words.chars().filter(|c| c.is_alphanumeric()).collect()
}

fn in_section(section: Option<&Section>, label: &Label) -> bool {
    section.is_some_and(|s| match label.section.as_str() {
        "Abstract" => s.name == SectionKind::Abstract,
        name => heading_key(&s.heading) == heading_key(name),
    })
}

/// What is missed of a label, each with what was read instead. A quote that stands in several places is
/// judged by the best of them.
fn misses(document: &Document, text: &str, label: &Label) -> Vec<(&'static str, String)> {
    let judged = places(text, &label.quote).into_iter().map(|place| {
        let pages = [place.start, place.end - 1].map(|at| page_at(document, at));
        let section = section_at(document, place.start);
        let mut misses = Vec::new();
        if !pages.contains(&Some(label.page)) {
            misses.push(("page", format!("on {pages:?}, not {}", label.page)));
        }
        if label.float.is_none() && !in_section(section, label) {
            let heading = section.map(|s| (s.heading.as_str(), s.name.as_str()));
            misses.push(("section", format!("under {heading:?}, not {:?}", label.section)));
        }
        misses
    });
    judged
        .min_by_key(Vec::len)
        .unwrap_or_else(|| vec![("quote", format!("{:?} is not in the text", label.quote))])
}

/// The listed misses; every line is a miss of its own with a reason.
fn known_misses() -> BTreeSet<Miss> {
    let list = read(MISSES);
    let mut lines = list.lines();
    assert_eq!(lines.next(), Some(HEADER), "{MISSES}:1: the header");
    let mut known = BTreeSet::new();
    for (i, line) in lines.enumerate() {
        let place = format!("{MISSES}:{}", i + 2);
        let fields: Vec<&str> = line.split('\t').collect();
        let &[id, quote, what, reason] = fields.as_slice() else {
            panic!("{place}: {} columns, expected 4", fields.len());
        };
        let what = ["quote", "page", "section"].into_iter().find(|w| *w == what);
        let what = what.unwrap_or_else(|| panic!("{place}: unknown kind of miss in {line:?}"));
        let quote = quote.parse().unwrap_or_else(|e| panic!("{place}: {quote:?}: {e}"));
        assert!(!reason.trim().is_empty(), "{place}: no reason");
        assert!(known.insert((id.to_owned(), quote, what)), "{place}: listed twice");
    }
    known
}

#[test]
fn gold_quotes_stand_where_their_labels_say() {
    let Some(documents) = documents() else { return };
    let texts: BTreeMap<&str, String> =
        documents.iter().map(|(id, document)| (id.as_str(), without_cell_bars(document))).collect();
    let known = known_misses();
    let mut quotes = 0;
    let mut seen: BTreeMap<Miss, String> = BTreeMap::new();
    for query in queries() {
        for (number, label) in query.gold_evidence.iter().enumerate() {
            quotes += 1;
            let document = documents
                .get(&label.source_id)
                .unwrap_or_else(|| panic!("{}: no paper {:?}", query.id, label.source_id));
            for (what, found) in misses(document, &texts[label.source_id.as_str()], label) {
                let found = format!("{}: {found}", label.source_id);
                seen.insert((query.id.clone(), number, what), found);
            }
        }
    }
    let count = |what| seen.keys().filter(|(_, _, w)| *w == what).count();
    println!(
        "{quotes} gold quotes, {} found; {} not found, {} on another page, {} in another section; {} known misses",
        quotes - count("quote"),
        count("quote"),
        count("page"),
        count("section"),
        known.len()
    );
    let mut faults = Vec::new();
    for ((id, number, what), found) in &seen {
        if !known.contains(&(id.clone(), *number, *what)) {
            faults.push(format!("new miss: {id}\t{number}\t{what}\t{found}"));
        }
    }
    for miss in &known {
        if !seen.contains_key(miss) {
            let (id, number, what) = miss;
            faults.push(format!("no longer missed, take it off {MISSES}: {id}\t{number}\t{what}"));
        }
    }
    assert!(quotes > 0, "the sets hold gold quotes");
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
