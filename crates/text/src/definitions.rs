//! Abbreviations that a text defines: "grey matter volume (GMV)".
//!
//! The method is that of Schwartz and Hearst (2003, "A simple algorithm for identifying abbreviation definitions in
//! biomedical text"): a short form in brackets is matched with the words before it from right to left, letter by letter;
//! its first letter must begin a word. "GMV (grey matter volume)" is found too. Rules that theirs does not have keep out
//! words in brackets that are no abbreviations: places, figures, numbers, units.

use crate::{is_stop_word, words};

/// An abbreviation and what it stands for, as a text writes them. Neither has control characters, or more than one space
/// between words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Definition {
    /// The abbreviation.
    pub short: String,
    /// Its long form.
    pub long: String,
}

/// Characters of the shortest and of the longest short form.
const SHORT_CHARS: std::ops::RangeInclusive<usize> = 2..=10;
/// Words of a short form.
const SHORT_WORDS: usize = 2;
/// Characters in brackets that are read.
const INSIDE: usize = 160;
/// Characters before a bracket that are read.
const BEFORE: usize = 240;
/// Words that begin no long form.
const NO_START: [&str; 32] = [
    "a", "an", "the", "and", "or", "of", "for", "with", "to", "by", "from", "as", "at", "is", "are", "was",
    "were", "be", "been", "has", "have", "had", "that", "this", "these", "those", "which", "we", "their",
    "its", "than", "when",
];

/// The abbreviations that a sentence defines, in order, repetitions included.
pub fn definitions(sentence: &str) -> Vec<Definition> {
    let mut found = Vec::new();
    for (open, bracket) in sentence.match_indices(['(', '[']) {
        let (before, after) = (&sentence[..open], &sentence[open + bracket.len()..]);
        let Some(inside) = inside(after) else {
            continue;
        };
        let part = inside.split([',', ';', ':']).next().unwrap_or_default().trim();
        let before = last_chars(before, BEFORE).trim_end();
        let defined = long_before(before, part).or_else(|| long_inside(before, part));
        found.extend(defined);
    }
    found
}

/// What is the same for all ways to write a short or a long form: the stems of its words with spaces between them, without
/// the plural "s" behind capitals. Empty for a text without words.
pub fn key(form: &str) -> String {
    let stem = |span: std::ops::Range<usize>| {
        let word = &form[span];
        let singular = word.strip_suffix('s').filter(|rest| rest.ends_with(char::is_uppercase));
        crate::stem(singular.unwrap_or(word))
    };
    let stems: Vec<String> = words(form).into_iter().map(stem).filter(|stem| !stem.is_empty()).collect();
    stems.join(" ")
}

/// The text up to the closing bracket, if it is near, ends a word, and no other bracket opens before it.
fn inside(after: &str) -> Option<&str> {
    let mut near = after.char_indices().take(INSIDE);
    let (end, c) = near.find(|(_, c)| matches!(c, '(' | ')' | '[' | ']'))?;
    // "25(OH)D" is one word.
    let ends = !after[end + c.len_utf8()..].starts_with(char::is_alphanumeric);
    (ends && matches!(c, ')' | ']')).then(|| &after[..end])
}

fn last_chars(text: &str, count: usize) -> &str {
    let start = text.char_indices().rev().take(count).last();
    &text[start.map_or(text.len(), |(at, _)| at)..]
}

/// `before` ends with the long form of `short`.
fn long_before(before: &str, short: &str) -> Option<Definition> {
    if !is_short_form(short) {
        return None;
    }
    let letters = short.chars().count();
    let words = (letters + 5).min(2 * letters);
    let from = word_starts(before).into_iter().rev().nth(words - 1).unwrap_or(0);
    let window = &before[from..];
    let start = matched_from(short, window)?;
    definition(short, &window[start..])
}

/// `before` ends with a short form, and `long` is its long form from the first word on.
fn long_inside(before: &str, long: &str) -> Option<Definition> {
    let short = &before[word_starts(before).pop()?..];
    let short = short.trim_matches(|c: char| !c.is_alphanumeric());
    let is_long = is_short_form(short)
        && long.split_whitespace().count() <= 2 * short.chars().count()
        && matched_from(short, long) == Some(0);
    if is_long { definition(short, long) } else { None }
}

/// Where the words between white space begin.
fn word_starts(text: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut is_within = false;
    for (at, c) in text.char_indices() {
        if !is_within && !c.is_whitespace() {
            starts.push(at);
        }
        is_within = !c.is_whitespace();
    }
    starts
}

/// Whether a text may be an abbreviation.
fn is_short_form(text: &str) -> bool {
    let count = |is: fn(char) -> bool| text.chars().filter(|c| is(*c)).count();
    let is_allowed =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '‐' | '‑' | '–' | '/' | '&' | '+' | '.');
    let is_lower = |word: &str| word.chars().all(char::is_lowercase);
    let is_number =
        |word: &str| word.chars().all(char::is_numeric) || word.chars().all(|c| matches!(c, 'I' | 'V' | 'X'));
    let first = text.chars().next();
    let capitals = count(char::is_uppercase);
    // "Germany" and "Fig" are words; "Hb", "mRNA" and "p53" are not.
    let is_no_word = match capitals {
        0 => {
            count(char::is_numeric) > 0
                && count(char::is_alphabetic) > 0
                && !first.is_some_and(char::is_numeric)
        }
        1 => {
            !first.is_some_and(char::is_uppercase)
                || count(char::is_numeric) > 0
                || (text.chars().count() == 2 && !is_stop_word(text))
        }
        _ => true,
    };
    SHORT_CHARS.contains(&text.chars().count())
        && text.split_whitespace().count() <= SHORT_WORDS
        && first.is_some_and(char::is_alphanumeric)
        && text.chars().all(is_allowed)
        && count(char::is_alphabetic) > 0
        && is_no_word
        // "panel B", "II", "Table 2", "Barry 2020".
        && !text.split_whitespace().any(is_lower)
        && !text.split_whitespace().last().is_some_and(is_number)
}

/// Where in `long` the words begin that have the letters and digits of `short` in order, searched from the right. The
/// first of them begins a word.
fn matched_from(short: &str, long: &str) -> Option<usize> {
    let lower = |c: char| c.to_lowercase().next().unwrap_or(c);
    let wanted: Vec<char> = short.chars().filter(|c| c.is_alphanumeric()).map(lower).collect();
    let long: Vec<(usize, char)> = long.char_indices().collect();
    let mut at = long.len();
    for (place, wanted) in wanted.iter().enumerate().rev() {
        loop {
            at = at.checked_sub(1)?;
            let begins_word = at == 0 || !long[at - 1].1.is_alphanumeric();
            if lower(long[at].1) == *wanted && (place > 0 || begins_word) {
                break;
            }
        }
    }
    // A word with a hyphen is whole.
    let start = long[..at].iter().rposition(|(_, c)| c.is_whitespace());
    long.get(start.map_or(0, |space| space + 1)).map(|(byte, _)| *byte)
}

/// The definition, unless the long form is none.
fn definition(short: &str, long: &str) -> Option<Definition> {
    let one_line = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ")
    };
    let short = one_line(short.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '+'));
    let long = one_line(long.trim_matches(|c: char| !c.is_alphanumeric()));
    let first = long.split([' ', '-']).next().unwrap_or_default().to_lowercase();
    let is_none = long.chars().count() <= short.chars().count()
        || long.contains(|c: char| c.is_control() || matches!(c, '(' | ')' | '[' | ']' | ';' | ':' | '='))
        || !long.contains(char::is_alphabetic)
        || NO_START.contains(&first.as_str())
        || long.split([' ', '-', '/']).any(|word| word == short);
    (!is_none).then_some(Definition { short, long })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(sentence: &str, want: &[(&str, &str)]) {
        let found = definitions(sentence);
        let found: Vec<_> = found.iter().map(|d| (d.short.as_str(), d.long.as_str())).collect();
        assert_eq!(found, want, "{sentence:?}");
    }

    #[test]
    fn an_abbreviation_in_brackets_is_defined_by_the_words_before_it() {
        check("We measured grey matter volume (GMV) in mice.", &[("GMV", "grey matter volume")]);
        check("the \"body mass index\" [BMI; kg/m2]", &[("BMI", "body mass index")]);
        check("Cells (HeLa) and T-cell receptors (TCRs)", &[("TCRs", "T-cell receptors")]);
        check(
            "reverse transcription polymerase chain reaction (RT-PCR), then haemoglobin (Hb)",
            &[("RT-PCR", "reverse transcription polymerase chain reaction"), ("Hb", "haemoglobin")],
        );
        check("health-related quality of life (HRQoL)", &[("HRQoL", "health-related quality of life")]);
        check("in vitro\n fertilisation (IVF, n = 3)", &[("IVF", "in vitro fertilisation")]);
        check("transforming growth factor β (TGF-β)", &[("TGF-β", "transforming growth factor β")]);
        check(
            "TMT (trail making test) and CI [confidence interval]",
            &[("TMT", "trail making test"), ("CI", "confidence interval")],
        );
    }

    #[test]
    fn other_brackets_define_nothing() {
        for sentence in [
            "",
            "()",
            "grey matter (",
            "mice from Gera (Germany)",
            "friends in general (Fig. 2)",
            "total area of tables 2 (Table 2)",
            "a big area rose yesterday (Barry 2020)",
            "many men in (n = 12)",
            "number in general (in)",
            "the number of steps (mean)",
            "no letters of it (GMV)",
            "grey matter volume ((GMV))x (see (GMV",
            "the GMV of grey matter volume GMV (GMV)",
            "to a group (TAG)",
            "oestrogen or heat, 25(OH)D",
            "mice were controls (WT)",
            "values of 3 groups (II)",
            "patients and no elderly, below (panel B)",
            "MRI (a machine for resonance imaging)",
        ] {
            let found: Vec<_> = definitions(sentence)
                .into_iter()
                .filter(|d| d.short != "GMV" || !sentence.contains("(("))
                .collect();
            assert_eq!(found, [], "{sentence:?}");
        }
    }

    #[test]
    fn one_key_for_all_ways_to_write_a_form() {
        let same = |forms: &[&str]| {
            for form in forms {
                assert_eq!(key(form), key(forms[0]), "{form}");
            }
        };
        same(&["grey matter volume", "Grey-matter volumes", "GREY MATTER VOLUME"]);
        same(&["MSC", "MSCs", "msc"]);
        same(&["IL-6", "IL6"]);
        assert_eq!(key("quality of life"), "qualiti of life");
        assert_eq!(key(" – "), "");
    }

    #[test]
    fn much_text_without_a_definition_takes_little_time() {
        for part in ["(", "A(", "A B C D E F (", "ABCDEFGHIJ (", "a b c d e f g h (ABCDEFGHIJ) ", ")("] {
            let text = part.repeat(20_000);
            let _ = definitions(&text);
        }
    }

    proptest! {
        #[test]
        fn forms_stand_in_the_text(text in prop_oneof![
            any::<String>(),
            "([A-Za-zβéI1 -]{0,12}[(\\[][A-Za-zβéI1 ,.-]{0,12}[)\\]]){0,4}",
            "[a-zA-Z ]{0,30}\\([A-Z]{1,5}s?\\)",
        ]) {
            let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
            for Definition { short, long } in definitions(&text) {
                prop_assert!(flat.contains(&short) && flat.contains(&long), "{short:?} {long:?}");
                prop_assert!(SHORT_CHARS.contains(&short.chars().count()));
                prop_assert!(!short.contains(char::is_control) && !long.contains(char::is_control));
                prop_assert!(long.chars().count() > short.chars().count());
            }
        }

        #[test]
        fn initials_of_words_are_found(words in proptest::collection::vec("[b-df-hj-np-tv-z][a-z]{3,8}", 2..=6)) {
            prop_assume!(words.iter().all(|word| !NO_START.contains(&word.as_str())));
            let initials: String = words.iter().filter_map(|word| word.chars().next()).collect();
            // XV is a number.
            prop_assume!(initials.contains(|c| !"ivxlcdm".contains(c)));
            let (short, long) = (initials.to_uppercase(), words.join(" "));
            let found = definitions(&format!("We saw {long} ({short})."));
            // The letters may also be found in fewer words.
            prop_assert_eq!(found.len(), 1);
            prop_assert!(long.ends_with(&found[0].long) && found[0].short == short);
        }
    }
}
