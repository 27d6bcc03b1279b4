//! The words by which a source is found.

use std::collections::BTreeSet;
use text::{entities::lookup_stems, fold::fold};
use types::{SourceMeta, metadata_text};

/// The stems of a source: of its words, of the parts of hyphenated ones, and of the runs of letters and digits, so that
/// a surname is found however it is written.
pub fn source_stems(meta: &SourceMeta) -> BTreeSet<String> {
    let mut stems = BTreeSet::new();
    let text = metadata_text(meta);
    for text in [text.as_str(), meta.source_id.as_str()] {
        stems.extend(lookup_stems(text));
        let folded = fold(text);
        let runs = folded.text().split(|c: char| !c.is_alphanumeric());
        stems.extend(runs.filter(|run| !run.is_empty()).map(text::stem));
    }
    stems
}
