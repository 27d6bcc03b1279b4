//! What the answer cites, and whether that is right.

use super::citations::{is_right, names_context, resolve};
use super::view::lacks;
use super::{Direction, Metric, Need, QUOTE_WORDS, Spec, documents, f1, share};
use crate::{Cited, Score};
use std::collections::BTreeSet;

/// Do citations point at what the generator saw?
pub(super) static CITATION_PRECISION: Metric = Metric::new(
    Spec {
        key: "citation_precision",
        title: "Citation precision",
        needs: &[Need::Answer, Need::Citations],
        needs_one_of: &[Need::Context, Need::Retrieved],
        ..Spec::COPIED_SHARE
    },
    |sample| {
        let reading = sample.cited()?;
        if reading.references.is_empty() {
            return Ok(0.0);
        }
        let named = reading.references.iter().map(|cited| names_context(cited, sample.sample));
        let named: Option<Vec<bool>> = named.collect();
        named.map(share).ok_or_else(|| lacks(Need::Context))
    },
);

/// How many citations support the claim that they follow?
pub(super) static CITATION_SUPPORT: Metric = Metric::new(
    Spec {
        key: "citation_support",
        title: "Citation support",
        needs: &[Need::Answer, Need::Citations, Need::Context, Need::Verdict],
        ..Spec::COPIED_SHARE
    },
    |sample| {
        let claims = &sample.judged()?.claims;
        sample.cited()?;
        let (mut right, mut all) = (0, 0);
        for claim in claims {
            all += claim.cited.len();
            right += match (&claim.supported_by, claim.cited.as_slice()) {
                (Some(by), _) => by.len(),
                (None, [] | [_]) => usize::from(claim.supported).min(claim.cited.len()),
                (None, _) => {
                    let why = "the judge does not tell which citation supports a claim";
                    return Err(Score::n_a(why));
                }
            };
        }
        Ok(if all == 0 { 0.0 } else { right as f64 / all as f64 })
    },
);

/// Are citations of what was retrieved?
pub(super) static CITATION_VERIFICATION_RATE: Metric = Metric::new(
    Spec {
        key: "citation_verification_rate",
        title: "Citation verification",
        needs: &[Need::Answer, Need::Citations, Need::Retrieved],
        ..Spec::SHARE
    },
    |sample| {
        let reading = sample.cited()?;
        if reading.references.is_empty() {
            return Ok(0.0);
        }
        let verdicts = reading.references.iter().filter_map(|cited| is_right(cited, sample.sample));
        let verdicts: Vec<bool> = verdicts.collect();
        if verdicts.is_empty() {
            return Err(lacks(Need::Retrieved));
        }
        Ok(share(verdicts))
    },
);

/// Are the citations right, and does every claim have one?
pub(super) static CITATION_QUALITY: Metric = Metric::new(
    Spec {
        key: "citation_quality",
        title: "Citation quality",
        needs: &[Need::Answer, Need::Context, Need::Citations],
        ..Spec::SHARE
    },
    |sample| {
        sample.passages()?;
        let precision = sample.value_of("citation_verification_rate")?;
        let claims = &sample.judged()?.claims;
        if claims.is_empty() {
            return Err(Score::n_a("the answer claims nothing"));
        }
        let recall = share(claims.iter().map(|claim| claim.supported));
        Ok(f1(precision, recall))
    },
)
.explained(|sample| {
    let claims = &sample.judged().ok()?.claims;
    let supported = claims.iter().filter(|claim| claim.supported).count();
    let precision = sample.value_of("citation_verification_rate").ok()?;
    Some(format!(
        "{:.0} % of the citations are right; what they cite supports {supported} of {} claims",
        100.0 * precision,
        claims.len()
    ))
})
.finding(|sample| {
    let Ok(reading) = sample.given() else {
        return Vec::new();
    };
    let wrong = reading.references.iter().filter(|cited| is_right(cited, sample.sample) == Some(false));
    let wrong = wrong.map(|cited| format!("not among the passages, or not what they say: {}", name(cited)));
    let claims = sample.judged().map(|judged| judged.claims.as_slice()).unwrap_or_default();
    let unsupported = claims.iter().filter(|claim| !claim.supported).map(|claim| {
        let what = if claim.cited.is_empty() { "no citation" } else { "not supported by its citation" };
        format!("{what}: {}", claim.claim)
    });
    wrong.chain(unsupported).collect()
});

/// A citation in a few words: its document with the pages, or its passage.
fn name(cited: &Cited) -> String {
    let name = cited.document.as_deref().or(cited.passage.as_deref()).or(cited.quote.as_deref());
    let name = name.unwrap_or_default();
    match cited.pages {
        Some((first, last)) if first == last => format!("{name}:{first}"),
        Some((first, last)) => format!("{name}:{first}-{last}"),
        None => name.to_owned(),
    }
}

/// Do citations quote what they cite?
pub(super) static QUOTE_ACCURACY: Metric = Metric::new(
    Spec {
        key: "quote_accuracy",
        title: "Quote accuracy",
        needs: &[Need::Answer, Need::Citations, Need::Context],
        ..Spec::COPIED_SHARE
    },
    |sample| {
        sample.given()?;
        let passages = sample.passages()?;
        let listed = sample.sample.citations.as_deref();
        let listed = listed.ok_or_else(|| lacks(Need::Citations))?;
        if !listed.is_empty() && listed.iter().all(|cited| cited.quote.is_none()) {
            return Err(Score::n_a("no citation quotes"));
        }
        let verbatim = |cited: &Cited| {
            let quote = cited.quote.as_deref().unwrap_or_default();
            let mut named = resolve(cited, passages).into_iter();
            // Parts around an ellipsis are looked for in order within one passage.
            words(quote) <= QUOTE_WORDS
                && named.any(|at| text::quote::find_quote(&passages[at].text, quote).is_some())
        };
        Ok(share(listed.iter().map(verbatim)))
    },
);

/// Words of a quote; a lone dash or ellipsis is none.
fn words(quote: &str) -> usize {
    let has_letter = |word: &&str| word.chars().any(char::is_alphanumeric);
    quote.split_whitespace().filter(has_letter).count()
}

/// How many of the retrieved documents does the answer cite?
pub(super) static SOURCE_DIVERSITY: Metric = Metric::new(
    Spec {
        key: "source_diversity",
        title: "Source diversity",
        direction: Direction::Neither,
        needs: &[Need::Answer, Need::Citations, Need::Retrieved],
        ..Spec::SHARE
    },
    |sample| {
        let reading = sample.cited()?;
        let retrieved: BTreeSet<String> = sample.retrieved()?.into_iter().map(documents::key).collect();
        if retrieved.is_empty() {
            return Err(Score::n_a("no document was retrieved"));
        }
        let passages = sample.sample.passages.as_deref().unwrap_or_default();
        let of = |cited: &crate::Cited| {
            let named = resolve(cited, passages).first().and_then(|at| passages[*at].document.clone());
            named.or_else(|| cited.document.clone()).map(|id| documents::key(&id))
        };
        let cited: BTreeSet<String> = reading.references.iter().filter_map(of).collect();
        Ok(cited.intersection(&retrieved).count() as f64 / retrieved.len() as f64)
    },
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn citations_by_hand() {
        let passages = [("a.pdf", "Mice ran 5 km."), ("b.pdf", "Rats slept.")];
        let answer = "Mice ran [a.pdf]. Rats slept [b.pdf:2]. Cats ate [c.pdf]. Dogs sat [d.pdf].";
        check(&CITATION_VERIFICATION_RATE, &row("q", answer, &passages), 0.5);
        let mut bare = row("q", "Mice ran.", &passages);
        check_n_a(&CITATION_VERIFICATION_RATE, &bare, "`citations`");
        bare.citations = Some(Vec::new());
        check(&CITATION_VERIFICATION_RATE, &bare, 0.0);
        bare.citations =
            Some(vec![crate::Cited { quote: Some("mice ran 6 km".into()), ..crate::Cited::default() }]);
        check(&CITATION_VERIFICATION_RATE, &bare, 0.0);
        bare.passages = None;
        check_n_a(&CITATION_VERIFICATION_RATE, &bare, "`retrieved`");
    }

    #[test]
    fn precision_and_recall_by_hand() {
        let passages = [
            ("a.pdf", "In both arms, walking lowered blood pressure by 6 mmHg."),
            ("b.pdf", "Body weight did not change in any group."),
        ];
        let quality = |answer: &str, want: f64| check(&CITATION_QUALITY, &row("q", answer, &passages), want);
        quality("Walking lowered blood pressure [a.pdf]. Body weight did not change [b.pdf].", 1.0);
        // The second claim has no citation: precision 1, recall 1/2.
        quality("Walking lowered blood pressure [a.pdf]. Body weight did not change.", 2.0 / 3.0);
        // Exchanged: both documents were retrieved, and neither supports its claim.
        quality("Walking lowered blood pressure [b.pdf]. Body weight did not change [a.pdf].", 0.0);
        quality("Walking lowered blood pressure [c.pdf].", 0.0);
        check_n_a(&CITATION_QUALITY, &row("q", "Walking helps.", &passages), "`citations`");
    }

    #[test]
    fn cited_documents_over_retrieved_ones() {
        let passages = [("a.pdf", "x"), ("b.pdf", "y"), ("a.pdf", "z")];
        check(&SOURCE_DIVERSITY, &row("q", "Mice ran [a.pdf; b.pdf].", &passages), 1.0);
        check(&SOURCE_DIVERSITY, &row("q", "Mice ran [a.pdf]. Rats [3] too [c.pdf].", &passages), 0.5);
        check_n_a(&SOURCE_DIVERSITY, &row("q", "Mice ran.", &passages), "`citations`");
        check_n_a(&SOURCE_DIVERSITY, &row("q", "Mice ran [a.pdf].", &[]), "no document");
    }
}
