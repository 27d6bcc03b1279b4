//! `evaluation_report.json`, the results of the earlier system: `{"hybrid": [ROW, …], "vector_only": [ROW, …]}`.
//!
//! [`read`] makes an [`Evaluation`](super::Evaluation) of such a file, so that it has the same report as our runs;
//! [`export`] writes one. A row has the keys of [`KEYS`]. Where that system and this one differ:
//!
//! - It counts a refusal as faithful, with citation precision 1. [`read`] keeps that, and notes how many rows it is about;
//!   [`export`] writes what our row says: null where the metric is n/a.
//! - It leaves out a question that failed. [`export`] writes its row, with null for what it has not and one more key, `error`.
//! - It has two modes. A run in mode `bm25` is written as `bm25_only`.
//! - Citation precision has three decimals, and an answer is cut after 300 characters.

mod export;
mod fields;
mod import;
mod notes;

pub use export::export;
pub use import::read;

use crate::EvalError;
use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use std::cell::Cell;
use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use types::{
    Mode,
    files::{DATA_BYTES, check_regular},
};

/// The keys of a row, in the order in which they are written.
pub const KEYS: [&str; 13] = [
    "query_id",
    "query_type",
    "query",
    "answer_preview",
    "confidence",
    "no_evidence",
    "num_citations",
    "citation_precision",
    "no_evidence_correct",
    "faithful",
    "faithfulness_note",
    "caveats",
    "mode",
];

/// The one more key of a row without an answer.
const ERROR: &str = "error";

/// The lists of a file and the modes of their rows. The first two are those of the earlier system.
const LISTS: [(&str, Mode); 3] =
    [("hybrid", Mode::Hybrid), ("vector_only", Mode::Vector), ("bm25_only", Mode::Bm25)];

/// Characters of `answer_preview`.
const ANSWER_CHARS: usize = 300;

/// Whether a file is such a report rather than a run log: its first JSON value is an object with one of the lists. Reads no
/// further than that, and holds nothing in memory.
///
/// # Errors
/// [`EvalError::Read`] when the file cannot be read.
pub fn detect(path: &Path) -> Result<bool, EvalError> {
    let unreadable = |source| EvalError::Read { path: path.to_path_buf(), source };
    let file = File::open(path).map_err(unreadable)?;
    check_regular(&file).map_err(unreadable)?;
    let mut reader = BufReader::new(file);
    let mut start = Vec::new();
    (&mut reader).take(BOM.len() as u64).read_to_end(&mut start).map_err(unreadable)?;
    if start == BOM {
        start.clear();
    }
    let mut json = serde_json::Deserializer::from_reader(start.chain(reader).take(DATA_BYTES));
    let found = Cell::new(false);
    // Where the JSON is damaged, what stands before the damage decides; whoever reads the file says what is wrong with it.
    let _ = json.deserialize_map(HasList(&found));
    Ok(found.get())
}

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Looks at the keys of an object.
struct HasList<'a>(&'a Cell<bool>);

impl<'de> Visitor<'de> for HasList<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if LISTS.iter().any(|(list, _)| *list == key) {
                self.0.set(true);
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}
