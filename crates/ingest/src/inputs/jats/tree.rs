//! XML as a tree, with bounds.
//!
//! No external entity is loaded and none that a file declares is expanded, so entity bombs stay as small as they are
//! on disk; depth and number of elements are limited.

use crate::ParseError;
use quick_xml::escape::resolve_html5_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use std::collections::HashMap;
use std::ops::Range;

/// Deeper trees are refused: papers reach 30, a bomb for recursive readers thousands.
const MAX_DEPTH: usize = 200;
/// Papers have some 20,000 elements and texts; the longest books a tenth of this.
const MAX_NODES: usize = 4_000_000;

/// Attributes that are kept: those of JATS, then those of DOCX.
const ATTRIBUTES: &str = "id rid ref-type pub-type pub-id-type date-type publication-format contrib-type colspan rowspan \
    name-style w:val w:id w:styleId w:type w:char w:font";

/// A document. One without an element has a root without a name.
#[derive(Debug, Default)]
pub(in crate::inputs) struct Tree {
    nodes: Vec<Node>,
    text: String,
    names: Vec<Box<str>>,
    /// Node, place in [`ATTRIBUTES`], value; in the order of nodes.
    attributes: Vec<(u32, u8, Box<str>)>,
    /// References to entities that are not known, in the text as written.
    pub(in crate::inputs) unknown_entities: usize,
}

#[derive(Debug)]
struct Node {
    kind: Kind,
    first_child: Option<u32>,
    next: Option<u32>,
}

#[derive(Debug)]
enum Kind {
    /// An element: its place in the list of names.
    Element(u32),
    /// Bytes of the text.
    Text(Range<usize>),
}

/// An element of a tree.
#[derive(Debug, Clone, Copy)]
pub(in crate::inputs) struct Element<'t> {
    tree: &'t Tree,
    at: u32,
}

/// What stands in an element.
#[derive(Debug, Clone, Copy)]
pub(in crate::inputs) enum Child<'t> {
    Element(Element<'t>),
    Text(&'t str),
}

impl Tree {
    /// Reads a whole text.
    pub(in crate::inputs) fn parse(text: &str) -> Result<Self, ParseError> {
        let mut build = Build::default();
        let mut reader = Reader::from_str(text);
        // Publishers' ampersands are not worth a paper.
        reader.config_mut().allow_dangling_amp = true;
        loop {
            let event = reader.read_event();
            let event = event.map_err(|e| damaged(&format!(", byte {}: {e}", reader.error_position())))?;
            match event {
                Event::Start(start) => build.element(&start)?,
                Event::Empty(start) => {
                    build.element(&start)?;
                    build.close();
                }
                Event::End(_) => build.close(),
                Event::Text(text) => build.text(&text.xml10_content())?,
                Event::CData(text) => build.text(&text.xml10_content())?,
                Event::GeneralRef(name) => {
                    if let Ok(Some(c)) = name.resolve_char_ref() {
                        build.text(c.encode_utf8(&mut [0; 4]))?;
                    } else if let Some(text) = resolve_html5_entity(&name) {
                        build.text(text)?;
                    } else {
                        build.tree.unknown_entities += 1;
                        build.text(&format!("&{};", &*name))?;
                    }
                }
                Event::Comment(_) | Event::PI(_) | Event::Decl(_) | Event::DocType(_) => {}
                Event::Eof => break,
            }
        }
        match build.open.last() {
            Some((at, _)) => {
                let name = build.tree.el(*at).name();
                Err(damaged(&format!(": the file ends inside <{name}>")))
            }
            None if build.tree.nodes.is_empty() => Err(damaged(" without an element")),
            None => Ok(build.tree),
        }
    }

    /// The outermost element.
    pub(in crate::inputs) fn root(&self) -> Element<'_> {
        self.el(0)
    }

    fn el(&self, at: u32) -> Element<'_> {
        Element { tree: self, at }
    }
}

fn damaged(what: &str) -> ParseError {
    let detail = format!("XML{what}");
    ParseError::Damaged { detail }
}

/// A tree that grows.
#[derive(Debug, Default)]
pub(in crate::inputs) struct Build {
    tree: Tree,
    names: HashMap<Box<str>, u32>,
    /// Open elements, each with its last child so far.
    open: Vec<(u32, Option<u32>)>,
}

impl Build {
    fn element(&mut self, start: &BytesStart<'_>) -> Result<(), ParseError> {
        let name = start.name().into_inner();
        self.open(name.strip_prefix("mml:").unwrap_or(name))?;
        for attribute in start.attributes().with_checks(false).flatten() {
            if let Ok(value) = attribute.normalized_value(XmlVersion::Implicit1_0) {
                self.attribute(attribute.key.into_inner(), &value);
            }
        }
        Ok(())
    }

    /// Opens an element.
    ///
    /// # Errors
    /// When the tree is too deep or too large.
    pub(in crate::inputs) fn open(&mut self, name: &str) -> Result<(), ParseError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(damaged(&format!(" nested deeper than {MAX_DEPTH} elements")));
        }
        let next = self.tree.names.len() as u32;
        let number = self.names.get(name).copied().unwrap_or(next);
        if number == next {
            self.tree.names.push(name.into());
            self.names.insert(name.into(), number);
        }
        let at = self.push(Kind::Element(number))?;
        self.open.push((at, None));
        Ok(())
    }

    /// Gives the element that was opened last an attribute, if it is one of those that are kept.
    pub(in crate::inputs) fn attribute(&mut self, name: &str, value: &str) {
        let known = ATTRIBUTES.split_ascii_whitespace().position(|known| known == name);
        if let (Some(known), Some((at, _))) = (known, self.open.last()) {
            self.tree.attributes.push((*at, known as u8, value.into()));
        }
    }

    /// Closes the innermost element.
    pub(in crate::inputs) fn close(&mut self) {
        self.open.pop();
    }

    /// The tree, whatever is still open.
    pub(in crate::inputs) fn finish(self) -> Tree {
        self.tree
    }

    /// Adds text to the innermost element.
    ///
    /// # Errors
    /// When the tree is too large.
    pub(in crate::inputs) fn text(&mut self, text: &str) -> Result<(), ParseError> {
        if self.open.is_empty() || text.is_empty() {
            return Ok(());
        }
        let start = self.tree.text.len();
        self.tree.text.push_str(text);
        let end = self.tree.text.len();
        // References and sections split a text: its parts are one again here.
        if let Some((_, Some(last))) = self.open.last()
            && let Kind::Text(range) = &mut self.tree.nodes[*last as usize].kind
            && range.end == start
        {
            range.end = end;
            return Ok(());
        }
        self.push(Kind::Text(start..end))?;
        Ok(())
    }

    fn push(&mut self, kind: Kind) -> Result<u32, ParseError> {
        if self.tree.nodes.len() >= MAX_NODES {
            return Err(damaged(&format!(" of more than {MAX_NODES} elements and texts")));
        }
        let at = self.tree.nodes.len() as u32;
        self.tree.nodes.push(Node { kind, first_child: None, next: None });
        if let Some((parent, last)) = self.open.last_mut() {
            match last.replace(at) {
                Some(last) => self.tree.nodes[last as usize].next = Some(at),
                None => self.tree.nodes[*parent as usize].first_child = Some(at),
            }
        }
        Ok(at)
    }
}

impl<'t> Element<'t> {
    /// Its name; the prefix of MathML taken off.
    pub(in crate::inputs) fn name(self) -> &'t str {
        match self.node().kind {
            Kind::Element(name) => &self.tree.names[name as usize],
            Kind::Text(_) => "",
        }
    }

    /// Whether its name stands in a list of names with spaces between them.
    pub(in crate::inputs) fn is_one_of(self, names: &str) -> bool {
        names.split_ascii_whitespace().any(|name| name == self.name())
    }

    /// Every text below, as it stands.
    pub(in crate::inputs) fn verbatim(self) -> String {
        let text = |child| match child {
            Child::Text(text) => text.to_owned(),
            Child::Element(el) => el.verbatim(),
        };
        self.children().map(text).collect()
    }

    /// An attribute, one of those that are kept.
    pub(in crate::inputs) fn attribute(self, name: &str) -> Option<&'t str> {
        let all = &self.tree.attributes;
        let wanted = ATTRIBUTES.split_ascii_whitespace().position(|known| known == name)?;
        let start = all.partition_point(|(at, ..)| *at < self.at);
        let mut own = all[start..].iter().take_while(|(at, ..)| *at == self.at);
        let (.., value) = own.find(|(_, known, _)| usize::from(*known) == wanted)?;
        Some(value)
    }

    /// Elements and texts in it, in order.
    pub(in crate::inputs) fn children(self) -> impl Iterator<Item = Child<'t>> {
        let tree = self.tree;
        let node = move |at: &u32| tree.nodes[*at as usize].next;
        std::iter::successors(self.node().first_child, node).map(move |at| {
            match &tree.nodes[at as usize].kind {
                Kind::Element(_) => Child::Element(tree.el(at)),
                Kind::Text(range) => Child::Text(&tree.text[range.clone()]),
            }
        })
    }

    /// Elements in it, in order.
    pub(in crate::inputs) fn elements(self) -> impl Iterator<Item = Element<'t>> {
        self.children().filter_map(|c| match c {
            Child::Element(el) => Some(el),
            Child::Text(_) => None,
        })
    }

    /// Elements of one name in it.
    pub(in crate::inputs) fn all(self, name: &str) -> impl Iterator<Item = Element<'t>> {
        self.elements().filter(move |e| e.name() == name)
    }

    /// The first element of this name in it.
    pub(in crate::inputs) fn child(self, name: &str) -> Option<Element<'t>> {
        self.all(name).next()
    }

    /// The first element at the end of a way of names.
    pub(in crate::inputs) fn path(self, names: &[&str]) -> Option<Element<'t>> {
        names.iter().try_fold(self, |el, name| el.child(name))
    }

    fn node(self) -> &'t Node {
        static NONE: Node = Node { kind: Kind::Text(0..0), first_child: None, next: None };
        self.tree.nodes.get(self.at as usize).unwrap_or(&NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(el: Element<'_>) -> String {
        el.children()
            .map(|c| match c {
                Child::Text(text) => text.to_owned(),
                Child::Element(el) => text(el),
            })
            .collect()
    }

    #[test]
    fn texts_and_attributes_come_back() {
        let xml = "<?xml version='1.0'?><!DOCTYPE a><a id='1'>x &lt; &#x3b1;<!-- no --> &nbsp;&odd;<b rid='r &amp; s'/>\
                   <![CDATA[<raw>]]></a>";
        let tree = Tree::parse(xml).expect("a tree");
        let root = tree.root();
        assert_eq!((root.name(), root.attribute("id")), ("a", Some("1")));
        assert_eq!(text(root), "x < α \u{a0}&odd;<raw>");
        assert_eq!(tree.unknown_entities, 1);
        assert_eq!(root.child("b").and_then(|b| b.attribute("rid")), Some("r & s"));
        assert!(root.path(&["b", "c"]).is_none());
    }

    #[test]
    fn bombs_and_damage_are_refused() {
        let check = |xml: &str, want: &str| {
            let error = Tree::parse(xml).expect_err("refused").to_string();
            assert!(error.contains(want), "{error}");
        };
        check(&"<a>".repeat(100_000), "deeper than 200");
        check("<a><b></a>", "byte");
        check("<a><b>", "ends inside <b>");
        check("  ", "without an element");
        let bomb = "<!DOCTYPE a [<!ENTITY x 'ha'><!ENTITY y '&x;&x;&x;'>]><a>&y;</a>";
        assert_eq!(text(Tree::parse(bomb).expect("a tree").root()), "&y;");
        let outside = "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:passwords'>]><a>&x;</a>";
        assert_eq!(text(Tree::parse(outside).expect("a tree").root()), "&x;");
    }
}
