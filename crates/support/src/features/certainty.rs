//! How sure and how general a text is: hedges, causes, quantifiers.
//!
//! A claim can take all its words from a passage and still say more. It can say "is" where the passage says "may be",
//! "causes" where the passage says "is associated with", or "all" where the passage says "some".

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
            let is = |list: &[&str]| list.contains(&word.as_str());
            let begins = |stems: &[&str]| stems.iter().any(|stem| word.starts_with(stem));
            out.hedged |= hedges(&word);
            out.causal |= is(CAUSES) || begins(CAUSE_STEMS);
            out.related |= begins(RELATED_STEMS);
            out.universal |= is(UNIVERSAL);
            out.partial |= is(PARTIAL);
            out.superlative |= is(SUPERLATIVE);
        }
        out
    }
}

/// Whether a word, in lower case, says that something may be true.
pub(crate) fn hedges(word: &str) -> bool {
    HEDGES.contains(&word) || HEDGE_STEMS.iter().any(|stem| word.starts_with(stem))
}

const HEDGES: &[&str] = &[
    "may",
    "might",
    "could",
    "perhaps",
    "likely",
    "unclear",
    "unknown",
    "uncertain",
    "preliminary",
    "sometimes",
    "typically",
    "tends",
    "tend",
    "tended",
];
const HEDGE_STEMS: &[&str] = &[
    "possib",
    "potential",
    "suggest",
    "appear",
    "seem",
    "probabl",
    "hypothes",
    "speculat",
    "presum",
    "propos",
];
const CAUSES: &[&str] = &[
    "leads", "lead", "led", "leading", "due", "because", "makes", "made", "cure", "cures", "cured",
];
const CAUSE_STEMS: &[&str] = &[
    "caus", "result", "produc", "induc", "trigger", "prevent", "generat", "driv", "provok",
];
const RELATED_STEMS: &[&str] = &["associat", "correlat", "link", "relat", "predict", "coincid"];
const UNIVERSAL: &[&str] = &[
    "all",
    "every",
    "always",
    "only",
    "never",
    "none",
    "entire",
    "entirely",
    "completely",
    "everyone",
    "everything",
    "solely",
    "exclusively",
    "each",
    "any",
];
const PARTIAL: &[&str] = &[
    "some",
    "sometimes",
    "few",
    "several",
    "certain",
    "partly",
    "partially",
    "often",
    "usually",
    "many",
    "most",
];
const SUPERLATIVE: &[&str] = &[
    "most", "best", "first", "highest", "largest", "greatest", "lowest", "least", "longest", "oldest",
    "worst", "main", "only", "primary", "last",
];

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
    fn a_claim_can_say_more_than_its_passage() {
        let reach = Reach::new(
            "Walking causes weight loss.",
            "Walking may be associated with weight loss.",
        );
        assert!(reach.surer && reach.more_causal && !reach.wider);
        let reach = Reach::new("All mice lived longer.", "Some mice lived longer.");
        assert!(reach.wider && !reach.surer);
        assert_eq!(Reach::new("Mice ran.", "Mice ran."), Reach::default());
    }
}
