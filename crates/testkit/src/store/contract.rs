//! The suite: every property with the function that checks it.

use super::{
    MakeStore, abbreviations,
    asking::open,
    reading::{self, at_the_same_time},
    sixty_sources, three_sources, writing,
};
use std::pin::Pin;

/// A check in progress.
type Checking<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;
/// A property of stores, and its check, which panics if a store does not have it.
type Property = (&'static str, for<'a> fn(MakeStore<'a>) -> Checking<'a>);

/// A check that reads a store of these sources.
macro_rules! reads {
    ($check:path, $sources:expr) => {
        |make| Box::pin(async move { $check(&open(make, $sources).await).await })
    };
}

/// A check that makes its own stores.
macro_rules! makes {
    ($check:path) => {
        |make| Box::pin($check(make))
    };
}

/// Properties of stores that look up words.
const OF_VOCABULARIES: [Property; 2] = [
    (
        "neighbours of a word are words of the chunks with the same first letter, nearest first; a word that is held has none",
        reads!(reading::neighbouring_words, three_sources()),
    ),
    (
        "abbreviations are found by the key of either form, with the number of sources that define them",
        makes!(abbreviations::abbreviations),
    ),
];

const PROPERTIES: [Property; 20] = [
    ("info counts the content, and equal content has the same identity", makes!(reading::info)),
    (
        "hits come best first and have both scores, whichever list found them",
        reads!(reading::scores, three_sources()),
    ),
    ("a plan's number of hits is an upper limit", reads!(reading::number_of_hits, three_sources())),
    (
        "equal scores are ordered by chunk id, and each hit has its explanation in the order of the hits",
        reads!(reading::ties_and_explanations, sixty_sources()),
    ),
    (
        "passages read by id are those that a retrieval returns",
        reads!(reading::same_passages, three_sources()),
    ),
    ("a blank question, an empty store and unknown words find nothing", makes!(reading::nothing_to_find)),
    ("a filter applies before any list is truncated", reads!(reading::deep_filter, sixty_sources())),
    ("the scope counts the sources that a filter admits", reads!(reading::filters, three_sources())),
    (
        "a question without a vector is an error if the mode needs one",
        reads!(reading::missing_vector, three_sources()),
    ),
    (
        "neighbours are of the same source and section, in reading order, without neighbours of their own",
        reads!(reading::neighbours, three_sources()),
    ),
    (
        "sentence data is returned when asked for, one entry for each sentence",
        reads!(reading::sentences, three_sources()),
    ),
    ("a sentence without a vector has similarity 0", makes!(reading::no_sentence_vector)),
    (
        "statistics count the chunks that contain a stem, for every stem of the question",
        reads!(reading::statistics, three_sources()),
    ),
    (
        "unknown ids are skipped; chunks and sources come in the promised order, each once",
        reads!(reading::ids, three_sources()),
    ),
    (
        "sources are found by words of their id, title, authors, venue and year",
        reads!(reading::words, three_sources()),
    ),
    ("calls from several threads return what sequential calls return", |make| {
        Box::pin(async move { at_the_same_time(&open(make, three_sources()).await).await })
    }),
    (
        "readers see nothing of the next version before it is committed, and a dropped version changes nothing",
        makes!(writing::uncommitted),
    ),
    (
        "a commit removes the sources that were neither kept nor added, and keeps the others as they were",
        makes!(writing::kept_and_removed),
    ),
    (
        "a source added again replaces the old one, and results do not depend on how many commits wrote the sources",
        |make| {
            Box::pin(async move {
                writing::replaced(make).await;
                writing::several_commits(make).await;
            })
        },
    ),
    (
        "an unknown source cannot be kept, no source comes twice, and a source with inconsistent parts is refused",
        makes!(writing::refused),
    ),
];

/// Checks that a store has every property of the suite, and returns the properties; panics on the first that fails,
/// after printing it.
pub async fn check(make: MakeStore<'_>) -> Vec<&'static str> {
    let mut held = Vec::new();
    let of_vocabularies = OF_VOCABULARIES.iter().filter(|_| make().has_vocabulary());
    for (property, check) in PROPERTIES.iter().chain(of_vocabularies) {
        println!("property: {property}");
        check(make).await;
        held.push(*property);
    }
    held
}
