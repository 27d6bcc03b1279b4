//! A file of verdicts, one JSON object a line, that an interrupted run leaves behind and the next one continues.

use crate::error::EngineError;
use contract::{JudgeLine, JudgeScore};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    collections::HashMap,
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};
use types::files::{check_regular, write_atomic};

/// A line with a verdict.
pub(crate) trait VerdictLine: Serialize + DeserializeOwned {
    /// What tells it apart from the lines of other rows and judges.
    fn name(&self) -> String;
    /// The verdict.
    fn verdict(&self) -> &JudgeLine;
}

impl VerdictLine for JudgeLine {
    fn name(&self) -> String {
        self.id.to_string()
    }
    fn verdict(&self) -> &JudgeLine {
        self
    }
}

impl VerdictLine for JudgeScore {
    fn name(&self) -> String {
        serde_json::json!([self.set, self.line.id, self.line.judge]).to_string()
    }
    fn verdict(&self) -> &JudgeLine {
        &self.line
    }
}

/// The file. Lines are appended as they come, so that a killed run loses nothing; [`Self::finish`] writes it anew, in order.
pub(crate) struct ResumedFile<T> {
    path: PathBuf,
    file: File,
    lines: Vec<T>,
    places: HashMap<String, usize>,
}

impl<T: VerdictLine> ResumedFile<T> {
    /// Opens the file, or makes it, and reads its lines. Of several lines for one row the last counts. A torn last line is
    /// removed. With `fresh`, all lines are removed, but only if they are verdicts.
    ///
    /// # Errors
    /// When the file cannot be read or written, another process uses it, or it contains something else than verdicts.
    pub(crate) fn open(path: &Path, fresh: bool) -> Result<Self, EngineError> {
        let cannot = |action: &'static str| EngineError::io(action, path);
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .read(true)
            .open(path)
            .map_err(cannot("write"))?;
        check_regular(&file).map_err(cannot("write"))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(EngineError::Message(format!(
                "{} is in use by another run; wait for it, or name another file",
                path.display()
            )));
        }
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.read_to_end(&mut bytes))
            .map_err(cannot("read"))?;
        let whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let mut found = Self {
            path: path.to_path_buf(),
            file,
            lines: Vec::new(),
            places: HashMap::new(),
        };
        for (at, line) in bytes[..whole].split(|byte| *byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let line: T =
                serde_json::from_slice(line).map_err(|error| found.foreign(at + 1, &error.to_string()))?;
            found.replace(line);
        }
        if found.lines.is_empty()
            && !bytes[whole..].trim_ascii().is_empty()
            && !bytes[whole..].starts_with(b"{")
        {
            return Err(found.foreign(1, "not JSON"));
        }
        let mut kept = whole;
        if fresh {
            kept = 0;
            found.lines.clear();
            found.places.clear();
        }
        found.file.set_len(kept as u64).map_err(cannot("write"))?;
        Ok(found)
    }

    fn foreign(&self, line: usize, reason: &str) -> EngineError {
        EngineError::Message(format!(
            "{} is no file of verdicts (line {line}: {reason}); name another file for the output",
            self.path.display()
        ))
    }

    /// Puts a line in the place of the one with its name; [`Self::finish`] writes it.
    pub(crate) fn replace(&mut self, line: T) {
        if let Some(at) = self.places.get(&line.name()) {
            self.lines[*at] = line;
        } else {
            self.places.insert(line.name(), self.lines.len());
            self.lines.push(line);
        }
    }

    /// The lines.
    pub(crate) fn lines(&self) -> &[T] {
        &self.lines
    }

    /// The line of this name, if it has a verdict on the same text with the same judge and threshold.
    pub(crate) fn verdict(&self, name: &str, key: &str) -> Option<&T> {
        let line = &self.lines[*self.places.get(name)?];
        (line.verdict().error.is_none() && line.verdict().key == key).then_some(line)
    }

    /// Appends a line.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn append(&mut self, line: T) -> Result<(), EngineError> {
        let text = text_of(&line)?;
        self.file
            .write_all(text.as_bytes())
            .map_err(EngineError::io("write", &self.path))?;
        self.replace(line);
        Ok(())
    }

    /// Writes the file anew: first lines of rows that `order` does not name, then those that it names. The same rows give the
    /// same bytes, whether runs were interrupted or not.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn finish(mut self, order: &[String]) -> Result<Vec<T>, EngineError> {
        let rank: HashMap<&str, usize> = order.iter().map(String::as_str).zip(1..).collect();
        let place = |line: &T| rank.get(line.name().as_str()).copied().unwrap_or(0);
        self.lines.sort_by_cached_key(place);
        let text: String = self.lines.iter().map(text_of).collect::<Result<_, _>>()?;
        write_atomic(&self.path, &[text.as_bytes()]).map_err(EngineError::io("write", &self.path))?;
        Ok(self.lines)
    }
}

fn text_of(line: &impl Serialize) -> Result<String, EngineError> {
    let text = serde_json::to_string(line);
    let text =
        text.map_err(|error| EngineError::Message(format!("cannot write a verdict as JSON: {error}")))?;
    Ok(text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs;

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
        let mut file = ResumedFile::open(&path, false).expect("opens");
        file.append(line("b", "k", None)).expect("appends");
        file.append(line("c", "k", Some("no reply"))).expect("appends");
        drop(file);
        let whole = fs::read_to_string(&path).expect("reads");
        fs::write(&path, format!("{whole}{{\"id\": \"a")).expect("written");

        let mut file = ResumedFile::<JudgeLine>::open(&path, false).expect("opens");
        assert!(file.verdict("\"b\"", "k").is_some() && file.verdict("\"b\"", "other").is_none());
        assert!(file.verdict("\"c\"", "k").is_none() && file.verdict("\"a\"", "k").is_none());
        file.append(line("c", "k", None)).expect("appends");
        file.append(line("a", "k", None)).expect("appends");
        let order = ["a", "b", "c"].map(|id| json!(id).to_string());
        let lines = file.finish(&order).expect("finishes");
        assert_eq!(
            lines.iter().map(|l| l.id.clone()).collect::<Vec<_>>(),
            ["a", "b", "c"]
        );
        assert_eq!(fs::read_to_string(&path).expect("reads").lines().count(), 3);
        let fresh = ResumedFile::<JudgeLine>::open(&path, true).expect("opens");
        assert!(fresh.lines().is_empty() && fresh.verdict("\"a\"", "k").is_none());
        assert!(fs::read(&path).expect("reads").is_empty());
    }

    #[test]
    fn other_files_are_not_touched() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notes.txt");
        for text in [
            "dear diary",
            "dear diary\n",
            "{\"id\":1,\"context\":\"c\",\"response\":\"r\"}\n",
        ] {
            fs::write(&path, text).expect("written");
            for fresh in [false, true] {
                let error = ResumedFile::<JudgeLine>::open(&path, fresh)
                    .err()
                    .expect("no verdicts");
                assert!(
                    error
                        .to_string()
                        .contains("notes.txt is no file of verdicts (line 1"),
                    "{error}"
                );
                assert_eq!(fs::read_to_string(&path).expect("reads"), text);
            }
        }
    }

    #[test]
    fn two_runs_do_not_write_one_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.jsonl");
        let _open = ResumedFile::<JudgeLine>::open(&path, false).expect("opens");
        let error = ResumedFile::<JudgeLine>::open(&path, false)
            .err()
            .expect("in use");
        assert!(error.to_string().contains("in use by another run"), "{error}");
    }
}
