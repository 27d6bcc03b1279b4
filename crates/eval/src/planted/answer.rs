//! An answer of facts, right or with one error.

use super::{ErrorKind, alter, wording::reword};
use crate::stats::Draws;
use types::{ChunkId, Citation, Confidence, RagResponse, SourceId};

/// Words of a quote at most.
const QUOTE_WORDS: usize = 40;

/// A sentence of a paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The sentence as it stands in the passage, with its full stop.
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
}

/// An answer of these facts. With `kind`, the first of them that can have such an error gets it; `None` if none can. With `reworded`,
/// sentences are in other words where that is possible. `decoy` and `foreign` are facts of two more papers: a sentence may wrongly cite
/// the first, and take a name or quote from the second.
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
        response: RagResponse {
            answer,
            citations: parts.into_iter().map(Part::citation).collect(),
            confidence: Confidence::High,
            ..RagResponse::default()
        },
        wrong,
    })
}

/// One sentence of the answer on its way.
struct Part<'a> {
    fact: &'a Fact,
    sentence: String,
    source: SourceId,
    chunk: ChunkId,
    quote: String,
    attributed: bool,
}

impl<'a> Part<'a> {
    fn new(fact: &'a Fact, reworded: bool) -> Self {
        let other = reworded.then(|| reword(&fact.sentence)).flatten();
        Self {
            fact,
            sentence: other.unwrap_or_else(|| fact.sentence.clone()),
            source: fact.source_id.clone(),
            chunk: fact.chunk_id.clone(),
            quote: quote_of(&fact.sentence),
            attributed: false,
        }
    }

    /// "Tandrik et al. report: Weight fell."
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

/// The sentence as it goes on another: its first letter small, unless a capital or digit follows (an acronym).
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
