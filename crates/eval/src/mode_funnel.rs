//! How much of the gold evidence each stage of a mode still has.

use crate::estimate::{Observation, Statistic, estimate};
use crate::metrics::Range;
use crate::{Ordered, Row, seed_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The stages, in the order in which a question passes them.
pub const FUNNEL_STAGES: [&str; 4] = ["candidates", "reranked", "context", "answer"];

/// The share of the gold quotes that a stage still has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StageGold {
    /// Quotes that it has.
    pub found: usize,
    /// The share of a question's quotes, averaged over the questions: the mean that gold recall reports.
    pub mean: f64,
    /// Lower end of the 95 % interval of the mean.
    pub ci_low: f64,
    /// Upper end.
    pub ci_high: f64,
}

/// Where the gold evidence of a mode is lost. A stage can have more than the one before: neighbouring chunks are added to
/// the context.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ModeFunnel {
    /// Questions whose gold quotes could be followed through every stage.
    pub questions: usize,
    /// Their gold quotes.
    pub quotes: usize,
    /// Quotes that were in the context of a refusal.
    pub refused: usize,
    /// Rows that are about gold evidence, and whose log or error does not let it be followed.
    pub not_followed: usize,
    /// By stage of [`FUNNEL_STAGES`]; empty without questions.
    pub stages: Ordered<StageGold>,
}

impl ModeFunnel {
    /// Follows the gold quotes of the rows of one mode.
    pub fn new(rows: &[&Row], seed: u64) -> Self {
        let mut out = Self::default();
        let mut followed: Vec<(&Row, Vec<[bool; 4]>)> = Vec::new();
        for row in rows {
            match steps(row) {
                Some(steps) => followed.push((row, steps)),
                None => out.not_followed += usize::from(is_about_gold(row)),
            }
        }
        out.questions = followed.len();
        for (row, steps) in &followed {
            out.quotes += steps.len();
            let refused = row.no_evidence == Some(true);
            out.refused += steps.iter().filter(|step| refused && step[2] && !step[3]).count();
        }
        for (at, stage) in FUNNEL_STAGES.into_iter().enumerate() {
            let mut shares: Vec<Observation<'_>> = Vec::new();
            let mut found = 0;
            for (row, steps) in &followed {
                let own = steps.iter().filter(|step| step[at]).count();
                found += own;
                shares.push(Observation::new(row.cluster(), own as f64 / steps.len() as f64));
            }
            let share = estimate(&shares, Statistic::Mean, Range::UNIT, seed_of(seed, stage));
            let (Some(mean), Some(ci_low), Some(ci_high)) = (share.mean, share.ci_low, share.ci_high) else {
                continue;
            };
            let share = StageGold { found, mean, ci_low, ci_high };
            out.stages.insert(stage, share);
        }
        out
    }

    /// The stage after which most quotes are gone that the stage before had, with their number; the first of several.
    /// `None` if none is lost.
    pub fn largest_loss(&self) -> Option<(&str, usize)> {
        let mut before = self.quotes;
        let mut worst: Option<(&str, usize)> = None;
        for (stage, share) in self.stages.iter() {
            let lost = before.saturating_sub(share.found);
            if lost > worst.map_or(0, |(_, most)| most) {
                worst = Some((stage, lost));
            }
            before = share.found;
        }
        worst
    }
}

/// For each gold quote, whether each stage has it; `None` where a stage is not known.
fn steps(row: &Row) -> Option<Vec<[bool; 4]>> {
    if row.gold.is_empty() {
        return None;
    }
    let step = |(at, path): (usize, &crate::GoldPath)| {
        let candidate = row.gold_rank(at)?.is_some();
        Some([candidate, path.reranked?, path.in_context?, path.in_answer])
    };
    row.gold.iter().enumerate().map(step).collect()
}

fn is_about_gold(row: &Row) -> bool {
    let failed = row.error.is_some() && row.no_evidence.is_none() && row.expected_no_evidence == Some(false);
    failed || !row.gold.is_empty() || !row.missed_gold.is_empty() || row.value("gold_recall_answer").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GoldPath;

    /// A row of one letter for each quote: the first stage that lost it, or `-`.
    fn row(id: &str, quotes: &str, refused: bool) -> Row {
        let path = |c: char| GoldPath {
            source_id: "a".into(),
            quote: c.to_string(),
            reranked: Some(!"cr".contains(c)),
            in_context: Some(!"crx".contains(c)),
            in_answer: c == '-',
        };
        Row {
            query_id: id.into(),
            no_evidence: Some(refused),
            gold: quotes.chars().map(path).collect(),
            gold_ranks: quotes.chars().map(|c| (c != 'c').then_some(1)).collect(),
            ..Row::default()
        }
    }

    #[test]
    fn each_stage_by_hand() {
        let rows = [row("1", "-a", false), row("2", "c", false), row("3", "ra", true), row("4", "-", false)];
        let mut all: Vec<&Row> = rows.iter().collect();
        let untraced = Row {
            missed_gold: vec![crate::MissedGold {
                source_id: "a".into(),
                quote: "q".into(),
                in_context: None,
                lost_at: None,
            }],
            ..Row::default()
        };
        let unlabelled = Row::default();
        all.extend([&untraced, &unlabelled]);
        let funnel = ModeFunnel::new(&all, 7);
        assert_eq!((funnel.questions, funnel.quotes, funnel.refused, funnel.not_followed), (4, 6, 1, 1));
        let found: Vec<(&str, usize)> = funnel.stages.iter().map(|(s, share)| (s, share.found)).collect();
        assert_eq!(found, [("candidates", 5), ("reranked", 4), ("context", 4), ("answer", 2)]);
        // (2/2 + 0/1 + 2/2 + 1/1) / 4 and (1/2 + 0 + 0 + 1) / 4.
        let mean = |stage: &str| funnel.stages.get(stage).expect("a stage").mean;
        assert!((mean("candidates") - 0.75).abs() < 1e-12 && (mean("answer") - 0.375).abs() < 1e-12);
        assert!(funnel.stages.iter().all(|(_, s)| s.ci_low <= s.mean && s.mean <= s.ci_high));
        assert_eq!(funnel.largest_loss(), Some(("answer", 2)));
        let none = ModeFunnel::new(&[&unlabelled], 7);
        assert!(none.stages.is_empty() && none.largest_loss().is_none() && none.not_followed == 0);
    }
}
