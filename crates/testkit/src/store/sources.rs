//! A small invented set of sources, ready to be written to a store.

use types::{Chunk, ChunkId, SectionKind, SentenceSpan, SourceEntry, SourceId, SourceMeta, Span};

/// Dimension of the vectors of these sources.
pub const DIMENSION: usize = 4;

/// A unit vector with this cosine to the first axis.
pub fn at_cosine(cosine: f32) -> Vec<f32> {
    vec![cosine, (1.0 - cosine * cosine).max(0.0).sqrt(), 0.0, 0.0]
}

/// Builds a list of sources.
pub struct Library(Vec<SourceEntry>);

impl Library {
    /// An empty list.
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a source.
    #[must_use]
    pub fn source(mut self, id: &str, title: &str, author: &str, year: Option<u16>) -> Self {
        self.0.push(SourceEntry {
            meta: SourceMeta {
                source_id: id.into(),
                title: Some(title.to_owned()),
                authors: vec![author.to_owned()],
                year,
                tags: vec![format!("tag-{id}")],
                venue: (id == "a_2019").then(|| "Malacology".to_owned()),
                ..SourceMeta::default()
            },
            key: format!("key of {id}"),
            path: format!("papers/{id}.pdf"),
            ..SourceEntry::default()
        });
        self
    }

    /// Adds a chunk to the source added last: its sentences, and the cosine to the first axis of its window and of each
    /// sentence.
    #[must_use]
    pub fn chunk(mut self, section: SectionKind, sentences: &[&str], cosine: f32) -> Self {
        let entry = self.0.last_mut().expect("a source comes first");
        let number = entry.chunks.iter().filter(|c| c.section == section).count();
        let first = entry.sentence_vectors.len() as u32;
        let chunk =
            chunk(&entry.meta.source_id, section, number, entry.chunks.len() as u32, first, sentences);
        entry.windows.push(vec![Span::new(0, chunk.text.len())]);
        entry.window_vectors.push(at_cosine(cosine));
        entry.sentence_vectors.extend(sentences.iter().map(|_| at_cosine(cosine)));
        entry.chunks.push(chunk);
        self
    }

    /// The sources in the order of their ids.
    pub fn entries(mut self) -> Vec<SourceEntry> {
        self.0.sort_by(|a, b| a.meta.source_id.cmp(&b.meta.source_id));
        self.0
    }
}

impl Default for Library {
    fn default() -> Self {
        Self::new()
    }
}

fn chunk(
    source_id: &SourceId,
    section: SectionKind,
    number: usize,
    ordinal: u32,
    first_sentence: u32,
    sentences: &[&str],
) -> Chunk {
    let text = sentences.join(" ");
    let mut at = 0;
    let mut spans = Vec::new();
    for (number, sentence) in (first_sentence..).zip(sentences) {
        let span = Span::new(at, at + sentence.len());
        spans.push(SentenceSpan { span, number, page: ordinal + 1 });
        at = span.end + 1;
    }
    Chunk {
        chunk_id: ChunkId::from_parts(source_id, section, number),
        source_id: source_id.clone(),
        section,
        heading: String::new(),
        ordinal,
        page_start: ordinal + 1,
        page_end: ordinal + 1,
        span: Span::new(0, text.len()),
        prefix: String::new(),
        tokens: text.split_whitespace().count() as u32,
        sentences: spans,
        text,
        table_head: Vec::new(),
    }
}

/// Three sources with methods and results: `a_2019` and `b_2021` on snails, `c_none` on beets.
pub fn three_sources() -> Vec<SourceEntry> {
    use SectionKind::{Methods, Results};
    Library::new()
        .source("a_2019", "Snails in winter", "Ada Orvella", Some(2019))
        .chunk(Methods, &["Snails were counted.", "They slept."], 0.9)
        .chunk(Results, &["Snails sleep in winter."], 0.8)
        .chunk(Results, &["Shells grow in spring."], 0.3)
        .chunk(Results, &["Walls are climbed by night."], 0.2)
        .source("b_2021", "Sleep of snails and GDF15", "Bram Solvik", Some(2021))
        .chunk(Results, &["Snails wake in spring.", "Snails eat beets."], 0.7)
        .source("c_none", "Beets", "Ines Moro", None)
        .chunk(Results, &["Beets are red."], -0.2)
        .entries()
}

/// Sixty sources of one chunk, `s00` to `s59`, all with the same text: the first five are equally similar to the first
/// axis, the others less and less. Six times what the lists of a store under test hold.
pub fn sixty_sources() -> Vec<SourceEntry> {
    let mut library = Library::new();
    for number in 0_u8..60 {
        let cosine = 0.95 - 0.01 * f32::from(number.saturating_sub(4));
        library = library.source(&format!("s{number:02}"), "Dens", "Ada Orvella", Some(2020)).chunk(
            SectionKind::Results,
            &["Snails rest in dens."],
            cosine,
        );
    }
    library.entries()
}
