//! The rows of a file, joined with what other files know of their questions.

use super::EvaluateRequest;
use crate::{error::LabError, provenance::name_of};
use eval::metrics::one_recall;
use eval::rows::{FieldMap, Lookup, LookupKind, ReadOptions, RowSet, Sample, decode, join_qrels, read};
use eval::runlog::{LogIndex, resolve};
use std::path::Path;
use types::{
    Reporter,
    files::{DATA_BYTES, read_all, read_bounded},
};

/// The rows to score.
pub(super) struct Input {
    /// The name of the file; `-` for standard input.
    pub(super) name: String,
    /// The rows, with at most as many as the request asks for.
    pub(super) rows: Vec<Sample>,
    /// Rows before the limit.
    pub(super) in_file: usize,
    /// The format, for people.
    pub(super) format: String,
}

impl Input {
    /// Reads all files of a request, and reports what the user should know of them.
    ///
    /// # Errors
    /// When a file cannot be read or has wrong lines, or another file has nothing about any row.
    pub(super) fn read(request: &EvaluateRequest, reporter: &dyn Reporter) -> Result<Self, LabError> {
        let mut map = FieldMap::default();
        for pairs in &request.maps {
            map.extend(FieldMap::parse(pairs)?);
        }
        let options = ReadOptions {
            format: request.format,
            map,
            run: run_id(request)?,
            path: request.input.clone().unwrap_or_default(),
        };
        let path = request.input.as_deref();
        let shown = path.map_or_else(|| "standard input".to_owned(), |path| path.display().to_string());
        let decoded = decode(&shown, &bytes(path)?)?;
        let set: RowSet = read(&shown, &decoded.text, &options)?;
        let format = set.format_name();
        for note in decoded.warning.iter().chain(&set.notes) {
            reporter.warn(&format!("{shown}: {note}"));
        }
        let mut rows = set.rows;
        if let Some(path) = &request.qrels {
            let (name, text) = text_of(path)?;
            let added = join_qrels(&name, &text, &mut rows)?;
            if added > 0 {
                reporter.warn(&format!(
                    "{added} queries of {name} are not in {shown}; each is a row in which nothing was retrieved"
                ));
            }
        }
        for (path, kind) in
            [(&request.ground_truth, LookupKind::GroundTruth), (&request.queries, LookupKind::Queries)]
        {
            if let Some(path) = path {
                join(&mut rows, path, kind, &shown, reporter)?;
            }
        }
        let in_file = rows.len();
        if let Some(limit) = request.limit {
            rows.truncate(limit);
        }
        one_recall(&mut rows);
        Ok(Self { name: path.map_or_else(|| "-".to_owned(), name_of), rows, in_file, format })
    }
}

/// The id of the run that the request names; the file is then a run log.
fn run_id(request: &EvaluateRequest) -> Result<Option<String>, LabError> {
    let Some(wanted) = &request.run else {
        return Ok(None);
    };
    let Some(path) = &request.input else {
        let message = "a run cannot be read from standard input; name the run log";
        return Err(LabError::Message(message.to_owned()));
    };
    let log = LogIndex::open(path)?;
    Ok(resolve(&log, wanted)?.run_id.clone())
}

fn join(
    rows: &mut [Sample],
    path: &Path,
    kind: LookupKind,
    answers: &str,
    reporter: &dyn Reporter,
) -> Result<(), LabError> {
    let (name, text) = text_of(path)?;
    let lookup = Lookup::parse(&name, &text, kind)?;
    let joined = lookup.join(rows);
    if joined.rows == 0 {
        return Err(LabError::Message(format!(
            "none of the {} entries of {name} belongs to a row of {answers}; use the same query ids, or the same questions",
            lookup.len()
        )));
    }
    let without = rows.len() - joined.rows;
    if without > 0 {
        reporter.warn(&format!("{without} of {} rows of {answers} have no entry in {name}", rows.len()));
    }
    if joined.unused > 0 {
        reporter.warn(&format!(
            "{} of {} entries of {name} belong to no row of {answers}",
            joined.unused,
            lookup.len()
        ));
    }
    Ok(())
}

/// The name of a file and its text.
fn text_of(path: &Path) -> Result<(String, String), LabError> {
    let name = path.display().to_string();
    let text = decode(&name, &bytes(Some(path))?)?.text;
    Ok((name, text))
}

pub(crate) fn bytes(path: Option<&Path>) -> Result<Vec<u8>, LabError> {
    let read = match path {
        Some(path) => read_bounded(path, DATA_BYTES),
        None => read_all(std::io::stdin(), DATA_BYTES),
    };
    let name = path.unwrap_or(Path::new("standard input"));
    read.map_err(LabError::io("read", name))
}
