//! Numbers with their units.
//!
//! Numbers are compared by value, so `1,000` is `1000` and `1.2 × 10−3` is `0.0012`; units are brought to one
//! spelling (`minutes per day` → `min/day`) but never converted. A comma before decimals is read in texts of languages that write
//! one, and where the digits make it plain (`0,5`, `1.234,5`). `1.5 million` is `1,500,000`. Digits of every script count. Digits that
//! belong to a name (`SIRT1`, `COVID-19`), to an address, to a list marker or to a citation in brackets are no quantities.

mod unit;

use crate::WordList;
use crate::chars::{ascii_figure, is_dash, is_superscript_digit, is_unspaced, ornate_digit};
use regex::{Captures, Regex};
use std::{ops::Range, sync::LazyLock};

/// A number of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Bytes into the text: the number, and its unit where it stands right behind it.
    pub span: Range<usize>,
    /// Bytes into the text: the number alone, with a word such as "million".
    pub number: Range<usize>,
    /// The number; always finite.
    pub value: f64,
    /// The unit in its one spelling. In a range or list (`57.5–72.5 min/day`, `5, 10 and 20 mg`, `12 ± 3 kg`)
    /// the numbers share the unit that stands behind the last.
    pub unit: Option<String>,
    /// Whether the number is written as a word.
    pub spelled: bool,
    /// What a word such as "million" behind the number multiplied it by.
    pub scale: Option<f64>,
}

impl Quantity {
    /// Whether the two are the same amount: equal values, and the same unit where both have one.
    pub fn agrees(&self, other: &Quantity) -> bool {
        let close = (self.value - other.value).abs() <= 1e-9 * self.value.abs().max(other.value.abs());
        close && (self.unit.is_none() || other.unit.is_none() || self.unit == other.unit)
    }
}

/// The quantities of a text, in order, not overlapping.
pub fn quantities(text: &str) -> Vec<Quantity> {
    quantities_in(text, None)
}

/// As [`quantities`], of a text in this language; `None` to tell it by the text.
pub fn quantities_in(text: &str, language: Option<&str>) -> Vec<Quantity> {
    if text.is_ascii() {
        return read(text, language);
    }
    let (plain, from) = in_ascii(text);
    let mut found = read(&plain, language);
    for quantity in &mut found {
        for range in [&mut quantity.span, &mut quantity.number] {
            *range = from[range.start]..from[range.end];
        }
    }
    found
}

/// The text with the digits of other scripts in ASCII, and for each byte of it, and its end, the place in the text. Raised
/// digits and the like are numbers only where a word begins: elsewhere they are citation marks and exponents.
fn in_ascii(text: &str) -> (String, Vec<usize>) {
    let (mut plain, mut from) = (String::with_capacity(text.len()), Vec::with_capacity(text.len()));
    let (mut free, mut ornate) = (true, false);
    for (at, c) in text.char_indices() {
        let digit = ornate_digit(c).filter(|_| free && ascii_figure(c).is_none());
        ornate = digit.is_some() || (ornate && c == '.');
        free = ornate || c.is_whitespace() || matches!(c, '(' | '[' | '<' | '>' | '=' | '~' | '≈' | '±');
        plain.push(digit.or_else(|| ascii_figure(c)).unwrap_or(c));
        from.resize(plain.len(), at);
    }
    from.push(text.len());
    (plain, from)
}

/// The quantities of a text with digits in ASCII.
fn read(text: &str, language: Option<&str>) -> Vec<Quantity> {
    let comma = writes_comma(text, language);
    let pattern = if comma { &COMMA_PATTERN } else { &PATTERN };
    let mut out: Vec<Quantity> = Vec::new();
    for captures in pattern.captures_iter(text) {
        if captures.name("skip").is_some() {
            continue;
        }
        // Digits that the unit before them took, as in "5 kg^-2", are no number of their own.
        let free = |q: &Quantity| out.last().is_none_or(|last| last.span.end <= q.span.start);
        let found = quantity(text, &captures, comma, out.last()).filter(free);
        out.extend(found);
    }
    share_units(text, &mut out);
    out
}

/// Whether the text is in a language that writes a comma before decimals: `2,9` is one number there, and two in English.
fn writes_comma(text: &str, language: Option<&str>) -> bool {
    let between = |three: &[u8]| three[0].is_ascii_digit() && three[1] == b',' && three[2].is_ascii_digit();
    text.as_bytes().windows(3).any(between)
        && language.or_else(|| crate::language(text)).is_some_and(|code| !["en", "fil"].contains(&code))
}

static PATTERN: LazyLock<Regex> = LazyLock::new(|| pattern(false));
static COMMA_PATTERN: LazyLock<Regex> = LazyLock::new(|| pattern(true));

/// What is to be skipped comes first: addresses, citations in brackets, list markers, version-like numbers.
///
/// Classes and boundaries are ASCII (`[0-9]`, `(?-u:\b)`): with Unicode ones the regex engine leaves its fast path
/// at every dash and Greek letter.
fn pattern(comma: bool) -> Regex {
    let skip = [
        r"(?:https?://|www\.)\S+",
        r"(?:(?i-u:doi):?\s?)?10\.[0-9]{4,9}/\S+",
        r"\[[0-9]{1,3}(?:\s?[,;\-–—−]\s?[0-9]{1,3})*\]",
        r"(?m:^[ \t]*\(?[0-9]{1,2}[.)]\s)",
        r"[0-9]+(?:\.[0-9]+){2,}",
    ]
    .join("|");
    // The groups of thousands, and what stands before decimals.
    let (group, point) = if comma { (".", "[,.·]") } else { (",", "[.·]") };
    let plain = format!(
        r"[0-9]{{1,3}}(?:[{group}\u{{a0}}\u{{2009}}\u{{202f}}][0-9]{{3}})+(?-u:\b)|[0-9]{{1,3}}(?: 000)+(?-u:\b)|[0-9]+"
    );
    let sure = r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+(?-u:\b)|0,[0-9]+(?-u:\b)";
    let number = format!(r"(?P<mantissa>{sure}|(?:{plain})(?:{point}[0-9]+)?|\.[0-9]+)");
    // The last two forms are what is left where a PDF lost the raised position: `10−3`, `× 105`.
    let power = [
        r"\s?[×x*·]\s?10\s?\^\s?\(?(?P<caret>[-–−+]?[0-9]{1,3})(?-u:\b)",
        r"\s?[×x*·]\s?10(?P<raised>[⁻⁺]?[⁰¹²³⁴-⁹]{1,3})",
        r"\s?[×x*·]\s?10(?P<lost>[-–−][0-9]{1,2}|[3-9])(?-u:\b)",
        r"[eE](?P<e>[-–−+]?[0-9]{1,3})(?-u:\b)",
        r"\^(?P<bare>[-–−+]?[0-9]{1,3})(?-u:\b)",
    ]
    .join("|");
    let words = SPELLED.iter().collect::<Vec<_>>().join("|");
    let tens = SPELLED.iter().skip(TWENTY).collect::<Vec<_>>().join("|");
    let ones = SPELLED.iter().take(NINE).collect::<Vec<_>>().join("|");
    let word = format!(r"(?-u:\b)(?P<word>(?i:(?:{tens})[-‐‑–](?:one|{ones})|{words}))(?-u:\b)");
    Regex::new(&format!("(?P<skip>{skip})|{number}(?:{power})?|{word}"))
        .expect("the pattern is fixed and valid")
}

/// The place of "twenty" in [`SPELLED`]: from there on, the tens.
const TWENTY: usize = 18;
/// Words of [`SPELLED`] up to "nine".
const NINE: usize = 8;

/// The numbers from two to twenty, then the tens.
static SPELLED: WordList = WordList::new(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety",
);

fn quantity(
    text: &str,
    captures: &Captures<'_>,
    comma: bool,
    previous: Option<&Quantity>,
) -> Option<Quantity> {
    let whole = captures.get(0)?;
    let mut number = whole.range();
    let (mut value, spelled) = match captures.name("word") {
        Some(word) => (spelled_value(word.as_str())?, true),
        None => (digits_value(captures, comma)?, false),
    };
    let before = &text[..number.start];
    let after = &text[number.end..];
    if !spelled {
        // "5 kg-10 kg": the dash behind a unit joins two amounts, not the parts of a name.
        let dash = before.chars().next_back().filter(|c| is_dash(*c));
        let ranges =
            dash.is_some_and(|c| previous.is_some_and(|p| p.span.end + c.len_utf8() == before.len()));
        if (!ranges && belongs_to_name(before, after)) || in_mail_address(before, after) {
            return None;
        }
        if let Some(sign) = negative_sign(before, previous) {
            value = -value;
            number.start -= sign;
        }
    }
    let mut scale = None;
    if let Some((factor, length)) = scale_at(&text[number.end..]) {
        value *= factor;
        number.end += length;
        scale = Some(factor);
    }
    if !value.is_finite() {
        return None;
    }
    let unit = unit::unit_at(&text[number.end..]);
    let length = unit.as_ref().map_or(0, |(_, length)| *length);
    Some(Quantity {
        span: number.start..number.end + length,
        number,
        value,
        unit: unit.map(|(name, _)| name),
        spelled,
        scale,
    })
}

/// What a word such as "million" behind a number multiplies it by, and its bytes with the space before it.
fn scale_at(after: &str) -> Option<(f64, usize)> {
    const SCALES: [(&str, f64); 6] = [
        ("hundred", 1e2),
        ("thousand", 1e3),
        ("million", 1e6),
        ("millionen", 1e6),
        ("billion", 1e9),
        ("trillion", 1e12),
    ];
    let first = after.chars().next().filter(|c| c.is_whitespace() || is_dash(*c))?;
    let rest = &after[first.len_utf8()..];
    let word = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let (_, factor) = SCALES.iter().find(|(name, _)| word.eq_ignore_ascii_case(name))?;
    Some((*factor, first.len_utf8() + word.len()))
}

fn digits_value(captures: &Captures<'_>, comma: bool) -> Option<f64> {
    let mantissa: f64 = with_point(captures.name("mantissa")?.as_str(), comma).parse().ok()?;
    let exponent = ["caret", "raised", "lost", "e"].iter().find_map(|name| captures.name(name));
    if let Some(exponent) = exponent {
        return Some(mantissa * 10f64.powi(small_integer(exponent.as_str())?));
    }
    match captures.name("bare") {
        Some(exponent) => Some(mantissa.powi(small_integer(exponent.as_str())?)),
        None => Some(mantissa),
    }
}

/// The digits without groups, with a point before decimals.
fn with_point(mantissa: &str, comma: bool) -> String {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let decimals = |whole: &str| comma || whole == "0" || whole.contains('.');
    if let Some((whole, part)) = mantissa.rsplit_once(',').filter(|(whole, _)| decimals(whole)) {
        return format!("{}.{}", digits(whole), digits(part));
    }
    let grouped =
        comma && !mantissa.starts_with('0') && mantissa.split('.').skip(1).all(|part| part.len() == 3);
    match mantissa.rsplit_once(['.', '·']).filter(|_| !grouped) {
        Some((whole, part)) => format!("{}.{part}", digits(whole)),
        None => digits(mantissa),
    }
}

fn small_integer(text: &str) -> Option<i32> {
    let plain: String = text
        .chars()
        .filter_map(|c| match c {
            '⁻' => Some('-'),
            '⁺' | '+' => None,
            _ if is_dash(c) => Some('-'),
            '\u{b9}' => Some('1'),
            '\u{b2}' => Some('2'),
            '\u{b3}' => Some('3'),
            _ if is_superscript_digit(c) => char::from_digit(u32::from(c) - 0x2070, 10),
            _ => Some(c),
        })
        .collect();
    plain.parse().ok()
}

/// Whether the digits are part of a name: `SIRT1`, `IL-6`, `3T3`, `5-HT`, `H2O`.
fn belongs_to_name(before: &str, after: &str) -> bool {
    let mut back = before.chars().rev();
    let (last, second) = (back.next(), back.next());
    // Scripts without spaces set none beside a number either.
    let word = |c: Option<char>| c.is_some_and(|c| (c.is_alphanumeric() || c == '_') && !is_unspaced(c));
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphabetic() && !is_unspaced(c));
    if word(last) || (last == Some('.') && second.is_some_and(|c| c.is_ascii_digit())) {
        return true;
    }
    if last.is_some_and(is_dash) && letter(second) {
        return true;
    }
    let mut ahead = after.chars();
    let next = ahead.next();
    if unit::unit_at(after).is_some() {
        return false;
    }
    if letter(next) || next == Some('_') {
        // "2014b" is a year, "10th" an order, "3T3" a name.
        let word: String = after.chars().take_while(|c| c.is_alphanumeric()).take(4).collect();
        return !(word.len() == 1 && word.as_bytes()[0].is_ascii_lowercase()
            || matches!(word.as_str(), "st" | "nd" | "rd" | "th"));
    }
    // "8-item" counts items, "5-HT" is a name.
    next.is_some_and(is_dash) && {
        let word: String = ahead.take_while(|c| c.is_alphabetic()).take(40).collect();
        !word.is_empty() && (word.chars().count() < 3 || word.chars().any(char::is_uppercase))
    }
}

/// Whether the number stands in a mail address.
fn in_mail_address(before: &str, after: &str) -> bool {
    const LONGEST: usize = 64;
    let part = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '-');
    let ahead = after.chars().take(LONGEST).find(|c| !part(c));
    let back = before.chars().rev().take(LONGEST).find(|c| !part(c));
    ahead == Some('@') || back == Some('@')
}

/// The bytes of a minus sign right before the number, unless it is the dash of a range.
fn negative_sign(before: &str, previous: Option<&Quantity>) -> Option<usize> {
    let sign = before.chars().next_back().filter(|c| is_dash(*c) && !matches!(c, '\u{2014}' | '\u{2015}'))?;
    let rest = &before[..before.len() - sign.len_utf8()];
    let ends_number = previous.is_some_and(|p| p.span.end == rest.len());
    let free = rest.chars().next_back().is_none_or(|c| {
        c.is_whitespace() || matches!(c, '(' | '[' | '=' | '<' | '>' | '~' | ',' | ':' | '/' | '±')
    });
    (free && !ends_number).then_some(sign.len_utf8())
}

fn spelled_value(word: &str) -> Option<f64> {
    if let Some((tens, ones)) = word.split_once(is_dash) {
        let ones = if ones.eq_ignore_ascii_case("one") { 1.0 } else { spelled_value(ones)? };
        return Some(spelled_value(tens)? + ones);
    }
    let word = word.to_ascii_lowercase();
    let place = SPELLED.iter().position(|own| own == word)?;
    Some(if place < TWENTY { place + 2 } else { (place - TWENTY) * 10 + 20 } as f64)
}

/// Gives the numbers of a range or list the unit behind its last number.
fn share_units(text: &str, quantities: &mut [Quantity]) {
    // Whether the unit of the quantity behind was itself shared through a conjunction: then commas pass it on.
    let mut in_list = false;
    for i in (0..quantities.len().saturating_sub(1)).rev() {
        let (left, right) = (&quantities[i], &quantities[i + 1]);
        let between = text.get(left.span.end..right.number.start).unwrap_or_default().trim();
        let joins =
            matches!(
                between,
                "to" | "and" | "or" | "±" | "+/-" | "+/−" | ", and" | ", or" | "vs" | "vs." | "versus" | "/"
            ) || (!between.is_empty() && between.chars().count() <= 2 && between.chars().all(is_dash))
                || (right.number.start > left.span.end
                    && between.is_empty()
                    && text[right.number.clone()].starts_with(is_dash));
        let passes = joins || (in_list && between == ",");
        in_list = passes;
        let unit = right.unit.clone().filter(|_| left.unit.is_none());
        // "1.5 to 2 million", but not "3 and 2 million".
        let ranges = passes && (between == "to" || between.chars().all(is_dash));
        let scale =
            right.scale.filter(|scale| ranges && left.scale.is_none() && left.value < right.value / scale);
        if passes && unit.is_some() {
            quantities[i].unit = unit;
        }
        if let Some(scale) = scale {
            quantities[i].value *= scale;
            quantities[i].scale = Some(scale);
        }
    }
}

#[cfg(test)]
mod tests;
