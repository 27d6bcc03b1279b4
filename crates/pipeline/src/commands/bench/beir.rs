//! The results of a benchmark of retrieval, for people.

use crate::{
    commands::measured::{differences, index_line, mean},
    page::Page,
    words::{count, number},
};
use lab::benchmark::beir::{BeirMode, BeirRun, DEPTH, Measure};
use types::path_text;

pub(super) fn page(done: &BeirRun) -> Page {
    let mut page = Page::new();
    let Some(first) = done.modes.first() else {
        return page;
    };
    let (queries, documents) = (count(first.queries, "query"), count(first.index.documents, "document"));
    let reranked = first.reranker.as_ref().map(|name| format!("reranked by {name}"));
    let reranked = reranked.unwrap_or_else(|| "not reranked".to_owned());
    let (dataset, split) = (&first.dataset, &first.split);
    page.line(format!("{dataset} ({split}): {queries}, {documents}, {reranked}"));
    page.gap();
    let row = |name: &str, cell: &dyn Fn(&BeirMode) -> String| -> Vec<String> {
        std::iter::once(name.to_owned()).chain(done.modes.iter().map(cell)).collect()
    };
    let mut rows: Vec<Vec<String>> = Vec::new();
    for measure in Measure::ALL {
        let key = measure.key();
        rows.push(row(key, &|run| run.measures.get(key).map_or_else(String::new, mean)));
    }
    rows.push(row("documents", &|run| format!("{:.1} per query", run.documents_per_query)));
    rows.push(row("queries/s", &|run| format!("{:.1}", run.qps)));
    page.table(row("", &|run| run.mode.clone()), rows);
    if !done.comparisons.is_empty() || first.against.is_some() {
        page.heading(
            "differences of the means, and p of paired randomisation tests, not corrected for their number",
        );
    }
    let measures = Measure::ALL.map(Measure::key);
    for (mode, compared) in &done.comparisons {
        let systems = format!("{} - {mode}", first.mode);
        differences(&mut page, &systems, compared, measures, "query");
    }
    for run in &done.modes {
        if let Some(compared) = &run.against {
            let systems = format!("{} - earlier run", run.mode);
            differences(&mut page, &systems, compared, measures, "query");
        }
    }
    page.gap();
    for run in &done.modes {
        notes(&mut page, run);
    }
    page.tally(
        first.queries_among_documents,
        "query",
        "that is also a document, left out of its own ranking",
    );
    page.tally(first.queries_without_relevant, "query", "without a relevant document left out");
    let missing = "not in the index: they count as not retrieved";
    page.tally(first.index.relevant_missing, "relevant document", missing);
    let index = &first.index;
    let counts = (index.documents, index.chunks, index.added);
    index_line(&mut page, &index.dir, counts, first.index_seconds, "document");
    for file in &done.run_files {
        page.line(format!("run: {}", path_text::shown(file)));
    }
    page
}

/// What limits the figures of a mode.
fn notes(page: &mut Page, run: &BeirMode) {
    let (mode, limited) = (&run.mode, &run.as_configured);
    let candidates = limited.candidates;
    let limit = match limited.keep {
        None => format!("limited to retrieve.candidates = {candidates}"),
        Some(keep) => {
            format!("reranked, limited to rerank.keep = {keep} of retrieve.candidates = {candidates}")
        }
    };
    let (documents, ndcg, recall) = (limited.documents_per_query, limited.ndcg_10, limited.recall_10);
    page.line(format!(
        "{mode}, {limit}: {documents:.1} documents per query, ndcg@10 {ndcg:.4}, recall@10 {recall:.4}"
    ));
    if run.queries_below_100 > 0 {
        let why = match (mode.as_str(), run.queries_cut_by_threshold) {
            ("bm25", _) => "no other document contains a term of the query".to_owned(),
            (_, 0) => "no further passage was found".to_owned(),
            (_, cut) => {
                let threshold = limited.threshold as f32;
                format!("retrieve.threshold = {threshold} limits recall@100 for {}", number(cut))
            }
        };
        let (queries, none) = (count(run.queries_below_100, "query"), number(run.queries_without_documents));
        page.line(format!("{mode}: fewer than {DEPTH} documents for {queries} (none for {none}); {why}"));
    }
}
