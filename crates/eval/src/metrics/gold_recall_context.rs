//! Was the labelled evidence put before the generator?

use super::gold::{in_context, recall};
use super::{Direction, Kind, Metric, Need, Range, Sample, Spec};
use crate::{Query, Score};
use types::ContextRecord;

/// The metric.
pub(super) struct GoldRecallContext;

const SPEC: Spec = Spec {
    key: "gold_recall_context",
    title: "Gold recall, context",
    definition: "Gold quotes that stand in a context chunk of their own source (after folding, or a run of \
         at least 0.8 of their words), over all gold quotes. N/a without gold quotes.",
    source: "Thakur et al. 2021 (BEIR), recall, of labelled passages in the context instead of documents in a ranking",
    kind: Kind::Mean,
    range: Range::UNIT,
    direction: Direction::Higher,
    needs: &[Need::Context, Need::GoldEvidence],
    staged: false,
    by_construction: false,
};

impl Metric for GoldRecallContext {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn score(&self, sample: &Sample<'_>) -> Score {
        recall_of(sample.context(), sample.query)
    }
}

fn recall_of(context: Option<&[ContextRecord]>, query: Option<&Query>) -> Score {
    recall(query, |gold| in_context(context, gold))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::NO_CONTEXT;
    use crate::metrics::testing::{chunk, close, query_with_gold};

    const GOLD: &str = "Walking raised VO2max by 12 % in forty older adults over one year.";

    #[test]
    fn context_by_hand() {
        let query = query_with_gold(&[("a", GOLD), ("b", "Mice lived longer.")]);
        let check = |chunks: &[ContextRecord], expect: f64| {
            close(
                &recall_of(Some(chunks), Some(&query)),
                expect,
                &format!("{chunks:?}"),
            );
        };
        check(&[], 0.0);
        check(&[chunk("a__body__000", &format!("Before. {GOLD} After."))], 0.5);
        check(
            &[
                chunk("a__body__000", GOLD),
                chunk("b__results__001", "So mice lived longer. Yes."),
            ],
            1.0,
        );
        // The right words in another paper are not that evidence.
        check(&[chunk("c__body__000", GOLD)], 0.0);
        // 12 words (a lone sign is none): a run of 10 is enough (0.8 × 12 = 9.6), one of 9 is not.
        let words: Vec<&str> = GOLD.split(' ').filter(|w| *w != "%").collect();
        assert_eq!(words.len(), 12);
        check(&[chunk("a__body__000", &words[2..].join(" "))], 0.5);
        check(&[chunk("a__body__000", &words[3..].join(" "))], 0.0);
        assert_eq!(recall_of(None, Some(&query)), Score::n_a(NO_CONTEXT));
        assert!(matches!(recall_of(Some(&[]), None), Score::NotApplicable(_)));
    }
}
