//! The warning when the index that a run builds on is damaged.

use retrieve::IndexWriter;
use types::{Reporter, words::first_of};

/// Files that the warning names; the others are counted.
const NAMED: usize = 3;

/// Warns of what was lost or is damaged, and says what the run does about it.
pub(super) fn warn_of_damage(writer: &IndexWriter, reporter: &dyn Reporter) {
    if let Some(note) = writer.note() {
        reporter.warn(note);
    }
    let (Some(manifest), [first, ..]) = (writer.manifest(), writer.damages()) else {
        return;
    };
    let damages = writer.damages();
    let what = match damages {
        [_] => format!("{} ({})", first.file, first.reason),
        _ => first_of(damages.iter().map(|damage| &damage.file), NAMED),
    };
    let sources = &manifest.sources;
    let damaged = sources
        .iter()
        .filter(|s| writer.is_damaged(s.source_id()))
        .count();
    reporter.warn(&format!(
        "generation {} of the index is damaged in {what}; it is built again: {} of {} papers are taken over as they are, of \
         the others what is intact",
        manifest.generation,
        sources.len() - damaged,
        sources.len(),
    ));
}
