//! What this program has written, recognised by a mark or by the form of its lines: it is no paper, and may be replaced.

use crate::files::write_atomic;
use serde::{Deserialize as _, de::IgnoredAny};
use serde_json::Deserializer;
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::Path,
};

/// Stands on a line of its own at the beginning and the end of Markdown, HTML and XML, which do not show it.
pub const MARK: &str = "<!-- written by pipeline -->";
/// Stands in the head of a picture.
const PICTURE: &str = "Software\0pipeline";
/// Stands in the head of a page, which browsers keep.
const GENERATOR: &str = r#"<meta name="generator" content="pipeline">"#;
/// How the last line of an answer in plain text begins.
pub const SIGNATURE: &str = "Written by pipeline";

/// Lines at the beginning and at the end of a file that may be a mark.
const NEAR: usize = 5;
/// Lines at the beginning of a file whose form is looked at: the first may be torn.
const LOOKED_AT: usize = 20;
/// Bytes at the end of a file in which marks are looked for.
const TAIL: u64 = 4096;
/// Bytes of a line of JSON, which must be read as a whole.
const LONGEST: u64 = 32 << 20;

/// The keys that tell a line or a document of JSON from all others.
const FORMS: [&[&str]; 14] = [
    // Run logs, also of the earlier system.
    &["timestamp", "query", "retrieval", "response"],
    // Reports: rows, summaries, and what the earlier system made of them.
    &["query_id", "mode", "scores", "no_evidence"],
    &["run_id", "modes", "comparison"],
    &["hybrid", "vector_only"],
    // Rows of benchmarks, samples of Ragas.
    &["query_id", "mode", "reranker"],
    &["query_id", "user_input", "retrieved_contexts", "retrieved_context_ids"],
    // Results.
    &["metadata", "results", "summary", "metrics", "gates", "against"],
    &["query_set", "varied", "combinations", "choice"],
    &["version", "sets"],
    &["id", "faithful", "score", "grade", "judge"],
    &["id", "error", "judge"],
    &["query", "answer", "citations", "no_evidence", "confidence"],
    &["query", "mode", "hits", "timings_ms"],
    &["columns", "papers", "model", "config_hash"],
];
/// How tables begin, and rankings end.
const TABLES: [&str; 3] = ["run_id,query_id,mode,", "combination,config_hash,mode,", "source_id,paper,year,"];
const RANKING: &str = "pipeline-";

/// Markdown with marks: below its first paragraph, most often a title, and at its end.
pub fn marked(markdown: &str) -> String {
    let (first, rest) = markdown.trim_end().split_once("\n\n").unwrap_or((markdown.trim_end(), ""));
    format!("{first}\n\n{MARK}\n{rest}\n{MARK}\n")
}

/// Writes the parts as [`write_atomic`] does, but not in the place of a file that this program did not write.
///
/// # Errors
/// As [`refuse_foreign`] and [`write_atomic`].
pub fn write_output(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    refuse_foreign(path)?;
    write_atomic(path, parts)
}

/// Fails where a file that this program did not write would be replaced.
///
/// # Errors
/// When there is such a file, or it cannot be read. An empty file holds nothing to lose.
pub fn refuse_foreign(path: &Path) -> io::Result<()> {
    let ours = match path.metadata() {
        Ok(meta) if meta.is_file() && meta.len() > 0 => is_ours(BufReader::new(File::open(path)?))?,
        _ => true,
    };
    if ours {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::AlreadyExists,
        "it exists and was not written by pipeline; remove it, or name another file",
    ))
}

/// Whether this program wrote a file, or the file from which it was copied in whole or from one end.
///
/// # Errors
/// When it cannot be read.
pub fn is_ours(mut file: impl BufRead + Seek) -> io::Result<bool> {
    let mut line = Vec::new();
    for at in 0..LOOKED_AT {
        line.clear();
        (&mut file).take(TAIL).read_until(b'\n', &mut line)?;
        if line.trim_ascii_start().starts_with(b"{") && !line.ends_with(b"\n") {
            (&mut file).take(LONGEST).read_until(b'\n', &mut line)?;
        } else if !line.ends_with(b"\n") {
            file.skip_until(b'\n')?;
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_start_matches('\u{feff}').trim();
        let form = match text {
            // A document on several lines.
            "{" => has_form(b"{".chain(&mut file)),
            _ => text.starts_with('{') && has_form(text.as_bytes()),
        };
        if form || is_row(text) || at < NEAR && is_mark(text) {
            return Ok(true);
        }
    }
    let end = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(end.saturating_sub(TAIL)))?;
    line.clear();
    file.read_to_end(&mut line)?;
    let tail = String::from_utf8_lossy(&line);
    let mut last = tail.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    Ok(last.by_ref().take(NEAR).any(is_mark))
}

fn is_mark(line: &str) -> bool {
    let signed = |rest: &str| rest.starts_with(": ") || rest.starts_with(" with ");
    line == MARK
        || line.contains(GENERATOR)
        || line.contains(PICTURE)
        || line.strip_prefix(SIGNATURE).is_some_and(signed)
}

/// Whether a document of JSON, whatever follows it, has the keys of one of ours.
fn has_form(json: impl Read) -> bool {
    let keys = BTreeMap::<String, Option<IgnoredAny>>::deserialize(&mut Deserializer::from_reader(json));
    keys.is_ok_and(|keys| FORMS.iter().any(|form| form.iter().all(|key| keys.contains_key(*key))))
}

/// Whether a line is of a table of rows, a ranking, settings, or a manual page.
fn is_row(line: &str) -> bool {
    let ranking = || match line.split(' ').collect::<Vec<_>>()[..] {
        [_, "Q0", _, _, _, tag] => tag.starts_with(RANKING) || starts_with_run_id(tag),
        _ => false,
    };
    TABLES.iter().any(|head| line.starts_with(head))
        || starts_with_run_id(line)
        || line.starts_with("# Written by `pipeline ")
        || line.starts_with(".TH pipeline")
        || ranking()
}

/// Whether a line begins with the id of a run, as `20260102T030405123Z-c0ffee00`, and goes on.
fn starts_with_run_id(line: &str) -> bool {
    let form = |(at, byte): (usize, u8)| match at {
        8 => byte == b'T',
        18 => byte == b'Z',
        19 => byte == b'-',
        20..28 => byte.is_ascii_hexdigit(),
        28 => matches!(byte, b',' | b'-'),
        _ => byte.is_ascii_digit(),
    };
    line.len() > 28 && line.bytes().take(29).enumerate().all(form)
}
