//! The table of the combinations, and the sentences below it, for text and for Markdown.

use contract::{Comparison, MetricSummary, Sweep, SweepCombination};

/// Head and rows of the table, best first. The column of each varied setting has the name of its key.
pub(super) fn table(done: &Sweep) -> (Vec<String>, Vec<Vec<String>>) {
    let priced = done.combinations.iter().any(|one| one.calls > 0);
    let mut head: Vec<String> = vec!["#".to_owned()];
    head.extend(done.varied.iter().map(|axis| axis.key.clone()));
    head.extend(
        [
            done.metric.key.as_str(),
            "95 % interval",
            "n",
            "answered",
            "refused",
            "ms",
        ]
        .map(str::to_owned),
    );
    if priced {
        head.extend(["tokens", "cost"].map(str::to_owned));
    }
    head.push(String::new());
    let rows = ranked(done).into_iter().map(|one| {
        let mut row = vec![one.number.to_string()];
        row.extend(one.settings.iter().map(|setting| setting.value.clone()));
        row.push(number(one.summary.mean));
        row.push(interval(one.summary.ci_low, one.summary.ci_high));
        row.push(one.summary.n.to_string());
        row.push(share(one.answered));
        row.push(share(one.refused));
        row.push(one.latency_ms.map_or_else(|| "n/a".to_owned(), milliseconds));
        if priced {
            row.push((one.prompt_tokens + one.completion_tokens).to_string());
            row.push(
                one.cost
                    .map_or_else(|| "n/a".to_owned(), |cost| format!("${cost:.4}")),
            );
        }
        row.push(marks(done, one));
        row
    });
    (head, rows.collect())
}

/// The combinations, the best mean first, equals by number; those without a mean last.
fn ranked(done: &Sweep) -> Vec<&SweepCombination> {
    let mut out: Vec<&SweepCombination> = done.combinations.iter().collect();
    let sign = if done.metric.better == "lower" { -1.0 } else { 1.0 };
    let rank = |one: &SweepCombination| one.summary.mean.map_or(f64::NEG_INFINITY, |mean| sign * mean);
    out.sort_by(|a, b| rank(b).total_cmp(&rank(a)).then(a.number.cmp(&b.number)));
    out
}

fn marks(done: &Sweep, one: &SweepCombination) -> String {
    let mut out = Vec::new();
    if done.choice.best == Some(one.number) {
        out.push("best");
    }
    if one.start {
        out.push("start");
    }
    if one.pareto {
        out.push("front");
    }
    out.join(", ")
}

/// What the table means, line by line.
pub(super) fn legend(done: &Sweep) -> Vec<String> {
    let priced = done.combinations.iter().any(|one| one.calls > 0);
    let against = if priced {
        "quality, latency and cost,"
    } else {
        "quality and latency,"
    };
    vec![
        format!("{}: {}", done.metric.key, done.metric.definition),
        format!(
            "start: the settings that you started from. front: no other combination is at least as good in {against} and \
             better in one of them (latencies in steps of 25 %)."
        ),
    ]
}

/// The held-out choice beside the best in sample and the start: name and mean.
pub(super) fn choice(done: &Sweep) -> Vec<(String, String)> {
    let choice = &done.choice;
    let best = choice.best.map(|best| format!(" (#{best})")).unwrap_or_default();
    let folds = choice.folds.len();
    vec![
        (
            format!("start (#{})", choice.start),
            summary(&choice.start_summary),
        ),
        (
            format!("best in sample{best}"),
            format!(
                "{}  optimistic: chosen on the same questions",
                summary(&choice.in_sample)
            ),
        ),
        (
            "choice, held out".to_owned(),
            if folds > 1 {
                format!("{}  {}", summary(&choice.held_out), chosen(done))
            } else {
                "n/a  all questions share papers".to_owned()
            },
        ),
        (
            "held out minus start".to_owned(),
            difference(&choice.against_start),
        ),
    ]
}

/// `#3 chosen in 4 of 5 folds, #1 in 1`.
fn chosen(done: &Sweep) -> String {
    let mut counts: Vec<(usize, usize)> = Vec::new();
    for fold in done.choice.folds.iter().filter_map(|fold| fold.chosen) {
        match counts.iter_mut().find(|(number, _)| *number == fold) {
            Some((_, count)) => *count += 1,
            None => counts.push((fold, 1)),
        }
    }
    counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let folds = done.choice.folds.len();
    let each = |(at, (number, count)): (usize, &(usize, usize))| match at {
        0 => format!("#{number} chosen in {count} of {folds} folds"),
        _ => format!("#{number} in {count}"),
    };
    counts.iter().enumerate().map(each).collect::<Vec<_>>().join(", ")
}

/// What follows from it.
pub(super) fn verdict(done: &Sweep) -> String {
    let choice = &done.choice;
    let start = choice.start;
    match choice.verdict.as_str() {
        "better" => match (choice.best, &choice.recommended) {
            (Some(best), Some(_)) => format!(
                "Choosing by this sweep is better than the start on questions that took no part in the choice. The \
                 combination to use is #{best}:"
            ),
            _ => format!(
                "Choosing by this sweep is better than the start (#{start}) on held-out questions, but the start is the best \
                 on all questions. Keep it."
            ),
        },
        "not_better" if choice.best == Some(start) => {
            format!("Keep the settings that you started from (#{start}): no combination has a better mean.")
        }
        "not_better" => format!(
            "Keep the settings that you started from (#{start}): no combination was shown to be better. On questions that \
             took no part in the choice, the chosen combinations are not significantly better."
        ),
        _ => "Whether a combination is better than the start could not be tested, because the questions cannot be divided \
              into folds that share no paper. Keep the settings that you started from."
            .to_owned(),
    }
}

/// How much of the work was shared.
pub(super) fn sharing(done: &Sweep) -> Option<String> {
    let shared: Vec<String> = done
        .stages
        .iter()
        .filter(|stage| stage.reused > 0)
        .map(|stage| format!("{} {} of {}", stage.stage, stage.ran, stage.ran + stage.reused))
        .collect();
    let ran: u64 = done.stages.iter().map(|stage| stage.ran).sum();
    let reused: u64 = done.stages.iter().map(|stage| stage.reused).sum();
    (reused > 0).then(|| {
        format!(
            "stage runs: {ran} of {}; the others used an earlier result ({})",
            ran + reused,
            shared.join(", ")
        )
    })
}

fn summary(summary: &MetricSummary) -> String {
    match summary.mean {
        Some(mean) => format!(
            "{mean:.3} {} n {}",
            interval(summary.ci_low, summary.ci_high),
            summary.n
        ),
        None => "n/a".to_owned(),
    }
}

fn difference(compared: &Comparison) -> String {
    let (Some(delta), Some(p)) = (compared.delta, compared.p) else {
        return "n/a".to_owned();
    };
    let ends = match (compared.ci_low, compared.ci_high) {
        (Some(low), Some(high)) => format!(" [{low:+.3}, {high:+.3}]"),
        _ => String::new(),
    };
    let p = if p < 0.001 {
        "p < 0.001".to_owned()
    } else {
        format!("p = {p:.3}")
    };
    format!(
        "{delta:+.3}{ends} {p}; {} questions higher, {} lower",
        compared.wins, compared.losses
    )
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "n/a".to_owned(), |value| format!("{value:.3}"))
}

fn share(value: Option<f64>) -> String {
    value.map_or_else(|| "n/a".to_owned(), |value| format!("{value:.2}"))
}

fn interval(low: Option<f64>, high: Option<f64>) -> String {
    match (low, high) {
        (Some(low), Some(high)) => format!("[{low:.3}, {high:.3}]"),
        _ => "n/a".to_owned(),
    }
}

/// Milliseconds with the digits that mean something.
fn milliseconds(value: f64) -> String {
    if value < 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}
