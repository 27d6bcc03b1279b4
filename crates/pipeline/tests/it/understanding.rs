//! Filters, spellings and abbreviations from the words of a question, through the binary.

use crate::common::{Place, natives};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const MANIFEST: &str = "source_id,title,authors,year,tags\n\
    wirz_2019,Slugs at night,Ada Wirz; Bram Solvik,2019,Agriculture; Snails\n\
    barry_2023,Slugs by day,Cor Barry; Ada Wirz,2023,Computer Science\n\
    moro_2025,Slugs in spring,Ines Moro; Cor Barry,2025,Food Science\n\
    solvik_2026,Slugs in winter,Bram Solvik,2026,Agriculture\n";

/// Four papers on slugs, indexed with a fast model.
fn library() -> Option<Place> {
    let place = Place::new(Some(natives()?));
    for (id, place_of_sleep, count) in [
        ("wirz_2019", "under stones", 12),
        ("barry_2023", "under leaves", 34),
        ("moro_2025", "in lettuce", 56),
        ("solvik_2026", "in sheds", 78),
    ] {
        let text = format!(
            "# Slugs\n\n## Methods\n\nWe counted {count} slugs with lanterns in gardens.\n\n## Results\n\nSlugs slept \
             {place_of_sleep} for seven hours. Fertiliser did not change their sleep.\n\n## Conclusion\n\nSlugs that sleep \
             {place_of_sleep} live longer.\n"
        );
        place.write(&format!("papers/{id}.md"), text.as_bytes());
    }
    place.write("papers/manifest.csv", MANIFEST.as_bytes());
    place.write(
        "own.toml",
        format!(
            "[embedding]\nmodel = {:?}\n[retrieve]\nthreshold = 0.0\n[question]\ntoday = \"2026-05-01\"\n",
            model_path(&place)
        )
        .as_bytes(),
    );
    let (code, done) = place.json(&["--config", "own.toml", "ingest", "papers"]);
    assert_eq!((code, &done["added"]), (0, &json!(4)), "{done}");
    Some(place)
}

fn model_path(place: &Place) -> String {
    place.model(1).trim_start_matches("embedding.model=").to_owned()
}

fn search(place: &Place, more: &[&str]) -> (i32, Value) {
    place.json(&[&["--config", "own.toml", "search", "-k", "50"], more].concat())
}

/// The sources of the hits, sorted, each once.
fn found(document: &Value) -> Vec<&str> {
    let hits = document["hits"].as_array().expect("hits").iter();
    let mut ids: Vec<&str> = hits.map(|hit| hit["source_id"].as_str().expect("an id")).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

#[test]
fn years_and_subjects_in_words_filter_and_can_be_undone() {
    let Some(place) = library() else { return };
    let check = |query: &str, want: &Value, sources: &[&str]| {
        let (code, document) = search(&place, &[query]);
        assert_eq!(code, 0, "{query}: {document}");
        let filters = &document["filters"];
        for (key, value) in want.as_object().expect("keys") {
            assert_eq!(&filters[key], value, "{query}: {key}: {filters}");
        }
        assert_eq!(found(&document), sources, "{query}");
        assert!(document["notes"].to_string().contains("--no-question-filters"), "{document}");
    };
    let range = json!({"year_start": 2023, "year_end": 2026, "year_from": 2023, "year_to": 2026});
    // The examples of the reference evaluation.
    check("slug theses from 2023", &json!({"year": 2023, "year_from": 2023}), &["barry_2023"]);
    check(
        "slug research between 2020 and 2023",
        &json!({"year_start": 2020, "year_end": 2023}),
        &["barry_2023"],
    );
    check("recent studies on slugs", &range, &["barry_2023", "moro_2025", "solvik_2026"]);
    check("recent studies on agriculture", &range, &["solvik_2026"]);
    check("last year's research on slugs", &json!({"year": 2025}), &["moro_2025"]);
    check(
        "last 5 years",
        &json!({"year_start": 2021, "year_end": 2026}),
        &["barry_2023", "moro_2025", "solvik_2026"],
    );
    check(
        "agriculture research in 2019",
        &json!({"year": 2019, "subjects": ["Agriculture"], "tags": ["Agriculture"]}),
        &["wirz_2019"],
    );
    check("computer science and AI theses", &json!({"subjects": ["Computer Science"]}), &["barry_2023"]);
    check("food science nutrition studies", &json!({"subjects": ["Food Science"]}), &["moro_2025"]);
    let (_, document) = search(&place, &["theses from 2023"]);
    let origin = json!({"from": "query", "words": ["theses from 2023"]});
    assert_eq!(document["filters"]["origins"]["year"], origin, "{document}");

    // The date is a setting, in the environment, too.
    let mut command =
        place.command(&["--config", "own.toml", "search", "last year's slug papers", "--format", "json"]);
    let ran = command.env("PIPELINE__QUESTION__TODAY", "2020-01-31").output().expect("runs");
    let document: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    assert_eq!(document["filters"]["year"], 2019, "{document}");
    place
        .run(&["--set", "question.today=soon", "search", "slugs"])
        .fails_with(2, &["question.today", "soon", "2026-07-31"]);

    // Undone by the option and by the setting; untouched by a year of the topic.
    let free = |more: &[&str]| {
        let (_, document) = search(&place, more);
        assert_eq!((&document["filters"], &document["notes"]), (&Value::Null, &json!([])), "{more:?}");
        assert_eq!(found(&document).len(), 4, "{more:?}");
    };
    free(&["slug theses from 2023", "--no-question-filters"]);
    free(&["slug theses from 2023", "--set", "question.filters=false"]);
    free(&["How many slugs slept in gardens in 2023?"]);

    // An explicit filter wins over the words of its kind, and only over these.
    let (_, document) = search(&place, &["agriculture papers on slugs from 2023", "--year-to", "2024"]);
    let filters = &document["filters"];
    assert_eq!((&filters["year_from"], &filters["year_end"]), (&Value::Null, &json!(2024)), "{filters}");
    assert_eq!(filters["origins"]["year"], json!({"from": "explicit"}), "{filters}");
    assert_eq!(filters["origins"]["subjects"]["from"], "query", "{filters}");
    assert_eq!(found(&document), ["wirz_2019"]);
    let (_, document) = search(&place, &["agriculture papers", "--tag", "Food Science"]);
    assert_eq!(document["filters"]["subjects"], json!(["Food Science"]), "{document}");
    assert_eq!(document["filters"]["origins"]["subjects"]["from"], "explicit", "{document}");
    assert_eq!(found(&document), ["moro_2025"]);

    // Nothing left: said, with the way back, in all forms.
    for command in ["search", "ask"] {
        for format in ["text", "markdown", "json"] {
            let ran =
                place.run(&["--config", "own.toml", command, "slug papers from 1950", "--format", format]);
            assert_eq!(ran.code(), 1, "{command} {format}: {}", ran.stderr());
            let said = ran.stdout().split_whitespace().collect::<Vec<_>>().join(" ");
            for part in ["excludes all 4 papers", "1950", "question-filters"] {
                assert!(said.replace('\\', "").contains(part), "{command} {format}: {part}: {said}");
            }
        }
    }
}

#[test]
fn a_paper_named_by_its_first_author_is_the_one_that_answers() {
    let Some(place) = library() else { return };
    let ask = |query: &str| place.json(&["--config", "own.toml", "ask", query]);
    let sources = |document: &Value| document["filters"]["sources"].clone();

    let (code, answer) = ask("What did Wirz et al. conclude");
    assert_eq!(code, 0, "{answer}");
    assert_eq!(sources(&answer), json!(["wirz_2019"]));
    assert_eq!(answer["filters"]["sections"], json!(["conclusion"]), "{answer}");
    let words = &answer["filters"]["origins"]["sections"]["words"];
    assert_eq!(*words, json!(["conclude"]), "the verb stands in the question: {answer}");
    assert_eq!(answer["citations"][0]["source_id"], "wirz_2019", "{answer}");
    assert!(answer["answer"].to_string().contains("live longer"), "{answer}");
    let (_, found) =
        place.json(&["--config", "own.toml", "search", "What did Wirz et al. conclude", "--explain"]);
    assert_eq!(found["explanation"]["threshold"], 0.0, "{found}");
    let explained = ["search", "What did Wirz et al. conclude", "--explain"];
    let text = place.run(&[&["--config", "own.toml"][..], &explained].concat());
    let words = text.stdout().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("retrieve.threshold does not apply to a question without a topic"), "{words}");
    // One word of a topic is a topic: no section is meant.
    let (_, topic) = ask("What did Wirz et al. find on telomeres?");
    assert_eq!(topic["filters"]["sections"], Value::Null, "{topic}");
    assert_eq!(topic["no_evidence"], true, "{topic}");
    let log = std::fs::read_to_string(place.path("logs/run_log.jsonl")).expect("a log");
    let logged: Value = serde_json::from_str(log.lines().next().expect("a line")).expect("JSON");
    assert_eq!(logged["filters"]["sources"], json!(["wirz_2019"]), "{logged}");

    let (code, answer) = ask("In the methods of Barry et al., how many slugs were counted?");
    assert_eq!(code, 0, "{answer}");
    assert_eq!(answer["filters"]["sections"], json!(["methods"]), "{answer}");
    assert_eq!(answer["filters"]["origins"]["sections"]["from"], "query", "{answer}");
    assert!(answer["answer"].to_string().contains("34"), "{answer}");
    // No discussion, no filter of the section.
    let (_, answer) = ask("In the discussion of Barry et al., how many slugs were counted?");
    assert_eq!((sources(&answer), &answer["filters"]["sections"]), (json!(["barry_2023"]), &Value::Null));

    // A surname alone is a name only where the index has that author.
    let (_, answer) = ask("What does Barry say about how many slugs were counted?");
    assert_eq!(sources(&answer), json!(["barry_2023"]), "{answer}");
    assert!(answer["answer"].to_string().contains("34"), "{answer}");
    let (_, answer) = ask("What does Basil do to slugs?");
    assert_eq!(answer["filters"], Value::Null, "{answer}");

    // All that are compared are kept; one that is not indexed sets nothing.
    let (_, answer) = ask("Compare the slugs of Wirz et al. 2019 with those of Barry et al. 2023");
    assert_eq!(sources(&answer), json!(["barry_2023", "wirz_2019"]), "{answer}");
    for query in
        ["What did Zhang et al. say of slugs?", "Compare the slugs of Wirz et al. with those of Zhang et al."]
    {
        let (_, answer) = ask(query);
        assert_eq!(answer["filters"], Value::Null, "{query}: {answer}");
    }
    let (_, answer) = place.json(&[
        "--config",
        "own.toml",
        "ask",
        "What did Wirz et al. conclude",
        "--source",
        "moro_2025",
    ]);
    assert_eq!(sources(&answer), json!(["moro_2025"]), "{answer}");
    assert_eq!(answer["filters"]["origins"]["sources"]["from"], "explicit", "{answer}");
}

#[test]
fn papers_that_are_described_are_compared() {
    let Some(place) = library() else { return };
    let ask = |more: &[&str]| place.json(&[&["--config", "own.toml", "ask"][..], more].concat());
    let query = "Where did the slugs sleep in the studies of slugs by day and in winter?";
    let (code, answer) = ask(&[query]);
    assert_eq!(code, 0, "{answer}");
    let filters = &answer["filters"];
    assert_eq!(filters["sources"], json!(["barry_2023", "solvik_2026"]), "{answer}");
    assert_eq!(
        filters["origins"]["sources"]["words"],
        json!(["slugs day studies", "winter studies"]),
        "{answer}"
    );
    let said = answer["answer"].to_string();
    assert!(said.contains("under leaves") && said.contains("in sheds"), "{answer}");
    let of_others =
        |cited: &&Value| !["barry_2023", "solvik_2026"].map(Value::from).contains(&cited["source_id"]);
    let cited = answer["citations"].as_array().expect("citations");
    assert_eq!(cited.iter().find(of_others), None, "{answer}");
    let (_, free) = ask(&[query, "--no-question-filters"]);
    assert_eq!(free["filters"], Value::Null, "{free}");
}

#[test]
fn a_misspelt_word_is_searched_as_meant_and_the_output_says_so() {
    let Some(place) = library() else { return };
    let query = "did fertilizzer change how slugs slept";
    let (code, answer) = place.json(&["--config", "own.toml", "ask", query]);
    assert_eq!(code, 0, "{answer}");
    let spelling = json!([{"word": "fertilizzer", "also": ["fertiliser"]}]);
    assert_eq!(answer["searched_also_for"], spelling, "{answer}");
    assert!(answer["answer"].to_string().contains("Fertiliser"), "{answer}");
    let (_, hits) = search(&place, &["fertilizzer", "--mode", "bm25"]);
    assert_eq!((found(&hits).len(), &hits["searched_also_for"]), (4, &spelling), "{hits}");
    for command in ["search", "ask"] {
        for format in ["text", "markdown"] {
            let said = place.run(&["--config", "own.toml", command, query, "--format", format]).stdout();
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ").replace('\\', "").to_lowercase();
            assert!(said.contains("searched also for: \"fertiliser\""), "{command} {format}: {said}");
            assert!(said.contains("question.spelling=false"), "{command} {format}: {said}");
        }
    }
    let off = ["fertilizzer", "--mode", "bm25", "--set", "question.spelling=false"];
    let (code, hits) = search(&place, &off);
    assert_eq!((code, &hits["searched_also_for"]), (1, &json!([])), "{hits}");
    // Names, symbols, numbers and short words are searched as written.
    let (_, hits) = search(&place, &["slug Fertilizzer SLUG2 2o19 slags", "--mode", "bm25"]);
    assert_eq!(hits["searched_also_for"], json!([{"word": "slags", "also": ["slugs"]}]), "{hits}");
}

/// Papers that define abbreviations, and use either form alone where it matters.
fn abbreviating() -> Option<Place> {
    let place = Place::new(Some(natives()?));
    for (id, text) in [
        ("definer", "The mean lettuce intake (MLI) was measured. Slow dusk rhythm (SDR) was seen."),
        ("short_only", "In sheds, MLI rose to 56 grams."),
        ("long_only", "Under stones, the mean lettuce intake fell to 12 grams."),
        ("other_a", "The soft dorsal ridge (SDR) was pale."),
        ("other_b", "Carrots were eaten by no snail."),
    ] {
        let paper = format!("# Snails\n\n## Results\n\n{text}\n");
        place.write(&format!("papers/{id}.md"), paper.as_bytes());
    }
    let settings = format!("[embedding]\nmodel = {:?}\n", model_path(&place));
    let open = "[retrieve]\nthreshold = 0.0\n";
    place.write("own.toml", format!("{settings}{open}").as_bytes());
    let (code, done) = place.json(&["--config", "own.toml", "ingest", "papers"]);
    assert_eq!((code, &done["added"]), (0, &json!(5)), "{done}");
    Some(place)
}

#[test]
fn either_form_of_an_abbreviation_finds_both_and_the_output_says_so() {
    let Some(place) = abbreviating() else { return };
    let check = |query: &str, taken: &Value, sources: &[&str], more: &[&str]| {
        let (_, hits) = search(&place, &[&[query, "--mode", "bm25"], more].concat());
        assert_eq!(&hits["abbreviations"], taken, "{query}: {hits}");
        assert_eq!(found(&hits), sources, "{query}");
        hits
    };
    let all = ["definer", "long_only", "short_only"];
    let long = json!([{"words": "MLI", "also": ["mean lettuce intake"]}]);
    let short = json!([{"words": "mean lettuce intake", "also": ["MLI"]}]);
    check("MLI", &long, &all, &[]);
    let explained = check("mean lettuce intake", &short, &all, &["--explain"]);
    assert!(explained["hits"].to_string().contains("\"word\":\"MLI\""), "{explained}");
    // The words of a long form share the weight of one term.
    let explained = check("MLI", &long, &all, &["--explain"]);
    let terms = explained["explanation"]["terms"].as_array().expect("terms");
    let weights: Vec<(&str, f64)> = terms
        .iter()
        .map(|term| {
            let weight = term["weight"].as_f64().expect("a number");
            (term["word"].as_str().expect("a word"), (weight * 1000.0).round() / 1000.0)
        })
        .collect();
    let want = [("MLI", 1.0), ("mean", 0.333), ("lettuce", 0.333), ("intake", 0.333)];
    assert_eq!(weights, want, "{explained}");
    // Not both meanings of an ambiguous one, and nothing if it is off.
    check("SDR", &json!([]), &["definer", "other_a"], &[]);
    let off = ["--set", "question.abbreviations=false"];
    check("MLI", &json!([]), &["definer", "short_only"], &off);
    check("mean lettuce intake", &json!([]), &["definer", "long_only"], &off);

    let (code, answer) = place.json(&["--config", "own.toml", "ask", "what was the MLI under stones"]);
    assert_eq!((code, &answer["abbreviations"]), (0, &long), "{answer}");
    assert!(answer["answer"].to_string().contains("12 grams"), "{answer}");
    for command in ["search", "ask"] {
        let query = ["--config", "own.toml", command, "what was the MLI under stones"];
        let said = place.run(&query).stdout();
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in ["also for: \"mean lettuce intake\" (for \"MLI\")", "question.abbreviations=false"] {
            assert!(said.contains(part), "{command}: {said}");
        }
    }
    // A removed paper takes its definitions with it.
    std::fs::remove_file(place.path("papers/definer.md")).expect("removed");
    let (code, done) = place.json(&["--config", "own.toml", "ingest", "papers"]);
    assert_eq!((code, &done["removed"]), (0, &json!(["definer"])), "{done}");
    check("MLI", &json!([]), &["short_only"], &[]);
    let soft = json!([{"words": "SDR", "also": ["soft dorsal ridge"]}]);
    check("SDR", &soft, &["other_a"], &[]);
}

#[test]
fn a_comparison_quotes_each_paper() {
    let Some(place) = library() else { return };
    let check = |query: &str, papers: &[&str], parts: &[&str]| {
        let (code, answer) = place.json(&["--config", "own.toml", "ask", query]);
        let cited = answer["citations"].as_array().expect("citations").iter();
        let cited: BTreeSet<&str> = cited.filter_map(|c| c["source_id"].as_str()).collect();
        assert_eq!(code, 0, "{answer}");
        assert!(papers.iter().all(|paper| cited.contains(paper)), "{query}: {answer}");
        let searches = answer["further_searches"].as_array().into_iter().flatten();
        let searches: Vec<&str> = searches.filter_map(|s| s["query"].as_str()).collect();
        assert_eq!(searches, parts, "{answer}");
        let said = place.run(&["--config", "own.toml", "ask", query]).stdout();
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(parts.iter().all(|part| said.contains(part)), "{said}");
    };
    check(
        "What did Wirz et al. and Moro et al. conclude about slugs that sleep?",
        &["wirz_2019", "moro_2025"],
        &[],
    );
    check(
        "How long did slugs sleep in lettuce and under stones?",
        &["moro_2025", "wirz_2019"],
        &["How long did slugs sleep in lettuce?", "How long did slugs sleep under stones?"],
    );
}
