//! The results of a benchmark of retrieval, for people.

use crate::{
    commands::measured::{differences, index, mean},
    page::Page,
    words::{count, number},
};
use lab::bench_beir::{BeirRun, DEPTH, Measure, ModeRun};
use types::{Mode, path_text};

pub(super) fn page(done: &BeirRun) -> Page {
    let mut page = Page::new();
    let queries = count(done.modes.first().map_or(0, |run| run.queries.len()), "query");
    let documents = count(done.indexed.documents, "document");
    let reranked = done.reranker.as_ref().map(|name| format!("reranked by {name}"));
    let reranked = reranked.unwrap_or_else(|| "not reranked".to_owned());
    let (dataset, split) = (&done.dataset, &done.split);
    page.line(format!("{dataset} ({split}): {queries}, {documents}, {reranked}"));
    page.gap();
    let row = |name: &str, cell: &dyn Fn(&ModeRun) -> String| -> Vec<String> {
        std::iter::once(name.to_owned())
            .chain(done.modes.iter().map(cell))
            .collect()
    };
    let mut rows: Vec<Vec<String>> = Vec::new();
    for measure in Measure::ALL {
        let key = measure.key();
        rows.push(row(key, &|run| {
            run.summary.get(key).map_or_else(String::new, mean)
        }));
    }
    rows.push(row("documents", &|run| {
        format!("{:.1} per query", run.reach.documents)
    }));
    rows.push(row("queries/s", &|run| format!("{:.1}", run.queries_per_second)));
    page.table(row("", &|run| run.mode.to_string()), rows);
    if !done.comparisons.is_empty() || !done.against.is_empty() {
        page.heading(
            "differences of the means, and p of paired randomisation tests, not corrected for their number",
        );
    }
    for (mode, compared) in &done.comparisons {
        let first = done
            .modes
            .first()
            .map_or_else(String::new, |first| first.mode.to_string());
        differences(&mut page, &format!("{first} - {mode}"), compared, "query");
    }
    for (mode, compared) in &done.against {
        differences(&mut page, &format!("{mode} - earlier run"), compared, "query");
    }
    page.gap();
    for run in &done.modes {
        notes(&mut page, done, run);
    }
    page.tally(
        done.without_relevant,
        "query",
        "without a relevant document left out",
    );
    let missing = "not in the index: they count as not retrieved";
    page.tally(done.relevant_missing, "relevant document", missing);
    index(&mut page, &done.indexed, "document");
    for file in &done.run_files {
        page.line(format!("run: {}", path_text::shown(file)));
    }
    page
}

/// What limits the figures of a mode.
fn notes(page: &mut Page, done: &BeirRun, run: &ModeRun) {
    let (mode, reach, candidates) = (run.mode, run.reach, done.candidates);
    let limit = match done.keep {
        None => format!("limited to retrieve.candidates = {candidates}"),
        Some(keep) => {
            format!("reranked, limited to rerank.keep = {keep} of retrieve.candidates = {candidates}")
        }
    };
    let limited = &run.configured;
    let (documents, ndcg, recall) = (limited.documents, limited.ndcg, limited.recall);
    page.line(format!(
        "{mode}, {limit}: {documents:.1} documents per query, ndcg@10 {ndcg:.4}, recall@10 {recall:.4}"
    ));
    if reach.short > 0 {
        let why = match (mode, reach.cut_by_threshold) {
            (Mode::Bm25, _) => "no other document contains a term of the query".to_owned(),
            (_, 0) => "no further passage was found".to_owned(),
            (_, cut) => {
                let threshold = done.threshold;
                format!(
                    "retrieve.threshold = {threshold} limits recall@100 for {}",
                    number(cut)
                )
            }
        };
        let (queries, none) = (count(reach.short, "query"), number(reach.none));
        page.line(format!(
            "{mode}: fewer than {DEPTH} documents for {queries} (none for {none}); {why}"
        ));
    }
}
