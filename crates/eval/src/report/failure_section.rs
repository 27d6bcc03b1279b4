//! Every question that failed in some mode: the question once, its missed evidence once with where each mode lost it, and
//! each answer whole. (Writing to a string cannot fail: the results of `write!` are dropped.)

use super::tables::guardrail_name;
use super::{escape, failures, listed};
use crate::{GoldPath, LostAt, Row, Unsupported};
use std::fmt::Write;
use types::{ChunkId, GuardrailKind};

/// The section.
pub(super) fn section(rows: &[Row]) -> String {
    let failing: Vec<(&Row, Vec<String>)> = rows
        .iter()
        .map(|row| (row, failures(row)))
        .filter(|(_, found)| !found.is_empty())
        .collect();
    let mut out = format!(
        "## 6. Failures\n\n{} of {} rows fail in some way.\n",
        failing.len(),
        rows.len()
    );
    let mut rest = failing.as_slice();
    while let Some((first, _)) = rest.first() {
        // Rows of a question stand together.
        let own = rest
            .iter()
            .take_while(|(row, _)| row.query_id == first.query_id)
            .count();
        question(&rest[..own], &mut out);
        rest = &rest[own..];
    }
    out
}

fn question(rows: &[(&Row, Vec<String>)], out: &mut String) {
    let Some((first, _)) = rows.first() else { return };
    let _ = write!(
        out,
        "\n**{}** ({}) {}\n\n",
        escape(&first.query_id),
        escape(&first.kind),
        escape(&first.query)
    );
    let mut said: Vec<&Row> = Vec::new();
    for (row, what) in rows {
        // What the topic check says is the reason of a refusal, and its doubt of an answer.
        let topic = row
            .guardrails
            .iter()
            .filter(|action| action.guardrail == GuardrailKind::Topic);
        let what: Vec<String> = (what.iter().map(|what| escape(what)))
            .chain(topic.map(|action| escape(&action.reason)))
            .collect();
        let _ = write!(out, "- {}: {}", escape(&row.mode), what.join("; "));
        match said
            .iter()
            .find(|other| other.answer == row.answer && !row.answer.is_empty())
        {
            Some(other) => {
                let _ = writeln!(out, ". Same answer as {}.", escape(&other.mode));
            }
            None => out.push_str(&answered(row)),
        }
        said.push(row);
        for claim in &row.unsupported {
            out.push_str(&unsupported(claim));
        }
        for action in row
            .guardrails
            .iter()
            .filter(|action| action.guardrail != GuardrailKind::Topic)
        {
            let _ = writeln!(
                out,
                "  - {} {} {}: {}",
                guardrail_name(action.guardrail),
                escape(&action.action),
                escape(&action.subject),
                escape(&action.reason)
            );
        }
    }
    for line in missed(rows) {
        out.push_str(&line);
    }
}

/// The answer, whole, on the line of its mode; its marks become the papers that it cites.
fn answered(row: &Row) -> String {
    if !row.answer.trim().is_empty() {
        let shown = support::strip_marks(&row.answer);
        return format!(". \"{}\"{}\n", escape(&shown), escape(&cited(&row.answer)));
    }
    if row.preview.is_empty() {
        ".\n".to_owned()
    } else {
        // Rows logged before answers were kept whole.
        format!(". Its beginning: \"{}\"\n", escape(&row.preview))
    }
}

/// " (a_2020, b_2021)": the papers that an answer cites, each once.
fn cited(answer: &str) -> String {
    let mut papers: Vec<String> = Vec::new();
    for source in support::claims(answer)
        .iter()
        .flat_map(|claim| &claim.cited)
        .filter_map(ChunkId::source)
    {
        if !papers.iter().any(|known| known == source.as_str()) {
            papers.push(source.as_str().to_owned());
        }
    }
    if papers.is_empty() {
        String::new()
    } else {
        format!(" ({})", papers.join(", "))
    }
}

/// Each gold quote that some of the rows lack, with the stage that lost it in each.
fn missed(rows: &[(&Row, Vec<String>)]) -> Vec<String> {
    let mut quotes: Vec<(GoldPath, Vec<(&'static str, Vec<String>)>)> = Vec::new();
    for (row, _) in rows {
        for (path, lost) in row.lost_gold() {
            let known = quotes
                .iter()
                .position(|(q, _)| q.source_id == path.source_id && q.quote == path.quote);
            let at = known.unwrap_or_else(|| {
                quotes.push((path, Vec::new()));
                quotes.len() - 1
            });
            let stage = lost.map_or("at an unknown stage: the context was not logged", LostAt::place);
            let places = &mut quotes[at].1;
            match places.iter_mut().find(|(place, _)| *place == stage) {
                Some((_, modes)) => modes.push(row.mode.clone()),
                None => places.push((stage, vec![row.mode.clone()])),
            }
        }
    }
    let line = |(path, places): &(GoldPath, Vec<(&'static str, Vec<String>)>)| {
        let lost: Vec<String> = places
            .iter()
            .map(|(place, modes)| format!("{place} ({})", escape(&listed(modes))))
            .collect();
        format!(
            "- Missed: \"{}\" ({}), lost {}\n",
            escape(&path.quote),
            escape(path.source_id.as_str()),
            lost.join("; ")
        )
    };
    quotes.iter().map(line).collect()
}

fn unsupported(claim: &Unsupported) -> String {
    let cited: Vec<String> = claim.cited.iter().map(|id| escape(id.as_str())).collect();
    format!(
        "  - Unsupported: \"{}\" (cites {}; support {:.2}; {})\n",
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Score;

    #[test]
    fn a_question_stands_once_with_every_answer_whole() {
        let long = "First paragraph with *stars*.\n\n".to_owned() + &"word ".repeat(60) + "end.";
        let path = |quote: &str, in_context: bool| GoldPath {
            source_id: "a_2020".into(),
            quote: quote.into(),
            reranked: Some(in_context),
            in_context: Some(in_context),
            in_answer: false,
        };
        let row = |mode: &str, in_context: bool| {
            let mut row = Row {
                query_id: "D01".into(),
                mode: mode.into(),
                query: "How much?".into(),
                no_evidence: Some(false),
                answer: long.clone(),
                gold: vec![path("was 1.6 mL", in_context), path("x | y", false)],
                gold_ranks: vec![Some(1), None],
                ..Row::default()
            };
            row.scores.insert("gold_recall_answer", Score::value(0.0));
            row.scores.insert("gold_recall_context", Score::value(0.5));
            row
        };
        let text = section(&[row("hybrid", true), row("vector", false), Row::default()]);
        assert!(text.contains("2 of 3 rows fail in some way."), "{text}");
        assert_eq!(text.matches("How much?").count(), 1, "{text}");
        assert_eq!(text.matches("word end.").count(), 1, "{text}");
        assert!(
            text.contains("\"First paragraph with \\*stars\\*. word word"),
            "{text}"
        );
        assert!(text.contains("Same answer as hybrid."), "{text}");
        assert!(
            text.contains(
                "- Missed: \"was 1.6 mL\" (a\\_2020), lost in the answer: the context has it (hybrid); in reranking: a \
                 candidate has it and was not kept (vector)"
            ),
            "{text}"
        );
        assert!(
            text.contains(
                "- Missed: \"x \\| y\" (a\\_2020), lost in retrieval: no candidate has it (hybrid and vector)"
            ),
            "{text}"
        );
    }
}
