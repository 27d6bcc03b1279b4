//! Where results come from.

use engine::{COMMIT, VERSION, settings::Layers};
use eval::report::Setting;
use std::path::Path;

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

/// The name of a file, without its folder.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
