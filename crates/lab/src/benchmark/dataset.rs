//! Labelled questions of any layout: BEIR's queries and judgements, query sets, and questions over articles with offsets.

use super::{
    gold::{Gold, Place, contains},
    index::{Corpus, Documents},
};
use crate::error::LabError;
use engine::{EngineError, settings::Settings, stages};
use eval::{
    QuerySet,
    answers::{ArticleQuestion, load_questions, locate},
    ranking::{Grades, Qrels, load_queries},
};
use ingest::inputs::beir;
use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};
use types::{
    Chunk, Filter,
    words::{NAMED, first_of},
};

/// A question with its labels. Documents are named as the labels name them.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) id: String,
    pub(crate) text: String,
    /// What it was asked about: the cluster of its observations.
    pub(crate) cluster: String,
    /// The documents that it was asked about.
    pub(crate) papers: Vec<String>,
    /// Judged documents.
    pub(crate) grades: Grades,
    /// The evidence that answers it.
    pub(crate) gold: Vec<Gold>,
    /// Whether it is known that the documents do not answer it.
    pub(crate) unanswerable: bool,
}

impl Question {
    /// Whether it is known what answers it, or that nothing does.
    pub(crate) fn is_labelled(&self) -> bool {
        self.unanswerable || !self.gold.is_empty()
    }

    /// The documents without those that answer it; `None` if nothing answers it, or no document would be left.
    pub(crate) fn without_its_papers(&self, documents: &Documents) -> Option<Filter> {
        let others = documents.sources(|name| {
            let papers = self.papers.iter();
            papers.chain(self.gold.iter().map(|gold| &gold.document)).all(|paper| paper != name)
        });
        (!self.gold.is_empty() && !others.is_empty())
            .then(|| Filter { sources: Some(others), ..Filter::default() })
    }

    /// The documents that should be found: judged ones from this grade on, those of the highest grade first, then by id; else
    /// those that it was asked about, in their order.
    fn expected(&self, min_grade: i32) -> Vec<String> {
        if self.grades.is_empty() {
            let papers = if self.unanswerable { &[][..] } else { &self.papers };
            return papers.to_vec();
        }
        let relevant = self.grades.iter().filter(|(_, grade)| **grade >= min_grade);
        let mut relevant: Vec<(&String, &i32)> = relevant.collect();
        // Stable: documents of one grade stay in the order of their ids.
        relevant.sort_by_key(|(_, grade)| std::cmp::Reverse(**grade));
        relevant.into_iter().map(|(id, _)| id.clone()).collect()
    }
}

fn wrong(path: &Path, reason: impl Into<String>, hint: impl Into<String>) -> LabError {
    LabError::Benchmark { path: path.to_path_buf(), reason: reason.into(), hint: hint.into() }
}

/// The absolute path of a benchmark's folder, and its name. `layout` says what the folder must contain.
///
/// # Errors
/// When it does not exist.
pub(super) fn folder_of(folder: &Path, layout: &str) -> Result<(PathBuf, String), LabError> {
    let path = folder.canonicalize().map_err(|_| wrong(folder, "does not exist", layout))?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy().into_owned();
    Ok((path, name))
}

/// A file of that folder.
///
/// # Errors
/// When it does not exist.
pub(super) fn file_of(folder: &Path, name: &str, layout: &str) -> Result<PathBuf, LabError> {
    match folder.join(name) {
        path if path.is_file() => Ok(path),
        path => Err(wrong(&path, "does not exist", layout)),
    }
}

/// The judged queries of a benchmark in the order of its queries file. Queries of other splits, which have no judgements, are
/// not among them.
///
/// # Errors
/// When a file cannot be read or is wrong, or a judged query has no text.
pub(super) fn judged(queries: &Path, qrels: &Path) -> Result<Vec<Question>, LabError> {
    let judged = Qrels::load(qrels)?;
    let all = load_queries(queries)?;
    let known: BTreeSet<&str> = all.iter().map(|query| query.id.as_str()).collect();
    let unknown: Vec<&str> = judged.iter().map(|(id, _)| id).filter(|id| !known.contains(id)).collect();
    if let Some(first) = unknown.first() {
        let file = queries.file_name().unwrap_or(queries.as_os_str()).display();
        let reason =
            format!("judges {} queries that are not in {file}, the first is {first:?}", unknown.len());
        return Err(wrong(qrels, reason, "use queries and judgements of the same benchmark"));
    }
    let question = |query: eval::ranking::BenchmarkQuery| {
        Some(Question {
            grades: judged.get(&query.id)?.clone(),
            cluster: query.id.clone(),
            id: query.id,
            text: query.text,
            papers: Vec::new(),
            gold: Vec::new(),
            unanswerable: false,
        })
    };
    Ok(all.into_iter().filter_map(question).collect())
}

/// The queries of a set; papers are named by their source ids.
pub(crate) fn of_set(set: &QuerySet) -> Vec<Question> {
    let question = |query: &eval::Query| {
        let papers: Vec<String> = query.target_papers.iter().map(ToString::to_string).collect();
        let item = |gold: &eval::GoldEvidence| Gold {
            document: gold.source_id.to_string(),
            place: Place::Quote(gold.quote.clone()),
        };
        let gold = query.gold_evidence.iter().filter(|_| !query.expected_no_evidence);
        Question {
            id: query.id.clone(),
            text: query.query.clone(),
            cluster: papers.first().unwrap_or(&query.id).clone(),
            papers,
            grades: Grades::new(),
            gold: gold.map(item).collect(),
            unanswerable: query.expected_no_evidence,
        }
    };
    set.queries.iter().map(question).collect()
}

/// Which questions a user asks for.
#[derive(Clone, Debug)]
pub(crate) struct Wanted<'a> {
    /// A query set, or the queries of a benchmark if `qrels` is given.
    pub(crate) queries: &'a Path,
    pub(crate) qrels: Option<&'a Path>,
    /// Only the questions with these ids, in this order; all if empty.
    pub(crate) ids: &'a [String],
    /// Only the first questions.
    pub(crate) limit: Option<usize>,
    /// A judged document is relevant from this grade on.
    pub(crate) min_grade: i32,
}

/// Questions, each with at least one expected document.
pub(crate) struct Expecting {
    pub(crate) questions: Vec<(Question, Vec<String>)>,
    /// Questions for which no document is expected.
    pub(crate) without_expected: usize,
}

/// Reads the questions that expect documents.
///
/// # Errors
/// When a file is wrong, an id is unknown, or no question is left that expects a document.
pub(crate) fn expecting(wanted: &Wanted<'_>) -> Result<Expecting, LabError> {
    let mut all = match wanted.qrels {
        Some(qrels) => judged(wanted.queries, qrels)?,
        None => of_set(&crate::query_set::load(wanted.queries)?),
    };
    if !wanted.ids.is_empty() {
        let known: BTreeSet<&str> = all.iter().map(|question| question.id.as_str()).collect();
        let ids = wanted.ids.iter().map(String::as_str);
        let unknown: Vec<&str> = ids.filter(|id| !known.contains(id)).collect();
        if !unknown.is_empty() {
            let what = wanted.qrels.map_or("question", |_| "judged question");
            let reason = format!("contains no {what} {}", first_of(unknown, NAMED));
            return Err(wrong(wanted.queries, reason, "ids are case-sensitive"));
        }
        let place = |id: &str| wanted.ids.iter().position(|wanted| wanted == id);
        all.retain(|question| place(&question.id).is_some());
        all.sort_by_key(|question| place(&question.id));
    }
    all.truncate(wanted.limit.unwrap_or(usize::MAX));
    let asked = all.len();
    let with_expected = all.into_iter().map(|question| {
        let expected = question.expected(wanted.min_grade);
        (question, expected)
    });
    let questions: Vec<_> = with_expected.filter(|(_, expected)| !expected.is_empty()).collect();
    if questions.is_empty() {
        return Err(match wanted.qrels {
            Some(qrels) => wrong(
                qrels,
                format!("gives none of {asked} questions a document of grade {} or higher", wanted.min_grade),
                "lower --min-grade, or name the judgements of these questions",
            ),
            None => wrong(
                wanted.queries,
                "names no target_papers",
                "add them to the questions, or name judgements with --qrels",
            ),
        });
    }
    Ok(Expecting { without_expected: asked - questions.len(), questions })
}

const LAYOUT: &str = "name a folder with articles.jsonl and qa.jsonl, with papers/ and questions.jsonl, or a folder of papers and --queries";

/// Papers and questions with labelled evidence.
pub(super) struct Evidence {
    pub(super) corpus: Corpus,
    /// Those with labels.
    pub(super) questions: Vec<Question>,
    /// The others, and those whose evidence cannot be located.
    pub(super) left_out: usize,
    /// Whether documents are named by their source ids.
    pub(super) by_source: bool,
}

/// Reads a folder of papers, or of articles with offsets. `queries` is a query set for a folder of papers; else it is
/// `questions.jsonl` in the folder. With `limit`, only the first questions that the papers answer, and the first others.
///
/// # Errors
/// When the folder fits no layout, or a file is wrong.
pub(super) fn evidence(
    folder: &Path,
    queries: Option<&Path>,
    limit: Option<usize>,
    settings: &Settings,
) -> Result<Evidence, LabError> {
    let (folder, name) = folder_of(folder, LAYOUT)?;
    let articles = folder.join("articles.jsonl");
    let mut found = if queries.is_none() && articles.is_file() {
        of_articles(Corpus { name, file: articles }, &folder, settings)?
    } else {
        let papers = folder.join("papers");
        let file = match queries {
            Some(file) => file.to_path_buf(),
            None => file_of(&folder, "questions.jsonl", LAYOUT)?,
        };
        let all = of_set(&QuerySet::load(&file)?);
        let (questions, others): (Vec<_>, Vec<_>) = all.into_iter().partition(Question::is_labelled);
        if questions.is_empty() {
            return Err(wrong(
                &file,
                "has no query with gold_evidence and none with expected_no_evidence",
                "add gold_evidence, quotes that answer, to queries that the papers answer",
            ));
        }
        let file = if papers.is_dir() { papers } else { folder };
        Evidence { corpus: Corpus { name, file }, questions, left_out: others.len(), by_source: true }
    };
    let mut seen = [0, 0];
    found.questions.retain(|question| {
        let kind = &mut seen[usize::from(question.gold.is_empty())];
        *kind += 1;
        *kind <= limit.unwrap_or(usize::MAX)
    });
    Ok(found)
}

/// An article as written, and as it is indexed; `None` if it cannot be read.
type Article = Option<(String, String)>;

/// Questions over articles in the order of `qa.jsonl`, those that the articles do not answer last.
fn of_articles(corpus: Corpus, folder: &Path, settings: &Settings) -> Result<Evidence, LabError> {
    let path = file_of(folder, "qa.jsonl", LAYOUT)?;
    let all = load_questions(&path)?;
    let articles = articles(&corpus.file, settings)?;
    let asked: BTreeSet<&str> = all.iter().map(|question| question.document.as_str()).collect();
    let unknown: Vec<&&str> = asked.iter().filter(|id| !articles.contains_key(**id)).collect();
    if let Some(first) = unknown.first() {
        let reason = format!(
            "asks about {} articles that are not in articles.jsonl, the first is {first:?}",
            unknown.len()
        );
        return Err(wrong(&path, reason, "use the two files of the same data set"));
    }
    let (mut questions, mut impossible, mut left_out) = (Vec::new(), Vec::new(), 0);
    for asked in all {
        let gold = if asked.impossible { Some(Vec::new()) } else { located(&asked, &articles) };
        let Some(gold) = gold else {
            left_out += 1;
            continue;
        };
        let kind = if asked.impossible { &mut impossible } else { &mut questions };
        kind.push(Question {
            id: asked.id,
            text: asked.text,
            cluster: asked.document.clone(),
            papers: vec![asked.document],
            grades: Grades::new(),
            unanswerable: asked.impossible,
            gold,
        });
    }
    if questions.is_empty() {
        return Err(wrong(
            &path,
            "has no question whose answer can be located",
            "answer_start counts the characters of the article's text from 0",
        ));
    }
    questions.extend(impossible);
    Ok(Evidence { corpus, questions, left_out, by_source: false })
}

fn located(question: &ArticleQuestion, articles: &HashMap<String, Article>) -> Option<Vec<Gold>> {
    let (written, indexed) = articles.get(&question.document)?.as_ref()?;
    let item = |span| Gold { document: question.document.clone(), place: Place::Span(span) };
    let spans = locate(&question.answers, written, indexed)?;
    Some(spans.into_iter().map(item).collect())
}

/// Every article by its id.
fn articles(file: &Path, settings: &Settings) -> Result<HashMap<String, Article>, LabError> {
    let limits = stages::limits(settings);
    let mut articles = HashMap::new();
    beir::entries(file, &limits, |entry| {
        // Lines that are no articles are named when they are indexed.
        if let Ok(record) = entry {
            let article = record.document(&limits).map(|document| (record.text().to_owned(), document.text));
            articles.insert(record.id.clone(), article.ok());
        }
        true
    })
    .map_err(|reason| LabError::Engine(EngineError::Parse { path: PathBuf::from(file), reason }))?;
    Ok(articles)
}

/// Questions with evidence that no chunk contains: they cannot be answered right.
pub(crate) fn in_no_chunk(questions: &[Question], chunks: &[Arc<Chunk>], documents: &Documents) -> usize {
    let mut of: HashMap<&str, Vec<&Arc<Chunk>>> = HashMap::new();
    for chunk in chunks {
        of.entry(documents.name(&chunk.source_id)).or_default().push(chunk);
    }
    let found = |item: &Gold| {
        let own = of.get(item.document.as_str()).map_or(&[][..], Vec::as_slice);
        let item = std::slice::from_ref(item);
        own.iter().any(|chunk| contains(item, &item[0].document, chunk))
    };
    let answerable = questions.iter().filter(|question| !question.gold.is_empty());
    answerable.filter(|question| !question.gold.iter().any(found)).count()
}
