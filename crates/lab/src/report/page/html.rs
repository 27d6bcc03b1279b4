//! A page of HTML: no script, nothing to load, and a policy that forbids both.
//!
//! Every text goes through a template that escapes it, after what reorders or hides text is removed.

use super::{Block, Details, Line, Question, Questions, Span, Table, Tone};
use crate::report::clean::{clean, clean_line};
use base64::{Engine, engine::general_purpose::STANDARD};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The style sheet. With the rules of the filters, it is the only resource that the policy allows, by its hash.
const STYLE: &str = include_str!("style.css");
/// A cell with more characters keeps a width in which it can be read: the table scrolls instead.
const LONG: usize = 40;

pub(super) fn render(blocks: &[Block], title: &str) -> String {
    let style = format!("{STYLE}{}", filters(blocks));
    let hash = STANDARD.encode(Sha256::digest(style.as_bytes()));
    let policy =
        format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'");
    let sections = sections(blocks);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="generator" content="pipeline";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                meta name="color-scheme" content="light dark";
                title { (clean_line(title)) }
                style { (PreEscaped(style)) }
            }
            body {
                a class="skip" href="#main" { "Skip to the results" }
                @if sections.len() > 1 {
                    nav aria-label="Sections" { @for (anchor, name) in &sections { a href={ "#" (anchor) } { (name) } " " } }
                }
                main id="main" { (self::blocks(blocks, true)) }
            }
        }
    };
    page.into_string() + "\n"
}

/// The rules that hide questions which a filter does not choose. A key that could be more than a word of CSS has none.
fn filters(blocks: &[Block]) -> String {
    let mut keys: BTreeSet<&str> = BTreeSet::new();
    for block in blocks {
        if let Block::Questions(list) = block {
            keys.insert("failing");
            keys.extend(list.filters.iter().map(|(key, _)| key.as_str()).filter(|key| is_plain(key)));
        }
    }
    let mut out = String::new();
    for key in keys {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "body:has(#show-{key}:checked) .q:not(.{key}){{display:none}}");
    }
    out
}

fn is_plain(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_lowercase())
        && key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

/// Anchors and names of the headings of the page and of its folded parts.
fn sections(blocks: &[Block]) -> Vec<(String, String)> {
    let named = |(at, block): (usize, &Block)| match block {
        Block::Heading(2, line) => Some((section(at), clean_line(&line.words()))),
        Block::Details(part) => Some((section(at), clean_line(&part.summary.words()))),
        _ => None,
    };
    blocks.iter().enumerate().filter_map(named).collect()
}

fn section(at: usize) -> String {
    format!("s{at}")
}

/// The blocks; those of the page itself have anchors.
fn blocks(blocks: &[Block], is_page: bool) -> Markup {
    let alike = |a: &Block, b: &Block| {
        matches!(
            (a, b),
            (Block::Item(_), Block::Item(_))
                | (Block::Fact(..), Block::Fact(..))
                | (Block::Quote(_), Block::Quote(_))
        )
    };
    let mut at = 0;
    let mut groups = Vec::new();
    for group in blocks.chunk_by(alike) {
        groups.push((is_page.then(|| section(at)), group));
        at += group.len();
    }
    html! {
        @for (anchor, group) in groups {
            @match &group[0] {
                Block::Item(_) => ul { @for line in lines(group) { li { (inline(line)) } } },
                Block::Quote(_) => blockquote { @for line in lines(group) { p { (inline(line)) } } },
                Block::Fact(..) => dl {
                    @for block in group { @if let Block::Fact(name, line) = block { dt { (clean_line(name)) } dd { (inline(line)) } } }
                },
                block => (one(block, anchor.as_deref())),
            }
        }
    }
}

fn lines(group: &[Block]) -> impl Iterator<Item = &Line> {
    group.iter().filter_map(|block| match block {
        Block::Item(line) | Block::Quote(line) => Some(line),
        _ => None,
    })
}

fn one(block: &Block, anchor: Option<&str>) -> Markup {
    html! {
        @match block {
            Block::Title(line) | Block::Heading(1, line) => h1 { (inline(line)) },
            Block::Heading(2, line) => h2 id=[anchor] { (inline(line)) },
            Block::Heading(3, line) => h3 { (inline(line)) },
            Block::Heading(_, line) => h4 { (inline(line)) },
            Block::Verdict(line) => p class="verdict" { (inline(line)) },
            Block::Entry(number, _, line) => p { (number) ". " (inline(line)) },
            Block::Line(line) | Block::Item(line) | Block::Below(line) | Block::Aside(line) | Block::Quote(line) | Block::Fact(_, line) => {
                p { (inline(line)) }
            },
            Block::Code(text) => pre { (clean(text).trim_end()) },
            Block::Table(own) => (table(own)),
            Block::Details(part) => (details(part, anchor)),
            Block::Questions(list) => (questions(list)),
            Block::Gap => {},
        }
    }
}

fn details(part: &Details, anchor: Option<&str>) -> Markup {
    html! {
        details class="fold" id=[anchor] {
            summary { (inline(&part.summary)) }
            (blocks(&part.body, false))
        }
    }
}

fn inline(line: &Line) -> Markup {
    html! {
        @if let Some((text, target)) = &line.link {
            @match target {
                Some(target) => a href=(target.address) { (clean_line(text)) },
                None => (clean_line(text)),
            }
        }
        @for span in &line.spans { (part(span)) }
    }
}

fn part(Span { text, tone }: &Span) -> Markup {
    let text = clean(text);
    html! {
        @match tone {
            Tone::Plain | Tone::Mark | Tone::Address => (text),
            Tone::Strong | Tone::Bold => strong { (text) },
            Tone::Dim => span class="n" { (text) },
            Tone::Italic => em { (text) },
            Tone::Quoted => q { (text) },
            Tone::Decision(None) => strong { (text) },
            Tone::Decision(Some(true)) => span class="outcome right" { "✓ " (text) },
            Tone::Decision(Some(false)) => span class="outcome wrong" { "✗ " (text) },
        }
    }
}

/// A table that scrolls sideways where the window is narrow; the first column heads its rows.
fn table(Table { caption, headers, rows }: &Table) -> Markup {
    let caption = clean_line(caption);
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(caption) {
            table {
                @if !caption.is_empty() { caption { (caption) } }
                thead { tr { @for header in headers { th scope="col" { (clean_line(header)) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (at, cell) in row.iter().enumerate() {
                                @if at == 0 { th scope="row" { (clean_line(cell)) } }
                                @else { td class=[(cell.chars().count() > LONG).then_some("long")] { (clean_line(cell)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn questions(list: &Questions) -> Markup {
    let all = &list.questions;
    let failing = all.iter().filter(|one| !one.failed.is_empty()).count();
    let chosen = |key: &str| all.iter().filter(|one| one.filters.iter().any(|own| own == key)).count();
    let filters = list.filters.iter().filter(|(key, _)| is_plain(key) && chosen(key) > 0);
    html! {
        fieldset class="filter" {
            legend { "Show" }
            label { input type="radio" name="show" id="show-all" checked; " all " (all.len()) }
            label { input type="radio" name="show" id="show-failing"; " that failed in a mode, " (failing) }
            @for (key, title) in filters {
                label { input type="radio" name="show" id={ "show-" (key) }; " " (title) ", " (chosen(key)) }
            }
        }
        div class="grid-head" aria-hidden="true" {
            span { "Question" }
            span class="line" { span { "Mode" } span { "Answer" } @for title in &list.figures { span { (title) } } }
        }
        @for question in all { (question_of(question, &list.figures)) }
    }
}

fn question_of(question: &Question, figures: &[String]) -> Markup {
    let mut classes = vec!["q"];
    if !question.failed.is_empty() {
        classes.push("failing");
    }
    classes.extend(question.filters.iter().map(String::as_str).filter(|key| is_plain(key)));
    html! {
        details class=(classes.join(" ")) {
            summary {
                span class="what" {
                    b { (clean_line(&question.id)) } " " span class="n" { (clean_line(&question.kind)) } " " (clean_line(&question.text))
                }
                span class="lines" {
                    @for (mode, decision, values) in &question.answers {
                        span class="line" {
                            span { (clean_line(mode)) }
                            span { (inline(decision)) }
                            @for (title, value) in figures.iter().zip(values) {
                                span class="c" { span class="vh" { " " (title) " " } (clean_line(value)) }
                            }
                        }
                    }
                }
            }
            div class="open" { (blocks(&question.body.0, false)) }
        }
    }
}
