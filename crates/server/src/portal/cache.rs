//! Pages of papers that were read a moment ago: turning back takes no process.

use crate::indexes::Place;
use axum::body::Bytes;
use engine::{Pipeline, indexer::SourceDetails, page::Page};
use std::{
    collections::VecDeque,
    fs,
    sync::{Arc, Mutex, Weak},
    time::SystemTime,
};
use types::{SourceId, locked};

/// Bytes of pages, and entries, at most.
const BYTES: usize = 64 << 20;
const ENTRIES: usize = 400;

/// Questions that papers answer, and the index that they were made of.
pub(crate) type Made = (Weak<Pipeline>, Arc<[String]>);

/// What is kept of a page.
#[derive(Clone)]
pub(super) enum Kept {
    Page(Arc<Page>),
    Image(Bytes),
}

/// What is looked up: with a quote the places, without one and as a picture the picture.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) source: SourceId,
    pub(super) page: u32,
    pub(super) quote: Option<String>,
    pub(super) is_image: bool,
}

/// A page, and of which state of index and file it is.
pub(super) struct Entry {
    pub(super) place: Place,
    pub(super) wanted: Wanted,
    pub(super) index: Weak<Pipeline>,
    pub(super) files: Stamps,
    pub(super) kept: Kept,
}

/// The pages that were read last, the newest first.
#[derive(Default)]
pub(crate) struct Cache(Mutex<VecDeque<Entry>>);

/// When the files of a paper were changed last, and their lengths.
pub(super) type Stamps = Vec<Option<(SystemTime, u64)>>;

pub(super) fn files_of(paper: &SourceDetails) -> Stamps {
    let stamp = |path: &String| {
        let meta = fs::metadata(path).ok()?;
        Some((meta.modified().ok()?, meta.len()))
    };
    paper.source.paths.iter().map(stamp).collect()
}

impl Kept {
    fn bytes(&self) -> usize {
        match self {
            Self::Image(image) => image.len(),
            Self::Page(page) => {
                page.text.len() + page.boxes.iter().map(|line| 64 + line.text.len()).sum::<usize>()
            }
        }
    }
}

impl Cache {
    pub(super) fn find(
        &self,
        place: &Place,
        wanted: &Wanted,
        index: &Arc<Pipeline>,
        files: &Stamps,
    ) -> Option<Kept> {
        let mut all = locked(&self.0);
        let at = all.iter().position(|entry| entry.place == *place && entry.wanted == *wanted)?;
        let entry = all.remove(at)?;
        if entry.index.as_ptr() != Arc::as_ptr(index) || entry.files != *files {
            return None;
        }
        let kept = entry.kept.clone();
        all.push_front(entry);
        Some(kept)
    }

    pub(super) fn keep(&self, entry: Entry) {
        let mut all = locked(&self.0);
        all.retain(|other| other.place != entry.place || other.wanted != entry.wanted);
        all.push_front(entry);
        let mut bytes = 0;
        let fits = |entry: &&Entry| {
            bytes += entry.kept.bytes() + entry.wanted.quote.as_ref().map_or(0, String::len);
            bytes <= BYTES
        };
        let fitting = all.iter().take(ENTRIES).take_while(fits).count();
        all.truncate(fitting);
    }
}
