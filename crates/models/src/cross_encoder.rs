//! Cross-encoders: question and passage read together, one score for the pair.

use crate::{
    ModelSpec, ModelsError, Runtime,
    files::{self, ModelFiles},
    tokens::Tokens,
    windows,
};
use fastembed::{OnnxSource, RerankInitOptionsUserDefined, TextRerank, UserDefinedRerankingModel};
use std::{collections::BTreeMap, sync::Mutex};
use types::{ModelError, PairScorer, Span, locked};

/// A cross-encoder loaded with ONNX Runtime; see [`PairScorer`]. Its output `logits` has one column, or its
/// first column is the score.
///
/// A passage that does not fit beside its question is cut into windows at sentence ends; the best window is
/// the passage's score. A question that takes more than half of the model is cut as well, and the mean over
/// its windows counts.
pub struct OnnxCrossEncoder {
    id: String,
    spec: ModelSpec,
    tokens: Tokens,
    session: Mutex<TextRerank>,
}

/// A piece of a question beside a piece of a passage, belonging to one of the pairs that were asked for.
struct Piece<'a> {
    pair: usize,
    question: &'a str,
    question_part: usize,
    passage: &'a str,
}

impl OnnxCrossEncoder {
    /// Loads the model and scores one pair with it. `threads` (at least 1) is what one batch may use.
    /// Pooling and prefixes of `spec` do not apply.
    ///
    /// # Errors
    /// When a file is missing or unusable, or the model gives no score.
    pub fn load(spec: &ModelSpec, runtime: &Runtime, threads: usize) -> Result<Self, ModelsError> {
        let files = ModelFiles::read(spec)?;
        let id = files.id(spec);
        // Weights outside the graph are found by ONNX Runtime itself when it is given the path.
        let source = if files.weights.is_empty() {
            OnnxSource::Memory(files.onnx)
        } else {
            OnnxSource::File(spec.onnx.clone())
        };
        let model = UserDefinedRerankingModel::new(source, files.tokens.files(spec.max_tokens));
        let (key, value) = files::NO_SPINNING;
        let options = RerankInitOptionsUserDefined::new()
            .with_environment(runtime.environment())
            .with_execution_providers(files::execution_providers())
            .with_intra_threads(threads.max(1))
            .with_session_config(key, value)
            .with_max_length(spec.max_tokens);
        let session = TextRerank::try_new_from_user_defined(model, options)
            .map_err(|e| ModelsError::Model { path: spec.onnx.clone(), reason: e.to_string() })?;
        let encoder = Self { id, spec: spec.clone(), tokens: files.tokens, session: Mutex::new(session) };
        encoder.run("a", "a")?;
        Ok(encoder)
    }

    /// How the model is used.
    pub fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    fn score_pairs(&self, pairs: &[(String, String)]) -> Result<Vec<f32>, ModelsError> {
        let mut pieces = Vec::new();
        for (pair, (question, passage)) in pairs.iter().enumerate() {
            self.cut_pair(pair, question, passage, &mut pieces)?;
        }
        let scores = pieces.iter().map(|piece| self.run(piece.question, piece.passage));
        let scores = scores.collect::<Result<Vec<_>, _>>()?;

        // Best over the windows of the passage, then mean over the parts of the question.
        let mut best: BTreeMap<(usize, usize), f32> = BTreeMap::new();
        for (piece, score) in pieces.iter().zip(scores) {
            let entry = best.entry((piece.pair, piece.question_part)).or_insert(score);
            *entry = entry.max(score);
        }
        let mut sums = vec![(0.0_f32, 0_u16); pairs.len()];
        for (&(pair, _), score) in &best {
            sums[pair].0 += score;
            sums[pair].1 += 1;
        }
        Ok(sums.into_iter().map(|(sum, n)| sum / f32::from(n.max(1))).collect())
    }

    /// The pieces of one pair; a single one, uncut, where everything fits.
    fn cut_pair<'a>(
        &self,
        pair: usize,
        question: &'a str,
        passage: &'a str,
        pieces: &mut Vec<Piece<'a>>,
    ) -> Result<(), ModelsError> {
        let max = self.spec.max_tokens;
        if self.tokens.count_pair(question, passage)? <= max {
            pieces.push(Piece { pair, question, question_part: 0, passage });
            return Ok(());
        }
        let parts = if self.tokens.count(question)? <= max / 2 {
            vec![Span::new(0, question.len())]
        } else {
            windows::cut(&self.tokens, question, &[], max / 2, |w| self.tokens.count(w))?
        };
        let sentences: Vec<Span> = text::sentences(passage).into_iter().map(Span::from).collect();
        for (question_part, part) in parts.iter().enumerate() {
            let question = &question[part.range()];
            let measure = |w: &str| self.tokens.count_pair(question, w);
            let mut spans = windows::cut(&self.tokens, passage, &sentences, max, measure)?;
            if spans.is_empty() {
                // A blank passage is still scored, so that its score does not look like a good one.
                spans.push(Span::default());
            }
            for span in spans {
                pieces.push(Piece { pair, question, question_part, passage: &passage[span.range()] });
            }
        }
        Ok(())
    }

    /// The score of one pair, checked.
    fn run(&self, question: &str, passage: &str) -> Result<f32, ModelsError> {
        let mut session = locked(&self.session);
        let ranked = session.rerank(question, [passage], false, Some(1));
        let ranked = ranked.map_err(|e| ModelsError::Inference { reason: e.to_string() })?;
        match ranked.first().map(|result| result.score) {
            Some(score) if score.is_finite() => Ok(score),
            score => Err(ModelsError::Output { reason: format!("a score of {score:?} for a pair") }),
        }
    }
}

impl PairScorer for OnnxCrossEncoder {
    fn id(&self) -> &str {
        &self.id
    }

    fn score(&self, pairs: &[(String, String)]) -> Result<Vec<f32>, ModelError> {
        self.score_pairs(pairs)
            .map_err(|e| ModelError { model: self.spec.name.clone(), reason: e.to_string() })
    }
}
