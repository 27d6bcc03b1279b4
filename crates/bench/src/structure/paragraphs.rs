//! Where paragraphs of the truth stand in our text.

use super::jats::{Heading, Paragraph};
use super::ours::{Ours, Section};
use super::share::Share;

/// Characters of a probe: a stretch that stands for a paragraph that is not found whole.
const PROBE: usize = 40;
/// Headings under which text is printed that the truth puts under none.
const FIRST_SECTIONS: [&str; 3] = ["introduction", "main", "maintext"];

/// How a paragraph was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// All of it, in order, in one section.
    Whole(Place),
    /// Two of three probes (beginning, middle, end) in one section.
    Parts(Place),
    /// Neither.
    Lost,
}

/// A section of ours and a byte of its letters. Sections are in reading order, so places are ordered as read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) section: usize,
    pub(super) at: usize,
}

impl Found {
    pub(super) fn place(self) -> Option<Place> {
        match self {
            Self::Whole(place) | Self::Parts(place) => Some(place),
            Self::Lost => None,
        }
    }
}

/// What became of one paragraph.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome {
    pub(super) found: Found,
    /// Whether it stands under the heading that the truth puts it under.
    pub(super) right_section: bool,
}

/// Looks for every paragraph. `printed` says whether a heading of the truth stands in the PDF at all.
pub(super) fn compare(ours: &Ours, truth: &[Paragraph], printed: impl Fn(&Heading) -> bool) -> Vec<Outcome> {
    let one = |paragraph: &Paragraph| {
        let places = find(&ours.sections, paragraph);
        // The nearest heading that is printed: nothing can stand under one that is not.
        let wanted = paragraph.under.iter().find(|h| printed(h));
        let right = |place: &Place| is_right(&ours.sections[place.section], wanted);
        // Where the same words stand twice, the right section counts.
        let all = match &places {
            Places::Whole(all) | Places::Parts(all) => all.as_slice(),
        };
        let chosen = all.iter().find(|p| right(p)).or(all.first()).copied();
        let found = match (&places, chosen) {
            (_, None) => Found::Lost,
            (Places::Whole(_), Some(place)) => Found::Whole(place),
            (Places::Parts(_), Some(place)) => Found::Parts(place),
        };
        Outcome {
            found,
            right_section: chosen.is_some_and(|p| right(&p)),
        }
    };
    truth.iter().map(one).collect()
}

/// Share of paragraphs found whole.
pub(super) fn whole(outcomes: &[Outcome]) -> Share {
    let hits = outcomes
        .iter()
        .filter(|o| matches!(o.found, Found::Whole(_)))
        .count();
    Share::new(hits, outcomes.len())
}

/// Share of paragraphs under the right heading.
pub(super) fn right_section(outcomes: &[Outcome]) -> Share {
    Share::new(
        outcomes.iter().filter(|o| o.right_section).count(),
        outcomes.len(),
    )
}

/// Of found paragraphs that follow each other in the truth, the share that do so in our text.
pub(super) fn order(outcomes: &[Outcome]) -> Share {
    let places: Vec<Place> = outcomes.iter().filter_map(|o| o.found.place()).collect();
    let right = places.windows(2).filter(|w| w[0] < w[1]).count();
    Share::new(right, places.len().saturating_sub(1))
}

fn is_right(section: &Section, wanted: Option<&Heading>) -> bool {
    match wanted {
        Some(heading) => section.soft == heading.soft,
        None => section.soft.is_empty() || FIRST_SECTIONS.contains(&section.soft.as_str()),
    }
}

/// One place in each section that holds the paragraph.
enum Places {
    Whole(Vec<Place>),
    Parts(Vec<Place>),
}

fn find(sections: &[Section], paragraph: &Paragraph) -> Places {
    let each = |at: &dyn Fn(&str) -> Option<usize>| -> Vec<Place> {
        let found = sections.iter().enumerate();
        found
            .filter_map(|(section, s)| {
                Some(Place {
                    section,
                    at: at(&s.letters)?,
                })
            })
            .collect()
    };
    let whole = each(&|letters| in_sequence(letters, &paragraph.runs));
    if !whole.is_empty() {
        return Places::Whole(whole);
    }
    let probes = probes(&paragraph.runs);
    Places::Parts(each(&|letters| {
        let found: Vec<usize> = probes.iter().filter_map(|p| letters.find(p)).collect();
        (found.len() >= 2).then(|| found[0])
    }))
}

/// Where the first run begins, if all runs follow each other in the text.
fn in_sequence(letters: &str, runs: &[String]) -> Option<usize> {
    let mut first = None;
    let mut reached = 0;
    for run in runs {
        let at = reached + letters[reached..].find(run.as_str())?;
        first.get_or_insert(at);
        reached = at + run.len();
    }
    first
}

/// Beginning, middle and end.
fn probes(runs: &[String]) -> Vec<&str> {
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else {
        return Vec::new();
    };
    let longest = runs.iter().max_by_key(|r| r.len()).unwrap_or(first);
    let half = longest.chars().count() / 2;
    vec![
        stretch(first, 0),
        stretch(longest, half.saturating_sub(PROBE / 2)),
        stretch(last, last.chars().count().saturating_sub(PROBE)),
    ]
}

/// `PROBE` characters from the character `from` on.
pub(super) fn stretch(text: &str, from: usize) -> &str {
    let byte = |n: usize| text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
    &text[byte(from)..byte(from + PROBE)]
}
