//! Why nothing was generated, in words and for programs.

use types::words::thousands;
use types::{GuardrailAction, GuardrailKind, Mode, Question, RagResponse, RefusalReason, Retrieval};

/// The refusal of a question for which retrieval found nothing, and the action that says why. `threshold` is the least
/// similarity of a hit.
pub(crate) fn nothing_found(
    retrieval: &Retrieval,
    question: &Question,
    threshold: f32,
) -> (RagResponse, Vec<GuardrailAction>) {
    let (total, left) = (retrieval.scope.sources, retrieval.scope.admitted);
    let filter = Some(&question.filter).filter(|filter| !filter.is_empty());
    let filtered = filter.map(|f| format!("the filter ({f})"));
    let (reason, answer, detail) = match filtered {
        _ if total == 0 => {
            let detail = "the index holds no papers".to_owned();
            (RefusalReason::NoCandidates, format!("Nothing was searched: {detail}."), detail)
        }
        Some(filtered) if left == 0 => {
            let excluded = match total {
                1 => "the only paper".to_owned(),
                _ => format!("all {}", papers(total)),
            };
            let detail = format!("{filtered} excludes {excluded}");
            (
                RefusalReason::FilterExcludedAll,
                format!("Nothing was searched: {detail} of the index."),
                detail,
            )
        }
        // Every passage has a similarity: where vectors count, only a filter leaves no candidate, here by section.
        Some(filtered) if retrieval.total_candidates == 0 && retrieval.mode != Mode::Bm25 => {
            let detail = format!("{filtered} leaves no passage of {}", papers(left));
            (RefusalReason::FilterExcludedAll, format!("Nothing was searched: {detail}."), detail)
        }
        filtered => {
            let of =
                filtered.map_or_else(String::new, |f| format!(" among the {} that pass {f}", papers(left)));
            let (reason, detail) = if retrieval.total_candidates == 0 {
                let detail = format!("no word of the question was found{of}");
                (RefusalReason::NoCandidates, detail)
            } else {
                let detail = format!(
                    "none of the {} passages found{of} has a similarity of at least {threshold} (retrieve.min_similarity)",
                    thousands(retrieval.total_candidates as u64)
                );
                (RefusalReason::BelowThreshold, detail)
            };
            (reason, format!("No answer found in your papers: {detail}."), detail)
        }
    };
    let action = GuardrailAction::new(GuardrailKind::Topic, "refused", "question", detail.clone());
    (RagResponse::refusal(answer, "no passage was found").because(reason, detail), vec![action])
}

fn papers(n: usize) -> String {
    format!("{} paper{}", thousands(n as u64), if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{Filter, Scope, SectionKind, SourceMeta};

    fn asked(candidates: usize, filter: &Filter, years: &[Option<u16>]) -> (RefusalReason, String) {
        let admitted =
            years.iter().filter(|year| filter.admits(&SourceMeta { year: **year, ..SourceMeta::default() }));
        let retrieval = Retrieval {
            mode: Mode::Hybrid,
            total_candidates: candidates,
            scope: Scope { sources: years.len(), admitted: admitted.count() },
            ..Retrieval::default()
        };
        let question = Question { filter: filter.clone(), ..Question::default() };
        let (response, actions) = nothing_found(&retrieval, &question, 0.25);
        assert_eq!(response.validate(), Ok(()));
        assert_eq!((actions.len(), response.caveats.len()), (1, 0), "the answer says it");
        let reason = response.refusal.expect("every refusal has a reason").reason;
        (reason, response.answer)
    }

    #[test]
    fn each_cause_is_told_apart() {
        let check =
            |candidates: usize, filter: &Filter, years: &[Option<u16>], want: RefusalReason, said: &str| {
                assert_eq!(asked(candidates, filter, years), (want, said.to_owned()));
            };
        let free = Filter::default();
        let late = Filter { year_from: Some(2030), ..Filter::default() };
        let methods =
            Filter { sections: Some(vec![SectionKind::Methods]), year_to: Some(2024), ..Filter::default() };
        check(
            0,
            &late,
            &[Some(2020), Some(2024), None],
            RefusalReason::FilterExcludedAll,
            "Nothing was searched: the filter (published in 2030 or later) excludes all 3 papers of the index.",
        );
        check(
            0,
            &late,
            &[Some(2020)],
            RefusalReason::FilterExcludedAll,
            "Nothing was searched: the filter (published in 2030 or later) excludes the only paper of the index.",
        );
        check(
            0,
            &methods,
            &[Some(2020), None],
            RefusalReason::FilterExcludedAll,
            "Nothing was searched: the filter (section methods, published in 2024 or earlier) leaves no passage of \
             1 paper.",
        );
        check(
            12,
            &methods,
            &[Some(2020), Some(2021)],
            RefusalReason::BelowThreshold,
            "No answer found in your papers: none of the 12 passages found among the 2 papers that pass the filter \
             (section methods, published in 2024 or earlier) has a similarity of at least 0.25 (retrieve.min_similarity).",
        );
        check(
            7,
            &free,
            &[None],
            RefusalReason::BelowThreshold,
            "No answer found in your papers: none of the 7 passages found has a similarity of at least 0.25 (retrieve.min_similarity).",
        );
        check(
            0,
            &free,
            &[None],
            RefusalReason::NoCandidates,
            "No answer found in your papers: no word of the question was found.",
        );
        check(0, &late, &[], RefusalReason::NoCandidates, "Nothing was searched: the index holds no papers.");
    }
}
