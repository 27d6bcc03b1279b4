//! What does each metric do when an answer is damaged?
//!
//! A metric that no damage moves measures nothing. Each [`Control`] damages good rows in one way, drawn by a seed;
//! [`table`] says for each metric how its mean changes. A metric is compared over the rows that have a value before and
//! after; rows that lose theirs are counted.

mod rows;
mod table;

use rows::damaged;
use table::{Cell, Effect, Table, table};

use strum::VariantArray as _;

/// A way to damage a row.
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Control {
    /// The passages, and the retrieved documents, are those of another row.
    ForeignPassages,
    /// Quotes of citations are those of another row.
    SwappedQuotes,
    /// A number of the answer is another one.
    ChangedNumber,
    /// A sentence is added that nothing supports.
    AddedSentence,
    /// The citations are gone, from the list and the text.
    DroppedCitations,
    /// The answer, with its citations, is that of another row.
    OtherAnswer,
    /// Every answer is a refusal.
    AlwaysRefuse,
    /// Every answer is empty.
    EmptyAnswer,
    /// Passages and documents are in a drawn order.
    ShuffledPassages,
    /// Passages and documents are in the reverse order.
    ReversedPassages,
}

impl Control {
    /// All of them, in the order of tables.
    pub const ALL: [Self; Self::VARIANTS.len()] = types::words::all(Self::VARIANTS);

    /// Its name in JSON.
    pub fn key(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests;
