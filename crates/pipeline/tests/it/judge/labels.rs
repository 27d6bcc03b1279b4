//! `judge agreement`, `judge label` and `judge correct`.

use crate::common::{Place, natives};
use crate::judge::rows::{conforms, jsonl, lines};
use serde_json::{Value, json};
use std::fs;

#[test]
fn people_agree_with_each_other() {
    let place = Place::new(None);
    let ratings = |name: &str, of: &[(&str, Value)]| {
        let rows: Vec<Value> = of.iter().map(|(id, rating)| json!({"id": id, "faithful": rating})).collect();
        place.write(name, &jsonl(&rows));
    };
    let rated = |bits: &str| -> Vec<(&'static str, Value)> {
        let ids = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
        ids.into_iter()
            .zip(bits.chars())
            .filter(|(_, bit)| *bit != '-')
            .map(|(id, bit)| (id, json!(i32::from(bit == '1'))))
            .collect()
    };
    ratings("anna.jsonl", &rated("1111100000"));
    ratings("ben.jsonl", &rated("1111000001"));
    ratings("cleo.jsonl", &rated("11-11000-0"));
    let (code, two) = place.json(&["judge", "agreement", "anna.jsonl", "ben.jsonl"]);
    assert_eq!(code, 0, "{two:#}");
    conforms(&place, "judge-agreement", &two);
    // By hand: 8 of 10 agree; both say 1 half of the time: kappa = (0.8 - 0.5) / 0.5.
    let pair = &two["pairs"][0];
    assert!((pair["raw_agreement"]["value"].as_f64().expect("a value") - 0.8).abs() < 1e-9, "{two:#}");
    assert!((pair["kappa"]["value"].as_f64().expect("a value") - 0.6).abs() < 1e-9, "{two:#}");
    assert!(pair["kappa"]["ci_low"].as_f64() < pair["kappa"]["value"].as_f64());
    assert!(two.get("krippendorff_alpha").is_none());

    let ran = place.run(&["judge", "agreement", "anna.jsonl", "ben.jsonl", "cleo.jsonl"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    for part in ["Krippendorff's alpha", "cleo.jsonl has no rating of c, i"] {
        assert!(ran.stdout().contains(part), "{part}: {}", ran.stdout());
    }
    ratings("other.jsonl", &[("z", json!(1))]);
    place
        .run(&["judge", "agreement", "anna.jsonl", "other.jsonl"])
        .fails_with(2, &["no two of the files rate the same id"]);
    place.run(&["judge", "agreement", "anna.jsonl"]).fails_with(2, &["agreement"]);
}

#[test]
fn only_items_that_two_rated_count() {
    let place = Place::new(None);
    let rows = |count: usize, ratings: [Value; 2]| -> Vec<Value> {
        (0..count).map(|id| json!({"id": id, "faithful": ratings[id % 2]})).collect()
    };
    place.write("all.jsonl", &jsonl(&rows(40, [json!(1), json!(0)])));
    // However a number is written, it is the same rating.
    place.write("few.jsonl", &jsonl(&rows(8, [json!(1.0), json!(0.0)])));
    let args = ["judge", "agreement", "all.jsonl", "few.jsonl"];
    let (code, found) = place.json(&args);
    assert_eq!(code, 0, "{found:#}");
    assert_eq!(
        (&found["categories"], &found["items"], &found["clusters"]),
        (&json!(["0", "1"]), &json!(8), &json!(8)),
        "{found:#}"
    );
    // Wilson's interval of 8 of 8.
    let low = found["pairs"][0]["raw_agreement"]["ci_low"].as_f64();
    assert!(low.is_some_and(|low| (low - 0.675_592).abs() < 1e-5), "{found:#}");
    let text = place.run(&args).stdout();
    assert!(text.contains("8 items with two ratings or more, in 8 clusters"), "{text}");
}

const ANIMALS: [&str; 12] = [
    "badgers", "otters", "swallows", "hamsters", "beetles", "lizards", "donkeys", "herons", "ferrets",
    "magpies", "weasels", "salmon",
];

/// An evaluation of questions about invented papers, in the run log.
fn evaluated() -> Option<Place> {
    let place = Place::new(Some(natives()?));
    let mut queries = Vec::new();
    for (at, animal) in ANIMALS.iter().enumerate() {
        let text = format!(
            "# A year with {animal}\n\n## Results\n\nThe {animal} slept under hedges for {} hours. Nobody was hurt.\n",
            at + 3
        );
        place.write(&format!("papers/{animal}_2020.md"), text.as_bytes());
        queries.push(json!({"id": format!("Q{at}"), "type": "direct", "query": format!("How long did the {animal} sleep?"),
            "target_papers": [format!("{animal}_2020")], "expected_no_evidence": false}));
    }
    place.write("queries.jsonl", &jsonl(&queries));
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    let ran = place.run(&["eval", "--mode", "hybrid", "--queries", "queries.jsonl"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    Some(place)
}

#[test]
fn answers_are_drawn_for_labels_which_correct_the_judge() {
    let Some(place) = evaluated() else { return };
    let ran = place.run(&["judge", "label", "-k", "8", "--output", "labels.jsonl"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let text = fs::read_to_string(place.path("labels.jsonl")).expect("written");
    let mut drawn = lines(&text);
    assert_eq!(drawn.len(), 8);
    for line in &drawn {
        conforms(&place, "label-line", line);
        assert!(
            line["faithful"].is_null() && !line["claims"].as_array().expect("claims").is_empty(),
            "{line:#}"
        );
        assert!(line["question"].as_str().is_some_and(|q| q.starts_with("How long did the")), "{line:#}");
        assert!(line["context"][0].as_str().is_some_and(|text| text.starts_with('[')), "{line:#}");
        assert_eq!(line["sample"]["mode"], "hybrid", "{line:#}");
        assert!(line.get("score").is_none() && line.get("grade").is_none(), "{line:#}");
    }
    // The same seed draws the same answers; labels are never overwritten.
    assert_eq!(place.run(&["judge", "label", "-k", "8"]).stdout(), text);
    place
        .run(&["judge", "label", "--output", "labels.jsonl"])
        .fails_with(2, &["labels.jsonl exists and may contain labels"]);

    place.run(&["judge", "correct", "labels.jsonl"]).fails_with(2, &["labels.jsonl has 0 labels"]);
    for (at, line) in drawn.iter_mut().enumerate().take(7) {
        line["faithful"] = json!(i32::from(at != 2));
    }
    place.write("labels.jsonl", &jsonl(&drawn));
    let (code, report) = place.json(&["judge", "correct", "labels.jsonl"]);
    assert_eq!(code, 0, "{report:#}");
    conforms(&place, "label-report", &report);
    assert_eq!((&report["labels"], &report["unlabelled"]), (&json!(7), &json!(1)), "{report:#}");
    let alone = report["labels_alone"]["value"].as_f64().expect("a value");
    assert!((alone - 6.0 / 7.0).abs() < 0.1, "{report:#}");
    assert!(report["corrected"]["value"].as_f64() < report["uncorrected"].as_f64(), "{report:#}");
    // The judge is measured on the same file.
    let (code, measured) = place.json(&["judge", "measure", "labels.jsonl"]);
    let set = &measured["sets"][0];
    assert_eq!((code, &set["rows"], &set["unlabelled"]), (0, &json!(7), &json!(1)), "{measured:#}");
    let ran = place.run(&["judge", "correct", "labels.jsonl"]);
    for part in ["judge, uncorrected", "labels alone", "judge and labels", "1 drawn answer without a label"] {
        assert!(ran.stdout().contains(part), "{part}: {}", ran.stdout());
    }

    drawn[0]["id"] = json!("Q99");
    drawn[1]["faithful"] = json!("maybe");
    place.write("wrong.jsonl", &jsonl(&drawn));
    place
        .run(&["judge", "correct", "wrong.jsonl"])
        .fails_with(2, &["line 2: faithful must be 1, 0 or null, got \"maybe\""]);
    drawn[1]["faithful"] = json!(1);
    place.write("wrong.jsonl", &jsonl(&drawn));
    place
        .run(&["judge", "correct", "wrong.jsonl"])
        .fails_with(2, &["line 1: the run has no judged answer to Q99"]);
    place.write("wrong.jsonl", &[b"\n \n", &jsonl(&drawn)[..]].concat());
    place
        .run(&["judge", "correct", "wrong.jsonl"])
        .fails_with(2, &["line 3: the run has no judged answer to Q99"]);
    place.run(&["judge", "label", "--run", "none"]).fails_with(2, &["has no run \"none\""]);
}

#[test]
fn a_run_with_fewer_answers_than_n_is_drawn_whole() {
    let Some(place) = evaluated() else { return };
    let log = "logs/run_log.jsonl";
    let mut records = lines(&fs::read_to_string(place.path(log)).expect("logged"));
    let mut other = records.last().expect("a record").clone();
    other["query_id"] = json!("Q99");
    other["evaluation"] = json!(5);
    records.push(other);
    let mut text = jsonl(&records);
    text.extend(b"not JSON\n");
    place.write(log, &text);
    let unread = [
        "2 lines of ".to_owned(),
        format!("line {}: its scores have another form", records.len()),
        format!("line {}: not a run record", records.len() + 1),
    ];

    let ran = place.run(&["judge", "label", "--output", "labels.jsonl"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    for part in &unread {
        assert!(ran.stderr().contains(part), "{part}: {}", ran.stderr());
    }
    let mut drawn = lines(&fs::read_to_string(place.path("labels.jsonl")).expect("written"));
    assert!((8..=ANIMALS.len()).contains(&drawn.len()), "{}", drawn.len());
    let all = format!("the run has only {} answers with a verdict; all of them are drawn", drawn.len());
    assert!(ran.stderr().contains(&all), "{}", ran.stderr());
    for (at, line) in drawn.iter_mut().enumerate() {
        line["faithful"] = if at == 0 { json!(0) } else { json!(1.0) };
    }
    place.write("labels.jsonl", &jsonl(&drawn));
    let args = ["judge", "correct", "labels.jsonl"];
    let (code, report) = place.json(&args);
    assert_eq!(code, 0, "{report:#}");
    assert_eq!(
        (&report["labels"], &report["rows"], &report["unlabelled"]),
        (&json!(drawn.len()), &json!(drawn.len()), &json!(0)),
        "{report:#}"
    );
    let ran = place.run(&args);
    for part in &unread {
        assert!(ran.stderr().contains(part), "{part}: {}", ran.stderr());
    }
}
