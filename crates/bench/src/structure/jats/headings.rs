//! Headings of the truth, and headings that it implies without spelling them.

use super::node::{apart, child, inside, name, text};
use crate::structure::fold::{soft, strict};
use roxmltree::Node;

/// A section heading of the truth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Heading {
    /// As it stands in the file, its label in front.
    pub(in super::super) printed: String,
    /// Strict forms that count as equal: with the label and without.
    pub(in super::super) strict: Vec<String>,
    /// The soft form.
    pub(in super::super) soft: String,
    /// The element that carries it, such as `sec` or `ack`.
    pub(in super::super) of: String,
}

/// An element that stands for a section but carries no title: one heading of ours with one of these soft names
/// counts neither for nor against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Pardon {
    pub(in super::super) names: Vec<String>,
}

/// Elements whose title heads a section.
const HEADED: [&str; 11] = [
    "sec",
    "ack",
    "ref-list",
    "app",
    "app-group",
    "abstract",
    "trans-abstract",
    "glossary",
    "fn-group",
    "notes",
    "bio",
];

/// What belongs to another text, beside floats: titles in it head no section of the article.
const APART: [&str; 5] = ["sub-article", "response", "list", "statement", "author-notes"];

pub(super) fn headings(article: Node<'_, '_>) -> Vec<Heading> {
    let titles = article.descendants().filter(|n| name(*n) == "title");
    titles.filter_map(heading).collect()
}

/// The heading that a `title` element is, if it heads a section.
pub(super) fn heading(title: Node<'_, '_>) -> Option<Heading> {
    let parent = title.parent_element()?;
    if !HEADED.contains(&name(parent)) || apart(title, &APART) {
        return None;
    }
    let words = text(title);
    let label = child(parent, "label").map(text).unwrap_or_default();
    let printed = strict(&format!("{label} {words}"));
    let form = soft(&words);
    (!form.is_empty()).then(|| Heading {
        strict: vec![printed.clone(), words],
        printed,
        soft: form,
        of: name(parent).to_owned(),
    })
}

pub(super) fn pardons(article: Node<'_, '_>) -> Vec<Pardon> {
    let elements = article.descendants().filter(Node::is_element);
    elements.filter_map(pardon).collect()
}

fn pardon(node: Node<'_, '_>) -> Option<Pardon> {
    if let Some(names) = lead_in(node) {
        return Some(Pardon { names });
    }
    let titled = child(node, "title").is_some_and(|t| !soft(&text(t)).is_empty());
    // A list of keywords holds no text of its own: its label is never asked for.
    if titled && name(node) != "kwd-group" || apart(node, &APART) {
        return None;
    }
    let names = standard_names(node)?.iter().map(|&n| n.to_owned()).collect();
    Some(Pardon { names })
}

/// Notes at the end of an article ("Competing interests") have no title in JATS; many begin with one in bold.
fn lead_in(node: Node<'_, '_>) -> Option<Vec<String>> {
    let at_the_end = name(node) == "fn" && inside(node, &["fn-group"]) && inside(node, &["back"]);
    if !at_the_end || inside(node, &["table-wrap", "fig", "sub-article", "response"]) {
        return None;
    }
    let first = child(node, "p")?
        .children()
        .find(|c| c.is_element() || !text(*c).is_empty())?;
    let form = soft(&text(first));
    (name(first) == "bold" && !form.is_empty()).then(|| vec![form])
}

/// The soft names under which an untitled element is commonly printed.
fn standard_names(node: Node<'_, '_>) -> Option<&'static [&'static str]> {
    Some(match name(node) {
        "abstract" if node.attribute("abstract-type") == Some("graphical") => &["graphicalabstract"],
        "abstract" => &["abstract", "summary"],
        "kwd-group" if node.attribute("kwd-group-type") == Some("abbreviations") => &["abbreviations"],
        "kwd-group" => &["keywords", "keyword"],
        // A list inside a list is a part of it, without a heading of its own.
        "ref-list" if !inside(node, &["ref-list"]) => &[
            "references",
            "reference",
            "bibliography",
            "literaturecited",
            "literature",
        ],
        "ack" => &[
            "acknowledgments",
            "acknowledgements",
            "acknowledgment",
            "acknowledgement",
        ],
        "glossary" => &["abbreviations", "listofabbreviations", "glossary", "nomenclature"],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::read;

    #[test]
    fn titles_of_sections_count_and_others_do_not() {
        let xml = "<article><front><article-meta><abstract><title>Abstract</title><sec><title>Aims</title></sec></abstract>
            <kwd-group><title>Keywords:</title></kwd-group></article-meta></front><body>
            <sec><label>1</label><title>Methods &amp; <italic>more</italic></title>
              <fig><caption><title>Figure title</title></caption></fig>
              <boxed-text><sec><title>Boxed</title></sec></boxed-text>
              <list><title>List</title></list>
              <sec><title> </title></sec>
            </sec></body><back><ack><p>Thanks</p></ack><ref-list><title> </title><ref-list/></ref-list>
            <fn-group><fn><p><bold>Competing interests</bold> None.</p></fn><fn><p>A <bold>note</bold></p></fn></fn-group>
            <glossary><title>Terms</title></glossary></back>
            <sub-article><body><sec><title>Review</title></sec></body></sub-article></article>";
        let truth = read(xml).expect("reads");
        let found: Vec<&str> = truth.headings.iter().map(|h| h.printed.as_str()).collect();
        assert_eq!(found, ["Abstract", "Aims", "1 Methods & more", "Terms"]);
        assert_eq!(truth.headings[2].strict, ["1 Methods & more", "Methods & more"]);
        let pardons: Vec<&str> = truth.pardons.iter().map(|p| p.names[0].as_str()).collect();
        assert_eq!(
            pardons,
            ["keywords", "acknowledgments", "references", "competinginterests"]
        );
    }
}
