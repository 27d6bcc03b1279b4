//! Ranges of settings.

use super::{Settings, SettingsError};
use std::fmt::Display;

const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;

pub(super) fn check(s: &Settings) -> Result<(), SettingsError> {
    let r = &s.retrieve;
    share("retrieve.threshold", r.threshold)?;
    if !(2..=255).contains(&r.hnsw_m) {
        return Err(range("retrieve.hnsw_m", r.hnsw_m, "in 2..=255"));
    }
    positive("retrieve.hnsw_ef_construction", r.hnsw_ef_construction)?;
    positive("retrieve.hnsw_ef", r.hnsw_ef)?;
    share("retrieve.vector_weight", r.vector_weight)?;
    share("retrieve.bm25_weight", r.bm25_weight)?;
    if (r.vector_weight + r.bm25_weight - 1.0).abs() > 1e-3 {
        return Err(range(
            "retrieve.vector_weight + retrieve.bm25_weight",
            format!("{} + {}", r.vector_weight, r.bm25_weight),
            "1 (set both)",
        ));
    }
    at_least("retrieve.bm25_k1", r.bm25_k1, 0.0)?;
    share("retrieve.bm25_b", r.bm25_b)?;
    positive("retrieve.rrf_k", r.rrf_k)?;
    one_of("retrieve.tokenizer", &r.tokenizer, &["stems", "whitespace"])?;
    one_of("retrieve.fusion", &r.fusion, &["minmax", "rrf", "phase2"])?;
    one_of("retrieve.vector_index", &r.vector_index, &["exact", "hnsw"])?;
    positive("retrieve.depth", r.depth)?;
    positive("retrieve.candidates", r.candidates)?;
    positive("retrieve.vector_k", r.vector_k)?;
    positive("retrieve.bm25_k", r.bm25_k)?;
    if r.depth < r.vector_k.max(r.bm25_k) {
        return Err(range(
            "retrieve.depth",
            r.depth,
            "at least retrieve.vector_k and retrieve.bm25_k",
        ));
    }

    positive("ingest.max_file_mib", s.ingest.max_file_mib as usize)?;
    positive("ingest.max_pages", s.ingest.max_pages as usize)?;
    positive("ingest.max_chars", s.ingest.max_chars as usize)?;
    positive("ingest.max_chars_per_page", s.ingest.max_chars_per_page as usize)?;
    positive("ingest.seconds_per_file", s.ingest.seconds_per_file as usize)?;
    if s.ingest.worker_memory_mib < 128 {
        return Err(range(
            "ingest.worker_memory_mib",
            s.ingest.worker_memory_mib,
            "at least 128",
        ));
    }
    one_of("ingest.ocr", &s.ingest.ocr, &["off", "auto"])?;
    let language = |l: &str| !l.is_empty() && l.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !s.ingest.ocr_languages.split('+').all(language) {
        return Err(range(
            "ingest.ocr_languages",
            format!("{:?}", s.ingest.ocr_languages),
            "names such as \"eng\", joined by +",
        ));
    }
    if !(72..=600).contains(&s.ingest.ocr_dpi) {
        return Err(range("ingest.ocr_dpi", s.ingest.ocr_dpi, "in 72..=600"));
    }
    positive(
        "ingest.ocr_seconds_per_page",
        s.ingest.ocr_seconds_per_page as usize,
    )?;

    if !(64..=8192).contains(&s.chunk.max_tokens) {
        return Err(range("chunk.max_tokens", s.chunk.max_tokens, "in 64..=8192"));
    }
    if s.chunk.overlap_tokens * 2 > s.chunk.max_tokens {
        return Err(range(
            "chunk.overlap_tokens",
            s.chunk.overlap_tokens,
            "at most half of chunk.max_tokens",
        ));
    }
    one_of("embedding.pooling", &s.embedding.pooling, &["", "mean", "cls"])?;
    if (1..32).contains(&s.embedding.max_tokens) {
        return Err(range(
            "embedding.max_tokens",
            s.embedding.max_tokens,
            "0 or at least 32",
        ));
    }

    one_of(
        "rerank.method",
        &s.rerank.method,
        &["sentence", "cross_encoder", "llm", "auto", "none"],
    )?;
    one_of(
        "rerank.on_failure",
        &s.rerank.on_failure,
        &["error", "sentence", "fused"],
    )?;
    share("rerank.lexical_weight", s.rerank.lexical_weight)?;
    share("rerank.prior_weight", s.rerank.prior_weight)?;
    positive("rerank.keep", s.rerank.keep)?;
    share("expand.discount", s.expand.discount)?;
    one_of("expand.order", &s.expand.order, &["parent", "end"])?;
    positive("expand.cap", s.expand.cap)?;

    one_of(
        "generate.method",
        &s.generate.method,
        &["auto", "extractive", "llm"],
    )?;
    positive("generate.max_sentences", s.generate.max_sentences)?;
    positive("generate.max_context_chars", s.generate.max_context_chars)?;
    share("generate.mmr_lambda", s.generate.mmr_lambda)?;
    share("generate.min_relevance", s.generate.min_relevance)?;
    share("generate.relative_relevance", s.generate.relative_relevance)?;
    share("generate.explicit_relevance", s.generate.explicit_relevance)?;
    share("generate.source_penalty", s.generate.source_penalty)?;
    share("generate.lexical_weight", s.generate.lexical_weight)?;
    share("generate.chunk_weight", s.generate.chunk_weight)?;
    if s.generate.lexical_weight + s.generate.chunk_weight > 1.0 {
        return Err(range(
            "generate.chunk_weight",
            s.generate.chunk_weight,
            "at most 1 together with generate.lexical_weight",
        ));
    }

    // Neither value is repeated in the message: it may be a key in the wrong place.
    let secret = |key, limit: &str| Err(range(key, "something else", limit));
    if s.llm.base_url.contains(['@', '?', '#']) {
        return secret(
            "llm.base_url",
            "an address without user name, password or query; the key goes into llm.api_key_env",
        );
    }
    let name = &s.llm.api_key_env;
    if name.starts_with(|c: char| c.is_ascii_digit())
        || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    {
        return secret(
            "llm.api_key_env",
            "the name of an environment variable, not a key",
        );
    }
    one_of("llm.provider", &s.llm.provider, &["none", "openai"])?;
    one_of(
        "llm.schema_mode",
        &s.llm.schema_mode,
        &["auto", "json_schema", "json_object", "prompt"],
    )?;
    for (key, seconds) in [
        ("llm.timeout_seconds", s.llm.timeout_seconds),
        ("llm.question_seconds", s.llm.question_seconds),
    ] {
        if !(1..=SECONDS_OF_A_DAY).contains(&seconds) {
            return Err(range(key, seconds, "in 1..=86400"));
        }
    }
    positive("llm.max_tokens", s.llm.max_tokens as usize)?;
    if !(0.0..=2.0).contains(&s.llm.temperature) {
        return Err(range("llm.temperature", s.llm.temperature, "in [0, 2]"));
    }
    let wants_llm = s.generate.method == "llm" || s.rerank.method == "llm" || s.eval.judge == "llm";
    if s.llm.provider == "none" && wants_llm {
        return Err(range(
            "llm.provider",
            "\"none\"",
            "\"openai\" when generate.method, rerank.method or eval.judge is \"llm\"",
        ));
    }
    if s.llm.provider != "none" && s.llm.model.is_empty() {
        return Err(range(
            "llm.model",
            "\"\"",
            "the name of a model when llm.provider is set",
        ));
    }

    let g = &s.guardrail;
    share("guardrail.coverage_refuse", g.coverage_refuse)?;
    share("guardrail.coverage_answer", g.coverage_answer)?;
    share("guardrail.similarity_refuse", g.similarity_refuse)?;
    share("guardrail.similarity_answer", g.similarity_answer)?;
    share("guardrail.min_survival", g.min_survival)?;
    one_of("guardrail.topic_rule", &g.topic_rule, &["evidence", "keywords"])?;
    one_of("guardrail.suffix_match", &g.suffix_match, &["unique", "first"])?;
    one_of(
        "guardrail.refusal_citations",
        &g.refusal_citations,
        &["hedge", "keep"],
    )?;
    one_of("guardrail.citations", &g.citations, &["quote", "id"])?;
    one_of("guardrail.uncited", &g.uncited, &["flag", "refuse"])?;
    positive("guardrail.max_quote_words", g.max_quote_words)?;

    one_of(
        "log.returned_chunks",
        &s.log.returned_chunks,
        &["candidates", "context"],
    )?;
    positive("eval.workers", s.eval.workers)?;
    one_of("eval.judge", &s.eval.judge, &["lexical", "llm", "auto"])?;
    one_of("eval.refusals", &s.eval.refusals, &["n_a", "perfect"])?;
    share("eval.tau", s.eval.tau)
}

fn range(key: &'static str, value: impl Display, limit: &str) -> SettingsError {
    SettingsError::Range {
        key,
        value: value.to_string(),
        limit: limit.to_owned(),
    }
}

fn share(key: &'static str, value: f32) -> Result<(), SettingsError> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(range(key, value, "finite and in [0, 1]"))
    }
}

fn at_least(key: &'static str, value: f32, least: f32) -> Result<(), SettingsError> {
    if value.is_finite() && value >= least {
        Ok(())
    } else {
        Err(range(key, value, &format!("finite and at least {least}")))
    }
}

fn positive(key: &'static str, value: usize) -> Result<(), SettingsError> {
    if value > 0 {
        Ok(())
    } else {
        Err(range(key, value, "at least 1"))
    }
}

fn one_of(key: &'static str, value: &str, allowed: &[&str]) -> Result<(), SettingsError> {
    if allowed.contains(&value) {
        return Ok(());
    }
    let names: Vec<String> = allowed.iter().map(|name| format!("{name:?}")).collect();
    Err(range(
        key,
        format!("{value:?}"),
        &format!("one of {}", names.join(", ")),
    ))
}
