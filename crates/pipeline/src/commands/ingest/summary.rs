//! What a run did, for people.

use super::grouped::{Item, list};
use crate::words::{count, thousands};
use engine::indexer::{Duplicate, Failure, IngestSummary, OtherFiles};
use std::fmt::Write;

/// The summary; `all` names every file and warning.
pub(super) fn text(s: &IngestSummary, all: bool) -> String {
    let mut out = String::new();
    let failures = |all: &[Failure]| {
        all.iter()
            .map(|f| Item::new(&f.path, &f.reason))
            .collect::<Vec<_>>()
    };
    let pairs = |all: &[Duplicate], kind: &str| {
        let each = all.iter().map(|d| Item::pair(&d.path, kind, &d.same_as));
        each.collect::<Vec<_>>()
    };
    list(&mut out, "failed", &failures(&s.failed), "file", all);
    let before = s.failed_before.iter().map(|f| {
        let reason = format!("{} (in an earlier run; --retry-failed reads it again)", f.reason);
        Item::new(&f.path, &reason)
    });
    list(&mut out, "failed", &before.collect::<Vec<_>>(), "file", all);
    list(&mut out, "skipped", &failures(&s.skipped), "file", all);
    others(&mut out, &s.other_files);
    let empty = s.empty.iter().map(|path| Item::new(path, "no text to index"));
    list(&mut out, "empty", &empty.collect::<Vec<_>>(), "file", all);
    list(
        &mut out,
        "same",
        &pairs(&s.duplicates, "same bytes as"),
        "file",
        all,
    );
    list(
        &mut out,
        "same",
        &pairs(&s.same_paper, "same paper as"),
        "file",
        all,
    );
    let removed = s
        .removed
        .iter()
        .map(|id| Item::new(id.as_str(), "its file or record is gone"));
    list(&mut out, "removed", &removed.collect::<Vec<_>>(), "paper", all);
    let warnings = s.warnings.iter().map(|text| Item::warning(text));
    list(&mut out, "note", &warnings.collect::<Vec<_>>(), "paper", all);
    totals(&mut out, s);
    if let Some(manifest) = &s.manifest {
        let _ = writeln!(
            out,
            "wrote {} to {}; correct it and save it as manifest.csv beside the papers",
            count(manifest.rows as u64, "row"),
            super::grouped::short(&manifest.path)
        );
    }
    out
}

/// What was passed over, one line a kind.
pub(super) fn others(out: &mut String, others: &[OtherFiles]) {
    for kind in others {
        let first: Vec<String> = kind
            .first
            .iter()
            .map(|path| super::grouped::short(path))
            .collect();
        let more = match kind.count - first.len() {
            0 => String::new(),
            more => format!(" and {} more", thousands(more as u64)),
        };
        let _ = writeln!(
            out,
            "{:<9}{}: {}{more}",
            "skipped",
            count(kind.count as u64, &kind.kind),
            first.join(", ")
        );
    }
}

fn totals(out: &mut String, s: &IngestSummary) {
    let failed = s.failed.len() + s.failed_before.len();
    let _ = writeln!(
        out,
        "{}: {} added, {} changed{}, {} unchanged, {} removed, {failed} failed",
        count(s.found as u64, "file"),
        s.added,
        s.changed,
        match s.moved {
            0 => String::new(),
            moved => format!(" ({moved} only in where the file lies)"),
        },
        s.unchanged,
        s.removed.len(),
    );
    if let Some(rate) = s.pages_per_second {
        let _ = writeln!(
            out,
            "read {} of PDFs in {:.1} s ({rate:.0} pages/s)",
            count(s.pages_read, "page"),
            s.read_seconds
        );
    }
    if s.texts_read > 0 {
        let _ = writeln!(out, "read {} in other formats", count(s.texts_read, "paper"));
    }
    let stages = &s.stages;
    let _ = writeln!(
        out,
        "parsed {} ({} reused), chunked {} ({} reused), embedded {} of {} texts",
        stages.parse.done,
        stages.parse.reused,
        stages.chunk.done,
        stages.chunk.reused,
        thousands(stages.embed.done),
        thousands(stages.embed.total())
    );
    if s.embedded_texts > 0 {
        let rate = s.embedded_texts as f64 / s.embed_seconds.max(1e-3);
        let _ = writeln!(
            out,
            "embedding and writing took {:.1} s ({rate:.0} texts/s)",
            s.embed_seconds
        );
    }
    let mib = |bytes: Option<u64>| bytes.map_or_else(|| "unknown".to_owned(), |b| format!("{} MiB", b >> 20));
    let worker = s.worker_peak_bytes.map_or_else(String::new, |bytes| {
        format!(", {} in a PDF worker", mib(Some(bytes)))
    });
    let _ = writeln!(
        out,
        "index: generation {}, {}, {}; {:.1} s in total, peak memory {}{worker}",
        s.generation,
        count(s.sources as u64, "paper"),
        count(s.chunks as u64, "chunk"),
        s.seconds,
        mib(s.peak_bytes),
    );
}
