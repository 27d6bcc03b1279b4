//! A sweep for people.

use crate::{
    page::Page,
    words::{count, difference, interval, p_value, value, when},
};
use lab::{
    benchmark::{Comparison, MetricSummary},
    eval::sweep::Verdict,
    sweep::{Sweep, SweepCombination},
};
use std::collections::BTreeSet;

/// Columns that the names of settings may take in the table.
const NAMES: usize = 28;

/// The combinations, what choosing among them is worth, and what follows.
pub(super) fn page(done: &Sweep) -> Page {
    let mut page = Page::new();
    page.title("Sweep");
    let drawn = |sampled| format!("{sampled} of {} drawn", count(done.grid_size, "combination"));
    let combinations = done.sampled.map_or_else(|| count(done.grid_size, "combination"), drawn);
    let and_start =
        when(done.combinations.iter().any(|one| !one.in_grid), ", and the settings that you started from");
    let (questions, set) = (count(done.questions, "question"), &done.query_set);
    page.line(format!("{combinations} on {questions} from {set}{and_start}"));
    let names = axes(done);
    for (axis, name) in done.varied.iter().zip(&names) {
        let letter = when(name.starts_with('('), name);
        page.fact(format!("{letter} {}", axis.key).trim(), axis.values.join(", "));
    }
    page.gap();
    table(&mut page, done, names);
    page.gap();
    page.line(format!("{}: {}", done.metric.key, done.metric.definition));
    let cost = if is_priced(done) { "quality, latency and cost," } else { "quality and latency," };
    page.line(format!(
        "start: the settings that you started from. front: no other combination is at least as good in {cost} and better in \
         one of them (latencies in steps of 25 %)."
    ));
    page.gap();
    for (name, text) in choice(done) {
        page.fact(name, text);
    }
    page.gap();
    page.line(verdict(done));
    if let Some(settings) = &done.choice.recommended {
        page.gap();
        page.code(settings.as_str());
    }
    page.gap();
    for note in &done.notes {
        page.line(format!("note: {note}"));
    }
    page.gap();
    if done.calls_sent + done.calls_cached > 0 {
        let (sent, cached) = (count(done.calls_sent, "call"), done.calls_cached);
        page.line(format!("{sent} to language models sent, {cached} answered from the cache"));
    }
    page
}

fn is_priced(done: &Sweep) -> bool {
    done.combinations.iter().any(|one| one.calls > 0)
}

/// The headers of the settings: the last parts of their keys, or letters where these are too long or alike.
fn axes(done: &Sweep) -> Vec<String> {
    let last = done.varied.iter().map(|axis| axis.key.rsplit('.').next().unwrap_or(&axis.key));
    let last: Vec<String> = last.map(str::to_owned).collect();
    let is_distinct = last.iter().collect::<BTreeSet<_>>().len() == last.len();
    if is_distinct && last.iter().map(String::len).sum::<usize>() <= NAMES {
        return last;
    }
    let letters = ('a'..='z').cycle().map(|letter| format!("({letter})"));
    letters.take(last.len()).collect()
}

/// The combinations, best first.
fn table(page: &mut Page, done: &Sweep, names: Vec<String>) {
    let is_priced = is_priced(done);
    let cost = |cost: Option<f64>| cost.map_or_else(|| "n/a".to_owned(), |cost| format!("${cost:.4}"));
    let priced = |text: String| when(is_priced, &text).to_owned();
    let mut rows = page.rows(ranked(done)).column("#", |one| one.number.to_string());
    for (at, name) in names.into_iter().enumerate() {
        rows = rows.column(name, |one| one.settings.get(at).map_or_else(String::new, |s| s.value.clone()));
    }
    rows.column("mean", |one| value(one.summary.mean, 3))
        .column("95 % interval", |one| interval(one.summary.ci_low, one.summary.ci_high))
        .column("n", |one| one.summary.n.to_string())
        .column("answered", |one| value(one.answered, 2))
        .column("refused", |one| value(one.refused, 2))
        .column("ms", |one| milliseconds(one.latency_ms))
        .column("tokens", |one| priced((one.prompt_tokens + one.completion_tokens).to_string()))
        .column("cost", |one| priced(cost(one.cost)))
        .column("", |one| marks(done, one));
}

/// Milliseconds with the digits that mean something.
fn milliseconds(latency: Option<f64>) -> String {
    value(latency, usize::from(latency.is_some_and(|ms| ms < 10.0)))
}

fn marks(done: &Sweep, one: &SweepCombination) -> String {
    let is_best = done.choice.found.best.is_some_and(|best| best + 1 == one.number);
    let marks = [(is_best, "best"), (one.start, "start")];
    let marks = marks.iter().filter(|(has, _)| *has).map(|(_, mark)| *mark);
    marks.collect::<Vec<_>>().join(", ")
}

/// The combinations, the best mean first, equals by number; those without a mean last.
fn ranked(done: &Sweep) -> Vec<&SweepCombination> {
    let mut out: Vec<&SweepCombination> = done.combinations.iter().collect();
    let sign = if done.metric.better == "lower" { -1.0 } else { 1.0 };
    let rank = |one: &SweepCombination| one.summary.mean.map_or(f64::NEG_INFINITY, |mean| sign * mean);
    out.sort_by(|a, b| rank(b).total_cmp(&rank(a)).then(a.number.cmp(&b.number)));
    out
}

/// The held-out choice beside the best in sample and the start: name and mean.
fn choice(done: &Sweep) -> [(String, String); 4] {
    let choice = &done.choice.found;
    let best = choice.best.map(|best| format!(" (#{})", best + 1)).unwrap_or_default();
    let held_out = if choice.folds.len() > 1 {
        format!("{}  {}", summary(&choice.held_out), chosen(done))
    } else {
        "n/a  all questions share papers".to_owned()
    };
    let in_sample = format!("{}  optimistic: chosen on the same questions", summary(&choice.in_sample));
    [
        (format!("start (#{})", done.choice.start), summary(&choice.start)),
        (format!("best in sample{best}"), in_sample),
        ("choice, held out".to_owned(), held_out),
        ("held out minus start".to_owned(), tested(&choice.against_start)),
    ]
}

/// `#3 chosen in 4 of 5 folds, #1 in 1`.
fn chosen(done: &Sweep) -> String {
    let mut counts: Vec<(usize, usize)> = Vec::new();
    for fold in done.choice.found.folds.iter().filter_map(|fold| Some(fold.chosen? + 1)) {
        match counts.iter_mut().find(|(number, _)| *number == fold) {
            Some((_, count)) => *count += 1,
            None => counts.push((fold, 1)),
        }
    }
    counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let folds = done.choice.found.folds.len();
    let each = |(at, (number, count)): (usize, &(usize, usize))| match at {
        0 => format!("#{number} chosen in {count} of {folds} folds"),
        _ => format!("#{number} in {count}"),
    };
    counts.iter().enumerate().map(each).collect::<Vec<_>>().join(", ")
}

/// What follows from it.
fn verdict(done: &Sweep) -> String {
    let choice = &done.choice;
    let (start, best) = (choice.start, choice.found.best.map(|best| best + 1));
    match choice.found.verdict {
        Verdict::Better => match (best, &choice.recommended) {
            (Some(best), Some(_)) => format!(
                "Choosing by this sweep is better than the start on questions that took no part in the choice. The \
                 combination to use is #{best}:"
            ),
            _ => format!(
                "Choosing by this sweep is better than the start (#{start}) on held-out questions, but the start is the best \
                 on all questions. Keep it."
            ),
        },
        Verdict::NotBetter if best == Some(start) => {
            format!("Keep the settings that you started from (#{start}): no combination has a better mean.")
        }
        Verdict::NotBetter => format!(
            "Keep the settings that you started from (#{start}): no combination was shown to be better. On questions that \
             took no part in the choice, the chosen combinations are not significantly better."
        ),
        Verdict::Untested => "Whether a combination is better than the start could not be tested, because the questions cannot be divided \
              into folds that share no paper. Keep the settings that you started from."
            .to_owned(),
    }
}

/// How much of the work was shared.
fn summary(of: &MetricSummary) -> String {
    let interval = interval(of.ci_low, of.ci_high);
    of.mean.map_or_else(|| "n/a".to_owned(), |mean| format!("{mean:.3} {interval} n {}", of.n))
}

fn tested(compared: &Comparison) -> String {
    let Some(p) = compared.p_holm.or(compared.p) else {
        return "n/a".to_owned();
    };
    let (p, higher, lower) = (p_value(p, 3), compared.wins, compared.losses);
    let difference = difference(compared.delta, compared.ci_low, compared.ci_high);
    format!("{difference} {p}; {higher} questions higher, {lower} lower")
}
