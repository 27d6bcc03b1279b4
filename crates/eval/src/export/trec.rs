//! The papers that retrieval found, best first: `QUERY Q0 PAPER RANK SCORE TAG`.

use super::{is_of, text};
use crate::EvalError;
use crate::stored::StoredRun;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use types::{ChunkId, RunRecord};

/// Writes the rankings of one mode; the tag is the run and the mode. A paper has the rank and the score of its best
/// candidate.
///
/// # Errors
/// When the log cannot be read, the format cannot hold an id, or `out` fails.
pub fn write(run: &StoredRun<'_>, mode: Option<&str>, out: &mut dyn Write) -> Result<(), EvalError> {
    let modes = run.modes();
    let mode = match (mode, modes.as_slice()) {
        (Some(mode), _) => mode,
        (None, [mode]) => mode,
        (None, _) => {
            return Err(EvalError::Export {
                value: modes.join(", "),
                reason: "a TREC run has one mode; name it with --mode",
            });
        }
    };
    let tag = match run.id() {
        "" => mode.to_owned(),
        id => format!("{id}-{mode}"),
    };
    run.each(
        |row| is_of(row, Some(mode)),
        |row, found| {
            for (rank, (paper, score)) in papers(&found.record).into_iter().enumerate() {
                for id in [&row.query_id, &paper, &tag] {
                    if id.is_empty() || id.contains(|c: char| c.is_whitespace() || c.is_control()) {
                        return Err(EvalError::Export {
                            value: id.clone(),
                            reason: "a TREC run cannot hold an id that is empty or has white space",
                        });
                    }
                }
                let line = format!("{} Q0 {paper} {} {score} {tag}\n", row.query_id, rank + 1);
                text(out, &line)?;
            }
            Ok(())
        },
    )
}

/// Each paper once, with a score that never rises. Without scores in the log, the score is one over the rank.
fn papers(record: &RunRecord) -> Vec<(String, f32)> {
    let candidates = record.retrieval.candidates();
    let scores: BTreeMap<&ChunkId, f32> = record
        .retrieval
        .returned_chunks
        .iter()
        .map(|chunk| (&chunk.chunk_id, chunk.combined_score))
        .collect();
    let scored = candidates.iter().all(|id| scores.get(*id).is_some_and(|score| score.is_finite()));
    let mut seen = BTreeSet::new();
    let mut out: Vec<(String, f32)> = Vec::new();
    for id in candidates {
        let listed = record.retrieval.returned_chunks.iter();
        let paper = listed
            .clone()
            .find(|chunk| chunk.chunk_id == *id)
            .map(|chunk| chunk.source_id.to_string())
            .or_else(|| Some(id.source()?.to_string()))
            .unwrap_or_default();
        if !seen.insert(paper.clone()) {
            continue;
        }
        let rank = out.len() + 1;
        let own = if scored { scores[id] } else { 1.0 / rank as f32 };
        let least = out.last().map_or(f32::INFINITY, |(_, score)| *score);
        out.push((paper, own.min(least)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{RetrievalRecord, ReturnedChunk};

    #[test]
    fn a_paper_stands_once_and_scores_never_rise() {
        let chunk = |id: &str, score: f32| ReturnedChunk {
            chunk_id: id.into(),
            source_id: id.split("__").next().unwrap_or_default().into(),
            combined_score: score,
            ..ReturnedChunk::default()
        };
        let mut record = RunRecord {
            retrieval: RetrievalRecord {
                returned_chunks: vec![
                    chunk("a__body__000", 0.9),
                    chunk("b__body__000", 0.95),
                    chunk("a__body__001", 0.5),
                    chunk("c__body__000", 0.25),
                ],
                ..RetrievalRecord::default()
            },
            ..RunRecord::default()
        };
        let found = papers(&record);
        let want = [("a", 0.9), ("b", 0.9), ("c", 0.25)];
        assert_eq!(found, want.map(|(paper, score)| (paper.to_owned(), score)));
        // A log that lists the context instead has ids only.
        record.retrieval.candidates = vec!["c__body__000".into(), "d__body__001".into()];
        record.retrieval.returned_chunks.truncate(2);
        let want = [("c", 1.0), ("d", 0.5)];
        assert_eq!(papers(&record), want.map(|(paper, score)| (paper.to_owned(), score)));
    }
}
