//! Sources that a question names by author and year.

use regex::Regex;
use std::sync::LazyLock;
use types::NamedSource;

/// `Surname et al.` and `Surname and colleagues`, then perhaps a year.
static FIRST_OF_MANY: LazyLock<Regex> = LazyLock::new(|| {
    let many = r"(?:et\.?\s+al\b\.?|and\s+(?:colleagues|co-?workers|co-?authors|associates)\b)";
    pattern(&format!(
        r"(?i)({NAME})(?:['’]s)?,?\s+{many}(?:['’]s?)?(?:,?\s*{BARE_YEAR})?"
    ))
});
/// `Surname & Surname 2019`, `Surname and Surname (Journal 2019)`: only with a year.
static TWO: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(\p{{Lu}}{REST})\s+(?:and|&)\s+(\p{{Lu}}{REST})(?:['’]s?)?,?\s*{BARE_YEAR}"
    ))
});
/// `Surname (2021)`, `Surname, 2021`: only with a year.
static ONE: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"(\p{{Lu}}{REST})(?:['’]s?)?(?:\s+\(|,\s+){ONLY_YEAR}")));

/// A surname in upper or lower case: people often type in lower case.
const NAME: &str = r"\p{L}[\p{L}\p{M}'’-]*\p{L}";
/// What follows the capital letter of a surname; it contains a lower-case letter, so that acronyms do not match.
const REST: &str = r"(?:[\p{L}\p{M}'’-]*\p{Ll})";
/// A year, optionally in brackets, and there optionally after a journal's name.
const BARE_YEAR: &str = r"(?:\((?:[^()?!;]{0,40}?\s)?)?((?:19|20)\d{2})\b";
const ONLY_YEAR: &str = r"((?:19|20)\d{2})[a-z]?(?:\)|\b)";

fn pattern(source: &str) -> Regex {
    Regex::new(source).expect("the patterns above are valid")
}

/// Words that are often capitalised before a year but are not authors.
const NO_NAMES: [&str; 30] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "spring",
    "summer",
    "autumn",
    "winter",
    "cell",
    "nature",
    "science",
    "lancet",
    "table",
    "figure",
    "phase",
    "since",
    "until",
    "after",
    "before",
    "during",
    "in",
    "by",
];

/// The sources that a text names by author and perhaps year, in order, each once.
pub fn named_sources(text: &str) -> Vec<NamedSource> {
    let mut found: Vec<(usize, usize, NamedSource)> = Vec::new();
    let shapes: [(&Regex, usize); 3] = [(&FIRST_OF_MANY, 1), (&TWO, 2), (&ONE, 1)];
    for (shape, names) in shapes {
        for hit in shape.captures_iter(text) {
            let (Some(whole), Some(first)) = (hit.get(0), hit.get(1)) else {
                continue;
            };
            let surnames: Vec<String> = (1..=names)
                .filter_map(|i| hit.get(i))
                .map(|m| m.as_str().to_owned())
                .collect();
            let overlaps = found
                .iter()
                .any(|(start, end, _)| first.start() < *end && *start < whole.end());
            let no_name = |s: &String| NO_NAMES.contains(&s.to_lowercase().as_str());
            if overlaps || (names == 1 && shape.as_str() == ONE.as_str() && surnames.iter().any(no_name)) {
                continue;
            }
            let year = hit.get(names + 1).and_then(|m| m.as_str().parse().ok());
            let written = text[first.start()..whole.end()]
                .trim_end_matches([' ', ',', '('])
                .to_owned();
            found.push((
                first.start(),
                whole.end(),
                NamedSource {
                    text: closed(written),
                    surnames,
                    year,
                },
            ));
        }
    }
    found.sort_by_key(|(start, ..)| *start);
    let mut out: Vec<NamedSource> = Vec::new();
    for (_, _, named) in found {
        if !out
            .iter()
            .any(|n| n.surnames == named.surnames && n.year == named.year)
        {
            out.push(named);
        }
    }
    out
}

/// The text with its bracket closed: the pattern ends at the year.
fn closed(mut text: String) -> String {
    if text.matches('(').count() > text.matches(')').count() {
        text.push(')');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_years_are_sources() {
        let check = |text: &str, want: &[(&str, &[&str], Option<u16>)]| {
            let got = named_sources(text);
            let got: Vec<(&str, Vec<&str>, Option<u16>)> = got
                .iter()
                .map(|n| {
                    (
                        n.text.as_str(),
                        n.surnames.iter().map(String::as_str).collect(),
                        n.year,
                    )
                })
                .collect();
            let want: Vec<(&str, Vec<&str>, Option<u16>)> =
                want.iter().map(|(t, s, y)| (*t, s.to_vec(), *y)).collect();
            assert_eq!(got, want, "{text:?}");
        };
        check(
            "Summarise Zhang et al. 2021 on fasting",
            &[("Zhang et al. 2021", &["Zhang"], Some(2021))],
        );
        check(
            "summarise zhang et al. (2021)",
            &[("zhang et al. (2021)", &["zhang"], Some(2021))],
        );
        check(
            "What did Zhang et al. find?",
            &[("Zhang et al.", &["Zhang"], None)],
        );
        check(
            "What did Okafor and colleagues find?",
            &[("Okafor and colleagues", &["Okafor"], None)],
        );
        check(
            "Okafor et al.'s 2020 trial",
            &[("Okafor et al.'s 2020", &["Okafor"], Some(2020))],
        );
        check(
            "Compare Moqri et al. (Cell 2023) with Furrer & Handschin (Physiol Rev 2025)",
            &[
                ("Moqri et al. (Cell 2023)", &["Moqri"], Some(2023)),
                (
                    "Furrer & Handschin (Physiol Rev 2025)",
                    &["Furrer", "Handschin"],
                    Some(2025),
                ),
            ],
        );
        check(
            "Does Tandrik (2019) agree?",
            &[("Tandrik (2019)", &["Tandrik"], Some(2019))],
        );
        check(
            "van der Berg et al., 2018",
            &[("Berg et al., 2018", &["Berg"], Some(2018))],
        );
        check(
            "Zhang et al. 2021 and again Zhang et al. 2021",
            &[("Zhang et al. 2021", &["Zhang"], Some(2021))],
        );
        // No sources.
        check("Data from March (2021) and NHANES (2015)", &[]);
        check("How do diet and exercise in 2019 compare?", &[]);
        check("What is the colour of the sky?", &[]);
        check("Is VO2max, 2021 or not, a marker?", &[]);
        check("et al.", &[]);
        check("", &[]);
    }
}
