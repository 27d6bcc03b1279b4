//! Sentence embeddings from a local ONNX file.

use crate::{
    ModelSpec, ModelsError, Runtime, Sentences,
    encoder::{Encoder, Source, States},
    files::ModelFiles,
    pooling,
    sessions::Sessions,
    tokens::Tokens,
    windows,
};
use tokenizers::Encoding;
use types::{Embedder, ModelError, Span, TextParts, TextVectors, vector::mean_direction};

/// An embedding model loaded with ONNX Runtime; see [`Embedder`].
///
/// Vectors have unit length. Texts go through the model one at a time, without padding, so that a vector does not
/// depend on other texts: quantised models scale their input by its largest number. The cores are kept busy by several
/// sessions, and a text costs no more than in a batch (MiniLM on one core: 15 % more for sentences, nothing for windows).
pub struct OnnxEmbedder {
    id: String,
    spec: ModelSpec,
    dimension: usize,
    tokens: Tokens,
    sessions: Sessions,
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
    /// the middle of a run. `threads` (at least 1) is how many cores embedding may use.
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
        let size = onnx.len() + weights.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        let bytes = weights.is_empty().then_some(onnx);
        drop(weights);
        let source = Source {
            path: spec.onnx.clone(),
            bytes,
            output: spec.output.clone(),
        };
        let sessions = Sessions::load(source, size, runtime, threads)?;
        let mut embedder = Self {
            id,
            spec: spec.clone(),
            dimension: 0,
            tokens,
            sessions,
        };
        let word = embedder.sessions.run(&["a"], |encoder, word| {
            let tokens = embedder.tokens.encode_fast(word)?;
            embedder.pool(&encoder.run(&tokens)?)
        })?;
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

    /// Does `work` for each text, on all sessions: long texts first, so that no core is left with one at the end.
    /// `text` is the text with its prefix; `done` is called after each.
    fn for_each<I: Sync, T: Send>(
        &self,
        items: &[I],
        text: impl Fn(&I) -> &str + Sync,
        work: impl Fn(&mut Encoder, usize, &I) -> Result<T, ModelsError> + Sync,
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<T>, ModelsError> {
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(text(&items[i]).len()));
        let results = self.sessions.run(&order, |encoder, &i| {
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
        let work = |encoder: &mut Encoder, index: usize, text: &String| {
            let tokens = self.tokens.encode_fast(text)?;
            self.check_length(index, &tokens)?;
            self.pool(&encoder.run(&tokens)?)
        };
        self.for_each(texts, String::as_str, work, done)
    }

    /// As [`Self::embed_prefixed`]; the spans of the parts refer to the texts as they are.
    fn embed_parts_prefixed(
        &self,
        texts: &[TextParts],
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<TextVectors>, ModelsError> {
        let work = |encoder: &mut Encoder, index: usize, item: &TextParts| {
            let tokens = self.tokens.encode(&item.text)?;
            self.check_length(index, &tokens)?;
            let states = encoder.run(&tokens)?;
            Ok(TextVectors {
                text: self.pool(&states)?,
                parts: pooling::parts(&states, &tokens, &item.parts)?,
            })
        };
        self.for_each(texts, |item| item.text.as_str(), work, done)
    }

    fn check_length(&self, index: usize, tokens: &Encoding) -> Result<(), ModelsError> {
        let (tokens, max_tokens) = (tokens.len(), self.spec.max_tokens);
        if (1..=max_tokens).contains(&tokens) {
            return Ok(());
        }
        Err(ModelsError::TextLength {
            index,
            tokens,
            max_tokens,
        })
    }

    /// The unit vector of a text, checked.
    fn pool(&self, states: &States) -> Result<Vec<f32>, ModelsError> {
        let vector = pooling::text(states, self.spec.pooling)?;
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

    fn pools_sentences(&self) -> bool {
        self.spec.sentences == Sentences::Pooled
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
