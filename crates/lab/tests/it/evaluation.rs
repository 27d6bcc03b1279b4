//! The report of an evaluation, in all three forms.

use eval::report::{Details, Evaluation, Provenance, Setting};
use eval::{Comparison, GoldPath, Ordered, Row, Score};
use lab::report::evaluation::{html, markdown, page, pull_request, write};
use lab::report::page::Terminal;
use std::collections::BTreeMap;
use types::{
    CheckedClaim, Citation, ContextRecord, GuardrailAction, GuardrailKind, Mode, ResponseRecord, RunRecord,
};

const QUOTE: &str = "Pressure fell by 5 mg.";
const HOSTILE: &str = "x | y\n## Injected\n</style><img src=x onerror=alert(1)><script>alert(1)</script> [click](http://evil.example) \
                       <details> `code` &\u{202e}\u{0}\u{200b}";

/// Ten questions in two modes: the papers answer eight. Mode hybrid answers seven and shows six of the quotes; mode vector
/// answers all and shows none.
fn rows() -> Vec<Row> {
    let row = |id: usize, mode: &str, refused: bool, shown: bool| {
        let expected = id > 7;
        let mut row = Row {
            query_id: format!("Q{id}"),
            kind: "direct".into(),
            query: "How much?".into(),
            mode: mode.into(),
            no_evidence: Some(refused),
            expected_no_evidence: Some(expected),
            answer: format!("{QUOTE} (a_2020, a__body__000)"),
            candidates_key: if id < 4 { "same".into() } else { format!("{mode}{id}") },
            attempts: 1,
            ..Row::default()
        };
        row.scores.insert("no_evidence_accuracy", Score::flag(refused == expected));
        let (key, value) = if expected { ("unanswerable_accuracy", refused) } else { ("coverage", !refused) };
        row.scores.insert(key, Score::flag(value));
        if !expected {
            row.gold = vec![GoldPath {
                source_id: "a_2020".into(),
                quote: QUOTE.into(),
                reranked: Some(true),
                in_context: Some(true),
                in_answer: shown,
            }];
            row.gold_ranks = vec![Some(1)];
            row.scores.insert("gold_recall_answer", Score::flag(shown));
            row.scores.insert("gold_recall_context", Score::flag(true));
        }
        row
    };
    (0..10)
        .flat_map(|id| {
            [row(id, "hybrid", id == 0 || id > 7, (1..7).contains(&id)), row(id, "vector", false, false)]
        })
        .collect()
}

fn of(rows: Vec<Row>, generator: &str) -> Evaluation {
    let from = Provenance {
        models: BTreeMap::from([
            ("generator".to_owned(), generator.to_owned()),
            ("judge".to_owned(), "j".to_owned()),
        ]),
        corpus: "18 papers in 306 passages".into(),
        query_set: "set.jsonl".into(),
        version: "0.1.0+abc".into(),
        seed: 7,
        ..Provenance::default()
    };
    Evaluation::new("run-1", rows, from)
}

/// All of it on one line.
fn flat(evaluation: &Evaluation) -> String {
    text(evaluation, true).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn text(evaluation: &Evaluation, unfolded: bool) -> String {
    page(evaluation).text(Terminal { width: Some(100), unfolded, ..Terminal::default() })
}

#[test]
fn the_verdict_comes_first_and_the_rest_is_folded() {
    let mut evaluation = of(rows(), "some-model");
    evaluation.started = "2026-01-02T03:04:05Z".into();
    let told = text(&evaluation, false);
    let order = [
        "Corpus     18 papers in 306 passages",
        "Judge      j",
        "Date       2026-01-02 03:04 UTC",
        "Version    0.1.0+abc",
        "In mode hybrid, 7 of 8 answerable questions (53 to 98 %) were answered and 2 of 2 unanswerable ones",
        "Whether the answers are right was not checked.",
        "No-evidence accuracy is 0.900; always answering would score 0.800, always refusing 0.200.",
        "Of 2 gold quotes that the answers do not show, 2 are lost between the context",
        "Coverage",
        "Matched: not checked.",
        "No-evidence accuracy   0.900   0.800",
        "hybrid and vector had the same candidates for 4 of 10 questions.",
        "What failed, and at which stage",
        "In the answer            0.750",
        "Selection miss",
        "10 of 10 questions failed in a mode.",
        "With --verbose: All metrics,",
    ];
    let mut from = 0;
    let flat = told.replace('\n', " ");
    for says in order {
        let at = flat[from..].find(says).unwrap_or_else(|| panic!("{says:?} is not in its place in {told}"));
        from += at;
    }
    for (text, unfolded) in [(&told, false), (&text(&evaluation, true), true)] {
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{}: {line}", line.chars().count());
        }
        let metrics = eval::metrics::specs().all(|spec| text.contains(spec.title));
        assert_eq!(metrics, unfolded, "{text}");
    }
    let markdown = markdown(&evaluation);
    assert!(
        markdown.contains("<details><summary>All metrics</summary>\n\n| Metric | hybrid | vector |"),
        "{markdown}"
    );
    assert!(!markdown.contains("NaN"));
    let gates = pull_request(&evaluation, &[]).markdown();
    assert!(gates.contains("## Verdict") && gates.lines().count() < 40, "{gates}");
}

#[test]
fn a_wrong_answer_is_never_green() {
    let mut rows = rows();
    for row in &mut rows {
        row.scores.insert("matched", Score::flag(row.query_id == "Q1" && row.mode == "hybrid"));
    }
    let page = html(&of(rows, "some-model"));
    // Q1 is right, two refusals are; everything else in two modes is wrong.
    assert_eq!(page.matches("✓ answered, matched").count(), 2, "in the list and in the question");
    assert_eq!(page.matches("outcome right\">✓ refused").count(), 4);
    assert!(
        page.contains("outcome wrong\">✗ answered, not matched")
            && page.contains("outcome wrong\">✗ answered, no evidence")
    );
    assert!(!page.contains("✓ right"));
}

#[test]
fn what_holds_by_construction_follows_the_direction_of_the_metric() {
    let with = |lower: f64, higher: f64| {
        let mut rows = rows();
        for row in &mut rows {
            row.scores.insert("hallucinated_numbers", Score::value(lower));
            row.scores.insert("faithful", Score::value(higher));
        }
        of(rows, "extractive")
    };
    let best = flat(&with(0.0, 1.0));
    assert!(best.contains("Hallucinated numbers ≡") && best.contains("Binary faithfulness ≡"), "{best}");
    let worst = flat(&with(1.0, 0.0));
    assert!(!worst.contains("Binary faithfulness ≡"), "{worst}");
}

#[test]
fn differences_are_significant_after_the_correction_alone() {
    let mut evaluation = of(rows(), "some-model");
    let found = |p_holm| Comparison {
        delta: Some(0.75),
        ci_low: Some(0.5),
        ci_high: Some(1.0),
        p: Some(0.01),
        p_holm: Some(p_holm),
        n_pairs: 8,
        wins: 6,
        in_family: true,
        questions_needed: Some(12),
        ..Comparison::default()
    };
    evaluation.summary.comparison = Ordered::default();
    for (p, says) in [
        (
            0.04,
            "from vector in gold recall in the context (+0.750, better, p 0.040) and gold recall in the answer (+0.750, better, p 0.040)",
        ),
        (0.06, "No metric differs significantly between hybrid and vector"),
    ] {
        evaluation.summary.comparison.insert("gold_recall_answer", found(p));
        evaluation.summary.comparison.insert("gold_recall_context", found(p));
        let told = flat(&evaluation);
        assert!(told.contains(says), "{says:?} is not in {told}");
    }
    let table = markdown(&evaluation);
    assert!(table.contains("| 0.060, 12 more |"), "how many more questions it takes: {table}");
}

/// The evaluation with what a log has of its first question, every text of it `of`.
fn logged(of: &str, mut evaluation: Evaluation) -> Evaluation {
    let mut details = Details::default();
    for id in ["Q1", "Q2"] {
        details.add(RunRecord {
            query_id: Some(id.into()),
            mode: Some(Mode::Hybrid),
            context: Some(vec![ContextRecord {
                chunk_id: "a__body__000".into(),
                source_id: "a_2020".into(),
                text: format!("Before. {QUOTE} {of}"),
                title: Some(of.into()),
                year: Some(2021),
                page_start: 3,
                page_end: 3,
                ..context()
            }]),
            response: ResponseRecord {
                citations: vec![Citation {
                    source_id: "a_2020".into(),
                    chunk_id: "a__body__000".into(),
                    relevant_quote: QUOTE.into(),
                    ..Citation::default()
                }],
                evidence_quality: of.into(),
                ..ResponseRecord::default()
            },
            claims: vec![CheckedClaim {
                claim: of.into(),
                reason: Some(of.to_owned()),
                ..CheckedClaim::default()
            }],
            ..RunRecord::default()
        });
    }
    evaluation.details = Some(details);
    evaluation
}

fn context() -> ContextRecord {
    serde_json::from_value(serde_json::json!({"chunk_id": "c", "source_id": "s", "section": "body", "page_start": 1, "page_end": 1,
        "text": "", "origin": "reranked"}))
    .expect("a chunk")
}

#[test]
fn a_page_shows_quotes_and_their_places() {
    let page = html(&logged("Title", of(rows(), "some-model")));
    for says in [
        QUOTE,
        "✗ not supported",
        "Title (2021), body, p. 3",
        "candidate 1 → ✓ reranked → ✓ context → ✓ answer",
    ] {
        assert!(page.contains(says), "{says:?} is not in the page");
    }
    assert!(!page.contains("<script") && !page.contains(" style=\""), "the policy would refuse both");
}

#[test]
fn hostile_text_is_never_markup() {
    let mut rows = rows();
    for row in &mut rows {
        (row.query, row.answer, row.kind) = (HOSTILE.into(), HOSTILE.into(), HOSTILE.into());
        row.tags = vec![HOSTILE.into()];
        row.caveats = vec![HOSTILE.into()];
    }
    rows[0].error = Some(HOSTILE.into());
    rows[1].guardrails = vec![GuardrailAction {
        guardrail: GuardrailKind::Entity,
        action: HOSTILE.into(),
        subject: HOSTILE.into(),
        reason: HOSTILE.into(),
        sentence: false,
    }];
    let mut evaluation = logged(HOSTILE, of(rows, HOSTILE));
    evaluation.summary.run_id = HOSTILE.into();
    evaluation.notes.push(HOSTILE.into());
    evaluation.provenance.architecture =
        vec![Setting { section: HOSTILE.into(), key: "k".into(), value: HOSTILE.into() }];
    let page = html(&evaluation);
    assert!(page.matches("&lt;script&gt;alert(1)").count() > 20);
    for tag in ["<img", "<script", "href=\"http", "onerror=\"", "\u{202e}", "\u{0}", "\u{200b}"] {
        assert!(!page.contains(tag), "{tag:?}");
    }
    assert_eq!(page.matches("</style>").count(), 1);
    let policy = "Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-";
    assert!(page.contains(policy), "nothing may be loaded or run");
    let phase = lab::report::phase::markdown(&evaluation);
    for text in [markdown(&evaluation), phase] {
        let unescaped = text.replace("\\<", "").replace("\\]", "");
        assert!(!unescaped.contains("<img") && !unescaped.contains("]("), "{text}");
        assert!(!text.lines().any(|line| line.trim_start().starts_with("## Injected")));
        for line in text.lines().filter(|line| line.starts_with('|')) {
            assert!(line.replace("\\|", "").matches('|').count() >= 3, "{line}");
        }
        let folds = |tag: &str| text.lines().filter(|line| line.starts_with(tag)).count();
        assert_eq!(folds("<details>"), folds("</details>"));
    }
}

#[test]
fn the_same_rows_give_the_same_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = ["a", "b"].map(|name| {
        let written = write(&of(rows(), "extractive"), &folder.path().join(name)).expect("writes");
        assert!(written[0].ends_with(format!("{name}/run-1/report.md")));
        written.map(|path| std::fs::read(path).expect("reads"))
    });
    assert_eq!(files[0], files[1]);
    let left = std::fs::read_dir(folder.path().join("a/run-1")).expect("lists");
    assert_eq!(left.count(), 4, "no side files are left");
}
