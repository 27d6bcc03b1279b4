//! From lines to a document: what is a heading, a paragraph, a caption, and what belongs to which section.

mod byline;
mod document;
mod doi;
mod front;
mod grouping;
mod heading_form;
mod headings;
pub(crate) mod join;
mod journal;
pub(crate) mod names;
mod page_numbers;
mod panels;
mod parts;
mod person;
mod roles;
mod rows;
mod run_in;
mod title;
mod title_text;
mod typography;
mod year;

#[cfg(test)]
mod tests;

use crate::layout::Pages;
use crate::pdfium::Opened;
use crate::warnings;
use join::Vocabulary;
use parts::{Kind, Part};
use types::{Document, SourceId, SourceMeta};
use typography::Typography;

/// Fewer words are no notice.
const NOTICE_WORDS: usize = 3;

/// Builds the document from the lines of its pages.
pub(crate) fn build(pages: Pages, opened: &Opened, source_id: SourceId) -> Document {
    let with_text = pages.with_text.clone();
    let copied = warnings::copied(&pages.copied);
    let crate::layout::Read { mut lines, running, stamps, mut removed } = pages.into_lines();
    let vocabulary = Vocabulary::new(lines.iter().map(|l| l.text.as_str()));
    vocabulary.resolve(&mut lines);
    let mut implausible =
        crate::plausible::implausible_pages(lines.iter().map(|l| (l.page, l.text.as_str())));
    implausible.retain(|page| !opened.garbled.contains(page));
    let unreadable = warnings::unreadable(lines.iter().map(|l| (l.page, l.text.as_str())));
    let info = &opened.info;
    let title_in_file = info.title.as_deref().and_then(title_text::from_field);
    let doi = doi::doi(&lines, &running, &[info.subject.as_deref(), info.title.as_deref()]);
    let year = year::year(&lines, &running, &stamps, doi.as_deref());
    let typography = Typography::measure(&lines);
    let roles = roles::roles(&lines, &typography);
    let mut parts = grouping::group(&lines, &roles, &typography, &vocabulary);
    let title = title::title(&parts, title_in_file.as_deref(), &typography);
    let authors = byline::authors(&byline::Front {
        lines: &lines,
        running: &running,
        title: &parts[title.range.clone()],
        author_field: info.author.as_deref(),
    });
    let texts = lines.iter().map(|l| &l.text).chain(running.iter().map(|(_, t)| t));
    let texts = texts.map(String::as_str);
    let printed_title = title.text.as_deref().map(|t| title_text::parted(t, texts));
    let pages = page_numbers::read(&lines, &running);
    let paper = journal::Paper {
        lines: &lines,
        running: &running,
        title: title.text.as_deref().or(title_in_file.as_deref()),
        authors: &authors,
        year,
    };
    let printed = types::Printed { pages, ..paper.printed() };
    drop(lines);
    let (page, chars) = byline::clear(&mut parts, &title.range, &authors);
    *removed.entry(page).or_default() += chars;
    let start = title::start(&mut parts, &title);
    let mut parts = headings::mark(parts, start, &typography);
    let before: Vec<Kind> = parts.iter().map(|p| p.kind).collect();
    let abstract_at = front::clear(&mut parts, &title.range, start);
    for (i, (part, before)) in parts.iter().zip(before).enumerate() {
        // Notices are kept behind the text.
        let kept = part.words() >= NOTICE_WORDS && !title.range.contains(&i);
        if part.kind == Kind::Noise && before != Kind::Noise && !kept {
            *removed.entry(part.page).or_default() += warnings::shown(&part.text);
        }
    }
    // Addresses of authors, dates and other notices: no text of the paper, but print.
    let notices: Vec<bool> = parts.iter().map(|p| p.kind == Kind::Noise).collect();
    notes_and_noise(&mut parts, &typography);
    keep_short(&mut parts, &title);
    let is_notice = |(i, part): (usize, &Part)| {
        let notice = notices[i] && part.kind == Kind::Noise && !title.range.contains(&i);
        (notice && part.words() >= NOTICE_WORDS).then(|| Part { kind: Kind::Text, ..part.clone() })
    };
    let notices: Vec<Part> = parts.iter().enumerate().filter_map(is_notice).collect();
    let read: usize = parts.iter().map(|p| p.text.len()).sum();
    let (body, restored) = document::assemble(parts, abstract_at, notices, &vocabulary);
    let mut notes = warnings::of(opened, &with_text);
    if restored > 0 {
        notes.push(format!(
            "by their headings nearly all sections are supplementary: {restored} characters of them are kept as body text"
        ));
    }
    if body.text.is_empty() && read > 0 {
        notes.push(format!("no running text: only {read} bytes of headings, labels and running heads"));
    }
    let mut document = Document {
        meta: SourceMeta {
            source_id,
            title: printed_title.or(title_in_file),
            authors,
            year,
            doi,
            printed,
            ..SourceMeta::default()
        },
        pages: opened.pages,
        text: body.text,
        sections: body.sections,
        warnings: notes,
    };
    let missing = warnings::missing_text(&document, &opened.printed, &removed);
    document.warnings.extend(warnings::missing(&missing));
    document.warnings.extend(unreadable);
    document.warnings.extend(copied);
    document.warnings.extend(warnings::implausible(&implausible));
    document
}

/// Finds footnotes, and bits of text that are labels inside figures.
fn notes_and_noise(parts: &mut [Part], typography: &Typography) {
    let mut in_references = false;
    for part in parts.iter_mut() {
        match part.kind {
            Kind::Heading(_) => in_references = names::kind_of(&part.text) == types::SectionKind::References,
            Kind::Text if !in_references => {
                let small = part.size < typography.size * 0.93;
                let low = part.top > part.page_height * 0.6;
                let sentence = part.text.trim_end().ends_with(['.', '!', '?', ':', ';']);
                let words = part.words();
                let letters = part.text.chars().filter(|c| c.is_alphabetic()).count();
                let formula = part.text.contains(['=', '∑', '∫', '≤', '≥']) && words < 25 && !sentence;
                if formula {
                    part.kind = Kind::Equation;
                } else if !sentence
                    && (words <= 5 && (small || part.lines == 1) || small && letters * 10 < words * 25)
                {
                    part.kind = Kind::Noise;
                } else if small && low && words > 3 && part.size < typography.size * 0.9 {
                    part.kind = Kind::Footnote;
                }
            }
            _ => {}
        }
    }
}

/// A file with little text, such as a letter or a slide, holds nothing but short lines: there they are the text.
fn keep_short(parts: &mut [Part], title: &title::Title) {
    let bytes = |p: &Part| p.text.len();
    let kept: usize = parts.iter().filter(|p| p.kind != Kind::Noise).map(bytes).sum();
    let dropped: usize = parts.iter().filter(|p| p.kind == Kind::Noise).map(bytes).sum();
    if kept > 400 || kept > dropped {
        return;
    }
    for (i, part) in parts.iter_mut().enumerate() {
        if part.kind == Kind::Noise && (kept == 0 && dropped < 400 || !title.range.contains(&i)) {
            part.kind = Kind::Text;
        }
    }
}
