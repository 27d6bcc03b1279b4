//! Parts: lines that belong together, as paragraphs, possible headings, captions, rows and notes.

/// What a part is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Text,
    /// A heading of this depth, from 1.
    Heading(u8),
    Caption,
    Row,
    Footnote,
    Equation,
    /// What is not part of the paper's text: labels inside figures, affiliations, notices.
    Noise,
}

/// The look of a part: parts of one style look the same to a reader.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Style {
    /// Size in half points.
    pub(crate) size: u32,
    pub(crate) bold: bool,
    pub(crate) italic: bool,
    pub(crate) caps: bool,
    pub(crate) font: u16,
}

/// Lines that belong together.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about a stretch of print")]
pub(crate) struct Part {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    pub(crate) label: Option<String>,
    pub(crate) page: u32,
    pub(crate) page_end: u32,
    /// Where a page begins inside the text: byte and page.
    pub(crate) breaks: Vec<(usize, u32)>,
    pub(crate) region: u32,
    pub(crate) margin: bool,
    pub(crate) style: Style,
    pub(crate) size: f32,
    pub(crate) lines: usize,
    pub(crate) x0: f32,
    pub(crate) x1: f32,
    pub(crate) left: f32,
    pub(crate) right: f32,
    /// Baselines of its first and last line.
    pub(crate) top: f32,
    pub(crate) bottom: f32,
    pub(crate) page_height: f32,
    /// Distance to the line above in its region, in usual distances of lines; large at the top of a region.
    pub(crate) gap_above: f32,
    /// Whether its first line is indented.
    pub(crate) indented: bool,
    /// Whether its first line stands in the middle between the edges of its region.
    pub(crate) centred: bool,
    /// Whether its last line stops short of the right edge.
    pub(crate) short_end: bool,
    /// Whether its last line has cells.
    pub(crate) celled: bool,
    /// Bytes of `text` at the start in bold or in italics, when the rest is not.
    pub(crate) lead_bold: usize,
    pub(crate) lead_italic: usize,
    /// Lines that stop short of the right edge.
    pub(crate) short_lines: usize,
    /// Whether every line so far is set like the first.
    pub(crate) whole_lead: bool,
}

impl Part {
    pub(crate) fn words(&self) -> usize {
        text::length_in_words(&self.text)
    }
}

/// Whether a text is set in capitals: at least four letters, at most one in twelve of them small.
pub(crate) fn is_caps(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 4 && text.chars().filter(|c| c.is_lowercase()).count() * 12 <= letters
}
