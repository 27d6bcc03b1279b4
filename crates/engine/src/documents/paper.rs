//! The document of `parse`.

use crate::parse;
use ingest::inputs::beir;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use types::{BlockKind, Document, SectionKind, SourceMeta};

/// What `parse` read: one paper, or all papers of a corpus file.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Parse {
    /// One paper.
    Paper(Box<Paper>),
    /// The records of a corpus file.
    Corpus(Corpus),
}

/// The papers of one corpus file, and the lines that could not be read.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Corpus {
    /// The papers, in the order of the file.
    pub documents: Vec<Paper>,
    /// Lines that could not be read.
    pub refused: Vec<beir::Refused>,
}

impl From<&parse::Corpus> for Parse {
    fn from(corpus: &parse::Corpus) -> Self {
        Self::Corpus(Corpus {
            documents: corpus.documents.iter().map(Paper::from).collect(),
            refused: corpus.refused.clone(),
        })
    }
}

impl From<&Document> for Parse {
    fn from(document: &Document) -> Self {
        Self::Paper(Box::new(Paper::from(document)))
    }
}

/// A paper: what is known of it, and its sections.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Paper {
    /// What is known of it.
    #[serde(flatten)]
    pub meta: SourceMeta,
    /// The journal that the pages name; no key where it is not sure, as with the four below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal: Option<String>,
    /// Volume of the journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume: Option<String>,
    /// Issue of the volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// First page or article number that the metadata of a JATS file gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_page: Option<String>,
    /// The number printed on each page of the file, by page.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub printed_pages: BTreeMap<u32, String>,
    /// Number of pages.
    pub pages: u32,
    /// Sections in reading order.
    pub sections: Vec<Section>,
    /// What could not be read, or was guessed.
    pub warnings: Vec<String>,
}

impl From<&Document> for Paper {
    fn from(document: &Document) -> Self {
        let mut meta = document.meta.clone();
        let printed = std::mem::take(&mut meta.printed);
        let printed_page = |page| Some((page, printed.on_page(page)?));
        let sections = document.sections.iter();
        Self {
            printed_pages: (1..=document.pages).filter_map(printed_page).collect(),
            meta,
            journal: printed.journal,
            volume: printed.volume,
            issue: printed.issue,
            first_page: printed.first_page,
            pages: document.pages,
            sections: sections.map(|section| Section::new(document, section)).collect(),
            warnings: document.warnings.clone(),
        }
    }
}

/// A section: a heading and the text below it, up to the next heading.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Section {
    /// What it is.
    pub name: SectionKind,
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

impl Section {
    fn new(document: &Document, section: &types::Section) -> Self {
        let block = |block: &types::Block| Block {
            kind: block.kind,
            page_start: block.page_start,
            page_end: block.page_end,
            label: block.label.clone(),
            text: block.span.slice(&document.text).unwrap_or_default().to_owned(),
        };
        Self {
            name: section.name,
            heading: section.heading.clone(),
            level: section.level,
            page_start: section.page_start,
            page_end: section.page_end,
            text: document.section_text(section).to_owned(),
            blocks: section.blocks.iter().map(block).collect(),
        }
    }
}

/// A part of a section.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Page on which it starts.
    pub page_start: u32,
    /// Page on which it ends.
    pub page_end: u32,
    /// A table row's header, a caption's label.
    pub label: Option<String>,
    /// Its text.
    pub text: String,
}
