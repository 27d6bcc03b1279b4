//! Each `Default` of a stage is `configs/default.toml`, field by field.

use crate::{EvalSection, Loaded, RefusalScores, Settings};
use eval::judge::dimensions::Weights;
use eval::{RunSettings, judge::ChatJudgeSettings};
use expand::ExpandSettings;
use generate::{ExtractiveSettings, LlmGenerateSettings, PlannerSettings};
use guardrail::{GuardrailSettings, RefusalCitations, TopicSettings};
use ingest::{Limits, chunk::ChunkSettings};
use llm::LlmSettings;
use rerank::{LlmRerankSettings, SentenceReranker};
use retrieve::SearchSettings;
use types::Mode;

fn file() -> Settings {
    Loaded::defaults().expect("the defaults are valid").settings
}

#[test]
fn reading_and_chunking() {
    let settings = file();
    assert_eq!(Limits::default(), settings.ingest.limits());
    assert_eq!(ChunkSettings::default(), settings.chunk.chunking());
}

#[test]
fn retrieval() {
    let settings = file();
    assert_eq!(Mode::default(), settings.retrieve.mode);
    assert_eq!(SearchSettings::default(), settings.retrieve.search);
}

#[test]
fn reranking_and_expansion() {
    let settings = file();
    let rerank = &settings.rerank;
    let sentence = SentenceReranker::new(rerank.lexical_weight)
        .and_then(|reranker| reranker.with_prior(rerank.prior_weight))
        .expect("weights in range");
    assert_eq!(SentenceReranker::default(), sentence);
    assert_eq!(
        LlmRerankSettings::default(),
        rerank.by_model(settings.llm.own.max_tokens)
    );
    assert_eq!(ExpandSettings::default(), settings.expand);
}

#[test]
fn answers_and_guardrails() {
    let settings = file();
    assert_eq!(ExtractiveSettings::default(), settings.generate.extractive);
    assert_eq!(LlmSettings::default(), settings.llm.client(&settings.llm.own));
    let guardrail = settings.guardrail;
    assert_eq!(TopicSettings::default(), guardrail.topic_check);
    assert_eq!(GuardrailSettings::default(), guardrail.verification);
    assert_eq!(
        LlmGenerateSettings::default(),
        LlmGenerateSettings {
            max_context_chars: settings.generate.max_context_chars,
            max_tokens: Some(settings.llm.own.max_tokens),
            accept_refusal_citations: guardrail.verification.refusal_citations == RefusalCitations::Keep,
        }
    );
    assert_eq!(
        PlannerSettings::default(),
        PlannerSettings {
            limit: settings.generate.further_searches,
            max_context_chars: settings.generate.max_context_chars,
            max_tokens: Some(settings.llm.own.max_tokens),
        }
    );
}

#[test]
fn evaluation() {
    let EvalSection {
        workers,
        retries,
        stop_after,
        refusals,
        tau,
        ..
    } = file().eval;
    let run = RunSettings {
        run_id: String::new(),
        workers,
        retries,
        perfect_refusals: refusals == RefusalScores::Perfect,
        stop_after,
    };
    assert_eq!(RunSettings::default(), run);
    assert_eq!(eval::Limits::default(), file().evaluate.limits);
    assert_eq!(Weights::default(), file().evaluate.weights);
    assert!((ChatJudgeSettings::default().tau - f64::from(tau)).abs() < 1e-9);
}

/// Its words apart, which tests of the arithmetic do without.
#[test]
fn the_arithmetic_of_the_earlier_system() {
    let preset = Loaded::load(Some("phase2"), [], &[]).expect("valid").settings;
    let arithmetic = SearchSettings {
        tokenizer: SearchSettings::default().tokenizer,
        ..preset.retrieve.search
    };
    assert_eq!(SearchSettings::phase2(), arithmetic);
}
