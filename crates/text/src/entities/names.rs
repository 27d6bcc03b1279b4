//! Symbols and names of one sentence.

use super::{Entity, EntityKind};
use crate::{WordList, chars::is_greek, is_negation, is_stop_word, terms::words};
use std::ops::Range;

/// The symbols and names of the sentence `sentence` of `text`, in order.
pub(super) fn names(text: &str, sentence: Range<usize>) -> Vec<Entity> {
    let words: Vec<Word<'_>> = words(&text[sentence.clone()])
        .into_iter()
        .map(|span| Word::new(text, sentence.start + span.start..sentence.start + span.end, sentence.start))
        .collect();
    let mut out = Vec::new();
    let mut i = 0;
    while i < words.len() {
        let word = &words[i];
        if word.is_symbol() {
            out.push(entity(text, EntityKind::Symbol, word.span.clone()));
        } else if let Some(last) = name_from(text, &words, i) {
            out.push(entity(text, EntityKind::Name, word.span.start..words[last].span.end));
            i = last;
        }
        i += 1;
    }
    out
}

fn entity(text: &str, kind: EntityKind, span: Range<usize>) -> Entity {
    Entity { kind, text: text[span.clone()].to_owned(), span }
}

struct Word<'t> {
    text: &'t str,
    span: Range<usize>,
    /// Whether a capital here may only mark a start: of the sentence, of a quotation, after a colon.
    opens: bool,
}

impl<'t> Word<'t> {
    fn new(text: &'t str, span: Range<usize>, sentence: usize) -> Self {
        let before = text[sentence..span.start].trim_end_matches([' ', '\t']);
        let opens = match before.chars().next_back() {
            None => true,
            Some(c) => matches!(
                c,
                ':' | ';'
                    | '"'
                    | '“'
                    | '‘'
                    | '«'
                    | '\n'
                    | '•'
                    | '*'
                    | '#'
                    | '|'
                    | '—'
                    | '?'
                    | '!'
                    | '.'
                    | '>'
            ),
        };
        // "et al. (2014)" and "J. Smith": a full stop inside a sentence belongs to an abbreviation.
        let abbreviated = before.ends_with('.') && !before.ends_with("..") && before.len() > 1;
        // A list marker: "(1) Barry", "2.1. Participants".
        let numbered = before.len() <= 12
            && before.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '(' | ')' | '-' | ' '));
        Self { text: &text[span.clone()], opens: (opens && !abbreviated) || numbered, span }
    }

    fn bare(&self) -> &'t str {
        let cut = self.text.strip_suffix("'s").or(self.text.strip_suffix("’s"));
        cut.unwrap_or(self.text)
    }

    fn capitalised(&self) -> bool {
        let mut chars = self.bare().chars();
        chars.next().is_some_and(char::is_uppercase) && chars.next().is_some_and(char::is_lowercase)
    }

    fn is_symbol(&self) -> bool {
        let word = self.bare();
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        let capitals = word.chars().filter(|c| c.is_uppercase() && !is_greek(*c)).count();
        let digits = word.chars().filter(char::is_ascii_digit).count();
        let greek = word.chars().filter(|c| is_greek(*c)).count();
        let starts_with_digit = word.starts_with(|c: char| c.is_ascii_digit());
        if letters == 0
            || is_roman(word)
            || word.chars().count() < 2
            || is_general(word)
            || is_stop_word(word)
            || is_negation(word)
        {
            return false;
        }
        let mixed = letters > greek && (greek > 0 || (digits > 0 && !starts_with_digit));
        let inner = capitals >= 1 && word.chars().skip(1).any(char::is_uppercase);
        mixed || (inner && !is_name_like(word))
    }
}

/// The last word of the name that begins with word `i`, if one begins there.
fn name_from(text: &str, words: &[Word<'_>], i: usize) -> Option<usize> {
    let word = &words[i];
    if let Some(last) = species(text, words, i) {
        return Some(last);
    }
    if !(word.capitalised() || is_name_like(word.text))
        || is_general(word.bare())
        || is_stop_word(word.bare())
    {
        return None;
    }
    let adjacent = |a: &Word<'_>, b: &Word<'_>| {
        text[a.span.end..b.span.start].chars().all(|c| c == ' ' || c == '-' || c == '–')
    };
    let mut last = i;
    while let Some(next) = words.get(last + 1) {
        let goes_on = adjacent(&words[last], next)
            && words[last].bare().len() == words[last].text.len()
            && (next.capitalised() || is_name_like(next.text))
            && !is_general(next.bare())
            && !is_stop_word(next.bare());
        if !goes_on {
            break;
        }
        last += 1;
    }
    if word.opens && !is_attributed(text, words, i, last) {
        // The first word of a sentence is capitalised anyhow; what follows it may still be a name.
        return None;
    }
    Some(last)
}

/// `C. elegans`: a capital with a full stop inside a sentence, and a lower-case word.
fn species(text: &str, words: &[Word<'_>], i: usize) -> Option<usize> {
    let (genus, epithet) = (&words[i], words.get(i + 1)?);
    let initial = genus.text.len() == 1 && genus.text.starts_with(|c: char| c.is_ascii_uppercase());
    let lower = epithet.text.len() >= 4 && epithet.text.chars().all(|c| c.is_ascii_lowercase());
    (initial && lower && &text[genus.span.end..epithet.span.start] == ". ").then_some(i + 1)
}

/// Whether what stands behind a name at the start of a sentence shows that it is one: `et al.`, a year, a
/// second author, a possessive.
fn is_attributed(text: &str, words: &[Word<'_>], first: usize, last: usize) -> bool {
    if words[last].text.len() > words[last].bare().len() {
        return true;
    }
    let behind = text[words[last].span.end..].trim_start();
    let year = |s: &str| {
        let digits: String =
            s.trim_start_matches(['(', '[', ' ']).chars().take_while(char::is_ascii_digit).collect();
        digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20"))
    };
    if behind.starts_with("et al") || ((behind.starts_with('(') || behind.starts_with('[')) && year(behind)) {
        return true;
    }
    let partner = behind.strip_prefix("and ").or_else(|| behind.strip_prefix("& "));
    if first == last
        && let Some(partner) = partner
        && let Some(next) = words.get(last + 2).or(words.get(last + 1)).filter(|w| w.capitalised())
    {
        let after = text[next.span.end..].trim_start();
        return partner.starts_with(next.text)
            && (year(after) || behind.starts_with('&') || after.starts_with("et al"))
            || behind.starts_with('&');
    }
    false
}

/// `McDonald`, `O'Sullivan`, `DeFronzo`: capitals inside a name.
fn is_name_like(word: &str) -> bool {
    let rest = ["Mc", "Mac", "O'", "O’", "De", "Di", "La", "Le", "Van", "Fitz"]
        .iter()
        .find_map(|p| word.strip_prefix(p));
    rest.is_some_and(|r| {
        let mut chars = r.chars();
        chars.next().is_some_and(char::is_uppercase)
            && chars.clone().count() >= 2
            && chars.all(char::is_lowercase)
    })
}

fn is_roman(word: &str) -> bool {
    word.chars().all(|c| matches!(c, 'I' | 'V' | 'X'))
}

/// Words that papers and answers capitalise without naming anything.
fn is_general(word: &str) -> bool {
    GENERAL.contains(&word.to_lowercase())
}

static GENERAL: WordList = WordList::new(
    "abstract acknowledgements additional aim aims answer appendix background box chapter conclusion
    conclusions data design discussion eq equation evidence fig figs figure figures finding findings
    group groups hypothesis important intervention interventions introduction key limitation
    limitations main materials measure measures mechanism mechanisms method methods model models note
    objective objectives outcome outcomes page pages panel part participant participants patients
    phase procedure purpose ref reference references result results review section sections setting
    short step strengths supplementary table tables text title trial type week yes january february
    march april june july august september october november december human animal however overall
    collectively high low medium chunk chunks passage passages",
);
