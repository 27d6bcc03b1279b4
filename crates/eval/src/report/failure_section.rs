//! Section 6: every row that failed, with the whole answer and the evidence that it missed.
//! (Writing to a string cannot fail: the results of `write!` are dropped.)

use super::{Grid, escape, failures};
use crate::{MissedGold, Row, Unsupported};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The section.
pub(super) fn section(rows: &[Row]) -> String {
    let failing: Vec<(&Row, Vec<String>)> = rows
        .iter()
        .map(|row| (row, failures(row)))
        .filter(|(_, f)| !f.is_empty())
        .collect();
    let mut out = format!(
        "## 6. Failure cases\n\n{} of {} rows fail in some way.\n",
        failing.len(),
        rows.len()
    );
    for (at, (row, what)) in failing.iter().enumerate() {
        let _ = write!(
            out,
            "\n### 6.{} {} ({}, {})\n\n**Question:** {}\n\n",
            at + 1,
            escape(&row.query_id),
            escape(&row.kind),
            escape(&row.mode),
            escape(&row.query)
        );
        if !row.answer.trim().is_empty() {
            let _ = write!(out, "**Answer:**\n\n{}\n", quoted(&row.answer));
        } else if !row.preview.is_empty() {
            // Rows logged before answers were kept whole.
            let _ = write!(out, "**Answer, its beginning:** {}\n\n", escape(&row.preview));
        }
        for what in what {
            let _ = writeln!(out, "- {}", escape(what));
        }
        for missed in &row.missed_gold {
            out.push_str(&missed_gold(missed));
        }
        for claim in &row.unsupported {
            out.push_str(&unsupported(claim));
        }
        for action in &row.guardrails {
            let _ = writeln!(
                out,
                "- Guardrail {} {}: {} ({})",
                guardrail(action.guardrail),
                escape(&action.action),
                escape(&action.subject),
                escape(&action.reason)
            );
        }
    }
    out.push_str(&guardrail_counts(rows));
    out
}

/// The text as a block quote, its paragraphs kept.
fn quoted(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(escape)
        .map(|line| {
            if line.is_empty() {
                ">\n".to_owned()
            } else {
                format!("> {line}\n")
            }
        })
        .collect();
    lines.concat()
}

fn missed_gold(missed: &MissedGold) -> String {
    let place = match (missed.lost_at, missed.in_context) {
        (Some(lost_at), _) => lost_at.described(),
        (None, Some(true)) => "in the context, not in the answer",
        (None, Some(false)) => "not in the context",
        (None, None) => "not in the answer; the context was not logged",
    };
    format!(
        "- Missed evidence ({place}), {}: \"{}\"\n",
        escape(missed.source_id.as_str()),
        escape(&missed.quote)
    )
}

fn unsupported(claim: &Unsupported) -> String {
    let cited: Vec<String> = claim.cited.iter().map(|id| escape(id.as_str())).collect();
    format!(
        "- Unsupported: \"{}\" (cites {}; support {:.2}; {})\n",
        escape(&claim.claim),
        if cited.is_empty() {
            "nothing".to_owned()
        } else {
            cited.join(", ")
        },
        claim.score,
        escape(&claim.reason)
    )
}

fn guardrail(kind: types::GuardrailKind) -> String {
    // A kind is one word in JSON.
    serde_json::to_value(kind)
        .ok()
        .and_then(|word| word.as_str().map(str::to_owned))
        .unwrap_or_default()
}

fn guardrail_counts(rows: &[Row]) -> String {
    let mut counts: BTreeMap<(String, &str, &str), usize> = BTreeMap::new();
    for row in rows {
        for action in &row.guardrails {
            *counts
                .entry((guardrail(action.guardrail), &action.action, &row.mode))
                .or_default() += 1;
        }
    }
    if counts.is_empty() {
        return "\nNo guardrail acted.\n".to_owned();
    }
    let mut grid = Grid::new(["Guardrail", "Action", "Mode", "Times"]);
    for ((guardrail, action, mode), times) in counts {
        grid.push([&guardrail, action, mode, &times.to_string()]);
    }
    format!("\n### Guardrail actions, all rows\n\n{}", grid.markdown())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LostAt, Score};

    #[test]
    fn a_failure_shows_the_whole_answer_and_what_it_missed() {
        let long = "First paragraph with *stars*.\n\n".to_owned() + &"word ".repeat(60) + "end.";
        let mut row = Row {
            query_id: "D01".into(),
            no_evidence: Some(false),
            answer: long,
            preview: "First paragraph…".into(),
            missed_gold: vec![
                MissedGold {
                    source_id: "a_2020".into(),
                    quote: "was 1.6 mL".into(),
                    in_context: Some(true),
                    lost_at: Some(LostAt::Answer),
                },
                MissedGold {
                    source_id: "b_2020".into(),
                    quote: "x | y".into(),
                    in_context: Some(false),
                    lost_at: Some(LostAt::Reranking),
                },
            ],
            ..Row::default()
        };
        row.scores.insert("gold_recall_answer", Score::value(0.0));
        row.scores.insert("gold_recall_context", Score::value(0.5));
        let text = section(&[row]);
        assert!(
            text.contains("> First paragraph with \\*stars\\*.\n>\n> word"),
            "{text}"
        );
        assert!(text.contains("word end."), "{text}");
        assert!(
            text.contains("- Missed evidence (generation lost it: the context has it, but the answer does not show it), a\\_2020: \"was 1.6 mL\""),
            "{text}"
        );
        assert!(
            text.contains("- Missed evidence (reranking lost it: a candidate has it, but the context does not), b\\_2020: \"x \\| y\""),
            "{text}"
        );
    }
}
