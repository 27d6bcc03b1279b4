//! From parts to the document: sections, blocks, text and offsets.

use super::join::Vocabulary;
use super::names;
use super::parts::{Kind, Part, Style};
use crate::draft::Body;
use types::{BlockKind, SectionKind};

/// What a section is made of before its text is laid down.
struct OpenSection {
    heading: String,
    level: u8,
    kind: SectionKind,
    page: u32,
    parts: Vec<Part>,
}

/// Lays the parts down as text and sections. `front` is the index of an abstract that has no heading; `notices` become a last
/// section without a heading. The second value counts characters that were given back to the body.
pub(crate) fn assemble(
    parts: Vec<Part>,
    front: Option<usize>,
    notices: Vec<Part>,
    vocabulary: &Vocabulary,
) -> (Body, usize) {
    let mut sections = sections(parts, front);
    sections.push(OpenSection {
        heading: String::new(),
        level: 1,
        kind: SectionKind::Supplementary,
        page: notices.first().map_or(1, |p| p.page),
        parts: notices,
    });
    let restored = restore_body(&mut sections);
    let mut body = Body::default();
    for section in sections {
        let parts = join_paragraphs(section.parts, vocabulary);
        if section.heading.is_empty() && parts.is_empty() {
            continue;
        }
        body.section(section.kind, section.level, section.heading, section.page);
        for part in parts.into_iter().filter(|p| !p.text.trim().is_empty()) {
            if let Some(kind) = block_kind(&part) {
                body.block(kind, &part.text, part.page, &part.breaks, part.label);
            }
        }
    }
    (body, restored)
}

/// Labels that leave next to no text are wrong: a heading that was missed, or a list of abbreviations at the
/// front, then holds the whole paper. Gives such text back to the body, and returns how many characters that were.
fn restore_body(drafts: &mut [OpenSection]) -> usize {
    /// With so many characters of prose, the labels stand.
    const ENOUGH: usize = 500;
    let prose = |d: &OpenSection| -> usize {
        let texts = d.parts.iter().filter(|p| p.kind == Kind::Text);
        texts.map(|p| p.text.chars().count()).sum()
    };
    let is_text = |d: &&OpenSection| !matches!(d.kind, SectionKind::Supplementary | SectionKind::References);
    let text: usize = drafts.iter().filter(is_text).map(prose).sum();
    if text >= ENOUGH {
        return 0;
    }
    let mut restored = 0;
    for draft in drafts.iter_mut() {
        let chars = prose(draft);
        let wrong = match draft.kind {
            SectionKind::Supplementary => chars >= ENOUGH,
            SectionKind::References => chars >= ENOUGH && !lists_references(draft),
            _ => false,
        };
        if wrong && chars > 4 * text {
            draft.kind = SectionKind::Body;
            restored += chars;
        }
    }
    restored
}

/// Whether most paragraphs of a section hold a year, as entries of a reference list do.
fn lists_references(draft: &OpenSection) -> bool {
    let texts = || draft.parts.iter().filter(|p| p.kind == Kind::Text && p.words() >= 4);
    let year = |text: &str| {
        let digits = |w: &str| {
            w.len() == 4
                && (w.starts_with("19") || w.starts_with("20"))
                && w.bytes().all(|b| b.is_ascii_digit())
        };
        text.split(|c: char| !c.is_ascii_alphanumeric())
            .any(|w| digits(w.get(..4).filter(|_| w.len() <= 5).unwrap_or(w)))
    };
    texts().filter(|p| year(&p.text)).count() * 2 > texts().count()
}

fn block_kind(part: &Part) -> Option<BlockKind> {
    match part.kind {
        Kind::Text if is_item(&part.text) => Some(BlockKind::ListItem),
        Kind::Text => Some(BlockKind::Paragraph),
        Kind::Caption => Some(BlockKind::Caption),
        Kind::Row => Some(BlockKind::TableRow),
        Kind::Footnote => Some(BlockKind::Footnote),
        Kind::Equation => Some(BlockKind::Equation),
        Kind::Heading(_) | Kind::Noise => None,
    }
}

fn is_item(text: &str) -> bool {
    text.starts_with(['•', '◦', '▪', '■', '●'])
}

fn sections(parts: Vec<Part>, front: Option<usize>) -> Vec<OpenSection> {
    let mut drafts = vec![OpenSection {
        heading: String::new(),
        level: 1,
        kind: SectionKind::Body,
        page: parts.first().map_or(1, |p| p.page),
        parts: Vec::new(),
    }];
    let mut outline = Outline::default();
    let mut look: Option<Style> = None;
    for (i, part) in parts.into_iter().enumerate() {
        if let Kind::Heading(level) = part.kind {
            let kind = outline.enter(level, &part.text, part.page);
            let level = if kind.1 { 1 } else { level };
            drafts.push(OpenSection {
                heading: part.text.trim().to_owned(),
                level,
                kind: kind.0,
                page: part.page,
                parts: Vec::new(),
            });
            continue;
        }
        if front == Some(i)
            && let Some(draft) = drafts.last_mut()
        {
            draft.kind = SectionKind::Abstract;
            draft.page = part.page;
            look = Some(part.style);
        } else if part.kind == Kind::Text
            && let Some(abstract_look) = look
            && differs(abstract_look, part.style)
            && part.words() >= 30
            && drafts.last().is_some_and(|d| d.heading.is_empty())
        {
            // Some journals print the introduction without a heading, in other type than the abstract above it.
            look = None;
            drafts.push(OpenSection {
                heading: String::new(),
                level: 1,
                kind: SectionKind::Introduction,
                page: part.page,
                parts: Vec::new(),
            });
        }
        if let Some(draft) = drafts.last_mut() {
            draft.parts.push(part);
        }
    }
    drafts
}

/// Whether text is set in other weight, slope or size.
fn differs(a: Style, b: Style) -> bool {
    a.bold != b.bold || a.italic != b.italic || a.size.abs_diff(b.size) > 1
}

/// Kinds of the open headings, from the top level down.
#[derive(Default)]
struct Outline {
    open: Vec<(u8, SectionKind)>,
    /// Whether discussion, conclusion or references have begun: what the back of a paper holds may follow.
    late: bool,
    /// Whether the supplementary section that is open is an appendix or the like.
    appendix: bool,
}

impl Outline {
    /// The kind of a section: its own when its heading names one, else that of the section around it. The second
    /// value tells that the heading opens a main section whatever its looks say.
    fn enter(&mut self, level: u8, heading: &str, page: u32) -> (SectionKind, bool) {
        use SectionKind::{Abstract, Body, Conclusion, Discussion, References, Supplementary};
        let own = names::kind_of(heading);
        if own == Supplementary {
            self.appendix = names::is_appendix(heading);
        }
        // Some journals print structured abstracts without the word "Abstract".
        if self.open.is_empty()
            && page <= 2
            && heading.ends_with([':', '.'])
            && names::is_abstract_label(heading)
        {
            self.open.push((1, Abstract));
        }
        let around = self.open.last().map_or(Body, |(_, k)| *k);
        // "Methods" inside a structured abstract belongs to the abstract.
        if around == Abstract
            && level > 1
            && own != Abstract
            && names::is_abstract_label(heading)
            && page <= 2
        {
            return (Abstract, false);
        }
        let top = self.open.first().copied();
        // "Ethics statement" is a part of the methods when it stands among them.
        let within =
            !self.late && top.is_some_and(|(l, k)| level > l && !matches!(k, Abstract | Supplementary));
        let numbered = names::numbering(heading).depth;
        let main = own != Body && names::is_known(heading) && numbered < 2;
        let front = self.open.iter().all(|(_, k)| matches!(k, Abstract | Body));
        if main && own == Abstract && front && numbered == 0 && page <= 2 {
            self.open = vec![(1, Abstract)];
            return (Abstract, true);
        }
        if main && (own == References || own == Supplementary && !within) {
            self.late |= own == References;
            self.open = vec![(1, own)];
            return (own, true);
        }
        while self.open.last().is_some_and(|(l, _)| *l >= level) {
            self.open.pop();
        }
        let parent = self.open.last().map_or(Body, |(_, k)| *k);
        let kind = match own {
            // A short notice ("Abbreviations", "Data and code availability") does not rule what follows it.
            Body if parent == Supplementary && !self.appendix => Body,
            Body => parent,
            Supplementary if within && parent != Body => parent,
            Supplementary => own,
            // "Statistical analysis of the results" below Methods stays methods.
            _ if parent != Body && level > 1 && !names::is_main(heading) => parent,
            _ => own,
        };
        self.late |= matches!(kind, Discussion | Conclusion);
        self.open.push((level, kind));
        (kind, false)
    }
}

/// Joins paragraphs that a column, a page or a float breaks.
fn join_paragraphs(parts: Vec<Part>, vocabulary: &Vocabulary) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::with_capacity(parts.len());
    // The paragraph that may go on, when no other text came since.
    let mut unfinished: Option<usize> = None;
    for part in parts {
        if part.kind == Kind::Noise {
            continue;
        }
        if part.kind != Kind::Text {
            out.push(part);
            continue;
        }
        if let Some(at) = unfinished
            && continues(&out[at], &part)
        {
            append(&mut out[at], &part, vocabulary);
        } else if unfinished.is_some_and(|at| is_open(&out[at]) && part.size < 0.95 * out[at].size) {
            out.push(part); // text of a box or a figure, in smaller type
        } else {
            unfinished = Some(out.len());
            out.push(part);
        }
    }
    out
}

fn continues(last: &Part, next: &Part) -> bool {
    if last.region == next.region
        && last.page_end == next.page
        && last.bottom < next.top
        && next.top - last.bottom < 3.0 * next.size
    {
        return false; // set apart in one column deliberately
    }
    let lower = next.text.starts_with(|c: char| c.is_lowercase());
    let alike = (last.size - next.size).abs() < 0.06 * last.size;
    alike
        && !is_item(&next.text)
        && (lower && last.words() > 3 || is_open(last) && !next.indented && last.words() > 5)
}

/// Whether a paragraph stops in the middle of a sentence.
fn is_open(part: &Part) -> bool {
    let text = part.text.trim_end();
    !text.ends_with(['.', '?', '!', ':', ';', '”', '"']) || text.ends_with("et al.") || text.ends_with("Fig.")
}

fn append(into: &mut Part, next: &Part, vocabulary: &Vocabulary) {
    // A hyphen at the end was closed when the part was: here it may be undone.
    vocabulary.join(&mut into.text, &next.text);
    let joined_at = into.text.len() - next.text.trim().len().min(into.text.len());
    if next.page > into.page_end {
        into.breaks.push((into.text.floor_char_boundary(joined_at), next.page));
    }
    into.breaks.extend(next.breaks.iter().map(|(at, page)| (joined_at + at, *page)));
    into.page_end = into.page_end.max(next.page_end);
    into.region = next.region;
    into.bottom = next.bottom;
    into.short_end = next.short_end;
    into.lines += next.lines;
}
