//! Papers of the index that are corrected or deleted, and files that could not be read.

use crate::{
    app::{App, Caller},
    document::Json,
    extract::{Asked, Body, Path},
    failed::Failed,
    indexes::Place,
    operation::{Operation, Routes},
    routes::{
        own::no_paper,
        work::{IngestQuery, JobDocument, accepted, start},
    },
    state::{
        jobs::{Job, Kind},
        keys::Role,
    },
};
use axum::{
    extract::State,
    response::Response,
    routing::{delete, get, patch, post},
};
use engine::{
    EngineError, IndexerError,
    indexer::{MetadataChange, Remarks, UnreadFile},
};
use serde_json::json;
use std::{
    io,
    path::{Path as FilePath, PathBuf},
};
use types::{
    SourceId,
    files::holder,
    path_text::{self, shown},
};

pub(crate) fn routes() -> Routes {
    vec![
        Operation::delete(
            "/v1/papers/{id}",
            "Deletes the files of an uploaded paper and starts a job that takes it out of the index",
        )
        .role(Role::Write)
        .query::<IngestQuery>()
        .answers::<JobDocument>(202)
        .by(delete(remove_paper)),
        Operation::patch(
            "/v1/papers/{id}",
            "Corrects what is known of a paper, in the manifest beside it, and starts a job that indexes it again",
        )
        .role(Role::Write)
        .query::<IngestQuery>()
        .body::<MetadataChange>()
        .answers::<JobDocument>(202)
        .by(patch(change_paper)),
        Operation::get(
            "/v1/remarks",
            "What to look at: files that could not be read, papers that seem to be the same, text that is missing",
        )
        .query::<IngestQuery>()
        .answers::<Remarks>(200)
        .by(get(remarks)),
        Operation::post("/v1/remarks/{id}/retry", "Starts a job that reads a file again that could not be read")
            .role(Role::Write)
            .query::<IngestQuery>()
            .answers::<JobDocument>(202)
            .by(post(read_again)),
    ]
}

async fn change_paper(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Asked(asked): Asked<IngestQuery>,
    Body(change): Body<MetadataChange>,
) -> Result<Response, Failed> {
    Ok(accepted(correct(&app, &asked.place(&caller)?, &id, change).await?))
}

/// Corrects what is known of a paper, and starts the job that indexes it again.
///
/// # Errors
/// When there is no such paper, a value cannot be used, or its manifest cannot be written.
pub(crate) async fn correct(
    app: &App,
    place: &Place,
    id: &str,
    change: MetadataChange,
) -> Result<Job, Failed> {
    let (settings, source) = (app.indexes.settings_of(place), SourceId::from(id));
    let write = move || engine::indexer(&settings).correct(&source, &change);
    let written = app.disk.run(write).await.map_err(|error| no_paper(error.into(), id))?;
    index(app, place, &written.paper).await
}

/// Starts a job that reads this file.
async fn index(app: &App, place: &Place, path: &FilePath) -> Result<Job, Failed> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    start(app, place, Kind::Ingest, json!({ "path": path_text::encode(path), "files": [name] })).await
}

async fn remarks(
    State(app): State<App>,
    caller: Caller,
    Asked(asked): Asked<IngestQuery>,
) -> Result<Json<Remarks>, Failed> {
    let place = asked.place(&caller)?;
    let _turn = app.turn(&caller)?;
    remarks_of(&app, &place).await.map(Json)
}

/// What a person should look at.
///
/// # Errors
/// When the index cannot be read.
pub(crate) async fn remarks_of(app: &App, place: &Place) -> Result<Remarks, Failed> {
    let settings = app.indexes.settings_of(place);
    let read = move || engine::indexer(&settings).remarks();
    Ok(app.pool().run(read).await.map_err(EngineError::from)?)
}

async fn read_again(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Asked(asked): Asked<IngestQuery>,
) -> Result<Response, Failed> {
    Ok(accepted(retry(&app, &asked.place(&caller)?, &id).await?))
}

/// A file that could not be read and is there.
async fn unread_file(app: &App, place: &Place, id: &str) -> Result<UnreadFile, Failed> {
    let settings = app.indexes.settings_of(place);
    let find = move || engine::indexer(&settings).unread();
    let all = app.disk.run(find).await.map_err(EngineError::from)?;
    let file = all.into_iter().find(|file| file.id == id).filter(|file| holder(&file.path).is_some());
    file.ok_or_else(|| Failed::not_found("unread file", id))
}

/// Starts a job that reads a file again that could not be read.
///
/// # Errors
/// When no such file could not be read, or it is gone.
pub(crate) async fn retry(app: &App, place: &Place, id: &str) -> Result<Job, Failed> {
    let file = unread_file(app, place, id).await?;
    // Of a paper in an archive, the archive.
    let path = holder(&file.path).ok_or_else(|| Failed::not_found("unread file", id))?;
    index(app, place, path).await
}

/// Deletes an uploaded file that could not be read, and starts the job that forgets it.
///
/// # Errors
/// When there is no such file, or it was not uploaded.
pub(crate) async fn discard(app: &App, place: &Place, id: &str) -> Result<Job, Failed> {
    let (file, folder) = (unread_file(app, place, id).await?, app.indexes.papers(place));
    if file.path.parent() != Some(&folder) {
        let failed = Failed::invalid("not_uploaded", "the file was not uploaded").value(file.file);
        return Err(failed.hint("delete it from its folder, and run `pipeline ingest` again"));
    }
    app.disk.run(move || std::fs::remove_file(file.path).map_err(Failed::from)).await?;
    start(app, place, Kind::Ingest, json!({ "deleted": true })).await
}

async fn remove_paper(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Asked(asked): Asked<IngestQuery>,
) -> Result<Response, Failed> {
    Ok(accepted(removed(&app, &asked.place(&caller)?, id).await?))
}

/// Deletes the files of an uploaded paper, and starts the job that takes it out of the index.
///
/// # Errors
/// When there is no such paper, it was not uploaded, or its file holds others.
pub(crate) async fn removed(app: &App, place: &Place, id: String) -> Result<Job, Failed> {
    let (settings, folder) = (app.indexes.settings_of(place), app.indexes.papers(place));
    let source = SourceId::from(id.as_str());
    let remove = move || {
        let indexer = engine::indexer(&settings);
        let failed = |error: IndexerError| no_paper(error.into(), &id);
        let mut paths = indexer.printed(&source).map_err(failed)?.paths;
        let archive =
            |path: &PathBuf| holder(path).filter(|archive| archive != path).map(std::path::Path::to_owned);
        let inside = paths.iter().find_map(archive);
        // A file may be gone already: then this is another try.
        paths.retain(|path| path.starts_with(&folder));
        paths.sort();
        paths.dedup();
        let all = indexer.sources().map_err(failed)?;
        let has_others = |path: &&PathBuf| {
            if path.parent() != Some(&folder) {
                // It is in an archive.
                return true;
            }
            let path = shown(path);
            let mut there = all.iter().filter(|source| source.paths.contains(&path));
            there.clone().any(|source| source.record.is_some()) || there.nth(1).is_some()
        };
        if let Some(name) =
            inside.iter().chain(paths.iter().find(has_others)).next().and_then(|path| path.file_name())
        {
            let message = "the file that contains this paper may contain others";
            let failed = Failed::invalid("shared_file", message).value(name.to_string_lossy());
            return Err(failed.hint(
                "upload a file with the same name that omits this paper, or remove it from the index with `pipeline papers remove`",
            ));
        }
        if paths.is_empty() {
            let failed = Failed::invalid("not_uploaded", "the paper was not uploaded").value(id);
            return Err(failed.hint("`pipeline papers remove` takes it out of the index"));
        }
        for path in paths {
            match std::fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        Ok(())
    };
    app.disk.run(remove).await?;
    start(app, place, Kind::Ingest, json!({ "deleted": true })).await
}
