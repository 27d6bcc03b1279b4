//! Real questions, papers and answers, where they are at hand: nothing panics, and a true quote stays.
#![allow(missing_docs)]

mod common;

use common::{answer, chunk, cite, source};
use guardrail::{GuardrailSettings, TopicSettings, check_topic, verify};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    time::{Duration, Instant},
};
use types::Context;

/// Without `PIPELINE_SLOW_TESTS` the test stops after this time and says how far it came.
const QUICK: Duration = Duration::from_secs(10);
/// Sentences of a passage.
const PASSAGE: usize = 12;

#[test]
fn true_quotes_of_real_papers_stay() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/covid-qa");
    let Ok(papers) = fs::read_to_string(folder.join("articles.jsonl")) else {
        println!("skipped: no shared/data/covid-qa beside the project");
        return;
    };
    let questions = fs::read_to_string(folder.join("qa.jsonl")).expect("questions stand beside the papers");
    let line = |line: &str| serde_json::from_str::<Value>(line).expect("the data is JSON lines");
    let papers: BTreeMap<String, String> = papers
        .lines()
        .map(line)
        .map(|p| (string(&p["_id"]), string(&p["text"])))
        .collect();
    let slow = std::env::var_os("PIPELINE_SLOW_TESTS").is_some();
    let settings = GuardrailSettings {
        support_check: true,
        ..GuardrailSettings::default()
    };
    let corpus = common::Corpus::new(&[], 0.5);
    let (started, mut asked, mut flagged) = (Instant::now(), 0, 0);
    let all: Vec<Value> = questions.lines().map(line).collect();
    for i in (0..all.len()).map(|i| i * 101 % all.len()) {
        if !slow && started.elapsed() > QUICK {
            println!(
                "skipped: asked {asked} of {} questions; set PIPELINE_SLOW_TESTS=1 for all",
                all.len()
            );
            break;
        }
        let text = &papers[&string(&all[i]["doc_id"])];
        let place = all[i]["answers"][0]["answer_start"].as_u64().expect("a place");
        // Offsets count characters.
        let at = text.char_indices().nth(place as usize).map_or(0, |(at, _)| at);
        let spans = text::sentences(text);
        let gold = spans.partition_point(|s| s.end <= at);
        let first = gold.saturating_sub(PASSAGE / 2);
        let part: Vec<&str> = spans[first..spans.len().min(first + PASSAGE)]
            .iter()
            .map(|s| &text[s.clone()])
            .collect();
        let meta = source("paper_2020", "A paper", &["Ada Orvella"], Some(2020));
        let context = Context {
            chunks: vec![chunk(&meta, 0, &part)],
        };
        let query = string(&all[i]["question"]);
        check_topic(&query, &[1.0], &context, &corpus, &TopicSettings::default())
            .expect("the corpus can be read");
        // The sentence of the answer as an extractive answer would give it. One that reads as a mark cannot be
        // cited, and one without letters holds nothing to look for.
        let sentence = &text[spans[gold].clone()];
        asked += 1;
        if !support::marks(sentence).is_empty() || text::terms(sentence).is_empty() {
            continue;
        }
        let id = context.chunks[0].chunk.chunk_id.clone();
        let said = format!("{sentence} (paper_2020, {id})");
        let guarded = verify(
            &query,
            answer(&said, vec![cite("paper_2020", id.as_str(), sentence)]),
            &context,
            &settings,
        );
        assert!(!guarded.response.no_evidence, "{said:?}: {:?}", guarded.actions);
        assert_eq!(
            guarded.response.citations.len(),
            1,
            "{said:?}: {:?}",
            guarded.actions
        );
        flagged += usize::from(guarded.actions.iter().any(|a| a.action == "flagged"));
    }
    println!("{asked} questions, {flagged} verbatim answers flagged");
    assert!(
        asked > 0 && 50 * flagged <= asked,
        "{flagged} of {asked} verbatim answers were flagged"
    );
}

fn string(value: &Value) -> String {
    value.as_str().map(str::to_owned).unwrap_or_default()
}
