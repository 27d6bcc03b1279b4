//! The documents that a system returned for one query, in the order in which trec_eval reads them.

use crate::EvalError;
use std::collections::BTreeSet;

/// Documents with their scores, best first, each once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    documents: Vec<(String, f32)>,
}

impl Ranking {
    /// Orders documents by descending score, equal scores by descending id, and keeps the best `most`. Scores have
    /// single precision, as in trec_eval: what is equal there is equal here.
    ///
    /// # Errors
    /// [`EvalError::Ranking`] when a document occurs twice or a score is not finite.
    pub fn new(mut documents: Vec<(String, f32)>, most: usize) -> Result<Self, EvalError> {
        let wrong = |document: &str, reason: &str| EvalError::Ranking {
            document: document.to_owned(),
            reason: reason.to_owned(),
        };
        let mut seen = BTreeSet::new();
        for (document, score) in &documents {
            if !score.is_finite() {
                return Err(wrong(document, &format!("its score {score} is not finite")));
            }
            if !seen.insert(document.as_str()) {
                return Err(wrong(document, "it is listed twice"));
            }
        }
        // `+ 0.0` turns -0 into 0, which `total_cmp` would tell apart.
        documents.sort_by(|left, right| {
            let scores = (right.1 + 0.0).total_cmp(&(left.1 + 0.0));
            scores.then_with(|| right.0.cmp(&left.0))
        });
        documents.truncate(most);
        Ok(Self { documents })
    }

    /// The documents in the order given, whatever their scores were: the first gets the highest of the scores N to 1.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn in_order(documents: Vec<String>, most: usize) -> Result<Self, EvalError> {
        let count = documents.len();
        let scored = documents.into_iter().enumerate();
        Self::new(scored.map(|(at, document)| (document, (count - at) as f32)).collect(), most)
    }

    /// Document ids, best first.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.documents.iter().map(|(id, _)| id.as_str())
    }

    /// Document ids with their scores, best first.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f32)> {
        self.documents.iter().map(|(id, score)| (id.as_str(), *score))
    }

    /// Number of documents.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether nothing was returned.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(documents: &[(&str, f32)], most: usize) -> Result<Vec<String>, String> {
        let documents = documents.iter().map(|(id, score)| ((*id).to_owned(), *score)).collect();
        let ranking = Ranking::new(documents, most).map_err(|error| error.to_string())?;
        Ok(ranking.ids().map(str::to_owned).collect())
    }

    #[test]
    fn equal_scores_are_ordered_by_descending_id() {
        let given = [("b", 0.5), ("a", 0.5), ("B", 0.5), ("z", 0.1), ("c", 0.9), ("y", -0.0), ("x", 0.0)];
        let want = ["c", "b", "a", "B", "z", "y", "x"];
        assert_eq!(ranking(&given, 100).expect("a ranking"), want);
        assert_eq!(ranking(&given, 2).expect("a ranking"), want[..2]);
    }

    #[test]
    fn an_order_that_is_given_is_kept() {
        let ids = ["m", "z", "a"].map(str::to_owned).to_vec();
        let ranking = Ranking::in_order(ids.clone(), 100).expect("a ranking");
        assert_eq!(ranking.ids().collect::<Vec<_>>(), ids);
        let again = ranking.iter().map(|(id, score)| (id.to_owned(), score)).collect();
        assert_eq!(Ranking::new(again, 100).expect("a ranking"), ranking);
    }

    #[test]
    fn documents_twice_and_odd_scores_are_refused() {
        assert!(ranking(&[("a", 1.0), ("a", 0.5)], 9).expect_err("twice").contains("\"a\""));
        for odd in [f32::NAN, f32::INFINITY] {
            assert!(ranking(&[("a", odd)], 9).expect_err("odd").contains("not finite"));
        }
    }
}
