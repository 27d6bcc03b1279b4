//! Checks an answer, whoever wrote it, against the papers of an index: each claim by the offline judge of the evaluation, each
//! quote word for word.
//!
//! What a claim is compared with is retrieved for it, and for the question where one is given: that no passage supports it means
//! that none was found.

use crate::error::LabError;
use engine::{
    Pipeline,
    show::{Reference, References, preview},
};
use eval::{
    Judge as _,
    judge::{Basis, JudgeError, JudgeInput, OfflineJudge, Passage, Verdict},
};
use evidence::support::{Claim, claims, source_line};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use serde::Serialize;
use std::{collections::BTreeSet, ops::Range, sync::Arc};
use types::{Chunk, ChunkId, Filter, Hit, Mode, SectionKind, SourceId, Span};

/// Passages that are retrieved for a claim, and for the question.
const OF_CLAIM: usize = 8;
const OF_QUESTION: usize = 4;
/// Passages in which a quote is looked for.
const OF_QUOTE: usize = 20;
/// Words of the shortest text in quotation marks that counts as a quote.
const QUOTE_WORDS: usize = 4;
/// Claims and quotes that are checked at a time.
const AT_A_TIME: usize = 4;

/// A place in a paper.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Place {
    /// The paper.
    pub source_id: SourceId,
    /// Its title as printed.
    pub title: Option<String>,
    /// The passage.
    pub chunk_id: ChunkId,
    /// Its section.
    pub section: SectionKind,
    /// The page on which `text` begins, from 1.
    pub page: u32,
    /// Its sentences closest to what was checked, at most some 45 words; for a quote that was found, the quote as printed.
    pub text: String,
}

/// A claim, and whether the papers support it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerifiedClaim {
    /// A sentence or a clause of the answer.
    pub claim: String,
    /// The word on it; null where it cannot be compared.
    pub verdict: Option<Verdict>,
    /// Probability that the passage that supports it most does, 0 to 1; null where it was not checked.
    pub probability: Option<f64>,
    /// What is missing; empty for a claim that is supported.
    pub reason: String,
    /// The first passage that supports it; else the closest one, null where nothing was found.
    pub evidence: Option<Place>,
}

/// A quote, and whether a paper has it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerifiedQuote {
    /// The quote, without quotation marks.
    pub quote: String,
    /// Whether a passage has it word for word.
    pub found: bool,
    /// Where it stands; else the closest passage, null where nothing was found.
    pub evidence: Option<Place>,
}

/// What is checked.
#[derive(Clone, Debug, Default)]
pub struct VerifyRequest {
    /// The answer, with or without marks `(source_id, chunk_id)`.
    pub answer: String,
    /// Its question; may be empty.
    pub question: String,
    /// The papers to compare with.
    pub filter: Filter,
    /// Claims and quotes that are checked, by their place among all claims and then all quotes, from 0.
    pub which: Range<usize>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verified {
    /// The claims, in the order of the answer.
    pub claims: Vec<VerifiedClaim>,
    /// The quotes of four words or more, in the order of the answer.
    pub quotes: Vec<VerifiedQuote>,
    /// Claims and quotes of the answer.
    pub total: usize,
}

/// Checks the claims and quotes of an answer.
///
/// # Errors
/// When the filter names an unknown source, a claim is longer than a question may be, or the model or the store fails.
pub async fn verify(pipeline: &Pipeline, request: &VerifyRequest) -> Result<Verified, LabError> {
    let mut settings = pipeline.settings().clone();
    // A year in a claim is part of it and chooses no papers.
    settings.question.filters = false;
    let checker = Checker {
        judge: OfflineJudge::with_tau(pipeline.support(), f64::from(settings.eval.support_threshold)),
        pipeline: pipeline.with(&settings)?,
        filter: &request.filter,
    };
    let of_question = match request.question.trim() {
        "" => Vec::new(),
        question => checker.find(question, OF_QUESTION, &[]).await?.hits,
    };
    let (claims, quotes) = (claims(&request.answer), quotes_of(&request.answer));
    let total = claims.len() + quotes.len();
    let within = |at: usize| request.which.contains(&at);
    let asked: Vec<Claim> =
        claims.iter().enumerate().filter(|(at, _)| within(*at)).map(|(_, own)| own.clone()).collect();
    let quotes = quotes.into_iter().zip(claims.len()..).filter(|(_, at)| within(*at)).map(|(own, _)| own);
    let claims = asked.into_iter().map(|claim| checker.claim(claim, &of_question));
    let claims = stream::iter(claims).buffered(AT_A_TIME).try_collect().await?;
    let quotes = quotes.map(|quote| checker.quote(quote));
    let quotes = stream::iter(quotes).buffered(AT_A_TIME).try_collect().await?;
    Ok(Verified { claims, quotes, total })
}

struct Checker<'a> {
    judge: OfflineJudge,
    pipeline: Pipeline,
    filter: &'a Filter,
}

/// What was retrieved for a text.
struct Found {
    question: types::Question,
    hits: Vec<Hit>,
    references: References,
}

impl Found {
    /// The part of a passage that is closest to what was looked for.
    fn closest(&self, hit: &Hit) -> Place {
        let preview = preview(&self.question, &hit.passage);
        let text = preview.parts.iter().map(|part| part.text.as_str()).collect();
        place(hit.chunk(), &self.references.get(&hit.chunk().source_id), preview.page, text)
    }
}

fn place(chunk: &Chunk, source: &Reference, page: u32, text: String) -> Place {
    Place {
        source_id: chunk.source_id.clone(),
        title: source.meta.title.clone(),
        chunk_id: chunk.chunk_id.clone(),
        section: chunk.section,
        page,
        text,
    }
}

impl Checker<'_> {
    /// What is retrieved for a text, and further hits behind it.
    async fn find(&self, text: &str, count: usize, more: &[Hit]) -> Result<Found, LabError> {
        let found = self.pipeline.search(text, Mode::Hybrid, self.filter, count, false).await?;
        let mut hits = found.retrieved.retrieval.hits;
        let known: BTreeSet<ChunkId> = hits.iter().map(|hit| hit.chunk().chunk_id.clone()).collect();
        hits.extend(more.iter().filter(|hit| !known.contains(&hit.chunk().chunk_id)).cloned());
        let sources = hits.iter().map(|hit| hit.chunk().source_id.clone()).collect();
        let references = self.pipeline.references(sources).await?;
        Ok(Found { question: found.question, hits, references })
    }

    async fn claim(&self, claim: Claim, of_question: &[Hit]) -> Result<VerifiedClaim, LabError> {
        let found = self.find(&claim.text, OF_CLAIM, of_question).await?;
        let passage = |hit: &Hit| {
            let meta = found.references.get(&hit.chunk().source_id).meta;
            Passage {
                id: hit.chunk().chunk_id.to_string(),
                source: source_line(meta.title.as_deref(), &meta.authors, meta.year),
                text: hit.chunk().with_table_head().into_owned(),
            }
        };
        let context: Vec<Passage> = found.hits.iter().map(passage).collect();
        // As if it cited all of them: the judge then says which of them support it.
        let cited = context.iter().map(|passage| ChunkId::from(passage.id.as_str())).collect();
        let input = JudgeInput {
            question: String::new(),
            context,
            response: claim.text.clone(),
            claims: vec![Claim { cited, ..claim.clone() }],
            basis: Basis::Cited,
        };
        let judge = OfflineJudge::clone(&self.judge);
        let judged = self.pipeline.pool().drive(true, async move { judge.judge(&input).await }).await;
        let mut evidence = found.hits.first();
        let (verdict, probability, reason) = match judged.map(|output| output.claims.into_iter().next()) {
            Ok(Some(own)) => {
                let by = own.supported_by.iter().flatten().next();
                evidence = found.hits.iter().find(|hit| by == Some(&hit.chunk().chunk_id)).or(evidence);
                let nothing = evidence.is_none().then(|| "no passage was found".to_owned());
                (Some(own.verdict), Some((own.score * 1e3).round() / 1e3), nothing.unwrap_or(own.reason))
            }
            Ok(None) => (None, None, "it claims nothing".to_owned()),
            Err(JudgeError::NotApplicable(why)) => (None, None, why),
            Err(error) => return Err(LabError::Message(error.to_string())),
        };
        let evidence = evidence.map(|hit| found.closest(hit));
        Ok(VerifiedClaim { claim: claim.text, verdict, probability, reason, evidence })
    }

    async fn quote(&self, quote: String) -> Result<VerifiedQuote, LabError> {
        let found = Arc::new(self.find(&quote, OF_QUOTE, &[]).await?);
        let (own, wanted) = (Arc::clone(&found), quote.clone());
        let look = move || {
            own.hits.iter().find_map(|hit| {
                let chunk = hit.chunk();
                let parts = text::quote::find_quote(&chunk.text, &wanted)?.parts;
                let whole = parts.first()?.start..parts.last()?.end;
                let text = chunk.text.get(whole.clone())?.split_whitespace().collect::<Vec<_>>().join(" ");
                let page = chunk.pages_of(Span::from(whole)).0;
                Some(place(chunk, &own.references.get(&chunk.source_id), page, text))
            })
        };
        let printed = self.pipeline.pool().run(look).await;
        let is_found = printed.is_some();
        let closest = || found.hits.first().map(|hit| found.closest(hit));
        Ok(VerifiedQuote { quote, found: is_found, evidence: printed.or_else(closest) })
    }
}

/// The texts in quotation marks that are long enough to be quotes, each on one line of the answer.
fn quotes_of(answer: &str) -> Vec<String> {
    const PAIRS: [(char, char); 3] = [('“', '”'), ('"', '"'), ('«', '»')];
    let mut found = Vec::new();
    for line in answer.lines() {
        let mut rest = line;
        while let Some((at, open)) = rest.char_indices().find(|(_, c)| PAIRS.iter().any(|(o, _)| o == c)) {
            rest = &rest[at + open.len_utf8()..];
            let close = PAIRS.iter().find(|(o, _)| *o == open).map_or(open, |(_, close)| *close);
            let Some((quote, after)) = rest.split_once(close) else {
                continue;
            };
            if quote.split_whitespace().count() >= QUOTE_WORDS {
                found.push(quote.trim().to_owned());
            }
            rest = after;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::quotes_of;

    #[test]
    fn long_texts_in_quotation_marks_are_quotes() {
        let check = |answer: &str, want: &[&str]| assert_eq!(quotes_of(answer), want, "{answer}");
        check(
            "It says “mice slept for nine hours” and \"rats ate all of it\".",
            &["mice slept for nine hours", "rats ate all of it"],
        );
        check("The “sleep” group, 6\" long, \"ate what was left there\"", &[]);
        check("It is «a dose of 5 mg» [1].\n“An open one that never ends", &["a dose of 5 mg"]);
        check("No quotes.", &[]);
    }
}
