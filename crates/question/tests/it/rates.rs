//! How many real questions about the content of papers get a filter from their words: next to none may.

use serde_json::Value;
use std::path::Path;

/// The share of questions that may get a filter.
const LIMIT: f64 = 0.01;
/// Tags that collections of such papers have.
const TAGS: &str = "COVID-19|SARS|children|clinical trials|coronavirus|diet|epidemiology|exercise|genetics|immunology|\
    influenza|nutrition|older adults|pandemic|public health|vaccine|virus|women";

/// Counts the questions of a file, by the key of their text, that get a filter.
fn check(file: &str, key: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(file);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: no shared/data/{file} beside the project");
        return;
    };
    let tags: Vec<String> = TAGS.split('|').map(str::to_owned).collect();
    let (mut all, mut filtered) = (0, Vec::new());
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let row: Value = serde_json::from_str(line).expect("JSON lines");
        let question = row[key].as_str().expect("a question");
        let asked = question::asked(question, 2026, &tags);
        all += 1;
        if asked.years.is_some()
            || !asked.subjects.is_empty()
            || !question::named_sources(question).is_empty()
        {
            filtered.push(question.to_owned());
        }
    }
    let share = filtered.len() as f64 / f64::from(all);
    println!("{file}: {} of {all} questions get a filter: {filtered:?}", filtered.len());
    assert!(all > 100 && share <= LIMIT, "{file}: {share:.3} of {all}: {filtered:?}");
}

#[test]
fn questions_about_a_content_get_no_filter() {
    check("covid-qa/qa.jsonl", "question");
    check("rct/questions.jsonl", "query");
}
