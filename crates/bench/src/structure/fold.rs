//! The forms in which texts of the truth and of a PDF are compared.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// The text with each run of white space as one space, none at the ends: the strict form.
pub(super) fn strict(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Letters and digits alone, in lower case and NFKC: the form in which running text is looked for.
pub(super) fn letters(text: &str) -> String {
    text.nfkc()
        .flat_map(char::to_lowercase)
        .nfkc()
        .filter_map(|c| match c {
            // Signs and letters that print the same; PDFs and publishers use either.
            '∆' => Some('δ'),
            '∑' => Some('σ'),
            '∏' => Some('π'),
            c => c.is_alphanumeric().then_some(c),
        })
        // Dropping a character can bring combining marks together; this puts them in their fixed order.
        .nfkc()
        .collect()
}

/// A name's letters without accents: publishers and PDFs spell "Müller" in several ways.
pub(super) fn unaccented(name: &str) -> String {
    let bare = name.nfkd().filter(|c| !is_combining_mark(*c)).map(|c| match c {
        'ø' | 'Ø' => 'o',
        'ł' | 'Ł' => 'l',
        'đ' | 'Đ' | 'ð' | 'Ð' => 'd',
        'ı' => 'i',
        c => c,
    });
    letters(&bare.collect::<String>())
}

/// A heading without case, leading number, punctuation and space: the soft form. Empty when nothing else is in
/// it.
pub(super) fn soft(heading: &str) -> String {
    letters(without_number(heading.trim_start()))
}

/// A heading without the number in front: "2.1. Participants", "IV. Results", "A) Setting", "2.1Participants" is
/// left alone unless a full stop or bracket sets the number off.
fn without_number(heading: &str) -> &str {
    let Some((end, decimal)) = number_end(heading) else {
        return heading;
    };
    let rest = &heading[end..];
    let signed = rest.trim_start_matches(['.', ')', ':']);
    let spaced = signed.trim_start();
    let has_sign = signed.len() < rest.len();
    let has_space = spaced.len() < signed.len();
    let begins_word = spaced.starts_with(char::is_alphabetic);
    // "5 mg" keeps nothing of its number either, on both sides alike; "5-HT" and "3D" keep theirs.
    let number = if decimal {
        has_sign || has_space
    } else {
        has_sign && has_space
    };
    if number && begins_word { spaced } else { heading }
}

/// Where a leading number ends, and whether it is one of digits; else it is a Roman number or a single letter.
fn number_end(heading: &str) -> Option<(usize, bool)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(heading);
    if end > 0 {
        loop {
            let further = heading[end..].strip_prefix('.').map_or(0, digits);
            if further == 0 {
                return Some((end, true));
            }
            end += 1 + further;
        }
    }
    let roman = heading
        .bytes()
        .take_while(|b| matches!(b.to_ascii_lowercase(), b'i' | b'v' | b'x' | b'l' | b'c'))
        .count();
    if roman > 0 && !heading[roman..].starts_with(char::is_alphanumeric) {
        return Some((roman, false));
    }
    let mut chars = heading.chars();
    let letter = chars.next().filter(char::is_ascii_alphabetic)?;
    (!chars.next().is_some_and(char::is_alphanumeric)).then_some((letter.len_utf8(), false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn soft_forms_ignore_numbers_case_and_punctuation() {
        let check = |a: &str, b: &str, same: bool| {
            assert_eq!(soft(a) == soft(b), same, "{a:?} {b:?}: {} {}", soft(a), soft(b));
        };
        check("2.1. Participants", "PARTICIPANTS", true);
        check("2 Methods", "Methods:", true);
        check("2.1Participants", "Participants", false);
        check("2.Methods", "methods", true);
        check("IV. Results", "Results", true);
        check("a) Setting", "Setting", true);
        check("A randomised trial", "randomised trial", false);
        check("I thought so", "thought so", false);
        check("Vitamin D", "D", false);
        check("Civil war", "war", false);
        check("5-HT receptors", "HT receptors", false);
        check("3D models", "models", false);
        check("Conﬂict of interest", "Conflict of Interest", true);
        check("Effect of µ-opioids", "Effect of μ-opioids", true);
        check("Methods", "Method", false);
    }

    #[test]
    fn a_number_alone_stays() {
        assert_eq!(soft("1."), "1");
        assert_eq!(soft(" IV "), "iv");
        assert_eq!(soft("…"), "");
    }

    proptest! {
        #[test]
        fn folding_is_idempotent_and_never_panics(text in "\\PC{0,30}") {
            let once = letters(&text);
            prop_assert_eq!(letters(&once), once.clone());
            let _ = soft(&text);
        }
    }
}
