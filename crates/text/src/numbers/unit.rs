//! Units behind a number, brought to one spelling.

use crate::WordList;
use crate::chars::{is_dash, is_superscript_digit, is_unspaced};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The unit at the start of `after` (the text right behind a number), and the bytes that it takes.
///
/// Factors are joined by `·`, divisors by `/`: `mL·kg−1·min−1`, `ml/kg/min` and `ml per kg per min` are all
/// `mL/kg/min`.
pub(super) fn unit_at(after: &str) -> Option<(String, usize)> {
    let (first, mut at) = factor(after, lead(after))?;
    let mut name = String::new();
    push_factor(&mut name, &first, false);
    // "mL/min/1.73 m2" and the like end here: no unit of a paper has more parts.
    for _ in 0..4 {
        let Some((separator, divides)) = separator(&after[at..]) else {
            break;
        };
        let Some((next, end)) = factor(after, at + separator) else {
            break;
        };
        // "30 min day" is two words, "mL kg-1" is one unit: without a sign only an inverse factor goes on.
        if separator_is_space(&after[at..at + separator]) && !next.inverse {
            break;
        }
        push_factor(&mut name, &next, divides);
        at = end;
    }
    Some((name, at))
}

/// Longest unit word in bytes.
const LONGEST_WORD: usize = 24;

struct Factor {
    name: &'static str,
    power: String,
    inverse: bool,
}

impl Factor {
    fn plain(name: &'static str) -> Self {
        Self { name, power: String::new(), inverse: false }
    }
}

fn push_factor(out: &mut String, factor: &Factor, divides: bool) {
    let divides = divides || factor.inverse;
    if !out.is_empty() || divides {
        out.push(if divides { '/' } else { '·' });
    }
    out.push_str(factor.name);
    out.push_str(&factor.power);
}

/// The white space or hyphen between number and unit.
fn lead(after: &str) -> usize {
    let mut chars = after.chars();
    match chars.next() {
        Some(c) if c == ' ' || c == '\u{a0}' || c == '\u{2009}' || c == '\u{202f}' || c == '\n' => {
            c.len_utf8()
        }
        Some(c) if is_dash(c) && chars.next().is_some_and(char::is_alphabetic) => c.len_utf8(),
        _ => 0,
    }
}

/// The bytes of the sign between two factors, and whether it divides.
fn separator(text: &str) -> Option<(usize, bool)> {
    const SIGNS: [&str; 10] = [" per ", "/", " / ", "·", "⋅", "∙", "-", " · ", " ", "."];
    let sign = SIGNS.into_iter().find(|sign| text.starts_with(sign))?;
    Some((sign.len(), sign == " per " || sign.contains('/')))
}

fn separator_is_space(separator: &str) -> bool {
    matches!(separator, " " | "-" | ".")
}

/// The unit word at `at` with its power, and where it ends.
fn factor(text: &str, at: usize) -> Option<(Factor, usize)> {
    let rest = text.get(at..)?;
    for sign in ["%", "％", "‰"] {
        if rest.starts_with(sign) {
            let name = if sign == "‰" { "‰" } else { "%" };
            return Some((Factor::plain(name), at + sign.len()));
        }
    }
    for (phrase, name) in PHRASES.iter().filter_map(|phrase| phrase.split_once('=')) {
        let behind = rest.strip_prefix(phrase);
        if behind.is_some_and(|behind| !behind.starts_with(char::is_alphanumeric)) {
            return Some((Factor::plain(name), at + phrase.len()));
        }
    }
    let end = rest
        .find(|c: char| is_unspaced(c) || !(c.is_alphabetic() || matches!(c, '°' | 'µ' | '℃')))
        .unwrap_or(rest.len());
    if end > LONGEST_WORD {
        return None;
    }
    let name = canonical(&rest[..end])?;
    let (power, inverse, length) = power_of(name, &rest[end..]);
    // "m3T" or "kg1" are no units, while degrees are followed by minutes: "112°57′".
    let minutes = name == "°" && rest[end..].starts_with(|c: char| c.is_ascii_digit());
    let goes_on = |c: char| c.is_alphanumeric() && !is_unspaced(c);
    if rest[end + length..].starts_with(goes_on) && !minutes {
        return None;
    }
    Some((Factor { name, power, inverse }, at + end + length))
}

/// The power of the unit `name` at the start of `rest`. Degrees have none, since the digits behind them are minutes
/// or the next angle (`112°57′`, `94°-3°`), and `5 kg-2 kg` is a range.
fn power_of(name: &str, rest: &str) -> (String, bool, usize) {
    let none = (String::new(), false, 0);
    if name == "°" {
        return none;
    }
    let found = power(rest);
    let behind = rest[found.2..].trim_start_matches([' ', '\u{a0}', '\u{2009}', '\u{202f}']);
    let word = behind.find(|c: char| !c.is_alphabetic()).unwrap_or(behind.len());
    let same = word > 0 && word <= LONGEST_WORD && canonical(&behind[..word]) == Some(name);
    if same && rest.starts_with(is_dash) { none } else { found }
}

/// A power right behind a unit word: `2`, `²`, `−1`, `⁻¹`, `^-2`. Returns its digits without a sign (empty
/// for 1), whether it is negative, and its bytes.
fn power(rest: &str) -> (String, bool, usize) {
    let mut length = 0;
    let mut inverse = false;
    let mut digits = String::new();
    for (i, c) in rest.char_indices().take(4) {
        let raised = match c {
            '\u{b9}' => Some('1'),
            '\u{b2}' => Some('2'),
            '\u{b3}' => Some('3'),
            _ => None,
        };
        if digits.is_empty() && !inverse && (c == '⁻' || is_dash(c)) {
            inverse = true;
        } else if let Some(digit) = raised.or(Some(c).filter(|c| matches!(c, '1'..='3'))) {
            digits.push(digit);
            length = i + c.len_utf8();
            break;
        } else if c != '^' || i > 0 {
            break;
        }
    }
    let more = rest[length..].starts_with(|c: char| c.is_ascii_digit() || is_superscript_digit(c));
    // "5 kg-10 kg" is a range, "kg1" a name.
    if digits.is_empty() || more || (digits == "1" && !inverse) {
        return (String::new(), false, 0);
    }
    if digits == "1" {
        digits.clear();
    }
    (digits, inverse, length)
}

/// Phrases for units, with what they mean.
static PHRASES: WordList = WordList::new(
    "per cent=%; percentage points=pp; percentage point=pp; mm Hg=mmHg; beats per minute=bpm;
    beats/min=bpm; degrees Celsius=°C; degrees C=°C; degrees Fahrenheit=°F; degrees F=°F; ° F=°F;
    ° C=°C",
);
/// Symbols in their one spelling. Their case counts, since `M` is not `m`.
static SYMBOLS: WordList = WordList::new(
    "s h g m L M K W J V Pa Hz kHz MHz mM nM pM μM mV mW kW kPa MPa kb bp Da kDa Gy U IU kU pp °C °F
    ° ng pg nm μm μL μg μmol",
);
/// Other spellings of symbols, and words in lower case.
static SPELLINGS: LazyLock<[HashMap<&str, &str>; 2]> = LazyLock::new(|| {
    [
        by_spelling(
            "day: d; L: l; μM: µM uM; kb: Kb; °C: ℃; week: wk wks; year: y yr yrs; month: mo mos; μm: µm um;
            μL: µl μl µL ul uL; μg: µg ug mcg; μmol: µmol umol",
        ),
        by_spelling(
            "%: percent percents; s: sec secs second seconds; ms: ms msec millisecond milliseconds;
            min: min mins minute minutes; h: hr hrs hour hours; day: day days; week: week weeks;
            month: month months; year: year years; decade: decade decades; kg: kg kgs kilogram kilograms;
            g: gram grams; mg: mg milligram milligrams; μg: microgram micrograms; ng: nanogram nanograms;
            lb: lb lbs pound pounds; km: km kilometre kilometres kilometer kilometers;
            m: metre metres meter meters; cm: cm centimetre centimetres centimeter centimeters;
            mm: mm millimetre millimetres millimeter millimeters; L: litre litres liter liters;
            mL: ml millilitre millilitres milliliter milliliters; dL: dl; mol: mol; mmol: mmol; nmol: nmol;
            pmol: pmol; mmHg: mmhg; kcal: kcal kilocalorie kilocalories; cal: cal calorie calories; kJ: kj;
            W: watt watts; bpm: bpm; MET: met mets; CFU: cfu; fold: fold; time: times time;
            session: session sessions; step: step steps; rpm: rpm; ppm: ppm; ppb: ppb",
        ),
    ]
});

/// The units of groups such as `min: minute minutes`, by spelling.
fn by_spelling(groups: &'static str) -> HashMap<&'static str, &'static str> {
    let groups = groups.split(';').filter_map(|group| group.split_once(':'));
    let spellings = |(unit, spellings): (&'static str, &'static str)| {
        spellings.split_whitespace().map(|spelling| (spelling, unit.trim()))
    };
    groups.flat_map(spellings).collect()
}

/// The one spelling of a unit word.
fn canonical(word: &str) -> Option<&'static str> {
    let [symbols, words] = &*SPELLINGS;
    let symbol = SYMBOLS.get(word).or_else(|| symbols.get(word).copied());
    symbol.or_else(|| words.get(word.to_lowercase().as_str()).copied())
}
