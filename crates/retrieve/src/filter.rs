//! Which chunks a search may return.

use crate::{disk::SourceRecord, live::LiveRow};
use types::{Filter, SectionKind};

/// One flag for each chunk: whether the filter lets it pass.
pub(crate) fn allowed(filter: &Filter, rows: &[LiveRow], sources: &[SourceRecord]) -> Vec<bool> {
    let sources: Vec<bool> = sources.iter().map(|s| filter.admits(&s.meta)).collect();
    let sections: Vec<bool> = SectionKind::ALL
        .iter()
        .map(|kind| filter.admits_section(*kind))
        .collect();
    let flag = |flags: &[bool], at: u32| flags.get(at as usize).copied().unwrap_or(false);
    rows.iter()
        .map(|row| flag(&sources, row.source) && flag(&sections, row.section))
        .collect()
}
