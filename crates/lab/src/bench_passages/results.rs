//! Means, intervals and paired tests of the systems, over all questions or those of one half of the articles.

use super::{Measure, System, SystemRun};
use crate::benchmark::Earlier;
use eval::{
    Comparison, MetricSummary, Ordered,
    paired::{self, Scored},
    passages::{ScoredQuestion, second_half},
};
use std::collections::BTreeSet;

/// The results over one set of articles.
#[derive(Clone, Debug)]
pub struct Group {
    /// `all`, `first_half` or `second_half`.
    pub name: &'static str,
    /// Articles that questions ask about.
    pub articles: usize,
    /// Questions measured.
    pub questions: usize,
    /// Each system.
    pub systems: Vec<SystemSummary>,
    /// The first mode minus each other one with the same reranking; then each mode reranked minus not.
    pub comparisons: Vec<Compared>,
    /// Each system minus the same mode of an earlier run.
    pub against: Vec<(System, Ordered<Comparison>)>,
}

/// The means of one system.
#[derive(Clone, Debug)]
pub struct SystemSummary {
    /// The system.
    pub system: System,
    /// Mean and interval of each measure.
    pub measures: Ordered<MetricSummary>,
}

/// Two systems on the same questions.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The system whose values count as positive.
    pub first: System,
    /// The one that is subtracted.
    pub second: System,
    /// Each measure, first minus second.
    pub measures: Ordered<Comparison>,
}

/// The results over all articles and, with `split_half`, over each half of them.
pub(super) fn groups(
    runs: &[SystemRun],
    earlier: Option<&Earlier>,
    split_half: bool,
    left_out: usize,
    seed: u64,
) -> Vec<Group> {
    let of = |name, left_out, belongs: &dyn Fn(&str) -> bool| {
        let runs: Vec<SystemRun> = runs.iter().map(|run| part(run, belongs)).collect();
        group(name, &runs, earlier, left_out, seed)
    };
    let mut groups = vec![of("all", left_out, &|_| true)];
    if split_half {
        // Questions that were left out belong to no half.
        groups.push(of("first_half", 0, &|article| !second_half(article, seed)));
        groups.push(of("second_half", 0, &|article| second_half(article, seed)));
    }
    groups
}

/// The questions about some of the articles.
fn part(run: &SystemRun, belongs: &dyn Fn(&str) -> bool) -> SystemRun {
    let questions = run
        .questions
        .iter()
        .filter(|question| belongs(&question.document));
    SystemRun {
        questions: questions.cloned().collect(),
        ..run.clone()
    }
}

fn group(
    name: &'static str,
    runs: &[SystemRun],
    earlier: Option<&Earlier>,
    left_out: usize,
    seed: u64,
) -> Group {
    let keys = Measure::ALL.map(Measure::key);
    let measured: &[ScoredQuestion] = runs.first().map_or(&[], |run| &run.questions);
    let systems = runs.iter().map(|run| SystemSummary {
        system: run.system.clone(),
        measures: paired::summarise(&run.questions, &keys, left_out, seed),
    });
    let compared = |first: &SystemRun, second: &SystemRun| Compared {
        first: first.system.clone(),
        second: second.system.clone(),
        measures: paired::compare(&first.questions, &second.questions, &keys, seed),
    };
    let against = runs.iter().filter_map(|run| {
        let rows = earlier?.of(run.system.mode, run.system.reranker.is_some());
        Some((
            run.system.clone(),
            paired::compare(&run.questions, &rows, &keys, seed),
        ))
    });
    Group {
        name,
        articles: measured
            .iter()
            .map(Scored::cluster)
            .collect::<BTreeSet<_>>()
            .len(),
        questions: measured.len(),
        systems: systems.collect(),
        comparisons: pairs(runs)
            .into_iter()
            .map(|(first, second)| compared(first, second))
            .collect(),
        against: against.collect(),
    }
}

/// The systems to compare: runs are ordered by mode, within a mode reranked before not.
fn pairs(runs: &[SystemRun]) -> Vec<(&SystemRun, &SystemRun)> {
    let Some(first) = runs.first() else {
        return Vec::new();
    };
    let reranked = |run: &SystemRun| run.system.reranker.is_some();
    let of_first_mode = runs.iter().filter(|run| run.system.mode == first.system.mode);
    let modes = of_first_mode.flat_map(|one| {
        let others = runs.iter().filter(|other| other.system.mode != one.system.mode);
        others
            .filter(|other| reranked(other) == reranked(one))
            .map(move |other| (one, other))
    });
    let within = runs.iter().zip(runs.iter().skip(1));
    let within = within.filter(|(one, other)| one.system.mode == other.system.mode);
    modes.chain(within).collect()
}
