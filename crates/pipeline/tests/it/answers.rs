//! What a person reads: answers, refusals and hits as text and Markdown, and the fields of JSON that name a source.

use crate::common::Place;
use serde_json::Value;

const TRIAL: &str = "tandrik_2021_vo2_walkers.pdf";
const COHORT: &str = "quessmere_2023_mvpa_mortality.pdf";
pub(crate) const QUESTION: &str =
    "How large was the difference in peak oxygen uptake between alternating and steady walking?";
const ABSENT: &str = "What did the walkers eat for breakfast?";
const SNAILS: &str = "Garden snails sleep for four months in winter under leaves. ";
const OFF_TOPIC: &str = "Who won the football world cup in 2018?";

/// Two papers, of which the manifest marks one as fictional.
pub(crate) fn library() -> Option<Place> {
    let place = Place::with_natives()?;
    place.paper(TRIAL);
    place.paper(COHORT);
    place.write(
        "papers/manifest.csv",
        b"source_id,venue,fictional\ntandrik_2021_vo2_walkers,Annals of Walks,yes\nquessmere_2023_mvpa_mortality,,no\n",
    );
    place.passes(&["ingest", "papers"]);
    Some(place)
}

/// The text with single spaces, as it was before it was wrapped.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().expect("a list")
}

pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} is no text in {value}"))
}

#[test]
fn answers_refusals_and_hits_read_well() {
    let Some(place) = library() else { return };
    answer(&place);
    context(&place);
    refusal(&place);
    search(&place);
    questions(&place);
}

/// A file of questions has an answer for each line.
fn questions(place: &Place) {
    place.write("questions.txt", format!("{QUESTION}\n\n  {OFF_TOPIC}  \n").as_bytes());
    let (code, answers) = place.json(&["ask", "--file", "questions.txt", "-k", "1"]);
    let of = |at: usize, key: &str| answers[at][key].clone();
    assert_eq!((code, answers.as_array().map(Vec::len)), (1, Some(2)), "{answers}");
    assert_eq!((of(0, "query"), of(0, "no_evidence")), (QUESTION.into(), false.into()));
    assert_eq!((of(1, "query"), of(1, "no_evidence")), (OFF_TOPIC.into(), true.into()));
    let (_, twelve) = place.json(&["ask", QUESTION, "-k", "12", "--include-context"]);
    assert_eq!(list(&twelve, "context").len(), 12, "{twelve}");
    place.write("empty.txt", b"\n");
    place.run(&["ask", "--file", "empty.txt"]).fails_with(2, &["empty.txt has no question"]);
    place.run(&["ask", "--file", "none.txt"]).fails_with(2, &["none.txt"]);
    place.run(&["ask", "q", "--file", "questions.txt"]).fails_with(2, &["--file"]);
    place.run(&["ask"]).fails_with(2, &["QUESTION"]);
}

/// Nothing can be written below a file, to a full disk, or in the place of a folder, not even by root.
#[test]
fn an_answer_is_not_lost_to_files_that_cannot_be_written() {
    let Some(place) = Place::with_natives() else { return };
    let text = format!("# Snails\n\n## Results\n\n{}\n", SNAILS.repeat(3));
    place.write("papers/#1 50%?.md", text.as_bytes());
    place.write("file", b"");
    let model = place.model(1);
    assert_eq!(place.run(&["ingest", "papers", "--set", &model]).code(), 0);
    let settings = ["--set", &model, "--set", "guardrail.topic=false", "--set", "retrieve.min_similarity=0"];
    let ask =
        |more: &[&str]| place.run(&[&["ask", "Do snails sleep in winter?"], &settings[..], more].concat());
    let logged = ask(&["--format", "markdown"]);
    assert!(logged.stdout().contains("](papers/%231%2050%25%3F.md)"), "{}", logged.stdout());
    for file in ["file/run_log.jsonl", "/dev/full", "papers"] {
        let unlogged = ask(&["--format", "markdown", "--set", &format!("log.file={file}")]);
        let answer = |text: String| {
            text.lines()
                .filter(|line| !line.contains("no language model"))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(answer(unlogged.stdout()), answer(logged.stdout()));
        unlogged.fails_with(logged.code(), &["warning: not in the run log", file, "set log.file"]);
    }
    let question = |id: u8| {
        format!(
            "{{\"id\":\"Q{id}\",\"type\":\"direct\",\"query\":\"Do snails sleep in winter {id}?\",\"expected_no_evidence\":false}}\n"
        )
    };
    place.write("q.jsonl", (question(1) + &question(2)).as_bytes());
    let nowhere = ["--set", "log.file=file/log.jsonl", "--set", "log.reports=file/reports"];
    let ran =
        place.run(&[&["eval", "--mode", "hybrid", "--queries", "q.jsonl"], &settings[..], &nowhere].concat());
    ran.fails_with(0, &["cannot be resumed", "no report", "set log.reports"]);
    assert!(ran.stdout().contains("2 rows, 0 resumed, 0 failed"), "{}", ran.stdout());
    assert_eq!(ran.stderr().matches("not in the run log").count(), 1, "{}", ran.stderr());
}

fn answer(place: &Place) {
    let json = place.done(&["ask", QUESTION]);
    // The contract keeps its marks; what names a source stands beside it.
    let citations = list(&json, "citations");
    for citation in citations {
        let chunk = text(citation, "chunk_id");
        assert!(text(&json, "answer").contains(&format!(", {chunk})")), "{json}");
        assert_eq!(citation["page"], citation["page_start"], "{citation}");
        assert!(!text(citation, "title").is_empty() && !list(citation, "authors").is_empty());
        assert!(citation["year"].is_u64() && citation["doi"].is_string(), "{citation}");
        let path = std::path::Path::new(text(citation, "path"));
        assert!(path.is_absolute() && path.exists(), "{citation}");
        let fictional = text(citation, "source_id").starts_with("tandrik");
        assert_eq!(citation["fictional"], Value::Bool(fictional), "{citation}");
    }
    assert!(json.get("context").is_none());

    let shown = place.run(&["ask", QUESTION]).stdout();
    let flat_text = flat(&shown);
    assert!(shown.contains(" [1]\n") && !shown.contains("__"), "{shown}");
    assert!(flat_text.contains("Annals of Walks. https://doi.org/"), "{shown}");
    for citation in citations {
        let quote = flat(text(citation, "relevant_quote"));
        assert_eq!(flat_text.matches(&quote).count(), 1, "printed once: {quote}\n{shown}");
        // Relative to this folder.
        let link = format!("papers/{}.pdf#page={}", text(citation, "source_id"), citation["page"]);
        assert!(shown.contains(&link), "{link}\n{shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
    assert!(!shown.contains('\u{1b}'), "no style where there is no terminal");
}

fn context(place: &Place) {
    let (_, json) = place.json(&["ask", QUESTION, "--include-context"]);
    let passages = list(&json, "context");
    assert!(!passages.is_empty());
    for citation in list(&json, "citations") {
        let cited = passages.iter().find(|p| p["chunk_id"] == citation["chunk_id"]);
        let quote = text(citation, "relevant_quote");
        assert!(cited.is_some_and(|p| text(p, "text").contains(quote)), "{citation}");
    }
    let log = std::fs::read_to_string(place.path("logs/run_log.jsonl")).expect("a log");
    let logged: Value = serde_json::from_str(log.lines().last().expect("a line")).expect("JSON");
    let texts = |all: &Vec<Value>| all.iter().map(|c| text(c, "text").to_owned()).collect::<Vec<_>>();
    let stored = |c: &Value| {
        let hash = text(c, "text_sha256");
        let file = place.path(&format!("logs/texts/{}/{hash}", &hash[..2]));
        std::fs::read_to_string(file).expect("a text")
    };
    let logged: Vec<String> = list(&logged, "context").iter().map(stored).collect();
    assert_eq!(texts(passages), logged, "whole, as the generator saw them");
    for key in ["chunk_id", "source_id", "section", "page_start", "page_end", "origin"] {
        assert!(passages.iter().all(|p| !p[key].is_null()), "{key}");
    }
}

fn refusal(place: &Place) {
    let ran = place.run(&["ask", ABSENT]);
    let shown = ran.stdout();
    assert_eq!(ran.code(), 1, "{shown}");
    let reason = shown.lines().next().expect("a reason");
    assert_eq!(shown.matches(reason).count(), 1, "{shown}");
    let (before, after) = shown.split_once("\nClosest passages\n").expect(&shown);
    assert!(before.lines().count() <= 3, "the reason alone: {before}");
    assert_eq!(after.matches("#page=").count(), 3, "{shown}");
    for word in ["answered by", "Confidence", "similarity"] {
        assert!(!shown.contains(word), "{word}: {shown}");
    }
    // Nothing came close: there is no passage to show, only the reason.
    let ran = place.run(&["ask", OFF_TOPIC]);
    let shown = ran.stdout();
    assert_eq!(ran.code(), 1, "{shown}");
    assert!(shown.lines().count() <= 3 && !shown.contains("#page="), "{shown}");
}

fn search(place: &Place) {
    let args = ["search", "steady walking oxygen uptake", "-k", "2"];
    let shown = place.run(&args).stdout();
    let (_, json) = place.json(&args);
    let hit = &list(&json, "hits")[0];
    assert!(!text(hit, "title").is_empty() && hit["fictional"].is_boolean(), "{hit}");
    assert!(text(hit, "path").contains(".pdf") && hit["page"] == hit["page_start"], "{hit}");
    assert_eq!(shown.matches("#page=").count(), 2, "{shown}");
    assert!(shown.to_lowercase().contains("walking"), "{shown}");

    let explained = place.run(&[&args[..], &["--explain"]].concat()).stdout();
    assert!(!explained.contains('{'), "lines, no dump: {explained}");
    for part in [
        " = 0.6 × ",
        " (similarity) + 0.4 × ",
        " (BM25)",
        "0.6 × similarity + 0.4 × BM25, each scaled",
        "none (2 papers)",
        "(retrieve.min_similarity)",
        "(sentence) and keeps the best 6",
    ] {
        assert!(flat(&explained).contains(part), "{part}: {explained}");
    }
    // What is reranked does not depend on how much is shown; what `ask` drops is shown as dropped.
    let reranked = |count: &str, more: &[&str]| {
        let (_, found) = place.json(&[&args[..3], &[count, "--explain"], more].concat());
        let hits = list(&found, "hits").clone();
        let places = hits.iter().map(|hit| hit["explanation"]["rerank"].clone());
        (found["explanation"]["reranking"].clone(), places.collect::<Vec<_>>())
    };
    let (own, places) = reranked("2", &[]);
    let (_, more) = reranked("10", &[]);
    assert_eq!(places, more[..2], "{own}");
    let (own, places) = reranked("10", &["--set", "rerank.top_n=1"]);
    assert_eq!(own["keep"], 1, "{own}");
    assert_eq!(places.iter().filter(|place| place["kept"] == true).count(), 1, "{places:?}");
    // A language model is not asked for scores that nobody but people would read.
    let address = format!("llm.base_url={}", testkit::refusing_address());
    let model = ["--set", "llm.provider=openai", "--set", "llm.model=m", "--set", &address];
    let (own, places) = reranked("2", &[&model[..], &["--set", "rerank.method=llm"]].concat());
    assert!(own["ran"] == false && places.iter().all(Value::is_null), "{own} {places:?}");
    let ran = place.run(&["search", "walking", "--year-from", "2030"]);
    assert_eq!(ran.code(), 1, "{}", ran.stdout());
    let said = flat(&ran.stdout());
    assert!(said.contains("the filter (published in 2030 or later) excludes all 2 papers"), "{said}");
}
