//! A page as Markdown.

use super::{
    Block, Details, Line, Span, Table, Tone,
    escape::{escape, escape_at, link},
    questions::FAILED,
};
use crate::report::clean::clean_line;
use std::fmt::Write;

/// Spaces before what belongs to an entry: CommonMark asks for the width of its number, other readers for four.
const BELOW: &str = "    ";

// Writing to a string cannot fail: the results of `write!` are dropped.
pub(super) fn render(blocks: &[Block]) -> String {
    let mut out = String::new();
    let shown = blocks
        .iter()
        .filter(|block| !matches!(block, Block::Gap | Block::Aside(_)))
        .filter(|block| !matches!(block, Block::Details(part) if part.on_page_only));
    let mut before: Option<&Block> = None;
    let mut in_entry = false;
    for block in shown {
        let together = match (before, block) {
            (Some(Block::Item(_)), Block::Item(_))
            | (Some(Block::Fact(..)), Block::Fact(..))
            | (Some(Block::Entry(..) | Block::Below(_)), Block::Entry(..) | Block::Below(_)) => true,
            (before, _) => before.is_none(),
        };
        in_entry = match block {
            Block::Entry(..) => true,
            Block::Below(_) | Block::Quote(_) => in_entry,
            _ => false,
        };
        let indent = if in_entry { BELOW.repeat(2) } else { String::new() };
        if let (Some(Block::Quote(_)), Block::Quote(_)) = (before, block) {
            let _ = writeln!(out, "{indent}>");
        } else if !together {
            out.push('\n');
        }
        before = Some(block);
        let _ = match block {
            Block::Heading(level, line) => writeln!(out, "{} {}", "#".repeat(*level), inline_at(line, false)),
            Block::Title(line) | Block::Verdict(line) => writeln!(out, "**{}**", inline_at(line, false)),
            Block::Line(line) => writeln!(out, "{}", inline(line)),
            Block::Item(line) => writeln!(out, "- {}", inline(line)),
            Block::Entry(number, _, line) => writeln!(out, "{number}. {}", inline(line)),
            Block::Below(line) => writeln!(out, "{BELOW}- {}", inline(line)),
            Block::Quote(line) => writeln!(out, "{indent}> {}", inline(line)),
            Block::Fact(name, line) => writeln!(out, "- {}: {}", escape(name), inline(line)),
            Block::Table(own) => write!(out, "{}", table(own)),
            Block::Questions(questions) => {
                let (own, left_out) = questions.failed(FAILED[1]);
                let tally = escape(&questions.tally(left_out));
                if own.rows.is_empty() {
                    writeln!(out, "{tally}")
                } else {
                    writeln!(out, "{}\n{tally}", table(&own))
                }
            }
            Block::Details(Details { summary, body, .. }) => {
                // A block of HTML, in which Markdown escapes nothing.
                let words: String = summary.spans.iter().map(|span| clean_line(&span.text)).collect();
                let summary = maud::html! { summary { (words) } }.into_string();
                writeln!(out, "<details>{summary}\n\n{}\n</details>", render(body))
            }
            Block::Code(text) => writeln!(out, "```text\n{}\n```", text.trim_end().replace("```", "'''")),
            Block::Gap | Block::Aside(_) => Ok(()),
        };
    }
    out
}

fn table(Table { headers, rows, .. }: &Table) -> String {
    let row = |cells: &Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rows: String = rows.iter().map(row).collect();
    format!("{}|{}\n{rows}", row(headers), "---|".repeat(headers.len()))
}

fn inline(line: &Line) -> String {
    inline_at(line, true)
}

fn inline_at(line: &Line, line_starts: bool) -> String {
    let mut out = match &line.link {
        Some((text, Some(target))) => link(text, &target.address),
        Some((text, None)) => escape(text),
        None => String::new(),
    };
    for Span { text, tone, .. } in &line.spans {
        let escaped = escape_at(text, line_starts && out.is_empty());
        // Escaping trims; the spaces around a part matter.
        let space = |is: bool| if is { " " } else { "" };
        let before = space(text.starts_with(char::is_whitespace) && !out.is_empty());
        let after = space(text.ends_with(char::is_whitespace) && !escaped.is_empty());
        let shown = match tone {
            Tone::Bold => format!("**{escaped}**"),
            Tone::Italic => format!("*{escaped}*"),
            Tone::Address => format!("<{text}>"),
            Tone::Mark => text.clone(),
            _ => escaped,
        };
        let _ = write!(out, "{before}{shown}{after}");
    }
    out.truncate(out.trim_end().len());
    out
}
