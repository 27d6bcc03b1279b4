//! The opened indexes, one for each tenant and collection. An index that was renewed is opened beside the old one, which answers
//! until the new one is ready.

use crate::{failed::Failed, limits::OPEN_INDEXES, name::Name};
use engine::{ComputePool, EngineError, Pipeline, settings::Settings};
use serde::Serialize;
use serde_json::{Value, to_value};
use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use tokio::{
    sync::{Mutex as Turn, OnceCell},
    task::spawn_blocking,
};
use types::locked;

/// How long an index counts as current after it was found to be.
const FRESH: Duration = Duration::from_millis(200);

/// A collection of a tenant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) tenant: Name,
    pub(crate) collection: Name,
}

impl Place {
    /// The collection that is meant where none is named.
    pub(crate) fn default_of(tenant: Name) -> Self {
        let collection = Name::of_default();
        Self { tenant, collection }
    }

    /// Whether it is the index that the server was started with.
    pub(crate) fn is_default(&self) -> bool {
        self.tenant == Name::of_default() && self.collection == Name::of_default()
    }
}

/// One index.
struct Slot {
    now: Mutex<(Option<Arc<Pipeline>>, Instant)>,
    /// Held while it is opened.
    opening: Arc<Turn<()>>,
}

/// All indexes.
pub(crate) struct Indexes {
    settings: Settings,
    data: PathBuf,
    slots: Mutex<HashMap<Place, Arc<Slot>>>,
    /// What the others share its models with.
    first: OnceCell<Pipeline>,
}

impl Indexes {
    /// Nothing is opened yet.
    pub(crate) fn new(settings: Settings, data: PathBuf) -> Self {
        Self { settings, data, slots: Mutex::default(), first: OnceCell::new() }
    }

    /// The folder of a tenant.
    pub(crate) fn folder_of(&self, tenant: &Name) -> PathBuf {
        self.data.join("companies").join(tenant.as_str())
    }

    /// The folder of the papers that were uploaded to a collection.
    pub(crate) fn papers(&self, place: &Place) -> PathBuf {
        self.folder_of(&place.tenant).join(place.collection.as_str()).join("papers")
    }

    /// A document as its tenant may see it: it does not tell where the files of the tenant are on this machine.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub(crate) fn shown(&self, place: &Place, document: impl Serialize) -> Result<Value, Failed> {
        let mut document = to_value(document).map_err(Failed::inside)?;
        for folder in [self.papers(place), self.folder_of(&place.tenant)] {
            uncover(&mut document, &folder.to_string_lossy());
        }
        Ok(document)
    }

    /// The settings with the index of a collection. The index that the server was started with is the collection `default` of
    /// the tenant `default`; other tenants have a log of runs and a cache of the replies of language models of their own.
    pub(crate) fn settings_of(&self, place: &Place) -> Settings {
        let mut settings = self.settings.clone();
        if !place.is_default() {
            let folder = self.folder_of(&place.tenant);
            settings.index.dir = folder.join(place.collection.as_str()).join("index");
        }
        if place.tenant != Name::of_default() {
            // No collection has a name with a dot.
            let folder = self.folder_of(&place.tenant);
            settings.llm.cache_dir = folder.join("llm.cache");
            if !settings.log.file.as_os_str().is_empty() {
                settings.log.file = folder.join("run_log.jsonl");
            }
        }
        settings
    }

    /// The index of a collection, as it is now or was a moment ago.
    ///
    /// # Errors
    /// When there is none or it cannot be opened.
    pub(crate) async fn get(self: &Arc<Self>, place: &Place) -> Result<Arc<Pipeline>, EngineError> {
        let slot = self.slot(place);
        let (found, checked) = locked(&slot.now).clone();
        let Some(pipeline) = found else {
            let _turn = slot.opening.lock().await;
            let found = locked(&slot.now).0.clone();
            return match found {
                Some(pipeline) => Ok(pipeline),
                None => self.open(&slot, place).await,
            };
        };
        if checked.elapsed() < FRESH {
            return Ok(pipeline);
        }
        let opened = Arc::clone(&pipeline);
        // An index that cannot be looked at is not renewed: what was opened still answers.
        let is_current = spawn_blocking(move || opened.is_current().unwrap_or(true));
        if is_current.await.unwrap_or(true) {
            locked(&slot.now).1 = Instant::now();
        } else if let Ok(turn) = Arc::clone(&slot.opening).try_lock_owned() {
            let (own, place) = (Arc::clone(self), place.clone());
            tokio::spawn(async move {
                let _turn = turn;
                // A writer may have gone on meanwhile; the next request tries again.
                let _ = own.open(&slot, &place).await;
            });
        }
        Ok(pipeline)
    }

    /// Opens the index anew after it was written.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub(crate) async fn renew(&self, place: &Place) -> Result<Arc<Pipeline>, EngineError> {
        let slot = self.slot(place);
        let _turn = slot.opening.lock().await;
        self.open(&slot, place).await
    }

    async fn open(&self, slot: &Slot, place: &Place) -> Result<Arc<Pipeline>, EngineError> {
        let settings = self.settings_of(place);
        let opened = if let Some(first) = self.first.get() {
            first.over_index(&settings).await?
        } else {
            let own = settings.clone();
            let open = Box::pin(async move { Pipeline::open(&own).await });
            // Loads models, on a thread of its own.
            let load = async || ComputePool::default().drive(true, open).await;
            let first = self.first.get_or_try_init(load).await?;
            if first.settings().index.dir == settings.index.dir {
                first.clone()
            } else {
                first.over_index(&settings).await?
            }
        };
        let opened = Arc::new(opened);
        *locked(&slot.now) = (Some(Arc::clone(&opened)), Instant::now());
        Ok(opened)
    }

    fn slot(&self, place: &Place) -> Arc<Slot> {
        let mut slots = locked(&self.slots);
        if slots.len() >= OPEN_INDEXES && !slots.contains_key(place) {
            // What was looked at longest ago is closed once its last request is answered.
            let age = |slot: &Slot| locked(&slot.now).1;
            let oldest = slots.iter().min_by_key(|(_, slot)| age(slot)).map(|(place, _)| place.clone());
            oldest.and_then(|oldest| slots.remove(&oldest));
        }
        let new = || Slot { now: Mutex::new((None, Instant::now())), opening: Arc::default() };
        Arc::clone(slots.entry(place.clone()).or_insert_with(|| Arc::new(new())))
    }
}

fn uncover(document: &mut Value, folder: &str) {
    match document {
        Value::String(text) if text.contains(folder) => {
            *text = text.replace(&format!("{folder}/"), "").replace(folder, "");
        }
        Value::Array(values) => values.iter_mut().for_each(|value| uncover(value, folder)),
        Value::Object(keys) => keys.values_mut().for_each(|value| uncover(value, folder)),
        _ => {}
    }
}
