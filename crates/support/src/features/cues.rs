//! Words that reverse a statement without changing its topic: negation and direction.
//!
//! What matters is what they refer to: "mice without SIRT1 lived longer" does not deny "lived longer". So each
//! cue is taken together with the content words near it, and two texts conflict only over words that they
//! share.

use std::collections::BTreeSet;

/// What a text denies, and what it says rises or falls: the stems near such cues.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cues {
    content: BTreeSet<String>,
    /// The stems near each denial.
    denied: Vec<BTreeSet<String>>,
    up: BTreeSet<String>,
    down: BTreeSet<String>,
}

/// A denial applies to words before it (the subject of a passive: "weight was not altered") and after it. A
/// direction applies to words on either side.
const DENIAL_BACK: usize = 2;
const DENIAL_REACH: usize = 5;
const DIRECTION_REACH: usize = 3;

impl Cues {
    /// Finds the cues of a text, in linear time.
    pub(crate) fn of(text: &str) -> Self {
        let words: Vec<Word> = text::words(text)
            .into_iter()
            .map(|span| Word::new(&text[span]))
            .collect();
        let mut out = Self::default();
        for (i, word) in words.iter().enumerate() {
            out.content.extend(word.topic().map(str::to_owned));
            let near = |back: usize, ahead: usize| {
                let near = &words[i.saturating_sub(back)..(i + 1 + ahead).min(words.len())];
                near.iter().filter_map(Word::topic).map(str::to_owned)
            };
            match word.cue {
                Some(Cue::Denial) => out.denied.push(near(DENIAL_BACK, DENIAL_REACH).collect()),
                Some(Cue::Up) => out.up.extend(near(DIRECTION_REACH, DIRECTION_REACH)),
                Some(Cue::Down) => out.down.extend(near(DIRECTION_REACH, DIRECTION_REACH)),
                None => {}
            }
        }
        out
    }

    /// Whether the text denies anything.
    pub(crate) fn denies(&self) -> bool {
        !self.denied.is_empty()
    }

    /// Whether the text says that anything rises or falls.
    pub(crate) fn directs(&self) -> bool {
        !self.up.is_empty() || !self.down.is_empty()
    }

    /// Whether one text denies what the other says: the other text contains most of the words of a denial, and
    /// none of its own denials has any of them.
    pub(crate) fn denial_differs(&self, other: &Self) -> bool {
        let one_sided = |a: &Self, b: &Self| {
            a.denied.iter().any(|about| {
                let shared = about.intersection(&b.content).count();
                shared > 0 && 5 * shared >= 3 * about.len() && b.denied.iter().all(|d| d.is_disjoint(about))
            })
        };
        one_sided(self, other) || one_sided(other, self)
    }

    /// Whether a shared word rises in one text and falls in the other, and none goes the same way in both.
    pub(crate) fn direction_differs(&self, other: &Self) -> bool {
        let agree = !self.up.is_disjoint(&other.up) || !self.down.is_disjoint(&other.down);
        !agree && (!self.up.is_disjoint(&other.down) || !self.down.is_disjoint(&other.up))
    }
}

/// Whether a word, in lower case, denies something. "Without" and "lacking" describe groups more often than they deny
/// findings.
pub(crate) fn denies(word: &str) -> bool {
    (text::is_negation(word) && !matches!(word, "without" | "nothing" | "none"))
        || DENIALS.iter().any(|stem| word.starts_with(stem))
}

/// Whether a word, in lower case, says that something rises (`true`) or falls (`false`).
pub(crate) fn direction(word: &str) -> Option<bool> {
    let begins = |stems: &[&str]| stems.iter().any(|stem| word.starts_with(stem));
    if begins(UP) || UP_WORDS.contains(&word) {
        Some(true)
    } else if begins(DOWN) || DOWN_WORDS.contains(&word) {
        Some(false)
    } else {
        None
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cue {
    Denial,
    Up,
    Down,
}

struct Word {
    cue: Option<Cue>,
    /// Empty for a word that is not a topic.
    stem: String,
}

impl Word {
    fn new(word: &str) -> Self {
        let lower = word.to_lowercase();
        let denies = denies(&lower);
        let cue = match direction(&lower) {
            _ if denies => Some(Cue::Denial),
            Some(true) => Some(Cue::Up),
            Some(false) => Some(Cue::Down),
            None => None,
        };
        let stem = if text::is_stop_word(word) {
            String::new()
        } else {
            text::stem(word)
        };
        Self { cue, stem }
    }

    fn topic(&self) -> Option<&str> {
        // A direction is no topic of another direction, but it can be denied.
        Some(self.stem.as_str()).filter(|s| !s.is_empty() && self.cue.is_none())
    }
}

const DENIALS: &[&str] = &["fail", "unable", "unlikely", "unaffected", "unchanged", "hardly"];
const UP: &[&str] = &[
    "increas",
    "elevat",
    "enhanc",
    "improv",
    "upregul",
    "promot",
    "stimulat",
    "accelerat",
    "augment",
    "boost",
    "strengthen",
    "facilitat",
    "raise",
    "raising",
];
const UP_WORDS: &[&str] = &[
    "higher", "greater", "more", "rise", "rises", "rising", "rose", "risen", "longer", "larger", "stronger",
    "faster", "gain", "gained", "better",
];
const DOWN: &[&str] = &[
    "decreas",
    "reduc",
    "declin",
    "diminish",
    "attenuat",
    "inhibit",
    "suppress",
    "downregul",
    "impair",
    "weaken",
    "shorten",
    "lessen",
    "abolish",
    "mitigat",
    "alleviat",
    "worsen",
];
const DOWN_WORDS: &[&str] = &[
    "lower", "lowers", "lowered", "lowering", "less", "fewer", "fall", "falls", "fell", "fallen", "drop",
    "drops", "dropped", "shorter", "smaller", "weaker", "slower", "worse",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn denials_conflict_over_what_they_deny() {
        let check = |a: &str, b: &str, want: bool| {
            assert_eq!(Cues::of(a).denial_differs(&Cues::of(b)), want, "{a:?} {b:?}");
            assert_eq!(Cues::of(b).denial_differs(&Cues::of(a)), want, "{b:?} {a:?}");
        };
        check("Walking changed weight.", "Walking did not change weight.", true);
        check(
            "Walking did not change weight.",
            "Weight was not altered by walking.",
            false,
        );
        check(
            "Mice without SIRT1 lived longer.",
            "SIRT1 knockouts lived longer.",
            false,
        );
        check(
            "Walking changed weight.",
            "Walking changed weight, although no mouse died.",
            false,
        );
        check(
            "Training failed to raise VO2max.",
            "Training raised VO2max.",
            true,
        );
    }

    #[test]
    fn directions_conflict_over_what_rises_and_falls() {
        let check = |a: &str, b: &str, want: bool| {
            assert_eq!(Cues::of(a).direction_differs(&Cues::of(b)), want, "{a:?} {b:?}");
            assert_eq!(Cues::of(b).direction_differs(&Cues::of(a)), want, "{b:?} {a:?}");
        };
        check(
            "Walking lowered blood pressure.",
            "Walking raised blood pressure.",
            true,
        );
        check(
            "Walking lowered blood pressure.",
            "Blood pressure decreased with walking.",
            false,
        );
        check(
            "Higher mortality in smokers.",
            "Mortality was lower among smokers.",
            true,
        );
        check(
            "Walking lowered blood pressure.",
            "Food intake of the control mice increased.",
            false,
        );
        check("A rose and B fell in the trial.", "In the trial B fell.", false);
    }
}
