//! What a reader of a report must know about the log that it came from.

use crate::runlog::{LogRecord, unreadable};
use crate::words::plural;
use crate::{Problem, QuerySet, Row};
use std::collections::BTreeSet;
use std::fmt::Write;
use types::{Mode, words::first_of};

/// What was counted while a log was read.
#[derive(Default)]
pub(super) struct Counts {
    /// Records left out because a later one has the same query and mode.
    pub(super) superseded: usize,
    /// Rows of the run without a record.
    pub(super) missing: Vec<String>,
    /// Records scored now, without a context.
    pub(super) without_context: usize,
    /// Records that ask a question which is not in the set.
    pub(super) not_in_set: usize,
    /// Whether the run tested control systems.
    pub(super) controls: bool,
    /// Records of the earlier system whose mode follows from their scores: hybrid, vector.
    pub(super) derived: [usize; 2],
    /// Records of the earlier system whose scores do not tell.
    pub(super) undecided: usize,
    /// Records of the earlier system with caveats of its guardrails.
    pub(super) with_actions: usize,
    /// Method names of these records.
    pub(super) methods: BTreeSet<String>,
    /// Hashes of settings.
    pub(super) configurations: BTreeSet<String>,
    /// Commits.
    pub(super) commits: BTreeSet<String>,
    /// Generators.
    pub(super) generators: BTreeSet<String>,
}

impl Counts {
    /// Counts a record whose row is in the report.
    pub(super) fn note(&mut self, found: &LogRecord) {
        let record = &found.record;
        for (values, value) in
            [(&mut self.configurations, &record.config_hash), (&mut self.commits, &record.git_commit)]
        {
            if !value.is_empty() {
                values.insert(value.clone());
            }
        }
        if !found.earlier {
            return;
        }
        match record.mode {
            Some(Mode::Hybrid) => self.derived[0] += 1,
            Some(Mode::Vector) => self.derived[1] += 1,
            _ => self.undecided += 1,
        }
        self.with_actions += usize::from(!record.guardrails.is_empty());
        if !record.retrieval.method.is_empty() {
            self.methods.insert(record.retrieval.method.clone());
        }
    }

    fn earlier(&self) -> usize {
        self.derived[0] + self.derived[1] + self.undecided
    }
}

/// One sentence each, unescaped, without a full stop.
pub(super) fn notes(
    counts: &Counts,
    skipped: &[&Problem],
    set: Option<&QuerySet>,
    rows: &[Row],
) -> Vec<String> {
    let mut out = Vec::new();
    out.extend(unreadable("the log", skipped));
    if !counts.missing.is_empty() {
        let (rows, named) = (plural(counts.missing.len(), "row"), first_of(&counts.missing, 10));
        out.push(format!("the log has no record of {rows} of the run: {named}"));
    }
    let mut counted = |n: usize, noun: &str, text: &str| {
        out.extend((n > 0).then(|| format!("{} {text}", plural(n, noun))));
    };
    let superseded = "left out: a later record has the same query and mode, and only the last one counts";
    counted(counts.superseded, "earlier record", superseded);
    counted(counts.not_in_set, "record", "left out: the query set does not hold the question");
    out.extend(earlier_notes(counts));
    if counts.without_context > 0 {
        out.push(format!(
            "{} without a context: metrics that need its text are n/a, and citations are checked against the \
             returned chunks",
            plural(counts.without_context, "record")
        ));
    }
    if let Some(set) = set {
        let seen: BTreeSet<&str> = rows.iter().map(|r| r.query_id.as_str()).collect();
        let absent = |q: &&crate::Query| !seen.contains(q.id.as_str());
        let missing = set.queries.iter().filter(absent).count();
        if missing > 0 {
            let all = set.queries.len();
            out.push(format!("{missing} of {all} queries of the set have no record"));
        }
    }
    for (what, values) in [
        ("configurations", &counts.configurations),
        ("commits", &counts.commits),
        ("generators", &counts.generators),
    ] {
        if values.len() > 1 {
            out.push(format!("the records come from {} {what}", values.len()));
        }
    }
    if counts.controls {
        out.push(
            "this run also tested control systems; their results are in its eval.json, not in the log"
                .to_owned(),
        );
    }
    out
}

fn earlier_notes(counts: &Counts) -> Vec<String> {
    let earlier = counts.earlier();
    if earlier == 0 {
        return Vec::new();
    }
    let named: Vec<String> = counts.methods.iter().map(|method| format!("{method:?}")).collect();
    let named = match named.len() {
        0 => "no method".to_owned(),
        1 => format!("the method {} for every record", named[0]),
        _ => format!("the methods {}", named.join(", ")),
    };
    let [hybrid, vector] = counts.derived;
    let mut modes = format!(
        "the log names no mode, and {named}: the mode was derived from the scores ({hybrid} hybrid, combined = 0.6 × \
         vector + 0.4 × BM25; {vector} vector, combined = vector"
    );
    if counts.undecided > 0 {
        // Writing to a string cannot fail.
        let _ = write!(modes, "; {} undecided, listed by method", counts.undecided);
    }
    let actions = format!(
        "the log has no field for guardrail actions: they were read from the caveats, one action for each caveat \
         that a guardrail wrote ({} of {} answers have one)",
        counts.with_actions, earlier
    );
    vec![format!("{modes})"), actions]
}
