//! Units behind a number, brought to one spelling.

use crate::chars::{is_dash, is_superscript_digit};

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
    for (sign, divides) in [
        (" per ", true),
        ("/", true),
        (" / ", true),
        ("·", false),
        ("⋅", false),
        ("∙", false),
        ("-", false),
        (" · ", false),
        (" ", false),
        (".", false),
    ] {
        if text.starts_with(sign) {
            return Some((sign.len(), divides));
        }
    }
    None
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
            return Some((
                Factor {
                    name,
                    power: String::new(),
                    inverse: false,
                },
                at + sign.len(),
            ));
        }
    }
    for phrase in PHRASES {
        if let Some(behind) = rest.strip_prefix(phrase.0)
            && !behind.starts_with(char::is_alphanumeric)
        {
            return Some((
                Factor {
                    name: phrase.1,
                    power: String::new(),
                    inverse: false,
                },
                at + phrase.0.len(),
            ));
        }
    }
    let end = rest
        .find(|c: char| !(c.is_alphabetic() || matches!(c, '°' | 'µ' | '℃')))
        .unwrap_or(rest.len());
    if end > LONGEST_WORD {
        return None;
    }
    let name = canonical(&rest[..end])?;
    let (power, inverse, length) = power_of(name, &rest[end..]);
    // "m3T" or "kg1" are no units, while degrees are followed by minutes: "112°57′".
    let minutes = name == "°" && rest[end..].starts_with(|c: char| c.is_ascii_digit());
    if rest[end + length..].starts_with(char::is_alphanumeric) && !minutes {
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
    if same && rest.starts_with(is_dash) {
        none
    } else {
        found
    }
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

const PHRASES: &[(&str, &str)] = &[
    ("per cent", "%"),
    ("percentage points", "pp"),
    ("percentage point", "pp"),
    ("mm Hg", "mmHg"),
    ("beats per minute", "bpm"),
    ("beats/min", "bpm"),
    ("degrees Celsius", "°C"),
    ("degrees C", "°C"),
    ("degrees Fahrenheit", "°F"),
    ("degrees F", "°F"),
    ("° F", "°F"),
    ("° C", "°C"),
];

/// The one spelling of a unit word. Short symbols keep their case, since `M` is not `m`.
fn canonical(word: &str) -> Option<&'static str> {
    let symbol = match word {
        "s" => "s",
        "h" => "h",
        "d" => "day",
        "g" => "g",
        "m" => "m",
        "l" | "L" => "L",
        "M" => "M",
        "K" => "K",
        "W" => "W",
        "J" => "J",
        "V" => "V",
        "Pa" => "Pa",
        "Hz" => "Hz",
        "kHz" => "kHz",
        "MHz" => "MHz",
        "mM" => "mM",
        "nM" => "nM",
        "pM" => "pM",
        "µM" | "μM" | "uM" => "μM",
        "mV" => "mV",
        "mW" => "mW",
        "kW" => "kW",
        "kPa" => "kPa",
        "MPa" => "MPa",
        "kb" | "Kb" => "kb",
        "bp" => "bp",
        "Da" => "Da",
        "kDa" => "kDa",
        "Gy" => "Gy",
        "U" => "U",
        "IU" => "IU",
        "kU" => "kU",
        "pp" => "pp",
        "°C" | "℃" => "°C",
        "°F" => "°F",
        "°" => "°",
        "wk" | "wks" => "week",
        "y" | "yr" | "yrs" => "year",
        "mo" | "mos" => "month",
        "ng" => "ng",
        "pg" => "pg",
        "nm" => "nm",
        "µm" | "μm" | "um" => "μm",
        "µl" | "μl" | "µL" | "μL" | "ul" | "uL" => "μL",
        "µg" | "μg" | "ug" | "mcg" => "μg",
        "µmol" | "μmol" | "umol" => "μmol",
        _ => "",
    };
    if !symbol.is_empty() {
        return Some(symbol);
    }
    Some(match word.to_lowercase().as_str() {
        "percent" | "percents" => "%",
        "sec" | "secs" | "second" | "seconds" => "s",
        "ms" | "msec" | "millisecond" | "milliseconds" => "ms",
        "min" | "mins" | "minute" | "minutes" => "min",
        "hr" | "hrs" | "hour" | "hours" => "h",
        "day" | "days" => "day",
        "week" | "weeks" => "week",
        "month" | "months" => "month",
        "year" | "years" => "year",
        "decade" | "decades" => "decade",
        "kg" | "kgs" | "kilogram" | "kilograms" => "kg",
        "gram" | "grams" => "g",
        "mg" | "milligram" | "milligrams" => "mg",
        "microgram" | "micrograms" => "μg",
        "nanogram" | "nanograms" => "ng",
        "lb" | "lbs" | "pound" | "pounds" => "lb",
        "km" | "kilometre" | "kilometres" | "kilometer" | "kilometers" => "km",
        "metre" | "metres" | "meter" | "meters" => "m",
        "cm" | "centimetre" | "centimetres" | "centimeter" | "centimeters" => "cm",
        "mm" | "millimetre" | "millimetres" | "millimeter" | "millimeters" => "mm",
        "litre" | "litres" | "liter" | "liters" => "L",
        "ml" | "millilitre" | "millilitres" | "milliliter" | "milliliters" => "mL",
        "dl" => "dL",
        "mol" => "mol",
        "mmol" => "mmol",
        "nmol" => "nmol",
        "pmol" => "pmol",
        "mmhg" => "mmHg",
        "kcal" | "kilocalorie" | "kilocalories" => "kcal",
        "cal" | "calorie" | "calories" => "cal",
        "kj" => "kJ",
        "watt" | "watts" => "W",
        "bpm" => "bpm",
        "met" | "mets" => "MET",
        "cfu" => "CFU",
        "fold" => "fold",
        "times" | "time" => "time",
        "session" | "sessions" => "session",
        "step" | "steps" => "step",
        "rpm" => "rpm",
        "ppm" => "ppm",
        "ppb" => "ppb",
        _ => return None,
    })
}
