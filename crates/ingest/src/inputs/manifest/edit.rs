//! Changes the cells of one paper in a manifest; whatever else a person wrote there stays as it is, byte for byte.

use super::{COLUMNS, Row, rows};
use crate::inputs::decode;
use std::{borrow::Cow, ops::Range};
use types::{SourceId, csv::plain, csv::record};

/// How a text in UTF-8 may begin, and how spreadsheets tell it from other encodings.
const MARK: &str = "\u{feff}";

/// A record as it stands in the text.
struct Found {
    cells: Vec<String>,
    at: Range<usize>,
}

/// Checks cells of a paper, by column.
///
/// # Errors
/// When one cannot be used: why, in words for people.
pub fn check(id: &SourceId, cells: &[(&str, String)]) -> Result<(), String> {
    let names = cells.iter().map(|(name, _)| *name);
    let values = cells.iter().map(|(_, value)| value.as_str());
    if let Some((name, _)) = cells.iter().find(|(_, value)| value.contains(char::is_control)) {
        return Err(format!("{name} has a control character"));
    }
    let head = record(std::iter::once("source_id").chain(names));
    let read = rows(&format!("{head}\n{}\n", record(std::iter::once(id.as_str()).chain(values))))?;
    let note = read.notes.first().map(|note| note.trim_start_matches("line 2: ").to_owned());
    note.map_or(Ok(()), |note| Err(note.split("; the ").next().unwrap_or_default().to_owned()))
}

/// A manifest with these cells, by column, in the row of a source. `ids` are what the row may be called, the best first; without
/// any such row, one is added with the first. Empty bytes become a new manifest, and one that is not UTF-8 becomes UTF-8.
///
/// # Errors
/// When the change would change anything else, or as [`super::read`], in words for people. The cells are to be checked before.
pub fn edit(bytes: &[u8], ids: &[SourceId], cells: &[(&str, String)]) -> Result<Vec<u8>, String> {
    let id = ids.first().ok_or("it has no id")?;
    let plain = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    let old: Cow<'_, str> = match plain {
        Some("") => (record(COLUMNS) + "\n").into(),
        // As it is, with the ends of its lines.
        Some(text) => text.trim_start_matches(MARK).into(),
        None => decode(bytes).map_err(|error| error.to_string())?.text.into(),
    };
    if plain.is_none() && old.contains('\u{fffd}') {
        return Err("its encoding is not known; save it as UTF-8".to_owned());
    }
    let before = rows(&old)?;
    let there = ids.iter().find(|id| before.rows.iter().any(|row| row.source_id == **id));
    let name = there.unwrap_or(id).clone();
    let new = replaced(&old, &name, there.is_some(), cells)?;
    let after = rows(&decode(new.as_bytes()).map_err(|error| error.to_string())?.text)?;
    // What is read back decides: all other rows say what they said.
    let others = |all: &[Row]| {
        let others = all.iter().filter(|row| row.source_id != name);
        others.map(|row| (row.source_id.clone(), row.digest())).collect::<Vec<_>>()
    };
    let is_same = others(&before.rows) == others(&after.rows);
    if !is_same
        || !after.rows.iter().any(|row| row.source_id == name)
        || after.notes.len() > before.notes.len()
    {
        return Err("the change would change other cells, too; correct it by hand".to_owned());
    }
    let marked = plain.is_none_or(|text| text.starts_with(MARK));
    Ok([if marked { MARK } else { "" }, &new].concat().into_bytes())
}

/// The text with these cells in the row with this id, or in a new one.
fn replaced(text: &str, id: &SourceId, is_there: bool, cells: &[(&str, String)]) -> Result<String, String> {
    let (delimiter, table) = types::csv::layout(text);
    let separator = char::from(delimiter).to_string();
    let records = found(table, delimiter)?;
    let (head, body) = records.split_first().ok_or("it is empty")?;
    let is = |own: &str, name: &str| own.eq_ignore_ascii_case(name);
    let lacks = |name: &&str| !head.cells.iter().any(|own| is(own, name));
    let new: Vec<&str> = cells.iter().map(|(name, _)| *name).filter(lacks).collect();
    let columns: Vec<&str> = head.cells.iter().map(String::as_str).chain(new.iter().copied()).collect();
    let written = |of: &[String]| -> String {
        let cell = |(at, name): (usize, &&str)| {
            let own = of.get(at).map(|cell| plain(cell)).unwrap_or_default();
            let cell = cells.iter().find(|(column, _)| is(column, name)).map_or(own, |(_, cell)| cell);
            record([if is(name, "source_id") && of.is_empty() { id.as_str() } else { cell }])
        };
        columns.iter().enumerate().map(cell).collect::<Vec<_>>().join(&separator)
    };
    let names = head.cells.iter().position(|own| is(own, "source_id")).ok_or("it has no column source_id")?;
    let of_paper = |one: &&Found| {
        one.cells.len() == head.cells.len() && SourceId::from_stem(plain(&one.cells[names])) == *id
    };
    let target = body.iter().find(of_paper).filter(|_| is_there).map(|own| own.at.start);
    let mut out = text[..text.len() - table.len()].to_owned();
    let mut copied = 0;
    for one in &records {
        out += &table[copied..one.at.start];
        if Some(one.at.start) == target {
            out += &written(&one.cells);
        } else {
            out += &table[one.at.clone()];
            let is_head = one.at == head.at;
            out.extend(new.iter().map(|name| separator.clone() + if is_head { name } else { "" }));
        }
        copied = one.at.end;
    }
    out += &table[copied..];
    if target.is_none() {
        let end = if table.contains("\r\n") { "\r\n" } else { "\n" };
        if !out.ends_with('\n') {
            out += end;
        }
        out.extend([&*written(&[]), end]);
    }
    Ok(out)
}

/// The records of a table, the first of which names the columns.
fn found(table: &str, delimiter: u8) -> Result<Vec<Found>, String> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .has_headers(false)
        .trim(csv::Trim::All)
        .from_reader(table.as_bytes());
    let mut out: Vec<Found> = Vec::new();
    let place = |at: u64| usize::try_from(at).map_err(|error| error.to_string());
    let mut read = csv::StringRecord::new();
    while reader.read_record(&mut read).map_err(|error| error.to_string())? {
        // A record begins and ends with the empty lines around it.
        let start = place(read.position().map_or(0, csv::Position::byte))?;
        let end = place(reader.position().byte())?;
        let text = table.get(start..end).ok_or("it changes its encoding")?;
        let start = end - text.trim_start_matches(['\n', '\r']).len();
        let at = start..start + table[start..end].trim_end_matches(['\n', '\r']).len();
        out.push(Found { cells: read.iter().map(str::to_owned).collect(), at });
    }
    Ok(out)
}
