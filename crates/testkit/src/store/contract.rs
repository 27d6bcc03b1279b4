//! The suite: what it checks, in order.

use super::{MakeStore, reading, writing};

/// What [`check`] verifies.
pub const PROPERTIES: [&str; 22] = [
    "info counts the content, and equal content has the same identity",
    "hits come best first and have both scores, whichever list found them",
    "a plan's number of hits is an upper limit",
    "equal scores are ordered by chunk id, and each hit has its explanation in the order of the hits",
    "passages read by id are those that a retrieval returns",
    "a blank question, an empty store and unknown words find nothing",
    "a filter applies before any list is truncated, and the scope counts the sources that it admits",
    "a question without a vector is an error if the mode needs one",
    "neighbours are of the same source and section, in reading order, without neighbours of their own",
    "sentence data is returned when asked for, one entry for each sentence",
    "a sentence without a vector has similarity 0",
    "statistics count the chunks that contain a stem, for every stem of the question",
    "unknown ids are skipped, known ones come in the order asked for",
    "sources are found by words of their id, title and authors",
    "neighbours of a word are words of the chunks with the same first letter, nearest first; a word that is held has none",
    "calls from several threads return what sequential calls return",
    "readers see nothing of the next version before it is committed, and a dropped sink changes nothing",
    "a commit removes the sources that were neither kept nor added, and keeps the others as they were",
    "a source added again replaces the old one",
    "results do not depend on how many commits wrote the sources",
    "what can be reused of a source is what was added, and gives the same results when it is added again",
    "an unknown source cannot be kept, no source comes twice, and a source with inconsistent parts is refused",
];

/// Checks that a store has all of [`PROPERTIES`]; panics on the first that fails.
pub async fn check(make: MakeStore<'_>) {
    reading::check(make).await;
    writing::check(make).await;
}
