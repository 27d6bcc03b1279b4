//! How answers look that a language model wrote, from hostile text.

use super::*;
use crate::page::Terminal;
use engine::show::{Block, Cited, Numbered, Piece, Place, ShownQuote};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use serde_json::json;
use types::{ResponseRecord, SectionKind, SourceMeta};

const QUOTE: &str = "Slugs <b>rest</b> *at* [noon](javascript:x).";

fn record(answer: &str, no_evidence: bool) -> RunRecord {
    RunRecord {
        query: "Do slugs # rest?".to_owned(),
        model: "some-model".to_owned(),
        response: ResponseRecord {
            answer: answer.to_owned(),
            confidence: "medium".to_owned(),
            evidence_quality: "one passage".to_owned(),
            caveats: vec!["a caveat\u{1b}[31m".to_owned()],
            no_evidence,
            ..ResponseRecord::default()
        },
        ..RunRecord::default()
    }
}

fn view(record: &RunRecord) -> View<'_> {
    let text = |text: &str| Piece::Text(text.to_owned());
    let place = |page: u32, quote: &str, in_answer: bool| Place {
        section: Some(SectionKind::Results),
        pages: Some((page, page)),
        quotes: vec![ShownQuote { text: quote.to_owned(), in_answer }],
    };
    let source = Reference {
        meta: Arc::new(SourceMeta {
            source_id: "a_2021".into(),
            title: Some("Slugs\u{1b}[2J and *rest*".to_owned()),
            authors: vec!["Ada <i>Crell".to_owned()],
            year: Some(2021),
            fictional: true,
            ..SourceMeta::default()
        }),
        path: Some("/papers/a b.pdf".into()),
        record: None,
    };
    View {
        record,
        numbered: Numbered {
            blocks: vec![
                Block::Prose {
                    pieces: vec![text("Slugs *rest* "), Piece::Mark(1), text(", they do.")],
                    apart: false,
                },
                Block::Prose { pieces: vec![text("- at noon "), Piece::Mark(1)], apart: true },
                Block::Prose { pieces: vec![text("- at night <script>")], apart: false },
            ],
            sources: vec![Cited {
                reference: source,
                places: vec![place(3, QUOTE, false), place(4, "they do. And then some more", true)],
            }],
        },
        closest: Vec::new(),
        context: Vec::new(),
        here: Here::default(),
    }
}

#[test]
fn a_written_answer_has_its_quotes_below_its_sources() {
    let record = record("x", false);
    let out = view(&record).page().text(Terminal { width: Some(60), ..Terminal::default() });
    let want = "\
Slugs *rest* [1], they do.

- at noon [1]
- at night <script>

Source
[1] Ada <i>Crell (2021). Slugs�[2J and *rest*. (fictional
    sample paper)
    Results, p. 3: /papers/a b.pdf#page=3
      “Slugs <b>rest</b> *at* [noon](javascript:x).”
    Results, p. 4, “they do. And then…”:
      /papers/a b.pdf#page=4

Confidence: medium. One passage.
Note: A caveat�[31m.
Written by pipeline with some-model in 0 ms.
";
    assert_eq!(out, want);
    let styled = view(&record).page().text(Terminal { width: Some(60), styled: true, ..Terminal::default() });
    assert!(styled.contains("\u{1b}[1m[1]"), "{styled:?}");
    assert!(!styled.contains("\u{1b}[31m") && !styled.contains("\u{1b}[2J"), "{styled:?}");
}

#[test]
fn markdown_holds_the_same_and_no_markup_of_papers() {
    let record = record("x", false);
    let out = view(&record).page().markdown();
    let (mut quoted, mut depth, mut links) = (String::new(), 0, Vec::new());
    for event in Parser::new(&out) {
        match event {
            Event::Start(Tag::BlockQuote(_)) => depth += 1,
            Event::End(TagEnd::BlockQuote(_)) => depth -= 1,
            Event::Start(Tag::Link { dest_url, .. }) => links.push(dest_url.to_string()),
            Event::Text(text) if depth > 0 => quoted.push_str(&text),
            Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::Emphasis) => {
                panic!("{event:?} in {out}")
            }
            _ => {}
        }
    }
    assert_eq!(quoted, QUOTE, "{out}");
    assert_eq!(links, ["/papers/a%20b.pdf#page=3", "/papers/a%20b.pdf#page=4"], "{out}");
    assert!(out.starts_with("**Do slugs # rest?**\n\n"), "{out}");
    assert!(out.contains("\n- at noon [1]\n- at night \\<script>\n\n"), "{out}");
}

#[test]
fn a_refusal_gives_its_reason_and_what_it_does_not_repeat() {
    let mut record = record("no answer found in your papers: no “slug”", true);
    record.guardrails = serde_json::from_value(json!([
        {"guardrail": "topic", "action": "refused", "subject": "question", "reason": "a caveat"}
    ]))
    .expect("actions");
    let out = view(&record).page().text(Terminal { width: Some(100), ..Terminal::default() });
    assert_eq!(out, "No answer found in your papers: no “slug”.\n\nWritten by pipeline: no answer; 0 ms.\n");
}
