//! DOCX, the documents of Word (ECMA-376, Office Open XML), as they print: insertions are kept, what was deleted or is hidden is
//! left out, notes stand behind the paragraph that refers to them. Headers, footers and comments are in parts of their own, which
//! are not read. There are no pages: a word processor makes them anew each time.

mod styles;
mod table;
#[cfg(test)]
mod tests;

use super::article::{Article, is_name};
use super::jats::{inline::text_of, tree::Element, tree::Tree};
use super::{decode, manifest};
use crate::draft::{caption_label, clean};
use crate::structure::names;
use crate::{Limits, ParseError, glyph, zipped};
use std::collections::HashMap;
use std::io::Cursor;
use std::path::Path;
use styles::{Styles, is_on, value};
use types::{Document, SectionKind, SourceMeta};

/// The level of the headings within an abstract, whatever its own is.
const DEEPEST: u8 = 9;

/// Reads a document.
///
/// # Errors
/// [`ParseError::Damaged`] when the archive or its main part is, or a part is too large; [`ParseError::TooMuchText`].
pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<Document, ParseError> {
    let mut zip = zipped::open(Cursor::new(bytes))?;
    let mut part = |name: &str| -> Result<Option<Tree>, ParseError> {
        let bytes = zipped::part(&mut zip, name, zipped::MAX_PART)?;
        bytes.map(|bytes| Tree::parse(&decode(&bytes)?.text)).transpose()
    };
    let main = part(zipped::DOCX_MAIN)?
        .ok_or_else(|| ParseError::Damaged { detail: format!("a DOCX without {}", zipped::DOCX_MAIN) })?;
    // Without the other parts, the text can still be read.
    let mut other = |name: &str| part(name).ok().flatten().unwrap_or_default();
    let styles = other("word/styles.xml");
    let notes = [other("word/footnotes.xml"), other("word/endnotes.xml")];
    let core = other("docProps/core.xml");
    let body = main.root().child("w:body").unwrap_or(main.root());
    let mut walk = Walk {
        article: Article::default(),
        styles: Styles::new(styles.root()),
        notes: notes.iter().enumerate().flat_map(|(of, tree)| notes_of(of, tree)).collect(),
        meta: meta(core.root()),
        titled: false,
        styled: false,
        started: false,
        raised: false,
        in_note: false,
        part: None,
    };
    let styled: Vec<_> = body.all("w:p").map(|p| walk.styles.of(p.child("w:pPr"), "w:pStyle")).collect();
    walk.titled = styled.iter().any(|style| style.is_title);
    walk.styled = styled.iter().any(|style| style.level.is_some());
    walk.blocks(body)?;
    walk.article.finish(walk.meta, Vec::new(), limits)
}

/// What the properties say. Programs put names of their own where nobody wrote one.
fn meta(core: Element<'_>) -> SourceMeta {
    let of = |name: &str| core.child(name).map(text_of).unwrap_or_default();
    let is_own = |text: &str| {
        ["Microsoft", "Office", "LibreOffice", "python-docx", "Pandoc"].iter().any(|own| text.contains(own))
    };
    let (title, authors) = (of("dc:title"), of("dc:creator"));
    let is_title = title.split_whitespace().count() > 1
        && !is_own(&title)
        && Path::new(&title).extension().is_none_or(|end| end.len() > 4);
    let authors = manifest::list(&authors).into_iter().filter(|name| is_name(name) && !is_own(name));
    SourceMeta { title: is_title.then_some(title), authors: authors.collect(), ..SourceMeta::default() }
}

/// Notes by kind (0 for footnotes, 1 for endnotes) and number.
fn notes_of(of: usize, tree: &Tree) -> impl Iterator<Item = ((usize, &str), Element<'_>)> {
    let each =
        tree.root().elements().filter(|note| note.attribute("w:type").is_none_or(|kind| kind == "normal"));
    each.filter_map(move |note| Some(((of, note.attribute("w:id")?), note)))
}

/// A document on its way into an article.
#[expect(clippy::struct_excessive_bools, reason = "each is something else about the place in the text")]
struct Walk<'t> {
    article: Article,
    styles: Styles,
    notes: HashMap<(usize, &'t str), Element<'t>>,
    meta: SourceMeta,
    /// Whether a paragraph has the style of the title, and whether any has that of a heading.
    titled: bool,
    styled: bool,
    /// Whether a paragraph came.
    started: bool,
    /// Whether raised text is open.
    raised: bool,
    in_note: bool,
    /// What the last heading names.
    part: Option<SectionKind>,
}

impl<'t> Walk<'t> {
    fn blocks(&mut self, parent: Element<'t>) -> Result<(), ParseError> {
        for el in parent.elements() {
            match el.name() {
                "w:p" => self.paragraph(el)?,
                "w:tbl" => self.table(el)?,
                "w:sdt" if is_contents(el) => {}
                "w:sdt" | "w:sdtContent" | "w:ins" | "w:moveTo" | "w:customXml" | "w:smartTag" => {
                    self.blocks(el)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn paragraph(&mut self, p: Element<'t>) -> Result<(), ParseError> {
        let properties = p.child("w:pPr");
        let style = self.styles.of(properties, "w:pStyle");
        if style.is_contents {
            return Ok(());
        }
        let mut seen = Seen { text: String::new(), bold: true, boxes: Vec::new() };
        self.see(p, &mut seen);
        let text = clean(&seen.text);
        let direct = value(properties, "w:outlineLvl").and_then(|level| level.parse::<u8>().ok());
        let level = direct.map_or(style.level, |level| (level < 9).then_some(level + 1));
        let is_item = properties
            .and_then(|of| of.child("w:numPr"))
            .map_or(style.is_item, |of| value(Some(of), "w:numId") != Some("0"));
        let is_first = !self.started;
        self.started |= !text.is_empty();
        if text.is_empty() {
            if p.elements().any(|el| matches!(el.name(), "m:oMath" | "m:oMathPara")) {
                self.put(p, &["disp-formula"])?;
            }
        } else if style.is_title || is_first && !self.titled && is_title(&text, &seen) {
            self.meta.title = Some(text);
        } else if style.is_author {
            let own =
                if self.meta.authors.len() == 1 { manifest::list(&self.meta.authors[0]) } else { Vec::new() };
            if !own.contains(&text) && !self.meta.authors.contains(&text) {
                self.meta.authors.push(text);
            }
        } else if let Some(level) = level.or_else(|| self.heading_by_looks(&text, seen.bold)) {
            let is_part = style.is_abstract && names::kind_of(&text) != SectionKind::Abstract;
            self.part = Some(names::kind_of(&text)).filter(|_| !is_part).or(self.part);
            self.article.heading(if is_part { DEEPEST } else { level })?;
            self.inline(p)?;
            self.raise(false)?;
            self.article.close();
        } else if style.is_reference {
            if self.part.replace(SectionKind::References) != Some(SectionKind::References) {
                self.article.section("References")?;
            }
            self.put(p, &["list", "list-item", "p"])?;
        } else if style.is_abstract && self.part.is_none() {
            self.part = Some(SectionKind::Abstract);
            self.article.section("Abstract")?;
            self.put(p, &["p"])?;
        } else if style.is_caption || caption_label(&text).is_some() {
            self.put(p, &["fig-group", "caption", "p"])?;
        } else if is_item {
            self.put(p, &["list", "list-item", "p"])?;
        } else {
            self.put(p, &["p"])?;
        }
        seen.boxes.into_iter().try_for_each(|text| self.blocks(text))
    }

    /// The level of a heading that has no style of one: the name of a section, and, in a document without such styles, a bold line.
    fn heading_by_looks(&self, text: &str, bold: bool) -> Option<u8> {
        let depth = names::numbering(text).depth;
        let words = text.split_whitespace().count();
        if words <= 6 && names::is_known(text) && !text.ends_with('.') && !text.contains(": ") {
            return Some(depth.max(1));
        }
        let is_line = words <= 14 && !text.ends_with(['.', ':', ';', ',']);
        (!self.styled && bold && is_line).then_some(if depth > 0 { depth } else { 2 })
    }

    /// Adds a paragraph within these elements.
    fn put(&mut self, p: Element<'t>, within: &[&str]) -> Result<(), ParseError> {
        within.iter().try_for_each(|name| self.article.open(name))?;
        self.inline(p)?;
        self.raise(false)?;
        for _ in within {
            self.article.close();
        }
        Ok(())
    }

    /// What a paragraph shows, before it is known what it is.
    fn see(&self, el: Element<'t>, seen: &mut Seen<'t>) {
        for child in el.elements() {
            match child.name() {
                "w:r" if self.is_hidden(child) => {}
                "w:r" => {
                    let before = seen.text.len();
                    self.see(child, seen);
                    let bold = child.child("w:rPr").is_some_and(|of| is_on(of, "w:b"));
                    seen.bold &= bold || seen.text[before..].trim().is_empty();
                }
                "w:t" => seen.text.push_str(&child.verbatim()),
                "w:tab" | "w:br" | "w:cr" => seen.text.push(' '),
                "w:txbxContent" => seen.boxes.push(child),
                "w:pPr" | "w:rPr" | "w:del" | "w:moveFrom" | "mc:Fallback" => {}
                _ => self.see(child, seen),
            }
        }
    }

    fn is_hidden(&self, run: Element<'_>) -> bool {
        let properties = run.child("w:rPr");
        let direct = properties.filter(|of| of.child("w:vanish").is_some()).map(|of| is_on(of, "w:vanish"));
        direct.unwrap_or_else(|| self.styles.of(properties, "w:rStyle").is_hidden)
    }

    /// Adds the text of what stands in a paragraph.
    fn inline(&mut self, el: Element<'t>) -> Result<(), ParseError> {
        for child in el.elements() {
            match child.name() {
                "w:r" if self.is_hidden(child) => {}
                "w:r" => self.run(child)?,
                "m:oMath" | "m:oMathPara" => {
                    self.raise(false)?;
                    self.article.open("math")?;
                    self.math(child)?;
                    self.article.close();
                }
                "w:hyperlink" | "w:ins" | "w:moveTo" | "w:smartTag" | "w:fldSimple" | "w:customXml"
                | "w:sdt" | "w:sdtContent" | "w:dir" | "w:bdo" => self.inline(child)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn run(&mut self, run: Element<'t>) -> Result<(), ParseError> {
        self.raise(value(run.child("w:rPr"), "w:vertAlign") == Some("superscript"))?;
        for part in run.elements() {
            match part.name() {
                "w:t" => self.article.text(&part.verbatim())?,
                "w:tab" | "w:ptab" | "w:br" | "w:cr" => self.article.text(" ")?,
                "w:noBreakHyphen" => self.article.text("-")?,
                "w:sym" => {
                    let code = part.attribute("w:char").and_then(|code| u32::from_str_radix(code, 16).ok());
                    let symbol = part.attribute("w:font").is_some_and(|font| font.starts_with("Symbol"));
                    // Some programs leave the private area away.
                    let code = code.filter(|_| symbol).map(|code| code % 0x1000 + 0xF000);
                    self.article.text(code.and_then(|code| glyph::printed(code, true)).unwrap_or(" "))?;
                }
                "w:footnoteReference" => self.note(0, part)?,
                "w:endnoteReference" => self.note(1, part)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds the note that a reference leads to. A note in a note would be a bomb.
    fn note(&mut self, of: usize, reference: Element<'t>) -> Result<(), ParseError> {
        let found = reference.attribute("w:id").and_then(|id| self.notes.get(&(of, id)).copied());
        let Some(note) = found.filter(|_| !self.in_note) else {
            return Ok(());
        };
        self.raise(false)?;
        self.in_note = true;
        self.article.open("fn")?;
        for p in note.all("w:p") {
            self.put(p, &["p"])?;
        }
        self.article.close();
        self.in_note = false;
        Ok(())
    }

    /// Begins or ends raised text, which may go over several runs.
    fn raise(&mut self, on: bool) -> Result<(), ParseError> {
        if std::mem::replace(&mut self.raised, on) != on {
            if on {
                self.article.open("sup")?;
            } else {
                self.article.close();
            }
        }
        Ok(())
    }

    /// Adds a formula (Office Math), powers and fractions as those of MathML.
    fn math(&mut self, el: Element<'t>) -> Result<(), ParseError> {
        let (name, parts) = match el.name() {
            "m:t" => return self.article.text(&el.verbatim()),
            "m:sSup" => ("msup", ["m:e", "m:sup"]),
            "m:f" => ("mfrac", ["m:num", "m:den"]),
            "w:rPr" => return Ok(()),
            name if name.ends_with("Pr") => return Ok(()),
            _ => return el.elements().try_for_each(|child| self.math(child)),
        };
        self.article.open(name)?;
        for part in parts.iter().filter_map(|part| el.child(part)) {
            self.article.open("mrow")?;
            part.elements().try_for_each(|child| self.math(child))?;
            self.article.close();
        }
        self.article.close();
        Ok(())
    }
}

/// What a paragraph shows.
struct Seen<'t> {
    text: String,
    bold: bool,
    /// Text boxes that hang on it.
    boxes: Vec<Element<'t>>,
}

/// Whether the first paragraph of a document looks like its title.
fn is_title(text: &str, seen: &Seen<'_>) -> bool {
    let fits =
        (3..=300).contains(&text.chars().count()) && !names::is_known(text) && caption_label(text).is_none();
    fits && (seen.bold || !text.ends_with(['.', ':', ';', ',']))
}

/// Whether a part is a list of contents, which word processors make.
fn is_contents(sdt: Element<'_>) -> bool {
    let gallery = sdt.path(&["w:sdtPr", "w:docPartObj", "w:docPartGallery"]);
    gallery.and_then(|of| of.attribute("w:val")).is_some_and(|of| of.starts_with("Table of"))
}
