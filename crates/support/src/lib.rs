//! Claims, and whether a passage supports a claim.
//!
//! An answer is cut into [`claims`]: its sentences, each with the chunks that its inline marks
//! `(source_id, chunk_id)` cite. A [`types::SupportScorer`] then says how far one passage supports one claim;
//! [`LexicalSupport`] is the one that needs no model. Guardrails use both to find what an answer cannot show,
//! evaluation uses them for faithfulness and groundedness: the same code, so that neither is kinder than the
//! other.
//!
//! This crate does not know where a passage came from, does not choose passages, calls no model and does no
//! I/O. Scores are probabilities in `0..=1`; a claim counts as supported from
//! [`LexicalSupport::THRESHOLD`] on. Spans are UTF-8 bytes into the answer that was given.
//!
//! The unit of judgement, one sentence against one cited passage, follows the attribution literature (Rashkin
//! et al. 2023, "attributable to identified sources"; Gao et al. 2023, ALCE); the features of the lexical judge are
//! classic ones of textual entailment (coverage, numbers, negation, polarity).
//!
//! ```
//! use support::{LexicalSupport, claims};
//! use types::SupportScorer;
//!
//! let answer = "Walking lowered blood pressure (tandrik_2021, tandrik_2021__results__003).";
//! let claim = &claims(answer)[0];
//! assert_eq!(claim.text, "Walking lowered blood pressure.");
//! assert_eq!(claim.cited[0].as_str(), "tandrik_2021__results__003");
//! let judge = LexicalSupport::new();
//! assert!(judge.support(&claim.text, "In both arms, walking lowered blood pressure. Weight fell.").score > 0.9);
//! assert!(judge.support(&claim.text, "Walking raised blood pressure in both arms.").score < 0.5);
//! ```

mod claims;
mod cues;
mod features;
mod lexical;
mod marks;
mod passage;

pub use claims::{Claim, claims};
pub use features::Features;
pub use lexical::LexicalSupport;
pub use marks::{Mark, marks, rewrite_marks, strip_marks};
pub use passage::{passage, source_line};
