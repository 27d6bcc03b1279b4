//! The scores of a row whose claims a judge has judged.

use crate::metrics::{Scored, Tools, bare_answer, claims_of, scored};
use eval::Judge;
use eval::judge::{Basis, JudgeError, JudgeInput, Passage, Verdict};
use rows::AnswerRow;
use std::collections::HashMap;
use types::{ModelError, Support, SupportError, SupportScorer};

/// The metrics that follow from the support of the answer's claims by any passage.
const OF_CLAIMS: [&str; 5] = [
    "faithfulness",
    "groundedness",
    "overall_pass",
    "rag_score",
    "auto_fail",
];

/// Scores a row: [`OF_CLAIMS`] with the verdicts of the judge, all else as without it.
pub(super) async fn judged(judge: &dyn Judge, row: &AnswerRow, tools: Tools<'_>) -> Scored {
    let mut out = scored(row, &tools);
    let claims = claims_of(row, tools);
    let passages = row.passages.as_deref().unwrap_or_default();
    if claims.is_empty() || passages.is_empty() {
        // Nothing to judge: the scores say so already.
        return out;
    }
    let input = JudgeInput {
        question: row.question.clone().unwrap_or_default(),
        context: (1..)
            .zip(passages)
            .map(|(place, passage)| Passage {
                id: passage.id.clone().unwrap_or_else(|| format!("passage {place}")),
                source: passage.document.clone().unwrap_or_default(),
                text: passage.text.clone(),
            })
            .collect(),
        response: bare_answer(row),
        basis: Basis::BestPassage,
    };
    let verdicts = judge.judge(&input).await.map(|output| {
        let verdict = |claim: eval::judge::ClaimVerdict| {
            let said = Said {
                supported: claim.supported,
                contradicted: claim.verdict == Verdict::Contradicted,
                reason: claim.reason,
            };
            (key(&claim.claim), said)
        };
        output.claims.into_iter().map(verdict).collect()
    });
    let told = Told {
        id: judge.id(),
        claims: claims.iter().map(|claim| key(claim)).collect(),
        verdicts,
        other: tools.support,
    };
    let told = scored(
        row,
        &Tools {
            support: &told,
            limits: tools.limits,
        },
    );
    for metric in OF_CLAIMS {
        if let Some(score) = told.scores.get(metric) {
            out.scores.insert(metric, score.clone());
        }
    }
    // Of all explanations, only that of groundedness reads the support of claims.
    let kept = out
        .explanations
        .iter()
        .filter(|(key, _)| !OF_CLAIMS.contains(key));
    let judged = told
        .explanations
        .iter()
        .filter(|(key, _)| OF_CLAIMS.contains(key));
    out.explanations = kept
        .chain(judged)
        .map(|(key, why)| (key.to_owned(), why.clone()))
        .collect();
    (out.auto_fail, out.failure_reasons) = (told.auto_fail, told.failure_reasons);
    out
}

/// A claim, whatever its white space.
fn key(claim: &str) -> String {
    claim.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What the judge says of a claim.
struct Said {
    supported: bool,
    contradicted: bool,
    reason: String,
}

/// Gives the verdicts of a judge on the claims of an answer, and leaves other statements to another scorer.
struct Told<'a> {
    id: String,
    claims: Vec<String>,
    verdicts: Result<HashMap<String, Said>, JudgeError>,
    other: &'a dyn SupportScorer,
}

impl SupportScorer for Told<'_> {
    fn id(&self) -> &str {
        &self.id
    }

    fn support(&self, claim: &str, passage: &str) -> Result<Support, SupportError> {
        let claim_key = key(claim);
        if !self.claims.contains(&claim_key) {
            return self.other.support(claim, passage);
        }
        let failed = |reason: String| {
            SupportError::Model(ModelError {
                model: self.id.clone(),
                reason,
            })
        };
        match &self.verdicts {
            Err(JudgeError::NotApplicable(reason)) => Err(SupportError::NotApplicable(reason.clone())),
            Err(error) => Err(failed(error.to_string())),
            Ok(verdicts) => {
                let said = verdicts
                    .get(&claim_key)
                    .ok_or_else(|| failed(format!("it gave no verdict on the claim {claim:?}")))?;
                Ok(Support {
                    score: if said.supported { 1.0 } else { 0.0 },
                    contradiction: if said.contradicted { 1.0 } else { 0.0 },
                    hedge_dropped: false,
                    reasons: vec![said.reason.clone()],
                })
            }
        }
    }
}
