//! The library of an index now and at the time of an answer, so that an old answer can say what has changed since.

use crate::{
    app::{App, Caller},
    failed::Failed,
    indexes::Place,
    library::Library,
    limits::OPEN_INDEXES,
    state::answers,
};
use engine::{EngineError, Pipeline};
use std::{collections::BTreeMap, sync::Arc};
use types::SourceId;

/// The library as it is now.
///
/// # Errors
/// When the index cannot be read.
pub(crate) async fn now(app: &App, place: &Place) -> Result<Arc<Library>, Failed> {
    of(app, place, &app.pipeline(place).await?).await
}

/// The library of an index; of one that was written since it was opened, and not looked at before, nothing is known.
///
/// # Errors
/// When the index cannot be read.
pub(crate) async fn of(app: &App, place: &Place, index: &Arc<Pipeline>) -> Result<Arc<Library>, Failed> {
    let known = app.libraries.lock().await.get(place).cloned();
    if let Some((of, library)) = known
        && of.as_ptr() == Arc::as_ptr(index)
    {
        return Ok(library);
    }
    let settings = app.indexes.settings_of(place);
    let read = move || engine::indexer(&settings).sources().map(Library::new);
    let library = Arc::new(app.pool().run(read).await.map_err(EngineError::from)??);
    let opened = Arc::clone(index);
    if !app.disk.run(move || opened.is_current().unwrap_or(false)).await {
        return Ok(Arc::default());
    }
    let mut all = app.libraries.lock().await;
    if all.len() >= OPEN_INDEXES {
        all.clear();
    }
    all.insert(place.clone(), (Arc::downgrade(index), Arc::clone(&library)));
    Ok(library)
}

/// The library of an answer, by its hash; `None` where it was not kept.
///
/// # Errors
/// When the state cannot be read.
pub(crate) async fn then(app: &App, caller: &Caller, hash: &str) -> Result<Option<Library>, Failed> {
    let (tenant, own) = (caller.tenant(), hash.to_owned());
    let Some(text) = app.state.read(move |c| answers::library(c, &tenant, &own)).await? else {
        return Ok(None);
    };
    Library::read(hash, &text).map(Some)
}

/// What became of these papers since an answer was made from the library with this hash; nothing is known of older answers.
pub(crate) async fn since<'i>(
    app: &App,
    caller: &Caller,
    hash: &str,
    ids: impl Iterator<Item = &'i SourceId>,
) -> BTreeMap<SourceId, String> {
    let now = match now(app, &caller.place()).await {
        Ok(now) if now.is_known() && now.hash != hash => now,
        Err(failed) if failed.parts.code == "no_papers" => Arc::default(),
        _ => return BTreeMap::new(),
    };
    let then = then(app, caller, hash).await.ok().flatten().unwrap_or_default();
    ids.filter_map(|id| Some((id.clone(), now.since(&then, id)?))).collect()
}
