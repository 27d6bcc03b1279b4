//! A page on a terminal.

use super::{Block, Line, Tone};
use crate::clean::clean;
use anstyle::{Effects, Style};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use std::fmt::Write;
use textwrap::{WordSeparator, core, wrap_algorithms::wrap_first_fit};
use unicode_width::UnicodeWidthStr;

/// A space at which no line is broken.
const HARD_SPACE: char = '\u{a0}';
/// Stands in words that are never broken; `clean` removes it from all text that is given.
const UNBROKEN: char = '\u{2060}';
/// The fewest columns of the names of facts.
const NAME: usize = 7;
/// The most bytes of a cell that is taken for a number.
const LONGEST_NUMBER: usize = 30;

pub(super) fn render(blocks: &[Block], width: Option<usize>, styled: bool) -> String {
    let mut out = Text {
        out: String::new(),
        width: width.unwrap_or(usize::MAX),
        styled,
        left: 0,
    };
    let facts = |a: &Block, b: &Block| matches!((a, b), (Block::Fact(..), Block::Fact(..)));
    for group in blocks.chunk_by(facts) {
        let names = group.iter().map(|block| match block {
            Block::Fact(name, _) => clean(name).width(),
            _ => 0,
        });
        let names = names.max().unwrap_or(0).max(NAME);
        for block in group {
            out.block(block, names);
        }
    }
    // No empty line at the end.
    let end = out.out.trim_end_matches('\n').len();
    out.out.truncate(out.out.len().min(end + 1));
    out.out
}

struct Text {
    out: String,
    width: usize,
    styled: bool,
    /// Columns left free before what stands below an entry.
    left: usize,
}

// Writing to a string cannot fail: the results of `write!` are dropped.
impl Text {
    fn block(&mut self, block: &Block, names: usize) {
        match block {
            Block::Entry(..) | Block::Below(_) | Block::Aside(_) | Block::Quote(_) => {}
            _ => self.left = 0,
        }
        match block {
            Block::Title(_) => {}
            Block::Gap => self.gap(),
            Block::Heading(line) => {
                self.gap();
                let strong = line.spans.iter().map(|(text, _)| (text.clone(), Tone::Strong));
                let (link, spans) = (line.link.clone(), strong.collect());
                self.line("", 0, &Line { link, spans });
            }
            Block::Line(line) => self.line("", 0, line),
            Block::Item(line) => self.line("- ", 2, line),
            Block::Entry(number, is_mark, line) => {
                let marker = if *is_mark {
                    self.styled(Tone::Strong, &format!("[{number}]")) + " "
                } else {
                    format!("{number}. ")
                };
                self.left = core::display_width(&marker);
                self.line(&marker, self.left, line);
            }
            Block::Below(line) | Block::Aside(line) => {
                self.line(&" ".repeat(self.left), self.left + 2, line);
            }
            Block::Quote(line) => {
                let indent = self.left + 2;
                self.line(&" ".repeat(indent), indent, line);
            }
            Block::Fact(name, line) => {
                let name = clean(name);
                let gap = " ".repeat(names + 2 - name.width().min(names));
                let name = self.styled(Tone::Dim, &name) + &gap;
                self.line(&name, names + 2, line);
            }
            Block::Table(headers, rows) => self.table(headers, rows),
            Block::Code(text) => {
                for line in clean(text).trim_end().lines() {
                    let _ = writeln!(self.out, "{line}");
                }
            }
        }
    }

    fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn styled(&self, tone: Tone, text: &str) -> String {
        let effects = match tone {
            Tone::Strong | Tone::Bold | Tone::Mark => Effects::BOLD,
            Tone::Dim => Effects::DIMMED,
            Tone::Plain | Tone::Italic | Tone::Quoted | Tone::Address => Effects::new(),
        };
        let style = Style::new().effects(if self.styled { effects } else { Effects::new() });
        format!("{style}{text}{style:#}")
    }

    /// The line behind `first`, broken at words; further rows have `rest` free columns.
    fn line(&mut self, first: &str, rest: usize, line: &Line) {
        let room = |used: usize| self.width.saturating_sub(used).max(1);
        let text = self.inline(line);
        let all = text.split(|c: char| c.is_whitespace() && c != HARD_SPACE);
        let all: Vec<&str> = all.filter(|word| !word.is_empty()).collect();
        let all = all.join(" ");
        let words = WordSeparator::AsciiSpace.find_words(&all).flat_map(|word| {
            if word.contains(UNBROKEN) {
                vec![word]
            } else {
                core::break_words([word], room(rest))
            }
        });
        let words: Vec<_> = words.collect();
        let widths = [core::display_width(first), rest].map(|used| room(used) as f64);
        let mut start = first.to_owned();
        for row in wrap_first_fit(&words, &widths) {
            let row: String = row.iter().flat_map(|word| [word.word, word.whitespace]).collect();
            let row = (start + &row).replace(UNBROKEN, "").replace(HARD_SPACE, " ");
            let _ = writeln!(self.out, "{}", row.trim_end());
            start = " ".repeat(rest);
        }
    }

    /// The text of a line with its styles; the path of a link stands last.
    fn inline(&self, line: &Line) -> String {
        let unbroken = |text: &str| {
            let text: String = text
                .chars()
                .map(|c| if c.is_whitespace() { HARD_SPACE } else { c })
                .collect();
            format!("{UNBROKEN}{text}")
        };
        let mut out = String::new();
        let (link, target) = line.link.clone().unwrap_or_default();
        out.push_str(&clean(&link));
        for (text, tone) in &line.spans {
            let text = clean(text);
            let shown = text.trim();
            let (before, after) = text.split_once(shown).unwrap_or_default();
            let shown = match tone {
                Tone::Quoted => format!("“{shown}”"),
                Tone::Address => unbroken(shown),
                _ => shown.to_owned(),
            };
            // A mark stays in the row of what it stands behind.
            let before = if *tone == Tone::Mark && out.ends_with(' ') {
                out.truncate(out.trim_end().len());
                "\u{a0}"
            } else {
                before
            };
            let _ = write!(out, "{before}{}{after}", self.styled(*tone, &shown));
        }
        if let Some(target) = target {
            let _ = write!(out, ": {}", unbroken(&clean(&target.path)));
        }
        out
    }

    /// Columns of numbers end below each other. Where the rows would be too wide, cells are broken at words.
    fn table(&mut self, headers: &[String], rows: &[Vec<String>]) {
        let flat = |cell: &String| clean(cell).split_whitespace().collect::<Vec<_>>().join(" ");
        let mut table = Table::new();
        table
            .load_style(presets::NOTHING)
            .set_header(headers.iter().map(flat))
            .add_rows(rows.iter().map(|row| row.iter().map(flat)));
        if let Ok(width) = u16::try_from(self.width) {
            table
                .set_content_arrangement(ContentArrangement::Dynamic)
                .set_width(width);
        }
        for (at, column) in table.column_iter_mut().enumerate() {
            let mut cells = rows.iter().filter_map(|row| row.get(at));
            if cells.all(|cell| is_number(cell)) {
                column.set_cell_alignment(CellAlignment::Right);
            }
            column.set_padding(if at + 1 < headers.len() { (0, 2) } else { (0, 0) });
        }
        for (at, row) in table.lines().enumerate() {
            let tone = if at == 0 { Tone::Dim } else { Tone::Plain };
            let row = self.styled(tone, row.trim_end());
            let _ = writeln!(self.out, "{row}");
        }
    }
}

/// Whether a cell is a number, perhaps with an interval or a unit, or stands for a missing one.
fn is_number(cell: &str) -> bool {
    let digits = cell.trim_start_matches(['+', '-', '−', '.', '[', '$', '<', '#', ' ']);
    let begins = digits.starts_with(|c: char| c.is_ascii_digit()) && cell.len() <= LONGEST_NUMBER;
    begins || matches!(cell, "" | "–" | "-" | "n/a" | "?")
}
