//! What is measured, defined once: the list that rows, summaries, gates and reports all read.
//!
//! A metric about the response is computed twice: on the response as given to the user, under its key, and on
//! the generator's own output before guardrails, under its key with [`RAW_SUFFIX`].

pub mod abstention;
pub mod citation;
pub mod correctness;
pub mod gold;
pub mod support;
#[cfg(test)]
pub(crate) mod testing;

/// Ends the key of a metric of the generator's own output.
pub const RAW_SUFFIX: &str = "_raw";
/// A quote longer than this is not a quote.
pub const QUOTE_WORDS: usize = 40;

/// What values a metric takes, and so how its mean is bounded and compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 0 or 1 a row: Wilson's interval, exact McNemar.
    Rate,
    /// Anything between: bootstrap, paired randomisation.
    Mean,
}

/// One metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name in JSON, gates and logs.
    pub key: &'static str,
    /// Its name in tables.
    pub title: &'static str,
    /// What it is, exactly, for people.
    pub definition: &'static str,
    /// What values it takes.
    pub kind: Kind,
    /// Whether it is about the response, and so computed before and after guardrails.
    pub staged: bool,
    /// Whether verbatim extraction makes it hold by construction.
    pub by_construction: bool,
}

/// Every metric, in the order of the report.
pub const METRICS: [Metric; 11] = [
    Metric {
        key: "citation_precision",
        title: "Citation precision",
        definition: "Citations whose chunk was in the context given to the generator (expanded chunks \
                     included), under that chunk's own source, over all citations, inline marks without an \
                     entry in the list counted too. N/a on a refusal; 0 for an answer without a citation.",
        kind: Kind::Mean,
        staged: true,
        by_construction: true,
    },
    Metric {
        key: "faithful",
        title: "Faithful",
        definition: "1 when every claim of the answer is supported by a chunk that it cites, else 0. A claim \
                     without a citation is unsupported. N/a on a refusal; 0 for an answer that claims nothing.",
        kind: Kind::Rate,
        staged: true,
        by_construction: true,
    },
    Metric {
        key: "no_evidence_accuracy",
        title: "No-evidence accuracy",
        definition: "1 when the answer refuses exactly where the query set expects a refusal, else 0.",
        kind: Kind::Rate,
        staged: true,
        by_construction: false,
    },
    Metric {
        key: "answerable_answered",
        title: "Answer rate",
        definition: "Share of the answerable questions that were answered, rightly or not. N/a where a refusal \
                     is expected.",
        kind: Kind::Rate,
        staged: false,
        by_construction: false,
    },
    Metric {
        key: "unanswerable_refused",
        title: "Refusal rate",
        definition: "Share of the unanswerable questions that were refused. N/a where an answer is expected.",
        kind: Kind::Rate,
        staged: false,
        by_construction: false,
    },
    Metric {
        key: "quote_accuracy",
        title: "Quote accuracy",
        definition: "Citations whose quote stands verbatim (after folding) in the cited chunk and has at most \
                     40 words, over all citations. N/a on a refusal; 0 for an answer without a citation.",
        kind: Kind::Mean,
        staged: true,
        by_construction: true,
    },
    Metric {
        key: "claim_support",
        title: "Claim support",
        definition: "Claims supported by a chunk that they cite, over all claims of the answer. N/a on a \
                     refusal; 0 for an answer that claims nothing.",
        kind: Kind::Mean,
        staged: true,
        by_construction: true,
    },
    Metric {
        key: "groundedness",
        title: "Groundedness",
        definition: "1 when every claim of the answer is supported by some single chunk of the context, cited \
                     or not, else 0. N/a on a refusal; 0 for an answer that claims nothing.",
        kind: Kind::Rate,
        staged: true,
        by_construction: true,
    },
    Metric {
        key: "gold_recall_context",
        title: "Gold recall, context",
        definition: "Gold quotes that stand in a context chunk of their own source (after folding, or a run of \
                     at least 0.8 of their words), over all gold quotes. N/a without gold quotes.",
        kind: Kind::Mean,
        staged: false,
        by_construction: false,
    },
    Metric {
        key: "gold_recall_answer",
        title: "Gold recall, answer",
        definition: "Gold quotes found in a cited quote or an answer sentence of their own source (after \
                     folding, or a common run of at least 0.8 of their words, of 40 for longer ones), over all \
                     gold quotes. 0 on a refusal; n/a without gold quotes.",
        kind: Kind::Mean,
        staged: true,
        by_construction: false,
    },
    Metric {
        key: "correctness",
        title: "Correctness (token F1)",
        definition: "F1 of the words of the answer (citation marks removed) and of the reference answer, as \
                     bags, after folding, without punctuation and articles. 0 on a refusal; n/a without a \
                     reference or where a refusal is expected.",
        kind: Kind::Mean,
        staged: true,
        by_construction: false,
    },
];

/// The key of `metric` before or after guardrails.
pub fn key_of(metric: &Metric, raw: bool) -> String {
    if raw {
        format!("{}{RAW_SUFFIX}", metric.key)
    } else {
        metric.key.to_owned()
    }
}

/// Every key in the order of the report: after guardrails, then raw.
pub fn keys() -> Vec<String> {
    let after = METRICS.iter().map(|m| key_of(m, false));
    let raw = METRICS.iter().filter(|m| m.staged).map(|m| key_of(m, true));
    after.chain(raw).collect()
}

/// The metric behind a key, and whether the key means the raw response.
pub fn find(key: &str) -> Option<(&'static Metric, bool)> {
    let by_key = |key: &str| METRICS.iter().find(|m| m.key == key);
    if let Some(metric) = by_key(key) {
        return Some((metric, false));
    }
    let metric = by_key(key.strip_suffix(RAW_SUFFIX)?)?;
    metric.staged.then_some((metric, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_and_unique() {
        let keys = keys();
        assert_eq!(keys.len(), 19);
        for key in &keys {
            let (metric, raw) = find(key).expect("a listed key");
            assert_eq!(&key_of(metric, raw), key);
        }
        assert_eq!(
            keys.iter().collect::<std::collections::BTreeSet<_>>().len(),
            keys.len()
        );
        assert_eq!(find("gold_recall_context_raw"), None);
        assert_eq!(find("nonsense"), None);
    }
}
