//! Measures answers on questions with labelled evidence: index the papers, ask every question, and look at which stage
//! the evidence was lost, what was refused, and whether confidence is calibrated.
//!
//! Each answerable question is asked twice: over all papers, and without those that answer it, which should be refused.
//! The plain baselines take the best sentences of all papers, without passages, reranking or refusal.

mod document;

pub use document::{AnswersBaseline, BenchAnswers};

use super::{
    Asking, Documents, GateLine,
    baselines::{Baseline, Found, Sentences},
    by_key,
    dataset::{Evidence, Question, evidence, in_no_chunk},
    files::{Earlier, check_output, write_rows},
    gold::{Gold, contains, items, of_quote},
    index::{settings_of, update},
};
use crate::error::LabError;
use ::evidence::{ANSWER_FEATURES, AnswerFeatures, FEATURES, measure};
use engine::{EngineError, Pipeline, Trace, settings::Settings, stages};
pub use eval::answers::{AnswerMeasure, Decisions};
use eval::{
    Gate, GateResult, Reliability, Remains, Stated,
    answers::{Decision, ScoredAnswer, Seen},
    check_means, paired,
};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    path::PathBuf,
    time::{Duration, Instant},
};
use types::{ChunkQuery, Context, Filter, Mode, ModelError, Reader, Reporter, RunRecord, Stop};

/// Sentences of a ranking that are scored.
const BEST: usize = 5;

/// The measures that a baseline has: those of its best sentences.
pub const OF_BASELINES: [AnswerMeasure; 4] =
    [AnswerMeasure::Hit5, AnswerMeasure::Hit3, AnswerMeasure::Hit1, AnswerMeasure::Recall5];

/// What to measure.
#[derive(Clone, Debug)]
pub struct AnswersRequest {
    /// The folder: `articles.jsonl` and `qa.jsonl`, or papers.
    pub folder: PathBuf,
    /// The query set, for a folder of papers; `None` for `questions.jsonl` in the folder.
    pub queries: Option<PathBuf>,
    /// The retrieval mode.
    pub mode: Mode,
    /// Whether each question is asked of its own paper alone.
    pub own_paper: bool,
    /// Whether to measure the plain baselines.
    pub baselines: bool,
    /// Measures only this many answerable and this many other questions; `None` for all.
    pub limit: Option<usize>,
    /// Measures that must reach a value, as `MEASURE=VALUE`.
    pub gates: Vec<String>,
    /// The folder of the index; `None` for one of its own beside the configured index.
    pub index: Option<PathBuf>,
    /// Writes one JSON object for each question.
    pub per_query: Option<PathBuf>,
    /// Compares with the rows that an earlier run wrote for `per_query`.
    pub against: Option<PathBuf>,
    /// Writes the features of every sentence, for fitting.
    pub features: Option<PathBuf>,
    /// Set by the caller to stop; what was indexed is kept.
    pub stop: Stop,
}

/// Indexes the papers or reuses their index, and asks every question. Gives the results, and each gate.
///
/// # Errors
/// When the folder, a gate or an output is wrong, the index holds other papers, a model is missing, the user stopped
/// the work, or a stage fails.
pub async fn run(
    settings: &Settings,
    request: &AnswersRequest,
    reporter: &dyn Reporter,
) -> Result<(BenchAnswers, Vec<GateResult>), LabError> {
    let keys = AnswerMeasure::ALL.map(AnswerMeasure::key);
    let gates = request.gates.iter();
    let gates: Vec<Gate> =
        gates.map(|gate| Gate::on_means(gate, &keys, "hit@5=0.7")).collect::<Result<_, _>>()?;
    let outputs = [&request.per_query, &request.features];
    outputs.into_iter().flatten().try_for_each(|path| check_output(path))?;
    let earlier = Earlier::load(request.against.as_deref())?;
    let Evidence { corpus, questions, left_out, by_source } =
        evidence(&request.folder, request.queries.as_deref(), request.limit, settings)?;
    let settings = settings_of(settings, request.index.as_deref(), &corpus);
    let indexed = update(&settings, &corpus, &request.stop, reporter)?;
    let pipeline = Pipeline::open(&settings).await?;
    stages::warn_without_reader(&settings, reporter);
    let documents = Documents::read(&pipeline, by_source).await?;
    let chunks = pipeline.store().chunks(&ChunkQuery::All).await?;
    let in_no_chunk = in_no_chunk(&questions, &chunks, &documents);
    drop(chunks);
    let mut job = Job {
        request,
        pipeline: &pipeline,
        documents: &documents,
        sentences: if request.baselines { Some(Sentences::read(&pipeline, &settings).await?) } else { None },
        results: Results::default(),
    };
    job.ask(&questions, reporter).await?;
    let results = job.results;

    if let Some(path) = &request.per_query {
        write_rows(path, results.rows.iter().cloned())?;
    }
    if let Some(path) = &request.features {
        let head = json!({"sentence_features": FEATURES, "answer_features": ANSWER_FEATURES});
        write_rows(path, std::iter::once(head).chain(results.features.iter().cloned()))?;
    }
    let seed = settings.eval.seed;
    let summary = paired::summarise(&results.scored, &keys, 0, seed);
    let of_baselines = OF_BASELINES.map(AnswerMeasure::key);
    let baselines = results.baselines.iter().map(|(baseline, scored)| AnswersBaseline {
        name: baseline.key().to_owned(),
        measures: by_key(paired::summarise(scored, &of_baselines, 0, seed)),
        comparison: by_key(paired::compare(&results.scored, scored, &of_baselines, seed)),
    });
    let against = earlier.map(|earlier| {
        let rows = earlier.of(request.mode, false);
        by_key(paired::compare(&results.scored, &rows, &keys, seed))
    });
    let papers: BTreeSet<&str> = results.scored.iter().map(|scored| scored.document.as_str()).collect();
    let quotes = results.scored.iter().map(|scored| scored.quotes);
    let quoting = quotes.clone().filter(|quotes| *quotes > 0).count();
    let gates = check_means(&gates, request.mode.as_str(), &summary);
    let done = BenchAnswers {
        dataset: corpus.name.clone(),
        mode: request.mode.to_string(),
        own_paper: request.own_paper,
        questions: results.scored.len(),
        left_out,
        in_no_chunk,
        papers: papers.len(),
        baselines: baselines.collect(),
        measures: by_key(summary),
        against,
        unanswerable: results.unanswerable,
        removed: results.removed,
        reliability: Reliability::new(&results.stated),
        quotes: quotes.sum::<usize>() as f64 / quoting.max(1) as f64,
        words: results.words as f64 / results.answers.max(1) as f64,
        milliseconds: 1000.0 * results.took.as_secs_f64() / results.asked.max(1) as f64,
        index: indexed,
        gates: gates.iter().map(GateLine::from).collect(),
        config_hash: settings.config_hash(),
        seed,
        models: pipeline.models().clone(),
    };
    Ok((done, gates))
}

/// What the measurement of every question shares, and its results.
struct Job<'a> {
    request: &'a AnswersRequest,
    pipeline: &'a Pipeline,
    documents: &'a Documents,
    /// The plain baselines; `None` to skip them.
    sentences: Option<Sentences>,
    results: Results,
}

/// The results of all questions.
#[derive(Default)]
struct Results {
    /// Answerable questions.
    scored: Vec<ScoredAnswer>,
    /// The same by each baseline: only the best sentences count.
    baselines: Vec<(Baseline, Vec<ScoredAnswer>)>,
    unanswerable: Decisions,
    removed: Decisions,
    /// Answers to the questions as they are.
    stated: Vec<Stated>,
    /// One row for each question and variant.
    rows: Vec<Value>,
    /// The features of every sentence, by question and variant.
    features: Vec<Value>,
    took: Duration,
    asked: usize,
    /// Answers shown, and their words.
    answers: usize,
    words: usize,
}

impl Job<'_> {
    /// Asks every question: as it is, and if it is answerable, once more without the papers that answer it.
    async fn ask(&mut self, questions: &[Question], reporter: &dyn Reporter) -> Result<(), LabError> {
        let request = self.request;
        let mut asking = Asking::new("answers", "questions", questions.len(), &request.stop, reporter);
        // What was indexed.
        asking.remains = Remains::Work;
        if self.sentences.is_some() {
            self.results.baselines = Baseline::ALL.map(|baseline| (baseline, Vec::new())).to_vec();
        }
        for question in questions {
            asking.next()?;
            let asked_about = |name: &str| question.papers.iter().any(|paper| paper == name);
            let own = self.documents.sources(asked_about);
            let own = Filter {
                sources: (request.own_paper && !own.is_empty()).then_some(own),
                ..Filter::default()
            };
            self.one(question, &own, false).await?;
            if !request.own_paper
                && let Some(without) = question.without_its_papers(self.documents)
            {
                self.one(question, &without, true).await?;
            }
            asking.answered(Vec::new());
        }
        asking.finish();
        Ok(())
    }

    /// Measures one question over the papers that the filter admits. `removed` says that those which answer it are not
    /// among them.
    async fn one(&mut self, question: &Question, filter: &Filter, removed: bool) -> Result<(), LabError> {
        let (request, documents) = (self.request, self.documents);
        let started = Instant::now();
        let retrieved = self.pipeline.retrieve(&question.text, request.mode, filter).await?;
        let (record, trace) = self.pipeline.answer_from(retrieved).await?;
        self.results.took += started.elapsed();
        self.results.asked += 1;

        let gold: &[Gold] = if removed { &[] } else { &question.gold };
        let chunks = trace.context.chunks.iter().map(|place| &place.chunk);
        let of_context: Vec<Vec<Vec<usize>>> =
            chunks.map(|chunk| items(gold, documents.name(&chunk.source_id), chunk)).collect();
        let answer = quotes(gold, documents, &trace.context, &record);
        let decision = Decision { answerable: !gold.is_empty(), answered: answer.is_some() };
        let right = answer.iter().flatten().any(|items| !items.is_empty());
        let mut row = row(question, request.mode, removed, decision, &record);
        if decision.answerable {
            let seen = seen(question, documents, &trace, &of_context, answer);
            let scored = ScoredAnswer::new(&question.id, &question.cluster, &seen);
            for measure in AnswerMeasure::ALL {
                row[measure.key()] = json!(scored.value(measure));
            }
            row["quotes"] = json!(scored.quotes);
            self.results.scored.push(scored);
            if let Some(sentences) = &self.sentences {
                let found = sentences.best(&question.text, filter, BEST).await?;
                for ((_, scores), (_, best)) in self.results.baselines.iter_mut().zip(found) {
                    scores.push(baseline(question, documents, &best));
                }
            }
        }
        if request.features.is_some() {
            let labels = json!({
                "query_id": question.id,
                "document": question.cluster,
                "removed": removed,
                "answerable": decision.answerable,
                "items": question.gold.len(),
                "question": question.text,
            });
            let reader = self.pipeline.reader();
            let row = features(labels, &trace, &of_context, reader.as_deref()).map_err(EngineError::from)?;
            self.results.features.push(row);
        }
        self.results.add(decision, removed, right, &record);
        self.results.rows.push(row);
        Ok(())
    }
}

impl Results {
    /// Counts a decision, and what an answer states and takes.
    fn add(&mut self, decision: Decision, removed: bool, right: bool, record: &RunRecord) {
        if !removed {
            self.unanswerable.add(decision);
        }
        if removed || decision.answerable {
            self.removed.add(decision);
        }
        if decision.answered {
            self.answers += 1;
            self.words += text::word_count(&record.response.answer);
        }
        if decision.answered && !removed {
            self.stated.push(Stated {
                level: record.response.confidence.clone(),
                probability: record.response.probability.map(f64::from),
                right,
            });
        }
    }
}

/// The row of `--per-query`, without its measures.
fn row(question: &Question, mode: Mode, removed: bool, decision: Decision, record: &RunRecord) -> Value {
    // A file of rows holds each id once.
    let suffix = if removed { " (removed)" } else { "" };
    json!({
        "query_id": format!("{}{suffix}", question.id),
        "document": question.cluster,
        "mode": mode.as_str(),
        "reranker": Value::Null,
        "removed": removed,
        "answerable": decision.answerable,
        "answered": decision.answered,
        "confidence": record.response.confidence,
        "probability": record.response.probability,
    })
}

/// What the stages of an answerable question still had of its evidence.
fn seen(
    question: &Question,
    documents: &Documents,
    trace: &Trace,
    of_context: &[Vec<Vec<usize>>],
    answer: Option<Vec<Vec<usize>>>,
) -> Seen {
    let gold = &question.gold;
    let holds = |chunk: &types::Chunk| contains(gold, documents.name(&chunk.source_id), chunk);
    let kept = || trace.kept.ranked.iter().map(|ranked| ranked.hit.chunk());
    let best = trace.ranking.sentences.iter().take(BEST);
    Seen {
        items: gold.len(),
        candidates: trace.retrieval.hits.iter().any(|hit| holds(hit.chunk())),
        kept: kept().position(|chunk| holds(chunk)).map(|at| at + 1),
        article: kept()
            .any(|chunk| question.papers.iter().any(|paper| paper == documents.name(&chunk.source_id))),
        context: of_context.iter().flatten().any(|items| !items.is_empty()),
        best: best.map(|sentence| of_context[sentence.chunk][sentence.sentence].clone()).collect(),
        answer,
    }
}

/// The gold items of each quote of the answer, in order; `None` for a refusal.
fn quotes(
    gold: &[Gold],
    documents: &Documents,
    context: &Context,
    record: &RunRecord,
) -> Option<Vec<Vec<usize>>> {
    if record.response.no_evidence {
        return None;
    }
    let of = |citation: &types::Citation| {
        let chunk = context.get(citation.chunk_id.as_str()).map(|place| &place.chunk);
        chunk.map_or_else(Vec::new, |chunk| {
            of_quote(gold, documents.name(&chunk.source_id), chunk, &citation.relevant_quote)
        })
    };
    Some(record.response.citations.iter().map(of).collect())
}

fn baseline(question: &Question, documents: &Documents, best: &[Found]) -> ScoredAnswer {
    let of = |found: &Found| {
        let document = documents.name(&found.chunk.source_id);
        items(&question.gold, document, &found.chunk)[found.sentence].clone()
    };
    let best: Vec<Vec<usize>> = best.iter().map(of).collect();
    let seen = Seen { items: question.gold.len(), answer: Some(best.clone()), best, ..Seen::default() };
    ScoredAnswer::new(&question.id, &question.cluster, &seen)
}

/// A row for fitting: the labels of the question, the features of the whole, and of every sentence its features, its
/// text, its place (chunk and sentence, counted from 0) and the gold items that it shows.
fn features(
    mut row: Value,
    trace: &Trace,
    of_context: &[Vec<Vec<usize>>],
    reader: Option<&dyn Reader>,
) -> Result<Value, ModelError> {
    let (context, statistics) = (&trace.context, &trace.retrieval.statistics);
    let measured = measure(&trace.question, context, statistics, reader)?;
    let whole = AnswerFeatures::new(&trace.question, context, statistics, &measured);
    row["answer"] = json!(whole.values().as_slice());
    row["gold"] = measured.iter().map(|m| json!(of_context[m.chunk][m.sentence])).collect();
    row["sentences"] = measured.iter().map(|m| json!(m.features.values().as_slice())).collect();
    row["texts"] = measured.iter().map(|m| json!(m.text(context))).collect();
    row["places"] = measured.iter().map(|m| json!([m.chunk, m.sentence])).collect();
    Ok(row)
}
