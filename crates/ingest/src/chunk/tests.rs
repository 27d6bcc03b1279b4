//! What [`super::chunk`] promises, on documents made by hand and at random.

mod hostile;

use super::*;
use crate::tokens::count;
use proptest::prelude::*;
use types::{Block, BlockKind, Section, SourceMeta};

/// A section as the tests write it: its label and its blocks.
type Draft<'a> = (SectionKind, &'a [(BlockKind, &'a str)]);

/// A document with these sections: one heading line before each, blocks on lines of their own, a new page
/// behind each block.
fn document(source: &str, drafts: &[Draft<'_>]) -> Document {
    let mut text = String::new();
    let mut sections = Vec::new();
    let mut page = 1;
    for (i, (name, drafts)) in drafts.iter().enumerate() {
        text += &i.to_string();
        text += ". Heading\n";
        let start = text.len();
        let first_page = page;
        let mut blocks = Vec::new();
        for (kind, body) in *drafts {
            let from = text.len();
            text.push_str(body);
            blocks.push(Block {
                kind: *kind,
                page_start: page,
                page_end: page,
                span: Span::new(from, text.len()),
                page_breaks: Vec::new(),
                label: None,
            });
            page += 1;
            text.push('\n');
        }
        sections.push(Section {
            name: *name,
            heading: format!("{i}. Heading"),
            level: 1,
            page_start: first_page,
            page_end: page.max(first_page + 1) - 1,
            span: Span::new(start, text.len()),
            blocks,
        });
    }
    Document {
        meta: SourceMeta { source_id: source.into(), ..SourceMeta::default() },
        pages: page,
        text,
        sections,
        warnings: Vec::new(),
    }
}

fn prose(sentences: usize) -> String {
    (0..sentences)
        .map(|i| format!("Heart rate variability was measured at rest in group {i} of the study."))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Everything that holds of any document under any settings.
fn assert_invariants(document: &Document, settings: &ChunkSettings) -> Chunked {
    let cut = chunk(document, settings);
    let limits = settings.clamped();
    for (i, chunk) in cut.chunks.iter().enumerate() {
        assert_eq!(chunk.span.slice(&document.text), Some(chunk.text.as_str()));
        assert_eq!(chunk.ordinal as usize, i);
        assert!(chunk.section.indexed());
        let whole = match chunk.prefix.as_str() {
            "" => chunk.text.clone(),
            prefix => format!("{prefix}\n{}", chunk.text),
        };
        assert_eq!(chunk.tokens as usize, count(&whole));
        let limited = if limits.count_prefix { &whole } else { &chunk.text };
        assert!(count(limited) <= limits.max_tokens, "{} tokens", count(limited));
        assert!(count(&chunk.prefix) <= limits.prefix_tokens, "{}", chunk.prefix);
        assert!(chunk.page_start <= chunk.page_end);
        assert!(!chunk.sentences.is_empty());
        for sentence in &chunk.sentences {
            let shared = &cut.sentences[sentence.number as usize];
            assert_eq!(sentence.span.slice(&chunk.text), shared.span.slice(&document.text));
            assert_eq!((sentence.page, chunk.section), (shared.page, shared.section));
            assert!((chunk.page_start..=chunk.page_end).contains(&sentence.page));
        }
        let numbers: Vec<u32> = chunk.sentences.iter().map(|s| s.number).collect();
        assert!(numbers.windows(2).all(|w| w[0] + 1 == w[1]), "{numbers:?}");
    }
    let mut reached = 0;
    for sentence in &cut.sentences {
        let text = sentence.span.slice(&document.text).expect("on character boundaries");
        assert!(sentence.span.start >= reached && !text.is_empty() && text.trim() == text);
        assert!(count(text) <= limits.max_sentence_tokens, "{} tokens", count(text));
        reached = sentence.span.end;
    }
    let ids: std::collections::BTreeSet<&str> = cut.chunks.iter().map(|c| c.chunk_id.as_str()).collect();
    assert_eq!(ids.len(), cut.chunks.len(), "ids are unique");
    for (before, chunk) in cut.chunks.iter().zip(cut.chunks.iter().skip(1)) {
        assert!(chunk.span.end > before.span.end, "each chunk adds text");
        if chunk.span.start < before.span.end {
            let shared = &document.text[chunk.span.start..before.span.end];
            assert!(count(shared) <= limits.overlap_tokens, "{} tokens shared", count(shared));
        }
    }
    for section in &document.sections {
        assert_covered(document, section, &cut);
    }
    cut
}

/// Sentences, each of which a chunk holds, have every character of a section that is not white space, if it is indexed, or none.
fn assert_covered(document: &Document, section: &Section, cut: &Chunked) {
    let mut at = section.span.start;
    for sentence in cut.sentences.iter().filter(|s| section.span.contains(s.span)) {
        assert!(section.name.indexed() && cut.chunks.iter().any(|c| c.span.contains(sentence.span)));
        assert_eq!(document.text[at..sentence.span.start].trim(), "");
        at = sentence.span.end;
    }
    assert!(!section.name.indexed() || document.text[at..section.span.end].trim().is_empty());
}

#[test]
fn a_long_section_becomes_overlapping_chunks_and_references_none() {
    use BlockKind::Paragraph;
    use SectionKind::{Methods, References, Results, Supplementary};
    let long = prose(100);
    let paper = document(
        "lee",
        &[
            (Methods, &[(Paragraph, &long)]),
            (References, &[(Paragraph, "[1] A. Nother. A paper. 2001.")]),
            (Results, &[(Paragraph, "It fell. It rose.")]),
            (Supplementary, &[(Paragraph, "Funding: none.")]),
            (Methods, &[(Paragraph, "Ethics approval was given.")]),
        ],
    );
    let cut = assert_invariants(&paper, &ChunkSettings::default());
    let ids: Vec<&str> = cut.chunks.iter().map(|c| c.chunk_id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "lee__methods__000",
            "lee__methods__001",
            "lee__methods__002",
            "lee__results__000",
            "lee__supplementary__000",
            "lee__methods__003"
        ],
        "numbers continue when a label repeats"
    );
    let first = &cut.chunks[0];
    assert!(first.tokens > 740, "chunks are filled: {}", first.tokens);
    assert!(first.prefix.starts_with("[Source: lee | Section: methods | Pages: 1]"));
    let shared: Vec<u32> = cut.chunks[1]
        .sentences
        .iter()
        .map(|s| s.number)
        .filter(|n| first.sentences.iter().any(|s| s.number == *n))
        .collect();
    assert!((5..=7).contains(&shared.len()), "about 100 tokens are shared: {shared:?}");
}

#[test]
fn captions_rows_and_equations_are_one_sentence_each() {
    let paper = document(
        "p",
        &[(
            SectionKind::Results,
            &[
                (BlockKind::Caption, "Figure 1. Mean rate. Bars show errors."),
                (BlockKind::TableRow, "Age | 23.1 | 24. 5"),
                (BlockKind::Equation, "x = 1. y = 2."),
                (BlockKind::Paragraph, "It fell. It rose"),
                (BlockKind::Paragraph, "again. Then not."),
            ],
        )],
    );
    let cut = assert_invariants(&paper, &ChunkSettings::default());
    let sentences: Vec<&str> = cut.sentences.iter().filter_map(|s| s.span.slice(&paper.text)).collect();
    assert_eq!(
        sentences,
        [
            "Figure 1. Mean rate. Bars show errors.",
            "Age | 23.1 | 24. 5",
            "x = 1. y = 2.",
            "It fell.",
            "It rose",
            "again.",
            "Then not."
        ],
        "no sentence spans two blocks"
    );
    let pages: Vec<u32> = cut.sentences.iter().map(|s| s.page).collect();
    assert_eq!(pages, [1, 2, 3, 4, 4, 5, 5]);
    assert_eq!((cut.chunks[0].page_start, cut.chunks[0].page_end), (1, 5));
    assert!(cut.chunks[0].prefix.ends_with("Pages: 1-5]"));
}

#[test]
fn page_breaks_inside_a_block_are_seen() {
    let mut paper =
        document("p", &[(SectionKind::Body, &[(BlockKind::Paragraph, "One here. Two there. Three.")])]);
    let start = paper.sections[0].blocks[0].span.start;
    paper.sections[0].blocks[0].page_breaks = vec![(start + 14, 2), (start + 21, 3)];
    paper.sections[0].blocks[0].page_end = 3;
    let cut = assert_invariants(&paper, &ChunkSettings::default());
    let pages: Vec<u32> = cut.sentences.iter().map(|s| s.page).collect();
    assert_eq!(pages, [1, 1, 3], "the second sentence starts on page 1 and ends on page 2");
    assert_eq!((cut.chunks[0].page_start, cut.chunks[0].page_end), (1, 3));
}

#[test]
fn what_is_too_long_is_cut_and_nothing_is_lost() {
    let word = "x".repeat(30_000);
    let run_on = "heart rate and ".repeat(3_000);
    let cjk = "心拍数".repeat(2_000);
    let gap = format!("Before.{}After.", " ".repeat(20_000));
    for body in [word.as_str(), &run_on, &cjk, &gap, &"🧬".repeat(3_000), "\u{feff}\u{0}\u{301}", "", " \n "]
    {
        for kind in [BlockKind::Paragraph, BlockKind::Caption, BlockKind::TableRow] {
            let paper =
                document("p", &[(SectionKind::Body, &[(kind, body), (BlockKind::Paragraph, "The end.")])]);
            assert_invariants(&paper, &ChunkSettings::default());
        }
    }
}

#[test]
fn broken_spans_lose_no_text() {
    let mut paper = document(
        "p",
        &[(SectionKind::Body, &[(BlockKind::Paragraph, "Éins. Zwei."), (BlockKind::Paragraph, "Drei.")])],
    );
    let section = &mut paper.sections[0];
    // Inside a character, overlapping, out of order, and past the end.
    section.blocks[0].span = Span::new(section.span.start + 1, section.span.end + 99);
    section.blocks[1].span = Span::new(0, 4);
    assert_invariants(&paper, &ChunkSettings::default());
    paper.sections[0].blocks.clear();
    let cut = assert_invariants(&paper, &ChunkSettings::default());
    assert_eq!(cut.sentences.len(), 3, "text outside of blocks is prose");
    paper.sections[0].span = Span::new(9_000, 9_001);
    assert_eq!(chunk(&paper, &ChunkSettings::default()), Chunked::default());
}

fn any_kind() -> impl Strategy<Value = BlockKind> {
    prop::sample::select(vec![
        BlockKind::Paragraph,
        BlockKind::ListItem,
        BlockKind::Caption,
        BlockKind::TableRow,
        BlockKind::Equation,
        BlockKind::Footnote,
    ])
}

fn any_body() -> impl Strategy<Value = String> {
    let sentence = prop_oneof![
        8 => "[A-Z][a-z]{1,12}( [a-z0-9]{1,12}){0,40}[.?!]",
        1 => "\\PC{0,200}",
        1 => "[ \n]{1,40}",
    ];
    prop::collection::vec(sentence, 0..40).prop_map(|parts| parts.join(" "))
}

#[test]
fn neighbouring_sections_of_one_label_share_chunks() {
    let body = prose(3);
    let block = [(BlockKind::Paragraph, body.as_str())];
    let kinds = [
        SectionKind::Methods,
        SectionKind::Methods,
        SectionKind::Results,
        SectionKind::References,
        SectionKind::Results,
    ];
    let paper = document("lee", &kinds.map(|kind| (kind, &block[..])));
    let chunks = assert_invariants(&paper, &ChunkSettings::default()).chunks;
    let said: Vec<(&str, &str)> = chunks.iter().map(|c| (c.heading.as_str(), c.prefix.as_str())).collect();
    assert_eq!(
        said,
        [
            ("0. Heading; 1. Heading", "[Source: lee | Section: methods | Pages: 1-2]"),
            ("2. Heading", "[Source: lee | Section: results | Pages: 3]"),
            ("4. Heading", "[Source: lee | Section: results | Pages: 5]"),
        ]
    );
    let methods = &chunks[0];
    assert!(methods.text.contains("1. Heading") && methods.text.matches("group 2 of").count() == 2);
    assert_eq!(methods.sentences.len(), 6, "a heading is no sentence");
    assert!(!chunks.iter().any(|c| c.text.contains("3. Heading")), "what is not indexed");
}
