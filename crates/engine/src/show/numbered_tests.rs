use super::*;
use std::sync::Arc;
use types::{Origin, SourceMeta};

fn citation(source: &str, chunk: &str, quote: &str, page: u32) -> Citation {
    let value = serde_json::json!({
        "source_id": source, "chunk_id": chunk, "relevant_quote": quote,
        "section": "results", "page_start": page, "page_end": page,
    });
    serde_json::from_value(value).expect("a citation")
}

fn chunk(source: &str, id: &str, text: &str) -> ContextRecord {
    ContextRecord {
        chunk_id: id.into(),
        source_id: source.into(),
        section: SectionKind::Results,
        page_start: 1,
        page_end: 1,
        text: text.to_owned(),
        origin: Origin::Reranked,
        rerank_score: None,
        title: None,
        authors: Vec::new(),
        year: None,
    }
}

fn numbered(answer: &str, citations: Vec<Citation>, context: &[ContextRecord]) -> Numbered {
    let response = ResponseRecord { answer: answer.to_owned(), citations, ..ResponseRecord::default() };
    number(&response, context, |id| Reference {
        meta: Arc::new(SourceMeta { source_id: id.clone(), ..SourceMeta::default() }),
        ..Reference::default()
    })
}

/// Blocks as short texts: `"quote" 1 2`, prose with `[1]`, and `+` for an empty line before it.
fn written(blocks: &[Block]) -> Vec<String> {
    let one = |block: &Block| match block {
        Block::Quote { text, sources, .. } => {
            let numbers: Vec<String> = sources.iter().map(ToString::to_string).collect();
            format!("\"{text}\" {}", numbers.join(" "))
        }
        Block::Prose { pieces, apart } => {
            let text: String = pieces
                .iter()
                .map(|piece| match piece {
                    Piece::Text(text) => text.clone(),
                    Piece::Mark(n) => format!("[{n}]"),
                })
                .collect();
            format!("{}{text}", if *apart { "+" } else { "" })
        }
    };
    blocks.iter().map(one).collect()
}

#[test]
fn verbatim_sentences_become_quotes() {
    let context = [
        chunk("a", "a__r__0", "Snails slept\nlong [3]. Slugs did not"),
        chunk("b", "b__r__0", "Whales sang."),
    ];
    let answer = "These passages may answer the question:\n\nSnails slept long [3]. (a, a__r__0) Slugs did not (a, a__r__0).\n\nWhales \
                  sang. (b, b__r__0)";
    let citations = vec![
        citation("a", "a__r__0", "Snails slept\nlong [3].", 2),
        citation("a", "a__r__0", "Slugs did not", 3),
        citation("b", "b__r__0", "Whales sang.", 2),
    ];
    let out = numbered(answer, citations, &context);
    assert_eq!(
        written(&out.blocks),
        [
            "+These passages may answer the question:",
            "\"Snails slept long [3]. Slugs did not\" 1",
            "\"Whales sang.\" 2"
        ]
    );
    assert_eq!(out.sources.len(), 2, "each source once");
    let pages: Vec<_> = out.sources[0].places.iter().map(|p| p.pages).collect();
    assert_eq!(pages, [Some((2, 2)), Some((3, 3))]);
    assert!(out.sources.iter().all(|s| s.places.iter().all(|p| p.quotes.iter().all(|q| q.in_answer))));
}

#[test]
fn sentences_that_follow_each_other_are_one_quote() {
    let context = [chunk("a", "a__r__0", "Snails slept long. Slugs did not. Newts swam. Frogs sang.")];
    let answer = "This passage may answer the question:\n\nSnails slept long. (a, a__r__0) Slugs did not. (a, a__r__0)\n\nFrogs sang. (a, \
                  a__r__0)";
    let citations = vec![
        citation("a", "a__r__0", "Slugs did not.", 1),
        citation("a", "a__r__0", "Frogs sang.", 1),
        citation("a", "a__r__0", "Snails slept long.", 1),
    ];
    let response = ResponseRecord {
        answer: answer.to_owned(),
        citations,
        confidence: "low".to_owned(),
        ..ResponseRecord::default()
    };
    let out = number(&response, &context, |_| Reference::default());
    assert_eq!(
        written(&out.blocks),
        [
            "+This passage may answer the question:",
            "\"Snails slept long. Slugs did not.\" 1",
            "\"Frogs sang.\" 1"
        ]
    );
    let Block::Quote { text, first: Some(first), .. } = &out.blocks[1] else {
        panic!("{:?}", out.blocks[1]);
    };
    assert_eq!(&text[first.clone()], "Slugs did not.");
}

#[test]
fn what_is_not_verbatim_stays_prose() {
    let context = [chunk("a", "a__r__0", "Snails slept long."), chunk("b", "b__r__0", "Whales sang.")];
    let answer = "Whales sing (b, b__r__0) and snails\nsleep (a, a__r__0; b, b__r__0). Both rest (a, a__r__0), (a, \
                  a__r__1).\n\n- a point (zed, zed__r__0)\n- another\n";
    let citations =
        vec![citation("a", "a__r__0", "Snails slept long.", 1), citation("c", "c__r__0", "Unused.", 1)];
    let out = numbered(answer, citations, &context);
    assert_eq!(
        written(&out.blocks),
        ["Whales sing [1] and snails", "sleep [2][1]. Both rest [2].", "+- a point [3]", "- another"]
    );
    let ids: Vec<&str> = out.sources.iter().map(|s| s.reference.meta.source_id.as_str()).collect();
    // By first mark, then what is cited without a mark.
    assert_eq!(ids, ["b", "a", "zed", "c"]);
    assert!(!out.sources[1].places[0].quotes[0].in_answer, "a paraphrase needs its quote");
}

#[test]
fn one_changed_word_makes_prose_of_a_quote() {
    let context = [chunk("a", "a__r__0", "Snails slept for 2.9 hours.")];
    let check = |answer: &str, quote: bool| {
        let out = numbered(answer, Vec::new(), &context);
        assert_eq!(matches!(out.blocks[0], Block::Quote { .. }), quote, "{answer}");
    };
    check("Snails slept for 2.9 hours. (a, a__r__0)", true);
    check("Snails slept for 9.2 hours. (a, a__r__0)", false);
    check("Snails slept for 2.9 hours. (b, b__r__0)", false);
    check("Snails slept for 2.9 hours. (a, a__r__0; b, b__r__0)", false);
    check("Snails slept for 2.9 hours.", false);
}

#[test]
fn places_are_listed_once() {
    let quote = |text: &str, page: u32| citation("a", "a__r__0", text, page);
    let out = numbered(
        "x (a, a__r__0)",
        vec![quote("one", 4), quote("two", 5), quote("one", 4), quote("three", 4)],
        &[],
    );
    let places = &out.sources[0].places;
    let texts = |i: usize| places[i].quotes.iter().map(|q| q.text.as_str()).collect::<Vec<_>>();
    assert_eq!((places.len(), texts(0), texts(1)), (2, vec!["one", "three"], vec!["two"]));
}

#[test]
fn what_a_row_says_stands_between_quotes() {
    let context = [chunk("a", "a__r__0", "Mice ran far."), chunk("b", "b__r__0", "Falls, n | 81 | 84")];
    let citations = || {
        vec![citation("a", "a__r__0", "Mice ran far.", 1), citation("b", "b__r__0", "Falls, n | 81 | 84", 2)]
    };
    let answer = "Falls, n: Vitamin D 81; Placebo 84 (Table 1) (b, b__r__0). Mice ran far. (a, a__r__0)";
    let shown = numbered(answer, citations(), &context);
    let row = "+Falls, n: Vitamin D 81; Placebo 84 (Table 1) [1]";
    assert_eq!(written(&shown.blocks), [row, "\"Mice ran far.\" 2"]);
    // Words of a language model are no row.
    let shown = numbered("Mice went far. (a, a__r__0)", citations(), &context);
    assert_eq!(written(&shown.blocks), ["Mice went far. [1]"]);
}
