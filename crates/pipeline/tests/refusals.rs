//! A question without an answer says why, in words and for programs.

mod common;

use common::{Place, natives};
use serde_json::Value;

const PAPERS: [&str; 3] = [
    "tandrik_2021_vo2_walkers.pdf",
    "waxenhoult_2023_cadence_short.pdf",
    "crostellan_2021_fibre_crossover.pdf",
];

#[test]
fn a_filter_that_excludes_every_paper_is_named() {
    let Some(natives) = natives() else { return };
    let place = Place::new(Some(natives));
    for paper in PAPERS {
        place.paper(paper);
    }
    let model = place.model(1);
    let (code, summary) = place.json(&["ingest", "papers", "--set", &model]);
    assert_eq!(code, 0, "{summary}");

    let question = "How did walking change VO2max?";
    let asked = |more: &[&str]| {
        let args = [&["ask", question, "--set", &model], more].concat();
        let (code, answer) = place.json(&args);
        assert_eq!(code, 1, "{answer}");
        let log = std::fs::read_to_string(place.path("logs/run_log.jsonl")).expect("the answer was logged");
        let last: Value = serde_json::from_str(log.lines().last().expect("a line")).expect("JSON");
        assert_eq!(answer["refusal"], last["response"]["refusal"], "{answer}");
        assert!(last["response_raw"].is_null(), "nothing was generated: {last}");
        (
            answer["refusal"]["reason"].clone(),
            answer["answer"].as_str().unwrap_or_default().to_owned(),
        )
    };
    let (reason, said) = asked(&["--year-from", "2030"]);
    assert_eq!(reason, "filter_excluded_all");
    assert_eq!(
        said,
        "Nothing was searched: the filter (published in 2030 or later) excludes all 3 papers of the index."
    );
    let (reason, said) = asked(&["--set", "retrieve.threshold=1.0", "--year-to", "2022"]);
    assert_eq!(reason, "below_threshold");
    assert!(
        said.contains("among the 2 papers that pass the filter (published in 2022 or earlier)"),
        "{said}"
    );
}
