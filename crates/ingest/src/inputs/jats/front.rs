//! Title, authors, year, DOI and journal with volume, issue and first page.

use super::super::{doi, manifest};
use super::inline::text_of;
use super::tree::{Child, Element};
use types::{Printed, SourceMeta};

/// The front of an article, and the part of it that is about the article.
pub(super) fn front_of(article: Element<'_>) -> Option<(Element<'_>, Element<'_>)> {
    let front = article.child("front").or_else(|| article.child("front-stub"))?;
    Some((front, front.child("article-meta").unwrap_or(front)))
}

/// What `<front>` says of its article.
pub(super) fn read(article: Element<'_>) -> SourceMeta {
    let Some((front, meta)) = front_of(article) else {
        return SourceMeta::default();
    };
    let venue = front
        .path(&["journal-meta", "journal-title-group", "journal-title"])
        .or_else(|| front.path(&["journal-meta", "journal-title"]));
    let doi = meta
        .all("article-id")
        .find(|id| id.attribute("pub-id-type") == Some("doi"))
        .and_then(|id| doi::doi(&text_of(id)));
    let of = |name: &str| meta.child(name).and_then(text_content).filter(|text| text.len() <= 40);
    SourceMeta {
        title: title(meta),
        authors: authors(meta),
        year: year(meta),
        venue: venue.and_then(text_content),
        printed: Printed {
            volume: of("volume"),
            issue: of("issue"),
            first_page: of("fpage").or_else(|| of("elocation-id")),
            ..Printed::default()
        },
        doi,
        ..SourceMeta::default()
    }
}

fn text_content(el: Element<'_>) -> Option<String> {
    Some(text_of(el)).filter(|text| !text.is_empty())
}

fn title(meta: Element<'_>) -> Option<String> {
    let group = meta.child("title-group")?;
    let title = text_content(group.child("article-title")?)?;
    match group.child("subtitle").and_then(text_content) {
        Some(subtitle) => Some(format!("{}: {subtitle}", title.trim_end_matches([':', ' ']))),
        None => Some(title),
    }
}

fn authors(meta: Element<'_>) -> Vec<String> {
    let groups = meta.all("contrib-group");
    groups
        .flat_map(|group| group.all("contrib"))
        .filter(|contrib| matches!(contrib.attribute("contrib-type"), None | Some("author")))
        .filter_map(author)
        .collect()
}

/// A name in the order in which it is printed: given names first, unless its style says otherwise.
fn author(contrib: Element<'_>) -> Option<String> {
    let holder = contrib.child("name-alternatives").unwrap_or(contrib);
    if let Some(name) = holder.child("name") {
        let part = |of: &str| name.child(of).and_then(text_content);
        let surname = part("surname");
        let given = part("given-names");
        let ordered = match name.attribute("name-style") {
            Some("eastern") => [surname, given],
            _ => [given, surname],
        };
        let parts: Vec<String> = ordered.into_iter().flatten().chain(part("suffix")).collect();
        return Some(parts.join(" ")).filter(|name| !name.is_empty());
    }
    let other = ["string-name", "collab", "collab-alternatives"];
    let holder = other.iter().find_map(|name| holder.child(name))?;
    // A group may list its members inside.
    if holder.name() == "collab" {
        let own = holder.children().filter_map(|child| match child {
            Child::Text(text) => Some(text.trim().to_owned()).filter(|part| !part.is_empty()),
            Child::Element(el) if el.name() != "contrib-group" => text_content(el),
            Child::Element(_) => None,
        });
        let own: Vec<String> = own.collect();
        return Some(own.join(" ")).filter(|name| !name.is_empty());
    }
    text_content(holder)
}

/// The year in which the article appeared: of its issue, as it is cited, else online, else as an archive took it in.
fn year(meta: Element<'_>) -> Option<u16> {
    let rank = |date: Element<'_>| {
        let kind = date.attribute("pub-type").or_else(|| date.attribute("date-type"));
        match (kind, date.attribute("publication-format")) {
            (Some("ppub" | "epub-ppub" | "collection"), _) | (Some("pub"), Some("print")) => 0,
            (Some("epub" | "pub" | "epreprint") | None, _) => 1,
            (Some("pmc-release" | "nihms-submitted" | "retracted" | "corrected"), _) => 3,
            (Some(_), _) => 2,
        }
    };
    meta.all("pub-date")
        .filter_map(|date| Some((rank(date), manifest::year_in(&text_of(date.child("year")?))?)))
        .min_by_key(|(rank, _)| *rank)
        .map(|(_, year)| year)
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::*;

    #[test]
    fn the_front_is_read() {
        let xml = "<article><front><journal-meta><journal-title-group><journal-title>J Slime</journal-title>\
            </journal-title-group></journal-meta><article-meta><article-id pub-id-type='pmid'>1</article-id>\
            <article-id pub-id-type='doi'>10.1000/ABC</article-id><title-group><article-title>Of <italic>snails</italic>\
            <xref ref-type='fn'/><fn><p>x</p></fn></article-title><subtitle>a study</subtitle></title-group>\
            <contrib-group><contrib contrib-type='author'><name><surname>Doe</surname><given-names>Jane A.</given-names>\
            <suffix>Jr</suffix></name><xref>1</xref></contrib><contrib contrib-type='author'><name name-style='eastern'>\
            <surname>Li</surname><given-names>Wei</given-names></name></contrib><contrib contrib-type='author'>\
            <collab>The Group<contrib-group><contrib><name><surname>No</surname></name></contrib></contrib-group></collab>\
            </contrib><contrib contrib-type='editor'><name><surname>Ed</surname></name></contrib></contrib-group>\
            <pub-date pub-type='pmc-release'><year>2022</year></pub-date><pub-date pub-type='epub'><year>2020</year></pub-date>\
            <pub-date pub-type='collection'><year>2021</year></pub-date>\
            <volume>20</volume><issue>3</issue><fpage>812</fpage><elocation-id>e9</elocation-id></article-meta></front></article>";
        let tree = Tree::parse(xml).expect("a tree");
        let meta = read(tree.root());
        assert_eq!(meta.title.as_deref(), Some("Of snails: a study"));
        assert_eq!(meta.authors, ["Jane A. Doe Jr", "Li Wei", "The Group"]);
        assert_eq!((meta.year, meta.doi.as_deref()), (Some(2021), Some("10.1000/abc")));
        assert_eq!(meta.venue.as_deref(), Some("J Slime"));
        assert_eq!(meta.printed.place(meta.venue.as_deref()).as_deref(), Some("J Slime 20(3):812"));
        let empty = Tree::parse("<article><front/></article>").expect("a tree");
        assert_eq!(read(empty.root()), SourceMeta::default());
    }
}
