use super::*;
use types::{Filter, Mode, SentenceSpan};

/// The preview for a question.
fn shown_for(query: &str, chunk: &Chunk, similarities: &[f32]) -> Preview {
    let question = question::analyse(query, Vec::new(), Mode::Hybrid, Filter::default());
    let terms: Vec<&QuestionTerm> = question.distinct_terms().collect();
    preview(&terms, chunk, similarities)
}

/// A chunk whose sentences are these, one page each, joined by line feeds.
fn chunk(sentences: &[&str]) -> Chunk {
    let text = sentences.join("\n");
    let mut from = 0;
    let mut spans = Vec::new();
    for (number, sentence) in sentences.iter().enumerate() {
        spans.push(SentenceSpan {
            span: Span::new(from, from + sentence.len()),
            number: number as u32,
            page: number as u32 + 1,
        });
        from += sentence.len() + 1;
    }
    Chunk {
        chunk_id: "a__body__000".into(),
        source_id: "a".into(),
        section: types::SectionKind::Body,
        heading: String::new(),
        ordinal: 0,
        page_start: 1,
        page_end: sentences.len() as u32,
        span: Span::new(0, text.len()),
        prefix: String::new(),
        tokens: 0,
        sentences: spans,
        text,
        table_head: Vec::new(),
    }
}

fn shown(preview: &Preview) -> String {
    preview.parts.iter().map(|p| if p.matched { format!("*{}*", p.text) } else { p.text.clone() }).collect()
}

#[test]
fn a_preview_begins_with_the_sentence_that_matches() {
    let long = "Rain fell on the hills, ".repeat(12);
    let chunk = chunk(&[&long, "Snails\nslept in winter.", "They woke in spring.", &long]);
    let found = shown_for("Do snails sleep in winter?", &chunk, &[]);
    assert_eq!(shown(&found), "*Snails* slept in *winter*. They woke in spring.");
    assert_eq!((found.cut_start, found.cut_end, found.page), (true, true, 2));
    // Without a term in common the most similar sentence is shown; without similarities the first.
    let found = shown_for("hibernation", &chunk, &[0.1, 0.2, 0.9, 0.1]);
    assert_eq!((shown(&found).as_str(), found.page), ("They woke in spring.", 3));
    assert!(!shown_for("hibernation", &chunk, &[]).cut_start);
}

#[test]
fn a_long_sentence_is_cut_around_the_terms() {
    let filler = |n: usize| vec!["rain"; n].join(" ");
    let sentence = format!("{} snails like damp walls {}.", filler(90), filler(60));
    let chunk = chunk(&[&sentence]);
    let found = shown_for("Which walls do snails like?", &chunk, &[]);
    let text = shown(&found);
    assert!(
        text.contains("*snails* *like* damp *walls*") || text.contains("*snails* like damp *walls*"),
        "{text}"
    );
    assert_eq!(text.split(' ').count(), WORDS, "{text}");
    assert!(text.starts_with("rain rain") && text.ends_with("rain rain"), "the match stands inside: {text}");
    assert!(found.cut_start && found.cut_end);
}

#[test]
fn odd_chunks_do_not_break_it() {
    let mut odd = chunk(&["", "é\u{0}b  \t c"]);
    assert_eq!(shown(&preview(&[], &odd, &[])), "é b c");
    odd.sentences.clear();
    assert_eq!(shown(&shown_for("c", &odd, &[f32::NAN])), "é b *c*");
    odd.text.clear();
    assert!(preview(&[], &odd, &[]).parts.is_empty());
}
