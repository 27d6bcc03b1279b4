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
    sync::{Arc, Mutex, Weak},
    time::{Duration, Instant, SystemTime},
};
use tokio::time::sleep;
use types::{SourceId, locked};

/// How long a page waits for others that are read, and looks again.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(50);
/// Bytes of pages, and entries, at most.
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
    index: Weak<Pipeline>,
    files: Stamps,
    kept: Kept,
}

/// The pages that were read last, the newest first.
#[derive(Default)]
pub(crate) struct Cache(Mutex<VecDeque<Entry>>);

/// When the files of a paper were changed last, and their lengths.
type Stamps = Vec<Option<(SystemTime, u64)>>;

fn files_of(paper: &SourceDetails) -> Stamps {
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
    fn find(&self, place: &Place, wanted: &Wanted, index: &Arc<Pipeline>, files: &Stamps) -> Option<Kept> {
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

    fn keep(&self, entry: Entry) {
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
    let own = Arc::clone(&paper);
    let files = app.disk.run(move || files_of(&own)).await;
    if let Some(kept) = app.read_pages.find(&place, &wanted, &index, &files) {
        return Ok((paper, kept));
    }
    let (id, quote) = (wanted.source.to_string(), wanted.quote.clone());
    let is_image = wanted.is_image;
    let read =
        move |settings: &Settings, id: &SourceId, request: &PageRequest| -> Result<Kept, EngineError> {
            if is_image {
                page_image(settings, id, request).map(|(_, image)| Kept::Image(image.into()))
            } else {
                page_of(settings, id, request).map(|page| Kept::Page(Arc::new(page)))
            }
        };
    let since = Instant::now();
    let kept = loop {
        match looked_up(app, caller, id.clone(), wanted.page, quote.clone(), read).await {
            // A reader who turns pages quickly waits.
            Err(failed) if failed.parts.code == "busy" && since.elapsed() < PATIENCE => sleep(PAUSE).await,
            read => break read?,
        }
    };
    let index = Arc::downgrade(&index);
    app.read_pages.keep(Entry { place, wanted, index, files, kept: kept.clone() });
    Ok((paper, kept))
}
