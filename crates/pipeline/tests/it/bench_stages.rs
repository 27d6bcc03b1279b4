//! `bench answers` on articles with offsets: which stage still has the evidence.

use crate::common::{Place, natives};
use serde_json::{Value, json};

fn bench(place: &Place, args: &[&str]) -> Value {
    let (code, done) = place.json(&[&["bench", "answers"], args].concat());
    assert_eq!(code, 0, "{done}");
    done
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

/// Two articles of three paragraphs, each a chunk; of two candidates, one passage is kept in the order of retrieval.
#[test]
fn stages_before_the_answer_are_worked_out_by_hand() {
    let Some(natives) = natives() else { return };
    let place = Place::new(Some(natives));
    // Words that no question has. The first sentence is so long that no chunk has the beginning of the next paragraph.
    let before =
        "Grass grows along the water, and the wind comes from the east for weeks on that wide and dry plain.";
    let after = "Nobody lives there. The sky stays clear until the rain returns in autumn.";
    let article =
        |paragraphs: [&str; 3]| paragraphs.map(|own| format!("{before} {own} {after}")).join("\n\n");
    let articles = [
        (
            "A",
            article([
                "Zebras follow zebras.",
                "Owls catch mice.  Old zebras sleep standing.",
                "Foxes hunt alone.",
            ]),
        ),
        ("B", article(["Café and Straße.", "Snails eat leaves.", "Badgers dig deep setts."])),
    ];
    let lines =
        articles.each_ref().map(|(id, text)| json!({"_id": id, "title": "Notes", "text": text}).to_string());
    place.write("set/articles.jsonl", lines.join("\n").as_bytes());
    let characters = |article: usize, answer: &str| {
        let text = &articles[article].1;
        text[..text.find(answer).expect("there")].chars().count()
    };
    let question = |id: &str, document: &str, text: &str, answers: &[(&str, usize)]| {
        let answers: Vec<Value> =
            answers.iter().map(|(text, start)| json!({"text": text, "answer_start": start})).collect();
        json!({"id": id, "doc_id": document, "question": text, "answers": answers}).to_string()
    };
    let bytes = articles[1].1.find("Badgers").expect("there");
    assert_ne!(bytes, characters(1, "Badgers"));
    let rows = [
        question("first", "A", "owls", &[("Owls catch mice.", characters(0, "Owls"))]),
        // The first paragraph has the word twice, and is kept.
        question("second", "A", "zebras", &[("zebras sleep", characters(0, "zebras sleep"))]),
        question("nowhere", "B", "unicorns", &[("Snails", characters(1, "Snails"))]),
        // An offset in bytes; another answer that is nowhere is no harm.
        question("bytes", "B", "badgers", &[("Cows", 5), ("Badgers dig", bytes)]),
        // Its answer is not at its offset.
        question("odd", "A", "foxes", &[("Foxes", 1)]),
        question("none", "B", "badgers", &[]),
    ];
    place.write("set/qa.jsonl", rows.join("\n").as_bytes());
    let small = ["set", "--mode", "bm25"];
    let sets = [
        "chunk.max_tokens=80",
        "chunk.overlap_tokens=0",
        "retrieve.candidates=2",
        "rerank.method=none",
        "expand.reach=0",
    ];
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
    let all = [&small[..], &sets].concat();
    let done = bench(&place, &[&all[..], &["--set", "rerank.keep=1", "--per-query", "rows.jsonl"]].concat());
    assert_eq!((&done["questions"], &done["left_out"]), (&json!(4), &json!(2)), "{done:#}");
    let wider = bench(&place, &[&all[..], &["--set", "rerank.keep=2", "--against", "rows.jsonl"]].concat());
    for (key, one, two) in [
        ("candidates", 0.75, 0.75),
        ("kept", 0.5, 0.75),
        ("context", 0.5, 0.75),
        ("mrr", 0.5, 0.625),
        ("article", 0.75, 0.75),
    ] {
        means(&done["measures"], &[key], one);
        means(&wider["measures"], &[key], two);
        assert_eq!(wider["against"][key]["delta"], json!(two - one), "{key}: {wider:#}");
    }
    // One article differs: both signs are as far from 0.
    assert_eq!(wider["against"]["kept"]["p"], 1.0, "{wider:#}");
    // Another mode is compared with the only one of the file.
    let vector = [&["set", "--mode", "vector"][..], &sets, &["--against", "rows.jsonl"]].concat();
    assert_eq!(bench(&place, &vector)["against"]["kept"]["n_pairs"], 4);
}
