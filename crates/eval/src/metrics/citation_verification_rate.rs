//! Are citations of what was retrieved?

use super::citations::is_right;
use super::view::lacks;
use super::{Metric, Need, Spec, View};
use crate::Score;

/// The metric.
pub(super) struct CitationVerificationRate;

const SPEC: Spec = Spec {
    key: "citation_verification_rate",
    title: "Citation verification",
    definition: "Share of the citations that name a retrieved passage or document and, where they quote, quote what stands \
         there (after folding).",
    edge_cases: "N/a on a refusal, if neither the row nor the text of the answer tells what is cited, and if no citation can be \
         checked; 0 for an answer that lists no citation.",
    source: "LitPath, citation verification rate",
    needs: &[Need::Answer, Need::Citations, Need::Retrieved],
    ..Spec::SHARE
};

impl Metric for CitationVerificationRate {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let reading = sample.cited()?;
        if reading.references.is_empty() {
            return Ok(0.0);
        }
        let verdicts = reading
            .references
            .iter()
            .filter_map(|cited| is_right(cited, sample.sample));
        let verdicts: Vec<bool> = verdicts.collect();
        if verdicts.is_empty() {
            return Err(lacks(Need::Retrieved));
        }
        Ok(verdicts.iter().filter(|right| **right).count() as f64 / verdicts.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn citations_by_hand() {
        let passages = [("a.pdf", "Mice ran 5 km."), ("b.pdf", "Rats slept.")];
        let answer = "Mice ran [a.pdf]. Rats slept [b.pdf:2]. Cats ate [c.pdf]. Dogs sat [d.pdf].";
        check(&CitationVerificationRate, &row("q", answer, &passages), 0.5);
        let mut bare = row("q", "Mice ran.", &passages);
        check_n_a(&CitationVerificationRate, &bare, "`citations`");
        bare.citations = Some(Vec::new());
        check(&CitationVerificationRate, &bare, 0.0);
        bare.citations = Some(vec![crate::Cited {
            quote: Some("mice ran 6 km".into()),
            ..crate::Cited::default()
        }]);
        check(&CitationVerificationRate, &bare, 0.0);
        bare.passages = None;
        check_n_a(&CitationVerificationRate, &bare, "`retrieved`");
    }
}
