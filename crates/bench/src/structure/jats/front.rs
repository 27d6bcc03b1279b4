//! What the truth says of the paper as a whole.

use super::authors::{self, Name};
use super::node::{below, child, name, text};
use roxmltree::Node;

/// Title, authors, years, DOI; each empty where the file is silent.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Front {
    /// The title, and the title with its subtitle: either is right.
    pub(in super::super) titles: Vec<String>,
    /// Authors in the order of the file; editors and members of groups are left out.
    pub(in super::super) authors: Vec<Name>,
    /// Years of publication, in print, online or of the collection: any is right.
    pub(in super::super) years: Vec<u16>,
    pub(in super::super) doi: String,
}

pub(super) fn publisher(article: Node<'_, '_>) -> String {
    let front = child(article, "front").and_then(|f| child(f, "journal-meta"));
    front
        .and_then(|meta| below(meta, "publisher-name").next())
        .map_or_else(|| "(no publisher named)".to_owned(), text)
}

pub(super) fn front(article: Node<'_, '_>) -> Front {
    let Some(meta) = child(article, "front").and_then(|f| child(f, "article-meta")) else {
        return Front::default();
    };
    let mut titles = Vec::new();
    if let Some(group) = child(meta, "title-group") {
        let title = child(group, "article-title").map(text).unwrap_or_default();
        if let Some(subtitle) = child(group, "subtitle").map(text) {
            titles.push(format!("{title} {subtitle}"));
        }
        titles.push(title);
    }
    titles.retain(|t| !t.is_empty());
    let of_the_archive = |date: &Node<'_, '_>| {
        ["pub-type", "date-type"]
            .iter()
            .any(|key| date.attribute(*key).is_some_and(|kind| kind.starts_with("pmc")))
    };
    let dates = meta.children().filter(|n| name(*n) == "pub-date");
    let years = dates
        .filter(|date| !of_the_archive(date))
        .filter_map(|date| text(child(date, "year")?).parse().ok())
        .collect();
    let doi = meta
        .children()
        .find(|n| name(*n) == "article-id" && n.attribute("pub-id-type") == Some("doi"))
        .map(|n| text(n).to_lowercase())
        .unwrap_or_default();
    Front {
        titles,
        authors: authors::authors(meta),
        years,
        doi,
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;

    #[test]
    fn the_front_is_that_of_the_article_itself() {
        let xml = r#"<article xmlns:xlink="http://www.w3.org/1999/xlink"><front><journal-meta><publisher>
            <publisher-name>Acme</publisher-name></publisher></journal-meta><article-meta>
            <article-id pub-id-type="pmid">1</article-id><article-id pub-id-type="doi">10.1/AbC</article-id>
            <title-group><article-title>Of <italic>mice</italic><fn><p>note</p></fn></article-title>
            <subtitle>and men</subtitle></title-group>
            <contrib-group><contrib contrib-type="editor"><name><surname>No</surname></name></contrib>
            <contrib contrib-type="author"><name><surname>van Dam</surname><given-names>A</given-names></name></contrib>
            </contrib-group><pub-date pub-type="epub"><year>2019</year></pub-date>
            <pub-date pub-type="pmc-release"><year>2021</year></pub-date>
            <related-article><article-title>Another</article-title></related-article>
            </article-meta></front></article>"#;
        let truth = read(xml).expect("reads");
        assert_eq!(truth.publisher, "Acme");
        assert_eq!(truth.front.titles, ["Of mice and men", "Of mice"]);
        assert_eq!(truth.front.authors.len(), 1);
        assert_eq!(truth.front.authors[0].surname, "van Dam");
        assert_eq!(truth.front.years, [2019]);
        assert_eq!(truth.front.doi, "10.1/abc");
        assert_eq!(read("<article/>").expect("reads").front, super::Front::default());
    }
}
