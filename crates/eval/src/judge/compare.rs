//! Comparing an answer with a reference answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All that a judge reads to compare an answer with a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompareInput {
    /// The question.
    pub question: String,
    /// What a right answer says.
    pub reference: String,
    /// The answer, without citation marks.
    pub answer: String,
}

/// Whether an answer and a reference state the same facts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Compared {
    /// Whether they do.
    pub same_facts: bool,
    /// What compared them: the judge, and the version of its prompt.
    pub by: String,
    /// Why.
    pub reason: String,
    /// What is missing, contradicted or different.
    pub differences: Vec<String>,
}
