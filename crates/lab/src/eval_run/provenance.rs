//! Where the results of a run come from, and what must be the same for a run to go on.

use super::EvalRequest;
use crate::error::LabError;
use crate::report::words::count;
use engine::{
    COMMIT, Pipeline, VERSION,
    settings::{Layers, Settings},
};
use eval::{
    QuerySet, RunKey,
    report::{Provenance, Setting, SettingHelp, SettingsHelp},
};
use std::{collections::BTreeMap, path::Path};
use types::{RunRecord, StoreInfo};

/// Version and commit of this program.
pub(crate) fn version() -> String {
    format!("{VERSION}+{COMMIT}")
}

/// The settings as the report shows them: what shapes results, stage by stage.
pub(crate) fn architecture(layers: &Layers) -> Vec<Setting> {
    let shown =
        ["chunk", "embedding", "retrieve", "rerank", "expand", "generate", "guardrail", "eval", "phase2"];
    let each = |section: &'static str| {
        layers.entries().filter_map(move |(key, value, _)| {
            let (own, name) = key.split_once('.')?;
            (own == section).then(|| Setting {
                section: section.to_owned(),
                key: name.to_owned(),
                value: value.to_string(),
            })
        })
    };
    shown.into_iter().flat_map(each).collect()
}

/// What each setting means, for the report.
///
/// # Errors
/// Only if the compiled-in defaults cannot be read.
pub(crate) fn settings_help() -> Result<SettingsHelp, LabError> {
    let each = engine::settings::described()?.into_iter().map(|found| {
        let help = SettingHelp { text: found.text.to_owned(), default: found.default.to_string() };
        (found.key, help)
    });
    Ok(SettingsHelp(each.collect()))
}

pub(super) fn provenance(
    settings: &Settings,
    layers: &Layers,
    set: &QuerySet,
    request: &EvalRequest,
    (pipeline, info): (&Pipeline, &StoreInfo),
) -> Provenance {
    Provenance {
        architecture: architecture(layers),
        config_hash: settings.config_hash(),
        corpus: format!("{} in {}", count(info.sources, "paper"), count(info.chunks, "passage")),
        query_set: name_of(&request.queries),
        query_set_hash: set.hash().to_owned(),
        generation: info.generation.clone(),
        version: version(),
        git_commit: COMMIT.to_owned(),
        seed: settings.eval.seed,
        models: pipeline.models().clone(),
        prices: BTreeMap::new(),
    }
}

/// Distinguishes builds of the same commit: length and time of the program's file.
pub(crate) fn program_identity() -> String {
    let program = std::env::current_exe().and_then(std::fs::metadata);
    program.map_or_else(
        |_| "unknown".to_owned(),
        |meta| {
            let written = meta.modified().ok().and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
            format!("{}-{}", meta.len(), written.map_or(0, |t| t.as_secs()))
        },
    )
}

/// The id of a run that begins now.
pub(crate) fn new_run_id(config_hash: &str) -> String {
    let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
    format!("{now}-{}", &config_hash[..8.min(config_hash.len())])
}

/// A short hash of everything that must be the same for a run to be resumed.
pub(crate) fn run_identity(key: &RunKey) -> String {
    let parts = [&key.config_hash, &key.query_set_hash, &key.generation, &key.version];
    let mut name = types::digest::sha256_of_parts(&parts.map(String::as_bytes));
    name.truncate(12);
    name
}

pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// A record of a question without an answer lacks what the answerer would have filled in.
pub(crate) fn completed(mut record: RunRecord, provenance: &Provenance) -> RunRecord {
    if record.timestamp.is_empty() {
        record.timestamp = engine::timestamp();
    }
    if record.config_hash.is_empty() {
        record.config_hash.clone_from(&provenance.config_hash);
        record.git_commit.clone_from(&provenance.git_commit);
    }
    for (role, model) in &provenance.models {
        record.models.entry(role.clone()).or_insert_with(|| model.clone());
    }
    record
}
