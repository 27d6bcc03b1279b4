//! A reader: a question and the sentences of a passage go through the model together.

use crate::{
    ModelSpec, ModelsError, Runtime,
    encoder::{Encoder, Source, States},
    files::read,
    sessions::Sessions,
    tokens::Tokens,
};
use serde::Deserialize;
use std::sync::{Arc, LazyLock, Mutex};
use types::{ModelError, ReadPassage, Reader, Reading, locked};

/// Tokens of one pass at most, as in training; those that are read of a question, a title and a sentence.
const WINDOW: usize = 256;
const QUESTION: usize = 64;
const TITLE: usize = 24;
const SENTENCE: usize = 96;

/// What was trained on top of the model: `evidence/fit/reader.py` writes it.
#[derive(Debug, Deserialize)]
struct Head {
    /// Weights of a sentence's mean vector, and a constant.
    sentence: Vec<f32>,
    sentence_constant: f32,
    /// Weights of the pooled vector, and a constant: the score of a window.
    window: Vec<f32>,
    window_constant: f32,
    /// Weight of the window's score in that of its sentences, and what the window's score is multiplied by.
    gains: [f32; 2],
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
    tokens: Tokens,
    /// What begins a pass, and what ends a text in it.
    ends: [u32; 2],
    sessions: Sessions,
}

/// What is read in one pass.
struct Window<'a> {
    /// The question, with what begins and ends it, and the title of the passage.
    head: &'a [u32],
    /// Tokens of the question in `head`.
    question: usize,
    /// The tokens of each sentence, with what ends it.
    sentences: &'a [Vec<u32>],
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
        let broken = |reason| ModelsError::Model { path: onnx.clone(), reason };
        (self.may_load)().map_err(broken)?;
        let tokens = Tokens::from_bytes(read(tokenizer, "the reader's tokenizer")?, tokenizer)?;
        let end = |token| {
            tokens.id(token).ok_or_else(|| ModelsError::Tokenizer {
                path: tokenizer.clone(),
                reason: format!("no token {token}"),
            })
        };
        let ends = [end("[CLS]")?, end("[SEP]")?];
        let size = std::fs::metadata(onnx).map_or(0, |file| file.len());
        let source = Source { path: onnx.clone(), bytes: None, output: None };
        let sessions = Sessions::load(source, size as usize, &self.runtime, self.threads)?;
        let all = Loaded { tokens, ends, sessions };
        Ok(Arc::clone(loaded.insert(Arc::new(all))))
    }

    fn read_all(&self, question: &str, passages: &[ReadPassage]) -> Result<Vec<Vec<Reading>>, ModelsError> {
        if passages.is_empty() {
            return Ok(Vec::new());
        }
        let Loaded { tokens, ends: [start, end], sessions } = &*self.loaded()?;
        let ended = |mut tokens: Vec<u32>| {
            tokens.push(*end);
            tokens
        };
        let question = ended([vec![*start], tokens.first(question, QUESTION)?].concat());
        let mut encoded: Vec<(Vec<u32>, Vec<Vec<u32>>)> = Vec::with_capacity(passages.len());
        for passage in passages {
            let title = tokens.first(&passage.title, TITLE)?;
            let above = if title.is_empty() { title } else { ended(title) };
            let sentences = passage.sentences.iter();
            let sentences = sentences.map(|sentence| Ok(ended(tokens.first(sentence, SENTENCE)?)));
            encoded
                .push(([question.clone(), above].concat(), sentences.collect::<Result<_, ModelsError>>()?));
        }
        let mut windows = Vec::new();
        for (head, sentences) in &encoded {
            let mut window = |sentences| {
                windows.push(Window { head, question: question.len(), sentences });
            };
            let (mut from, mut length) = (0, head.len());
            for (at, sentence) in sentences.iter().enumerate() {
                if at > from && length + sentence.len() > WINDOW {
                    window(&sentences[from..at]);
                    (from, length) = (at, head.len());
                }
                length += sentence.len();
            }
            if from < sentences.len() {
                window(&sentences[from..]);
            }
        }
        let read = sessions.run(&windows, |encoder, window| read_window(encoder, window))?;
        let mut read = read.into_iter().flatten();
        let of = |passage: &ReadPassage| read.by_ref().take(passage.sentences.len()).collect();
        Ok(passages.iter().map(of).collect())
    }
}

fn read_window(encoder: &mut Encoder, window: &Window<'_>) -> Result<Vec<Reading>, ModelsError> {
    let texts = window.sentences.iter().flatten();
    let tokens: Vec<u32> = window.head.iter().chain(texts).copied().collect();
    let states = encoder.run_ids(&tokens, window.question)?;
    let readings = of_states(&states, window.head.len(), window.sentences.iter().map(Vec::len));
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
    let pooled = *rows.first().filter(|row| row.len() == HEAD.window.len())?;
    let window = dot(pooled, &HEAD.window) + HEAD.window_constant;
    let [in_sentences, of_window] = HEAD.gains;
    let (mut from, mut readings) = (head, Vec::new());
    for length in lengths {
        let vectors = rows.get(from..from + length)?;
        let sum: f32 = vectors.iter().map(|row| dot(row, &HEAD.sentence)).sum();
        readings.push(Reading {
            sentence: sum / length.max(1) as f32 + HEAD.sentence_constant + in_sentences * window,
            window: of_window * window,
        });
        from += length;
    }
    Some(readings)
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

impl Reader for OnnxReader {
    fn id(&self) -> &str {
        &self.id
    }

    fn read(&self, question: &str, passages: &[ReadPassage]) -> Result<Vec<Vec<Reading>>, ModelError> {
        self.read_all(question, passages).map_err(|e| ModelError {
            model: format!("{}, the reader", self.spec.name),
            reason: e.to_string(),
        })
    }
}
