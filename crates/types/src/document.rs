//! A parsed paper: its text, its sections, what is known of it.

use crate::{Printed, SectionKind, SourceId, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a run of text on the page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// Running prose.
    Paragraph,
    /// One item of a list.
    ListItem,
    /// The caption of a figure or table, its label included.
    Caption,
    /// One row of a table; cells are separated by ` | ` in the text.
    TableRow,
    /// A displayed equation.
    Equation,
    /// A footnote.
    Footnote,
}

/// A run of text inside a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Page on which it starts.
    pub page_start: u32,
    /// Page on which it ends.
    pub page_end: u32,
    /// Bytes into [`Document::text`].
    pub span: Span,
    /// Where a page begins inside the block: `(byte into Document::text, page)`, in order; empty when the
    /// block stays on `page_start`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub page_breaks: Vec<(usize, u32)>,
    /// What belongs to the block without being its text: a table row's header, a caption's label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

impl Block {
    /// The page that the byte `at` of [`Document::text`] stands on.
    pub fn page_at(&self, at: usize) -> u32 {
        self.page_breaks
            .iter()
            .take_while(|(start, _)| *start <= at)
            .last()
            .map_or(self.page_start, |(_, p)| *p)
    }
}

/// A section: a heading and what stands below it up to the next heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The normalised label.
    pub name: SectionKind,
    /// The heading as printed ("2.1. Participants"); empty for text before the first heading.
    pub heading: String,
    /// Depth, 1 for a top-level heading.
    pub level: u8,
    /// First page.
    pub page_start: u32,
    /// Last page.
    pub page_end: u32,
    /// The text below the heading, the heading itself excluded: bytes into [`Document::text`].
    pub span: Span,
    /// Its parts in reading order; their spans lie inside `span`.
    pub blocks: Vec<Block>,
}

/// What is known of a source, apart from its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceMeta {
    /// Its id.
    pub source_id: SourceId,
    /// Title as printed.
    pub title: Option<String>,
    /// Authors as printed, in order.
    pub authors: Vec<String>,
    /// Year of publication.
    pub year: Option<u16>,
    /// Journal or venue.
    #[serde(default)]
    pub venue: Option<String>,
    /// What it prints of its place in a journal.
    #[serde(default, skip_serializing_if = "Printed::is_empty")]
    pub printed: Printed,
    /// DOI without a resolver's prefix.
    pub doi: Option<String>,
    /// Free labels from a manifest.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Where it is found, when no DOI is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Why it is in the collection, in the words of a manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance_note: Option<String>,
    /// A manifest marks it as fictional: a sample paper, whose findings are invented. Citations say so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fictional: bool,
}

impl SourceMeta {
    /// A short name for people: the name that leads its title ("BRISKLINE: a trial of …"), its authors and year ("Orvella et al.
    /// (2021)"), its title, or its id.
    pub fn short_name(&self) -> String {
        let lead = self.title.as_deref().and_then(|title| title.split_once(':'));
        let is_name = |lead: &str| {
            !lead.contains(char::is_whitespace) && lead.chars().filter(|c| c.is_uppercase()).nth(1).is_some()
        };
        if let Some((lead, _)) = lead.filter(|(lead, _)| is_name(lead)) {
            return lead.to_owned();
        }
        let names: Vec<&str> = self.authors.iter().filter_map(|author| surname(author)).collect();
        let who = match names[..] {
            [] => return self.title.clone().unwrap_or_else(|| self.source_id.to_string()),
            [one] => one.to_owned(),
            [one, other] => format!("{one} and {other}"),
            [first, ..] => format!("{first} et al."),
        };
        self.year.map_or(who.clone(), |year| format!("{who} ({year})"))
    }
}

/// The surname of a name in one of the usual forms: "Jane Q. Orvella", "Orvella, Jane", "Orvella J". `None` for an empty
/// name.
pub fn surname(author: &str) -> Option<&str> {
    let first_part = author.split(',').next().unwrap_or_default();
    let initials =
        |w: &&str| w.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase) && w.chars().count() <= 4;
    // The last word that is not a run of initials. In a name all in capitals, every short word looks like one.
    let words = first_part.split_whitespace();
    words.clone().rfind(|w| !initials(w)).or_else(|| words.last())
}

/// A parsed paper. Sections are in reading order and do not overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// What is known of it.
    #[serde(flatten)]
    pub meta: SourceMeta,
    /// Number of pages.
    pub pages: u32,
    /// The whole text: what every span of this document counts in.
    pub text: String,
    /// The sections.
    pub sections: Vec<Section>,
    /// What could not be read, or was guessed.
    pub warnings: Vec<String>,
}

impl Document {
    /// The text of a section, heading excluded; empty when the span is broken.
    pub fn section_text(&self, section: &Section) -> &str {
        section.span.slice(&self.text).unwrap_or_default()
    }
}
