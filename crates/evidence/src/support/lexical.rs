//! The offline judge: fitted trees over [`Features`], with and without an embedder.

use crate::support::cache::Cache;
use crate::support::features::{Features, Findings, PreparedClaim, PreparedPassage, measure};
use crate::support::model;
use std::fmt;
use std::sync::Arc;
use types::{Embedder, Support, SupportError, SupportScorer};

/// Minimum number of words from which a claim tells its language.
const LANGUAGE_WORDS: usize = 6;

/// How the id of the embedding model begins whose cosines the judge knows.
pub const FITTED_WITH: &str = "all-MiniLM-L6-v2";

/// What a reader of its verdicts must know. Measured on `fit/support/claims.tsv`, which it was not fitted on: docs/lab/judges.md.
pub const OFFLINE_JUDGE: &str = "The offline judge compares words. Of 596 errors planted in claims about papers it found 63 % (changed numbers \
    88 %, negations 80 %, swapped things 42 %), and it rejected 40 % of 596 right claims, most of them in other words.";

/// Judges support by words, numbers, names and cues; with an embedder also by the nearness of words and sentences.
pub struct LexicalSupport {
    embedder: Option<Arc<dyn Embedder>>,
    /// The same judge without an embedder, if this one has one: most claims of a verbatim answer need no vectors.
    by_words: Option<Box<Self>>,
    id: String,
    /// For passages without and with labelled parts.
    claims: [Cache<PreparedClaim>; 2],
    passages: Cache<PreparedPassage>,
}

impl LexicalSupport {
    /// Scores from here on mean "supported".
    pub const THRESHOLD: f32 = 0.5;

    /// The judge that needs no model.
    pub fn new() -> Self {
        Self::of(None)
    }

    /// The judge for a pipeline with this embedder: it compares vectors if they are those of the model that the judge was
    /// fitted with ([`FITTED_WITH`]), and goes by words alone beside any other.
    pub fn for_embedder(embedder: &Arc<dyn Embedder>) -> Self {
        if embedder.id().starts_with(FITTED_WITH) {
            Self::of(Some(Arc::clone(embedder)))
        } else {
            Self::new()
        }
    }

    fn of(embedder: Option<Arc<dyn Embedder>>) -> Self {
        let id = match &embedder {
            Some(embedder) => format!("lexical-4-{}+{}", model::fingerprint(true), embedder.id()),
            None => format!("lexical-4-{}", model::fingerprint(false)),
        };
        Self {
            by_words: embedder.is_some().then(|| Box::new(Self::new())),
            embedder,
            id,
            claims: [Cache::new(4), Cache::new(4)],
            passages: Cache::new(32),
        }
    }

    /// What the judge measures of a claim and a passage.
    ///
    /// # Errors
    /// When the embedder fails, the two are in different languages, or one is in a language written without spaces.
    pub fn features(&self, claim: &str, passage: &str) -> Result<Features, SupportError> {
        Ok(self.measured(claim, passage)?.0)
    }

    fn measured(&self, claim: &str, passage: &str) -> Result<(Features, Findings), SupportError> {
        let embedder = self.embedder.as_deref();
        let passage = self.passages.get(passage, || PreparedPassage::new(passage, embedder))?;
        let language = text::language::language(claim);
        // Names such as "van den Berg" contain words of other languages: a short claim does not tell its language.
        let tells = language.is_none() || text::word_count(claim) >= LANGUAGE_WORDS;
        if language != passage.language && tells {
            let name = |code: Option<&str>| code.unwrap_or("an unknown language").to_owned();
            return Err(SupportError::NotApplicable(format!(
                "the claim seems to be in {} and the passage in {}: the offline judge compares words",
                name(language),
                name(passage.language)
            )));
        }
        if passage.undivided || text::language::is_undivided(claim) {
            return Err(SupportError::NotApplicable(
                "the offline judge compares words, and cannot divide Chinese or Japanese into words"
                    .to_owned(),
            ));
        }
        let labelled = !passage.blocks.is_empty();
        let claim = self.claims[usize::from(labelled)]
            .get(claim, || PreparedClaim::new(claim, labelled, embedder))?;
        Ok(measure(&claim, &passage))
    }
}

impl Default for LexicalSupport {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for LexicalSupport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LexicalSupport").field("id", &self.id).finish_non_exhaustive()
    }
}

impl SupportScorer for LexicalSupport {
    fn id(&self) -> &str {
        &self.id
    }

    fn support(&self, claim: &str, passage: &str) -> Result<Support, SupportError> {
        let settled = match &self.by_words {
            Some(judge) => {
                Some(judge.measured(claim, passage)?).filter(|(features, _)| model::is_settled(features))
            }
            None => None,
        };
        let (features, findings) = match settled {
            Some(measured) => measured,
            None => self.measured(claim, passage)?,
        };
        let judged = model::judge(&features, self.embedder.is_some());
        Ok(Support {
            // The trees were fitted on claims of which few have such a number.
            score: if findings.rescaled { 0.0 } else { judged.supported },
            contradiction: judged.contradicted,
            hedge_dropped: features.hedge_dropped > 0.0,
            reasons: reasons(&features, &findings),
        })
    }

    fn response(&self, claims: &[f32]) -> f32 {
        model::response(claims, self.embedder.is_some())
    }
}

/// What speaks against support, in words for people, strongest first; empty for a claim that stands in the passage word for word.
fn reasons(features: &Features, findings: &Findings) -> Vec<String> {
    let mut out = Vec::new();
    if features.named_gap > 0.0 {
        out.push("the passage that it names holds less of it than another one".to_owned());
    }
    if features.verbatim > 0.0 {
        return out;
    }
    let mut list = |what: &str, items: &[String]| {
        if !items.is_empty() {
            out.push(format!("{what}: {}", items.join(", ")));
        }
    };
    list("numbers not in the passage", &findings.numbers_absent);
    list("names not in the passage", &findings.names_absent);
    list("symbols not in the passage", &findings.symbols_absent);
    list("numbers not near the matching sentence", &findings.numbers_elsewhere);
    list("the passage has the opposite of", &findings.exchanged);
    list("words not in the passage", &findings.terms_absent);
    let mut say = |on: f32, what: &str| {
        if on > 0.0 {
            out.push(what.to_owned());
        }
    };
    say(features.negation_differs, "one of claim and passage denies what the other says");
    say(features.direction_differs, "claim and passage point in opposite directions");
    say(features.turned, "a word was replaced by its opposite, or a denial added or removed");
    say(features.swapped, "two words of the passage changed places");
    say(features.surer, "the passage is less sure");
    say(features.more_causal, "the passage names a relation, not a cause");
    say(features.wider, "the claim speaks of all or only, the passage does not");
    if out.is_empty() {
        out.push("too little in common".to_owned());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PASSAGE: &str = "We enrolled 120 adults. Brisk walking for 30 min/day lowered systolic blood pressure by 5.2 mmHg \
        (95% CI 3.1–7.3). Body mass index did not change. Orvella et al. saw the same in mice, where AMPK activity rose. \
        Adherence was higher in women than in men.";

    #[test]
    fn a_language_without_spaces_is_not_judged() {
        let judge = LexicalSupport::new();
        let is_judged = |claim: &str, passage: &str| {
            !matches!(judge.support(claim, passage), Err(SupportError::NotApplicable(_)))
        };
        let chinese = "针刺组的睡眠时间增加了42分钟。";
        assert!(!is_judged("针刺组的睡眠时间增加了77分钟。", chinese));
        assert!(!is_judged("Sleep rose by 42 min.", chinese) && !is_judged(chinese, "Sleep rose by 42 min."));
        assert!(is_judged("TNF-α (肿瘤) rose by 42 %.", "TNF-α rose by 42 % in the group."));
    }

    #[test]
    fn a_number_with_another_word_of_scale_is_not_supported() {
        let judge = LexicalSupport::new();
        let score = |claim: &str, passage: &str| judge.support(claim, passage).expect("it applies").score;
        assert!(score("It reached 1.5 million men.", "It reached 1.5 thousand men.") <= 0.0);
        assert!(score("It reached 3 million men.", "It reached 3 men.") <= 0.0);
        assert!(score("It reached 1.5 million men.", "It reached 1,500,000 men.") > 0.5);
        // Rounded, beside another number that is alike.
        assert!(score("It reached 2 million men.", "In 2 towns, it reached 1.98 million men.") > 0.0);
    }

    #[test]
    fn claims_are_judged_by_what_the_passage_says() {
        let judge = LexicalSupport::new();
        let check = |claim: &str, supported: bool| {
            let support = judge.support(claim, PASSAGE).expect("it applies");
            assert_eq!(support.score >= LexicalSupport::THRESHOLD, supported, "{claim:?} {support:?}");
        };
        check(
            "Brisk walking for 30 min/day lowered systolic blood pressure by 5.2 mmHg (95% CI 3.1–7.3).",
            true,
        );
        check(
            "Systolic blood pressure was lowered by 5.2 mmHg with brisk walking for 30 minutes per day.",
            true,
        );
        check(
            "Systolic blood pressure was lowered by 6.2 mmHg with brisk walking for 30 minutes per day.",
            false,
        );
        check(
            "Systolic blood pressure was lowered by 5.2 mmHg with brisk walking for 30 hours per day.",
            false,
        );
        check(
            "Systolic blood pressure was raised by 5.2 mmHg with brisk walking for 30 minutes per day.",
            false,
        );
        check("Brisk walking increased systolic blood pressure.", false);
        check("Brisk walking reduced systolic blood pressure.", true);
        check("Body mass index did not change.", true);
        check("Body mass index changed.", false);
        check("BMI did not change.", true);
        check("Adherence was lower in women than in men.", false);
        check("Adherence was higher among women than men.", true);
        check("In mice, Orvella et al. saw AMPK activity rise.", true);
        check("In mice, Tandrik et al. saw AMPK activity rise.", false);
        check("In mice, Orvella et al. saw SIRT1 activity rise.", false);
        check("Omega-3 supplements improved memory in older dogs.", false);
        check("", false);
    }

    #[test]
    fn words_that_the_passage_denies_are_not_verbatim() {
        let judge = LexicalSupport::new();
        let score = |passage: &str| {
            judge.support("Walking lowered blood pressure.", passage).expect("it applies").score
        };
        assert!(score("In this trial, walking lowered blood pressure.") > 0.98);
        assert!(score("There was no evidence that walking lowered blood pressure.") < 0.5);
        assert!(score("Weight did not change, but walking lowered blood pressure.") > 0.5);
    }

    #[test]
    fn reasons_name_what_is_wrong() {
        let judge = LexicalSupport::new();
        let check = |claim: &str, reason: &str| {
            let reasons = judge.support(claim, PASSAGE).expect("it applies").reasons;
            assert!(reasons.iter().any(|r| r.contains(reason)), "{claim:?} {reasons:?}");
        };
        check("Brisk walking lowered blood pressure by 9 mmHg.", "9 mmHg");
        check("Tandrik et al. saw the same in mice.", "Tandrik");
        check("GLUT4 activity rose in mice.", "GLUT4");
        check("Body mass index changed.", "denies");
        check("Adherence was lower in women.", "opposite");
        check("Sleep lowered blood pressure.", "Sleep");
        assert!(judge.support("We enrolled 120 adults.", PASSAGE).expect("it applies").reasons.is_empty());
    }

    proptest! {
        #[test]
        fn scores_are_probabilities(claim in "\\PC{0,80}", passage in "\\PC{0,200}") {
            if let Ok(found) = LexicalSupport::new().support(&claim, &passage) {
                prop_assert!((0.0..=1.0).contains(&found.score));
                prop_assert!((0.0..=1.0).contains(&found.contradiction));
            }
        }

        #[test]
        fn a_changed_number_never_helps(n in 1000u32..9999, m in 1000u32..9999) {
            prop_assume!(n != m);
            let passage = format!("The trial enrolled {n} healthy adults over twelve weeks of walking.");
            let claim = |k: u32| format!("The walking trial enrolled {k} healthy adults.");
            let judge = LexicalSupport::new();
            let score = |k: u32| judge.support(&claim(k), &passage).expect("it applies").score;
            prop_assert!(score(n) >= LexicalSupport::THRESHOLD);
            prop_assert!(score(m) < LexicalSupport::THRESHOLD);
        }
    }
}
