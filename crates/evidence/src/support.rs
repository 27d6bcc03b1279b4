//! Claims, and whether a passage supports a claim.
//!
//! [`claims`] divides an answer into clauses, sentences and list items, each with the chunks that its inline marks
//! `(source_id, chunk_id)` cite. A [`types::SupportScorer`] then says how likely a passage is to support a claim, and how
//! likely it is to say the opposite; [`LexicalSupport`] does this offline. Guardrails use both to find unsupported claims.
//! Evaluation uses the same code for faithfulness and groundedness, so that both judge by the same rules.
//!
//! The offline judge finds the sentences that contain most of the claim. It compares words, numbers (with units converted),
//! names, negation, direction, comparisons, opposites and certainty ([`Features`]). With an embedder, it also compares the
//! vectors of words and sentences. Fitted trees turn the features into probabilities; fixed penalties for absent numbers and
//! names, denials and reversals are then applied. The scripts in `fit/support/` fit the trees and print held-out figures.
//!
//! It does not know where a passage came from, does not choose passages, runs no model itself (vectors come from a
//! [`types::Embedder`]) and does no I/O. Scores are probabilities in `0..=1`; a claim counts as supported from
//! [`LexicalSupport::THRESHOLD`] on. A claim and a passage in different languages are not compared. Spans are byte ranges
//! of the given answer.
//!
//! The unit of judgement, one claim against one cited passage, follows the attribution literature (Rashkin
//! et al. 2023, "attributable to identified sources"; Gao et al. 2023, ALCE); the features are
//! classic ones of textual entailment (coverage, numbers, negation, polarity).
//!
//! ```
//! use evidence::support::{LexicalSupport, claims};
//! use types::SupportScorer;
//!
//! let answer = "Walking lowered blood pressure (tandrik_2021, tandrik_2021__results__003).";
//! let claim = &claims(answer)[0];
//! assert_eq!(claim.text, "Walking lowered blood pressure.");
//! assert_eq!(claim.cited[0].as_str(), "tandrik_2021__results__003");
//! let judge = LexicalSupport::new();
//! let score = |passage| judge.support(&claim.text, passage).expect("both are English").score;
//! assert!(score("In both arms, walking lowered blood pressure. Weight fell.") > 0.9);
//! assert!(score("Walking raised blood pressure in both arms.") < 0.5);
//! ```

mod agree;
mod cache;
mod claims;
mod features;
mod lexical;
mod marks;
mod model;

pub use agree::{says, statements};
pub use claims::{Claim, claims, refuses};
pub use features::{FEATURES, Features, opposite_direction};
pub use lexical::{FITTED_WITH, LexicalSupport, OFFLINE_JUDGE};
pub use marks::{Mark, marks, rewrite_marks, strip_marks};

/// Title, authors and year of a source on one line, as a reader sees them; empty where nothing is known.
pub fn source_line(title: Option<&str>, authors: &[String], year: Option<u16>) -> String {
    let mut parts = Vec::new();
    parts.extend(title.map(|title| format!("{}.", title.trim_end_matches('.'))));
    if !authors.is_empty() {
        parts.push(format!("{}.", authors.join(", ")));
    }
    parts.extend(year.map(|year| format!("({year})")));
    parts.join(" ")
}

/// What a claim is judged against: the source and the text, so that a right attribution is supported and a wrong
/// one is not. A line that ends in a colon leads into the text.
pub fn passage(source_line: &str, text: &str) -> String {
    if source_line.is_empty() {
        text.to_owned()
    } else if source_line.ends_with(':') {
        format!("{source_line} {text}")
    } else {
        format!("{source_line}\n\n{text}")
    }
}
