//! Sentence embeddings from a local ONNX file.

use crate::{
    ModelSpec, ModelsError, Pooling, Runtime,
    encoder::{Encoder, Source, States},
    files::{ModelFiles, NO_SPINNING, execution_providers},
    pooling,
    sessions::Sessions,
    tokens::Tokens,
    windows,
};
use fastembed::{InitOptionsUserDefined, OutputKey, TextEmbedding, UserDefinedEmbeddingModel};
use std::sync::Mutex;
use tokenizers::Encoding;
use types::{Embedder, ModelError, Span, TextParts, TextVectors, locked, vector::mean_direction};

/// An embedding model loaded with ONNX Runtime, by this crate or by fastembed; see [`Embedder`].
///
/// Vectors have unit length. Texts go through the model one at a time, without padding, so that a vector does not
/// depend on other texts: quantised models scale their input by its largest number. The cores are kept busy by several
/// sessions, and a text costs no more than in a batch (MiniLM on one core: 15 % more for sentences, nothing for windows).
pub struct OnnxEmbedder {
    id: String,
    spec: ModelSpec,
    dimension: usize,
    tokens: Tokens,
    engine: Engine,
}

/// What runs the model.
enum Engine {
    /// ONNX Runtime, one text in each session at a time.
    Sessions(Sessions),
    /// fastembed, one text at a time on all threads: it gives the vector of a text alone.
    Fastembed(Box<Mutex<TextEmbedding>>),
}

impl OnnxEmbedder {
    /// The id that the model would have once it is loaded: its files are read, nothing native is.
    ///
    /// # Errors
    /// When a file is missing or the tokenizer cannot be understood.
    pub fn id_of(spec: &ModelSpec) -> Result<String, ModelsError> {
        Ok(ModelFiles::read(spec)?.id(spec))
    }

    /// As [`Self::id_of`], of a model that fastembed runs.
    ///
    /// # Errors
    /// As [`Self::id_of`].
    pub fn fastembed_id_of(spec: &ModelSpec) -> Result<String, ModelsError> {
        Self::id_of(spec).map(|id| fastembed_id(&id))
    }

    /// Loads the model and embeds one word with it, so that a model of the wrong kind fails here and not in
    /// the middle of a run. `threads` (at least 1) is how many cores embedding may use.
    ///
    /// # Errors
    /// When a file is missing or unusable, or the model gives no vector.
    pub fn load(spec: &ModelSpec, runtime: &Runtime, threads: usize) -> Result<Self, ModelsError> {
        let files = ModelFiles::read(spec)?;
        let id = files.id(spec);
        let ModelFiles { onnx, weights, tokens } = files;
        let size = onnx.len() + weights.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        let bytes = weights.is_empty().then_some(onnx);
        drop(weights);
        let source = Source { path: spec.onnx.clone(), bytes, output: spec.output.clone() };
        let sessions = Sessions::load(source, size, runtime, threads)?;
        Self::tried(id, spec, tokens, Engine::Sessions(sessions))
    }

    /// As [`Self::load`], but fastembed runs the model.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn load_fastembed(spec: &ModelSpec, runtime: &Runtime, threads: usize) -> Result<Self, ModelsError> {
        let files = ModelFiles::read(spec)?;
        let id = fastembed_id(&files.id(spec));
        let mut model = UserDefinedEmbeddingModel::new(files.onnx, files.tokens.files(spec.max_tokens))
            .with_pooling(match spec.pooling {
                Pooling::Mean => fastembed::Pooling::Mean,
                Pooling::Cls => fastembed::Pooling::Cls,
            });
        for (name, bytes) in files.weights {
            model = model.with_external_initializer(name, bytes);
        }
        // It asks for a name that lives as long as the program, where the model has several outputs.
        let output = spec.output.clone().map(|name| &*name.leak());
        model.output_key = output.map(OutputKey::ByName);
        let (key, value) = NO_SPINNING;
        let options = InitOptionsUserDefined::new()
            .with_environment(runtime.environment())
            .with_execution_providers(execution_providers())
            .with_intra_threads(threads.max(1))
            .with_session_config(key, value)
            .with_max_length(spec.max_tokens);
        let failed = |reason: String| ModelsError::Fastembed { path: spec.onnx.clone(), reason };
        let model = TextEmbedding::try_new_from_user_defined(model, options);
        let model = model.map_err(|error| failed(error.to_string()))?;
        Self::tried(id, spec, files.tokens, Engine::Fastembed(Box::new(Mutex::new(model))))
            .map_err(|error| failed(error.to_string()))
    }

    /// With its dimension, from one word.
    fn tried(id: String, spec: &ModelSpec, tokens: Tokens, engine: Engine) -> Result<Self, ModelsError> {
        let mut embedder = Self { id, spec: spec.clone(), dimension: 0, tokens, engine };
        let word = embedder.embed_prefixed(&["a".to_owned()], &|_| ())?;
        embedder.dimension = word.first().map_or(0, Vec::len);
        Ok(embedder)
    }

    /// How the model is used.
    pub fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    /// Whether a text that already carries its prefix fits the model.
    ///
    /// # Errors
    /// When the tokenizer fails.
    pub fn fits(&self, text: &str) -> Result<bool, ModelsError> {
        Ok(self.tokens.count(text)? <= self.spec.max_tokens)
    }

    /// Does `work` for each text, on all of these sessions: long texts first, so that no core is left with one at the end.
    /// `text` is the text with its prefix; `done` is called after each.
    fn for_each<I: Sync, T: Send>(
        sessions: &Sessions,
        items: &[I],
        text: impl Fn(&I) -> &str + Sync,
        work: impl Fn(&mut Encoder, usize, &I) -> Result<T, ModelsError> + Sync,
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<T>, ModelsError> {
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(text(&items[i]).len()));
        let results = sessions.run(&order, |encoder, &i| {
            let result = work(encoder, i, &items[i])?;
            done(1);
            Ok(result)
        })?;
        let mut ordered: Vec<(usize, T)> = order.into_iter().zip(results).collect();
        ordered.sort_by_key(|(i, _)| *i);
        Ok(ordered.into_iter().map(|(_, result)| result).collect())
    }

    /// Embeds texts that already carry their prefix.
    fn embed_prefixed(
        &self,
        texts: &[String],
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Vec<f32>>, ModelsError> {
        let encode = |index: usize, text: &String| {
            let tokens = self.tokens.encode_fast(text)?;
            self.check_length(index, &tokens)?;
            Ok(tokens)
        };
        let model = match &self.engine {
            Engine::Sessions(sessions) => {
                let work = |encoder: &mut Encoder, index: usize, text: &String| {
                    self.pool(&encoder.run(&encode(index, text)?)?)
                };
                return Self::for_each(sessions, texts, String::as_str, work, done);
            }
            Engine::Fastembed(model) => model,
        };
        let embed = |(index, text)| {
            encode(index, text)?;
            let failed = |error: fastembed::Error| ModelsError::Inference { reason: error.to_string() };
            let vectors = locked(model).embed([text], None).map_err(failed)?;
            done(1);
            self.checked(vectors.into_iter().next().unwrap_or_default())
        };
        texts.iter().enumerate().map(embed).collect()
    }

    /// As [`Self::embed_prefixed`]; the spans of the parts refer to the texts as they are.
    fn embed_parts_prefixed(
        &self,
        texts: &[TextParts],
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<TextVectors>, ModelsError> {
        let Engine::Sessions(sessions) = &self.engine else {
            return Err(ModelsError::Inference {
                reason: "fastembed gives no vectors of single tokens".to_owned(),
            });
        };
        let work = |encoder: &mut Encoder, index: usize, item: &TextParts| {
            let tokens = self.tokens.encode(&item.text)?;
            self.check_length(index, &tokens)?;
            let states = encoder.run(&tokens)?;
            Ok(TextVectors {
                text: self.pool(&states)?,
                parts: pooling::parts(&states, &tokens, &item.parts)?,
            })
        };
        Self::for_each(sessions, texts, |item| item.text.as_str(), work, done)
    }

    fn check_length(&self, index: usize, tokens: &Encoding) -> Result<(), ModelsError> {
        let (tokens, max_tokens) = (tokens.len(), self.spec.max_tokens);
        if (1..=max_tokens).contains(&tokens) {
            return Ok(());
        }
        Err(ModelsError::TextLength { index, tokens, max_tokens })
    }

    /// The unit vector of a text, checked.
    fn pool(&self, states: &States) -> Result<Vec<f32>, ModelsError> {
        self.checked(pooling::text(states, self.spec.pooling)?)
    }

    fn checked(&self, vector: Vec<f32>) -> Result<Vec<f32>, ModelsError> {
        if self.dimension != 0 && vector.len() != self.dimension {
            return Err(ModelsError::Output {
                reason: format!("a vector of {} numbers, not {}", vector.len(), self.dimension),
            });
        }
        Ok(vector)
    }

    fn question(&self, query: &str) -> Result<Vec<f32>, ModelsError> {
        let prefix = &self.spec.query_prefix;
        let whole = format!("{prefix}{query}");
        let texts = if self.tokens.count(&whole)? <= self.spec.max_tokens {
            vec![whole]
        } else {
            let measure = |w: &str| self.tokens.count(&format!("{prefix}{w}"));
            let spans = windows::cut(&self.tokens, query, &[], self.spec.max_tokens, measure)?;
            spans.iter().map(|s| format!("{prefix}{}", &query[s.range()])).collect()
        };
        let vectors = self.embed_prefixed(&texts, &|_| ())?;
        Ok(mean_direction(vectors))
    }

    fn named(&self, error: &ModelsError) -> ModelError {
        ModelError { model: self.spec.name.clone(), reason: error.to_string() }
    }
}

/// Its sums may differ in the last digits.
fn fastembed_id(id: &str) -> String {
    format!("{id}-fastembed")
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

    fn embed_parts(
        &self,
        texts: &[TextParts],
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<TextVectors>, ModelError> {
        let prefix = &self.spec.passage_prefix;
        let result = if prefix.is_empty() {
            self.embed_parts_prefixed(texts, done)
        } else {
            let shift = |span: &Span| Span::new(span.start + prefix.len(), span.end + prefix.len());
            let prefixed: Vec<TextParts> = texts
                .iter()
                .map(|item| TextParts {
                    text: format!("{prefix}{}", item.text),
                    parts: item.parts.iter().map(shift).collect(),
                })
                .collect();
            self.embed_parts_prefixed(&prefixed, done)
        };
        result.map_err(|e| self.named(&e))
    }

    fn knows(&self, word: &str) -> bool {
        self.tokens.has(word)
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, ModelError> {
        self.question(query).map_err(|e| self.named(&e))
    }
}
