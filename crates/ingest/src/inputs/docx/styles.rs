//! What the styles of a document say of its paragraphs. Their ids are in the language of the program; their names, and what they
//! are based on, are not.

use super::super::jats::tree::Element;
use std::collections::HashMap;

/// Styles are based on each other no deeper than this; a circle ends here too.
const MAX_DEPTH: usize = 20;

/// What a style makes of text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub(super) struct Style {
    /// The level of a heading, 1 to 9.
    pub(super) level: Option<u8>,
    pub(super) is_title: bool,
    pub(super) is_author: bool,
    pub(super) is_abstract: bool,
    pub(super) is_caption: bool,
    /// An entry of the list of references.
    pub(super) is_reference: bool,
    pub(super) is_item: bool,
    /// A line of a list of contents.
    pub(super) is_contents: bool,
    pub(super) is_hidden: bool,
}

/// All styles by their ids.
#[derive(Debug, Default)]
pub(super) struct Styles(HashMap<String, Style>);

impl Styles {
    /// Reads `styles.xml`.
    pub(super) fn new(root: Element<'_>) -> Self {
        let by_id: HashMap<&str, Element<'_>> =
            root.all("w:style").filter_map(|style| Some((style.attribute("w:styleId")?, style))).collect();
        let style = |(id, own): (&&str, &Element<'_>)| {
            let base = |style: &Element<'_>| by_id.get(value(Some(*style), "w:basedOn")?).copied();
            let chain = std::iter::successors(Some(*own), base).take(MAX_DEPTH);
            ((*id).to_owned(), chain.fold(Style::default(), with_base))
        };
        Self(by_id.iter().map(style).collect())
    }

    /// The style that the properties of a paragraph or a run name.
    pub(super) fn of(&self, properties: Option<Element<'_>>, kind: &str) -> Style {
        value(properties, kind).and_then(|id| self.0.get(id)).copied().unwrap_or_default()
    }
}

/// A style with what one that it is based on says.
fn with_base(own: Style, base: Element<'_>) -> Style {
    let name = value(Some(base), "w:name").unwrap_or_default().to_lowercase();
    let paragraph = base.child("w:pPr");
    let outline = value(paragraph, "w:outlineLvl").and_then(|level| level.parse::<u8>().ok());
    let named = name.strip_prefix("heading ").and_then(|level| level.parse::<u8>().ok());
    let level =
        outline.map(|level| level.saturating_add(1)).or(named).filter(|level| (1..=9).contains(level));
    Style {
        level: own.level.or(level),
        is_title: own.is_title || name == "title",
        is_author: own.is_author || name == "author",
        is_abstract: own.is_abstract || name == "abstract",
        is_reference: own.is_reference || name == "bibliography",
        is_caption: own.is_caption || name == "caption",
        is_item: own.is_item || paragraph.is_some_and(|of| of.child("w:numPr").is_some()),
        is_contents: own.is_contents || name.starts_with("toc ") || name == "table of figures",
        is_hidden: own.is_hidden || base.child("w:rPr").is_some_and(|of| is_on(of, "w:vanish")),
    }
}

/// The value of a property.
pub(super) fn value<'t>(properties: Option<Element<'t>>, name: &str) -> Option<&'t str> {
    properties?.child(name)?.attribute("w:val")
}

/// Whether a property that is on or off is on.
pub(super) fn is_on(properties: Element<'_>, name: &str) -> bool {
    let property = properties.child(name);
    property.is_some_and(|of| !matches!(of.attribute("w:val"), Some("0" | "false" | "off" | "none")))
}
