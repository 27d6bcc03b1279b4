//! Evidence that names are those of the authors: in the rest of the first pages, the last page and the metadata.

use super::{Block, Front, marked_text};
use crate::layout::line::Line;
use crate::structure::person;
use std::collections::BTreeSet;

/// What speaks for and against names.
pub(super) struct NameEvidence<'a> {
    lines: &'a [Line],
    /// Folded words of lines that name authors again: citation, running head, correspondence.
    cues: Vec<(usize, Vec<String>)>,
    /// Parts of mail addresses in front of the @, folded.
    mail: Vec<String>,
    /// Words that the paper prints in lower case.
    ordinary: BTreeSet<&'a str>,
    /// Names of the file's metadata, those that are printed.
    author_field: Vec<String>,
}

/// A line number for what is not among the lines.
const OUTSIDE: usize = usize::MAX;

impl<'a> NameEvidence<'a> {
    pub(super) fn new(front: &Front<'a>) -> Self {
        let lines = front.lines;
        let first = lines.first().map_or(1, |l| l.page);
        let last = lines.last().map_or(1, |l| l.page);
        let near = |page: u32| page <= first + 1 || page == last;
        let mut cues = Vec::new();
        let mut mail = Vec::new();
        for (i, line) in lines.iter().enumerate().filter(|(_, l)| near(l.page)) {
            mail.extend(
                line.text.split_whitespace().filter_map(|w| Some(folded(w.split_once('@')?.0).concat())),
            );
            cues.push((i, folded(&marked_text(line))));
        }
        for (_, text) in front.running {
            cues.push((OUTSIDE, folded(text)));
        }
        let words = lines.iter().flat_map(|l| l.text.split_whitespace());
        let ordinary = words
            .map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()))
            .filter(|w| w.len() > 2 && w.chars().all(char::is_lowercase))
            .collect();
        let mut evidence = Self { lines, cues, mail, ordinary, author_field: Vec::new() };
        let mut named = front.author_field.map(names_in_file_info).unwrap_or_default();
        named.retain(|name| evidence.printed(name));
        evidence.author_field = named;
        evidence
    }

    /// Whether all words of the name stand in one line of the first pages, or in two that follow each other.
    fn printed(&self, name: &str) -> bool {
        let words: Vec<String> = folded(name).into_iter().filter(|w| w.chars().count() > 1).collect();
        let holds = |words: &[String], line: &[String]| words.iter().all(|w| line.contains(w));
        words.len() >= 2
            && self.cues.windows(2).any(|pair| {
                let both = [pair[0].1.as_slice(), pair[1].1.as_slice()].concat();
                holds(&words, &both)
            })
    }

    /// Points for a block of names being the byline.
    pub(super) fn support(&self, block: &Block) -> i32 {
        let names = &block.names;
        let count = names.list.len();
        let again = names.list.iter().any(|n| self.is_named_again(n, block));
        let in_metadata = |n: &String| self.author_field.iter().any(|t| same_person(n, t));
        let marks =
            if names.marked >= 2 && names.marked * 2 >= count { 3 } else { i32::from(names.marked > 0) };
        let mut points = marks
            + 2 * i32::from(names.degrees > 0)
            + i32::from(names.initials > 0)
            + i32::from(count >= 4 && names.rest.is_empty())
            + 2 * i32::from(self.institution_follows(block))
            + 3 * i32::from(again)
            + 4 * i32::from(names.list.iter().any(in_metadata));
        // Words of the language make headings and labels, seldom names.
        let plain = names.list.iter().filter(|n| self.is_ordinary(n)).count();
        if plain * 2 > count {
            points -= 5;
        }
        if person::is_affiliation(&names.rest) && names.marked == 0 && !again {
            points -= 3;
        }
        // Running text that begins with two capitals.
        let rest: Vec<&str> = names.rest.split_whitespace().collect();
        let small = rest.iter().filter(|w| w.starts_with(char::is_lowercase)).count();
        if rest.len() >= 8 && small * 2 > rest.len() && names.marked < 2 {
            points -= 4;
        }
        points
    }

    fn is_ordinary(&self, name: &str) -> bool {
        let mut words = name
            .split([' ', '-'])
            .map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()))
            .filter(|w| w.chars().count() > 2);
        let lower = |w: &str| self.ordinary.contains(w.to_lowercase().as_str());
        words.clone().count() > 0 && words.all(lower)
    }

    /// Whether an institution or an address of mail stands right below.
    fn institution_follows(&self, block: &Block) -> bool {
        if person::is_affiliation(&block.names.rest) {
            return true;
        }
        let first = &self.lines[block.start];
        let below = self.lines.iter().skip(block.end).take(3);
        let next = below.filter(|l| l.page == first.page && (!l.margin || first.margin));
        next.take(2).any(|l| person::is_affiliation(&l.text) && l.words() <= 30)
    }

    /// Whether a surname stands with its initial, after a cue or before "et al." elsewhere, or in an address of mail.
    fn is_named_again(&self, name: &str, block: &Block) -> bool {
        const CUES: &str = "correspondence|correspond|corresponding|email|mail|copyright|cite|citation|author|authors|contact|\
            reprints|orcid|et|editor";
        let words = folded(name);
        let Some((surname, given)) = words.split_last() else {
            return false;
        };
        if surname.chars().count() < 2 {
            return false;
        }
        if surname.chars().count() >= 4 && self.mail.iter().any(|m| m.contains(surname.as_str())) {
            return true;
        }
        let initial = given.first().and_then(|g| g.chars().next());
        // Scripts without capitals have no initials.
        let cased = name.chars().any(char::is_uppercase);
        self.cues.iter().filter(|(i, _)| !(block.start..block.end).contains(i)).any(|(_, line)| {
            line.iter().enumerate().filter(|(_, w)| *w == surname).any(|(at, _)| {
                let beside = [at.checked_sub(1).and_then(|i| line.get(i)), line.get(at + 1)];
                let initials = beside.iter().flatten().any(|w| {
                    w.chars().count() <= 3 && w.chars().next() == initial && w.as_str() != "and" && cased
                });
                let cued = line.iter().any(|w| CUES.split('|').any(|c| c == w));
                let whole = given.iter().all(|g| line.contains(g));
                initials || cued && (whole || line.get(at + 1).is_some_and(|w| w == "et"))
            })
        })
    }

    /// Combines the names that were found with those of the metadata: a list there whose names are all printed and that
    /// holds those found replaces them; where nothing is found its printed names are used.
    pub(super) fn combine_with_metadata(&self, found: Vec<String>) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let mut out: Vec<String> = found.into_iter().filter(|n| seen.insert(n.to_lowercase())).collect();
        if out.is_empty() || self.author_field.len() > out.len() && within(&out, &self.author_field) {
            out.clone_from(&self.author_field);
        }
        out
    }
}

/// The names in the author field of a file's metadata; family names may stand first.
fn names_in_file_info(author_field: &str) -> Vec<String> {
    let names = person::names(author_field);
    if names.rest.is_empty() && !names.list.is_empty() {
        return names.list;
    }
    // "Smith, Jane" or "Smith, Jane; Wei, Li".
    let turned = author_field.split(';').map(|one| {
        let (family, given) = one.split_once(',')?;
        (!given.contains(',')).then(|| format!("{} {}", given.trim(), family.trim()))
    });
    let turned: Option<Vec<String>> = turned.collect();
    let names = turned.map(|t| person::names(&t.join("; ")));
    names.filter(|n| n.rest.is_empty()).map(|n| n.list).unwrap_or_default()
}

/// Whether all names are among the others.
pub(super) fn within(names: &[String], of: &[String]) -> bool {
    names.iter().all(|n| of.iter().any(|o| same_person(n, o)))
}

/// Whether two spellings name one person: the same surname and first initial.
fn same_person(a: &str, b: &str) -> bool {
    let (a, b) = (folded(a), folded(b));
    let initial = |words: &[String]| words.first().and_then(|w| w.chars().next());
    a.last().is_some() && a.last() == b.last() && initial(&a) == initial(&b)
}

/// Words without case and accents.
fn folded(text: &str) -> Vec<String> {
    use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};
    text.split(|c: char| !c.is_alphabetic() && !is_combining_mark(c) && !matches!(c, '\'' | '’'))
        .map(|w| w.nfkd().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect::<String>())
        .filter(|w| !w.is_empty())
        .collect()
}
