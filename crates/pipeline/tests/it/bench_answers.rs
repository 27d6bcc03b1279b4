//! `bench answers` on invented papers.

use crate::common::{Place, natives};
use serde_json::{Value, json};
use std::fs;

const WALK: &str = "Brisk walking lowered systolic blood pressure by 6 mmHg after twelve weeks.";
const SNAIL: &str = "The garden snails slept for seven hours under flat stones.";
const BEE: &str = "Bees found the blue flowers faster than the yellow ones.";

/// Three papers, each with one finding that a question asks for and others around it.
fn papers() -> [(&'static str, String); 3] {
    let paper = |title: &str, methods: &str, results: &str| {
        format!("# {title}\n\n## Methods\n\n{methods}\n\n## Results\n\n{results}\n")
    };
    [
        (
            "orvella_2021",
            paper(
                "Walking in older adults",
                "We enrolled 148 adults in a town by the coast. Nurses counted their steps with small tools.",
                &format!("{WALK} Body weight did not change in any of the groups."),
            ),
        ),
        (
            "moro_2019",
            paper(
                "Snails at night",
                "We watched the animals with red lanterns in a walled garden. The weather was mild.",
                &format!("{SNAIL} Fertiliser did not change their habits."),
            ),
        ),
        (
            "tandrik_2020",
            paper(
                "Bees and colours",
                "Four hives stood in a meadow near the river. Paper flowers were moved every day.",
                &format!("{BEE} Rain kept them in the hive."),
            ),
        ),
    ]
}

/// A query with these gold quotes; without any, one that the papers do not answer.
fn query(id: &str, query: &str, gold: &[(&str, &str)]) -> Value {
    let papers: Vec<&str> = gold.iter().map(|(paper, _)| *paper).collect();
    let quotes: Vec<Value> =
        gold.iter().map(|(paper, quote)| json!({"source_id": paper, "quote": quote})).collect();
    json!({"id": id, "type": "direct", "query": query, "target_papers": papers, "difficulty": 1,
        "expected_no_evidence": gold.is_empty(), "gold_evidence": quotes, "tags": []})
}

fn queries() -> String {
    let mut unlabelled = query("odd", "What did the nurses count?", &[]);
    unlabelled["expected_no_evidence"] = json!(false);
    let rows = [
        query(
            "walk",
            "By how much did brisk walking lower systolic blood pressure?",
            &[("orvella_2021", WALK)],
        ),
        query("snail", "How long did the garden snails sleep?", &[("moro_2019", SNAIL)]),
        // No word of it is in the papers.
        query("lost", "unicorns", &[("tandrik_2020", BEE)]),
        query("football", "Who won the football world cup in 2018?", &[]),
        unlabelled,
    ];
    rows.map(|row| row.to_string()).join("\n")
}

fn write(place: &Place) {
    for (id, text) in papers() {
        place.write(&format!("tiny/papers/{id}.md"), text.as_bytes());
    }
    place.write("tiny/questions.jsonl", queries().as_bytes());
}

fn place() -> Option<Place> {
    let place = Place::new(Some(natives()?));
    write(&place);
    Some(place)
}

fn bench(place: &Place, args: &[&str]) -> Value {
    let (code, done) = place.json(&[&["bench", "answers"], args].concat());
    assert_eq!(code, 0, "{done}");
    done
}

fn rows(place: &Place, file: &str) -> Vec<Value> {
    let text = fs::read_to_string(place.path(file)).expect("rows");
    text.lines().map(|row| serde_json::from_str(row).expect("JSON")).collect()
}

fn mean(measures: &Value, key: &str) -> f64 {
    measures[key]["mean"].as_f64().unwrap_or(f64::NAN)
}

#[track_caller]
fn means(measures: &Value, keys: &[&str], want: f64) {
    for key in keys {
        assert!((mean(measures, key) - want).abs() < 1e-9, "{key}: {measures:#}");
    }
}

const BM25: [&str; 3] = ["tiny", "--mode", "bm25"];

#[test]
fn the_loss_of_evidence_is_worked_out_by_hand() {
    let Some(place) = place() else { return };
    let done = bench(&place, &[&BM25[..], &["--per-query", "rows.jsonl"]].concat());
    assert_eq!(
        (&done["dataset"], &done["mode"], &done["questions"], &done["papers"]),
        (&json!("tiny"), &json!("bm25"), &json!(3), &json!(3)),
        "{done:#}"
    );
    assert_eq!((&done["left_out"], &done["in_no_chunk"]), (&json!(1), &json!(0)), "one query has no labels");
    assert_eq!((&done["own_paper"], &done["baselines"]), (&json!(false), &json!([])));
    // Two questions are found, and the sentence that has their words is ranked first; the third finds nothing.
    let measures = &done["measures"];
    let ranked = ["candidates", "kept", "context", "hit@5", "hit@3", "hit@1", "recall@5"];
    means(measures, &ranked, 2.0 / 3.0);
    let (answer, first) = (mean(measures, "answer"), mean(measures, "first"));
    let (recall, answered) = (mean(measures, "recall"), mean(measures, "answered"));
    assert!(first <= answer && answer <= answered && (recall - answer).abs() < 1e-9, "{measures:#}");

    // The football question, and each answerable one once more without its paper.
    let decided = |kind: &str, key: &str| done[kind][key].as_u64().expect("a number");
    assert_eq!((decided("unanswerable", "answerable"), decided("removed", "answerable")), (3, 3));
    assert_eq!((decided("unanswerable", "unanswerable"), decided("removed", "unanswerable")), (1, 3));
    assert_eq!(decided("unanswerable", "refused"), 1, "no word of it is in the papers: {done:#}");
    let balanced = 0.5 * (answered + 1.0);
    let found = done["unanswerable"]["balanced_accuracy"].as_f64().expect("both kinds");
    assert!((found - balanced).abs() < 1e-9, "{done:#}");

    let rows = rows(&place, "rows.jsonl");
    let ids: Vec<&str> = rows.iter().filter_map(|row| row["query_id"].as_str()).collect();
    assert_eq!(
        ids,
        ["walk", "walk (removed)", "snail", "snail (removed)", "lost", "lost (removed)", "football"]
    );
    for row in &rows {
        let answerable = !row["removed"].as_bool().expect("a flag") && row["query_id"] != "football";
        assert_eq!(row["answerable"], answerable, "{row}");
        assert_eq!(row["hit@5"].is_number(), answerable, "{row}");
        assert!(!answerable || row["answered"].is_number(), "{row}");
    }
    assert_eq!((&rows[0]["hit@1"], &rows[4]["hit@1"]), (&json!(1.0), &json!(0.0)));
    assert_eq!(rows[0]["document"], "orvella_2021");

    let levels = done["reliability"]["levels"].as_array().expect("levels");
    let stated: u64 = levels.iter().filter_map(|level| level["answers"].as_u64()).sum();
    let shown = rows
        .iter()
        .filter(|row| row["removed"] == false && (row["answered"] == true || row["answered"] == 1.0))
        .count();
    assert_eq!(stated, shown as u64, "every answer has a level: {done:#}");
}

#[test]
fn what_cannot_be_found_is_counted() {
    let Some(place) = place() else { return };
    let set = [
        query("walk", "By how much did brisk walking lower it?", &[("orvella_2021", WALK)]),
        query("stray", "Who was it?", &[("orvella_2021", "A sentence that no paper holds.")]),
        query("nobody", "Who was it then?", &[("nobody_1900", WALK)]),
    ];
    place.write("stray.jsonl", set.map(|row| row.to_string()).join("\n").as_bytes());
    let args = [&BM25[..], &["--queries", "stray.jsonl"]].concat();
    let done = bench(&place, &args);
    assert_eq!(
        (&done["questions"], &done["left_out"], &done["in_no_chunk"]),
        (&json!(3), &json!(0), &json!(2)),
        "{done:#}"
    );
    let text = place.run(&[&["bench", "answers"], &args[..]].concat()).stdout();
    assert!(text.contains("2 questions whose evidence is in no chunk: they count as not found"), "{text}");
}

#[test]
fn a_run_is_compared_with_an_earlier_one() {
    let Some(place) = place() else { return };
    bench(&place, &[&BM25[..], &["--per-query", "rows.jsonl"]].concat());
    let same = bench(&place, &[&BM25[..], &["--against", "rows.jsonl"]].concat());
    assert_eq!(same["index"]["added"], 0, "the index is there already: {same:#}");
    for key in ["candidates", "hit@1", "answer", "answered"] {
        let compared = &same["against"][key];
        assert_eq!(
            (&compared["n_pairs"], &compared["delta"], &compared["wins"], &compared["losses"]),
            (&json!(3), &json!(0.0), &json!(0), &json!(0)),
            "{key}: {compared}"
        );
    }
    // Somebody's change refuses every question but the one whose terms one sentence contains; the ranking stays as it was.
    let none = ["--against", "rows.jsonl", "--set", "guardrail.refuse_below=1"];
    let refusing = bench(&place, &[&BM25[..], &none].concat());
    means(&refusing["measures"], &["answered"], 1.0 / 3.0);
    assert_eq!(refusing["against"]["answered"]["wins"], 0, "{refusing:#}");
    assert_eq!(refusing["against"]["hit@5"]["delta"], 0.0, "{refusing:#}");
    assert_eq!(refusing["removed"]["refused"], 3, "{refusing:#}");

    let text = place
        .run(&[&["bench", "answers"], &BM25[..], &["--against", "rows.jsonl", "--baselines"]].concat())
        .stdout();
    for part in [
        "tiny: 3 answerable questions about 3 papers, bm25",
        "hit@5       0.6667 (",
        "in one of the five best sentences",
        "plain baselines, the best sentences of all papers\n",
        "pipeline - half-half: hit@5",
        "this run - earlier run",
        "candidates +0.0000 (",
        "labelled as unanswerable             1 of 1 question refused",
        "1 question left out: without labels, or whose evidence cannot be located",
        "without the papers that answer them  ",
        "ms per question",
        "index: ",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

#[test]
fn plain_baselines_are_measured_beside() {
    let Some(place) = place() else { return };
    let done = bench(&place, &[&BM25[..], &["--baselines"]].concat());
    let baselines = done["baselines"].as_array().expect("a list");
    let names: Vec<&Value> = baselines.iter().map(|each| &each["name"]).collect();
    assert_eq!(names, ["cosine", "bm25", "half-half"]);
    for each in baselines {
        let keys: Vec<&String> = each["measures"].as_object().expect("measures").keys().collect();
        assert_eq!(keys.len(), 4, "{each:#}");
        for key in ["hit@5", "hit@3", "hit@1", "recall@5"] {
            let (own, pipeline) = (mean(&each["measures"], key), mean(&done["measures"], key));
            assert!((0.0..=1.0).contains(&own), "{each:#}");
            let compared = &each["comparison"][key];
            assert_eq!(compared["n_pairs"], 3, "{each:#}");
            let delta = compared["delta"].as_f64().expect("a number");
            assert!((delta - (pipeline - own)).abs() < 1e-9, "{key}: {each:#}");
        }
    }
    // The sentences that have the words of the questions.
    assert!(mean(&baselines[1]["measures"], "hit@1") > 0.66, "{done:#}");
}

#[test]
fn questions_are_asked_of_their_own_paper() {
    let Some(place) = place() else { return };
    let done = bench(&place, &[&BM25[..], &["--own-paper", "--per-query", "rows.jsonl"]].concat());
    assert_eq!(done["own_paper"], true);
    assert_eq!(
        (&done["removed"]["unanswerable"], &done["unanswerable"]["unanswerable"]),
        (&json!(0), &json!(1)),
        "{done:#}"
    );
    assert_eq!(done["removed"]["balanced_accuracy"], Value::Null);
    assert_eq!(rows(&place, "rows.jsonl").len(), 4, "nothing is asked twice");
    let few = bench(&place, &[&BM25[..], &["--limit", "1"]].concat());
    assert_eq!((&few["questions"], &few["unanswerable"]["unanswerable"]), (&json!(1), &json!(1)), "{few:#}");
}

#[test]
fn features_are_written_for_fitting() {
    let Some(place) = place() else { return };
    bench(&place, &[&BM25[..], &["--features", "features.jsonl"]].concat());
    let rows = rows(&place, "features.jsonl");
    let names = |key: &str| rows[0][key].as_array().expect("names").len();
    let (sentences, whole) = (names("sentence_features"), names("answer_features"));
    assert_eq!(rows[0]["sentence_features"][0], "cosine");
    assert_eq!(rows[0]["answer_features"][0], "best");
    assert_eq!(rows.len(), 1 + 7, "one for each question and variant");
    for row in &rows[1..] {
        assert_eq!(row["answer"].as_array().map(Vec::len), Some(whole), "{row}");
        let measured = row["sentences"].as_array().expect("sentences");
        let gold = row["gold"].as_array().expect("labels");
        assert_eq!(measured.len(), gold.len(), "{row}");
        for values in measured {
            let values = values.as_array().expect("values");
            assert_eq!(values.len(), sentences, "{row}");
            assert!(values.iter().all(Value::is_number), "{row}");
        }
        let labelled = gold.iter().filter(|items| **items != json!([])).count();
        let found = row["answerable"] == true && row["query_id"] != "lost";
        assert_eq!(labelled, usize::from(found), "{row}");
    }
}

#[test]
fn articles_with_offsets_and_a_folder_with_its_own_queries() {
    let Some(place) = place() else { return };
    let text = format!("We watched the animals at night. {SNAIL} Fertiliser did not change their habits.");
    let at = text.find(SNAIL).expect("there");
    let question = |id: &str, text: &str, answers: Value, impossible: bool| {
        json!({"id": id, "doc_id": "A", "question": text, "answers": answers, "is_impossible": impossible})
            .to_string()
    };
    let other = "Bees found the blue flowers. Rain kept them in the hive for many days of that spring.";
    let articles = [
        json!({"_id": "A", "title": "Snails", "text": text}).to_string(),
        json!({"_id": "B", "title": "Bees", "text": other}).to_string(),
    ];
    place.write("qa/articles.jsonl", articles.join("\n").as_bytes());
    let answer = json!([{"text": "seven hours", "answer_start": at + SNAIL.find("seven").expect("there")}]);
    let questions = [
        question("q1", "How long did the garden snails sleep?", answer, false),
        question("q2", "Who won the football world cup?", json!([]), true),
        question("q3", "Where did they sleep?", json!([]), false),
    ];
    place.write("qa/qa.jsonl", questions.join("\n").as_bytes());
    let done = bench(&place, &["qa", "--mode", "bm25"]);
    assert_eq!((&done["questions"], &done["papers"]), (&json!(1), &json!(1)), "{done:#}");
    means(&done["measures"], &["candidates", "context", "hit@1", "recall@5"], 1.0);
    assert_eq!(
        (&done["unanswerable"]["unanswerable"], &done["removed"]["unanswerable"]),
        (&json!(1), &json!(1)),
        "{done:#}"
    );

    // Any folder of papers.
    let set = query("one", "How long did the garden snails sleep?", &[("moro_2019", SNAIL)]);
    place.write("own.jsonl", set.to_string().as_bytes());
    let done = bench(&place, &["tiny/papers", "--queries", "own.jsonl", "--mode", "bm25"]);
    assert_eq!((&done["dataset"], &done["questions"]), (&json!("papers"), &json!(1)), "{done:#}");
    means(&done["measures"], &["hit@1"], 1.0);
    assert_eq!(done["unanswerable"]["balanced_accuracy"], Value::Null);
}

#[test]
fn gates_decide_the_exit_code() {
    let Some(place) = place() else { return };
    let with = |gate: &str| place.run(&[&["bench", "answers"], &BM25[..], &["--min", gate]].concat());
    assert_eq!(with("hit@5=0.66").code(), 0);
    with("hit@5=0.7").fails_with(1, &["gate failed: hit@5 in mode bm25 is 0.667, below the required 0.700"]);
    with("ndcg@10=0.5").fails_with(2, &["ndcg@10", "candidates, kept, context", "for example hit@5=0.7"]);
}

#[test]
fn what_is_wrong_is_said_before_anything_is_indexed() {
    let place = Place::new(None);
    write(&place);
    let fails = |args: &[&str], parts: &[&str]| {
        place.run(&[&["bench", "answers"], args].concat()).fails_with(2, parts);
        assert!(!place.path("index-bench").exists(), "{args:?}");
    };
    fails(&["nowhere"], &["nowhere does not exist", "articles.jsonl and qa.jsonl", "--queries"]);
    fails(&["tiny/papers"], &["questions.jsonl does not exist", "--queries"]);
    fails(&["tiny", "--queries", "none.jsonl"], &["none.jsonl"]);
    fails(&["tiny", "--per-query", "no/rows.jsonl"], &["no/rows.jsonl cannot be written"]);
    fails(&["tiny", "--features", "no/rows.jsonl"], &["no/rows.jsonl cannot be written"]);
    fails(&["tiny", "--against", "rows.jsonl"], &["rows.jsonl"]);
    fails(&["tiny", "--limit", "0"], &["--limit", "at least 1"]);
    place.write("torn.jsonl", b"{\"id\": \"A\"");
    fails(&["tiny", "--queries", "torn.jsonl"], &["torn.jsonl", "line 1"]);
    let mut unlabelled = query("odd", "What did the nurses count?", &[]);
    unlabelled["expected_no_evidence"] = json!(false);
    place.write("odd.jsonl", unlabelled.to_string().as_bytes());
    let row = |document: &str, start: i32| {
        json!({"id": "q", "doc_id": document, "question": "Who?", "answers": [{"text": "Owls", "answer_start": start}]})
            .to_string()
    };
    place.write(
        "set/articles.jsonl",
        json!({"_id": "A", "title": "", "text": "Owls catch mice."}).to_string().as_bytes(),
    );
    fails(&["set"], &["qa.jsonl does not exist"]);
    for (document, start, parts) in [
        ("C", 0, &["asks about 1 articles that are not in articles.jsonl, the first is \"C\""][..]),
        ("A", 3, &["no question whose answer can be located", "answer_start counts the characters"]),
        ("A", -1, &["qa.jsonl: line 1: "]),
    ] {
        place.write("set/qa.jsonl", row(document, start).as_bytes());
        fails(&["set"], parts);
    }
    fails(
        &["tiny", "--queries", "odd.jsonl"],
        &["odd.jsonl", "no query with gold_evidence", "expected_no_evidence"],
    );
}
