//! Checks the judge against labels of people.

use crate::{
    error::LabError,
    judging::{InOrder, judge_all, judge_alone},
};
use engine::{chat_models::ChatModels, settings::Settings};
use eval::{
    agreement::{Labelled, Measured, clusters, measure},
    judge::{JudgeItem, JudgeOutput, LabelledItem},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use types::{Reporter, Stop};

/// What `judge check` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeCheck {
    /// The judge's method, model and version.
    pub judge: String,
    /// Labelled rows with a verdict.
    pub rows: usize,
    /// Labelled rows without a verdict; they are not scored.
    pub errors: usize,
    /// Why the first of these has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_error: Option<String>,
    /// Rows without a label, which are left out.
    pub unlabelled: usize,
    /// How often they agree.
    #[serde(flatten)]
    pub measured: Measured,
}

/// Judges the labelled rows of a file (JSON objects, one a line) with the judge of the settings, for at most `max_cost` US
/// dollars, and measures how often the verdicts agree with the labels.
///
/// # Errors
/// When the file is wrong or has no label, the judge cannot be built, or the user stopped the work. A row that fails is counted.
pub async fn run(
    settings: &Settings,
    path: &Path,
    max_cost: Option<f64>,
    stop: &Stop,
    reporter: &dyn Reporter,
) -> Result<JudgeCheck, LabError> {
    let items = LabelledItem::load(path)?;
    let contexts: Vec<String> = items.iter().map(|row| row.item.context.passages().join("\n")).collect();
    let texts: Vec<[&str; 3]> = (items.iter().zip(&contexts))
        .map(|(row, context)| [context.as_str(), row.item.question.as_str(), row.item.response.as_str()])
        .collect();
    let (mut wanted, mut labels): (Vec<&JudgeItem>, Vec<(bool, usize)>) = (Vec::new(), Vec::new());
    for (row, cluster) in items.iter().zip(clusters(&texts)) {
        if let Some(label) = row.label {
            wanted.push(&row.item);
            labels.push((label, cluster));
        }
    }
    if wanted.is_empty() {
        return Err(LabError::unusable(
            path,
            "has no row with a label in the field \"supported\"",
            "label rows with 1 (all claims supported) or 0",
        ));
    }
    let models = ChatModels::new(settings)?.with_budget(max_cost);
    let judge = judge_alone(settings, &models, reporter)?;
    let (mut rows, mut first_error) = (Vec::new(), None);
    let mut take = |at: usize, verdict: Result<JudgeOutput, String>| {
        let (label, cluster) = labels[at];
        match verdict {
            Ok(output) => rows.push(Labelled { label, verdict: output.faithful, cluster }),
            Err(reason) => {
                first_error.get_or_insert_with(|| format!("{}: {reason}", wanted[at].name()));
            }
        }
        Ok(())
    };
    let in_order = InOrder::new(settings, stop, reporter);
    judge_all(&in_order, &*judge, &wanted, &mut take).await?;
    Ok(JudgeCheck {
        judge: judge.id(),
        rows: rows.len(),
        errors: wanted.len() - rows.len(),
        first_error,
        unlabelled: items.len() - wanted.len(),
        measured: measure(&rows, settings.eval.seed),
    })
}
