//! Abstract, body and back matter as sections and blocks.

use super::front::front_of;
use super::inline::{Inline, text_of};
use super::table;
use super::tree::{Child, Element};
use crate::draft::{Draft, caption_label};
use crate::structure::names;
use std::collections::{BTreeMap, BTreeSet};
use types::{BlockKind, SectionKind};

/// Lays an article down in reading order.
pub(in crate::inputs) fn read(article: Element<'_>, draft: &mut Draft) {
    let floats = article.all("floats-group").flat_map(Element::elements);
    let mut walk = Walk {
        draft,
        floats: floats.filter_map(|el| Some((el.attribute("id")?, el))).collect(),
        placed: BTreeSet::new(),
        asked: Vec::new(),
    };
    if let Some((_, meta)) = front_of(article) {
        for el in meta.elements() {
            if matches!(el.name(), "abstract" | "trans-abstract") {
                walk.abstract_(el);
            }
        }
    }
    if let Some(body) = article.child("body") {
        if body.elements().any(|e| e.name() != "sec") {
            walk.draft.section(SectionKind::Body, 1, "");
        }
        walk.content(body, 0);
    }
    let loose = article.all("floats-group").flat_map(Element::elements);
    walk.rest(loose);
    for back in article.all("back") {
        for el in back.elements() {
            walk.back(el);
        }
    }
}

struct Walk<'t, 'd> {
    draft: &'d mut Draft,
    /// Figures and tables that stand apart, by id.
    floats: BTreeMap<&'t str, Element<'t>>,
    placed: BTreeSet<&'t str>,
    /// Those that the section at hand refers to.
    asked: Vec<&'t str>,
}

impl<'t> Walk<'t, '_> {
    fn abstract_(&mut self, el: Element<'t>) {
        if text_of(el).is_empty() {
            return;
        }
        let heading = heading(el);
        let heading = if heading.is_empty() { "Abstract" } else { &heading };
        self.draft.section(SectionKind::Abstract, 1, heading);
        for child in el.elements() {
            if child.name() == "sec" {
                self.draft.section(SectionKind::Abstract, 2, &self::heading(child));
                self.content(child, 2);
            } else {
                self.block(child, 1);
            }
        }
    }

    /// What stands in a section of this level: blocks, then the floats that they refer to, then deeper sections.
    fn content(&mut self, el: Element<'t>, level: u8) {
        for child in el.elements() {
            if child.name() == "sec" {
                self.place_mentioned_floats();
            }
            self.block(child, level);
        }
        self.place_mentioned_floats();
    }

    fn section(&mut self, sec: Element<'t>, level: u8) {
        let level = level.saturating_add(1);
        let heading = heading(sec);
        // A section without a heading is a division of the one around it.
        if !heading.is_empty() {
            self.draft.heading(level, &heading);
        }
        self.content(sec, level);
    }

    fn back(&mut self, el: Element<'t>) {
        let told = heading(el);
        let or = |default| if told.is_empty() { default } else { told.as_str() };
        let (kind, heading) = match el.name() {
            "ref-list" => return self.references(el),
            "ack" => (SectionKind::Supplementary, or("Acknowledgements")),
            "fn-group" => (SectionKind::Supplementary, or("Footnotes")),
            "glossary" | "def-list" => (SectionKind::Supplementary, or("Abbreviations")),
            "app-group" => {
                for app in el.elements().filter(|e| e.name() == "app") {
                    self.back(app);
                }
                return;
            }
            "app" => (SectionKind::Supplementary, or("Appendix")),
            "sec" if el.elements().all(|e| matches!(e.name(), "ref-list" | "title" | "label")) => {
                for list in el.all("ref-list") {
                    self.references(list);
                }
                return;
            }
            "title" | "label" => return,
            // Some articles keep their conclusion here.
            _ => match names::kind_of(&told) {
                SectionKind::Body => (SectionKind::Supplementary, told.as_str()),
                kind => (kind, told.as_str()),
            },
        };
        if text_of(el).is_empty() && el.elements().all(|e| e.name() != "fn") {
            return;
        }
        self.draft.section(kind, 1, heading);
        self.content(el, 1);
    }

    fn references(&mut self, list: Element<'t>) {
        let told = heading(list);
        let heading = if told.is_empty() { "References" } else { &told };
        self.draft.section(SectionKind::References, 1, heading);
        for el in list.elements() {
            match el.name() {
                "ref" => self.draft.block(BlockKind::ListItem, &text_of(el), None),
                "ref-list" => self.references(el),
                "title" | "label" => {}
                _ => self.block(el, 1),
            }
        }
    }

    fn block(&mut self, el: Element<'t>, level: u8) {
        match el.name() {
            "title" | "label" | "sec-meta" | "object-id" | "kwd-group" | "subtitle" | "permissions" => {}
            "sec" => self.section(el, level),
            "list" => self.list(el, level),
            "def-list" => self.definitions(el),
            "fig" | "table-wrap" => self.float(el),
            "fig-group" | "table-wrap-group" | "floats-group" | "boxed-text" => {
                self.caption(el);
                for inside in el.elements().filter(|e| e.name() != "caption") {
                    self.block(inside, level);
                }
            }
            "supplementary-material" | "media" | "graphic" => {
                self.caption(el);
                for media in el.all("media").filter(|m| text_of_caption(*m) != ARCHIVE_NOTE) {
                    self.caption(media);
                }
                for inside in el.all("p") {
                    self.block(inside, level);
                }
            }
            "disp-formula" | "disp-formula-group" => {
                self.draft.block(BlockKind::Equation, &text_of(el), None);
            }
            "preformat" | "code" => self.draft.lines(BlockKind::Paragraph, &el.verbatim()),
            "fn-group" => el.all("fn").for_each(|note| self.note(note)),
            "fn" => self.note(el),
            "ref-list" => self.references(el),
            "table" => self.table(el),
            "alternatives" => {
                let best = ["table", "preformat", "code"].iter().find_map(|name| el.child(name));
                if let Some(best) = best {
                    self.block(best, level);
                }
            }
            _ => self.paragraph(el, BlockKind::Paragraph, level),
        }
    }

    /// Running text; blocks inside it stand where they stand, between its parts.
    fn paragraph(&mut self, el: Element<'t>, kind: BlockKind, level: u8) {
        let mut inline = Inline::default();
        self.running(el, kind, level, &mut inline);
        self.end(&mut inline, kind);
    }

    fn running(&mut self, el: Element<'t>, kind: BlockKind, level: u8, inline: &mut Inline<'t>) {
        let mut children = el.children().peekable();
        while let Some(child) = children.next() {
            match child {
                Child::Element(inside) if inside.is_one_of(BLOCKS) => {
                    self.end(inline, kind);
                    if inside.name() == "p" {
                        self.paragraph(inside, kind, level);
                    } else {
                        self.block(inside, level);
                    }
                }
                child => inline.child(child, children.peek()),
            }
        }
    }

    fn end(&mut self, inline: &mut Inline<'t>, kind: BlockKind) {
        self.draft.block(kind, &inline.take(), None);
        self.asked.append(&mut inline.floats);
        for note in std::mem::take(&mut inline.notes) {
            self.note(note);
        }
    }

    fn note(&mut self, el: Element<'t>) {
        self.draft.block(BlockKind::Footnote, &text_of(el), None);
    }

    fn list(&mut self, list: Element<'t>, level: u8) {
        for item in list.all("list-item") {
            let mut inline = Inline::default();
            for el in item.elements() {
                match el.name() {
                    "label" => inline.child(Child::Element(el), None),
                    // The item's mark belongs to its first paragraph.
                    "p" => {
                        self.running(el, BlockKind::ListItem, level, &mut inline);
                        self.end(&mut inline, BlockKind::ListItem);
                    }
                    _ => {
                        self.end(&mut inline, BlockKind::ListItem);
                        self.block(el, level);
                    }
                }
            }
            self.end(&mut inline, BlockKind::ListItem);
        }
    }

    fn definitions(&mut self, list: Element<'t>) {
        for item in list.all("def-item") {
            let part = |name: &str| item.all(name).map(text_of).collect::<Vec<_>>().join(" ");
            let text = format!("{}: {}", part("term"), part("def"));
            let text = text.trim_matches([':', ' ']);
            self.draft.block(BlockKind::ListItem, text, None);
        }
        for inside in list.all("def-list") {
            self.definitions(inside);
        }
    }

    /// A figure or a table: its caption, its rows, its notes.
    fn float(&mut self, el: Element<'t>) {
        if let Some(id) = el.attribute("id")
            && !self.placed.insert(id)
        {
            return;
        }
        self.caption(el);
        let alternatives = el.all("alternatives").flat_map(Element::elements);
        let mut inside = el.elements().chain(alternatives);
        if let Some(table) = inside.find(|e| e.name() == "table") {
            self.table(table);
        }
        for foot in el.all("table-wrap-foot") {
            for note in foot.elements().filter(|e| e.name() != "attrib") {
                match note.name() {
                    "fn-group" => self.block(note, 0),
                    _ => self.note(note),
                }
            }
        }
    }

    fn caption(&mut self, el: Element<'t>) {
        let label = el.child("label").map(text_of).unwrap_or_default();
        let label = label.trim_end_matches(['.', ':']);
        let text = text_of_caption(el);
        let parted = if label.is_empty() || text.is_empty() { "" } else { ". " };
        let whole = format!("{label}{parted}{text}");
        let own = if label.is_empty() { caption_label(&whole) } else { None };
        self.draft.block(BlockKind::Caption, &whole, Some(own.as_deref().unwrap_or(label)));
    }

    fn table(&mut self, table: Element<'t>) {
        table::read(table, &mut |header, row| {
            self.draft.block(BlockKind::TableRow, row, header);
            !self.draft.is_full()
        });
    }

    /// Places floats that the file keeps apart behind the section that mentions them first.
    fn place_mentioned_floats(&mut self) {
        for id in std::mem::take(&mut self.asked) {
            if let Some(el) = self.floats.get(id).copied()
                && !self.placed.contains(id)
            {
                self.block(el, 0);
                self.placed.insert(id);
            }
        }
    }

    /// Floats that no section speaks of.
    fn rest(&mut self, floats: impl Iterator<Item = Element<'t>>) {
        let mut opened = false;
        for el in floats {
            if el.attribute("id").is_some_and(|id| self.placed.contains(id)) {
                continue;
            }
            if !opened {
                self.draft.section(SectionKind::Body, 1, "");
                opened = true;
            }
            self.block(el, 0);
        }
    }
}

/// What PubMed Central writes at each supplement.
const ARCHIVE_NOTE: &str = "Click here for additional data file.";

fn text_of_caption(el: Element<'_>) -> String {
    el.child("caption").map(text_of).unwrap_or_default()
}

/// The heading as printed: number and title.
fn heading(sec: Element<'_>) -> String {
    let part = |name: &str| sec.child(name).map(text_of).unwrap_or_default();
    let (label, title) = (part("label"), part("title"));
    if label.is_empty() || title.starts_with(&label) {
        title
    } else {
        format!("{label} {title}").trim_end().to_owned()
    }
}

/// Elements inside running text that stand apart from it.
const BLOCKS: &str = "p list def-list fig fig-group table-wrap table-wrap-group boxed-text disp-quote disp-formula \
    disp-formula-group preformat code supplementary-material verse-group statement speech sec";

#[cfg(test)]
mod tests;
