//! Chooses the thresholds of refusals and of high confidence from labelled questions.
//!
//! A threshold that is chosen and measured on the same questions looks better than it is. So each choice is also
//! cross-validated: the questions are divided into folds by paper, a threshold is chosen without each fold and measured on it.

use crate::{agreement::Confusion, hash::seed_of};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// The thresholds that are tried, 0.05 to 0.95.
pub const CUTS: usize = 19;

/// Folds of the cross-validation.
pub const FOLDS: usize = 5;

/// Fewest answers of high confidence from which their share of right answers is estimated.
const FEWEST: usize = 10;

/// The threshold at this place of a list of [`CUTS`].
pub fn cut(at: usize) -> f64 {
    (at + 1) as f64 / (CUTS + 1) as f64
}

/// What was observed of a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// The paper that it is about: questions about one paper are in one fold.
    pub document: String,
    /// Whether the papers that were searched answer it.
    pub answerable: bool,
    /// Whether it is refused, with each of the thresholds.
    pub refused: [bool; CUTS],
    /// Whether it is refused with the current settings.
    pub refused_now: bool,
    /// The stated probability of its answer, 0 to 1; `None` for a variant of a question that counts for refusals alone.
    pub probability: Option<f64>,
    /// Whether its best sentences answer.
    pub right: bool,
}

/// Balanced accuracy of refusals with a chosen threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RefusalChoice {
    /// The threshold that was chosen on all questions.
    #[serde(rename = "chosen")]
    pub cut: f64,
    /// Its place in the list of thresholds.
    #[serde(skip)]
    pub at: usize,
    /// with the current settings.
    #[serde(rename = "balanced_accuracy")]
    pub now: f64,
    /// With that threshold, on the questions that it was chosen on.
    pub fitted: f64,
    /// With a threshold that was chosen on other papers.
    pub held_out: f64,
}

/// Answers of high confidence, as documents have them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "HighAnswers")]
pub struct High {
    /// Answers.
    pub answers: usize,
    /// Those whose best sentences show labelled evidence.
    pub right: usize,
    /// Their share of all right answers, 0 to 1; null without right answers.
    pub share_of_right: Option<f64>,
}

/// Answers of high confidence with a chosen threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HighChoice {
    /// The lowest threshold from which the wanted share of answers is right, chosen on all questions; null if there is
    /// none, or too few answers.
    #[serde(rename = "chosen")]
    pub cut: Option<f64>,
    /// With the current threshold.
    pub now: High,
    /// With the chosen one, on the questions that it was chosen on.
    pub fitted: High,
    /// With a threshold that was chosen on other papers.
    pub held_out: High,
}

/// Chooses the threshold below which questions are refused: that of the highest balanced accuracy, of equal ones the one
/// nearest to `now`. `None` unless there are both answerable and unanswerable questions.
pub fn choose_refusal(observed: &[Observed], now: f64, seed: u64) -> Option<RefusalChoice> {
    let all: Vec<&Observed> = observed.iter().collect();
    let decided =
        |refused: &dyn Fn(&Observed) -> bool| accuracy(all.iter().map(|each| (*each, refused(each))));
    let chosen = best_refusal(&all, now)?;
    let folds = folds(&all, seed);
    let held_out = folds.iter().flat_map(|(fold, rest)| {
        // Without questions of both kinds among the rest there is nothing to choose from.
        let at = best_refusal(rest, now).unwrap_or(chosen);
        fold.iter().map(move |each| (*each, each.refused[at]))
    });
    Some(RefusalChoice {
        cut: cut(chosen),
        at: chosen,
        now: decided(&|each| each.refused_now)?,
        fitted: decided(&|each| each.refused[chosen])?,
        held_out: accuracy(held_out)?,
    })
}

/// Chooses the probability from which the confidence of an answer is high: the lowest from which at least the share `aim`
/// of the answers is right, but not below `least`. Refused questions do not count; `refused` is the place of the threshold for
/// refusals, `None` for the current settings.
pub fn choose_high(
    observed: &[Observed],
    refused: Option<usize>,
    now: f64,
    least: f64,
    aim: f64,
    seed: u64,
) -> HighChoice {
    let answered = |each: &&Observed| !refused.map_or(each.refused_now, |at| each.refused[at]);
    let all: Vec<&Observed> =
        observed.iter().filter(|each| each.probability.is_some()).filter(answered).collect();
    let chosen = best_high(&all, least, aim);
    let count = |cut: Option<f64>| High::of(all.iter().map(|each| (*each, cut)));
    let folds = folds(&all, seed);
    let held_out = folds.iter().flat_map(|(fold, rest)| {
        let cut = best_high(rest, least, aim);
        fold.iter().map(move |each| (*each, cut))
    });
    HighChoice { cut: chosen, now: count(Some(now)), fitted: count(chosen), held_out: High::of(held_out) }
}

impl High {
    /// Counts answers, each with the threshold from which its confidence is high.
    fn of<'a>(tried: impl Iterator<Item = (&'a Observed, Option<f64>)>) -> Self {
        let (mut out, mut all) = (Self::default(), 0);
        for (each, cut) in tried {
            let reaches = cut.zip(each.probability).is_some_and(|(cut, probability)| probability >= cut);
            out.answers += usize::from(reaches);
            out.right += usize::from(reaches && each.right);
            all += usize::from(each.right);
        }
        Self { share_of_right: (all > 0).then(|| out.right as f64 / all as f64), ..out }
    }

    /// The share of them that is right, 0 to 1; `None` without answers.
    pub fn share_right(&self) -> Option<f64> {
        (self.answers > 0).then(|| self.right as f64 / self.answers as f64)
    }
}

/// Mean share of right decisions on both kinds of questions, 0 to 1: 0.5 for a system that always answers or always refuses.
/// `None` unless there are both.
fn accuracy<'a>(decided: impl Iterator<Item = (&'a Observed, bool)>) -> Option<f64> {
    let mut out = Confusion::default();
    for (each, refused) in decided {
        out.add(each.answerable, !refused, 1);
    }
    out.balanced_accuracy()
}

/// The place of the threshold with the highest balanced accuracy.
fn best_refusal(of: &[&Observed], now: f64) -> Option<usize> {
    let mut best: Option<(f64, f64, usize)> = None;
    for at in 0..CUTS {
        let (value, distance) = (accuracy(of.iter().map(|o| (*o, o.refused[at])))?, (cut(at) - now).abs());
        let better = best.is_none_or(|(most, nearest, _)| {
            value > most + 1e-9 || (value > most - 1e-9 && distance < nearest - 1e-9)
        });
        if better {
            best = Some((value, distance, at));
        }
    }
    best.map(|(_, _, at)| at)
}

/// The lowest threshold from which enough answers are right.
fn best_high(of: &[&Observed], least: f64, aim: f64) -> Option<f64> {
    let mut tried = (0..CUTS).map(cut).filter(|cut| *cut >= least - 1e-6);
    tried.find(|cut| {
        let high = High::of(of.iter().map(|each| (*each, Some(*cut))));
        high.answers >= FEWEST && high.share_right().is_some_and(|share| share >= aim)
    })
}

/// Each fold with the questions outside it. Which fold a paper is in depends on the seed alone.
fn folds<'a>(of: &[&'a Observed], seed: u64) -> Vec<(Vec<&'a Observed>, Vec<&'a Observed>)> {
    let documents: BTreeSet<&str> = of.iter().map(|each| each.document.as_str()).collect();
    let mut documents: Vec<&str> = documents.into_iter().collect();
    documents.sort_by_key(|document| seed_of(seed, document));
    let fold_of = |each: &Observed| {
        let place = documents.iter().position(|document| *document == each.document);
        place.unwrap_or_default() % FOLDS
    };
    (0..FOLDS).map(|fold| of.iter().copied().partition(|each| fold_of(each) == fold)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A question about one of ten papers: refused below the probability, and right if it is answerable.
    fn observed(at: usize, answerable: bool, probability: f64) -> Observed {
        Observed {
            document: format!("paper {}", at % 10),
            answerable,
            refused: std::array::from_fn(|place| probability < cut(place)),
            refused_now: probability < 0.5,
            probability: Some(probability),
            right: answerable && probability > 0.3,
        }
    }

    /// Answerable questions between 0.2 and 0.6, others between 0 and 0.4.
    fn shifted() -> Vec<Observed> {
        let of = |answerable: bool, least: f64| {
            (0..40).map(move |at| observed(at, answerable, least + 0.01 * at as f64))
        };
        of(true, 0.2).chain(of(false, 0.0)).collect()
    }

    fn cut_at(value: f64) -> f64 {
        let at = (0..CUTS).find(|at| (cut(*at) - value).abs() < 1e-6);
        cut(at.expect("a multiple of 0.05"))
    }

    #[test]
    fn the_cut_moves_to_where_the_classes_part() {
        let chosen = choose_refusal(&shifted(), 0.5, 1).expect("both kinds");
        assert!((0.15..=0.45).contains(&chosen.cut), "{chosen:?}");
        assert!(chosen.fitted > chosen.now + 0.05, "{chosen:?}");
        assert!(chosen.held_out <= chosen.fitted + 1e-9, "{chosen:?}");
        assert!(chosen.held_out > chosen.now, "{chosen:?}");
    }

    #[test]
    fn of_equal_cuts_the_nearest_to_the_present_one_is_chosen() {
        let separate: Vec<Observed> =
            (0..20).map(|at| observed(at, at % 2 == 0, if at % 2 == 0 { 0.9 } else { 0.1 })).collect();
        let chosen = choose_refusal(&separate, 0.5, 1).expect("both kinds");
        assert!((chosen.cut - 0.5).abs() < 1e-9, "{chosen:?}");
        assert!((chosen.held_out - 1.0).abs() < 1e-9, "{chosen:?}");
    }

    #[test]
    fn one_kind_alone_gives_no_cut() {
        let answerable: Vec<Observed> = (0..20).map(|at| observed(at, true, 0.5)).collect();
        assert_eq!(choose_refusal(&answerable, 0.5, 1), None);
        assert_eq!(choose_refusal(&[], 0.5, 1), None);
    }

    #[test]
    fn high_confidence_starts_where_enough_answers_are_right() {
        // Right from 0.6 up.
        let all: Vec<Observed> = (0..100)
            .map(|at| Observed {
                refused_now: false,
                right: at >= 60,
                ..observed(at, true, 0.01 * at as f64)
            })
            .collect();
        let chosen = choose_high(&all, None, 0.8, 0.0, 0.85, 1);
        let cut = chosen.cut.expect("found");
        assert!((0.5..=0.6).contains(&cut), "{chosen:?}");
        assert!(chosen.fitted.share_right() >= Some(0.85), "{chosen:?}");
        assert_eq!((chosen.now.answers, chosen.now.right), (20, 20));
        assert_eq!(chosen.held_out.share_of_right, Some(chosen.held_out.right as f64 / 40.0));
        // With a cut for refusals at 0.95, only five answers are left: too few.
        assert_eq!(choose_high(&all, Some(CUTS - 1), 0.8, 0.0, 0.85, 1).cut, None);
        assert_eq!(choose_high(&all, None, 0.8, 0.0, 1.1, 1).cut, None);
        assert_eq!(choose_high(&all, None, 0.8, 0.7, 0.85, 1).cut, Some(cut_at(0.7)));
    }
}
