//! Plain text: paragraphs between blank lines, headings that stand alone, form feeds between pages.

use crate::draft::{Draft, caption_label, clean};
use crate::structure::join::Vocabulary;
use crate::structure::names;
use crate::{Limits, ParseError};
use types::{BlockKind, Document, SourceMeta};

/// A line, and the page that it stands on.
type Line<'a> = (u32, &'a str);

/// Reads a plain text. Its first lines are the title when they look like one.
///
/// # Errors
/// [`ParseError::TooManyPages`], [`ParseError::TooMuchText`].
pub(super) fn read(text: &str, limits: &Limits) -> Result<Document, ParseError> {
    let pages = text.matches('\u{c}').count().saturating_add(1);
    let pages = u32::try_from(pages).unwrap_or(u32::MAX);
    if pages > limits.max_pages {
        return Err(ParseError::TooManyPages { pages, limit: limits.max_pages });
    }
    let vocabulary = Vocabulary::new(text.lines());
    let mut runs: Vec<Run<'_>> = Vec::new();
    for paragraph in paragraphs(text) {
        split(&paragraph, &mut runs);
    }
    drop_headings_in_lists(&mut runs);
    let mut meta = SourceMeta::default();
    let mut draft = Draft::new(limits);
    let titled = match runs.as_slice() {
        [Run::Text(lines), _, ..] => title(lines),
        _ => None,
    };
    if titled.is_some() {
        meta.title = titled;
        runs.remove(0);
    }
    for run in runs {
        match run {
            Run::Heading(level, (page, line)) => {
                draft.page(page);
                draft.heading(level, line);
            }
            Run::Item(lines) => put(&mut draft, &lines, BlockKind::ListItem, &vocabulary),
            Run::Text(lines) => put(&mut draft, &lines, BlockKind::Paragraph, &vocabulary),
        }
    }
    // Form feeds at the end close the last page and begin none with text.
    let blank_end = text.trim_end().matches('\u{c}').count();
    draft.page(u32::try_from(blank_end + 1).unwrap_or(u32::MAX));
    draft.finish(meta, Vec::new())
}

/// What a paragraph is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Run<'a> {
    Heading(u8, Line<'a>),
    Item(Vec<Line<'a>>),
    Text(Vec<Line<'a>>),
}

/// Lines between blank ones. A page's end ends a paragraph, unless the sentence plainly goes on.
fn paragraphs(text: &str) -> Vec<Vec<Line<'_>>> {
    let mut out = Vec::new();
    let mut open: Vec<Line<'_>> = Vec::new();
    let mut page = 1;
    for line in text.split('\n') {
        for (i, part) in line.split('\u{c}').enumerate() {
            let turned = i > 0;
            page += u32::from(turned);
            let part = part.trim_end();
            let goes_on = turned
                && open.last().is_some_and(|(_, l)| !l.ends_with(['.', '!', '?', ':']))
                && part.starts_with(|c: char| c.is_lowercase());
            let blank = part.trim().is_empty() && !line.contains('\u{c}');
            if (blank || turned && !goes_on) && !open.is_empty() {
                out.push(std::mem::take(&mut open));
            }
            if !part.trim().is_empty() {
                open.push((page, part));
            }
        }
    }
    if !open.is_empty() {
        out.push(open);
    }
    out
}

/// Splits a paragraph into the headings at its beginning, items, and text.
fn split<'a>(paragraph: &[Line<'a>], out: &mut Vec<Run<'a>>) {
    let mut lines = paragraph;
    while let [(page, first), rest @ ..] = lines {
        let underlined = rest.first().is_some_and(|(_, l)| is_rule(l)) && first.chars().count() <= 120;
        let level = if underlined {
            Some(heading_level(first).unwrap_or(if rest[0].1.trim().starts_with('=') { 1 } else { 2 }))
        } else if rest.is_empty() || names::is_known(first) {
            heading_level(first)
        } else {
            None
        };
        let Some(level) = level else { break };
        out.push(Run::Heading(level, (*page, first.trim())));
        lines = if underlined { &rest[1..] } else { rest };
    }
    if lines.is_empty() {
        return;
    }
    // Programs that do not wrap lines put a paragraph on each.
    let long = lines.iter().map(|(_, l)| l.chars().count()).sum::<usize>() > 160 * lines.len();
    let mut run: Vec<Line<'a>> = Vec::new();
    let mut item = false;
    for line in lines {
        let starts_item = is_item(line.1);
        if (long || starts_item) && !run.is_empty() {
            out.push(finished(std::mem::take(&mut run), item));
        }
        if starts_item || run.is_empty() {
            item = starts_item;
        }
        run.push(*line);
    }
    out.push(finished(run, item));
}

fn finished(run: Vec<Line<'_>>, item: bool) -> Run<'_> {
    if item { Run::Item(run) } else { Run::Text(run) }
}

/// Turns headings that are the items of a numbered list ("1. …", "2. …" right behind each other) back into text.
fn drop_headings_in_lists(runs: &mut [Run<'_>]) {
    let counted = |run: &Run<'_>| matches!(run, Run::Heading(1, (_, line)) if names::numbering(line).depth == 1 && !names::is_known(line));
    let listed: Vec<bool> = runs.iter().map(counted).collect();
    for i in 0..runs.len() {
        let beside = i > 0 && listed[i - 1] || listed.get(i + 1) == Some(&true);
        if listed[i]
            && beside
            && let Run::Heading(_, line) = runs[i]
        {
            runs[i] = Run::Item(vec![line]);
        }
    }
}

/// The level of a line that is a heading by its number or by its name.
fn heading_level(line: &str) -> Option<u8> {
    let line = line.trim();
    let words = line.split_whitespace().count();
    if line.chars().count() > 120 || !(1..=14).contains(&words) || line.ends_with([',', ';']) {
        return None;
    }
    let numbered = names::numbering(line);
    let ends = line.ends_with('.');
    if names::is_known(line) && (!ends || words <= 3) && !line.contains(": ") {
        return Some(numbered.depth.max(1));
    }
    let title_like = numbered.words.starts_with(char::is_uppercase)
        && numbered.words.chars().filter(|c| c.is_alphabetic()).count() >= 3;
    (numbered.depth > 0 && title_like && !ends).then_some(numbered.depth)
}

fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && (line.bytes().all(|b| b == b'=') || line.bytes().all(|b| b == b'-'))
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    if line.starts_with(['•', '◦', '▪', '■', '●']) || line.starts_with("- ") || line.starts_with("* ")
    {
        return true;
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    (1..=2).contains(&digits) && (line[digits..].starts_with(") ") || line[digits..].starts_with(". "))
}

/// The title, when the first lines of a text are no sentence.
fn title(lines: &[Line<'_>]) -> Option<String> {
    let text = clean(&lines.iter().map(|(_, l)| *l).collect::<Vec<_>>().join(" "));
    let fits = lines.len() <= 3 && (3..=300).contains(&text.chars().count());
    (fits && !text.ends_with(['.', ':', ';', ',']) && text.contains(char::is_alphabetic)).then_some(text)
}

/// Adds a paragraph, its lines joined, each page's part known.
fn put(draft: &mut Draft, lines: &[Line<'_>], kind: BlockKind, vocabulary: &Vocabulary) {
    let mut whole = String::new();
    // Where each page's part begins in the whole.
    let mut starts: Vec<(usize, u32)> = Vec::new();
    for (page, line) in lines {
        let line = clean(line);
        vocabulary.join(&mut whole, &line);
        if starts.last().is_none_or(|(_, p)| p != page) {
            // Whatever is closed up before it, a line is appended as it is.
            let at = whole.len().saturating_sub(line.len());
            starts.push((whole.floor_char_boundary(at), *page));
        }
    }
    Vocabulary::finish(&mut whole);
    let label = caption_label(&whole);
    let kind = if label.is_some() { BlockKind::Caption } else { kind };
    if let [(_, first), further @ ..] = starts.as_slice() {
        draft.paged(kind, &whole, *first, further, label.as_deref());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use types::{Document, SectionKind};

    fn document(text: &str) -> Document {
        read(text, &Limits::default()).expect("small")
    }

    fn outline(document: &Document) -> Vec<(u8, &str, String)> {
        let each = document.sections.iter();
        each.map(|s| (s.level, s.heading.as_str(), document.section_text(s).to_owned())).collect()
    }

    fn shown<'a>(outline: &'a [(u8, &'a str, String)]) -> Vec<(u8, &'a str, &'a str)> {
        outline.iter().map(|(l, h, t)| (*l, *h, t.as_str())).collect()
    }

    #[test]
    fn headings_alone_on_a_line_become_sections() {
        let d = document(
            "Sleep of garden snails\nin summer\n\nJane Doe\n\nABSTRACT\nSnails sleep for hours, which exer-\ncise does not.\n\n\
             1. Introduction\n\nExercise is rare.\nSo is sleep.\n\n2.1 Animals\n\nTen snails.\n\nResults\n=======\nThey slept.\n\nReferences\n\n1. One.\n",
        );
        assert_eq!(d.meta.title.as_deref(), Some("Sleep of garden snails in summer"));
        let outline = outline(&d);
        assert_eq!(
            shown(&outline),
            [
                (1, "", "Jane Doe"),
                (1, "ABSTRACT", "Snails sleep for hours, which exercise does not."),
                (1, "1. Introduction", "Exercise is rare. So is sleep."),
                (2, "2.1 Animals", "Ten snails."),
                (1, "Results", "They slept."),
                (1, "References", "1. One."),
            ]
        );
        assert_eq!(d.sections[5].name, SectionKind::References);
    }

    #[test]
    fn lists_and_sentences_are_no_headings() {
        use BlockKind::{ListItem, Paragraph};
        let d = document(
            "Opening sentence here.\n\n1. Take a snail\n\n2. Watch it\n\n3. Write it down\n\n\
             Funding: none was received for this.\n\n- one\n- two\n  goes on\n\n2020 was a good year\n",
        );
        assert_eq!(d.meta.title, None);
        let outline = outline(&d);
        assert_eq!(outline.len(), 1, "{outline:?}");
        let kinds: Vec<_> = d.sections[0].blocks.iter().map(|b| b.kind).collect();
        assert_eq!(
            kinds,
            [Paragraph, ListItem, ListItem, ListItem, Paragraph, ListItem, ListItem, Paragraph]
        );
    }

    #[test]
    fn form_feeds_turn_pages() {
        let d = document("A first page ends in the mid\u{c}dle here.\n\nNext\u{c}Another.\n\u{c}");
        assert_eq!(d.pages, 3);
        let blocks = &d.sections[0].blocks;
        let text = |i: usize| blocks[i].span.slice(&d.text).expect("inside");
        assert_eq!(text(0), "A first page ends in the mid dle here.");
        assert_eq!((blocks[0].page_start, blocks[0].page_end), (1, 2));
        let at = d.text.find("dle").expect("there");
        assert_eq!((blocks[0].page_at(at), blocks[0].page_at(at - 1)), (2, 1));
        assert_eq!((text(1), blocks[1].page_start), ("Next", 2));
        assert_eq!((text(2), blocks[2].page_start), ("Another.", 3));
        let many = "\u{c}".repeat(3_000);
        assert!(matches!(read(&many, &Limits::default()), Err(ParseError::TooManyPages { .. })));
    }

    #[test]
    fn unwrapped_lines_are_paragraphs() {
        let line = "A long line of words that goes on. ".repeat(8);
        let d = document(&format!("{line}\n{line}\n{line}"));
        assert_eq!(d.sections[0].blocks.len(), 3);
    }

    proptest! {
        #[test]
        fn every_word_is_kept_in_order(words in proptest::collection::vec("([a-z]{1,6}|[A-Z][a-z]{2,5}|[0-9]\\.|Methods|-)[ \n\u{c}]{1,3}", 0..60)) {
            let text = words.concat();
            let d = document(&text);
            let squash = |t: &str| t.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            let kept = d.meta.title.clone().unwrap_or_default() + &d.text;
            prop_assert_eq!(squash(&kept), squash(&text));
            for section in &d.sections {
                for block in &section.blocks {
                    prop_assert!(section.span.contains(block.span));
                    prop_assert!(block.page_start <= block.page_end && block.page_end <= d.pages);
                }
            }
        }
        #[test]
        fn no_text_breaks_it(text in "([-=.•\u{c}\u{ad} \n0-9]|[a-zA-Z]{1,4}|\\PC){0,80}") {
            document(&text);
        }
    }
}
