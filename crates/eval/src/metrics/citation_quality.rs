//! Are the citations right, and does every claim have one?

use super::{Metric, Need, Spec, View, citations::is_right, share};
use crate::Cited;
use crate::Score;

/// The metric.
pub(super) struct CitationQuality;

const SPEC: Spec = Spec {
    key: "citation_quality",
    title: "Citation quality",
    definition: "F1 of precision and recall. Precision: the share of right citations, as in citation_verification_rate. \
         Recall: the share of the claims that a passage which they cite supports; citations that are only listed count for \
         every claim.",
    edge_cases: "N/a on a refusal, for an answer without a claim, and if nothing tells what is cited; 0 for an answer that \
         lists no citation.",
    source: "Gao et al. 2023 (ALCE), citation precision and recall; citation quality of the five-dimension judge",
    needs: &[Need::Answer, Need::Context, Need::Citations],
    ..Spec::SHARE
};

impl Metric for CitationQuality {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        sample.passages()?;
        let precision = sample.value_of("citation_verification_rate")?;
        let claims = &sample.judged()?.claims;
        if claims.is_empty() {
            return Err(Score::n_a("the answer claims nothing"));
        }
        let recall = share(claims.iter().map(|claim| claim.supported));
        let sum = precision + recall;
        Ok(if sum > 0.0 {
            2.0 * precision * recall / sum
        } else {
            0.0
        })
    }

    fn explanation(&self, sample: &View<'_>) -> Option<String> {
        let claims = &sample.judged().ok()?.claims;
        let supported = claims.iter().filter(|claim| claim.supported).count();
        let precision = sample.value_of("citation_verification_rate").ok()?;
        Some(format!(
            "{:.0} % of the citations are right; what they cite supports {supported} of {} claims",
            100.0 * precision,
            claims.len()
        ))
    }

    fn findings(&self, sample: &View<'_>) -> Vec<String> {
        let Ok(reading) = sample.given() else {
            return Vec::new();
        };
        let wrong = reading
            .references
            .iter()
            .filter(|cited| is_right(cited, sample.sample) == Some(false));
        let wrong =
            wrong.map(|cited| format!("not among the passages, or not what they say: {}", name(cited)));
        let claims = sample
            .judged()
            .map(|judged| judged.claims.as_slice())
            .unwrap_or_default();
        let unsupported = claims.iter().filter(|claim| !claim.supported).map(|claim| {
            let what = if claim.cited.is_empty() {
                "no citation"
            } else {
                "not supported by its citation"
            };
            format!("{what}: {}", claim.claim)
        });
        wrong.chain(unsupported).collect()
    }
}

/// A citation in a few words: its document with the pages, or its passage.
fn name(cited: &Cited) -> String {
    let name = cited
        .document
        .as_deref()
        .or(cited.passage.as_deref())
        .or(cited.quote.as_deref());
    let name = name.unwrap_or_default();
    match cited.pages {
        Some((first, last)) if first == last => format!("{name}:{first}"),
        Some((first, last)) => format!("{name}:{first}-{last}"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn precision_and_recall_by_hand() {
        let passages = [
            ("a.pdf", "In both arms, walking lowered blood pressure by 6 mmHg."),
            ("b.pdf", "Body weight did not change in any group."),
        ];
        let quality = |answer: &str, want: f64| check(&CitationQuality, &row("q", answer, &passages), want);
        quality(
            "Walking lowered blood pressure [a.pdf]. Body weight did not change [b.pdf].",
            1.0,
        );
        // The second claim has no citation: precision 1, recall 1/2.
        quality(
            "Walking lowered blood pressure [a.pdf]. Body weight did not change.",
            2.0 / 3.0,
        );
        // Exchanged: both documents were retrieved, and neither supports its claim.
        quality(
            "Walking lowered blood pressure [b.pdf]. Body weight did not change [a.pdf].",
            0.0,
        );
        quality("Walking lowered blood pressure [c.pdf].", 0.0);
        check_n_a(
            &CitationQuality,
            &row("q", "Walking helps.", &passages),
            "`citations`",
        );
    }
}
