//! Builds the indexer from the settings.

use crate::indexer::{Indexer, IndexerSettings, Resources, Unavailable};
use crate::natives::Natives;
use crate::{parse, settings::Settings, stages, store::managed_store};
use ingest::{OcrSettings, Output, WorkerCommand};
use std::{path::Path, sync::Arc};
use types::Embedder;

/// The indexer of the index that the settings name. Nothing is loaded or written yet.
pub fn indexer(settings: &Settings) -> Indexer {
    let natives = Natives::find(settings);
    let own = IndexerSettings {
        index_dir: settings.index.dir.clone(),
        limits: settings.ingest.limits(),
        chunking: settings.chunk.chunking(),
        workers: stages::threads(settings.ingest.workers),
        outputs: outputs(settings, &natives),
    };
    let store = managed_store(settings);
    let settings = settings.clone();
    Indexer::new(store, own, Box::new(FromSettings { settings, natives }))
}

/// The program's own outputs that the settings name. They may be in a folder of papers, and are never read as papers.
fn outputs(settings: &Settings, natives: &Natives) -> Vec<Output> {
    let named = |path: &Path, what| Output { path: path.to_owned(), what };
    let mut outputs =
        vec![named(&settings.log.file, "the run log"), named(&settings.log.reports, "the folder of reports")];
    if let Ok(natives) = natives.folder() {
        outputs.push(named(natives, "the folder of native libraries and models"));
    }
    outputs
}

/// The models and programs that the settings name.
struct FromSettings {
    settings: Settings,
    natives: Natives,
}

impl Resources for FromSettings {
    fn embedder(&self) -> Result<Arc<dyn Embedder>, Unavailable> {
        stages::embedder(&self.settings, &self.natives).map_err(|error| Box::new(error) as Unavailable)
    }

    fn embedder_id(&self) -> Result<String, Unavailable> {
        stages::embedder_id(&self.settings, &self.natives).map_err(|error| Box::new(error) as Unavailable)
    }

    fn ocr(&self) -> Result<Option<OcrSettings>, Unavailable> {
        stages::ocr(&self.settings).map_err(|error| Box::new(error) as Unavailable)
    }

    fn worker(&self) -> Result<WorkerCommand, Unavailable> {
        parse::worker_command(&self.natives).map_err(|error| Box::new(error) as Unavailable)
    }
}
