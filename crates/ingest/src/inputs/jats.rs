//! JATS XML (NISO Z39.96), the archive form of PubMed Central and of many publishers.

pub(super) mod body;
mod front;
pub(super) mod inline;
pub(super) mod table;
pub(super) mod tree;

use crate::draft::Draft;
use crate::{Limits, ParseError};
use quick_xml::Reader;
use quick_xml::events::Event;
use tree::Tree;
use types::Document;

/// Elements that hold an article when they are the root.
const ARTICLE: &str = "article";
/// How PubMed Central answers a request for an article.
const SET: &str = "pmc-articleset";

/// Reads the one article of a file.
///
/// # Errors
/// [`ParseError::Damaged`] when the XML is; [`ParseError::NotJats`] when it holds no article, or several;
/// [`ParseError::TooMuchText`].
pub(super) fn read(text: &str, limits: &Limits) -> Result<Document, ParseError> {
    let tree = Tree::parse(text)?;
    let not = |detail: String| ParseError::NotJats { detail };
    let root = tree.root();
    let article = match root.name() {
        ARTICLE => root,
        SET => {
            let mut all = root.all(ARTICLE);
            match (all.next(), all.count()) {
                (None, _) => return Err(not("the set holds no article".to_owned())),
                (Some(only), 0) => only,
                (_, more) => {
                    let all = more + 1;
                    return Err(not(format!("it holds {all} articles; give each its own file")));
                }
            }
        }
        other => return Err(not(format!("its outermost element is <{other}>"))),
    };
    if !["front", "body", "back"].iter().any(|part| article.child(part).is_some()) {
        return Err(not("its article has neither <front> nor <body>".to_owned()));
    }
    let mut draft = Draft::new(limits);
    body::read(article, &mut draft);
    let mut warnings = Vec::new();
    let inside = |name: &str| article.all(name).count();
    let parts = inside("sub-article") + inside("response");
    if parts > 0 {
        warnings.push(format!("{parts} further texts (reviews, responses, translations) are left out"));
    }
    if tree.unknown_entities > 0 {
        warnings.push(format!(
            "{} references to entities are not resolved and stand in the text as written",
            tree.unknown_entities
        ));
    }
    draft.finish(front::read(article), warnings)
}

/// Whether a text, of which this is the beginning, is JATS by its outermost element; else what it is.
pub(super) fn root(head: &str) -> Result<(), String> {
    let mut reader = Reader::from_str(head);
    reader.config_mut().check_end_names = false;
    loop {
        match reader.read_event() {
            Ok(Event::Start(start) | Event::Empty(start)) => {
                let name = start.name().into_inner();
                if name == SET {
                    return Ok(());
                }
                if name != ARTICLE {
                    return Err(format!("its outermost element is <{name}>"));
                }
                // Other vocabularies have articles too.
                let parts = ["<front", "<body", "JATS", "NLM//DTD", "jats"];
                return if parts.iter().any(|part| head.contains(part)) {
                    Ok(())
                } else {
                    Err("its <article> has no <front>".to_owned())
                };
            }
            Ok(Event::Eof) => return Err("it holds no element".to_owned()),
            Err(error) => return Err(format!("it is no XML: {error}")),
            Ok(_) => {}
        }
    }
}
