//! A text file that is searched by key: each line is a key, a tab and the rest, and lines are sorted. The last column are
//! the places of sources in the segment.

use super::{FileRecord, Mapped, Mapper, Output};
use crate::IndexError;
use std::{collections::BTreeMap, path::Path};

/// Collects the lines of a file: for each, without its last column, the places of sources.
#[derive(Debug, Default)]
pub(crate) struct LineWriter(BTreeMap<String, Vec<u32>>);

impl LineWriter {
    /// Adds a place to a line, given by its other columns with tabs between them; places rise.
    pub(crate) fn add(&mut self, line: String, place: u32) {
        let places = self.0.entry(line).or_default();
        if places.last() != Some(&place) {
            places.push(place);
        }
    }

    /// Writes the file.
    pub(crate) fn finish(self, dir: &Path, name: &str) -> Result<FileRecord, IndexError> {
        let mut out = Output::create(dir, name)?;
        for (line, places) in self.0 {
            let places: Vec<String> = places.iter().map(u32::to_string).collect();
            out.put(format!("{line}\t{}\n", places.join(" ")).as_bytes())?;
        }
        out.finish()
    }
}

/// Numbers with spaces between them.
pub(crate) fn read_places(list: &[u8]) -> Vec<u32> {
    let text = std::str::from_utf8(list).unwrap_or_default();
    text.split(' ').filter_map(|place| place.parse().ok()).collect()
}

/// The lines, mapped.
pub(crate) struct LineTable(Mapped<u8>);

impl LineTable {
    pub(crate) fn open(mapper: &Mapper, name: &str) -> Result<Self, IndexError> {
        Ok(Self(mapper.map_any(name)?))
    }

    /// What stands behind the first tab in each line with this key, in order.
    pub(crate) fn find(&self, key: &str) -> impl Iterator<Item = &[u8]> {
        lines_of(self.0.get(), key)
    }
}

/// What stands behind the tab in each line with this key, in order.
fn lines_of<'a>(lines: &'a [u8], key: &str) -> impl Iterator<Item = &'a [u8]> {
    let key = key.as_bytes().to_vec();
    let mut from = first_from(lines, &key);
    std::iter::from_fn(move || {
        let end = end_of_line(lines, from);
        let (of_line, rest) = split(lines.get(from..end)?);
        from = end + 1;
        if of_line == key { rest } else { None }
    })
}

/// Where the first line begins whose key is not before this one.
fn first_from(lines: &[u8], key: &[u8]) -> usize {
    let (mut from, mut to) = (0, lines.len());
    while from < to {
        let middle = from + (to - from) / 2;
        let start = lines[from..middle].iter().rposition(|b| *b == b'\n').map_or(from, |at| from + at + 1);
        let end = end_of_line(lines, middle);
        if split(&lines[start..end]).0 < key {
            from = (end + 1).min(to);
        } else {
            to = start;
        }
    }
    from
}

fn end_of_line(lines: &[u8], at: usize) -> usize {
    let rest = lines.get(at..).unwrap_or_default();
    let length = rest.iter().position(|b| *b == b'\n');
    length.map_or(lines.len(), |length| at + length)
}

/// The key of a line, and what stands behind its tab.
fn split(line: &[u8]) -> (&[u8], Option<&[u8]>) {
    match line.iter().position(|b| *b == b'\t') {
        Some(tab) => (&line[..tab], line.get(tab + 1..)),
        None => (line, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lines_of_a_key_are_found() {
        let lines = b"a\t1\nb\t2\nb\t3\nb c\t4\nd\t5\n";
        let check = |key: &str, want: &[&str]| {
            let found: Vec<&[u8]> = lines_of(lines, key).collect();
            let want: Vec<&[u8]> = want.iter().map(|line| line.as_bytes()).collect();
            assert_eq!(found, want, "{key}");
        };
        check("a", &["1"]);
        check("b", &["2", "3"]);
        check("b c", &["4"]);
        check("d", &["5"]);
        for key in ["", "A", "bb", "c", "e"] {
            check(key, &[]);
        }
    }

    #[test]
    fn damage_is_no_panic() {
        for bytes in
            [&b""[..], b"\n", b"\n\n\n", b"a", b"a\t", b"a\tx y\n", b"\xff\xfe\tz\n\n", b"z\t1\na\t2\n"]
        {
            for key in ["", "a", "z", "\u{10ffff}"] {
                let _ = lines_of(bytes, key).map(read_places).collect::<Vec<_>>();
            }
        }
    }
}
