//! The results of a benchmark of retrieval, for people.

use crate::{
    commands::measured::{differences, mean},
    page::Page,
    words::{count, number},
};
use lab::benchmark::{
    DEPTH,
    beir::{BeirMode, BeirRun, Measure},
};
use types::path_text;

pub(super) fn page(done: &BeirRun) -> Page {
    let mut page = Page::new();
    let modes = || done.results.modes.values();
    let Some(first) = modes().next() else {
        return page;
    };
    let (queries, documents) = (count(first.queries, "query"), count(first.index.documents, "document"));
    let reranked = first.reranker.as_ref().map(|name| format!("reranked by {name}"));
    let reranked = reranked.unwrap_or_else(|| "not reranked".to_owned());
    let (dataset, split) = (&first.dataset, &first.split);
    page.line(format!("{dataset} ({split}): {queries}, {documents}, {reranked}"));
    page.gap();
    let row = |name: &str, cell: &dyn Fn(&BeirMode) -> String| -> Vec<String> {
        std::iter::once(name.to_owned()).chain(modes().map(cell)).collect()
    };
    let measures = Measure::ALL.map(Measure::key);
    let mut rows: Vec<Vec<String>> = Vec::new();
    for key in measures {
        rows.push(row(key, &|run| run.measures.get(key).map_or_else(String::new, mean)));
    }
    rows.push(row("queries/s", &|run| format!("{:.1}", run.qps)));
    page.table(row("", &|run| run.mode.clone()), rows);
    if modes().count() > 1 {
        page.heading("differences of the means, and p of paired randomisation tests");
    }
    for (mode, compared) in done.results.comparison.iter() {
        differences(&mut page, &format!("{} - {mode}", first.mode), compared, measures, "query");
    }
    page.gap();
    for run in modes().filter(|run| run.queries_below_100 > 0) {
        let (queries, none) = (count(run.queries_below_100, "query"), number(run.queries_without_documents));
        page.line(format!("{}: fewer than {DEPTH} documents for {queries} (none for {none})", run.mode));
    }
    page.tally(
        first.queries_among_documents,
        "query",
        "that is also a document, left out of its own ranking",
    );
    page.tally(first.queries_without_relevant, "query", "without a relevant document left out");
    let missing = "not in the index: they count as not retrieved";
    page.tally(first.relevant_missing, "relevant document", missing);
    let (index, folder) = (&first.index, path_text::shown(&first.index.dir));
    let (chunks, added, seconds) = (count(index.chunks, "chunk"), number(index.added), index.seconds);
    page.line(format!("index: {folder} ({documents}, {chunks}; {added} added in {seconds:.1} s)"));
    for file in &done.run_files {
        page.line(format!("run: {}", path_text::shown(file)));
    }
    page
}
