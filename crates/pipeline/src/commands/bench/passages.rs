//! The results of `bench passages`, for people.

use crate::{
    commands::measured::{differences, index, mean},
    page::Page,
    words::{count, number},
};
use lab::bench_passages::{Group, Measure, PassagesRun};

pub(super) fn page(done: &PassagesRun) -> Page {
    let mut page = Page::new();
    for group in &done.groups {
        page.gap();
        add(&mut page, done, group);
    }
    page.gap();
    let (depths, threshold) = (done.depths, done.threshold);
    let (candidates, keep, cap) = (depths.candidates, depths.keep, depths.cap);
    page.line(format!(
        "retrieve.candidates = {candidates}, rerank.keep = {keep}, expand.cap = {cap}, retrieve.threshold = {threshold}"
    ));
    for run in &done.systems {
        let kept = match run.nothing_kept {
            0 => String::new(),
            none => format!("; no passage kept for {}", count(none, "question")),
        };
        let (system, speed) = (run.system.label(), run.questions_per_second);
        page.line(format!("{system}: {speed:.1} questions/s{kept}"));
    }
    let out = &done.left_out;
    let counts = [out.impossible, out.without_answer, out.not_located.len()];
    let [impossible, without, not_located] = counts.map(number);
    page.line(format!(
        "left out: {impossible} marked as impossible, {without} without an answer, {not_located} whose answer cannot be located"
    ));
    for (id, reason) in out.not_located.iter().take(3) {
        page.quote_line(format!("{id}: {reason}"));
    }
    let missing = "about articles that are not in the index: they count as not found";
    page.tally(done.article_missing, "question", missing);
    page.tally(
        done.in_no_chunk,
        "question",
        "whose answer is in no chunk: they count as not found",
    );
    index(&mut page, &done.indexed, "article");
    page
}

/// A title, the table, the comparisons.
fn add(page: &mut Page, done: &PassagesRun, group: &Group) {
    let name = match group.name {
        "first_half" => "first half of the articles",
        "second_half" => "second half of the articles",
        _ => done.dataset.as_str(),
    };
    let (questions, articles) = (
        count(group.questions, "question"),
        count(group.articles, "article"),
    );
    page.line(format!("{name}: {questions} about {articles}"));
    page.gap();
    let rows = group.systems.iter().map(|system| {
        let cell = |measure: Measure| system.measures.get(measure.key()).map_or_else(String::new, mean);
        std::iter::once(system.system.label())
            .chain(Measure::ALL.map(cell))
            .collect()
    });
    page.table([""].into_iter().chain(Measure::ALL.map(Measure::key)), rows);
    if !group.comparisons.is_empty() || !group.against.is_empty() {
        page.heading("differences of the means, and p of paired randomisation tests (by article), not corrected for their number");
    }
    for compared in &group.comparisons {
        let systems = format!("{} - {}", compared.first.label(), compared.second.label());
        differences(page, &systems, &compared.measures, "question");
    }
    for (system, measures) in &group.against {
        differences(
            page,
            &format!("{} - earlier run", system.label()),
            measures,
            "question",
        );
    }
}
