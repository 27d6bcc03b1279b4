//! Raised characters in plain text: an exponent is written behind a `^` (`10^8`, `cm^-1`), the mark of a note or of a
//! reference is no text, and all else (ordinals, charges, isotopes, `®`) is joined to what stands before it, as lowered
//! characters are (`H2O`).

use regex::Regex;
use std::sync::LazyLock;

/// What raised characters are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Raised {
    /// Part of the word before or behind them.
    Joined,
    /// An exponent.
    Power,
    /// A sign that is set as raised letters or zeros: of degrees, minutes, primes.
    Sign(&'static str),
    /// The label of a note, before its text.
    Label,
    /// The mark of a reference, a note or an affiliation.
    Mark,
}

static PATTERNS: LazyLock<[Regex; 5]> = LazyLock::new(|| {
    let numbers = r"\s*[0-9]{1,3}[a-z]?(?:\s*[,;–—−-]\s*[0-9]{1,3}[a-z]?)*\s*";
    let signs = r"[*∗⁎†‡§¶#‖∥✉]+";
    let mark = format!("(?:[0-9]{{1,3}}(?:{signs}|[a-z])?|[a-z](?:{signs})?|{signs})");
    [
        // Marks: numbers, letters and signs, and lists of them.
        format!(r"^[\s,;.–—−-]*{mark}(?:[\s,;–—−-]+{mark})*[\s,;.–—−-]*$"),
        format!(r"^(?:\[{numbers}\]|\({numbers}\))[,;.]?$"),
        // Powers below zero.
        r"^[-–−][\p{L}∆0-9.,·]+$".to_owned(),
        r"^[0-9]+(?:[./][0-9]+)?$".to_owned(),
        // What has a power: a unit of length, or another unit that divides.
        r"(?:^|[\s0-9/·⋅×(.])(?:[cmdknµμu]?m|Å|ft)$|(?:/|per )(?:s|sec|min|h|d)$".to_owned(),
    ]
    .map(|pattern| Regex::new(&pattern).expect("the pattern is fixed and valid"))
});

/// What raised characters between `before` and `after` are. `after` is `None` where it is not known yet. `cited` says
/// that the document refers to its references by raised numbers.
pub(crate) fn what_is(before: &str, raised: &str, after: Option<&str>, cited: bool) -> Raised {
    const REACH: usize = 64;
    let [marks, bracketed, negative, plain, _] = &*PATTERNS;
    let raised = raised.trim();
    let host = before.trim_end();
    let host = &host[host.ceil_char_boundary(host.len().saturating_sub(REACH))..];
    let last = host.chars().next_back();
    let apart = before.ends_with(char::is_whitespace) || last.is_none_or(|c| "([/-–{".contains(c));
    if raised.is_empty() || apart && is_isotope(raised, after) {
        return Raised::Joined;
    }
    let starts = |c: &[char]| after.is_some_and(|a| a.trim_start().starts_with(c));
    if matches!(raised, "o" | "0") && starts(&['C', 'F']) && last.is_some_and(is_digit) && !is_name(host) {
        return Raised::Sign("°");
    }
    // Whether a letter or digit follows without a blank.
    let glued = after.is_some_and(|a| a.starts_with(char::is_alphanumeric));
    if apart && glued && marks.is_match(raised) {
        return Raised::Label;
    }
    let Some(last) = last else {
        return Raised::Joined;
    };
    if negative.is_match(raised) && (last.is_alphanumeric() || last == ')') {
        return Raised::Power;
    }
    let (_, token) = split_end(host, char::is_alphanumeric);
    let formula = token.starts_with(char::is_uppercase) && (token.len() <= 2 || token.contains(is_digit));
    // A charge: "SO4" with "2−"; behind a word that is the start of a range of references.
    if formula && raised.len() <= 4 && raised.ends_with(['+', '-', '–', '−']) {
        return Raised::Joined;
    }
    if bracketed.is_match(raised) {
        return Raised::Mark;
    }
    if is_digit(last) {
        if is_power_of_number(host, raised, cited) {
            return Raised::Power;
        }
        let whole = !host[..host.len() - token.len()].ends_with(['.', ',']);
        if raised == "e" && whole {
            return Raised::Joined; // "2e", the second in French
        }
        // Letters that say which means differ: "12.3ab".
        if raised.len() <= 4 && raised.bytes().all(|b| matches!(b, b'a'..=b'h')) {
            return Raised::Mark;
        }
    }
    // Primes of some fonts: "2,20-azino".
    if matches!(raised, "0" | "00") && token.starts_with(is_digit) {
        return Raised::Sign(if raised == "0" { "′" } else { "″" });
    }
    let (stem, word) = split_end(host, char::is_alphabetic);
    let lone = !stem.ends_with(['-', '–', '.', '\'', '’']) && !stem.ends_with(char::is_alphanumeric);
    let variable = lone && word.chars().count() == 1;
    if plain.is_match(raised) && raised.len() <= 4 {
        let atom = variable && after.is_some_and(|a| a.starts_with(char::is_uppercase));
        if !atom && is_power_of_word(host, raised, variable, cited) {
            return Raised::Power;
        }
        // No reference stands inside a word: "C4H", "VO2max".
        let long = word.len() >= 4 && word.bytes().all(|b| b.is_ascii_lowercase());
        if glued && !long && !is_digit(last) || formula && !variable && !cited {
            return Raised::Joined;
        }
    }
    // "x*" is a name of its own, as "xn" is a power.
    if variable && raised.chars().count() == 1 && !raised.starts_with(is_digit) {
        let power = raised.starts_with(|c| matches!(c, 'i'..='n' | 'x'..='z'));
        return if power { Raised::Power } else { Raised::Joined };
    }
    if (last.is_alphanumeric() || ".,;:)]}”’\"'?!%°™®*†‡>»".contains(last)) && marks.is_match(raised)
    {
        Raised::Mark
    } else {
        Raised::Joined
    }
}

/// Whether what is raised behind a number is its exponent. Ten has one in any paper; other numbers that have one are
/// short.
fn is_power_of_number(host: &str, raised: &str, cited: bool) -> bool {
    let (stem, base) = split_end(host, |c| is_digit(c) || matches!(c, '.' | ','));
    let factor = ["×", "·", "/", "^2", "^3"].iter().any(|sign| stem.trim_end().ends_with(sign));
    let letter = matches!(raised, "n" | "x" | "k");
    let number = PATTERNS[3].is_match(raised) && raised.len() <= 2;
    let short = base.len() <= 2 && base.chars().all(is_digit);
    let power = if base == "10" {
        letter || number
    } else {
        short && (letter || number && raised != "1" && !cited) || factor && matches!(raised, "2" | "3")
    };
    power && !is_name(host)
}

/// Whether a number that is raised behind a word or a bracket is an exponent: of a unit, of a variable.
fn is_power_of_word(host: &str, raised: &str, variable: bool, cited: bool) -> bool {
    let (stem, word) = split_end(host, char::is_alphabetic);
    let one = raised.len() == 1;
    let low = matches!(raised, "2" | "3");
    let greek = word.starts_with(|c| matches!(c, 'α'..='ω')) && word.chars().count() <= 3;
    let function = matches!(word, "log" | "ln" | "sin" | "cos" | "tan" | "exp");
    let name = ["itamin ", "epatitis ", "type ", "group ", "grade "];
    let named = name.iter().any(|name| stem.ends_with(name));
    let divides = stem.ends_with(['/', '×']) || stem.ends_with("/(");
    one && PATTERNS[4].is_match(host) && (raised != "1" || !cited)
        || variable && !named && (low || raised == "4" || !cited)
        || one && (greek || function)
        || raised.contains(['.', '/'])
        || low && !cited && (divides || host.ends_with([')', ']', '|']))
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Whether a number at the end belongs to a name, as in "IL-10".
fn is_name(host: &str) -> bool {
    let (stem, _) = split_end(host, |c| is_digit(c) || matches!(c, '.' | ','));
    stem.trim_end_matches(['-', '‐', '–']).ends_with(char::is_alphabetic)
}

/// The text without its last characters of some kind, and those.
fn split_end(text: &str, kind: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.trim_end_matches(kind).len())
}

/// Numbers of nucleons before the sign of an element: "13C", "99mTc".
fn is_isotope(raised: &str, after: Option<&str>) -> bool {
    let number = raised.strip_suffix('m').unwrap_or(raised);
    let element = after.is_none_or(|after| {
        let mut after = after.trim_start_matches(['[', '(']).chars();
        after.next().is_some_and(char::is_uppercase)
            && after.by_ref().take(2).filter(|c| c.is_lowercase()).count() < 2
    });
    !number.is_empty() && number.len() <= 3 && number.bytes().all(|b| b.is_ascii_digit()) && element
}

/// Appends raised characters to a text, as what they are.
pub(crate) fn push(text: &mut String, raised: &str, what: Raised) {
    if matches!(what, Raised::Power | Raised::Mark) {
        text.truncate(text.trim_end().len());
    }
    match what {
        Raised::Sign(sign) => text.push_str(sign),
        Raised::Joined => text.push_str(raised),
        Raised::Label => {
            text.push_str(raised.trim_end());
            text.push(' ');
        }
        Raised::Power => {
            text.push('^');
            text.extend(raised.trim().chars().map(|c| if matches!(c, '–' | '−') { '-' } else { c }));
        }
        Raised::Mark => {}
    }
}

/// Whether a text may be the mark of a reference or a note: numbers, single letters and signs.
pub(crate) fn is_mark(text: &str) -> bool {
    PATTERNS[..2].iter().any(|pattern| pattern.is_match(text.trim()))
}

/// Whether raised characters behind `before` are the number of a reference beyond doubt: they follow a word in small
/// letters, or the end of a sentence.
pub(crate) fn cites(before: &str, raised: &str, after: &str) -> bool {
    let word = before.trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
    let word = word.trim_end_matches(['.', ',', ';', ')']);
    word.len() >= 4
        && word.bytes().all(|b| b.is_ascii_lowercase())
        && raised.starts_with(|c: char| c.is_ascii_digit())
        && what_is(before, raised, Some(after), true) == Raised::Mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raised_characters_are_told_apart() {
        // "^" stands before raised characters, "|" behind them.
        let check = |cited: bool, marked: &str, want: &str| {
            let (before, rest) = marked.split_once('^').expect("a raised part");
            let (raised, after) = rest.split_once('|').unwrap_or((rest, ""));
            let mut text = before.to_owned();
            push(&mut text, raised, what_is(before, raised, Some(after), cited));
            text.push_str(after);
            assert_eq!(text, want, "{marked}");
        };
        for cited in [true, false] {
            for (marked, want) in [
                ("3.1 × 10^8| cells", "3.1 × 10^8 cells"),
                ("10^−3|", "10^-3"),
                ("2·10^12|", "2·10^12"),
                ("2^−ΔΔCt|", "2^-ΔΔCt"),
                ("10 ^6| cells", "10^6 cells"),
                ("12 kg/m^2|", "12 kg/m^2"),
                ("5 cm^3| of", "5 cm^3 of"),
                ("cm^–1|", "cm^-1"),
                ("mL·kg^−1|·min", "mL·kg^-1·min"),
                ("R^2| = 0.9", "R^2 = 0.9"),
                ("χ^2| = 4", "χ^2 = 4"),
                ("ηp^2| = 4", "ηp^2 = 4"),
                ("9.8 m/s^2|", "9.8 m/s^2"),
                ("x^n|", "x^n"),
                ("250^9| kelvin", "250 kelvin"),
                ("p < .05^4| in", "p < .05 in"),
                ("43 adults^12,13| and", "43 adults and"),
                ("disease^3|.", "disease."),
                ("disease.^3–5| The", "disease. The"),
                ("disease ^3| was", "disease was"),
                ("disease^[12]| was", "disease was"),
                ("Smith^a,b,*|, Jones", "Smith, Jones"),
                ("12.3^ab|", "12.3"),
                ("death^†|", "death"),
                ("IL-10^14| rose", "IL-10 rose"),
                ("vitamin C^2| was", "vitamin C was"),
                ("Ca^2+| ions", "Ca2+ ions"),
                ("Na^+|", "Na+"),
                ("SO4^2−|", "SO42−"),
                ("CD4^+| cells", "CD4+ cells"),
                ("the 1^st| and", "the 1st and"),
                ("le 2^e| et", "le 2e et"),
                ("Prozac^®|", "Prozac®"),
                ("with ^13|C-labelled", "with 13C-labelled"),
                ("(^99m|Tc)", "(99mTc)"),
                ("at 37 ^o|C", "at 37 °C"),
                ("at 37^0| C", "at 37° C"),
                ("Apoe^−/−| mice", "Apoe−/− mice"),
                ("^1| Institute", "1 Institute"),
                ("^1|Institute", "1 Institute"),
                ("and ^∗∗|p < 0.01", "and ∗∗ p < 0.01"),
                ("(C^3|H, 2H)", "(C3H, 2H)"),
                ("the C^4|–H bond", "the C^4–H bond"),
                ("VO^2|max", "VO2max"),
                ("2,2^0|-azino", "2,2′-azino"),
                ("Llama 34B^4| in", "Llama 34B in"),
            ] {
                check(cited, marked, want);
            }
        }
        check(true, "4 × 0.80^2| / δ", "4 × 0.80^2 / δ");
        check(true, "of 84^2| adults", "of 84 adults");
        check(false, "= 2^8| =", "= 2^8 =");
        check(true, "(n = 3)^2| and", "(n = 3) and");
        check(false, "(x − y)^2| and", "(x − y)^2 and");
        check(false, "weight/(height^2|)", "weight/(height^2)");
        check(false, "at 709 cm ^1| and", "at 709 cm^1 and");
        check(false, "a formal d^8| state", "a formal d^8 state");
    }
}
