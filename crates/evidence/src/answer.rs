//! How likely the best sentences answer the question.

use crate::trees::{logistic, logit, places};
use crate::{AskedTerms, Measured};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use types::{Context, Question, SourceId, TermStatistics};

crate::trees::features! {
    /// What is known of a question and its context as a whole.
    AnswerFeatures, ANSWER_FEATURES:
    /// `ln(p / (1 - p))` of the best sentence's probability p.
    best,
    /// Probability of the second best sentence.
    second,
    /// Sum of the probabilities of the five best sentences.
    five,
    /// Share of the question's terms in the context, titles and headings included.
    coverage,
    /// Largest share of the question's terms in one sentence.
    sentence_coverage,
    /// Largest share in a sentence and the two beside it.
    around_coverage,
    /// Largest share of the question's pairs of neighbouring terms in one sentence.
    pairs,
    /// Largest cosine of a sentence.
    cosine,
    /// Largest mix of cosine and coverage.
    mix,
    /// Number of terms that are not in the context.
    missing,
    /// Largest weight of such a term.
    heaviest_missing,
    /// Number of terms that no paper of the store contains.
    absent,
    /// Largest share of the question's symbols and names in one sentence.
    entities,
    /// Number of terms of the question.
    terms,
    /// Cosine of the best sentence.
    best_cosine,
    /// Coverage of the best sentence.
    best_coverage,
    /// Whether the best sentence contains the rarest term.
    best_rarest,
    /// How far the best other paper is behind in cosine; 1 if there is none.
    other_paper,
    /// Largest share in one sentence of the terms that the title of its paper does not contain.
    asked_of_paper,
    /// That share in the best sentence.
    best_asked_of_paper,
    /// Largest centred cosine of a sentence.
    centred,
    /// Centred cosine of the best sentence.
    best_centred,
    /// Whether a sentence has a number of what the question counts.
    counts,
    /// Largest share of the terms in the label of a row and the header of one of its columns.
    labels,
    /// What the reader says of the best sentence: a logit; 0 without a reader, as below.
    reader,
    /// The sum of that of the five best.
    reader_five,
    /// What the reader says of the best of the windows that it read.
    reader_window,
}

/// What `fit/fit.py` writes: two logistic regressions on the same standardised features.
#[derive(Debug, Deserialize)]
pub(crate) struct Regressions {
    features: Vec<String>,
    mean: Vec<f32>,
    /// Standard deviations.
    scale: Vec<f32>,
    /// Whether one of the three best sentences answers.
    right: Regression,
    /// Whether the papers that were searched answer.
    answerable: Regression,
}

/// A logistic regression.
#[derive(Debug, Default, Deserialize)]
struct Regression {
    weight: Vec<f32>,
    intercept: f32,
}

impl AnswerFeatures {
    /// Measures a question beside its context. `measured` are the sentences of the context, in any order.
    pub fn new(
        question: &Question,
        context: &Context,
        statistics: &TermStatistics,
        measured: &[Measured],
    ) -> Self {
        let asked = AskedTerms::new(question, context, statistics);
        let mut best: Vec<(f32, &Measured)> = measured.iter().map(|m| (m.probability, m)).collect();
        best.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.place().cmp(&b.1.place())));
        let probability = |at: usize| best.get(at).map_or(0.0, |(p, _)| *p);
        let first = best.first().map(|(_, m)| m.features).unwrap_or_default();
        let largest = |value: &dyn Fn(&Measured) -> f32| measured.iter().map(value).fold(0.0, f32::max);
        let mut out = Self {
            best: logit(probability(0)),
            second: probability(1),
            five: (0..5).map(probability).sum(),
            sentence_coverage: largest(&|m| m.features.coverage),
            around_coverage: largest(&|m| m.features.around),
            pairs: largest(&|m| m.features.pairs),
            cosine: largest(&|m| m.features.cosine),
            mix: largest(&|m| m.features.mix),
            entities: largest(&|m| m.features.entities),
            terms: asked.terms.len() as f32,
            best_cosine: first.cosine,
            best_coverage: first.coverage,
            best_rarest: first.rarest,
            other_paper: other_paper(context, measured),
            asked_of_paper: largest(&|m| m.features.asked_of_paper),
            best_asked_of_paper: first.asked_of_paper,
            centred: largest(&|m| m.features.centred),
            best_centred: first.centred,
            counts: largest(&|m| m.features.counted),
            labels: largest(&|m| m.features.row_label + m.features.column_label),
            ..Self::default()
        };
        let mut read: Vec<f32> = measured.iter().map(|m| m.features.reader).collect();
        read.sort_by(|a, b| b.total_cmp(a));
        out.reader = read.first().copied().unwrap_or(0.0);
        out.reader_five = read.iter().take(5).sum();
        out.reader_window = measured.iter().map(|m| m.features.reader_window).reduce(f32::max).unwrap_or(0.0);
        let found = stems(context);
        let missing = asked.terms.iter().filter(|term| !term.is_in(&found));
        for term in missing {
            out.missing += 1.0;
            out.heaviest_missing = out.heaviest_missing.max(term.weight);
            let held = |stem: &String| statistics.frequency(stem) > 0;
            let other_form = |form: &Vec<String>| !form.is_empty() && form.iter().all(held);
            if !term.stems.iter().any(held) && !term.other_forms.iter().any(other_form) {
                out.absent += 1.0;
            }
        }
        out.coverage = asked.share(|term| term.is_in(&found));
        out
    }

    /// The probability that one of the three best sentences answers the question, 0 to 1.
    pub(crate) fn right(&self, fitted: &Regressions) -> f32 {
        self.by(fitted, &fitted.right)
    }

    /// The probability that the papers that were searched answer the question, 0 to 1, whether or not the best sentences
    /// do.
    pub(crate) fn answerable(&self, fitted: &Regressions) -> f32 {
        self.by(fitted, &fitted.answerable)
    }

    fn by(&self, all: &Regressions, regression: &Regression) -> f32 {
        let values = self.values();
        let places = places(&all.features, ANSWER_FEATURES).into_iter();
        let terms = places.zip(&all.mean).zip(&all.scale).zip(&regression.weight);
        let term = |(((place, mean), scale), weight): (((usize, &f32), &f32), &f32)| {
            weight * (values[place] - mean) / scale.max(f32::EPSILON)
        };
        logistic(terms.map(term).sum::<f32>() + regression.intercept)
    }
}

/// Every stem of the context: sentences, headings, titles.
fn stems(context: &Context) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for place in &context.chunks {
        out.extend(place.sentence_stems().iter().flatten().cloned());
        let title = place.source.title.as_deref().unwrap_or_default();
        for text in [title, place.chunk.heading.as_str()] {
            out.extend(text::terms(text).into_iter().map(|term| term.stem));
        }
    }
    out
}

/// How far the best sentence of the second paper is behind the best one, by cosine; 1 if there is one paper.
fn other_paper(context: &Context, measured: &[Measured]) -> f32 {
    let mut best: BTreeMap<&SourceId, f32> = BTreeMap::new();
    for m in measured {
        let of = best.entry(&context.chunks[m.chunk].chunk.source_id).or_default();
        *of = of.max(m.features.cosine);
    }
    let mut best: Vec<f32> = best.into_values().collect();
    best.sort_by(|a, b| b.total_cmp(a));
    match best[..] {
        [first, second, ..] => first - second,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_evidence_is_more_likely() {
        let good = AnswerFeatures {
            best: 1.0,
            second: 0.4,
            five: 1.6,
            coverage: 1.0,
            sentence_coverage: 0.9,
            around_coverage: 1.0,
            pairs: 0.6,
            cosine: 0.8,
            mix: 0.85,
            entities: 1.0,
            terms: 5.0,
            best_cosine: 0.8,
            best_coverage: 0.9,
            best_rarest: 1.0,
            other_paper: 0.3,
            ..AnswerFeatures::default()
        };
        let poor = AnswerFeatures {
            best: -3.0,
            second: 0.04,
            five: 0.2,
            coverage: 0.3,
            sentence_coverage: 0.3,
            around_coverage: 0.3,
            pairs: 0.0,
            cosine: 0.3,
            mix: 0.3,
            missing: 3.0,
            heaviest_missing: 0.3,
            absent: 1.0,
            entities: 0.0,
            best_cosine: 0.3,
            best_coverage: 0.3,
            best_rarest: 0.0,
            other_paper: 0.0,
            ..good
        };
        let fitted = &crate::fitted::of("all-MiniLM-L6-v2").plain.answer;
        let lists = [&fitted.mean, &fitted.scale, &fitted.right.weight, &fitted.answerable.weight];
        assert!(lists.iter().all(|list| list.len() == fitted.features.len()), "the file fits");
        assert!(
            good.right(fitted) > 0.6 && good.answerable(fitted) > 0.6,
            "{} {}",
            good.right(fitted),
            good.answerable(fitted)
        );
        assert!(
            poor.right(fitted) < 0.3 && poor.answerable(fitted) < 0.4,
            "{} {}",
            poor.right(fitted),
            poor.answerable(fitted)
        );
    }
}
