//! What `crates/evidence/fit/fit.py` fits on: the sentences of the contexts of labelled questions, with their features and
//! labels.
//!
//! An answerable question is asked twice: over all papers of the index, and without those that answer it.

use crate::error::BenchError;
use clap::Args;
use engine::{EngineError, Pipeline, Trace, settings};
use eval::{GoldEvidence, QuerySet, answers::showing_spans};
use evidence::{ANSWER_FEATURES, AnswerFeatures, FEATURES, measure};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{collections::HashMap, fs, io::Write, path::Path, path::PathBuf};
use types::{Chunk, Filter, SourceId, SourceQuery, Span};

/// `answers`.
#[derive(Debug, Args)]
pub(crate) struct Answers {
    /// A query set with `gold_evidence`, or with --articles a file as in COVID-QA: "id", "`doc_id`", "question", "answers" with
    /// "text" and "`answer_start`", "`is_impossible`". The papers must be in the index.
    questions: PathBuf,
    /// The articles that the answers have offsets in, in the layout of BEIR.
    #[arg(long, value_name = "FILE")]
    articles: Option<PathBuf>,
    /// Ask each question once, of its own paper alone.
    #[arg(long)]
    own_paper: bool,
    /// One setting, for example --set index.dir=DIR; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
}

/// A question whose answers are known, or known not to be there.
struct Labelled {
    id: String,
    text: String,
    /// The papers that it is about, by the names that its file has for them: the first is its cluster.
    papers: Vec<String>,
    gold: Vec<Gold>,
}

enum Gold {
    Quote(GoldEvidence),
    /// A span of the text of the document.
    Span(SourceId, Span),
}

impl Gold {
    fn source(&self) -> &SourceId {
        match self {
            Self::Quote(gold) => &gold.source_id,
            Self::Span(source, _) => source,
        }
    }

    fn shown_by(&self, chunk: &Chunk) -> Vec<bool> {
        match self {
            Self::Quote(gold) => gold.shown_by(chunk),
            Self::Span(source, span) => {
                let (start, end) = (span.start.max(chunk.span.start), span.end.min(chunk.span.end));
                let here = (*source == chunk.source_id && start < end)
                    .then(|| Span::new(start - chunk.span.start, end - chunk.span.start));
                showing_spans(chunk, here.as_slice())
            }
        }
    }
}

/// A line of questions about articles.
#[derive(Debug, Deserialize)]
struct Line {
    id: Value,
    doc_id: Value,
    question: String,
    #[serde(default)]
    answers: Vec<Answer>,
    #[serde(default)]
    is_impossible: bool,
}

#[derive(Debug, Deserialize)]
struct Answer {
    text: String,
    /// In characters from 0.
    answer_start: usize,
}

/// Prints a line of names, then one line for each question and variant.
pub(crate) async fn run(args: &Answers) -> Result<(), BenchError> {
    let environment = settings::environment().map_err(EngineError::from)?;
    let loaded = settings::Loaded::load(None, environment, &args.overrides).map_err(EngineError::from)?;
    let pipeline = Pipeline::open(&loaded.settings).await?;
    let sources = pipeline.store().find_sources(&SourceQuery::All).await?;
    let named: HashMap<String, SourceId> = sources
        .into_iter()
        .map(|source| {
            let id = source.meta.source_id.clone();
            let name = source.record.filter(|_| args.articles.is_some());
            (name.unwrap_or_else(|| id.to_string()), id)
        })
        .collect();
    let questions = match &args.articles {
        Some(articles) => about_articles(&args.questions, articles, &loaded.settings, &named)?,
        None => of_set(&args.questions)?,
    };
    print(&json!({"sentence_features": FEATURES, "answer_features": ANSWER_FEATURES}))?;
    let mode = loaded.settings.retrieve.mode;
    for question in &questions {
        let own: Vec<SourceId> =
            question.papers.iter().filter_map(|paper| named.get(paper).cloned()).collect();
        let answers = |id: &SourceId| own.contains(id) || question.gold.iter().any(|g| g.source() == id);
        let mut others: Vec<SourceId> = named.values().filter(|id| !answers(id)).cloned().collect();
        others.sort();
        let only = |sources: Vec<SourceId>| Filter { sources: Some(sources), ..Filter::default() };
        let first = if args.own_paper && !own.is_empty() { only(own) } else { Filter::default() };
        let mut variants = vec![(first, false)];
        if !args.own_paper && !question.gold.is_empty() && !others.is_empty() {
            variants.push((only(others), true));
        }
        for (filter, removed) in variants {
            let trace = pipeline.trace(&question.text, mode, &filter).await?;
            print(&row(question, &trace, &pipeline, removed)?)?;
        }
    }
    Ok(())
}

fn print(line: &Value) -> Result<(), BenchError> {
    writeln!(std::io::stdout().lock(), "{line}").map_err(BenchError::io("write", "standard output"))
}

/// The labels of the question, the features of the whole, and of every sentence its features, its text, its place (chunk
/// and sentence, counted from 0) and the gold items that it shows.
fn row(question: &Labelled, trace: &Trace, pipeline: &Pipeline, removed: bool) -> Result<Value, BenchError> {
    let gold: &[Gold] = if removed { &[] } else { &question.gold };
    let (context, statistics) = (&trace.context, &trace.retrieval.statistics);
    let reader = pipeline.reader();
    let measured =
        measure(&trace.question, context, statistics, reader.as_deref()).map_err(EngineError::from)?;
    let whole = AnswerFeatures::new(&trace.question, context, statistics, &measured);
    let shown: Vec<Vec<Vec<bool>>> = context
        .chunks
        .iter()
        .map(|place| gold.iter().map(|item| item.shown_by(&place.chunk)).collect())
        .collect();
    let items = |chunk: usize, sentence: usize| -> Vec<usize> {
        (0..gold.len()).filter(|item| shown[chunk][*item][sentence]).collect()
    };
    Ok(json!({
        "query_id": question.id,
        "document": question.papers.first().unwrap_or(&question.id),
        "removed": removed,
        "answerable": !gold.is_empty(),
        "items": question.gold.len(),
        "question": question.text,
        "answer": whole.values().as_slice(),
        "gold": measured.iter().map(|m| items(m.chunk, m.sentence)).collect::<Vec<_>>(),
        "sentences": measured.iter().map(|m| m.features.values().to_vec()).collect::<Vec<_>>(),
        "texts": measured.iter().map(|m| m.text(context)).collect::<Vec<_>>(),
        "places": measured.iter().map(|m| [m.chunk, m.sentence]).collect::<Vec<_>>(),
    }))
}

fn of_set(path: &Path) -> Result<Vec<Labelled>, BenchError> {
    let set = QuerySet::load(path).map_err(BenchError::failed(path.to_string_lossy()))?;
    let labelled = set.queries.into_iter().map(|query| {
        let gold: Vec<Gold> = if query.expected_no_evidence {
            Vec::new()
        } else {
            query.gold_evidence.into_iter().map(Gold::Quote).collect()
        };
        let question = Labelled {
            id: query.id,
            text: query.query,
            papers: query.target_papers.iter().map(ToString::to_string).collect(),
            gold,
        };
        (query.expected_no_evidence, question)
    });
    let labelled = labelled.filter(|(unanswerable, question)| *unanswerable || !question.gold.is_empty());
    Ok(labelled.map(|(_, question)| question).collect())
}

/// Questions about articles, those that the articles do not answer last; without those whose answers are not at their
/// offsets.
fn about_articles(
    path: &Path,
    articles: &Path,
    settings: &settings::Settings,
    named: &HashMap<String, SourceId>,
) -> Result<Vec<Labelled>, BenchError> {
    let limits = settings.ingest.limits();
    let mut texts: HashMap<String, (String, String)> = HashMap::new();
    ingest::inputs::beir::entries(articles, &limits, |entry| {
        if let Ok(record) = entry
            && let Ok(document) = record.document(&limits)
        {
            texts.insert(record.id.clone(), (record.text().to_owned(), document.text));
        }
        true
    })
    .map_err(BenchError::failed(articles.to_string_lossy()))?;
    let text = fs::read_to_string(path).map_err(BenchError::io("read", path))?;
    let (mut answerable, mut others) = (Vec::new(), Vec::new());
    for (line, at) in text.lines().zip(1..) {
        let place = format!("line {at} of {}", path.display());
        let line: Line = serde_json::from_str(line).map_err(BenchError::failed(place))?;
        let written = |id: &Value| id.as_str().map_or_else(|| id.to_string(), |id| id.trim().to_owned());
        let article = written(&line.doc_id);
        let mut gold = Vec::new();
        if let (Some(source), Some((written, indexed))) = (named.get(&article), texts.get(&article)) {
            let spans = line.answers.iter().filter_map(|answer| located(answer, written, indexed));
            gold.extend(spans.map(|span| Gold::Span(source.clone(), span)));
        }
        if line.is_impossible {
            gold.clear();
        } else if gold.is_empty() {
            continue;
        }
        let kind = if line.is_impossible { &mut others } else { &mut answerable };
        kind.push(Labelled { id: written(&line.id), text: line.question, papers: vec![article], gold });
    }
    answerable.append(&mut others);
    Ok(answerable)
}

/// Where an answer is in the text that was indexed: both texts have the same visible characters in the same order. Offsets
/// count characters, or bytes where only that fits.
fn located(answer: &Answer, article: &str, indexed: &str) -> Option<Span> {
    let by_character = article.char_indices().nth(answer.answer_start).map(|(byte, _)| byte);
    let start = [by_character, Some(answer.answer_start)]
        .into_iter()
        .flatten()
        .find(|start| article.get(*start..).is_some_and(|rest| rest.starts_with(&answer.text)))?;
    let before = visible(&article[..start]).count();
    let mut places = visible(indexed).skip(before);
    let mut found: Option<Span> = None;
    for (_, wanted) in visible(&answer.text) {
        let (at, there) = places.next()?;
        if there != wanted {
            return None;
        }
        let end = at + there.len_utf8();
        found = Some(Span::new(found.map_or(at, |span| span.start), end));
    }
    found
}

/// The characters that ingestion keeps, with their places: it closes up white space and drops control characters.
fn visible(text: &str) -> impl Iterator<Item = (usize, char)> {
    text.char_indices().filter(|(_, c)| !c.is_whitespace() && !c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_characters_or_bytes() {
        let (article, indexed) =
            ("Größe\n\nThe  mean was\t5 µg. It fell.", "Größe\n\nThe mean was 5 µg. It fell.");
        let byte = article.find("was").expect("there");
        let character = article[..byte].chars().count();
        assert_ne!(byte, character);
        for (start, want) in
            [(character, Some("was 5 µg.")), (byte, Some("was 5 µg.")), (character + 1, None), (999, None)]
        {
            let answer = Answer { text: "was\t5 µg. ".to_owned(), answer_start: start };
            let found = located(&answer, article, indexed).map(|span| span.slice(indexed).expect("a slice"));
            assert_eq!(found, want, "{start}");
            assert_eq!(located(&answer, article, "Größe The mean"), None);
        }
    }
}
