//! Downloads a model from the model hub into a folder that ONNX Runtime reads.
//!
//! The folder appears when it is whole: it is filled beside its place and then renamed.

use super::SetupError;
use crate::natives::{
    HubModel,
    hub::{ENDPOINT_VARIABLE, Hub},
};
use serde_json::{Map, Value, json};
use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};
use types::Reporter;

const MB: u64 = 1_000_000;

/// Downloads `model` into the natives folder, and gives the files by their paths from there. The caller holds the lock.
pub(super) async fn download(
    natives: &Path,
    model: &HubModel,
    reporter: &dyn Reporter,
) -> Result<Vec<String>, SetupError> {
    let endpoint = std::env::var(ENDPOINT_VARIABLE).ok();
    let hub = Hub::new(endpoint.as_deref())?;
    let work = super::work_in(natives)?;
    let folder = work.path().join(&model.folder);
    fs::create_dir(&folder).map_err(SetupError::io("create", &folder))?;

    let task = reporter.task("download", "MB", None);
    let (mut before, shown) = (0, AtomicU64::new(0));
    let (mut commit, mut digests) = (String::new(), Map::new());
    for file in &model.files {
        task.item(&file.local);
        let progress = |done: u64, total: Option<u64>| {
            task.estimate((before + total.unwrap_or(done)) / MB);
            let now = (before + done) / MB;
            // A download that begins again is shown when it is further than before.
            task.advance(now.saturating_sub(shown.fetch_max(now, Ordering::Relaxed)));
        };
        let target = folder.join(&file.local);
        // All files are of the commit that the first one is of.
        let done = hub.download(&model.repository, &file.remote, &commit, &target, &progress).await?;
        before += done.bytes;
        digests.insert(file.local.clone(), Value::String(done.sha256));
        if commit.is_empty() {
            commit = done.commit;
        }
    }
    write(&folder.join("model.json"), &json!(model.settings))?;
    let origin = json!({"repository": model.repository, "commit": commit, "sha256": digests});
    write(&folder.join("origin.json"), &origin)?;
    let place = natives.join(&model.folder);
    fs::rename(&folder, &place).map_err(SetupError::io("write", &place))?;
    let files = model.files.iter().map(|file| file.local.as_str());
    let files = files.chain(["model.json", "origin.json"]);
    Ok(files.map(|file| format!("{}/{file}", model.folder)).collect())
}

fn write(path: &Path, document: &Value) -> Result<(), SetupError> {
    fs::write(path, format!("{document:#}\n")).map_err(SetupError::io("write", path))
}
