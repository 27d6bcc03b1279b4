//! Native inference: embedding models and cross-encoders from local ONNX files.
//!
//! Stages never see this crate; they see [`types::Embedder`], [`types::PairScorer`] and [`types::Reader`], which [`OnnxEmbedder`],
//! [`OnnxCrossEncoder`] and [`OnnxReader`] implement. Whoever builds the pipeline loads ONNX Runtime once ([`Runtime::load`]), describes a model folder ([`ModelSpec::from_dir`]) and loads the model:
//!
//! ```no_run
//! use models::{ModelSettings, ModelSpec, OnnxEmbedder, Runtime};
//! use types::Embedder as _;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let natives = std::path::Path::new(".natives");
//! let runtime = Runtime::load(natives)?;
//! let spec = ModelSpec::from_dir(&natives.join("all-MiniLM-L6-v2-w8a8"), &ModelSettings::default())?;
//! let embedder = OnnxEmbedder::load(&spec, &runtime, 2)?;
//! let vector = embedder.embed_query("how was heart rate measured?")?;
//! assert_eq!(vector.len(), embedder.dimension());
//! # Ok(())
//! # }
//! ```
//!
//! Nothing is cut off: a chunk is longer than most models take, so it is cut into windows of whole sentences
//! that each fit together with the repeated prefix; a text that does not fit is an error. Lengths are in the
//! model's own tokens, special tokens included. Vectors have unit length, so that a dot product is a cosine.
//! Scores of a cross-encoder are its raw logits: unbounded, and comparable only under the same question.
//!
//! Mean pooling over a siamese encoder follows Reimers and Gurevych, "Sentence-BERT" (2019); scoring pairs
//! with a cross-encoder follows Nogueira and Cho, "Passage re-ranking with BERT" (2019); the best window as
//! the score of a long text follows Dai and Callan's MaxP (2019).
//!
//! [`catalogue`] lists the models that can be had by name, with the files that each needs.
//!
//! This crate fetches nothing, speaks no HTTP, keeps no cache, and knows neither chunks nor indexes.

pub mod catalogue;
mod cross_encoder;
mod embedder;
mod encoder;
mod error;
mod files;
mod pooling;
mod reader;
mod runtime;
mod sessions;
mod spec;
mod tokens;
mod windows;

pub use cross_encoder::OnnxCrossEncoder;
pub use embedder::OnnxEmbedder;
pub use error::ModelsError;
pub use reader::OnnxReader;
pub use runtime::Runtime;
pub use spec::{DEFAULT_MAX_TOKENS, ModelSettings, ModelSpec, Pooling};
