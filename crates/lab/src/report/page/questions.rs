//! A list of questions, which a page of HTML opens and filters.

use super::{Line, Page, Table};
use crate::report::words::{beginning, count};

/// A question with what became of it in each mode.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Its id.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// Its text.
    pub text: String,
    /// For each mode: its name, the decision, and figures under [`Questions::figures`].
    pub answers: Vec<(String, Line, Vec<String>)>,
    /// What failed and at which stage, in a few words; empty where nothing did.
    pub failed: String,
    /// Keys of [`Questions::filters`] that choose it.
    pub filters: Vec<String>,
    /// What it shows when it is opened, on a page alone.
    pub body: Page,
}

/// A list of questions: a page opens each and filters them; a terminal and Markdown list those that failed.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// Titles of the figures of each answer.
    pub figures: Vec<String>,
    /// Keys and titles of the filters of a page.
    pub filters: Vec<(String, String)>,
    /// The questions.
    pub questions: Vec<Question>,
    /// Where the questions are that a terminal and Markdown leave out.
    pub elsewhere: String,
}

/// Failed questions that a terminal and Markdown list.
pub(super) const FAILED: [usize; 2] = [12, 40];

impl Questions {
    /// The questions that failed, the first `most`, and how many are left out.
    pub(super) fn failed(&self, most: usize) -> (Table, usize) {
        let failed = || self.questions.iter().filter(|one| !one.failed.is_empty());
        let rows = failed().take(most).map(|one| {
            let asked = beginning(&one.text, 60);
            vec![one.id.clone(), asked, one.failed.clone()]
        });
        let table = Table {
            caption: String::new(),
            headers: ["Question", "Asked", "What failed, and where"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
        };
        (table, failed().count().saturating_sub(most))
    }

    /// How many questions failed, and where those that are not listed are.
    pub(super) fn tally(&self, left_out: usize) -> String {
        let failed = self.questions.iter().filter(|one| !one.failed.is_empty()).count();
        let all = count(self.questions.len(), "question");
        let not_listed = if left_out > 0 {
            let are = if left_out == 1 { "is" } else { "are" };
            format!("; {left_out} of them {are} not listed here")
        } else {
            String::new()
        };
        format!("{failed} of {all} failed in a mode{not_listed}. {}", self.elsewhere)
    }
}
