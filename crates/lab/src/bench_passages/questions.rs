//! The folder of a benchmark of questions over whole articles: its questions, and where their answers stand in the text
//! that ingestion makes of the articles.

use crate::{
    benchmark::{Corpus, file_of, folder_of},
    error::LabError,
};
use engine::{EngineError, settings::Settings, stages};
use eval::passages::{GoldSpans, NotLocated, PassageQuestion, load_questions};
use ingest::inputs::beir;
use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};
use types::{Chunk, SourceId, Span};

const LAYOUT: &str = "name a folder with articles.jsonl and qa.jsonl";

/// A question whose answer has a place.
pub(crate) struct LocatedQuestion {
    pub(crate) question: PassageQuestion,
    pub(crate) gold: GoldSpans,
}

/// What a folder holds.
pub(crate) struct QuestionFolder {
    /// `articles.jsonl`.
    pub(crate) articles: Corpus,
    /// Questions to measure, in the order of `qa.jsonl`.
    pub(crate) questions: Vec<LocatedQuestion>,
    /// Questions that annotators marked as impossible.
    pub(crate) impossible: Vec<PassageQuestion>,
    /// The other questions.
    pub(crate) left_out: LeftOut,
}

/// Questions that are not measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Questions marked as impossible.
    pub impossible: usize,
    /// Questions that are possible but have no answer.
    pub without_answer: usize,
    /// Questions whose answers have no place in the article, each with the reason.
    pub not_located: Vec<(String, String)>,
}

impl LeftOut {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.impossible + self.without_answer + self.not_located.len()
    }
}

/// An article: as written, and as it is indexed.
struct Article {
    written: String,
    indexed: String,
}

impl QuestionFolder {
    /// Reads the questions, and locates their answers. With `limit`, only the first questions that can be measured.
    ///
    /// # Errors
    /// When a file is missing or wrong, or nothing is left to measure.
    pub(crate) fn load(folder: &Path, settings: &Settings, limit: Option<usize>) -> Result<Self, LabError> {
        let (folder, name) = folder_of(folder, LAYOUT)?;
        let file = file_of(&folder, "articles.jsonl", LAYOUT)?;
        let path = file_of(&folder, "qa.jsonl", LAYOUT)?;
        let all = load_questions(&path)?;
        let articles = articles(&file, settings)?;
        check_articles(&path, &all, &articles)?;

        let mut left_out = LeftOut::default();
        let mut questions = Vec::new();
        let mut impossible = Vec::new();
        for question in all {
            if question.impossible {
                left_out.impossible += 1;
                impossible.push(question);
            } else if question.answers.is_empty() {
                left_out.without_answer += 1;
            } else {
                match locate(&question, &articles) {
                    Ok(gold) => questions.push(LocatedQuestion { question, gold }),
                    Err(reason) => left_out.not_located.push((question.id, reason)),
                }
            }
        }
        if questions.is_empty() {
            return Err(LabError::Benchmark {
                path,
                reason: "has no question whose answer can be located".to_owned(),
                hint: "answer_start counts the characters of the article's text from 0".to_owned(),
            });
        }
        questions.truncate(limit.unwrap_or(usize::MAX));
        Ok(Self {
            articles: Corpus { name, file },
            questions,
            impossible,
            left_out,
        })
    }

    /// Questions whose answer no chunk of the index holds: they cannot be found.
    pub(crate) fn in_no_chunk(&self, chunks: &[Arc<Chunk>], indexed: &HashMap<SourceId, String>) -> usize {
        let mut spans: HashMap<&str, Vec<Span>> = HashMap::new();
        for chunk in chunks {
            let article = indexed.get(&chunk.source_id).map_or("", String::as_str);
            spans.entry(article).or_default().push(chunk.span);
        }
        let held = |located: &&LocatedQuestion| {
            let of_article = spans.get(located.question.document.as_str());
            of_article.is_some_and(|spans| spans.iter().any(|span| located.gold.held_by(*span)))
        };
        self.questions.len() - self.questions.iter().filter(held).count()
    }

    /// Questions about an article that the index does not hold.
    pub(crate) fn article_missing(&self, indexed: &HashMap<SourceId, String>) -> usize {
        let known: BTreeSet<&str> = indexed.values().map(String::as_str).collect();
        let asked = self
            .questions
            .iter()
            .map(|located| located.question.document.as_str());
        asked.filter(|article| !known.contains(article)).count()
    }
}

fn locate(
    question: &PassageQuestion,
    articles: &HashMap<String, Result<Article, String>>,
) -> Result<GoldSpans, String> {
    match articles.get(&question.document) {
        Some(Ok(article)) => GoldSpans::locate(&question.answers, &article.written, &article.indexed)
            .map_err(|reason| reason.reason().to_owned()),
        Some(Err(reason)) => Err(reason.clone()),
        None => Err(NotLocated::Text.reason().to_owned()),
    }
}

/// Every article by its id, or why it cannot be read.
fn articles(file: &Path, settings: &Settings) -> Result<HashMap<String, Result<Article, String>>, LabError> {
    let limits = stages::limits(settings);
    let mut articles = HashMap::new();
    beir::entries(file, &limits, |entry| {
        // Lines that are no articles are named when they are indexed.
        if let Ok(record) = entry {
            let article = record.document(&limits).map(|document| Article {
                written: record.text().to_owned(),
                indexed: document.text,
            });
            articles.insert(record.id.clone(), article.map_err(|reason| reason.to_string()));
        }
        true
    })
    .map_err(|reason| {
        LabError::Engine(EngineError::Parse {
            path: PathBuf::from(file),
            reason,
        })
    })?;
    Ok(articles)
}

/// Questions about articles that are not in the file: the two files do not belong together.
fn check_articles(
    path: &Path,
    questions: &[PassageQuestion],
    articles: &HashMap<String, Result<Article, String>>,
) -> Result<(), LabError> {
    let unknown: BTreeSet<&str> = questions
        .iter()
        .map(|question| question.document.as_str())
        .filter(|article| !articles.contains_key(*article))
        .collect();
    match unknown.first() {
        None => Ok(()),
        Some(first) => Err(LabError::Benchmark {
            path: path.to_path_buf(),
            reason: format!(
                "asks about {} articles that are not in articles.jsonl, the first is {first:?}",
                unknown.len()
            ),
            hint: "use the two files of the same data set".to_owned(),
        }),
    }
}
