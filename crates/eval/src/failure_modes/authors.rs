//! Authors that an answer names.

use crate::Passage;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use text::entities::{Entity, EntityKind, Ground, entities};
use types::RunRecord;

/// One or two surnames before "et al.", or before a year in brackets.
static ATTRIBUTIONS: LazyLock<Regex> = LazyLock::new(|| {
    const NAME: &str = r"\p{Lu}[\p{L}'’\-]+";
    let pattern = format!(
        r"(?P<first>{NAME})(?:\s+(?:and|&)\s+(?P<second>{NAME}))?(?:,?\s+(?P<others>et\s+al\b)|\s+\((?:19|20)\d\d[a-z]?\))"
    );
    Regex::new(&pattern).expect("the pattern is valid")
});

/// The authors that the answer of a record names and that stand neither in its context (text, titles, authors) nor in
/// the question, each once, by name. Empty for a refusal, and where the context was not logged.
pub(crate) fn foreign_authors(record: &RunRecord) -> Vec<String> {
    let Some(context) = record.context.as_deref().filter(|_| !record.response.no_evidence) else {
        return Vec::new();
    };
    let named = authors(&evidence::support::strip_marks(&record.response.answer));
    if named.is_empty() {
        return Vec::new();
    }
    let mut ground = Ground::new(&record.query);
    for chunk in context {
        ground.add(&Passage::from(chunk).whole());
    }
    let is_held = |name: &String| {
        ground.holds(&Entity { kind: EntityKind::Name, text: name.clone(), span: 0..name.len() })
    };
    named.into_iter().filter(|name| !is_held(name)).collect()
}

/// Surnames in the place of an author. Before a year alone, a word must also look like a name: "Methods (2020)" at the
/// start of a sentence names nobody.
fn authors(answer: &str) -> BTreeSet<String> {
    let names: Vec<Entity> =
        entities(answer).into_iter().filter(|entity| entity.kind == EntityKind::Name).collect();
    let mut out = BTreeSet::new();
    for found in ATTRIBUTIONS.captures_iter(answer) {
        let is_sure = found.name("others").is_some() || found.name("second").is_some();
        for name in [found.name("first"), found.name("second")].into_iter().flatten() {
            let looks_like_one = names.iter().any(|e| e.span.start < name.end() && name.start() < e.span.end);
            if is_sure || looks_like_one {
                out.insert(name.as_str().to_owned());
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{chunk, response};

    #[test]
    fn authors_stand_before_et_al_or_a_year() {
        let check = |answer: &str, want: &[&str]| {
            let found: Vec<String> = authors(answer).into_iter().collect();
            assert_eq!(found, want, "{answer}");
        };
        check("Tandrik et al. measured oxygen uptake.", &["Tandrik"]);
        check("As Tandrik and Orvel (2021) report, it rose.", &["Orvel", "Tandrik"]);
        check("The dose of Quessmere (2023b) was lower.", &["Quessmere"]);
        check("It rose, as O'Dwyer-Lind et al state.", &["O'Dwyer-Lind"]);
        check("Walking helps. Then (2020) it rose.", &[]);
        check("In 2020 the trial of Norway ended.", &[]);
        check("The value (2020 patients) was high.", &[]);
    }

    #[test]
    fn only_names_from_elsewhere_are_foreign() {
        let mut held = chunk("a__body__000", "Walking helps, as Waxen et al. showed.");
        held.authors = vec!["O. Tandrik".to_owned()];
        let answer = "Tandrik et al. agree with Waxen et al., Zhang et al. and Moqri et al.";
        let mut record = RunRecord {
            query: "What does Zhang say?".into(),
            context: Some(vec![held]),
            response: response(answer, &[]),
            ..RunRecord::default()
        };
        assert_eq!(foreign_authors(&record), ["Moqri"]);
        record.response.no_evidence = true;
        assert!(foreign_authors(&record).is_empty());
        record.response.no_evidence = false;
        record.context = None;
        assert!(foreign_authors(&record).is_empty());
    }
}
