//! The truth: what the publisher's JATS says of a paper.
//!
//! Written apart from the JATS input of the reader, deliberately: a mistake that both shared could not be seen. The
//! whole document is held as a tree, because most questions are about a node's ancestors.

mod authors;
mod front;
mod headings;
mod node;
mod paragraphs;

use roxmltree::{Document, ParsingOptions};

pub(super) use authors::Name;
pub(super) use front::Front;
pub(super) use headings::{Heading, Pardon};
pub(super) use paragraphs::Paragraph;

/// Nodes of a file at most: some gigabytes of tree.
const MOST_NODES: u32 = 5_000_000;
/// Depth at most. Questions about ancestors cost as much; JATS of papers stays under 30.
const DEEPEST: usize = 256;

/// What a paper should read as.
#[derive(Debug, Default)]
pub(super) struct Truth {
    pub(super) publisher: String,
    pub(super) front: Front,
    /// In the order of the file.
    pub(super) headings: Vec<Heading>,
    pub(super) pardons: Vec<Pardon>,
    /// Those of the body, in the order of the file.
    pub(super) paragraphs: Vec<Paragraph>,
    /// A stretch of each entry of the reference list, folded to letters, long enough to be its own.
    pub(super) references: Vec<String>,
}

/// Why a truth cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum TruthError {
    /// Not well-formed, or an entity that only the DTD defines.
    #[error("not readable as XML: {0}")]
    Xml(#[from] roxmltree::Error),
    /// Something else than an article.
    #[error("its root is <{0}>, not a JATS <article>")]
    NotArticle(String),
    /// Hostile nesting.
    #[error("elements nest deeper than {DEEPEST}")]
    TooDeep,
}

/// Reads the text of a JATS file.
pub(super) fn read(xml: &str) -> Result<Truth, TruthError> {
    let options = ParsingOptions {
        // The DOCTYPE names an external DTD, which is never fetched.
        allow_dtd: true,
        nodes_limit: MOST_NODES,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(xml.trim_start_matches('\u{feff}'), options)?;
    if node::depth(document.root()) > DEEPEST {
        return Err(TruthError::TooDeep);
    }
    let article = document.root_element();
    if article.tag_name().name() != "article" {
        return Err(TruthError::NotArticle(article.tag_name().name().to_owned()));
    }
    Ok(Truth {
        publisher: front::publisher(article),
        front: front::front(article),
        headings: headings::headings(article),
        pardons: headings::pardons(article),
        paragraphs: paragraphs::paragraphs(article),
        references: paragraphs::references(article),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_article_is_refused_with_a_reason() {
        let check = |xml: &str, part: &str| {
            let error = read(xml).expect_err(xml).to_string();
            assert!(error.contains(part), "{error}");
        };
        check("", "XML");
        check("<article><p></article>", "XML");
        check("<article>&alpha;</article>", "XML");
        check("<html/>", "<html>");
        let deep = format!(
            "<article>{}{}</article>",
            "<sec>".repeat(300),
            "</sec>".repeat(300)
        );
        check(&deep, "deeper");
        assert!(read("<!DOCTYPE article PUBLIC \"x\" \"y.dtd\"><article/>").is_ok());
    }
}
