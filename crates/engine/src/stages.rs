//! Builds each stage from the settings. Nothing here runs a stage.

use crate::{
    error::EngineError,
    natives::Natives,
    settings::{LlmSection, Settings},
};
use expand::ExpandSettings;
use generate::ExtractiveSettings;
use guardrail::{
    GuardrailSettings, RefusalCitations, SuffixMatch, TopicRule, TopicSettings, Uncited, Verification,
};
use ingest::{Limits, OcrSettings, Tesseract, chunk::ChunkSettings};
use llm::{LlmSettings, OpenAiChat, SchemaMode};
use models::{ModelSettings, ModelSpec, OnnxCrossEncoder, OnnxEmbedder, Pooling, Runtime};
use rerank::{CrossEncoderReranker, FusedOrder, LlmRerankSettings, LlmReranker, Reranker, SentenceReranker};
use retrieve::{Bm25Settings, Fusion, HnswSettings, SearchSettings, Tokenizer, VectorIndex};
use std::{num::NonZeroUsize, sync::Arc, time::Duration};
use types::{ChatModel, Embedder, PairScorer};

/// The embedding model.
///
/// # Errors
/// When a file is missing or cannot be loaded.
pub fn embedder(settings: &Settings, natives: &Natives) -> Result<Arc<dyn Embedder>, EngineError> {
    let spec = embedding_spec(settings, natives)?;
    let runtime = Runtime::load(&natives.onnxruntime()?)?;
    Ok(Arc::new(OnnxEmbedder::load(
        &spec,
        &runtime,
        threads(settings.embedding.threads),
    )?))
}

/// The id of the embedding model, without loading it.
///
/// # Errors
/// When a file of the model is missing.
pub fn embedder_id(settings: &Settings, natives: &Natives) -> Result<String, EngineError> {
    Ok(OnnxEmbedder::id_of(&embedding_spec(settings, natives)?)?)
}

fn embedding_spec(settings: &Settings, natives: &Natives) -> Result<ModelSpec, EngineError> {
    let section = &settings.embedding;
    let folder = natives.model(&section.model, "embedding.model")?;
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let own = ModelSettings {
        name: None,
        pooling: match section.pooling.as_str() {
            "mean" => Some(Pooling::Mean),
            "cls" => Some(Pooling::Cls),
            _ => None,
        },
        query_prefix: given(&section.query_prefix),
        passage_prefix: given(&section.passage_prefix),
        max_tokens: (section.max_tokens > 0).then_some(section.max_tokens),
    };
    Ok(ModelSpec::from_dir(&folder, &own)?)
}

/// The cross-encoder that `rerank.cross_encoder` names.
///
/// # Errors
/// When a file is missing or cannot be loaded.
pub fn cross_encoder(settings: &Settings, natives: &Natives) -> Result<Arc<dyn PairScorer>, EngineError> {
    let folder = natives.model(&settings.rerank.cross_encoder, "rerank.cross_encoder")?;
    let runtime = Runtime::load(&natives.onnxruntime()?)?;
    let spec = ModelSpec::from_dir(&folder, &ModelSettings::default())?;
    Ok(Arc::new(OnnxCrossEncoder::load(
        &spec,
        &runtime,
        threads(settings.embedding.threads),
    )?))
}

/// The language model, or `None` when `llm.provider` is `none`.
///
/// # Errors
/// When the address or another setting cannot be used.
pub fn chat(section: &LlmSection) -> Result<Option<Arc<OpenAiChat>>, EngineError> {
    if section.provider == "none" {
        return Ok(None);
    }
    let schema_mode = match section.schema_mode.as_str() {
        "json_schema" => SchemaMode::JsonSchema,
        "json_object" => SchemaMode::JsonObject,
        "prompt" => SchemaMode::Prompt,
        _ => SchemaMode::Auto,
    };
    let model = OpenAiChat::new(LlmSettings {
        base_url: section.base_url.clone(),
        model: section.model.clone(),
        api_key_env: section.api_key_env.clone(),
        temperature: Some(section.temperature),
        timeout: Duration::from_secs(section.timeout_seconds),
        max_retries: section.max_retries,
        max_tokens: Some(section.max_tokens),
        schema_mode,
        give_up_after: section.give_up_after,
        ..LlmSettings::default()
    })?;
    Ok(Some(Arc::new(model)))
}

/// The reranker.
///
/// # Errors
/// When the cross-encoder cannot be loaded.
pub fn reranker(
    settings: &Settings,
    natives: &Natives,
    chat: Option<Arc<dyn ChatModel>>,
) -> Result<Reranker, EngineError> {
    let section = &settings.rerank;
    let sentence = SentenceReranker::new(section.lexical_weight)?.with_prior(section.prior_weight)?;
    Ok(match (section.method.as_str(), chat) {
        ("none", _) => Reranker::new(FusedOrder, section.keep),
        ("cross_encoder", _) => Reranker::new(
            CrossEncoderReranker::new(cross_encoder(settings, natives)?),
            section.keep,
        ),
        ("llm" | "auto", Some(chat)) => {
            let own = LlmRerankSettings {
                max_chars: NonZeroUsize::new(section.max_chars),
                show_prefix: section.show_prefix,
                max_tokens: Some(settings.llm.max_tokens),
            };
            let reranker = Reranker::new(LlmReranker::new(chat, own), section.keep);
            match section.on_failure.as_str() {
                "sentence" => reranker.with_fallback(sentence),
                "fused" => reranker.with_fallback(FusedOrder),
                _ => reranker,
            }
        }
        _ => Reranker::new(sentence, section.keep),
    })
}

/// How the index is searched.
pub fn search_settings(settings: &Settings) -> SearchSettings {
    let r = &settings.retrieve;
    SearchSettings {
        depth: r.depth,
        candidates: r.candidates,
        vector_k: r.vector_k,
        bm25_k: r.bm25_k,
        vector_weight: r.vector_weight,
        bm25_weight: r.bm25_weight,
        threshold: r.threshold,
        fusion: match r.fusion.as_str() {
            "rrf" => Fusion::Rrf { k: r.rrf_k as f32 },
            "phase2" => Fusion::Phase2,
            _ => Fusion::MinMax,
        },
        vector_index: match r.vector_index.as_str() {
            "hnsw" => VectorIndex::Hnsw { ef: r.hnsw_ef },
            _ => VectorIndex::Exact,
        },
        bm25: Bm25Settings {
            k1: r.bm25_k1,
            b: r.bm25_b,
        },
        tokenizer: match r.tokenizer.as_str() {
            "whitespace" => Tokenizer::Whitespace,
            _ => Tokenizer::Stems,
        },
    }
}

/// How the approximate index is built; `None` when vectors are scanned.
pub fn hnsw_settings(settings: &Settings) -> Option<HnswSettings> {
    let r = &settings.retrieve;
    (r.vector_index == "hnsw").then_some(HnswSettings {
        connections: r.hnsw_m,
        ef_construction: r.hnsw_ef_construction,
    })
}

/// How the context is widened.
pub fn expand_settings(settings: &Settings) -> ExpandSettings {
    let e = &settings.expand;
    ExpandSettings {
        reach: e.reach,
        discount: e.discount,
        cap: e.cap,
        order: match e.order.as_str() {
            "end" => expand::Order::End,
            _ => expand::Order::Parent,
        },
    }
}

/// How answers are extracted.
pub fn extractive_settings(settings: &Settings) -> ExtractiveSettings {
    let g = &settings.generate;
    ExtractiveSettings {
        max_sentences: g.max_sentences,
        mmr_lambda: g.mmr_lambda,
        min_relevance: g.min_relevance,
        relative_relevance: g.relative_relevance,
        explicit_relevance: g.explicit_relevance,
        lexical_weight: g.lexical_weight,
        chunk_weight: g.chunk_weight,
        source_penalty: g.source_penalty,
        ..ExtractiveSettings::default()
    }
}

/// When a question is refused before generation.
pub fn topic_settings(settings: &Settings) -> TopicSettings {
    let g = &settings.guardrail;
    TopicSettings {
        coverage_refuse: g.coverage_refuse,
        coverage_answer: g.coverage_answer,
        similarity_refuse: g.similarity_refuse,
        similarity_answer: g.similarity_answer,
        refuse_unknown_sources: g.refuse_unknown_sources,
        refuse_absent_entities: g.refuse_absent_entities,
        rule: match g.topic_rule.as_str() {
            "keywords" => TopicRule::Keywords,
            _ => TopicRule::Evidence,
        },
    }
}

/// How answers are verified.
pub fn guardrail_settings(settings: &Settings) -> GuardrailSettings {
    let g = &settings.guardrail;
    GuardrailSettings {
        verification: if g.citations == "id" {
            Verification::IdOnly
        } else {
            Verification::Quote
        },
        max_quote_words: g.max_quote_words,
        uncited: if g.uncited == "refuse" {
            Uncited::Refuse
        } else {
            Uncited::Flag
        },
        entity_check: g.entities,
        min_survival: g.min_survival,
        support_check: g.support,
        check_confidence: g.check_confidence,
        suffix_match: match g.suffix_match.as_str() {
            "first" => SuffixMatch::First,
            _ => SuffixMatch::Unique,
        },
        refusal_citations: match g.refusal_citations.as_str() {
            "keep" => RefusalCitations::Keep,
            _ => RefusalCitations::Hedge,
        },
        removal_lowers_confidence: g.removal_lowers_confidence,
    }
}

/// What a file may cost.
pub fn limits(settings: &Settings) -> Limits {
    let i = &settings.ingest;
    Limits {
        memory_bytes: i.worker_memory_mib << 20,
        seconds_per_file: i.seconds_per_file,
        max_file_bytes: i.max_file_mib << 20,
        max_pages: i.max_pages,
        max_chars: i.max_chars,
        max_chars_per_page: i.max_chars_per_page,
    }
}

/// How pages without text are recognised: `None` where that is switched off.
///
/// # Errors
/// When `tesseract` is wanted and not there, or lacks a language.
pub fn ocr(settings: &Settings) -> Result<Option<OcrSettings>, EngineError> {
    let i = &settings.ingest;
    if i.ocr == "off" {
        return Ok(None);
    }
    let wanted = |detail: String| EngineError::Ocr { detail };
    let tesseract = Tesseract::find(&i.ocr_program).map_err(|e| wanted(e.to_string()))?;
    let missing = tesseract.missing(&i.ocr_languages);
    if !missing.is_empty() {
        return Err(wanted(format!(
            "{} has no data for {}, only for {}; install it (on Debian and Ubuntu: apt-get install \
             tesseract-ocr-{}) or set ingest.ocr_languages",
            tesseract.version,
            missing.join(", "),
            tesseract.languages.join(", "),
            missing.first().copied().unwrap_or_default().replace('_', "-")
        )));
    }
    Ok(Some(OcrSettings {
        tesseract,
        languages: i.ocr_languages.clone(),
        dpi: i.ocr_dpi,
        seconds_per_page: i.ocr_seconds_per_page,
    }))
}

/// What the text of a document depends on, beside its file: the reader's version, and how pages are recognised.
pub(crate) fn reading_key(ocr: Option<&OcrSettings>) -> String {
    let ocr = ocr.map(OcrSettings::key);
    let parts: Vec<String> = [ingest::PARSER_VERSION.to_owned()]
        .into_iter()
        .chain(ocr)
        .collect();
    parts.join(", ")
}

/// The same with the settings alone; without what is not installed.
pub(crate) fn reading_key_of(settings: &Settings) -> String {
    reading_key(ocr(settings).unwrap_or_default().as_ref())
}

/// How documents are cut.
pub fn chunk_settings(settings: &Settings) -> ChunkSettings {
    ChunkSettings {
        max_tokens: settings.chunk.max_tokens,
        overlap_tokens: settings.chunk.overlap_tokens,
        count_prefix: settings.chunk.count_prefix,
        ..ChunkSettings::default()
    }
}

/// `set`, or the number of cores when it is 0.
pub(crate) fn threads(set: usize) -> usize {
    if set > 0 {
        set
    } else {
        std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
    }
}
