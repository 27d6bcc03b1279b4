//! Every question that failed in some mode: the question once, its missed evidence once with where each mode lost it, and
//! each answer whole. (Writing to a string cannot fail: the results of `write!` are dropped.)

use super::failures::defects;
use super::tables::guardrail_name;
use super::{escape, failures, listed};
use crate::{GoldPath, LostAt, Row, Unsupported};
use std::fmt::Write;
use types::{AnswerOutcome, ChunkId, GuardrailKind};

/// The section.
pub(super) fn section(rows: &[Row]) -> String {
    let failing: Vec<(&Row, Vec<String>)> = rows
        .iter()
        .map(|row| (row, failures(row)))
        .filter(|(_, found)| !found.is_empty())
        .collect();
    let mut out = format!(
        "## 6. Failures\n\n{} of {} rows fail. Evidence is lost in retrieval if no candidate has it, in reranking if a candidate \
         has it and the context does not, in the answer if the context has it, and in the refusal if the context has it and the \
         question is refused.\n",
        failing.len(),
        rows.len()
    );
    let partly = |row: &&Row| !row.failure_modes.is_empty() && failures(row).is_empty();
    let partly = rows.iter().filter(partly).count();
    if partly > 0 {
        let _ = write!(
            out,
            "\n{} a failure mode, but {} a part of the evidence: see report.html.\n",
            if partly == 1 {
                "1 more row has".to_owned()
            } else {
                format!("{partly} more rows have")
            },
            if partly == 1 { "shows" } else { "show" }
        );
    }
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
    // Rows that failed alike, with the same answer, stand on one line.
    let mut said: Vec<(Vec<String>, String)> = Vec::new();
    for (row, what) in rows {
        let text = format!("{}{}", escape(&what_failed(row, what)), answered(row)) + &findings(row);
        match said.iter_mut().find(|(_, other)| *other == text) {
            Some((modes, _)) => modes.push(row.mode.clone()),
            None => said.push((vec![row.mode.clone()], text)),
        }
    }
    for (modes, text) in said {
        let _ = write!(out, "- {}, {text}", escape(&listed(&modes)));
    }
    for line in missed(rows) {
        out.push_str(&line);
    }
}

/// What the judge and the guardrails found, one line each. What the topic check says is the text of its refusal.
fn findings(row: &Row) -> String {
    let mut out: String = row.unsupported.iter().map(unsupported).collect();
    let actions = row.guardrails.iter();
    for action in actions.filter(|action| action.guardrail != GuardrailKind::Topic) {
        let _ = writeln!(
            out,
            "  - {} {} {}: {}",
            guardrail_name(action.guardrail),
            escape(&action.action),
            escape(&action.subject),
            escape(&action.reason)
        );
    }
    out
}

/// "refused (retrieval miss)"; the failure modes say why, and what they do not say follows.
fn what_failed(row: &Row, what: &[String]) -> String {
    let decision = match (row.no_evidence, row.outcome) {
        (None, _) => String::new(),
        (Some(true), _) => "refused".to_owned(),
        (Some(false), Some(AnswerOutcome::Partial)) => "partial answer".to_owned(),
        (Some(false), _) => "answered".to_owned(),
    };
    let modes: Vec<String> = row
        .failure_modes
        .iter()
        .map(|mode| mode.title().to_lowercase())
        .collect();
    let rest = if modes.is_empty() {
        what.to_vec()
    } else {
        defects(row)
    };
    let modes = if modes.is_empty() {
        String::new()
    } else {
        format!(" ({})", modes.join(", "))
    };
    let parts = std::iter::once(format!("{decision}{modes}")).chain(rest);
    parts
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
}

/// The answer, whole, on the line of its mode; its marks become the papers that it cites.
fn answered(row: &Row) -> String {
    if !row.answer.trim().is_empty() {
        let shown = support::strip_marks(&row.answer);
        let cited = match cited(&row.answer).as_str() {
            "" => String::new(),
            papers => format!(" ({})", escape(papers)),
        };
        return format!(": \"{}\"{cited}\n", escape(&shown));
    }
    if row.preview.is_empty() {
        ".\n".to_owned()
    } else {
        // Rows logged before answers were kept whole.
        format!(": its beginning: \"{}\"\n", escape(&row.preview))
    }
}

/// "a_2020, b_2021": the papers that an answer cites, each once.
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
    papers.join(", ")
}

/// A gold quote, and which modes lost it at which stage.
type Missed = (GoldPath, Vec<(&'static str, Vec<String>)>);

/// Each gold quote that some of the rows lack, with the stage that lost it in each.
fn missed(rows: &[(&Row, Vec<String>)]) -> Vec<String> {
    let mut quotes: Vec<Missed> = Vec::new();
    for (row, _) in rows {
        for (path, lost) in row.lost_gold() {
            let known = quotes
                .iter()
                .position(|(q, _)| q.source_id == path.source_id && q.quote == path.quote);
            let at = known.unwrap_or_else(|| {
                quotes.push((path, Vec::new()));
                quotes.len() - 1
            });
            let stage = lost.map_or("at an unknown stage", LostAt::stage);
            let places = &mut quotes[at].1;
            match places.iter_mut().find(|(place, _)| *place == stage) {
                Some((_, modes)) => modes.push(row.mode.clone()),
                None => places.push((stage, vec![row.mode.clone()])),
            }
        }
    }
    let line = |(path, places): &Missed| {
        // Where every mode lost it alike, modes need no name.
        let lost: Vec<String> = match places.as_slice() {
            [(place, modes)] if modes.len() == rows.len() => vec![(*place).to_owned()],
            places => places
                .iter()
                .map(|(place, modes)| format!("{place} ({})", escape(&listed(modes))))
                .collect(),
        };
        format!(
            "- Missed: \"{}\" ({}), lost {}\n",
            escape(&path.quote),
            escape(path.source_id.as_str()),
            lost.join(", ")
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
        let text = section(&[
            row("hybrid", true),
            row("vector", false),
            row("bm25", true),
            Row::default(),
        ]);
        assert!(text.contains("3 of 4 rows fail."), "{text}");
        assert_eq!(text.matches("How much?").count(), 1, "{text}");
        assert_eq!(text.matches("word end.").count(), 1, "{text}");
        assert!(
            text.contains("\"First paragraph with \\*stars\\*. word word"),
            "{text}"
        );
        assert!(
            text.contains("- hybrid, vector and bm25, answered; the answer shows none"),
            "{text}"
        );
        assert!(
            text.contains(
                "- Missed: \"was 1.6 mL\" (a\\_2020), lost in the answer (hybrid and bm25), in reranking (vector)"
            ),
            "{text}"
        );
        assert!(
            text.contains("- Missed: \"x \\| y\" (a\\_2020), lost in retrieval\n"),
            "{text}"
        );
    }
}
