//! Names of people in a line of authors: separators, marks and degrees, and what is no name.

#[cfg(test)]
mod tests;
mod word;

use std::collections::BTreeSet;
use word::{
    cased, is_caseless, is_degree, is_group, is_initials, is_lone_letter, is_particle, is_person, is_suffix,
    is_title, without_icon,
};

pub(crate) use word::is_affiliation;

/// Stands for a raised mark, such as the number of an affiliation.
pub(crate) const MARK: char = '\u{1F}';
/// Stands for the end of a line or a wide gap: it may separate two names or stand inside one.
pub(crate) const BREAK: char = '\u{1E}';

/// The names of a text, and what was seen around them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Names {
    /// In order, without marks and degrees.
    pub(crate) list: Vec<String>,
    /// Names with a mark of an affiliation or a note behind them.
    pub(crate) marked: usize,
    /// Names with a degree behind them.
    pub(crate) degrees: usize,
    /// Names with initials ("Jane A. Smith").
    pub(crate) initials: usize,
    /// Whether the text ends where a name must follow: in a comma or "and".
    pub(crate) open: bool,
    /// What follows the names and is none; empty when all of the text is names.
    pub(crate) rest: String,
}

impl Names {
    /// Whether all of the text is names.
    pub(crate) fn is_all(&self) -> bool {
        self.rest.is_empty() && !self.list.is_empty()
    }
}

/// A stretch between two separators.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about what follows")]
struct Piece {
    text: String,
    /// Whether a mark follows.
    marked: bool,
    /// Whether a comma, "and" or another sign that separates names follows.
    listed: bool,
    /// Whether that is a comma or a semicolon.
    comma: bool,
    /// Whether only the end of a line or a wide gap follows.
    broken: bool,
}

/// Reads the names at the start of a text. Names end at the first stretch that is none.
pub(crate) fn names(text: &str) -> Names {
    let text = word::plain(text);
    let pieces = family_first(joined(pieces(&text)));
    let mut out = Names::default();
    let mut seen = BTreeSet::new();
    let mut group_next = false;
    for (i, piece) in pieces.iter().enumerate() {
        let read = read(&piece.text, group_next);
        group_next = false;
        match read {
            Read::Nothing => {}
            Read::Degree => out.degrees += usize::from(!out.list.is_empty()),
            Read::Suffix(suffix) => {
                if let Some(last) = out.list.last_mut() {
                    last.push(' ');
                    last.push_str(&suffix);
                }
            }
            Read::For => group_next = true,
            Read::Name { name, degree } => {
                out.initials += usize::from(name.split(' ').any(is_initials));
                out.degrees += usize::from(degree);
                out.marked += usize::from(piece.marked);
                if seen.insert(name.to_lowercase()) {
                    out.list.push(name);
                }
            }
            // One odd stretch inside a list of marked names is left out.
            Read::Other if is_stray_piece(&pieces[i..]) => {}
            Read::Other => {
                let rest: Vec<&str> = pieces[i..].iter().map(|p| p.text.trim()).collect();
                rest.join(" ").trim().clone_into(&mut out.rest);
                break;
            }
        }
    }
    let last = pieces.iter().rfind(|p| !p.text.trim().is_empty());
    out.open = out.rest.is_empty() && last.is_some_and(|p| p.listed && !p.marked);
    out
}

/// A word without what parts it from others.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| c.is_whitespace() || c == BREAK || c == MARK)
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut out = vec![Piece::default()];
    let words: Vec<&str> = text.split_inclusive(|c: char| c.is_whitespace() || c == BREAK).collect();
    for (i, word) in words.iter().enumerate() {
        let bare = bare(word);
        // An address of mail or of a researcher's record is no part of a name.
        let address =
            bare.contains('@') || bare.contains("://") || bare.contains("orcid.org") || bare.contains("www.");
        let french = bare == "et" && words.get(i + 1).is_some_and(|w| !self::bare(w).starts_with("al"));
        if address || french || matches!(bare, "and" | "AND" | "And" | "&" | "und") {
            separate(&mut out, |p| p.listed = true);
            continue;
        }
        for (i, c) in word.char_indices() {
            match c {
                BREAK => separate(&mut out, |p| p.broken = true),
                // Numbers of affiliations are short; years and codes of places are not.
                // Only those without a space before them are marks for sure.
                '0'..='9' if digits_around(word, i) <= 2 => {
                    separate(&mut out, |p| {
                        if i > 0 || p.marked {
                            p.marked = true;
                        } else {
                            p.listed = true;
                        }
                    });
                }
                MARK | '\u{FFFD}' | '\u{E000}'..='\u{F8FF}' => separate(&mut out, |p| p.marked = true),
                c if MARKS.contains(c) => separate(&mut out, |p| p.marked = true),
                ',' | ';' | '、' | '，' | '؛' | '،' => {
                    separate(&mut out, |p| (p.listed, p.comma) = (true, true));
                }
                '·' | '•' | '|' | '&' | '/' | '∙' | '⋅' => separate(&mut out, |p| p.listed = true),
                '\u{AD}' | '\u{200B}' => {}
                // What is no letter stays: no name holds it.
                c => {
                    if let Some(last) = out.last_mut() {
                        last.text.push(if c.is_whitespace() { ' ' } else { c });
                    }
                }
            }
        }
    }
    out
}

/// Signs behind a name that stand for an affiliation or a note.
const MARKS: &str = "*∗⁎＊†‡§¶#¹²³⁴⁵⁶⁷⁸⁹⁰✉☯☨◊♯∥‖¤⊥✝()[]";

/// Digits in the run around the byte `at`.
fn digits_around(word: &str, at: usize) -> usize {
    let bytes = word.as_bytes();
    let before = bytes[..at].iter().rev().take_while(|b| b.is_ascii_digit()).count();
    before + bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count()
}

/// Ends the last piece, or adds to what ended it.
fn separate(pieces: &mut Vec<Piece>, how: impl Fn(&mut Piece)) {
    let empty = pieces.last().is_some_and(|p| p.text.trim().is_empty());
    if let Some(piece) = pieces.iter_mut().rev().nth(usize::from(empty)) {
        how(piece);
    }
    if !empty {
        pieces.push(Piece::default());
    }
}

fn is_of_names(c: char) -> bool {
    c.is_alphabetic() || "-.'’‘‐‑`´ʼ:".contains(c) || unicode_normalization::char::is_combining_mark(c)
}

/// Joins pieces that only the end of a line or a wide gap holds apart, unless each could be a name of its own in a list
/// without commas.
fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let commas = pieces.iter().any(|p| p.comma);
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let words = |p: &Piece| p.text.split_whitespace().count();
        if let Some(last) = out.last_mut()
            && last.broken
            && !last.marked
            && !last.listed
        {
            let hyphen = last.text.trim_end().ends_with(['-', '‐']);
            let whole = words(last) >= 2 && words(&piece) >= 2;
            if !whole || commas && words(last) + words(&piece) <= 4 && !piece.broken {
                let end = last.text.trim_end().len();
                last.text.truncate(end);
                if !hyphen {
                    last.text.push(' ');
                }
                last.text.push_str(piece.text.trim_start());
                *last = Piece { text: std::mem::take(&mut last.text), ..piece };
                continue;
            }
        }
        out.push(piece);
    }
    out
}

/// "Smith, J., Wei, L." and "Smith, Jane; Wei, Li": brings the given names before the surname.
fn family_first(pieces: Vec<Piece>) -> Vec<Piece> {
    let full: Vec<&Piece> = pieces.iter().filter(|p| !p.text.trim().is_empty()).collect();
    let pairs = full.len() >= 2
        && full.len().is_multiple_of(2)
        && full.chunks(2).all(|pair| {
            let mut surname = pair[0].text.split_whitespace().filter(|w| !is_particle(w));
            let one = surname.next().is_some_and(|w| !is_initials(w)) && surname.next().is_none();
            let mut given = pair[1].text.split_whitespace();
            pair[0].comma && !pair[0].marked && one && given.all(|w| is_initials(w) && !is_degree(w, false))
        });
    if !pairs {
        return pieces;
    }
    let pair = |pair: &[&Piece]| Piece {
        text: format!("{} {}", pair[1].text.trim(), pair[0].text.trim()),
        ..pair[1].clone()
    };
    full.chunks(2).map(pair).collect()
}

/// Whether the first piece is no name but stands, with a mark, inside a list of marked names.
fn is_stray_piece(pieces: &[Piece]) -> bool {
    let [piece, next, ..] = pieces else { return false };
    let short = piece.text.split_whitespace().count() <= 4 && !is_affiliation(&piece.text);
    short && piece.marked && next.marked && matches!(read(&next.text, false), Read::Name { .. })
}

enum Read {
    /// Nothing that says anything.
    Nothing,
    Degree,
    /// "Jr."
    Suffix(String),
    /// "On behalf of": the name of a group follows.
    For,
    Name {
        name: String,
        degree: bool,
    },
    Other,
}

fn read(text: &str, group: bool) -> Read {
    let lettered = |w: &&str| w.chars().any(char::is_alphabetic);
    let mut words: Vec<&str> = text.split_whitespace().map(without_icon).filter(lettered).collect();
    while words.first().is_some_and(|w| is_title(w)) {
        words.remove(0);
    }
    // A letter that marks an affiliation, raised or not.
    while words.pop_if(|w| is_lone_letter(w)).is_some() {}
    while words.first().is_some_and(|w| is_lone_letter(w)) {
        words.remove(0);
    }
    let mut degree = false;
    while words.last().is_some_and(|w| is_degree(w, words.len() <= 2)) {
        words.pop();
        degree = true;
    }
    let Some(first) = words.first() else {
        return if degree { Read::Degree } else { Read::Nothing };
    };
    if let [suffix] = words.as_slice()
        && is_suffix(suffix)
    {
        return Read::Suffix((*suffix).to_owned());
    }
    let lower = words.join(" ").to_lowercase();
    if lower.ends_with("on behalf of")
        || lower.ends_with("for the")
        || matches!(lower.as_str(), "et al" | "et al.")
    {
        return Read::For;
    }
    let on_behalf = ["on behalf of the ", "on behalf of ", "for the ", "and the ", "the "]
        .iter()
        .find_map(|start| lower.strip_prefix(start).map(|_| start.len()));
    let named = words.len() <= 12 && words.iter().any(|w| w.starts_with(char::is_uppercase));
    let group = group || lower.starts_with("on behalf of ");
    if group && named || (on_behalf.is_some() || first.starts_with(char::is_uppercase)) && is_group(&words) {
        let whole = words.join(" ");
        let name = whole.get(on_behalf.unwrap_or(0)..).unwrap_or(&whole).to_owned();
        return Read::Name { name, degree };
    }
    if words.len() == 1 && words[0].chars().count() <= 3 && !is_caseless(words[0]) {
        return Read::Nothing;
    }
    if is_person(&words) {
        return Read::Name { name: cased(&words), degree };
    }
    Read::Other
}
