//! Answers made from facts, correct or with one error.

use super::{ErrorKind, alter, wording::reword};
use crate::stats::Draws;
use types::{ChunkId, Citation, Confidence, RagResponse, SourceId};

/// Maximum number of words in a quote.
const QUOTE_WORDS: usize = 40;

/// A sentence of a paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The sentence as it is printed in the passage, with its full stop.
    pub sentence: String,
    /// The passage.
    pub passage: String,
    /// Id of the passage.
    pub chunk_id: ChunkId,
    /// The paper.
    pub source_id: SourceId,
    /// Surname of its first author; empty if unknown.
    pub author: String,
}

/// An answer whose errors are known.
#[derive(Clone, Debug)]
pub struct PlantedAnswer {
    /// The answer with marks and citations, one sentence for each fact.
    pub response: RagResponse,
    /// Its sentences without their marks.
    pub sentences: Vec<String>,
    /// The chunk that each sentence cites.
    pub cited: Vec<ChunkId>,
    /// The index of the wrong sentence; `None` in a correct answer.
    pub wrong: Option<usize>,
    /// Whether a sentence is in other words than its paper.
    pub reworded: bool,
}

/// Makes an answer from these facts. With `kind`, the first fact that can have such an error gets it; returns `None` if
/// none can. With `reworded`, sentences are reworded where possible. `decoy` and `foreign` are facts of two other papers:
/// a sentence may wrongly cite or add `decoy`, and take a name or quote from `foreign`.
pub fn plant(
    facts: &[Fact],
    decoy: &Fact,
    foreign: &Fact,
    kind: Option<ErrorKind>,
    reworded: bool,
    seed: u64,
) -> Option<PlantedAnswer> {
    let mut draws = Draws::new(seed);
    let mut parts: Vec<Part<'_>> = facts.iter().map(|fact| Part::new(fact, reworded)).collect();
    // Attributed findings occur in every answer of this kind, right or wrong: the name decides, not the form.
    if kind == Some(ErrorKind::Author) {
        for part in &mut parts {
            part.attribute();
        }
    }
    let wrong = match kind {
        None => None,
        Some(kind) => Some((0..parts.len()).find(|at| parts[*at].spoil(kind, decoy, foreign, &mut draws))?),
    };
    let mut answer = String::new();
    for part in &parts {
        if !answer.is_empty() {
            answer.push(' ');
        }
        let said = part.sentence.trim_end_matches('.');
        answer.extend([said, " (", part.source.as_str(), ", ", part.chunk.as_str(), ")."]);
    }
    Some(PlantedAnswer {
        sentences: parts.iter().map(|part| part.sentence.clone()).collect(),
        cited: parts.iter().map(|part| part.chunk.clone()).collect(),
        reworded: parts.iter().any(|part| part.reworded),
        response: RagResponse {
            answer,
            citations: parts.into_iter().map(Part::citation).collect(),
            confidence: Confidence::High,
            ..RagResponse::default()
        },
        wrong,
    })
}

/// One sentence of an answer that is being made.
struct Part<'a> {
    fact: &'a Fact,
    sentence: String,
    source: SourceId,
    chunk: ChunkId,
    quote: String,
    reworded: bool,
    attributed: bool,
}

impl<'a> Part<'a> {
    fn new(fact: &'a Fact, reworded: bool) -> Self {
        let other = reworded.then(|| reword(&fact.sentence)).flatten();
        Self {
            fact,
            reworded: other.is_some(),
            sentence: other.unwrap_or_else(|| fact.sentence.clone()),
            source: fact.source_id.clone(),
            chunk: fact.chunk_id.clone(),
            quote: quote_of(&fact.sentence),
            attributed: false,
        }
    }

    /// Names the author: "Tandrik et al. report that weight fell."
    fn attribute(&mut self) {
        if !self.fact.author.is_empty() {
            self.sentence = attributed(&self.fact.author, &self.sentence);
            self.attributed = true;
        }
    }

    /// Plants the error, if the sentence can have it.
    fn spoil(&mut self, kind: ErrorKind, decoy: &Fact, foreign: &Fact, draws: &mut Draws) -> bool {
        match kind {
            ErrorKind::Author => {
                if !self.attributed || foreign.author.is_empty() || foreign.author == self.fact.author {
                    return false;
                }
                self.sentence = self.sentence.replacen(&self.fact.author, &foreign.author, 1);
            }
            ErrorKind::Source => {
                if decoy.source_id == self.fact.source_id {
                    return false;
                }
                self.source = decoy.source_id.clone();
                self.chunk = decoy.chunk_id.clone();
                self.quote = quote_of(&decoy.sentence);
            }
            ErrorKind::Quote => {
                let words: Vec<&str> = self.quote.split_whitespace().collect();
                if words.len() < 8 {
                    return false;
                }
                // The middle of the quote is of another paper.
                let (start, end) = (words.len() / 3, words.len() - words.len() / 3);
                let theirs = quote_of(&foreign.sentence);
                let theirs: Vec<&str> = theirs.split_whitespace().take(end - start).collect();
                let quote = [&words[..start], &theirs[..], &words[end..]].concat();
                self.quote = quote.join(" ");
            }
            ErrorKind::Merged => {
                if decoy.source_id == self.fact.source_id {
                    return false;
                }
                let first = self.sentence.trim_end_matches('.');
                self.sentence = format!("{first}, and {}", lower_first(&decoy.sentence));
            }
            _ => {
                let altered = alter::alter(kind, &self.sentence, &self.fact.passage, &foreign.passage, draws);
                let Some(altered) = altered else { return false };
                self.sentence = altered;
            }
        }
        true
    }

    fn citation(self) -> Citation {
        Citation {
            source_id: self.source,
            chunk_id: self.chunk,
            relevant_quote: self.quote,
            ..Citation::default()
        }
    }
}

fn attributed(author: &str, sentence: &str) -> String {
    format!("{author} et al. report that {}", lower_first(sentence))
}

/// Returns the sentence with its first letter in lower case, to continue another sentence. It is unchanged if it begins
/// with an acronym: if a capital or digit follows the first letter.
fn lower_first(sentence: &str) -> String {
    let mut chars = sentence.chars();
    let (Some(first), Some(second)) = (chars.next(), sentence.chars().nth(1)) else {
        return sentence.to_owned();
    };
    if second.is_lowercase() || second == ' ' {
        first.to_lowercase().chain(chars).collect()
    } else {
        sentence.to_owned()
    }
}

fn quote_of(sentence: &str) -> String {
    let words: Vec<&str> = sentence.split_whitespace().take(QUOTE_WORDS).collect();
    words.join(" ")
}
