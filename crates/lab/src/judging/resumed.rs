//! A file of verdicts, one JSON object a line, that an interrupted run leaves behind and the next one continues.

use super::lines::JudgeLine;
use crate::error::LabError;
use std::{collections::HashMap, path::Path};
use types::{Reporter, files::write_atomic, journal::Journal, sealed};

/// The file. Lines are appended as they come, so that a killed run loses nothing; [`Self::finish`] writes it anew, in order.
pub(crate) struct ResumedFile {
    journal: Journal,
    lines: Vec<JudgeLine>,
    places: HashMap<String, usize>,
}

impl ResumedFile {
    /// Opens the file, or makes it, and reads its lines. Of several lines for one row the last counts. A torn last line is
    /// removed, and damaged ones are left out with a warning. With `fresh`, all lines are removed, but only if they are
    /// verdicts.
    ///
    /// # Errors
    /// When the file cannot be read or written, another process uses it, or it contains something else than verdicts.
    pub(crate) fn open(path: &Path, fresh: bool, reporter: &dyn Reporter) -> Result<Self, LabError> {
        let cannot_write = || LabError::io("write", path);
        let Some((journal, mut found)) = Journal::open(path).map_err(cannot_write())? else {
            return Err(LabError::Message(format!(
                "{} is in use by another run; wait for it, or name another file",
                path.display()
            )));
        };
        let foreign = |line: usize, reason: &str| {
            LabError::Message(format!(
                "{} is no file of verdicts (line {line}: {reason}); name another file for the output",
                path.display()
            ))
        };
        let wrong = |(number, line): &(usize, Vec<u8>)| {
            Some((*number, serde_json::from_slice::<JudgeLine>(line).err()?))
        };
        if let (false, Some((line, error))) = (found.sealed, found.lines.iter().find_map(wrong)) {
            return Err(foreign(line, &error.to_string()));
        }
        let torn = found.torn.trim_ascii();
        if found.lines.is_empty() && !found.sealed && !torn.is_empty() && !torn.starts_with(b"{") {
            return Err(foreign(1, "not JSON"));
        }
        let mut file = Self { journal, lines: Vec::new(), places: HashMap::new() };
        if fresh {
            file.journal.restart().map_err(cannot_write())?;
            return Ok(file);
        }
        for line in found.objects() {
            file.replace(line);
        }
        if let Some(warning) = found.warning(path) {
            reporter.warn(&warning);
        }
        file.journal.keep().map_err(cannot_write())?;
        Ok(file)
    }

    /// Puts a line in the place of the one with its id.
    fn replace(&mut self, line: JudgeLine) {
        if let Some(at) = self.places.get(&line.id.to_string()) {
            self.lines[*at] = line;
        } else {
            self.places.insert(line.id.to_string(), self.lines.len());
            self.lines.push(line);
        }
    }

    /// The lines.
    pub(crate) fn lines(&self) -> &[JudgeLine] {
        &self.lines
    }

    /// The line of this id, if it has a verdict on the same text with the same judge and threshold.
    pub(crate) fn verdict(&self, id: &str, key: &str) -> Option<&JudgeLine> {
        let line = &self.lines[*self.places.get(id)?];
        (line.error.is_none() && line.key == key).then_some(line)
    }

    /// Appends a line.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn append(&mut self, line: JudgeLine) -> Result<(), LabError> {
        let written = self.journal.append(&line);
        written.map_err(LabError::io("write", &self.journal.path))?;
        self.replace(line);
        Ok(())
    }

    /// Writes the file anew: first lines of rows that `order` does not name, then those that it names. The same rows give the
    /// same bytes, whether runs were interrupted or not.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn finish(mut self, order: &[String]) -> Result<Vec<JudgeLine>, LabError> {
        let rank: HashMap<&str, usize> = order.iter().map(String::as_str).zip(1..).collect();
        let place = |line: &JudgeLine| rank.get(line.id.to_string().as_str()).copied().unwrap_or(0);
        self.lines.sort_by_cached_key(place);
        let text: String = self.lines.iter().map(text_of).collect::<Result<_, _>>()?;
        let path = &self.journal.path;
        write_atomic(path, &[text.as_bytes()]).map_err(LabError::io("write", path))?;
        Ok(self.lines)
    }
}

fn text_of(line: &JudgeLine) -> Result<String, LabError> {
    let text = sealed::seal(b"", line);
    let text = text.map_err(|error| LabError::Message(format!("cannot write a verdict as JSON: {error}")))?;
    Ok(text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs;
    use types::Silent;

    fn line(id: &str, key: &str, error: Option<&str>) -> JudgeLine {
        JudgeLine {
            id: json!(id),
            key: key.to_owned(),
            error: error.map(str::to_owned),
            ..JudgeLine::default()
        }
    }

    #[test]
    fn a_torn_line_is_removed_and_errors_are_not_verdicts() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.jsonl");
        let mut file = ResumedFile::open(&path, false, &Silent).expect("opens");
        file.append(line("b", "k", None)).expect("appends");
        file.append(line("c", "k", Some("no reply"))).expect("appends");
        drop(file);
        let whole = fs::read_to_string(&path).expect("reads");
        fs::write(&path, format!("{whole}{{\"id\": \"a")).expect("written");

        let mut file = ResumedFile::open(&path, false, &Silent).expect("opens");
        assert!(file.verdict("\"b\"", "k").is_some() && file.verdict("\"b\"", "other").is_none());
        assert!(file.verdict("\"c\"", "k").is_none() && file.verdict("\"a\"", "k").is_none());
        file.append(line("c", "k", None)).expect("appends");
        file.append(line("a", "k", None)).expect("appends");
        let order = ["a", "b", "c"].map(|id| json!(id).to_string());
        let lines = file.finish(&order).expect("finishes");
        assert_eq!(lines.iter().map(|l| l.id.clone()).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(fs::read_to_string(&path).expect("reads").lines().count(), 3);
        let fresh = ResumedFile::open(&path, true, &Silent).expect("opens");
        assert!(fresh.lines().is_empty() && fresh.verdict("\"a\"", "k").is_none());
        assert!(fs::read(&path).expect("reads").is_empty());
    }

    #[test]
    fn a_changed_verdict_is_asked_for_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.jsonl");
        let mut file = ResumedFile::open(&path, false, &Silent).expect("opens");
        for id in ["a", "b"] {
            file.append(line(id, "k", None)).expect("appends");
        }
        file.finish(&[]).expect("finishes");
        let whole = fs::read_to_string(&path).expect("reads");
        fs::write(&path, whole.replacen("\"judge\":\"\"", "\"judge\":\"x\"", 1)).expect("written");
        let file = ResumedFile::open(&path, false, &Silent).expect("opens");
        assert!(file.verdict("\"a\"", "k").is_none() && file.verdict("\"b\"", "k").is_some());
    }

    #[test]
    fn other_files_are_not_touched() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notes.txt");
        for text in ["dear diary", "dear diary\n", "{\"id\":1,\"context\":\"c\",\"response\":\"r\"}\n"] {
            fs::write(&path, text).expect("written");
            for fresh in [false, true] {
                let error = ResumedFile::open(&path, fresh, &Silent).err().expect("no verdicts");
                assert!(error.to_string().contains("notes.txt is no file of verdicts (line 1"), "{error}");
                assert_eq!(fs::read_to_string(&path).expect("reads"), text);
            }
        }
    }

    #[test]
    fn two_runs_do_not_write_one_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.jsonl");
        let _open = ResumedFile::open(&path, false, &Silent).expect("opens");
        let error = ResumedFile::open(&path, false, &Silent).err().expect("in use");
        assert!(error.to_string().contains("in use by another run"), "{error}");
    }
}
