//! The formats of answers: their names, the keys of their fields, and how a file tells which one it is.

use serde_json::{Map, Value};
use std::collections::BTreeSet;
use strum::VariantArray as _;

/// A format of answers.
#[derive(strum::IntoStaticStr, strum::Display, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Ragas since 0.2: `user_input`, `response`, `retrieved_contexts`.
    Ragas,
    /// Ragas before 0.2: `question`, `answer`, `contexts`, `ground_truth`.
    RagasV1,
    /// A service built on Ragas: the same with `retrieved_resumes`, `expected_resumes`, `company_id`.
    RagasService,
    /// Test cases of DeepEval: `input`, `actual_output`, `retrieval_context`.
    #[strum(serialize = "deepeval")]
    DeepEval,
    /// What promptfoo writes with `--output`: `vars`, `prompt.raw`, `response.output`.
    Promptfoo,
    /// Test results by test id: `query_id`, `top_k_chunks`, `answers`.
    TestResults,
    /// A request of LitPath: `query`, `response`, `retrieved_docs`, `reference_answer`.
    #[strum(serialize = "litpath")]
    LitPath,
    /// Our run log.
    RunLog,
    /// What `pipeline ask --format json` prints.
    Ask,
    /// A TREC run.
    Trec,
    /// Keys that the user names.
    Mapped,
}

/// A field of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(crate) enum Field {
    Id,
    QueryId,
    Question,
    Answer,
    Reference,
    Refused,
    ExpectedRefusal,
    Probability,
    LatencyMs,
    LatencySeconds,
    // From here on, lists.
    Passages,
    PassageIds,
    PassageSources,
    Returned,
    Retrieved,
    Expected,
    GoldQuotes,
    GoldDocuments,
    Citations,
    Tags,
}

impl Field {
    pub(crate) fn is_list(self) -> bool {
        self >= Self::Passages
    }
}

/// Where a format has its fields: of several keys, the first that a record has. A key may be a path, `response.answer`.
pub(crate) type Layout = &'static [(Field, &'static [&'static str])];

const RAGAS: Layout = &[
    (Field::Id, &["id", "sample_id"]),
    (Field::QueryId, &["query_id", "question_id"]),
    (Field::Question, &["user_input"]),
    (Field::Answer, &["response"]),
    (Field::Passages, &["retrieved_contexts"]),
    (Field::PassageIds, &["retrieved_chunk_ids"]),
    (Field::PassageSources, &["retrieved_sources"]),
    (Field::Returned, &["returned_chunks"]),
    (Field::Retrieved, &["retrieved_context_ids"]),
    (Field::Citations, &["citations"]),
    (Field::Refused, &["refused"]),
    (Field::ExpectedRefusal, &["expected_refusal"]),
    (Field::Probability, &["probability"]),
    (Field::Expected, &["reference_context_ids"]),
    (Field::GoldQuotes, &["reference_contexts"]),
    (Field::GoldDocuments, &["reference_sources"]),
    (Field::Reference, &["reference"]),
    (Field::LatencyMs, &["latency_ms"]),
    (Field::Tags, &["tags"]),
];

const RAGAS_V1: Layout = &[
    (Field::Id, &["id", "question_id"]),
    (Field::QueryId, &["query_id"]),
    (Field::Question, &["question"]),
    (Field::Answer, &["answer"]),
    (Field::Passages, &["contexts"]),
    (Field::Retrieved, &["retrieved_resumes"]),
    (Field::Expected, &["expected_resumes"]),
    (Field::Reference, &["ground_truth", "ground_truths", "reference"]),
    (Field::ExpectedRefusal, &["expected_refusal"]),
    (Field::LatencyMs, &["latency_ms"]),
    (Field::Tags, &["tags", "company_id"]),
];

const DEEP_EVAL: Layout = &[
    (Field::Id, &["id", "name"]),
    (Field::QueryId, &["query_id"]),
    (Field::Question, &["input"]),
    (Field::Answer, &["actual_output", "actualOutput"]),
    (Field::Passages, &["retrieval_context", "retrievalContext"]),
    (Field::GoldQuotes, &["context"]),
    (Field::Reference, &["expected_output", "expectedOutput"]),
    (Field::LatencySeconds, &["completion_time", "completionTime"]),
    (Field::Tags, &["tags"]),
];

const PROMPTFOO: Layout = &[
    (Field::Id, &["id"]),
    (Field::Question, &["vars.question", "vars.query", "vars.input", "vars.user_input", "prompt.raw"]),
    (Field::Answer, &["response.output"]),
    (Field::Passages, &["vars.context", "vars.contexts", "vars.retrieved_contexts"]),
    (Field::Reference, &["vars.reference", "vars.expected_output", "vars.ground_truth"]),
    (Field::LatencyMs, &["latencyMs"]),
    (Field::Tags, &["provider.id"]),
];

const TEST_RESULTS: Layout = &[
    (Field::Id, &["test_id", "id"]),
    (Field::QueryId, &["query_id"]),
    (Field::Question, &["query", "question"]),
    (Field::Answer, &["answers", "answer"]),
    (Field::Passages, &["top_k_chunks"]),
];

const LIT_PATH: Layout = &[
    (Field::Id, &["id"]),
    (Field::QueryId, &["query_id"]),
    (Field::Question, &["query"]),
    (Field::Answer, &["response"]),
    (Field::Passages, &["retrieved_docs"]),
    (Field::Reference, &["reference_answer"]),
    (Field::Tags, &["tags"]),
];

const RUN_LOG: Layout = &[
    (Field::QueryId, &["query_id"]),
    (Field::Question, &["query"]),
    (Field::Answer, &["response.answer"]),
    (Field::Passages, &["context"]),
    (Field::Retrieved, &["retrieval.returned_chunks"]),
    (Field::Citations, &["response.citations"]),
    (Field::Refused, &["response.no_evidence"]),
    (Field::LatencyMs, &["timings_ms.total"]),
    (Field::Tags, &["mode"]),
];

const ASK: Layout = &[
    (Field::Id, &["id", "query_id"]),
    (Field::Question, &["query"]),
    (Field::Answer, &["answer"]),
    (Field::Passages, &["context"]),
    (Field::Returned, &["retrieval.returned_chunks"]),
    (Field::Probability, &["probability"]),
    (Field::Citations, &["citations"]),
    (Field::Refused, &["no_evidence"]),
    (Field::LatencyMs, &["timings_ms.total"]),
];

impl Format {
    /// Every format that `--input-format` takes.
    pub const ALL: [Self; 10] = match Self::VARIANTS.split_last() {
        Some((Self::Mapped, all)) => types::words::all(all),
        _ => panic!("the last one is not named"),
    };

    /// Its name.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Where it has its fields; a TREC run has columns instead.
    pub(crate) fn layout(self) -> Layout {
        match self {
            Self::Ragas => RAGAS,
            Self::RagasV1 | Self::RagasService => RAGAS_V1,
            Self::DeepEval => DEEP_EVAL,
            Self::Promptfoo => PROMPTFOO,
            Self::TestResults => TEST_RESULTS,
            Self::LitPath => LIT_PATH,
            Self::RunLog => RUN_LOG,
            Self::Ask => ASK,
            Self::Trec | Self::Mapped => &[],
        }
    }

    /// The format of these records, by the keys that only it has; `None` if there are none.
    pub(crate) fn detect<'a>(records: impl IntoIterator<Item = &'a Map<String, Value>>) -> Option<Self> {
        let mut keys: BTreeSet<&str> = BTreeSet::new();
        let mut nested = false;
        for record in records {
            keys.extend(record.keys().map(String::as_str));
            nested |= record.get("response").is_some_and(|response| response.get("answer").is_some());
        }
        let any = |wanted: &[&str]| wanted.iter().any(|key| keys.contains(key));
        let all = |wanted: &[&str]| wanted.iter().all(|key| keys.contains(key));
        Some(if any(&["top_k_chunks"]) || all(&["query_id", "answers"]) {
            Self::TestResults
        } else if nested && any(&["query"]) {
            Self::RunLog
        } else if any(&["query"]) && any(&["retrieved_docs"])
            || all(&["query", "response", "reference_answer"])
        {
            Self::LitPath
        } else if all(&["vars", "response"]) {
            Self::Promptfoo
        } else if any(&["user_input"]) {
            Self::Ragas
        } else if any(&["input"])
            && any(&["actual_output", "actualOutput", "expected_output", "expectedOutput"])
        {
            Self::DeepEval
        } else if any(&["question"]) && any(&["retrieved_resumes", "expected_resumes", "company_id"]) {
            Self::RagasService
        } else if all(&["query", "answer", "citations"]) {
            Self::Ask
        } else if any(&["question"]) && any(&["answer", "contexts", "ground_truth", "ground_truths"]) {
            Self::RagasV1
        } else {
            return None;
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn formats_are_told_apart_by_their_keys() {
        let check = |record: Value, want: Option<Format>| {
            let record = record.as_object().expect("an object").clone();
            assert_eq!(Format::detect([&record]), want, "{record:?}");
        };
        check(json!({"user_input": "q", "response": "a"}), Some(Format::Ragas));
        check(json!({"input": "q", "actual_output": "a"}), Some(Format::DeepEval));
        check(json!({"question": "q", "answer": "a", "retrieved_resumes": []}), Some(Format::RagasService));
        check(json!({"question": "q", "answer": "a"}), Some(Format::RagasV1));
        check(json!({"question": "q", "ground_truth": "a"}), Some(Format::RagasV1));
        check(json!({"query_id": "q", "answers": "a"}), Some(Format::TestResults));
        check(json!({"query": "q", "response": {"answer": "a"}}), Some(Format::RunLog));
        check(
            json!({"query": "q", "response": "a", "retrieved_docs": ["d"], "type": "quick"}),
            Some(Format::LitPath),
        );
        check(json!({"query": "q", "response": "a", "reference_answer": "r"}), Some(Format::LitPath));
        check(json!({"query": "q", "answer": "a", "citations": []}), Some(Format::Ask));
        check(
            json!({"promptIdx": 0, "vars": {"question": "q"}, "response": {"output": "a"}}),
            Some(Format::Promptfoo),
        );
        check(json!({"prompt": "q", "output": "a"}), None);
    }

    #[test]
    fn names_are_read_back() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert!("csv".parse::<Format>().is_err());
    }
}
