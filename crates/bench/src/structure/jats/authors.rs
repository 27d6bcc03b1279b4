//! The authors that the truth names.

use super::node::{below, child, inside, name, pieces, text};
use crate::structure::fold::strict;
use roxmltree::Node;

/// An author: a person, or a group with its whole name as the surname.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in super::super) struct Name {
    pub(in super::super) surname: String,
    /// Given names or initials; empty for groups.
    pub(in super::super) given: String,
}

/// The authors in the order of the file. Members of a group stand inside its element and are not printed with the
/// authors.
pub(super) fn authors(meta: Node<'_, '_>) -> Vec<Name> {
    let groups = meta.children().filter(|n| name(*n) == "contrib-group");
    groups
        .flat_map(|group| below(group, "contrib"))
        .filter(|contributor| {
            let kind = contributor.attribute("contrib-type");
            kind.is_none_or(|kind| kind == "author") && !inside(*contributor, &["collab", "contrib"])
        })
        .filter_map(author)
        .collect()
}

fn author(contributor: Node<'_, '_>) -> Option<Name> {
    let found = if let Some(group) = child(contributor, "collab") {
        let mut words = String::new();
        pieces(group, &["contrib-group"], |piece| {
            words.push_str(piece.unwrap_or(" "));
        });
        Name {
            surname: strict(&words),
            given: String::new(),
        }
    } else if let Some(surname) = below(contributor, "surname").next() {
        let given = surname.parent_element().and_then(|n| child(n, "given-names"));
        Name {
            surname: text(surname),
            given: given.map(text).unwrap_or_default(),
        }
    } else {
        // A name without its parts: the last word is taken for the surname.
        let whole = text(below(contributor, "string-name").next()?);
        let (given, surname) = whole.rsplit_once(' ').unwrap_or(("", &whole));
        Name {
            surname: surname.to_owned(),
            given: given.to_owned(),
        }
    };
    (!found.surname.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::super::read;

    #[test]
    fn authors_are_people_and_groups_but_no_editors_or_members() {
        let xml = "<article><front><article-meta><contrib-group>
            <contrib contrib-type='author'><name><surname>Berg</surname><given-names>Anna M.</given-names></name></contrib>
            <contrib><name-alternatives><name><surname>Li</surname><given-names>Wei</given-names></name>
              <name><surname>X</surname></name></name-alternatives></contrib>
            <contrib contrib-type='author'><string-name>Tom van Dam</string-name></contrib>
            <contrib contrib-type='author'><collab>The Snail Study Group<contrib-group>
              <contrib contrib-type='author'><name><surname>Member</surname></name></contrib></contrib-group></collab></contrib>
            </contrib-group><contrib-group><contrib contrib-type='editor'><name><surname>No</surname></name></contrib>
            <contrib contrib-type='author'><name><surname>Last</surname><given-names>P</given-names></name></contrib>
            </contrib-group></article-meta></front></article>";
        let truth = read(xml).expect("reads");
        let names: Vec<(&str, &str)> = truth
            .front
            .authors
            .iter()
            .map(|n| (n.given.as_str(), n.surname.as_str()))
            .collect();
        assert_eq!(
            names[..3],
            [("Anna M.", "Berg"), ("Wei", "Li"), ("Tom van", "Dam")]
        );
        assert_eq!(names[3..], [("", "The Snail Study Group"), ("P", "Last")]);
    }
}
