//! The line that is put before a chunk's text when it is embedded: which paper, which section, which pages.

use crate::tokens;
use types::{Section, SourceId, SourceMeta};

/// Longest title and heading in characters, before the token limit cuts them further.
const TITLE_CHARS: usize = 120;
const HEADING_CHARS: usize = 80;

/// The prefix of all chunks of one section, pages left open: source and section. `None` when not even the shortest form
/// keeps within the limit.
pub(super) struct Prefix(Option<(String, String)>);

impl Prefix {
    /// The prefix for `section` of the paper `meta`, at most `limit` tokens with whatever pages of the
    /// section. Title and heading are shortened, at words and with an ellipsis, as far as that needs.
    pub(super) fn new(meta: &SourceMeta, section: &Section, limit: usize) -> Self {
        let title = meta.title.as_deref().map(clean).filter(|t| !t.is_empty());
        let title = title.unwrap_or_else(|| clean(meta.source_id.as_str()));
        let credit = credit(meta);
        let kind = section.name.as_str();
        let heading = Some(clean(&section.heading)).filter(|h| !h.is_empty());
        let heading = heading.unwrap_or_else(|| kind.to_owned());
        let lengths = std::iter::successors(Some((TITLE_CHARS, HEADING_CHARS)), |&(title, heading)| {
            let shorter = if title >= heading {
                (title * 3 / 4, heading)
            } else {
                (title, heading * 3 / 4)
            };
            (title + heading >= 16).then_some(shorter)
        });
        // The longest form has two different pages of three or more digits.
        let widest = section.page_start.max(section.page_end).max(999);
        let fits = |parts: &(String, String)| tokens::count(&printed(parts, (widest - 1, widest))) <= limit;
        let forms = lengths.map(|(t, h)| (shorten(&title, t) + &credit, shorten(&heading, h)));
        let shortest = ("…".to_owned(), kind.to_owned());
        Self(forms.chain([shortest]).find(fits))
    }

    /// The prefix of the earlier system: source id and label.
    pub(super) fn of_label(source: &SourceId, section: &Section, limit: usize) -> Self {
        let parts = (clean(source.as_str()), section.name.as_str().to_owned());
        Self(Some(parts).filter(|parts| tokens::count(&printed(parts, (9_998, 9_999))) <= limit))
    }

    /// The prefix with these pages; empty when there is none.
    pub(super) fn with_pages(&self, pages: (u32, u32)) -> String {
        self.0
            .as_ref()
            .map(|parts| printed(parts, pages))
            .unwrap_or_default()
    }
}

fn printed((source, section): &(String, String), (first, last): (u32, u32)) -> String {
    let last = if first == last {
        String::new()
    } else {
        format!("-{last}")
    };
    format!("[Source: {source} | Section: {section} | Pages: {first}{last}]")
}

/// ` (Barry et al., 2014)`, as far as it is known.
fn credit(meta: &SourceMeta) -> String {
    let others = if meta.authors.len() > 1 { " et al." } else { "" };
    let author = meta.authors.first().map(|a| surname(&clean(a)));
    let author = author.filter(|a| !a.is_empty()).map(|a| shorten(&a, 30) + others);
    let year = meta.year.map(|year| year.to_string());
    let known: Vec<String> = author.into_iter().chain(year).collect();
    if known.is_empty() {
        return String::new();
    }
    format!(" ({})", known.join(", "))
}

/// The family name of an author as printed: before a comma, else the last word that is not initials.
fn surname(author: &str) -> String {
    if let Some((family, _)) = author.split_once(',') {
        return family.trim().to_owned();
    }
    let initials = |word: &&str| {
        let letters = word.chars().filter(|c| c.is_alphabetic());
        letters.clone().count() <= 3 && letters.clone().all(char::is_uppercase)
    };
    let word = author.split(' ').rev().find(|w| !initials(w));
    word.unwrap_or(author).to_owned()
}

/// One line without the characters that structure the prefix; control characters count as white space.
fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(4 * TITLE_CHARS));
    // A heading is never longer than a few lines; a broken one of megabytes is not worth reading to its end.
    for c in text.chars().take(4 * TITLE_CHARS) {
        match c {
            '[' => out.push('('),
            ']' => out.push(')'),
            '|' => out.push('/'),
            c if c.is_whitespace() || c.is_control() => {
                if !out.is_empty() && !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            c => out.push(c),
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// At most `chars` characters of `text`, cut behind a word where one ends in the latter half.
fn shorten(text: &str, chars: usize) -> String {
    let Some((cut, _)) = text.char_indices().nth(chars) else {
        return text.to_owned();
    };
    let head = &text[..cut];
    let end = head.rfind(' ').filter(|&at| at >= cut / 2).unwrap_or(cut);
    format!(
        "{}…",
        head[..end].trim_end_matches([' ', ',', ';', ':', '.', '-'])
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{SectionKind, SourceId, Span};

    fn section(heading: &str) -> Section {
        Section {
            name: SectionKind::Methods,
            heading: heading.to_owned(),
            level: 1,
            page_start: 3,
            page_end: 4,
            span: Span::default(),
            blocks: Vec::new(),
        }
    }

    fn meta(title: Option<&str>, authors: &[&str], year: Option<u16>) -> SourceMeta {
        SourceMeta {
            source_id: SourceId::from("barry_2014"),
            title: title.map(str::to_owned),
            authors: authors.iter().map(|&a| a.to_owned()).collect(),
            year,
            ..SourceMeta::default()
        }
    }

    #[test]
    fn the_prefix_says_what_is_known() {
        let check = |meta: SourceMeta, heading: &str, pages: (u32, u32), want: &str| {
            assert_eq!(Prefix::new(&meta, &section(heading), 60).with_pages(pages), want);
        };
        let none = meta(None, &[], None);
        check(
            none,
            "",
            (3, 3),
            "[Source: barry_2014 | Section: methods | Pages: 3]",
        );
        let full = meta(
            Some("Heart rate"),
            &["Robert J. Barry", "A. N. Other"],
            Some(2014),
        );
        check(
            full,
            "2.1. Participants",
            (3, 4),
            "[Source: Heart rate (Barry et al., 2014) | Section: 2.1. Participants | Pages: 3-4]",
        );
        let hostile = meta(Some("A]\n| [b\u{7}c"), &["Barry RJ"], None);
        check(
            hostile,
            "x | y",
            (1, 1),
            "[Source: A) / (b c (Barry) | Section: x / y | Pages: 1]",
        );
    }

    #[test]
    fn surnames() {
        let check = |author: &str, want: &str| assert_eq!(surname(author), want, "{author}");
        check("Robert J. Barry", "Barry");
        check("Barry, R. J.", "Barry");
        check("Barry RJ", "Barry");
        check("Wei LI", "Wei");
        check("R. J.", "R. J.");
        check("", "");
    }

    #[test]
    fn long_titles_are_shortened_to_the_limit() {
        let long = "Electroencephalographic ".repeat(40);
        for (title, heading) in [
            (long.as_str(), "Methods"),
            ("T", long.as_str()),
            (&"日本語".repeat(60), &"🧬".repeat(90)),
        ] {
            for limit in [20, 30, 60] {
                let prefix = Prefix::new(
                    &meta(Some(title), &[long.as_str()], None),
                    &section(heading),
                    limit,
                );
                let text = prefix.with_pages((998, 999));
                assert!(tokens::count(&text) <= limit, "{limit}: {text}");
                assert!(
                    text.starts_with("[Source: ") && text.ends_with(" | Pages: 998-999]"),
                    "{text}"
                );
            }
        }
        let off = Prefix::new(&meta(None, &[], None), &section(""), 0);
        assert_eq!(off.with_pages((1, 2)), "");
    }
}
