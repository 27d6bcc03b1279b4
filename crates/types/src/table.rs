//! Rows of tables inside a chunk. Ingestion writes the cells of a row between ` | `, one row a sentence, below the caption.
//!
//! A row is understood by what stands above it: the caption, one to three rows of header, and the last line without cells,
//! which names the group that it belongs to ("All children").

use crate::Chunk;
use std::ops::Range;
use text::WordList;

/// What stands between two cells.
const CELLS: &str = " | ";

/// Most rows of a header.
const HEADER: usize = 3;

/// The longest line without cells that can stand inside a table, in characters.
const LABEL: usize = 90;

/// A row of a table with what stands above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRow<'a> {
    /// The caption, "Table 1. ..."; empty if the chunk does not contain it.
    pub caption: &'a str,
    /// A line between caption and header, "Mean (SE)"; may be empty.
    pub unit: &'a str,
    /// The last line above it that names a group of rows, "All children"; may be empty. Nothing says where a group ends.
    pub group: &'a str,
    /// Whether another row of the chunk has the same label.
    pub label_repeats: bool,
    /// The cells of the header, row by row; empty if the chunk does not contain it.
    pub header: Vec<&'a str>,
    /// For each cell but the first what stands above it, as in "Fish eaters: N"; empty if the header does not fit the row.
    pub columns: Vec<String>,
    /// The cells of the row: the first is its label.
    pub cells: Vec<&'a str>,
}

impl TableRow<'_> {
    /// The row as it is embedded and searched: caption, header, group and cells.
    pub fn with_context(&self) -> String {
        let mut parts: Vec<&str> = vec![self.caption, self.unit];
        parts.extend(&self.header);
        parts.push(self.group);
        parts.extend(&self.cells);
        parts.retain(|part| !part.is_empty());
        parts.join(" ")
    }

    /// Whether it is clear what its values are of: it has a label, and one value or the name of each column.
    pub fn is_clear(&self) -> bool {
        let values = self.cells.iter().skip(1).filter(|value| !value.is_empty());
        let has_label = self.cells.first().is_some_and(|label| !label.is_empty());
        has_label && (!self.columns.is_empty() || values.count() < 2)
    }
}

impl Chunk {
    /// The sentence with this index as the row of a table; `None` if it is none, or is part of the header.
    pub fn table_row(&self, index: usize) -> Option<TableRow<'_>> {
        let text = |at: usize| self.sentences.get(at).map(|sentence| self.sentence(sentence));
        let cells = cells(text(index).filter(|row| is_row(row))?);
        let head = self.table_head.iter().rev().map(String::as_str);
        let mut above = above((0..index).rev().filter_map(text).chain(head));
        let caption = match above.first() {
            Some(line) if is_caption(line) => above.remove(0),
            _ => "",
        };
        let top = above.iter().position(|line| is_row(line)).unwrap_or(above.len());
        let mut rows: Vec<Vec<&str>> =
            above.iter().filter(|line| is_row(line)).take(HEADER).map(|line| self::cells(line)).collect();
        let below = text(index + 1).filter(|line| is_row(line)).map(self::cells);
        let after = (index + 1..).map_while(text).filter(|line| !is_mark(line));
        if text(index).is_some_and(|line| is_among_names(&above, line, after)) {
            return None;
        }
        let part = part(&above);
        let named = rows.iter().take_while(|row| names_columns(row)).count();
        let named = if rows[..named].iter().any(|row| is_sign(row)) { named } else { 0 };
        let header = match rows.as_slice() {
            _ if !part.is_empty() => {
                rows = above[part.clone()].iter().map(|line| self::cells(line)).collect();
                HEADER
            }
            [] if is_header(&cells) || !caption.is_empty() && below.is_some() && is_scale(&cells) => {
                return None;
            }
            [upper] if is_header(upper) && is_lower(upper, &cells) => return None,
            [first] if below.as_ref().is_some_and(|third| is_third(first, &cells, third)) => return None,
            [first, second] if is_third(first, second, &cells) => return None,
            [first, second, third] if is_third(first, second, third) => 3,
            [upper, lower, ..] if is_header(upper) && is_lower(upper, lower) => 2,
            _ if named > 1 => named,
            // Without a caption, a row of words may be the first of a table that goes on from elsewhere.
            [upper, ..] if !caption.is_empty() && is_scale(upper) => 1,
            [upper, below @ ..] if is_header(upper) => {
                usize::from(!caption.is_empty() || !is_header(below.first().unwrap_or(&cells)))
            }
            _ => 0,
        };
        rows.truncate(header);
        let label = cells.first().copied().unwrap_or_default();
        let repeats = |at: usize| {
            at != index
                && text(at).is_some_and(|line| is_row(line) && self::cells(line).first() == Some(&label))
        };
        // Without a caption, the line above the first row may be a heading.
        let unit = top.checked_sub(1).filter(|_| !caption.is_empty()).map_or("", |at| above[at]);
        Some(TableRow {
            caption,
            unit,
            group: group(above.get(top.max(part.end)..).unwrap_or_default(), &cells),
            label_repeats: (0..self.sentences.len()).any(repeats),
            columns: columns(&rows, cells.get(1..).unwrap_or_default()),
            header: rows.concat(),
            cells,
        })
    }
}

/// What the rows at the start of a chunk are understood by if their table began in an earlier chunk: its caption, its first two
/// rows, what stands before them, and the last line that names a group. Empty if the chunk does not begin inside a table.
///
/// `before` are the lines before the chunk, from the last one to the first; `lines` are those of the chunk.
pub fn table_head<'a>(
    before: impl Iterator<Item = &'a str>,
    mut lines: impl Iterator<Item = &'a str>,
) -> Vec<String> {
    let first = lines.find(|line| !is_mark(line) && (is_caption(line) || !is_label(line)));
    if !first.is_some_and(is_row) {
        return Vec::new();
    }
    let above = above(before);
    let rows = || above.iter().enumerate().filter(|(_, line)| is_row(line));
    let first: Vec<Vec<&str>> = rows().take(HEADER).map(|(_, line)| cells(line)).collect();
    let is_third = matches!(first.as_slice(), [first, second, third] if is_third(first, second, third));
    let Some((end, _)) = rows().take(if is_third { HEADER } else { 2 }).last() else {
        return Vec::new();
    };
    let part = part(&above);
    let end = if part.is_empty() { end + 1 } else { part.end };
    let (head, rest) = above.split_at(end);
    let head = head.iter().enumerate();
    let kept = head.filter(|(at, line)| part.is_empty() || part.contains(at) || is_caption(line));
    let group = rest.iter().rev().find(|line| !is_row(line) || is_tested_group(line));
    kept.map(|(_, line)| line).chain(group).map(|line| (*line).to_owned()).collect()
}

/// The last header that stands below values, as the range of its lines: a table may have several parts, each with its own. Empty
/// if there is none.
fn part(above: &[&str]) -> Range<usize> {
    let last = (0..above.len()).rfind(|at| is_name(above[*at]));
    let Some(last) = last else { return 0..0 };
    let first = (0..last).rfind(|at| !is_name(above[*at])).map_or(0, |at| at + 1);
    let rows = &above[first..=last];
    let is_signed = rows.iter().any(|line| is_sign(&cells(line)));
    let is_below_values = above[..first].iter().any(|line| has_values(line));
    if is_signed && is_below_values { first..last + 1 } else { 0..0 }
}

/// Whether a row is one of several that name columns, or one below values, and values follow. Without a sign that it is a
/// header ("n = 43", "p", "1 vs 2" in one of them) it is a row of words.
fn is_among_names<'a>(above: &[&str], row: &'a str, below: impl Iterator<Item = &'a str>) -> bool {
    let mut below = below.take(HEADER + 1).peekable();
    let before = above.iter().rev().take_while(|line| is_name(line)).count();
    let mut rows = above[above.len() - before..].to_vec();
    rows.push(row);
    while let Some(next) = below.next_if(|line| is_name(line)) {
        rows.push(next);
    }
    is_name(row)
        && rows.iter().any(|line| is_sign(&cells(line)))
        && below.next().is_some_and(has_values)
        && (rows.len() > 1 || above.iter().any(|line| has_values(line)))
}

fn is_name(line: &str) -> bool {
    is_row(line) && names_columns(&cells(line))
}

/// Whether a cell says that its row is a header.
fn is_sign(cells: &[&str]) -> bool {
    cells.iter().any(|cell| is_count(cell) || cell.contains(" vs ") || is_test(cell, true))
}

/// Whether the cells of a row may name columns: three or more, none of them a value or what stands for one.
fn names_columns(cells: &[&str]) -> bool {
    let names = |cell: &&str| {
        let digits = cell.chars().filter(char::is_ascii_digit).count();
        let begins = cell.starts_with(char::is_alphabetic) && !cell.contains(['.', '<', '=']);
        let is_word = begins && cell.len() > 1 && digits <= 3 && !NO_VALUES.contains(&cell.to_lowercase());
        is_word || is_sign(&[cell])
    };
    let filled = cells.iter().filter(|cell| !cell.is_empty());
    filled.clone().count() >= 3 && filled.clone().all(names)
}

/// "n = 43", "(n=5)".
fn is_count(cell: &str) -> bool {
    let bare = cell.trim_start_matches('(').to_lowercase();
    bare.starts_with('n') && bare.trim_start_matches('n').trim_start().starts_with('=')
}

/// What stands for a value in a cell.
static NO_VALUES: WordList =
    WordList::new("yes; no; ns; na; nr; nd; none; ref; reference; n/a; not reported");

/// Whether a line is a row most of whose cells after the first are numbers.
fn has_values(line: &str) -> bool {
    let cells = cells(line);
    let values = cells.get(1..).unwrap_or_default();
    is_row(line) && values.iter().any(|cell| !cell.is_empty()) && !is_header(values)
}

/// The group that a row with these cells belongs to: of the lines above it, the last one without cells, or whose one value is a
/// probability: "Diabetes | <.0001" above "Yes | 151 | 33.4".
fn group<'a>(above: &[&'a str], cells: &[&str]) -> &'a str {
    let is_tested = is_tested(cells);
    let is_group = |line: &&&str| !is_row(line) || !is_tested && is_tested_group(line);
    let line = above.iter().rev().find(is_group);
    line.map_or("", |line| line.split(CELLS).next().unwrap_or_default())
}

fn is_tested_group(line: &str) -> bool {
    let cells = cells(line);
    is_tested(&cells) && cells.first().is_some_and(|label| is_label(label))
}

/// Whether all values of a row are probabilities.
fn is_tested(cells: &[&str]) -> bool {
    let mut values = cells.iter().skip(1).filter(|value| !value.is_empty()).peekable();
    values.peek().is_some() && values.all(|value| is_probability(value))
}

/// "<.0001", "0.042", ".0060".
fn is_probability(cell: &str) -> bool {
    let bare = cell.trim_start_matches(|c: char| "<>=≤≥p".contains(c) || c.is_whitespace());
    let digits = bare.strip_prefix("0.").or_else(|| bare.strip_prefix('.'));
    digits.is_some_and(|digits| digits.len() >= 2 && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// The lines of a table, from the caption on, of which the last one comes first.
fn above<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut above = Vec::new();
    for line in lines {
        if is_mark(line) {
            continue;
        }
        if !is_caption(line) && !is_row(line) && !is_label(line) {
            break;
        }
        above.push(line);
        if is_caption(line) {
            break;
        }
    }
    above.reverse();
    above
}

/// What stands above each of the values; empty if the header does not fit.
fn columns(header: &[Vec<&str>], cells: &[&str]) -> Vec<String> {
    let tested = cells.iter().any(|cell| is_probability(cell));
    let columns = match header {
        // Of two rows above the lowest one, the nearer one that fits. Where no value is a probability, tests stand beside groups.
        [first, second, third] => {
            let alone = heads(std::slice::from_ref(third), cells.len());
            let with = |upper: &Vec<&'_ str>| {
                let names = upper.iter().copied().filter(|name| tested || !is_test(name, true));
                heads(&[names.collect(), third.clone()], cells.len())
            };
            let fitting = [second, first].map(with).into_iter().find(|heads| *heads != alone);
            fitting.unwrap_or(alone)
        }
        header => heads(header, cells.len()),
    };
    let misfits = |(name, cell): (&String, &&str)| {
        let number = cell.split(|c: char| !c.is_ascii_digit() && c != '.').next();
        let is_large = number.is_some_and(|number| number.parse::<f32>().is_ok_and(|value| value > 1.0));
        is_large && is_test(name.rsplit(": ").next().unwrap_or(name), tested)
    };
    if columns.iter().zip(cells).any(misfits) {
        return Vec::new();
    }
    columns
}

/// "P value"; "p", too, if something says that it is no phosphorus.
fn is_test(name: &str, or_p: bool) -> bool {
    let letters: String = name.chars().filter(|c| c.is_alphabetic()).collect();
    let letters = letters.to_lowercase();
    letters == "pvalue" || letters == "pvalues" || (or_p && letters == "p")
}

/// What the rows of a header say of so many values.
fn heads(header: &[Vec<&str>], values: usize) -> Vec<String> {
    let whole = |row: &[&str]| {
        let skipped = row.len().checked_sub(values).filter(|more| *more <= 1)?;
        Some(row[skipped..].iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>())
    };
    // The cells of an upper row stand above equally many columns each. Its first cell may be that of the labels.
    let spread = |row: &[&str], lower: Option<&[String]>| {
        let each = |cells: &[&str]| {
            let each = values.checked_div(cells.len())?;
            let repeats =
                lower.is_some_and(|lower| lower.chunks(each.max(1)).all(|part| lower.starts_with(part)));
            (cells.len() > 1 && each * cells.len() == values).then_some((each, repeats))
        };
        let rest = row.get(1..).unwrap_or_default();
        let (cells, each) = match (each(row), each(rest)) {
            (Some((n, true)), None | Some((_, false))) | (Some((n, false)), None) => (row, n),
            (None | Some((_, false)), Some((n, true))) | (None, Some((n, false))) => (rest, n),
            _ => return None,
        };
        let heads = cells.iter().flat_map(|cell| std::iter::repeat_n((*cell).to_owned(), each));
        Some(heads.collect::<Vec<_>>())
    };
    match header {
        [one] => whole(one).or_else(|| spread(one, None)).unwrap_or_default(),
        [upper, lower] => {
            let Some(lower) = whole(lower) else {
                return Vec::new();
            };
            match spread(upper, Some(&lower)) {
                Some(upper) => upper
                    .iter()
                    .zip(&lower)
                    .map(|(a, b)| match (a.as_str(), b.as_str()) {
                        ("", name) | (name, "") => name.to_owned(),
                        (a, b) if a == b => b.to_owned(),
                        (a, b) => format!("{a}: {b}"),
                    })
                    .collect(),
                None => lower,
            }
        }
        _ => Vec::new(),
    }
}

/// Whether a line is only the mark of a footnote.
fn is_mark(line: &str) -> bool {
    line.chars().count() <= 2
}

/// Whether a sentence is a row: it has cells.
fn is_row(sentence: &str) -> bool {
    sentence.contains(CELLS)
}

/// A header names its columns: fewer than half of its cells are numbers. "Week 12" is none.
fn is_header(cells: &[&str]) -> bool {
    let is_number = |cell: &&&str| {
        let bare = cell.trim_start_matches(|c: char| "<>=~±≤≥+-−–(".contains(c) || c.is_whitespace());
        bare.starts_with(|c: char| c.is_ascii_digit())
    };
    let filled = cells.iter().filter(|cell| !cell.is_empty());
    2 * filled.clone().filter(is_number).count() < filled.count()
}

/// Whether the cells behind the first are points of one scale, each beyond the one before: years, or numbers of one unit
/// ("0 mg | 10 mg | 50 mg"). As the first row of a table they name columns.
fn is_scale(cells: &[&str]) -> bool {
    let point = |cell: &&str| {
        let digits = cell.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let (number, unit) = (&cell[..cell.len() - digits.len()], digits.trim());
        let is_year =
            unit.is_empty() && number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
        let is_measure = unit.starts_with(char::is_alphabetic) && !unit.contains(['(', ',', ' ']);
        let value = number.parse::<f32>().ok().filter(|_| is_year || is_measure)?;
        Some((value, unit.to_lowercase()))
    };
    let points = cells.iter().skip(1).map(point).collect::<Option<Vec<_>>>();
    let rises = |pair: &[(f32, String)]| pair[0].0 < pair[1].0 && pair[0].1 == pair[1].1;
    points.is_some_and(|points| points.len() >= 2 && points.windows(2).all(rises))
}

/// Whether a row is the lower one of a header: the cells of the upper one stand above several of its cells.
fn is_lower(upper: &[&str], row: &[&str]) -> bool {
    is_header(row) && upper.len() + 1 < row.len()
}

/// Whether these are the three rows of a header.
fn is_third(first: &[&str], second: &[&str], third: &[&str]) -> bool {
    is_header(first) && is_header(second) && is_lower(first, third) && is_lower(second, third)
}

/// A line without cells that can stand inside a table: words, but no statement. "≥ 65 years" is one.
fn is_label(line: &str) -> bool {
    let (letters, all) = (line.chars().filter(|c| c.is_alphabetic()).count(), line.chars().count());
    let begins = |c: char| c.is_alphanumeric() || "<>≤≥[(".contains(c);
    all <= LABEL && letters >= 2 && letters * 2 >= all && line.starts_with(begins) && !line.ends_with('.')
}

/// "Table 2. Mean values" and "TABLE II | Mean values", but neither "Tablets were given" nor "Table 2 shows that".
fn is_caption(sentence: &str) -> bool {
    let mut words = sentence.split_whitespace();
    let (Some(word), Some(number)) = (words.next(), words.next()) else {
        return false;
    };
    let bare = number.trim_end_matches(|c: char| !c.is_alphanumeric());
    let counts = bare.len() <= 4
        && (bare.contains(|c: char| c.is_ascii_digit())
            || !bare.is_empty() && bare.chars().all(|c| "IVX".contains(c)));
    let begins = |next: &str| next.starts_with(|c: char| !c.is_lowercase());
    word.eq_ignore_ascii_case("table")
        && counts
        && (number.ends_with(['.', ':']) || words.next().is_none_or(begins))
}

/// The cells of a row. Where blanks at its ends were cut off, the first and the last may be empty.
fn cells(row: &str) -> Vec<&str> {
    let (first, row) = match row.strip_prefix("| ") {
        Some(row) => (Some(""), row),
        None => (None, row),
    };
    let (row, last) = match row.strip_suffix(" |") {
        Some(row) => (row, Some("")),
        None => (row, None),
    };
    let inner = row.split(CELLS).map(str::trim);
    first.into_iter().chain(inner).chain(last).collect()
}

#[cfg(test)]
mod tests;
