//! Words that change a statement without changing its topic: negation and direction, and how sure and how general it is.
//!
//! What matters is what they refer to: "mice without SIRT1 lived longer" does not deny "lived longer". So each
//! cue is taken together with the content words near it, and two texts conflict only over words that they
//! share.
//!
//! A claim can take all its words from a passage and still say more. It can say "is" where the passage says "may be",
//! "causes" where the passage says "is associated with", or "all" where the passage says "some".

use std::collections::BTreeSet;
use text::WordList;

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
        let words: Vec<Word> = text::words(text).into_iter().map(|span| Word::new(&text[span])).collect();
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
    (text::is_negation(word) && !matches!(word, "without" | "nothing" | "none")) || DENIALS.begins(word)
}

/// Whether a word, in lower case, says that something rises (`true`) or falls (`false`).
pub(crate) fn direction(word: &str) -> Option<bool> {
    if UP.begins(word) || UP_WORDS.contains(word) {
        Some(true)
    } else {
        (DOWN.begins(word) || DOWN_WORDS.contains(word)).then_some(false)
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
        let stem = if text::is_stop_word(word) { String::new() } else { text::stem(word) };
        Self { cue, stem }
    }

    fn topic(&self) -> Option<&str> {
        // A direction is no topic of another direction, but it can be denied.
        Some(self.stem.as_str()).filter(|s| !s.is_empty() && self.cue.is_none())
    }
}

static DENIALS: WordList = WordList::new("fail unable unlikely unaffected unchanged hardly");
static UP: WordList = WordList::new(
    "increas elevat enhanc improv upregul promot stimulat accelerat augment boost strengthen facilitat raise
    raising",
);
static UP_WORDS: WordList = WordList::new(
    "higher greater more rise rises rising rose risen longer larger stronger faster gain gained better",
);
static DOWN: WordList = WordList::new(
    "decreas reduc declin diminish attenuat inhibit suppress downregul impair weaken shorten lessen abolish
    mitigat alleviat worsen",
);
static DOWN_WORDS: WordList = WordList::new(
    "lower lowers lowered lowering less fewer fall falls fell fallen drop drops dropped shorter smaller weaker
    slower worse",
);

/// The cues of certainty in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a cue of its own")]
pub(crate) struct Certainty {
    /// It says that something may be true.
    pub(crate) hedged: bool,
    /// It says that one thing causes another.
    pub(crate) causal: bool,
    /// It says that one thing is associated with another.
    pub(crate) related: bool,
    /// It has a word such as "all", "always" or "only".
    pub(crate) universal: bool,
    /// It has a word such as "some" or "few".
    pub(crate) partial: bool,
    /// It has a word such as "most", "first" or "best".
    pub(crate) superlative: bool,
}

impl Certainty {
    /// Finds the cues of a text, in linear time.
    pub(crate) fn of(text: &str) -> Self {
        let mut out = Self::default();
        for span in text::words(text) {
            let word = text[span].to_lowercase();
            out.hedged |= hedges(&word);
            out.causal |= CAUSES.contains(&word) || CAUSE_STEMS.begins(&word);
            out.related |= RELATED_STEMS.begins(&word);
            out.universal |= UNIVERSAL.contains(&word);
            out.partial |= PARTIAL.contains(&word);
            out.superlative |= SUPERLATIVE.contains(&word);
        }
        out
    }
}

/// Whether a word, in lower case, says that something may be true.
pub(crate) fn hedges(word: &str) -> bool {
    HEDGES.contains(word) || HEDGE_STEMS.begins(word)
}

static HEDGES: WordList = WordList::new(
    "may might could perhaps likely unclear unknown uncertain preliminary sometimes typically tends tend tended",
);
static HEDGE_STEMS: WordList =
    WordList::new("possib potential suggest appear seem probabl hypothes speculat presum propos");
static CAUSES: WordList = WordList::new("leads lead led leading due because makes made cure cures cured");
static CAUSE_STEMS: WordList = WordList::new("caus result produc induc trigger prevent generat driv provok");
static RELATED_STEMS: WordList = WordList::new("associat correlat link relat predict coincid");
static UNIVERSAL: WordList = WordList::new(
    "all every always only never none entire entirely completely everyone everything solely exclusively each any",
);
static PARTIAL: WordList =
    WordList::new("some sometimes few several certain partly partially often usually many most");
static SUPERLATIVE: WordList = WordList::new(
    "most best first highest largest greatest lowest least longest oldest worst main only primary last",
);

/// How a claim differs in certainty and generality from the sentences that it is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a cue of its own")]
pub(crate) struct Reach {
    /// The sentences hedge and the claim does not.
    pub(crate) surer: bool,
    /// The claim hedges and the sentences do not.
    pub(crate) less_sure: bool,
    /// The claim states a cause where the sentences state only an association.
    pub(crate) more_causal: bool,
    /// The claim has a word such as "all" where the sentences do not.
    pub(crate) wider: bool,
    /// The claim has a superlative, and the sentences have none.
    pub(crate) superlative: bool,
}

impl Reach {
    /// Compares the cues of a claim with those of `held`, the best sentences of the passage.
    pub(crate) fn new(claim: &str, held: &str) -> Self {
        let (claim, held) = (Certainty::of(claim), Certainty::of(held));
        Self {
            surer: held.hedged && !claim.hedged,
            less_sure: claim.hedged && !held.hedged,
            more_causal: claim.causal && !claim.related && held.related && !held.causal,
            wider: claim.universal && !held.universal || held.partial && claim.universal && !claim.partial,
            superlative: claim.superlative && !held.superlative,
        }
    }
}

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
        check("Walking did not change weight.", "Weight was not altered by walking.", false);
        check("Mice without SIRT1 lived longer.", "SIRT1 knockouts lived longer.", false);
        check("Walking changed weight.", "Walking changed weight, although no mouse died.", false);
        check("Training failed to raise VO2max.", "Training raised VO2max.", true);
    }

    #[test]
    fn directions_conflict_over_what_rises_and_falls() {
        let check = |a: &str, b: &str, want: bool| {
            assert_eq!(Cues::of(a).direction_differs(&Cues::of(b)), want, "{a:?} {b:?}");
            assert_eq!(Cues::of(b).direction_differs(&Cues::of(a)), want, "{b:?} {a:?}");
        };
        check("Walking lowered blood pressure.", "Walking raised blood pressure.", true);
        check("Walking lowered blood pressure.", "Blood pressure decreased with walking.", false);
        check("Higher mortality in smokers.", "Mortality was lower among smokers.", true);
        check("Walking lowered blood pressure.", "Food intake of the control mice increased.", false);
        check("A rose and B fell in the trial.", "In the trial B fell.", false);
    }

    #[test]
    fn a_claim_can_say_more_than_its_passage() {
        let reach = Reach::new("Walking causes weight loss.", "Walking may be associated with weight loss.");
        assert!(reach.surer && reach.more_causal && !reach.wider);
        let reach = Reach::new("All mice lived longer.", "Some mice lived longer.");
        assert!(reach.wider && !reach.surer);
        assert_eq!(Reach::new("Mice ran.", "Mice ran."), Reach::default());
    }
}
