//! Converts the results to the document of `contract`, and to a settings file.

use super::{Calibrated, High};
use contract::{Calibrate, CalibratedHigh, CalibratedRefusals, HighAnswers};
use std::{fmt::Write, path::Path};
use types::path_text;

impl Calibrated {
    /// The document of `--format json`.
    pub fn document(&self) -> Calibrate {
        Calibrate {
            answerable: self.answerable,
            unanswerable: self.unanswerable,
            removed: self.removed,
            papers: self.papers,
            left_out: self.left_out,
            in_no_chunk: self.in_no_chunk,
            refusals: CalibratedRefusals {
                refuse_below: self.refuse_below,
                chosen: self.refusal.cut,
                balanced_accuracy: self.refusal.now,
                fitted: self.refusal.fitted,
                held_out: self.refusal.held_out,
            },
            high: CalibratedHigh {
                high_confidence: self.high_confidence,
                aim: self.aim,
                chosen: self.high.cut,
                now: high(self.high.now),
                fitted: high(self.high.fitted),
                held_out: high(self.high.held_out),
            },
            changes: self.changes.clone(),
            config_hash: self.config_hash.clone(),
            seed: self.seed,
        }
    }

    /// A settings file with the changes.
    pub(super) fn toml(&self, queries: &Path) -> String {
        // Writing to a string cannot fail.
        let mut out = String::new();
        let _ = writeln!(
            out,
            "# Written by `pipeline calibrate` from {}, with the settings {}.",
            path_text::shown(queries),
            self.config_hash
        );
        if self.changes.is_empty() {
            out.push_str(
                "# Nothing to change: no other threshold was better on papers that it was not chosen on.\n",
            );
        }
        out + &self.sections()
    }

    /// The changes as sections of a settings file; empty if there are none.
    pub fn sections(&self) -> String {
        let mut out = String::new();
        for (key, value) in &self.changes {
            if let Some((section, name)) = key.split_once('.') {
                let _ = writeln!(out, "\n[{section}]\n{name} = {value:.2}");
            }
        }
        out
    }
}

fn high(of: High) -> HighAnswers {
    HighAnswers {
        answers: of.answers,
        right: of.right,
        share_of_right: of.share_of_right(),
    }
}
