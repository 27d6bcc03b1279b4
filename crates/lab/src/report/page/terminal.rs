//! A page on a terminal.

use super::{Block, Details, Line, Questions, Table as Rows, Tone, questions::FAILED};
use crate::report::clean::clean;
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

/// How a terminal shows a page.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terminal {
    /// Columns of a line, where words and addresses allow it; `None` where lines are not broken.
    pub width: Option<usize>,
    /// Whether text may be bold or dim.
    pub styled: bool,
    /// Whether it shows what is folded away.
    pub unfolded: bool,
}

pub(super) fn render(blocks: &[Block], terminal: Terminal) -> String {
    let mut out = Text {
        out: String::new(),
        width: terminal.width.unwrap_or(usize::MAX),
        styled: terminal.styled,
        unfolded: terminal.unfolded,
        left: 0,
        folded: Vec::new(),
    };
    out.blocks(blocks);
    out.name_folded();
    // No empty line at the end.
    let end = out.out.trim_end_matches('\n').len();
    out.out.truncate(out.out.len().min(end + 1));
    out.out
}

struct Text {
    out: String,
    width: usize,
    styled: bool,
    unfolded: bool,
    /// Columns left free before what stands below an entry.
    left: usize,
    /// Parts that were only named.
    folded: Vec<String>,
}

// Writing to a string cannot fail: the results of `write!` are dropped.
impl Text {
    fn blocks(&mut self, blocks: &[Block]) {
        let facts = |a: &Block, b: &Block| matches!((a, b), (Block::Fact(..), Block::Fact(..)));
        for group in blocks.chunk_by(facts) {
            let names = group.iter().map(|block| match block {
                Block::Fact(name, _) => clean(name).width(),
                _ => 0,
            });
            let names = names.max().unwrap_or(0).max(NAME);
            for block in group {
                self.block(block, names);
            }
        }
    }

    /// Says which parts are folded away.
    fn name_folded(&mut self) {
        if self.folded.is_empty() {
            return;
        }
        self.gap();
        let named = format!("With --verbose: {}.", self.folded.join(", "));
        self.line("", 0, &Line::new().dim(named));
    }

    fn details(&mut self, part: &Details) {
        if part.on_page_only {
            return;
        }
        if self.unfolded {
            self.heading(&part.summary);
            self.blocks(&part.body);
        } else {
            self.folded.push(part.summary.words());
        }
    }

    fn questions(&mut self, questions: &Questions) {
        let most = if self.unfolded { usize::MAX } else { FAILED[0] };
        let (table, left_out) = questions.failed(most);
        if !table.rows.is_empty() {
            self.table(&table);
        }
        self.line("", 0, &Line::from(questions.tally(left_out)));
    }

    fn heading(&mut self, line: &Line) {
        self.gap();
        let strong = line.spans.iter().map(|span| super::Span { tone: Tone::Strong, ..span.clone() });
        let (link, spans) = (line.link.clone(), strong.collect());
        self.line("", 0, &Line { link, spans });
    }

    fn block(&mut self, block: &Block, names: usize) {
        match block {
            Block::Entry(..) | Block::Below(_) | Block::Aside(_) | Block::Quote(_) => {}
            _ => self.left = 0,
        }
        match block {
            Block::Title(_) => {}
            Block::Gap => self.gap(),
            Block::Heading(_, line) => self.heading(line),
            Block::Verdict(line) | Block::Line(line) => self.line("", 0, line),
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
            Block::Table(table) => self.table(table),
            Block::Details(part) => self.details(part),
            Block::Questions(questions) => self.questions(questions),
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
            Tone::Strong | Tone::Bold | Tone::Mark | Tone::Decision(_) => Effects::BOLD,
            Tone::Dim => Effects::DIMMED,
            _ => Effects::new(),
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
            if word.contains(UNBROKEN) { vec![word] } else { core::break_words([word], room(rest)) }
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
            let text: String = text.chars().map(|c| if c.is_whitespace() { HARD_SPACE } else { c }).collect();
            format!("{UNBROKEN}{text}")
        };
        let mut out = String::new();
        let (link, target) = line.link.clone().unwrap_or_default();
        out.push_str(&clean(&link));
        for super::Span { text, tone, .. } in &line.spans {
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
    fn table(&mut self, Rows { headers, rows, .. }: &Rows) {
        let flat = |cell: &String| clean(cell).split_whitespace().collect::<Vec<_>>().join(" ");
        let mut table = Table::new();
        table
            .load_style(presets::NOTHING)
            .set_header(headers.iter().map(flat))
            .add_rows(rows.iter().map(|row| row.iter().map(flat)));
        if let Ok(width) = u16::try_from(self.width) {
            table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
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
