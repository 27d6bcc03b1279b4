//! Section 1: the settings of the run in words.

use crate::report::page::Page;
use eval::report::Evaluation;

/// Sentences about the settings of each stage, in which `{section.key}` stands for a value. One is left out if a setting is not
/// known, or if a setting before its bar has another value.
const STAGES: [(&str, &[&str]); 7] = [
    (
        "1.1 Ingestion",
        &[
            "Papers are cut at sentence ends into chunks of at most {chunk.max_tokens} tokens with {chunk.overlap_tokens} tokens overlap; a chunk holds sections of one label only.",
            "Each chunk is embedded with its source, section and pages by {embedding.model} ({embedding.provider}); BM25 reads the text, the headings and the title.",
        ],
    ),
    (
        "1.2 Retrieval",
        &[
            "Vector search lists {retrieve.vector_k} candidates, and BM25 {retrieve.bm25_k}.",
            "Hybrid scores are {retrieve.vector_weight} × vector + (1 − {retrieve.vector_weight}) × BM25 (fusion: {retrieve.fusion}); mode vector switches BM25 off, all later stages are the same.",
            "Candidates below a similarity of {retrieve.min_similarity} are dropped, and the best {retrieve.top_k} go on.",
        ],
    ),
    (
        "1.3 Reranking",
        &[
            "rerank.method=none|Candidates are not reranked; the first {rerank.top_n} are kept.",
            "rerank.method=sentence|Candidates are reranked offline by their best sentence, and {rerank.top_n} are kept.",
            "rerank.method=llm|A language model scores all candidates from 0 to 10 in one call, and {rerank.top_n} are kept; without a reply, the method is {rerank.on_failure}.",
            "rerank.method=cross_encoder|A cross-encoder ({rerank.cross_encoder}) scores the candidates, and {rerank.top_n} are kept.",
        ],
    ),
    (
        "1.4 Expansion",
        &[
            "Each kept chunk is joined by {expand.reach} neighbour on either side from the same section; a context has at most {expand.max_chunks} chunks.",
        ],
    ),
    (
        "1.5 Generation",
        &[
            "generator.kind=extractive|Answers are sentences copied from the papers: at most {generate.max_sentences}, or two more across papers.",
            "generator.kind=extractive|Confidence is high from a probability of {generate.high_confidence}.",
            "generator.kind=selected|The language model {generator.name} picks and orders sentences of the papers, which are quoted as printed.",
            "generator.kind=written|The language model {generator.name} writes the answers; each claim cites a chunk and quotes it.",
            "generator.kind=written|Confidence is what the model states, lowered by the guardrails.",
        ],
    ),
    (
        "1.6 Guardrails",
        &[
            "guardrail.topic=true&phase2.rules=false|Topic check: a question is refused below a probability of {guardrail.refuse_below} and below {guardrail.partial_below} the likeliest passages are shown instead of an answer.",
            "phase2.rules=false|Citation check: a citation must point into the context, and its quote into the chunk.",
            "guardrail.entities=true|Entity check: sentences with numbers, genes or names that the context lacks are removed if enough of the answer survives.",
            "guardrail.support=true|Support check: claims that no cited passage supports are removed below {guardrail.remove_below}.",
            "phase2.rules=true|The rules of the earlier system apply: topic check by keywords, citations checked by id alone.",
        ],
    ),
    (
        "1.7 Evaluation",
        &[
            "Questions are answered by {eval.workers} workers, and failed ones are asked again up to {eval.retries} times.",
            "A claim counts as supported from a judge's score of {eval.support_threshold}.",
        ],
    ),
];

pub(super) fn add(page: &mut Page, evaluation: &Evaluation) {
    if evaluation.provenance.architecture.is_empty() {
        page.line("The log does not hold the settings of this run.");
    }
    for (stage, told) in STAGES {
        let sentences: Vec<String> = told.iter().filter_map(|told| sentence(evaluation, told)).collect();
        if sentences.is_empty() {
            continue;
        }
        page.subheading(stage);
        for sentence in sentences {
            page.item(sentence);
        }
    }
}

/// The value of a setting, without its quotation marks; `generator.kind` and `generator.name` are what made the answers.
fn setting<'a>(evaluation: &'a Evaluation, key: &str) -> Option<&'a str> {
    let generator = evaluation.provenance.models.get("generator").map(String::as_str);
    match key {
        "generator.kind" if evaluation.provenance.extractive() => return Some("extractive"),
        "generator.kind" if setting(evaluation, "generate.method") == Some("select") => {
            return Some("selected");
        }
        "generator.kind" => return generator.map(|_| "written"),
        "generator.name" => return generator,
        _ => {}
    }
    let all = &evaluation.provenance.architecture;
    let (section, key) = key.split_once('.')?;
    let found = all.iter().find(|own| own.section == section && own.key == key)?;
    Some(found.value.trim_matches('"'))
}

fn sentence(evaluation: &Evaluation, told: &str) -> Option<String> {
    let (only_if, text) = told.split_once('|').unwrap_or(("", told));
    for (key, wanted) in only_if.split('&').filter_map(|condition| condition.split_once('=')) {
        if setting(evaluation, key)? != wanted {
            return None;
        }
    }
    let mut parts = text.split('{');
    let mut out = parts.next()?.to_owned();
    for part in parts {
        let (key, rest) = part.split_once('}')?;
        out += setting(evaluation, key)?;
        out += rest;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use eval::report::{Provenance, Setting};

    #[test]
    fn a_sentence_stands_only_where_its_settings_are_known() {
        let set = |section: &str, key: &str, value: &str| Setting {
            section: section.into(),
            key: key.into(),
            value: value.into(),
        };
        let from = Provenance {
            architecture: vec![set("rerank", "method", "\"sentence\""), set("rerank", "top_n", "6")],
            ..Provenance::default()
        };
        let evaluation = Evaluation::new("r", Vec::new(), from);
        let shown = |evaluation: &Evaluation| {
            let mut page = Page::new();
            add(&mut page, evaluation);
            page.markdown()
        };
        let reranking = "### 1.3 Reranking\n\n- Candidates are reranked offline by their best sentence, and 6 are kept.\n";
        assert_eq!(shown(&evaluation), reranking);
        let of = |generator: &str| {
            let mut evaluation = evaluation.clone();
            let models = &mut evaluation.provenance.models;
            models.insert("generator".to_owned(), generator.to_owned());
            shown(&evaluation)
        };
        assert!(of("gpt-5 answer-4").contains("The language model gpt-5 answer-4 writes the answers"));
        assert!(!of("extractive").contains("language model"));
    }
}
