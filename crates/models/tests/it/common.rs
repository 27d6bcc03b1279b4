//! What the tests with native libraries share.

use models::Runtime;
use std::path::{Path, PathBuf};

/// The folder of native libraries and models: `PIPELINE_NATIVES`, else `.natives` of the workspace.
fn natives() -> Option<PathBuf> {
    let folder = match std::env::var_os("PIPELINE_NATIVES") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.natives"),
    };
    folder.is_dir().then_some(folder)
}

/// ONNX Runtime and the folder that it was found in; says that the test is skipped where there is none.
pub(crate) fn runtime(test: &str) -> Option<(Runtime, PathBuf)> {
    let found = natives().filter(|folder| Runtime::find_in(folder).is_some());
    let Some(folder) = found else {
        eprintln!("skipped {test}: no ONNX Runtime; run scripts/setup.sh or set PIPELINE_NATIVES");
        return None;
    };
    let runtime = Runtime::load(&folder).expect("the library loads");
    Some((runtime, folder))
}
