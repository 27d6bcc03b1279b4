//! Sentence embeddings from a local ONNX file.

use crate::{
    ModelSpec, ModelsError, Pooling, Runtime, batches,
    files::{self, ModelFiles},
    tokens::Tokens,
    windows,
};
use fastembed::{InitOptionsUserDefined, TextEmbedding, UserDefinedEmbeddingModel};
use std::sync::{Mutex, PoisonError};
use types::{
    Embedder, ModelError, Span,
    vector::{mean_direction, norm},
};

/// Padded tokens of one batch. With MiniLM on 2 cores 2,048 is no faster and takes 0.3 GB more (0.7 GB against
/// 0.4 GB at the peak).
const BATCH_TOKENS: usize = 1024;

/// An embedding model loaded with ONNX Runtime; see [`Embedder`].
///
/// Vectors have unit length. A text's vector does not depend on the other texts of the call beyond the last
/// bits of a float, and the same call gives the same vectors.
pub struct OnnxEmbedder {
    id: String,
    spec: ModelSpec,
    dimension: usize,
    tokens: Tokens,
    /// One session that uses all threads: two sessions of one thread each were not measurably faster on 2
    /// cores and take twice the memory.
    session: Mutex<TextEmbedding>,
}

impl std::fmt::Debug for OnnxEmbedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OnnxEmbedder")
            .field("id", &self.id)
            .field("spec", &self.spec)
            .field("dimension", &self.dimension)
            .finish_non_exhaustive()
    }
}

impl OnnxEmbedder {
    /// The id that the model would have once it is loaded: its files are read, nothing native is.
    ///
    /// # Errors
    /// When a file is missing or the tokenizer cannot be understood.
    pub fn id_of(spec: &ModelSpec) -> Result<String, ModelsError> {
        Ok(ModelFiles::read(spec)?.id(spec))
    }

    /// Loads the model and embeds one word with it, so that a model of the wrong kind fails here and not in
    /// the middle of a run. `threads` (at least 1) is what one batch may use.
    ///
    /// # Errors
    /// When a file is missing or unusable, or the model gives no vector.
    pub fn load(spec: &ModelSpec, runtime: &Runtime, threads: usize) -> Result<Self, ModelsError> {
        let files = ModelFiles::read(spec)?;
        let id = files.id(spec);
        let ModelFiles {
            onnx,
            weights,
            tokens,
        } = files;
        let pooling = match spec.pooling {
            Pooling::Mean => fastembed::Pooling::Mean,
            Pooling::Cls => fastembed::Pooling::Cls,
        };
        let mut model =
            UserDefinedEmbeddingModel::new(onnx, tokens.files(spec.max_tokens)).with_pooling(pooling);
        if let Some((file, bytes)) = weights {
            model = model.with_external_initializer(file, bytes);
        }
        let (key, value) = files::NO_SPINNING;
        let options = InitOptionsUserDefined::new()
            .with_environment(runtime.environment())
            .with_execution_providers(files::execution_providers())
            .with_intra_threads(threads.max(1))
            .with_session_config(key, value)
            .with_max_length(spec.max_tokens);
        let session =
            TextEmbedding::try_new_from_user_defined(model, options).map_err(|e| ModelsError::Model {
                path: spec.onnx.clone(),
                reason: e.to_string(),
            })?;
        let mut embedder = Self {
            id,
            spec: spec.clone(),
            dimension: 0,
            tokens,
            session: Mutex::new(session),
        };
        embedder.dimension = embedder.run(&["a"])?.first().map_or(0, Vec::len);
        if embedder.dimension == 0 {
            return Err(ModelsError::Output {
                reason: "the vector of a word is empty".to_owned(),
            });
        }
        Ok(embedder)
    }

    /// How the model is used.
    pub fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    /// The batches, as positions in `texts`, in which texts that already carry their prefix go through the model:
    /// texts of like length together, bounded in padded tokens.
    ///
    /// # Errors
    /// When the tokenizer fails, or a text is empty or does not fit the model.
    pub fn batches(&self, texts: &[String]) -> Result<Vec<Vec<usize>>, ModelsError> {
        let lengths = self.tokens.count_all(texts)?;
        let max_tokens = self.spec.max_tokens;
        if let Some(index) = lengths.iter().position(|&n| n == 0 || n > max_tokens) {
            return Err(ModelsError::TextLength {
                index,
                tokens: lengths[index],
                max_tokens,
            });
        }
        Ok(batches::pack(&lengths, BATCH_TOKENS))
    }

    /// Embeds texts that already carry their prefix.
    fn embed_prefixed(
        &self,
        texts: &[String],
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Vec<f32>>, ModelsError> {
        let mut vectors = vec![Vec::new(); texts.len()];
        for batch in self.batches(texts)? {
            let inputs: Vec<&str> = batch.iter().map(|&i| texts[i].as_str()).collect();
            for (&i, vector) in batch.iter().zip(self.run(&inputs)?) {
                vectors[i] = vector;
            }
            done(batch.len());
        }
        Ok(vectors)
    }

    /// One batch through the model, its output checked.
    fn run(&self, inputs: &[&str]) -> Result<Vec<Vec<f32>>, ModelsError> {
        // A panic elsewhere leaves the session usable: it holds no state between batches.
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let vectors =
            session
                .embed(inputs, Some(inputs.len().max(1)))
                .map_err(|e| ModelsError::Inference {
                    reason: e.to_string(),
                })?;
        let wrong = |reason: String| Err(ModelsError::Output { reason });
        if vectors.len() != inputs.len() {
            return wrong(format!("{} vectors for {} texts", vectors.len(), inputs.len()));
        }
        for vector in &vectors {
            if self.dimension != 0 && vector.len() != self.dimension {
                return wrong(format!(
                    "a vector of {} numbers, not {}",
                    vector.len(),
                    self.dimension
                ));
            }
            let norm = norm(vector);
            if !(0.99..1.01).contains(&norm) {
                return wrong(format!("a vector of length {norm}"));
            }
        }
        Ok(vectors)
    }

    fn question(&self, query: &str) -> Result<Vec<f32>, ModelsError> {
        let prefix = &self.spec.query_prefix;
        let whole = format!("{prefix}{query}");
        let texts = if self.tokens.count(&whole)? <= self.spec.max_tokens {
            vec![whole]
        } else {
            let measure = |w: &str| self.tokens.count(&format!("{prefix}{w}"));
            let spans = windows::cut(&self.tokens, query, &[], self.spec.max_tokens, measure)?;
            spans
                .iter()
                .map(|s| format!("{prefix}{}", &query[s.range()]))
                .collect()
        };
        let vectors = self.embed_prefixed(&texts, &|_| ())?;
        Ok(mean_direction(vectors))
    }

    fn named(&self, error: &ModelsError) -> ModelError {
        ModelError {
            model: self.spec.name.clone(),
            reason: error.to_string(),
        }
    }
}

impl Embedder for OnnxEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    /// The prefix and a window are measured with a line feed between them; any one white-space character, or
    /// none, takes no more.
    fn windows(&self, prefix: &str, text: &str, sentences: &[Span]) -> Result<Vec<Span>, ModelError> {
        let head = format!("{}{prefix}\n", self.spec.passage_prefix);
        let measure = |w: &str| self.tokens.count(&format!("{head}{w}"));
        windows::cut(&self.tokens, text, sentences, self.spec.max_tokens, measure).map_err(|e| self.named(&e))
    }

    /// Texts are passages: the model's own passage prefix is put before each.
    fn embed(&self, texts: &[String], done: &(dyn Fn(usize) + Sync)) -> Result<Vec<Vec<f32>>, ModelError> {
        let prefix = &self.spec.passage_prefix;
        let result = if prefix.is_empty() {
            self.embed_prefixed(texts, done)
        } else {
            let prefixed: Vec<String> = texts.iter().map(|t| format!("{prefix}{t}")).collect();
            self.embed_prefixed(&prefixed, done)
        };
        result.map_err(|e| self.named(&e))
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, ModelError> {
        self.question(query).map_err(|e| self.named(&e))
    }
}
