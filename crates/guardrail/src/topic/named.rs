//! Sources that a question names by author and year.

use regex::Regex;
use std::{collections::BTreeSet, sync::LazyLock};
use text::fold::fold;
use types::{ChunkStore, Context};

/// A source as a question names it: "Zhang et al. 2021".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSource {
    /// As it stands in the question.
    pub text: String,
    /// The surnames, one or two.
    pub surnames: Vec<String>,
    /// The year, where one is given.
    pub year: Option<u16>,
}

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
/// `Surname (2021)`, `Surname, 2021`: only with a year and not in mid-phrase.
static ONE: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"(\p{{Lu}}{REST})(?:['’]s?)?(?:\s+\(|,\s+){ONLY_YEAR}")));

/// A surname in any case: people type in lower case.
const NAME: &str = r"\p{L}[\p{L}\p{M}'’-]*\p{L}";
/// What follows the capital of a surname: a small letter somewhere, so that acronyms are none.
const REST: &str = r"(?:[\p{L}\p{M}'’-]*\p{Ll})";
/// A year, perhaps in brackets and there perhaps behind a journal's name.
const BARE_YEAR: &str = r"(?:\((?:[^()?!;]{0,40}?\s)?)?((?:19|20)\d{2})\b";
const ONLY_YEAR: &str = r"((?:19|20)\d{2})[a-z]?(?:\)|\b)";

fn pattern(source: &str) -> Regex {
    Regex::new(source).expect("the patterns above are valid")
}

/// Words with a capital that stand before a year and name no author.
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

/// The sources that a text names by author (and year), in order, each once.
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

/// What the corpus and the context know of authors and years.
pub(super) struct SourceIndex {
    /// Of each source: the words of its authors, of its id and title, and its year.
    sources: Vec<(BTreeSet<String>, Option<u16>)>,
    /// Years of the context's sources whose authors are not known.
    anonymous: Vec<Option<u16>>,
    /// The context's texts, folded.
    texts: Vec<String>,
}

impl SourceIndex {
    pub(super) fn new(context: &Context, store: &dyn ChunkStore) -> Self {
        let mut all = store.sources();
        all.extend(context.chunks.iter().map(|c| c.source.clone()));
        let of = |meta: &types::SourceMeta| {
            let mut names = words(&meta.authors.join(" "));
            names.extend(words(meta.source_id.as_str()));
            names.extend(words(meta.title.as_deref().unwrap_or_default()));
            names.extend(words(meta.venue.as_deref().unwrap_or_default()));
            (names, meta.year)
        };
        let anonymous = context
            .chunks
            .iter()
            .filter(|c| c.source.authors.is_empty())
            .map(|c| c.source.year);
        Self {
            sources: all.iter().map(|m| of(m)).collect(),
            anonymous: anonymous.collect(),
            texts: context
                .chunks
                .iter()
                .map(|c| fold(&c.chunk.text).text().to_owned())
                .collect(),
        }
    }

    /// Whether a source of the corpus, or a text of the context, bears these names and this year.
    pub(super) fn knows(&self, named: &NamedSource) -> bool {
        let wanted: BTreeSet<String> = named.surnames.iter().flat_map(|s| words(s)).collect();
        let held = |(names, year): &(BTreeSet<String>, Option<u16>)| {
            wanted.is_subset(names) && near(named.year, *year)
        };
        self.sources.iter().any(held) || self.texts.iter().any(|t| mentions(t, named))
    }

    /// Whether a paper of unknown authors in the context may be the one that is named.
    pub(super) fn may_be_anonymous(&self, named: &NamedSource) -> bool {
        self.anonymous.iter().any(|year| near(named.year, *year))
    }
}

/// Whether two years may mean the same paper: online and in print they often differ by one.
fn near(a: Option<u16>, b: Option<u16>) -> bool {
    a.zip(b).is_none_or(|(a, b)| a.abs_diff(b) <= 1)
}

/// Whether a folded text names the first surname as a word and, soon after it, the year.
fn mentions(folded: &str, named: &NamedSource) -> bool {
    const NEARBY_BYTES: usize = 80;
    let Some(surname) = named
        .surnames
        .first()
        .map(|s| fold(s).text().to_owned())
        .filter(|s| !s.is_empty())
    else {
        return false;
    };
    let year = named.year.map(|y| y.to_string());
    folded.match_indices(&surname).any(|(at, _)| {
        let (before, after) = (&folded[..at], &folded[at + surname.len()..]);
        let whole = !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric);
        let mut end = NEARBY_BYTES.min(after.len());
        while !after.is_char_boundary(end) {
            end -= 1;
        }
        whole && year.as_ref().is_none_or(|y| after[..end].contains(y.as_str()))
    })
}

/// The words of a text, folded.
fn words(text: &str) -> BTreeSet<String> {
    let folded = fold(text);
    folded
        .text()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(str::to_owned)
        .collect()
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
