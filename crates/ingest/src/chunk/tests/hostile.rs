//! The same promises on text that was not written to be cut: other scripts and directions, tables, words without end,
//! broken characters, limits that are too small, spans that a faulty parser might report.

use super::*;
use types::SourceId;

/// Text that is hard on one of the steps: segmenting, counting, cutting between words.
fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        // Right to left, with numbers and Latin words inside; with the marks that turn the direction.
        "[א-ת]{1,8}( [א-ת]{1,8}| [0-9]{1,3}%| PLoS){0,30}[.؟!]",
        "[ا-ي]{1,9}([ ،][ا-ي\u{064b}-\u{0652}]{1,9}){0,30}[.؟]",
        "(\u{202e}|\u{2067})[a-z א-ת]{1,60}(\u{202c}|\u{2069})?",
        // No spaces between words.
        "[一-龥ぁ-ん]{1,200}[。！？]?",
        "[ก-๛]{1,120}",
        // Characters that are made of several, and halves of such.
        "(👩\u{200d}🔬|🇩🇪|e\u{301}\u{302}|\u{200d}|\u{fe0f}){1,60}",
        "[\u{300}-\u{36f}]{1,80}",
        // What PDFs give for fonts without a table, and what has no width.
        "[\u{e000}-\u{e0ff}\u{fffd}]{1,80}",
        "[\u{0}-\u{8}\u{b}\u{e}-\u{1f}\u{7f}-\u{9f}]{1,40}",
        "[\u{200b}\u{ad}\u{feff}\u{2028}\u{2029}\u{85}\u{a0}\u{3000}]{1,40}",
        // Words without end, and sentences without end.
        "[a-z]{300,1500}",
        "[ACGT]{100,900}",
        "([a-z]{1,9}[ ,;]){100,300}",
        // Numbers, units, references, abbreviations: stops that end nothing.
        "(et al\\. |Fig\\. [0-9] |p < 0\\.0[0-9] |[0-9]\\.[0-9]+ |e\\.g\\. |Dr\\. [A-Z]\\. ){1,40}",
        "[.!?… ]{1,80}",
        "<\\|endoftext\\|>( <\\|fim_prefix\\|>){0,5}",
        "\\PC{0,120}",
    ]
}

/// Rows of a table, cells with and without content.
fn table() -> impl Strategy<Value = Vec<(BlockKind, String)>> {
    let cell = prop_oneof!["[0-9]{1,4}(\\.[0-9]+)?( ± [0-9])?", "[A-Za-z ]{0,30}", "", "-"];
    let row = prop::collection::vec(cell, 1..30).prop_map(|cells| (BlockKind::TableRow, cells.join(" | ")));
    prop::collection::vec(row, 1..40)
}

fn blocks() -> impl Strategy<Value = Vec<(BlockKind, String)>> {
    prop_oneof![
        3 => prop::collection::vec((any_kind(), hostile()), 0..12),
        1 => table(),
        1 => prop::collection::vec((any_kind(), any_body()), 0..3),
    ]
}

fn settings() -> impl Strategy<Value = ChunkSettings> {
    // Below what can be kept to, at its edge, and usual.
    let size = || prop::sample::select(vec![0_usize, 1, 8, 63, 64, 65, 96, 300, 768]);
    (size(), size(), size(), size(), any::<bool>()).prop_map(
        |(max_tokens, overlap_tokens, max_sentence_tokens, prefix_tokens, count_prefix)| ChunkSettings {
            max_tokens,
            overlap_tokens,
            max_sentence_tokens,
            count_prefix,
            prefix_tokens,
        },
    )
}

fn sections() -> impl Strategy<Value = Vec<(SectionKind, Vec<(BlockKind, String)>)>> {
    prop::collection::vec((prop::sample::select(SectionKind::ALL.to_vec()), blocks()), 0..4)
}

fn build(source: &str, sections: &[(SectionKind, Vec<(BlockKind, String)>)]) -> Document {
    let blocks: Vec<(SectionKind, Vec<(BlockKind, &str)>)> = sections
        .iter()
        .map(|(name, blocks)| (*name, blocks.iter().map(|(k, b)| (*k, b.as_str())).collect()))
        .collect();
    let drafts: Vec<Draft<'_>> = blocks.iter().map(|(name, blocks)| (*name, blocks.as_slice())).collect();
    document(source, &drafts)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn invariants_hold_for_hostile_text(
        sections in sections(),
        settings in settings(),
        title in prop::option::of(hostile()),
        authors in prop::collection::vec(hostile(), 0..3),
        heading in hostile(),
    ) {
        let mut paper = build("p", &sections);
        paper.meta.title = title;
        paper.meta.authors = authors;
        for section in &mut paper.sections {
            section.heading.clone_from(&heading);
        }
        assert_invariants(&paper, &settings);
    }

    #[test]
    fn what_is_added_behind_changes_nothing_before(sections in sections(), more in sections(), settings in settings()) {
        let short = chunk(&build("p", &sections), &settings);
        // A section of the same label would share the last chunk.
        let all = [sections, vec![(SectionKind::References, Vec::new())], more].concat();
        let long = chunk(&build("p", &all), &settings);
        prop_assert_eq!(&long.chunks[..short.chunks.len()], &short.chunks[..]);
        prop_assert_eq!(&long.sentences[..short.sentences.len()], &short.sentences[..]);
    }

    #[test]
    fn the_name_of_a_source_is_all_that_another_name_changes(sections in sections(), settings in settings()) {
        let papers = ["a", "b"].map(|source| build(source, &sections));
        let [a, b] = papers.map(|paper| chunk(&paper, &settings));
        let renamed: Vec<Chunk> = a
            .chunks
            .into_iter()
            .map(|chunk| Chunk {
                chunk_id: format!("b{}", &chunk.chunk_id.as_str()[1..]).into(),
                source_id: SourceId::from("b"),
                prefix: chunk.prefix.replacen(": a |", ": b |", 1),
                ..chunk
            })
            .collect();
        prop_assert_eq!(renamed, b.chunks);
    }

    /// A parser must not report such spans; if it does, every chunk is still a slice of the document within its
    /// limit, and nothing panics.
    #[test]
    fn spans_at_random_break_nothing(
        sections in sections(),
        spans in prop::collection::vec((0_usize..4000, 0_usize..4000), 1..12),
        breaks in prop::collection::vec((0_usize..4000, 0_u32..9), 0..6),
        settings in settings(),
    ) {
        let mut paper = build("p", &sections);
        let mut spans = spans.into_iter().cycle().map(|(start, end)| Span::new(start, end));
        for (i, section) in paper.sections.iter_mut().enumerate() {
            if i % 2 == 1 {
                section.span = spans.next().unwrap_or_default();
            }
            for block in &mut section.blocks {
                block.span = spans.next().unwrap_or_default();
                block.page_breaks.clone_from(&breaks);
            }
        }
        let limits = settings.clamped();
        let cut = chunk(&paper, &settings);
        for chunk in &cut.chunks {
            prop_assert_eq!(chunk.span.slice(&paper.text), Some(chunk.text.as_str()));
            let counted = if limits.count_prefix {
                chunk.tokens as usize
            } else {
                count(&chunk.text)
            };
            prop_assert!(counted <= limits.max_tokens);
            for sentence in &chunk.sentences {
                let shared = cut.sentences[sentence.number as usize];
                prop_assert_eq!(Some(chunk.sentence(sentence)), shared.span.slice(&paper.text));
            }
        }
    }
}

#[test]
fn a_long_table_is_cut_between_its_rows() {
    let rows: Vec<(BlockKind, String)> = (0..400)
        .map(|i| (BlockKind::TableRow, format!("Group {i} | {i}.5 ± 0.3 | n = {i} | p < 0.001")))
        .collect();
    let paper = build("p", &[(SectionKind::Results, rows.clone())]);
    let cut = assert_invariants(&paper, &ChunkSettings::default());
    assert!(cut.chunks.len() > 5);
    for chunk in &cut.chunks {
        for row in chunk.text.lines() {
            assert!(rows.iter().any(|(_, text)| text == row), "{row:?} is no whole row");
        }
    }
}

#[test]
fn text_that_runs_from_right_to_left_keeps_its_sentences_and_its_order() {
    let hebrew = "נמדד קצב הלב. נמצאה ירידה של 12% בקבוצה השנייה! האם זה מובהק?";
    let arabic = "شارك ثلاثون بالغًا في الدراسة. انخفض الضغط بنسبة 5.2 مم زئبق.";
    let paper = build(
        "p",
        &[(
            SectionKind::Results,
            vec![(BlockKind::Paragraph, hebrew.to_owned()), (BlockKind::Paragraph, arabic.to_owned())],
        )],
    );
    let cut = assert_invariants(&paper, &ChunkSettings::default());
    assert_eq!(cut.chunks[0].text, format!("{hebrew}\n{arabic}"));
    let sentences: Vec<&str> = cut.sentences.iter().filter_map(|s| s.span.slice(&paper.text)).collect();
    assert_eq!(sentences.concat().replace(' ', ""), format!("{hebrew}{arabic}").replace(' ', ""));
    assert!(sentences.len() >= 4, "{sentences:?}");
}
