//! What fastembed's list lacks: the authors' names, the prefixes and the lengths.

use fastembed::{EmbeddingModel as M, RerankerModel as R};

/// A model of fastembed.
pub(super) struct Listed {
    pub(super) model: M,
    /// The name that its authors gave it.
    pub(super) name: &'static str,
    /// Longest input, in its own tokens.
    pub(super) max_tokens: usize,
    /// Before questions and before passages.
    pub(super) prefixes: Prefixes,
}

type Prefixes = (&'static str, &'static str);

const NONE: Prefixes = ("", "");
const BGE: Prefixes = ("Represent this sentence for searching relevant passages: ", "");
const BGE_CHINESE: Prefixes = ("为这个句子生成表示以用于检索相关文章：", "");
const E5: Prefixes = ("query: ", "passage: ");
const NOMIC: Prefixes = ("search_query: ", "search_document: ");
const GEMMA: Prefixes = ("task: search result | query: ", "title: none | text: ");

const fn row(model: M, name: &'static str, max_tokens: usize, prefixes: Prefixes) -> Listed {
    Listed { model, name, max_tokens, prefixes }
}

const MINILM_6: &str = "sentence-transformers/all-MiniLM-L6-v2";
const MINILM_12: &str = "sentence-transformers/all-MiniLM-L12-v2";
const MULTILINGUAL_MINILM: &str = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2";
const MULTILINGUAL_MPNET: &str = "sentence-transformers/paraphrase-multilingual-mpnet-base-v2";
const BGE_SMALL: &str = "BAAI/bge-small-en-v1.5";
const BGE_BASE: &str = "BAAI/bge-base-en-v1.5";
const BGE_LARGE: &str = "BAAI/bge-large-en-v1.5";
const NOMIC_15: &str = "nomic-ai/nomic-embed-text-v1.5";
const MXBAI: &str = "mixedbread-ai/mxbai-embed-large-v1";
const GTE_BASE: &str = "Alibaba-NLP/gte-base-en-v1.5";
const GTE_LARGE: &str = "Alibaba-NLP/gte-large-en-v1.5";
const GEMMA_300M: &str = "google/embeddinggemma-300m";
const ARCTIC_XS: &str = "Snowflake/snowflake-arctic-embed-xs";
const ARCTIC_S: &str = "Snowflake/snowflake-arctic-embed-s";
const ARCTIC_M: &str = "Snowflake/snowflake-arctic-embed-m";
const ARCTIC_M_LONG: &str = "Snowflake/snowflake-arctic-embed-m-long";
const ARCTIC_L: &str = "Snowflake/snowflake-arctic-embed-l";

/// Lengths are those that the models were trained at, where they are shorter than those that they take.
pub(super) static MODELS: [Listed; 46] = [
    row(M::AllMiniLML6V2, MINILM_6, 256, NONE),
    row(M::AllMiniLML6V2Q, MINILM_6, 256, NONE),
    row(M::AllMiniLML12V2, MINILM_12, 128, NONE),
    row(M::AllMiniLML12V2Q, MINILM_12, 128, NONE),
    row(M::AllMpnetBaseV2, "sentence-transformers/all-mpnet-base-v2", 384, NONE),
    row(M::ParaphraseMLMiniLML12V2, MULTILINGUAL_MINILM, 128, NONE),
    row(M::ParaphraseMLMiniLML12V2Q, MULTILINGUAL_MINILM, 128, NONE),
    row(M::ParaphraseMLMpnetBaseV2, MULTILINGUAL_MPNET, 128, NONE),
    row(M::BGESmallENV15, BGE_SMALL, 512, BGE),
    row(M::BGESmallENV15Q, BGE_SMALL, 512, BGE),
    row(M::BGEBaseENV15, BGE_BASE, 512, BGE),
    row(M::BGEBaseENV15Q, BGE_BASE, 512, BGE),
    row(M::BGELargeENV15, BGE_LARGE, 512, BGE),
    row(M::BGELargeENV15Q, BGE_LARGE, 512, BGE),
    row(M::BGESmallZHV15, "BAAI/bge-small-zh-v1.5", 512, BGE_CHINESE),
    row(M::BGELargeZHV15, "BAAI/bge-large-zh-v1.5", 512, BGE_CHINESE),
    row(M::BGEM3, "BAAI/bge-m3", 8192, NONE),
    row(M::MultilingualE5Small, "intfloat/multilingual-e5-small", 512, E5),
    row(M::MultilingualE5Base, "intfloat/multilingual-e5-base", 512, E5),
    row(M::MultilingualE5Large, "intfloat/multilingual-e5-large", 512, E5),
    row(M::NomicEmbedTextV1, "nomic-ai/nomic-embed-text-v1", 2048, NOMIC),
    row(M::NomicEmbedTextV15, NOMIC_15, 2048, NOMIC),
    row(M::NomicEmbedTextV15Q, NOMIC_15, 2048, NOMIC),
    row(M::ModernBertEmbedLarge, "lightonai/modernbert-embed-large", 8192, NOMIC),
    row(M::MxbaiEmbedLargeV1, MXBAI, 512, BGE),
    row(M::MxbaiEmbedLargeV1Q, MXBAI, 512, BGE),
    row(M::GTEBaseENV15, GTE_BASE, 8192, NONE),
    row(M::GTEBaseENV15Q, GTE_BASE, 8192, NONE),
    row(M::GTELargeENV15, GTE_LARGE, 8192, NONE),
    row(M::GTELargeENV15Q, GTE_LARGE, 8192, NONE),
    row(M::ClipVitB32, "Qdrant/clip-ViT-B-32-text", 77, NONE),
    row(M::JinaEmbeddingsV2BaseCode, "jinaai/jina-embeddings-v2-base-code", 8192, NONE),
    row(M::JinaEmbeddingsV2BaseEN, "jinaai/jina-embeddings-v2-base-en", 8192, NONE),
    row(M::EmbeddingGemma300M, GEMMA_300M, 2048, GEMMA),
    row(M::EmbeddingGemma300MQ, GEMMA_300M, 2048, GEMMA),
    row(M::EmbeddingGemma300MQ4, GEMMA_300M, 2048, GEMMA),
    row(M::SnowflakeArcticEmbedXS, ARCTIC_XS, 512, BGE),
    row(M::SnowflakeArcticEmbedXSQ, ARCTIC_XS, 512, BGE),
    row(M::SnowflakeArcticEmbedS, ARCTIC_S, 512, BGE),
    row(M::SnowflakeArcticEmbedSQ, ARCTIC_S, 512, BGE),
    row(M::SnowflakeArcticEmbedM, ARCTIC_M, 512, BGE),
    row(M::SnowflakeArcticEmbedMQ, ARCTIC_M, 512, BGE),
    row(M::SnowflakeArcticEmbedMLong, ARCTIC_M_LONG, 2048, BGE),
    row(M::SnowflakeArcticEmbedMLongQ, ARCTIC_M_LONG, 2048, BGE),
    row(M::SnowflakeArcticEmbedL, ARCTIC_L, 512, BGE),
    row(M::SnowflakeArcticEmbedLQ, ARCTIC_L, 512, BGE),
];

/// Cross-encoders of fastembed, and the longest pair that each was trained on or takes.
pub(super) static CROSS_ENCODERS: [(R, usize); 4] = [
    (R::JINARerankerV1TurboEn, 8192),
    (R::BGERerankerBase, 512),
    (R::JINARerankerV2BaseMultilingual, 1024),
    (R::BGERerankerV2M3, 1024),
];

/// A cross-encoder that fastembed does not list: 23 million parameters, English.
pub(super) const MS_MARCO_MINILM: (&str, usize) = ("cross-encoder/ms-marco-MiniLM-L6-v2", 512);
