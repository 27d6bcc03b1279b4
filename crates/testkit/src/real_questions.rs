//! Real questions about real papers, if the data is available beside the project.

use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    time::{Duration, Instant},
};

/// Without `PIPELINE_SLOW_TESTS` the questions stop after this time.
const QUICK: Duration = Duration::from_secs(10);

/// A question and the paper that answers it.
#[derive(Clone, Copy, Debug)]
pub struct RealQuestion<'a> {
    /// The question.
    pub question: &'a str,
    /// The text of the paper.
    pub paper: &'a str,
    /// Where the answer begins, in bytes of the paper.
    pub answer: usize,
}

/// Calls `test` with real questions: all of them if `PIPELINE_SLOW_TESTS` is set, otherwise as many as ten seconds
/// allow, and prints how many. Returns their number, at least 1; `None`, after printing a note, if the data
/// (`shared/data/covid-qa` beside the project) is not available.
///
/// # Panics
/// When the data is not what it should be.
pub fn each_real_question(mut test: impl FnMut(RealQuestion<'_>)) -> Option<usize> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/covid-qa");
    let Ok(papers) = fs::read_to_string(folder.join("articles.jsonl")) else {
        println!("skipped: no shared/data/covid-qa beside the project");
        return None;
    };
    let questions = fs::read_to_string(folder.join("qa.jsonl")).expect("questions stand beside the papers");
    let line = |line: &str| serde_json::from_str::<Value>(line).expect("the data is JSON lines");
    let papers: Vec<Value> = papers.lines().map(line).collect();
    let papers: BTreeMap<&str, &str> = papers.iter().map(|p| (text(&p["_id"]), text(&p["text"]))).collect();
    let all: Vec<Value> = questions.lines().map(line).collect();
    assert!(!all.is_empty(), "there are questions");
    let slow = std::env::var_os("PIPELINE_SLOW_TESTS").is_some();
    let (started, mut asked) = (Instant::now(), 0);
    // Questions are grouped by paper: steps of a prime number reach many papers in limited time.
    for question in (0..all.len()).map(|at| &all[at * 101 % all.len()]) {
        if asked > 0 && !slow && started.elapsed() > QUICK {
            println!("skipped: asked {asked} of {} questions; set PIPELINE_SLOW_TESTS=1 for all", all.len());
            break;
        }
        let paper = papers[text(&question["doc_id"])];
        let place = question["answers"][0]["answer_start"].as_u64().expect("a place");
        test(RealQuestion {
            question: text(&question["question"]),
            paper,
            // Places count characters.
            answer: paper.char_indices().nth(place as usize).map_or(0, |(at, _)| at),
        });
        asked += 1;
    }
    Some(asked)
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}
