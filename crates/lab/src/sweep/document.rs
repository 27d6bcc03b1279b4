//! The choice as a document.

use super::combinations::Combinations;
use crate::{benchmark::as_contract, error::LabError};
use contract::{SweepChoice, SweepFold};
use eval::sweep::{Choice, Verdict};
use std::{collections::BTreeMap, fmt::Write};

/// The choice, with the settings to change if it is better.
///
/// # Errors
/// When a number cannot be written as JSON.
pub(super) fn choice(choice: &Choice, combinations: &Combinations) -> Result<SweepChoice, LabError> {
    let number = |at: usize| at + 1;
    let recommended = choice
        .best
        .filter(|best| choice.verdict == Verdict::Better && *best != combinations.start)
        .map(|best| toml(combinations, best));
    Ok(SweepChoice {
        best: choice.best.map(number),
        in_sample: as_contract(&choice.in_sample)?,
        held_out: as_contract(&choice.held_out)?,
        start: number(combinations.start),
        start_summary: as_contract(&choice.start)?,
        against_start: as_contract(&choice.against_start)?,
        folds: choice
            .folds
            .iter()
            .map(|fold| SweepFold {
                questions: fold.questions,
                chosen: fold.chosen.map(number),
            })
            .collect(),
        verdict: match choice.verdict {
            Verdict::Better => "better",
            Verdict::NotBetter => "not_better",
            Verdict::Untested => "untested",
        }
        .to_owned(),
        recommended,
    })
}

/// The settings of a combination that differ from those of the start, as a settings file.
fn toml(combinations: &Combinations, at: usize) -> String {
    let (own, start) = (&combinations.all[at], &combinations.all[combinations.start]);
    let mut sections: BTreeMap<String, String> = BTreeMap::new();
    for (key, value, _) in own.layers.entries() {
        // A mode that was given beside the settings belongs to what was measured.
        let needed = combinations.mode_given && key == "retrieve.mode";
        let same = !needed && start.layers.get(key).is_some_and(|(other, _)| other == value);
        if let Some((section, name)) = key.rsplit_once('.').filter(|_| !same) {
            let lines = sections.entry(section.to_owned()).or_default();
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "{name} = {value}");
        }
    }
    let section = |(name, lines): (&String, &String)| format!("[{name}]\n{lines}");
    sections.iter().map(section).collect::<Vec<_>>().join("\n")
}
