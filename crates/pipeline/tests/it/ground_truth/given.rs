//! Reference answers for given questions.

use crate::common::Place;
use crate::ground_truth::world::{good, rows, settings};
use serde_json::{Value, json};
use testkit::{ChatServer, Request, Step};

/// Eight documents in the layout of BEIR; `Owl-1` and `owl-1` differ in case alone.
fn benchmark() -> Option<Place> {
    let place = Place::with_natives()?;
    let document = |id: &str, text: &str| json!({"_id": id, "title": "Animals", "text": text}).to_string();
    let mut corpus: Vec<String> = (0..6)
        .map(|at| {
            document(
                &format!("Z-{at}"),
                &format!("Zebras of herd {at} graze near the river in the dry season of the year."),
            )
        })
        .collect();
    corpus.push(document("Owl-1", "Owls catch mice in the fields at night when the moon is bright."));
    corpus.push(document("owl-1", "Foxes sleep in dens by day and leave them in the evening."));
    place.write("tiny/corpus.jsonl", corpus.join("\n").as_bytes());
    let queries = [("PLAIN-1", "Zebras and rivers"), ("PLAIN-2", "What do owls catch?"), ("plain-2", "Dens")];
    let queries = queries.map(|(id, text)| json!({"_id": id, "text": text}).to_string());
    place.write("tiny/queries.jsonl", queries.join("\n").as_bytes());
    let mut qrels = "query-id\tcorpus-id\tscore\n".to_owned();
    for at in 0..6 {
        let grade = if at == 5 { 3 } else { 2 };
        qrels.extend(["PLAIN-1\tZ-".to_owned(), format!("{at}\t{grade}\n")]);
    }
    qrels.push_str("PLAIN-2\tOwl-1\t2\nPLAIN-2\towl-1\t1\nplain-2\towl-1\t2\nplain-2\tgone\t2\n");
    place.write("tiny/qrels/test.tsv", qrels.as_bytes());
    let model = place.model(1);
    place.passes(&["ingest", "tiny/corpus.jsonl", "--set", &model]);
    Some(place)
}

const GIVEN: [&str; 10] = [
    "queries",
    "draft",
    "--config",
    "llm.toml",
    "--queries",
    "tiny/queries.jsonl",
    "--qrels",
    "tiny/qrels/test.tsv",
    "--output",
    "truth.jsonl",
];

fn asked(request: &Request) -> usize {
    request.user().matches("<excerpt ").count()
}

#[test]
fn answers_are_written_from_the_best_relevant_documents() {
    let Some(place) = benchmark() else { return };
    let server = ChatServer::answering(good);
    settings(&place, Some(&server.base_url()), &["eval.workers = 1"]);
    let ran = place.passes(&GIVEN);
    assert!(ran.stderr().contains("1 relevant documents are not in the index"), "{}", ran.stderr());
    let rows = rows(&place, "truth.jsonl");
    let ids: Vec<&str> = rows.iter().filter_map(|row| row["id"].as_str()).collect();
    assert_eq!(ids, ["PLAIN-1", "PLAIN-2", "plain-2"], "ids keep their case");
    assert_eq!(rows[0]["target_papers"].as_array().map(Vec::len), Some(6), "{}", rows[0]);
    assert_eq!(rows[1]["target_papers"].as_array().map(Vec::len), Some(1), "grade 1 does not count");
    assert_ne!(
        rows[1]["target_papers"], rows[2]["target_papers"],
        "ids that differ in case are two documents"
    );
    assert_eq!(rows[0]["type"], "synthesis");
    assert!(rows[0]["written_from"][0]["quote"].is_string() && rows[0].get("gold_evidence").is_none());
    assert_eq!(rows[0]["tags"], json!(["synthetic", "unreviewed"]));
    // Five of the six documents, the one with the highest grade first.
    let requests = server.requests();
    assert_eq!(requests.iter().map(asked).collect::<Vec<_>>(), [5, 1, 1]);
    assert!(
        requests[0].user().contains("herd 5")
            && requests[0].user().find("herd 5") < requests[0].user().find("herd 0")
    );

    let (code, checked) = place.json(&["queries", "check", "truth.jsonl"]);
    assert_eq!((code, &checked["refused"]), (0, &json!([])), "{checked}");
}

#[test]
fn the_set_is_evaluated_with_binary_correctness() {
    let Some(place) = benchmark() else { return };
    let server = ChatServer::answering(|request| match request.schema() {
        "same_facts" => {
            let same = request.user().contains("owls");
            Step::json(&json!({"reasoning": "So it is.", "differences": [], "same_facts": same}))
        }
        _ => good(request),
    });
    settings(
        &place,
        Some(&server.base_url()),
        &["retrieve.min_similarity = 0.0", "guardrail.topic = false", "eval.judge = \"llm\""],
    );
    assert_eq!(place.run(&GIVEN).code(), 0);
    let eval = [
        "eval",
        "--config",
        "llm.toml",
        "--mode",
        "hybrid",
        "--queries",
        "truth.jsonl",
        "--set",
        "generate.method=extractive",
    ];
    let (_, run) = place.json(&eval);
    let correct = |id: &str| -> Value {
        let rows = run["rows"].as_array().expect("rows");
        rows.iter().find(|row| row["query_id"] == id).expect("a row")["scores"]["matched"].clone()
    };
    assert_eq!((correct("PLAIN-1"), correct("PLAIN-2")), (json!(0.0), json!(1.0)), "{run}");
    let funnel = &run["rows"][0]["funnel"];
    assert_eq!((&funnel["counts"], &funnel["gold"]), (&json!("papers"), &json!(6)), "{funnel}");
}

#[test]
fn questions_are_chosen_by_id_and_preset() {
    let Some(place) = benchmark() else { return };
    let server = ChatServer::answering(good);
    settings(&place, Some(&server.base_url()), &[]);
    let one = [&GIVEN[..], &["--ids", "plain-2", "--per-question", "1"]].concat();
    assert_eq!(place.run(&one).code(), 0);
    assert_eq!(rows(&place, "truth.jsonl").len(), 1);
    let again = |more: &[&'static str]| {
        let mut all = [&GIVEN[..], more].concat();
        all[9] = "other.jsonl";
        place.run(&all)
    };
    again(&["--preset", "adr-013"]).fails_with(2, &["contains no judged question PLAIN-2630"]);
    again(&["--preset", "odd"]).fails_with(2, &["no preset is called \"odd\"", "adr-013"]);
    again(&["--ids", "PLAIN-9"]).fails_with(2, &["contains no judged question PLAIN-9", "case-sensitive"]);
    // Documents that do not answer give no row, and the reason is said.
    let declines =
        ChatServer::start([Step::json(&json!({"usable": false, "quotes": [], "reference_answer": ""}))]);
    settings(&place, Some(&declines.base_url()), &[]);
    let ran = again(&["--ids", "PLAIN-2"]);
    assert_eq!(ran.code(), 1, "{}", ran.stderr());
    assert!(ran.stdout().contains("found nothing to ask or to answer"), "{}", ran.stdout());
}

#[test]
fn questions_of_a_query_set_are_answered_from_its_papers() {
    let Some(place) = benchmark() else { return };
    let server = ChatServer::answering(good);
    settings(&place, Some(&server.base_url()), &[]);
    let (_, listed) = place.json(&["papers"]);
    let source =
        listed.as_array().or_else(|| listed["sources"].as_array()).expect("sources")[0]["source_id"].clone();
    let line = json!({"id": "Q", "type": "direct", "query": "What is there?", "target_papers": [source],
        "expected_no_evidence": false, "tags": []});
    place.write("mine.jsonl", line.to_string().as_bytes());
    let (code, done) = place.json(&[
        "queries",
        "draft",
        "--config",
        "llm.toml",
        "--queries",
        "mine.jsonl",
        "--output",
        "truth.jsonl",
    ]);
    assert_eq!((code, &done["drafted"]), (0, &1.into()), "{done}");
    assert_eq!(rows(&place, "truth.jsonl")[0]["target_papers"], json!([source]));
}
