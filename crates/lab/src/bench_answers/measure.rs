//! Asks every question, and looks where its evidence was lost.

use super::{
    baselines::{Baseline, Found, Sentences},
    gold::{GoldItem, contains, items, of_quote},
    questions::AnswerQuestion,
};
use crate::error::LabError;
use engine::{Pipeline, Trace};
use eval::Stated;
use eval::answers::{Decision, ScoredAnswer, Seen};
use evidence::{AnswerFeatures, Measured, measure};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use types::{Context, Filter, Mode, Reporter, RunRecord, SourceId, Stop};

/// Sentences of a ranking that are scored.
const BEST: usize = 5;

/// What the measurement of every question shares.
pub(super) struct Job<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) mode: Mode,
    /// Restricts each question to the papers that it was asked about.
    pub(super) own_paper: bool,
    /// Every paper of the index.
    pub(super) papers: &'a [SourceId],
    /// The plain baselines; `None` to skip them.
    pub(super) sentences: Option<&'a Sentences>,
    /// Whether to keep the features of every sentence.
    pub(super) features: bool,
    pub(super) stop: &'a Stop,
    pub(super) reporter: &'a dyn Reporter,
}

/// The results of all questions.
#[derive(Clone, Debug, Default)]
pub(super) struct Results {
    /// Answerable questions.
    pub(super) scored: Vec<ScoredAnswer>,
    /// The same by each baseline: only the best sentences count.
    pub(super) baselines: Vec<(Baseline, Vec<ScoredAnswer>)>,
    /// The question, whether its papers were removed, and what was decided.
    pub(super) decisions: Vec<(String, bool, Decision)>,
    /// Answers to answerable questions.
    pub(super) stated: Vec<Stated>,
    /// One row for each question and variant.
    pub(super) rows: Vec<Value>,
    /// The features of every sentence, by question and variant.
    pub(super) features: Vec<Value>,
    /// Time of all questions, embedding included.
    pub(super) took: Duration,
    /// Questions asked.
    pub(super) asked: usize,
    /// Words of the answers shown.
    pub(super) words: usize,
}

/// Measures every question: as it is, and if it is answerable, once more without the papers that answer it.
///
/// # Errors
/// When a stage fails, or the user stopped the work.
pub(super) async fn run(job: &Job<'_>, questions: &[AnswerQuestion]) -> Result<Results, LabError> {
    let task = job
        .reporter
        .task("answers", "questions", Some(questions.len() as u64));
    let mut out = Results::default();
    if job.sentences.is_some() {
        out.baselines = Baseline::ALL.map(|baseline| (baseline, Vec::new())).to_vec();
    }
    for question in questions {
        if job.stop.is_requested() {
            return Err(LabError::Stopped);
        }
        let own = Filter {
            sources: (job.own_paper && !question.papers.is_empty()).then(|| question.papers.clone()),
            ..Filter::default()
        };
        one(job, question, &own, false, &mut out).await?;
        if !question.gold.is_empty() && !job.own_paper {
            let gold: Vec<&SourceId> = question.gold.iter().map(GoldItem::source).collect();
            let others = job
                .papers
                .iter()
                .filter(|id| !gold.contains(id) && !question.papers.contains(id));
            let without = Filter {
                sources: Some(others.cloned().collect()),
                ..Filter::default()
            };
            if without
                .sources
                .as_ref()
                .is_some_and(|sources| !sources.is_empty())
            {
                one(job, question, &without, true, &mut out).await?;
            }
        }
        task.advance(1);
    }
    Ok(out)
}

/// Measures one question over the papers that the filter admits. `removed` says that those which answer it are not
/// among them.
async fn one(
    job: &Job<'_>,
    question: &AnswerQuestion,
    filter: &Filter,
    removed: bool,
    out: &mut Results,
) -> Result<(), LabError> {
    let pipeline = job.pipeline;
    let started = Instant::now();
    let retrieved = pipeline.retrieve(&question.text, job.mode, filter).await?;
    let (record, trace) = pipeline.answer_from(retrieved).await?;
    out.took += started.elapsed();
    out.asked += 1;

    let Trace {
        retrieval,
        kept,
        context,
        ranking: ranked,
        ..
    } = &trace;
    let gold: &[GoldItem] = if removed { &[] } else { &question.gold };
    let answerable = !gold.is_empty();
    let of_context: Vec<Vec<Vec<usize>>> = context
        .chunks
        .iter()
        .map(|place| items(gold, &place.chunk))
        .collect();
    let best: Vec<Vec<usize>> = ranked
        .sentences
        .iter()
        .take(BEST)
        .map(|sentence| of_context[sentence.chunk][sentence.sentence].clone())
        .collect();
    let answer = quotes(gold, context, &record);
    let answered = answer.is_some();
    let right = answer.iter().flatten().any(|items| !items.is_empty());
    out.decisions.push((
        question.document.clone(),
        removed,
        Decision { answerable, answered },
    ));
    if answered {
        out.words += text::word_count(&record.response.answer);
    }
    // A file of rows holds each id once.
    let id = if removed {
        format!("{} (removed)", question.id)
    } else {
        question.id.clone()
    };
    let mut row = json!({
        "query_id": id,
        "document": question.document,
        "mode": job.mode.as_str(),
        "reranker": Value::Null,
        "removed": removed,
        "answerable": answerable,
        "answered": answered,
        "confidence": record.response.confidence,
        "probability": record.response.probability,
    });
    if answerable {
        let seen = Seen {
            items: gold.len(),
            candidates: retrieval.hits.iter().any(|hit| contains(gold, hit.chunk())),
            kept: kept
                .ranked
                .iter()
                .any(|ranked| contains(gold, ranked.hit.chunk())),
            context: of_context.iter().flatten().any(|items| !items.is_empty()),
            best,
            answer,
        };
        let scored = ScoredAnswer::new(&question.id, &question.document, &seen);
        for measure in eval::answers::AnswerMeasure::ALL {
            row[measure.key()] = json!(scored.value(measure));
        }
        row["quotes"] = json!(scored.quotes);
        out.scored.push(scored);
        if let Some(sentences) = job.sentences {
            let found = sentences.best(&question.text, filter, BEST).await?;
            for ((_, scores), (_, best)) in out.baselines.iter_mut().zip(found) {
                scores.push(baseline(question, gold, &best));
            }
        }
    }
    if answered && !removed {
        out.stated.push(Stated {
            level: record.response.confidence.clone(),
            probability: record.response.probability.map(f64::from),
            right,
        });
    }
    if job.features {
        let measured = measure(&trace.question, context, &retrieval.statistics);
        let whole = AnswerFeatures::new(&trace.question, context, &retrieval.statistics, &measured);
        let labels = json!({
            "query_id": question.id,
            "document": question.document,
            "removed": removed,
            "answerable": answerable,
            "items": question.gold.len(),
            "question": question.text,
        });
        out.features
            .push(features(labels, &whole, &measured, context, &of_context));
    }
    out.rows.push(row);
    Ok(())
}

/// The gold items of each quote of the answer, in order; `None` for a refusal.
fn quotes(gold: &[GoldItem], context: &Context, record: &RunRecord) -> Option<Vec<Vec<usize>>> {
    if record.response.no_evidence {
        return None;
    }
    let of = |citation: &types::Citation| {
        let place = context.get(citation.chunk_id.as_str());
        place.map_or_else(Vec::new, |place| of_quote(gold, place, &citation.relevant_quote))
    };
    Some(record.response.citations.iter().map(of).collect())
}

fn baseline(question: &AnswerQuestion, gold: &[GoldItem], best: &[Found]) -> ScoredAnswer {
    let of = |found: &Found| items(gold, &found.chunk)[found.sentence].clone();
    let best: Vec<Vec<usize>> = best.iter().map(of).collect();
    let seen = Seen {
        items: gold.len(),
        answer: Some(best.clone()),
        best,
        ..Seen::default()
    };
    ScoredAnswer::new(&question.id, &question.document, &seen)
}

/// A row for fitting: the labels of the question, the features of the whole, and of every sentence its features, its
/// text, its place (chunk and sentence, counted from 0) and the gold items that it shows.
fn features(
    mut row: Value,
    whole: &AnswerFeatures,
    measured: &[Measured],
    context: &Context,
    of_context: &[Vec<Vec<usize>>],
) -> Value {
    let text = |m: &Measured| {
        let chunk = &context.chunks[m.chunk].chunk;
        match chunk.table_row(m.sentence) {
            Some(row) => json!(row.with_context()),
            None => json!(chunk.sentence(&chunk.sentences[m.sentence])),
        }
    };
    let gold = |m: &Measured| json!(of_context[m.chunk][m.sentence]);
    let values = |m: &Measured| json!(m.features.values().as_slice());
    row["answer"] = json!(whole.values().as_slice());
    row["gold"] = measured.iter().map(gold).collect();
    row["sentences"] = measured.iter().map(values).collect();
    row["texts"] = measured.iter().map(text).collect();
    row["places"] = measured.iter().map(|m| json!([m.chunk, m.sentence])).collect();
    row
}
