//! `ask --per-paper`: the same questions of every paper.

use crate::answers::{QUESTION, library, list, text};

#[test]
fn the_same_questions_of_every_paper_make_a_table() {
    let Some(place) = library() else { return };
    place.write(
        "columns.txt",
        format!(
            "VO2: {QUESTION}\nWhales: Which whales sang in the harbour?\n\
             Outcome: What was the primary outcome?\nSize: How many people took part?\n"
        )
        .as_bytes(),
    );
    let ask = |more: &[&str]| {
        let args = ["ask", "--per-paper", "--file", "columns.txt"];
        place.run(&[&args, more].concat())
    };
    let table = place.done(&["ask", "--per-paper", "--file", "columns.txt"]);
    assert_eq!(table["columns"][0]["name"], "VO2");
    assert_eq!(table["columns"][0]["question"], QUESTION);
    let ids: Vec<&str> = list(&table, "papers").iter().map(|row| text(row, "source_id")).collect();
    assert_eq!(ids, ["quessmere_2023_mvpa_mortality", "tandrik_2021_vo2_walkers"]);
    // Each paper is asked by itself: the trial answers, and neither paper speaks of whales.
    let cells = |at: usize| list(&list(&table, "papers")[at], "cells").clone();
    let filled = &cells(1)[0];
    assert!(text(filled, "quote").contains("1.6 mL/kg/min"), "{filled}");
    assert!(filled["page"].as_u64().is_some_and(|page| page > 0), "{filled}");
    assert_eq!((&filled["value"], &filled["unit"]), (&"1.6".into(), &"mL/kg/min".into()), "{filled}");
    assert_eq!(
        (text(&cells(0)[1], "status"), text(&cells(1)[1], "status")),
        ("not_found", "not_found"),
        "{table}"
    );
    let values = [0, 1].map(|at| cells(at)[3]["value"].clone());
    assert_eq!(values, ["41,872", "186"], "{table}");
    // A filter leaves papers out.
    assert_eq!(text(filled, "status"), "stated");
    let one = ask(&["--source", "tandrik_2021_vo2_walkers"]);
    assert_eq!(one.code(), 0, "{}", one.stderr());
    assert!(one.stdout().contains("Whales: not found"), "{}", one.stdout());
    assert!(!one.stdout().contains("uessmere"), "{}", one.stdout());

    for (name, start) in [
        (
            "t.csv",
            "source_id,paper,year,VO2,VO2: value,VO2: unit,VO2: comparable,VO2: page,VO2: confidence,Whales,",
        ),
        ("t.md", "| Paper | VO2 | Whales |"),
        ("t.html", "<!doctype html>"),
        ("t.json", "{"),
    ] {
        let ran = ask(&["--source", "tandrik_2021_vo2_walkers", "--output", name]);
        assert_eq!(ran.code(), 0, "{}", ran.stderr());
        assert!(ran.stdout().is_empty() && ran.stderr().contains("cells are filled"), "{}", ran.stderr());
        let written = std::fs::read_to_string(place.path(name)).expect("written");
        assert!(written.to_lowercase().starts_with(&start.to_lowercase()), "{name}: {written}");
        assert!(written.contains("1.6 mL/kg/min"), "{name}: {written}");
    }
    place.write("mine.csv", b"my,own,file\n1,2,3\n");
    for (name, reason) in
        [("t.xlsx", "is no .csv, .md, .html or .json"), ("mine.csv", "not written by pipeline")]
    {
        let ran = ask(&["--output", name]);
        assert_eq!(ran.code(), 2);
        assert!(ran.stderr().contains(reason), "{}", ran.stderr());
    }
}
