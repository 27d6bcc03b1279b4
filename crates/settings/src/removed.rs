//! Settings of earlier versions that are none any more.

/// Those whose values are fixed at what measured best.
const FIXED: &str = "retrieve.bm25_k1 retrieve.bm25_b retrieve.rrf_k retrieve.depth retrieve.bm25_title_weight \
    retrieve.bm25_heading_weight retrieve.hnsw_m retrieve.hnsw_ef_construction retrieve.hnsw_ef rerank.lexical_weight \
    rerank.prior_weight rerank.max_chars expand.discount generate.enough generate.likely generate.max_sentences_across \
    generate.max_sentences_shown guardrail.max_quote_words guardrail.min_survival guardrail.injection \
    guardrail.refuse_unknown_sources guardrail.refuse_absent_entities ingest.max_chars ingest.max_chars_per_page \
    ingest.ocr_dpi ingest.ocr_seconds_per_page embedding.batch_size llm.cache_mib";
/// Those of the earlier system.
const OF_PHASE2: &str = "chunk.count_prefix retrieve.tokenizer rerank.show_prefix expand.order guardrail.topic_rule \
    guardrail.citations guardrail.suffix_match guardrail.refusal_citations guardrail.uncited guardrail.check_confidence \
    guardrail.removal_lowers_confidence eval.refusals log.returned_chunks";
/// Those that something else has replaced: how they begin, and what to do.
const REPLACED: [(&str, &str); 11] = [
    (
        "retrieve.bm25_weight",
        "remove it: the weight of BM25 is 1 - retrieve.vector_weight",
    ),
    (
        "retrieve.bm25_stemming",
        "remove it: words are compared by their stems",
    ),
    (
        "retrieve.bm25_stop_words",
        "remove it: English function words are left out of BM25",
    ),
    (
        "embedding.pooling",
        "remove it, and set \"pooling\" to \"cls\" or \"mean\" in model.json in the model's folder",
    ),
    (
        "embedding.timeout_seconds",
        "set llm.timeout_seconds, which holds for embeddings servers too",
    ),
    (
        "embedding.max_retries",
        "set llm.max_retries, which holds for embeddings servers too",
    ),
    (
        "eval.nli_labels",
        "remove it: the labels are read from id2label in config.json of the model's folder",
    ),
    ("evaluate.support", "set eval.tau, which every command uses"),
    (
        "evaluate.target_",
        "remove it: targets are fixed; to check a limit of your own, use --min or --max",
    ),
    (
        "evaluate.min_grade",
        "remove it: documents of grade 1 or more are relevant",
    ),
    (
        "evaluate.relevant_from",
        "remove it: an answer is relevant from 0.5",
    ),
];

/// What to do about a key that was a setting; `None` if it never was.
pub(crate) fn advice(key: &str) -> Option<&'static str> {
    let is_in = |keys: &'static str| keys.split_whitespace().any(|known| known == key);
    if is_in(FIXED) {
        return Some("remove it: its value is fixed at what measured best");
    }
    if is_in(OF_PHASE2) {
        return Some("remove it, or set phase2.rules = true, which follows all rules of the earlier system");
    }
    let found = REPLACED.iter().find(|(known, _)| key.starts_with(known));
    found.map(|(_, advice)| *advice)
}
