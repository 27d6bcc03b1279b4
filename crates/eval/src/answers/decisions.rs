//! Answers and refusals against what the papers hold.

/// One decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Whether the papers that were searched answer the question.
    pub answerable: bool,
    /// Whether the system answered it.
    pub answered: bool,
}

/// The decisions on a set of questions, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    /// Answerable questions that were answered.
    pub answered: usize,
    /// Answerable questions.
    pub answerable: usize,
    /// Questions without an answer in the papers that were refused.
    pub refused: usize,
    /// Questions without an answer in the papers.
    pub unanswerable: usize,
}

impl Decisions {
    /// Adds a decision.
    pub fn add(&mut self, decision: Decision) {
        if decision.answerable {
            self.answerable += 1;
            self.answered += usize::from(decision.answered);
        } else {
            self.unanswerable += 1;
            self.refused += usize::from(!decision.answered);
        }
    }

    /// The mean of the shares of right decisions on answerable and on unanswerable questions, `0..=1`: 0.5 for a system
    /// that always answers or always refuses. `None` unless there are questions of both kinds.
    pub fn balanced_accuracy(&self) -> Option<f64> {
        if self.answerable == 0 || self.unanswerable == 0 {
            return None;
        }
        let answered = self.answered as f64 / self.answerable as f64;
        let refused = self.refused as f64 / self.unanswerable as f64;
        Some(0.5 * (answered + refused))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_answer_for_all_is_worth_one_half() {
        let counted = |answers: &[(bool, bool)]| {
            let mut out = Decisions::default();
            for (answerable, answered) in answers {
                out.add(Decision {
                    answerable: *answerable,
                    answered: *answered,
                });
            }
            out.balanced_accuracy()
        };
        assert_eq!(counted(&[(true, true), (true, true), (false, true)]), Some(0.5));
        assert_eq!(
            counted(&[(true, true), (true, false), (false, false)]),
            Some(0.75)
        );
        assert_eq!(counted(&[(true, true)]), None);
    }
}
