//! The questions of a benchmark of answers, in any of the layouts that hold labelled evidence.

use super::{AnswersRequest, gold::GoldItem};
use crate::{
    bench_passages::questions::QuestionFolder,
    benchmark::{self, Corpus, folder_of},
    error::LabError,
};
use engine::{Pipeline, settings::Settings};
use eval::QuerySet;
use std::{collections::HashMap, path::PathBuf, sync::Arc};
use types::{Chunk, SourceId};

const LAYOUT: &str = "name a folder with articles.jsonl and qa.jsonl, with papers/ and questions.jsonl, or a folder of papers and --queries";

/// A question with its labels.
pub(crate) struct AnswerQuestion {
    pub(crate) id: String,
    pub(crate) text: String,
    /// What it was asked about: the cluster of its observations.
    pub(crate) document: String,
    /// The papers that it was asked about.
    pub(crate) papers: Vec<SourceId>,
    /// The evidence that answers it; empty if the papers do not.
    pub(crate) gold: Vec<GoldItem>,
}

/// Where the questions come from.
pub(super) enum Source {
    Articles(QuestionFolder),
    Queries(QuerySet),
}

/// Papers and questions, before the papers are indexed.
pub(super) struct Folder {
    pub(super) corpus: Corpus,
    source: Source,
}

impl Folder {
    /// Reads the questions.
    ///
    /// # Errors
    /// When the folder fits no layout, or a file is wrong.
    pub(super) fn load(request: &AnswersRequest, settings: &Settings) -> Result<Self, LabError> {
        let (folder, name) = folder_of(&request.folder, LAYOUT)?;
        if request.queries.is_none() && folder.join("articles.jsonl").is_file() {
            let articles = QuestionFolder::load(&folder, settings, None)?;
            return Ok(Self {
                corpus: articles.articles.clone(),
                source: Source::Articles(articles),
            });
        }
        let papers = folder.join("papers");
        let file: PathBuf = match &request.queries {
            Some(file) => file.clone(),
            None => benchmark::file_of(&folder, "questions.jsonl", LAYOUT)?,
        };
        let set = QuerySet::load(&file)?;
        if !set.queries.iter().any(is_labelled) {
            return Err(LabError::Benchmark {
                path: file,
                reason: "has no query with gold_evidence and none with expected_no_evidence".to_owned(),
                hint: "add gold_evidence, quotes that answer, to queries that the papers answer".to_owned(),
            });
        }
        Ok(Self {
            corpus: Corpus {
                name,
                file: if papers.is_dir() { papers } else { folder },
            },
            source: Source::Queries(set),
        })
    }

    /// How many questions are not asked: their labels are missing, or their evidence cannot be located.
    pub(super) fn left_out(&self) -> usize {
        match &self.source {
            Source::Queries(set) => set.queries.iter().filter(|query| !is_labelled(query)).count(),
            // Impossible questions are asked: they should be refused.
            Source::Articles(folder) => folder.left_out.count() - folder.left_out.impossible,
        }
    }

    /// The questions, once the papers are indexed; only the first `limit` ones of each kind.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub(super) async fn questions(
        &self,
        pipeline: &Pipeline,
        limit: Option<usize>,
    ) -> Result<Vec<AnswerQuestion>, LabError> {
        let mut all = match &self.source {
            Source::Queries(set) => of_queries(set),
            Source::Articles(folder) => {
                let ids = benchmark::documents(pipeline).await?;
                let sources: HashMap<&str, &SourceId> =
                    ids.iter().map(|(source, id)| (id.as_str(), source)).collect();
                of_articles(folder, &sources)
            }
        };
        if let Some(limit) = limit {
            let mut seen = [0, 0];
            all.retain(|question| {
                let kind = &mut seen[usize::from(question.gold.is_empty())];
                *kind += 1;
                *kind <= limit
            });
        }
        Ok(all)
    }
}

/// Whether it is known what answers the query, or that nothing does.
fn is_labelled(query: &eval::Query) -> bool {
    query.expected_no_evidence || !query.gold_evidence.is_empty()
}

/// Answerable questions whose evidence no chunk contains: they cannot be answered right.
pub(crate) fn in_no_chunk(questions: &[AnswerQuestion], chunks: &[Arc<Chunk>]) -> usize {
    let mut of: HashMap<&SourceId, Vec<&Arc<Chunk>>> = HashMap::new();
    for chunk in chunks {
        of.entry(&chunk.source_id).or_default().push(chunk);
    }
    let found = |item: &GoldItem| {
        let own = of.get(item.source()).map_or(&[][..], Vec::as_slice);
        own.iter().any(|chunk| item.shown_by(chunk).contains(&true))
    };
    let answerable = questions.iter().filter(|question| !question.gold.is_empty());
    answerable
        .filter(|question| !question.gold.iter().any(found))
        .count()
}

/// The labelled queries of a set.
pub(crate) fn of_queries(set: &QuerySet) -> Vec<AnswerQuestion> {
    set.queries
        .iter()
        .filter(|query| is_labelled(query))
        .map(|query| AnswerQuestion {
            id: query.id.clone(),
            text: query.query.clone(),
            document: query
                .target_papers
                .first()
                .map_or_else(|| query.id.clone(), ToString::to_string),
            papers: query.target_papers.clone(),
            gold: if query.expected_no_evidence {
                Vec::new()
            } else {
                let item =
                    |gold: &eval::GoldEvidence| GoldItem::Quote(gold.source_id.clone(), gold.quote.clone());
                query.gold_evidence.iter().map(item).collect()
            },
        })
        .collect()
}

fn of_articles(folder: &QuestionFolder, sources: &HashMap<&str, &SourceId>) -> Vec<AnswerQuestion> {
    let source = |document: &str| sources.get(document).map(|source| (*source).clone());
    let answered = folder.questions.iter().map(|located| {
        let question = &located.question;
        let paper = source(&question.document);
        let spans = located.gold.spans().iter();
        let item = |span: &types::Span| {
            let of = paper
                .clone()
                .unwrap_or_else(|| SourceId::from_stem(&question.document));
            GoldItem::Span(of, *span)
        };
        AnswerQuestion {
            id: question.id.clone(),
            text: question.text.clone(),
            document: question.document.clone(),
            gold: spans.map(item).collect(),
            papers: paper.clone().into_iter().collect(),
        }
    });
    let impossible = folder.impossible.iter().map(|question| AnswerQuestion {
        id: question.id.clone(),
        text: question.text.clone(),
        document: question.document.clone(),
        gold: Vec::new(),
        papers: source(&question.document).into_iter().collect(),
    });
    answered.chain(impossible).collect()
}
