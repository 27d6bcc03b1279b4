//! `bench passages` on invented articles.

mod common;

use common::{Place, natives};
use serde_json::{Value, json};
use std::fs;

/// Words that no question has. The first sentence is so long that no chunk holds the beginning of the next paragraph.
const BEFORE: &str =
    "Grass grows along the water, and the wind comes from the east for weeks on that wide and dry plain.";
const AFTER: &str = "Nobody lives there. The sky stays clear until the rain returns in autumn.";

fn article(paragraphs: [&str; 3]) -> String {
    paragraphs
        .map(|paragraph| format!("{BEFORE} {paragraph} {AFTER}"))
        .join("\n\n")
}

/// A has its answers in its first two paragraphs, B in its last; é and ß have two bytes each.
fn articles() -> [(&'static str, String); 2] {
    let first = [
        "Zebras follow zebras.",
        "Owls catch mice.  Old zebras sleep standing.",
        "Foxes hunt alone.",
    ];
    let second = [
        "Café and Straße.",
        "Snails eat leaves.",
        "Badgers dig deep setts.",
    ];
    [("A", article(first)), ("B", article(second))]
}

/// Keeps one passage of two candidates, in chunks of one paragraph each.
const SMALL: [&str; 10] = [
    "--set",
    "chunk.max_tokens=64",
    "--set",
    "chunk.count_prefix=false",
    "--set",
    "chunk.overlap_tokens=0",
    "--set",
    "retrieve.candidates=2",
    "--set",
    "rerank.keep=1",
];

fn place() -> Option<Place> {
    let place = Place::new(Some(natives()?));
    write(&place);
    Some(place)
}

fn write(place: &Place) {
    let articles = articles();
    let lines = articles
        .iter()
        .map(|(id, text)| json!({"_id": id, "title": "Notes", "text": text}).to_string());
    place.write(
        "tiny/articles.jsonl",
        lines.collect::<Vec<_>>().join("\n").as_bytes(),
    );
    let at = |article: usize, answer: &str| {
        let text = &articles[article].1;
        text[..text.find(answer).expect("there")].chars().count()
    };
    let question = |id: &str, document: &str, text: &str, answers: &[(&str, usize)]| {
        let answers: Vec<Value> = answers
            .iter()
            .map(|(text, start)| json!({"text": text, "answer_start": start}))
            .collect();
        json!({"id": id, "doc_id": document, "question": text, "answers": answers, "is_impossible": false})
    };
    let mut impossible = question("q4", "A", "wolves", &[]);
    impossible["is_impossible"] = json!(true);
    let bytes = articles[1].1.find("Badgers").expect("there");
    assert_ne!(bytes, at(1, "Badgers"));
    let rows = [
        // Found first.
        question("q1", "A", "owls", &[("Owls catch mice. ", at(0, "Owls"))]),
        // Found second: the first paragraph has the word twice. Its neighbour is the answer.
        question("q2", "A", "zebras", &[("zebras sleep", at(0, "zebras sleep"))]),
        // Found nowhere.
        question("q3", "B", "unicorns", &[("Snails", at(1, "Snails"))]),
        impossible,
        // Its answer is not at its offset.
        question("q5", "A", "foxes", &[("Foxes", 1)]),
        // An offset in bytes; another answer that is nowhere is no harm.
        question("q6", "B", "badgers", &[("Cows", 5), ("Badgers dig", bytes)]),
        question("q7", "B", "badgers", &[]),
    ];
    let rows = rows.map(|row| row.to_string()).join("\n");
    place.write("tiny/qa.jsonl", rows.as_bytes());
}

fn bench(place: &Place, args: &[&str]) -> Value {
    let (code, done) = place.json(&[&["bench", "passages", "tiny"], &SMALL[..], args].concat());
    assert_eq!(code, 0, "{done}");
    done
}

#[track_caller]
fn means(group: &Value, system: usize, want: [f64; 5]) {
    let measures = &group["systems"][system]["measures"];
    let keys = ["candidates", "kept", "context", "mrr", "article"];
    let found = keys.map(|key| measures[key]["mean"].as_f64().unwrap_or(f64::NAN));
    assert!(
        found
            .iter()
            .zip(want)
            .all(|(found, want)| (found - want).abs() < 1e-9),
        "{found:?} instead of {want:?}\n{group:#}"
    );
}

#[test]
fn bm25_has_the_figures_worked_out_by_hand() {
    let Some(place) = place() else { return };
    let bm25 = ["--mode", "bm25", "--rerank", "off"];
    let done = bench(&place, &[&bm25[..], &["--per-query", "rows.jsonl"]].concat());
    let all = &done["groups"][0];
    assert_eq!(
        (&all["name"], &all["questions"], &all["articles"]),
        (&json!("all"), &json!(4), &json!(2)),
        "{done:#}"
    );
    assert_eq!(done["index"]["chunks"], 6, "a chunk for each paragraph: {done:#}");
    // q1 and q6 are found first. q2 is the second candidate, dropped, and brought back by expansion. q3 finds nothing.
    means(all, 0, [0.75, 0.5, 0.75, 0.5, 0.75]);
    let kept = &all["systems"][0]["measures"]["kept"];
    assert_eq!((&kept["n"], &kept["n_a"]), (&json!(4), &json!(3)), "{kept}");
    assert!(
        kept["ci_low"].as_f64() < Some(0.5) && kept["ci_high"].as_f64() > Some(0.5),
        "{kept}"
    );
    assert_eq!(
        done["left_out"],
        json!({"impossible": 1, "without_answer": 1, "not_located": [
            {"question_id": "q5", "reason": "the article does not have the answer at its offset"}]})
    );
    assert_eq!(done["speed"][0]["nothing_kept"], 1, "{done:#}");
    assert_eq!(
        (&done["article_missing"], &done["in_no_chunk"]),
        (&json!(0), &json!(0))
    );
    let rows = fs::read_to_string(place.path("rows.jsonl")).expect("rows");
    let rows: Vec<Value> = rows
        .lines()
        .map(|row| serde_json::from_str(row).expect("JSON"))
        .collect();
    let of = |key: &str| rows.iter().map(|row| row[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("query_id"), ["q1", "q2", "q3", "q6"]);
    assert_eq!(of("article_id"), ["A", "A", "B", "B"]);
    assert_eq!(of("candidate_rank"), [json!(1), json!(2), Value::Null, json!(1)]);
    assert_eq!(of("kept_rank"), [json!(1), Value::Null, Value::Null, json!(1)]);

    // The index is there already. Two passages are kept: q2 is found, and no question lost.
    let args = ["--set", "rerank.keep=2", "--against", "rows.jsonl"];
    let wider = bench(&place, &[&bm25[..], &args].concat());
    assert_eq!(wider["index"]["added"], 0, "{wider:#}");
    let all = &wider["groups"][0];
    means(all, 0, [0.75, 0.75, 0.75, 0.625, 0.75]);
    let kept = &all["against"][0]["measures"]["kept"];
    assert_eq!(
        (&kept["delta"], &kept["wins"], &kept["losses"], &kept["n_pairs"]),
        (&json!(0.25), &json!(1), &json!(0), &json!(4)),
        "{kept}"
    );
    // One article differs: both signs are as far from 0.
    assert_eq!(kept["p"], 1.0, "{kept}");
    let text = place
        .run(
            &[
                &["bench", "passages", "tiny"],
                &SMALL[..],
                &bm25,
                &["--against", "rows.jsonl"],
            ]
            .concat(),
        )
        .stdout();
    for part in [
        "tiny: 4 questions about 2 articles",
        "bm25  0.7500 (",
        "bm25 - earlier run:",
        "kept +0.0000 (",
        "no passage kept for 1 question",
        "1 marked as impossible, 1 without an answer, 1 whose answer cannot be located",
        "q5: the article does not have",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

#[test]
fn systems_are_compared_over_all_articles_and_each_half() {
    let Some(place) = place() else { return };
    let done = bench(&place, &["--mode", "all", "--rerank", "both", "--split-half"]);
    let groups = done["groups"].as_array().expect("groups");
    let names: Vec<&Value> = groups.iter().map(|group| &group["name"]).collect();
    assert_eq!(names, ["all", "first_half", "second_half"]);
    let questions = |at: usize| groups[at]["questions"].as_u64().expect("a number");
    assert_eq!(questions(0), questions(1) + questions(2));
    let all = &groups[0];
    let systems: Vec<(&str, &Value)> = all["systems"]
        .as_array()
        .expect("systems")
        .iter()
        .map(|each| {
            (
                each["system"]["mode"].as_str().expect("a mode"),
                &each["system"]["reranker"],
            )
        })
        .collect();
    let (by, none) = (json!("sentence"), Value::Null);
    assert_eq!(
        systems,
        [
            ("hybrid", &by),
            ("hybrid", &none),
            ("vector", &by),
            ("vector", &none),
            ("bm25", &by),
            ("bm25", &none)
        ]
    );
    let compared: Vec<String> = all["comparisons"]
        .as_array()
        .expect("comparisons")
        .iter()
        .map(|each| {
            let name = |side: &str| {
                let reranked = if each[side]["reranker"].is_null() { "" } else { "+" };
                format!("{}{reranked}", each[side]["mode"].as_str().expect("a mode"))
            };
            format!("{} {}", name("first"), name("second"))
        })
        .collect();
    assert_eq!(
        compared,
        [
            "hybrid+ vector+",
            "hybrid+ bm25+",
            "hybrid vector",
            "hybrid bm25",
            "hybrid+ hybrid",
            "vector+ vector",
            "bm25+ bm25"
        ]
    );
    // Reranking does not change what is a candidate.
    assert_eq!(
        all["comparisons"][4]["measures"]["candidates"]["delta"], 0.0,
        "{all:#}"
    );
    means(all, 5, [0.75, 0.5, 0.75, 0.5, 0.75]);
    let other = bench(
        &place,
        &[
            "--mode",
            "bm25",
            "--split-half",
            "--set",
            "eval.seed=4",
            "--limit",
            "2",
        ],
    );
    assert_eq!(other["groups"][0]["questions"], 2, "{other:#}");
    assert_eq!(other["settings"]["seed"], 4);
}

#[test]
fn gates_decide_the_exit_code() {
    let Some(place) = place() else { return };
    let with = |gate: &str| {
        let args = ["--mode", "bm25", "--rerank", "off", "--min", gate];
        place.run(&[&["bench", "passages", "tiny"], &SMALL[..], &args].concat())
    };
    assert_eq!(with("kept=0.5").code(), 0);
    with("kept=0.51").fails_with(
        1,
        &["gate failed: kept in mode bm25 is 0.500, below the required 0.510"],
    );
    with("ndcg@10=0.5").fails_with(
        2,
        &["ndcg@10", "candidates, kept, context", "for example kept=0.7"],
    );
}

#[test]
fn what_is_wrong_is_said_before_anything_is_indexed() {
    let place = Place::new(None);
    write(&place);
    let fails = |args: &[&str], parts: &[&str]| {
        place
            .run(&[&["bench", "passages"], args].concat())
            .fails_with(2, parts);
        assert!(!place.path("index-bench").exists(), "{args:?}");
    };
    fails(
        &["nowhere"],
        &["nowhere does not exist", "articles.jsonl and qa.jsonl"],
    );
    fails(
        &["tiny", "--per-query", "no/rows.jsonl"],
        &["no/rows.jsonl cannot be written"],
    );
    fails(&["tiny", "--against", "rows.jsonl"], &["rows.jsonl"]);
    place.write("rows.jsonl", b"{\"query_id\": \"q1\"}\n");
    fails(
        &["tiny", "--against", "rows.jsonl"],
        &["line 1: missing field `mode`", "--per-query"],
    );
    let row = |document: &str, start: i32| {
        json!({"id": "q", "doc_id": document, "question": "Who?", "answers": [{"text": "Owls", "answer_start": start}]})
            .to_string()
    };
    place.write("tiny/qa.jsonl", row("C", 0).as_bytes());
    fails(
        &["tiny"],
        &["asks about 1 articles that are not in articles.jsonl, the first is \"C\""],
    );
    place.write("tiny/qa.jsonl", row("A", 0).as_bytes());
    fails(
        &["tiny"],
        &[
            "no question whose answer can be located",
            "answer_start counts the characters",
        ],
    );
    place.write("tiny/qa.jsonl", row("A", -1).as_bytes());
    fails(&["tiny"], &["qa.jsonl: line 1: "]);
    fs::remove_file(place.path("tiny/qa.jsonl")).expect("removed");
    fails(&["tiny"], &["qa.jsonl does not exist"]);
}
