//! Which texts reach the model.

use super::*;
use std::sync::Mutex;
use types::{ChunkId, SectionKind, SentenceSpan, SourceId, TextParts, TextVectors};

/// Embeds a text by its length and first byte, and remembers what it was given. A window holds 20 bytes.
#[derive(Default)]
struct Fake(Mutex<Vec<String>>);

impl Embedder for Fake {
    fn id(&self) -> &'static str {
        "fake"
    }
    fn dimension(&self) -> usize {
        2
    }
    fn windows(&self, _: &str, text: &str, _: &[Span]) -> Result<Vec<Span>, ModelError> {
        let starts = (0..text.len()).step_by(20);
        Ok(starts.map(|at| Span::new(at, text.len().min(at + 20))).collect())
    }
    fn embed(&self, texts: &[String], _: &(dyn Fn(usize) + Sync)) -> Result<Vec<Vec<f32>>, ModelError> {
        self.0.lock().expect("whole").extend_from_slice(texts);
        let one = |text: &String| {
            let angle = text.len() as f32 + f32::from(text.as_bytes()[0]) / 50.0;
            vec![angle.cos(), angle.sin()]
        };
        Ok(texts.iter().map(one).collect())
    }
    fn embed_parts(
        &self,
        texts: &[TextParts],
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<TextVectors>, ModelError> {
        let whole: Vec<String> = texts.iter().map(|item| item.text.clone()).collect();
        let vectors = self.embed(&whole, done)?.into_iter().zip(texts);
        let part = |text: &str, span: &Span| vec![span.len() as f32, f32::from(text.as_bytes()[span.start])];
        Ok(vectors
            .map(|(vector, item)| TextVectors {
                text: vector,
                parts: item.parts.iter().map(|span| part(&item.text, span)).collect(),
            })
            .collect())
    }
    fn embed_query(&self, _: &str) -> Result<Vec<f32>, ModelError> {
        Ok(vec![1.0, 0.0])
    }
}

impl Fake {
    fn given(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().expect("whole"))
    }
}

/// A chunk of whole sentences, numbered from `first`.
fn chunk(number: usize, first: u32, prefix: &str, sentences: &[&str]) -> Chunk {
    let source_id = SourceId::from("p");
    let mut text = String::new();
    let mut spans = Vec::new();
    for (number, sentence) in (first..).zip(sentences) {
        let start = text.len();
        text += sentence;
        spans.push(SentenceSpan { span: Span::new(start, text.len()), number, page: 1 });
    }
    Chunk {
        chunk_id: ChunkId::from_parts(&source_id, SectionKind::Body, number),
        source_id,
        section: SectionKind::Body,
        heading: String::new(),
        ordinal: number as u32,
        page_start: 1,
        page_end: 1,
        span: Span::new(0, text.len()),
        prefix: prefix.to_owned(),
        text,
        tokens: 9,
        sentences: spans,
        table_head: Vec::new(),
    }
}

/// The vectors as the cache keeps them.
fn kept(vectors: Vectors) -> Vectors {
    let vectors: Vec<(TextKey, Vec<f32>)> = vectors.0.into_iter().collect();
    Vectors::decode(&[encode(&vectors)], 2)
}

fn make(fake: &Fake, chunks: &[Chunk], cached: &mut Vectors) -> (Embedded, SourceVectors) {
    let count = chunks.iter().flat_map(|c| &c.sentences).map(|s| s.number + 1).max();
    let request = EmbeddingRequest::new(chunks, count.unwrap_or(0) as usize, fake).expect("splits");
    let done = request.embed(fake, cached, |_| Ok(())).expect("embeds");
    (done, request.assemble(cached, fake.dimension()))
}

#[test]
fn only_texts_that_changed_reach_the_model() {
    let fake = Fake::default();
    let old = [chunk(0, 0, "[P]", &["First one.", "Second."]), chunk(1, 1, "[P]", &["Second.", "Third."])];
    let mut cached = Vectors::default();
    let (done, made) = make(&fake, &old, &mut cached);
    assert_eq!(done, Embedded { texts: 5, inputs: 5, ..Embedded::default() });
    assert_eq!(
        fake.given(),
        ["[P]\nFirst one.Second.", "[P]\nSecond.Third.", "First one.", "Second.", "Third."]
    );
    let cached = kept(cached);

    // The same again: nothing. Another overlap: the changed window alone. Another prefix: the windows alone.
    let (done, again) = make(&fake, &old, &mut cached.clone());
    assert_eq!((done.texts, &again.window_vectors), (0, &made.window_vectors));
    // Sentences in 8 bits are the same in the index.
    let stored =
        |made: &SourceVectors| -> Vec<_> { made.sentence_vectors.iter().map(|v| quantise(v)).collect() };
    assert_eq!(stored(&again), stored(&made));
    let other = [chunk(0, 0, "[P]", &["First one.", "Second."]), chunk(1, 2, "[P]", &["Third."])];
    let (done, _) = make(&fake, &other, &mut cached.clone());
    assert_eq!((done.texts, fake.given()), (1, vec!["[P]\nThird.".to_owned()]));
    let renamed = old.clone().map(|c| Chunk { prefix: "[Q]".to_owned(), ..c });
    let (done, _) = make(&fake, &renamed, &mut cached.clone());
    assert_eq!(done.texts, 2);
    assert!(fake.given().iter().all(|text| text.starts_with("[Q]")));
}

#[test]
fn equal_texts_are_embedded_once_and_long_sentences_in_parts() {
    let fake = Fake::default();
    let long = "a sentence of more than twenty bytes.";
    let chunks = [chunk(0, 0, "", &["Same.", "Same.", long])];
    let mut cached = Vectors::default();
    let (done, made) = make(&fake, &chunks, &mut cached);
    // Three windows, and three sentences of which two are equal and one has two parts.
    assert_eq!(done, Embedded { texts: 6, inputs: 6, ..Embedded::default() });
    assert_eq!((made.windows[0].len(), made.window_vectors.len(), made.sentence_vectors.len()), (3, 3, 3));
    assert_eq!(made.sentence_vectors[0], made.sentence_vectors[1]);
    for vector in made.window_vectors.iter().chain(&made.sentence_vectors) {
        assert!((vector.iter().map(|v| v * v).sum::<f32>() - 1.0).abs() < 1e-5, "{vector:?}");
    }
    // What an unfinished run had embedded is taken from it, under other settings too.
    let mut cached = kept(cached);
    fake.given();
    let other = [chunk(0, 0, "", &["Same.", "Same."]), chunk(1, 2, "", &[long])];
    let (done, _) = make(&fake, &other, &mut cached);
    assert_eq!(fake.given().len(), done.inputs as usize);
    assert!(fake.given().iter().all(|text| text.starts_with('\n')), "windows alone");
}

#[test]
fn groups_hold_every_item_once() {
    let sizes = [9, 7, 5, 3, 1];
    let groups: Vec<Vec<&usize>> = spread(&sizes, |size| *size, 10).collect();
    assert_eq!(groups, [vec![&9, &3], vec![&7, &1], vec![&5]]);
    assert_eq!(spread(&[], |size: &usize| *size, 10).count(), 0);
    assert_eq!(spread(&[99], |size| *size, 10).count(), 1);
}

#[test]
fn a_window_is_no_sentence() {
    // Without a prefix both may be the same words; the index keeps the one exactly and the other nearly.
    assert_ne!(TextKey::window("\nSame."), TextKey::sentence("\nSame."));
}

#[test]
fn vectors_are_saved_as_they_come() {
    let fake = Fake::default();
    let texts: Vec<String> = (0..1200).map(|n| format!("Sentence {n:04} of {}.", "x".repeat(200))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let chunks = [chunk(0, 0, "[P]", &texts)];
    let request = EmbeddingRequest::new(&chunks, 1200, &fake).expect("splits");
    let mut saved = Vectors::default();
    let mut saves = 0;
    let stop = |vectors: &[(TextKey, Vec<f32>)]| {
        saved.0.extend(vectors.iter().cloned());
        saves += 1;
        if saves == 2 { Err(IndexerError::Stopped) } else { Ok(()) }
    };
    let mut cached = Vectors::default();
    let outcome = request.embed(&fake, &mut cached, stop);
    assert!(matches!(outcome, Err(IndexerError::Stopped)));
    let before = fake.given().len();
    let bytes = |given: &[String]| given.iter().map(String::len).sum::<usize>();
    let (done, made) = make(&fake, &chunks, &mut saved);
    let given = fake.given();
    assert_eq!(done.inputs as usize, given.len());
    assert!(before > 100 && given.len() > 100, "{before}, then {}", given.len());
    let mut whole = Vectors::default();
    let (all, again) = make(&fake, &chunks, &mut whole);
    assert_eq!((all.inputs as usize, made), (before + given.len(), again));
    assert!(bytes(&given) > SAVED_BYTES);
}

#[test]
fn a_mean_has_unit_length() {
    let m = mean(vec![vec![1.0, 0.0], vec![0.0, 1.0]], 2);
    assert!((m.iter().map(|v| v * v).sum::<f32>() - 1.0).abs() < 1e-6, "{m:?}");
    assert_eq!(mean(vec![], 2), vec![0.0, 0.0]);
}
