//! The two sentences that a report begins with, computed from the numbers below them.

use super::Evaluation;
use super::results::signed;
use crate::stats::wilson;
use crate::{Abstention, Stated, metrics};

/// What to believe, in two sentences: what the first mode decides and shows, then where it loses evidence and whether the
/// modes differ. Plain text.
pub(super) fn verdict(evaluation: &Evaluation) -> [String; 2] {
    let Some(mode) = evaluation.summary.modes.keys().next() else {
        return [
            "No question was asked.".to_owned(),
            "There is nothing to believe.".to_owned(),
        ];
    };
    [decisions(evaluation, mode), losses(evaluation, mode)]
}

fn decisions(evaluation: &Evaluation, mode: &str) -> String {
    let table = evaluation
        .summary
        .abstention
        .get(mode)
        .copied()
        .unwrap_or_default();
    let rows = evaluation.rows.iter().filter(|row| row.mode == mode);
    let stated: Vec<Stated> = rows.clone().filter_map(Stated::of_row).collect();
    let errors = match rows.filter(|row| row.error.is_some()).count() {
        0 => String::new(),
        1 => "; 1 row is an error".to_owned(),
        n => format!("; {n} rows are errors"),
    };
    let Some(decided) = decided(&table) else {
        return format!("In mode {mode}, no label says which questions the papers answer{errors}.");
    };
    let right = stated.iter().filter(|stated| stated.right).count();
    let shown = if stated.is_empty() {
        String::new()
    } else {
        format!(
            "; {right} of {} answers that can be checked {} gold evidence",
            stated.len(),
            if right == 1 { "shows" } else { "show" }
        )
    };
    format!("In mode {mode}, {decided}{shown}{errors}.")
}

/// "65 of 105 answerable questions (52 to 71 %) were answered and 25 of 31 unanswerable ones (63 to 91 %) were refused".
fn decided(table: &Abstention) -> Option<String> {
    let part = |right: usize, wrong: usize| {
        let n = right + wrong;
        let interval = wilson(right, n)?;
        let (low, high) = (100.0 * interval.low, 100.0 * interval.high);
        Some((n, format!("({low:.0} to {high:.0} %)")))
    };
    let answered = part(table.answered_answerable, table.refused_answerable).map(|(n, range)| {
        format!(
            "{} of {n} answerable questions {range} were answered",
            table.answered_answerable
        )
    });
    let refused = part(table.refused_unanswerable, table.answered_unanswerable).map(|(n, range)| {
        let of = table.refused_unanswerable;
        if answered.is_some() {
            format!("{of} of {n} unanswerable ones {range} were refused")
        } else {
            format!("{of} of {n} unanswerable questions {range} were refused")
        }
    });
    match (answered, refused) {
        (Some(answered), Some(refused)) => Some(format!("{answered} and {refused}")),
        (one, other) => one.or(other),
    }
}

fn losses(evaluation: &Evaluation, mode: &str) -> String {
    let funnel = evaluation.funnel.get(mode);
    let lost = funnel.and_then(|funnel| funnel.largest_loss().map(|(stage, lost)| (funnel, stage, lost)));
    let lost = lost.map(|(funnel, stage, lost)| {
        let of = funnel.quotes;
        match stage {
            "candidates" => format!("most gold evidence is lost in retrieval ({lost} of {of} quotes)"),
            "reranked" => format!("most gold evidence is lost in reranking ({lost} of {of} quotes)"),
            "context" => format!("most gold evidence is lost on the way into the context ({lost} of {of} quotes)"),
            _ if funnel.refused > 0 => format!(
                "most gold evidence is lost between the context and the answer ({lost} of {of} quotes, {} of them by refusals)",
                funnel.refused
            ),
            _ => format!("most gold evidence is lost between the context and the answer ({lost} of {of} quotes)"),
        }
    });
    let sentence = match (lost, differences(evaluation)) {
        (Some(lost), Some(differences)) => format!("{lost}; {differences}"),
        (one, other) => one
            .or(other)
            .unwrap_or_else(|| "where gold evidence is lost is not known, because no row has any".to_owned()),
    };
    let mut letters = sentence.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// A title inside a sentence: "Gold recall, context" is "gold recall in the context".
fn plain(title: &str) -> String {
    let mut letters = title.chars();
    let first = letters
        .next()
        .map(|c| c.to_lowercase().to_string())
        .unwrap_or_default();
    format!("{first}{}", letters.as_str()).replace(", ", " in the ")
}

/// Whether the modes differ; `None` for one mode.
fn differences(evaluation: &Evaluation) -> Option<String> {
    let [first, second] = evaluation.summary.compared.as_ref()?;
    let extractive = evaluation.provenance.extractive();
    let compared = metrics::specs().filter(|spec| !(extractive && spec.by_construction));
    let found: Vec<String> = compared
        .filter_map(|spec| {
            let found = evaluation.summary.comparison.get(spec.key)?;
            let delta = found.delta.filter(|_| found.separates())?;
            Some(format!("{} ({})", plain(spec.title), signed(delta)))
        })
        .collect();
    if found.is_empty() {
        return Some(format!(
            "no metric differs significantly between {first} and {second}"
        ));
    }
    Some(format!(
        "{first} differs significantly from {second} in {}",
        super::listed(&found)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Provenance;
    use crate::{GoldPath, Row, Score};

    fn row(id: usize, mode: &str, refused: bool, expected: bool, shown: bool) -> Row {
        let mut row = Row {
            query_id: id.to_string(),
            cluster: id.to_string(),
            mode: mode.into(),
            no_evidence: Some(refused),
            expected_no_evidence: Some(expected),
            ..Row::default()
        };
        if !expected {
            row.gold = vec![GoldPath {
                source_id: "a".into(),
                quote: "q".into(),
                reranked: Some(true),
                in_context: Some(true),
                in_answer: shown,
            }];
            row.gold_ranks = vec![Some(1)];
            row.scores
                .insert("gold_recall_answer", Score::value(f64::from(u8::from(shown))));
        }
        row
    }

    #[test]
    fn two_sentences_say_what_to_believe() {
        let mut rows = Vec::new();
        for id in 0..10 {
            rows.push(row(id, "a", id == 0 || id > 7, id > 7, (1..7).contains(&id)));
            rows.push(row(id, "b", id > 7, id > 7, false));
        }
        let [first, second] = verdict(&Evaluation::new("r", rows.clone(), Provenance::default()));
        assert_eq!(
            first,
            "In mode a, 7 of 8 answerable questions (53 to 98 %) were answered and 2 of 2 unanswerable ones (34 to 100 %) were \
             refused; 6 of 7 answers that can be checked show gold evidence."
        );
        assert_eq!(
            second,
            "Most gold evidence is lost between the context and the answer (2 of 8 quotes, 1 of them by refusals); a differs \
             significantly from b in gold recall in the answer (+0.750)."
        );
        rows.retain(|row| row.mode == "b" && row.expected_no_evidence == Some(true));
        let [first, second] = verdict(&Evaluation::new("r", rows, Provenance::default()));
        assert_eq!(
            first,
            "In mode b, 2 of 2 unanswerable questions (34 to 100 %) were refused."
        );
        assert_eq!(
            second,
            "Where gold evidence is lost is not known, because no row has any."
        );
        let [first, _] = verdict(&Evaluation::new("r", Vec::new(), Provenance::default()));
        assert_eq!(first, "No question was asked.");
    }
}
