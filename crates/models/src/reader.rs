//! A reader: a question and sentences go through the model together.

use crate::{
    ModelSpec, ModelsError, Runtime,
    encoder::{Encoder, Source, States},
    files::read,
    pieces::Pieces,
    sessions::Sessions,
};
use serde::Deserialize;
use std::sync::{Arc, LazyLock, Mutex};
use types::{ModelError, Reader, Reading, locked};

/// Tokens of one pass at most, as in training; those of a question and of a sentence that are read.
const WINDOW: usize = 256;
const QUESTION: usize = 64;
const SENTENCE: usize = 96;

/// What was trained on top of the model: `evidence/fit/reader.py` writes it.
#[derive(Debug, Deserialize)]
struct Head {
    /// Is subtracted from mean vectors before their cosine is taken.
    centre: Vec<f32>,
    /// Weights of a sentence's mean vector.
    sentence: Vec<f32>,
    /// Weights of the first token.
    window: Vec<f32>,
    /// Weight of the cosine, constant of a sentence, constant of a window, weight of its best sentence.
    gains: [f32; 4],
}

static HEAD: LazyLock<Head> =
    LazyLock::new(|| serde_json::from_str(include_str!("reader.json")).expect("the file is fixed and valid"));

/// The reader of a model folder, which ONNX Runtime loads when it first reads; see [`Reader`].
///
/// Passes go through the model one at a time: a quantised model scales its input by the largest number.
pub struct OnnxReader {
    id: String,
    spec: ModelSpec,
    runtime: Runtime,
    threads: usize,
    may_load: Box<dyn Fn() -> Result<(), String> + Send + Sync>,
    loaded: Mutex<Option<Arc<Loaded>>>,
}

struct Loaded {
    pieces: Pieces,
    sessions: Sessions,
}

impl OnnxReader {
    /// The reader whose files `spec` names. `digest`, the hash of its ONNX file, goes into its id. `threads` (at least 1) is
    /// how many cores reading may use. `may_load` is asked before the files are loaded, which may be hours later: why not?
    pub fn new(
        spec: ModelSpec,
        digest: &str,
        runtime: Runtime,
        threads: usize,
        may_load: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            id: format!("{}-{}", spec.name, &digest[..digest.len().min(12)]),
            spec,
            runtime,
            threads,
            may_load: Box::new(may_load),
            loaded: Mutex::new(None),
        }
    }

    /// The files, loaded. Whoever comes meanwhile waits.
    fn loaded(&self) -> Result<Arc<Loaded>, ModelsError> {
        let mut loaded = locked(&self.loaded);
        if let Some(loaded) = &*loaded {
            return Ok(Arc::clone(loaded));
        }
        let (onnx, tokenizer) = (&self.spec.onnx, &self.spec.tokenizer);
        let broken = |reason| ModelsError::Model {
            path: onnx.clone(),
            reason,
        };
        (self.may_load)().map_err(broken)?;
        let pieces = Pieces::from_bytes(&read(tokenizer, "the reader's tokenizer")?, tokenizer)?;
        let size = std::fs::metadata(onnx).map_or(0, |file| file.len());
        let source = Source {
            path: onnx.clone(),
            bytes: None,
            output: None,
        };
        let sessions = Sessions::load(source, size as usize, &self.runtime, self.threads)?;
        Ok(Arc::clone(loaded.insert(Arc::new(Loaded { pieces, sessions }))))
    }

    fn read_all(&self, question: &str, sentences: &[String]) -> Result<Vec<Reading>, ModelsError> {
        let Loaded { pieces, sessions } = &*self.loaded()?;
        let [start, end] = pieces.ends;
        let question = pieces.of(&format!("{}{question}", self.spec.query_prefix), QUESTION);
        let ended = |mut tokens: Vec<u32>| {
            tokens.push(end);
            tokens
        };
        let head = ended([vec![start], question].concat());
        let sentences = sentences
            .iter()
            .map(|sentence| ended(pieces.of(sentence, SENTENCE)));
        let sentences: Vec<Vec<u32>> = sentences.collect();
        let (mut windows, mut from, mut length) = (Vec::new(), 0, head.len());
        for (at, sentence) in sentences.iter().enumerate() {
            if at > from && length + sentence.len() > WINDOW {
                windows.push(&sentences[from..at]);
                (from, length) = (at, head.len());
            }
            length += sentence.len();
        }
        windows.push(&sentences[from..]);
        let read = sessions.run(&windows, |encoder, window| read_window(encoder, &head, window))?;
        Ok(read.into_iter().flatten().collect())
    }
}

/// One pass. `head` is the question between what begins a text and what ends it; each sentence ends so, too.
fn read_window(
    encoder: &mut Encoder,
    head: &[u32],
    sentences: &[Vec<u32>],
) -> Result<Vec<Reading>, ModelsError> {
    let tokens: Vec<u32> = head.iter().chain(sentences.iter().flatten()).copied().collect();
    let states = encoder.run_ids(&tokens)?;
    let readings = of_states(&states, head.len(), sentences.iter().map(Vec::len));
    let finite = |reading: &Reading| reading.sentence.is_finite() && reading.window.is_finite();
    match readings.filter(|readings| readings.iter().all(finite)) {
        Some(readings) => Ok(readings),
        None => Err(ModelsError::Output {
            reason: "a reader gave vectors of another length, or no numbers".to_owned(),
        }),
    }
}

/// What the vectors of a pass say of its sentences, of `lengths` tokens each; `None` if they do not fit the head.
fn of_states(states: &States, head: usize, lengths: impl Iterator<Item = usize>) -> Option<Vec<Reading>> {
    let rows: Vec<&[f32]> = states.rows().collect();
    let first = *rows.first().filter(|row| row.len() == HEAD.centre.len())?;
    let question = centred(&mean(rows.get(1..head - 1)?));
    let [gain, constant, of_window, of_best] = HEAD.gains;
    let (mut from, mut scores) = (head, Vec::new());
    for length in lengths {
        let vector = mean(rows.get(from..from + length)?);
        let cosine = dot(&centred(&vector), &question);
        scores.push(gain * cosine + dot(&vector, &HEAD.sentence) + constant);
        from += length;
    }
    let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let window = dot(first, &HEAD.window) + of_window + of_best * best;
    let reading = |sentence| Reading { sentence, window };
    Some(scores.into_iter().map(reading).collect())
}

fn mean(rows: &[&[f32]]) -> Vec<f32> {
    let mut sum = vec![0.0; HEAD.centre.len()];
    for row in rows {
        for (sum, value) in sum.iter_mut().zip(*row) {
            *sum += value;
        }
    }
    let count = rows.len().max(1) as f32;
    sum.into_iter().map(|sum| sum / count).collect()
}

/// The direction from the centre to the vector.
fn centred(vector: &[f32]) -> Vec<f32> {
    let from: Vec<f32> = vector.iter().zip(&HEAD.centre).map(|(v, c)| v - c).collect();
    let length = dot(&from, &from).sqrt().max(1e-8);
    from.into_iter().map(|value| value / length).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

impl Reader for OnnxReader {
    fn id(&self) -> &str {
        &self.id
    }

    fn read(&self, question: &str, sentences: &[String]) -> Result<Vec<Reading>, ModelError> {
        if sentences.is_empty() {
            return Ok(Vec::new());
        }
        self.read_all(question, sentences).map_err(|e| ModelError {
            model: format!("{}, the reader", self.spec.name),
            reason: e.to_string(),
        })
    }
}
