//! Parsed papers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What `parse` read: one paper, or all papers of a corpus file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Parse {
    /// One paper.
    Paper(Box<Paper>),
    /// The records of a corpus file.
    Corpus(Corpus),
}

/// A paper: what is known of it, and its sections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Paper {
    /// Its id.
    pub source_id: String,
    /// Title as printed.
    pub title: Option<String>,
    /// Authors as printed, in order.
    pub authors: Vec<String>,
    /// Year of publication.
    pub year: Option<u16>,
    /// Journal or venue.
    pub venue: Option<String>,
    /// The journal that the pages name; no key where it is not sure, as with the four below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal: Option<String>,
    /// Volume of the journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<String>,
    /// Issue of the volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// First page or article number that the metadata of a JATS file gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_page: Option<String>,
    /// The number printed on each page of the file, by page.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub printed_pages: BTreeMap<u32, String>,
    /// DOI without a resolver's prefix.
    pub doi: Option<String>,
    /// Free labels from a manifest.
    pub tags: Vec<String>,
    /// Number of pages.
    pub pages: u32,
    /// Sections in reading order.
    pub sections: Vec<Section>,
    /// What could not be read, or was guessed.
    pub warnings: Vec<String>,
}

/// A section: a heading and the text below it, up to the next heading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Section {
    /// What it is: `abstract`, `introduction`, `background`, `methods`, `results`, `discussion`, `conclusion`,
    /// `references`, `supplementary` or `body`.
    pub name: String,
    /// The heading as printed; empty for text before the first heading.
    pub heading: String,
    /// Depth, 1 for a top-level heading.
    pub level: u8,
    /// First page.
    pub page_start: u32,
    /// Last page.
    pub page_end: u32,
    /// The text below the heading.
    pub text: String,
    /// Its parts in reading order.
    pub blocks: Vec<Block>,
}

/// A part of a section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Block {
    /// `paragraph`, `list_item`, `caption`, `table_row`, `equation` or `footnote`.
    pub kind: String,
    /// Page on which it starts.
    pub page_start: u32,
    /// Page on which it ends.
    pub page_end: u32,
    /// A table row's header, a caption's label.
    pub label: Option<String>,
    /// Its text.
    pub text: String,
}

/// The papers of one corpus file, and the lines that could not be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Corpus {
    /// The papers, in the order of the file.
    pub documents: Vec<Paper>,
    /// Lines that could not be read.
    pub refused: Vec<RefusedLine>,
}

/// A line of a corpus file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RefusedLine {
    /// Its number, from 1.
    pub line: u64,
    /// Why.
    pub reason: String,
}
