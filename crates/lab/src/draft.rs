//! Drafts query sets from papers with a language model, to be reviewed by a person.
//!
//! Place in the flow: before an evaluation. [`spread`] chooses passages that are worth a question, over papers and sections.
//! A [`Writer`] asks a language model for a question with its answer and gold quotes, for a question that the papers do not
//! answer, or for the answer to a question that is given. Whatever the model writes is checked here: each quote stands word
//! for word in its passage, the answer has no number or name of its own, the question stands alone, copies nothing and
//! repeats no other. What fails twice is dropped, with the reason ([`Dropped`]).
//!
//! This module does not read an index and does not retrieve: the caller brings passages, and tests with the whole pipeline
//! whether the papers answer a question after all. Without a language model nothing is drafted; the passages are listed
//! instead.

mod checks;
mod dropped;
mod excerpt;
mod reasons;
mod sample;
mod wording;
mod writer;

pub use dropped::Dropped;
pub use excerpt::Excerpt;
pub use reasons::Reason;
pub use sample::{Candidate, spread};
pub use wording::Asked;
pub use writer::{Kind, NearMiss, Writer};

/// Labels of every drafted query.
pub const TAGS: [&str; 2] = ["synthetic", "unreviewed"];
