//! Pages of papers that were read a moment ago: turning back takes no process.

use crate::{
    app::{App, Caller},
    failed::Failed,
    indexes::Place,
    routes::own::{looked_up, paper_of},
};
use axum::body::Bytes;
use engine::{
    EngineError, Pipeline,
    indexer::SourceDetails,
    page::{Page, PageRequest, page as page_of, page_image},
    settings::Settings,
};
use std::{
    collections::VecDeque,
    fs,
    sync::{Arc, Mutex},
    time::SystemTime,
};
use types::{SourceId, locked};

/// Bytes of pictures, and entries, at most.
const BYTES: usize = 64 << 20;
const ENTRIES: usize = 400;

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
struct Entry {
    place: Place,
    wanted: Wanted,
    index: Arc<Pipeline>,
    files: Vec<Option<(SystemTime, u64)>>,
    kept: Kept,
}

/// The pages that were read last, the newest first.
#[derive(Default)]
pub(crate) struct Cache(Mutex<VecDeque<Entry>>);

/// When the files of a paper were changed last, and their lengths.
fn files_of(paper: &SourceDetails) -> Vec<Option<(SystemTime, u64)>> {
    let stamp = |path: &String| {
        let meta = fs::metadata(path).ok()?;
        Some((meta.modified().ok()?, meta.len()))
    };
    paper.source.paths.iter().map(stamp).collect()
}

impl Cache {
    fn find(
        &self,
        place: &Place,
        wanted: &Wanted,
        index: &Arc<Pipeline>,
        paper: &SourceDetails,
    ) -> Option<Kept> {
        let mut all = locked(&self.0);
        let at = all.iter().position(|entry| entry.place == *place && entry.wanted == *wanted)?;
        let entry = all.remove(at)?;
        if !Arc::ptr_eq(&entry.index, index) || entry.files != files_of(paper) {
            return None;
        }
        let kept = entry.kept.clone();
        all.push_front(entry);
        Some(kept)
    }

    fn keep(&self, entry: Entry) {
        let mut all = locked(&self.0);
        all.push_front(entry);
        let mut bytes = 0;
        let fits = |entry: &Entry| {
            if let Kept::Image(image) = &entry.kept {
                bytes += image.len();
            }
            bytes <= BYTES
        };
        let fitting = all.iter().take(ENTRIES).map(fits).take_while(|fits| *fits).count();
        all.truncate(fitting);
    }
}

/// What is kept of a page, or what its file has.
///
/// # Errors
/// When there is no such paper or page, or it cannot be read; for a picture, when the paper has none.
pub(super) async fn look(
    app: &App,
    caller: &Caller,
    wanted: Wanted,
) -> Result<(Arc<SourceDetails>, Kept), Failed> {
    let place = caller.place();
    let index = app.pipeline(&place).await?;
    let paper = Arc::new(paper_of(app, caller, &wanted.source).await?);
    if let Some(kept) = app.read_pages.find(&place, &wanted, &index, &paper) {
        return Ok((paper, kept));
    }
    let files = files_of(&paper);
    let (id, quote) = (wanted.source.to_string(), wanted.quote.clone());
    let read = if wanted.is_image {
        |settings: &Settings, id: &SourceId, request: &PageRequest| -> Result<Kept, EngineError> {
            page_image(settings, id, request).map(|(_, image)| Kept::Image(image.into()))
        }
    } else {
        |settings: &Settings, id: &SourceId, request: &PageRequest| -> Result<Kept, EngineError> {
            page_of(settings, id, request).map(|page| Kept::Page(Arc::new(page)))
        }
    };
    let kept = looked_up(app, caller, id, wanted.page, quote, read).await?;
    app.read_pages.keep(Entry { place, wanted, index, files, kept: kept.clone() });
    Ok((paper, kept))
}
