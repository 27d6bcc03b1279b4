//! Filters, spellings and abbreviations from the words of a question, through the binary.

use crate::common::Place;
use serde_json::{Value, json};

const MANIFEST: &str = "source_id,title,authors,year,tags\n\
    wirz_2019,Slugs at night,Ada Wirz; Bram Solvik,2019,Agriculture; Snails\n\
    barry_2023,Slugs by day,Cor Barry; Ada Wirz,2023,Computer Science\n\
    moro_2025,Slugs in spring,Ines Moro; Cor Barry,2025,Food Science\n\
    solvik_2026,Slugs in winter,Bram Solvik,2026,Agriculture\n";

/// Four papers on slugs, indexed with a fast model.
fn library() -> Option<Place> {
    let place = Place::with_natives()?;
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
    // Examples of the reference evaluation; crate `question` tests all of them.
    check("slug theses from 2023", &json!({"year": 2023, "year_from": 2023}), &["barry_2023"]);
    check("recent studies on agriculture", &range, &["solvik_2026"]);
    check(
        "agriculture research in 2019",
        &json!({"year": 2019, "subjects": ["Agriculture"], "tags": ["Agriculture"]}),
        &["wirz_2019"],
    );
    place
        .run(&["--set", "question.today=soon", "search", "slugs"])
        .fails_with(2, &["question.today", "soon", "2026-07-31"]);

    // Undone by the option and by the setting.
    for more in ["--no-question-filters", "--set=question.filters=false"] {
        let (_, document) = search(&place, &["slug theses from 2023", more]);
        assert_eq!((&document["filters"], &document["notes"]), (&Value::Null, &json!([])), "{more}");
        assert_eq!(found(&document).len(), 4, "{more}");
    }

    // An explicit filter wins over the words of its kind, and only over these.
    let (_, document) = search(&place, &["agriculture papers on slugs from 2023", "--year-to", "2024"]);
    let filters = &document["filters"];
    assert_eq!((&filters["year_from"], &filters["year_end"]), (&Value::Null, &json!(2024)), "{filters}");
    assert_eq!(filters["origins"]["year"], json!({"from": "explicit"}), "{filters}");
    assert_eq!(filters["origins"]["subjects"]["from"], "query", "{filters}");
    assert_eq!(found(&document), ["wirz_2019"]);

    // Nothing left: said, with the way back.
    let ran = place.run(&["--config", "own.toml", "ask", "slug papers from 1950"]);
    assert_eq!(ran.code(), 1, "{}", ran.stderr());
    let said = ran.stdout().split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["excludes all 4 papers", "1950", "question-filters"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_paper_named_by_its_first_author_is_the_one_that_answers() {
    let Some(place) = library() else { return };
    let ask = |query: &str| place.json(&["--config", "own.toml", "ask", query]);
    let (code, answer) = ask("What did Wirz et al. conclude");
    assert_eq!(code, 0, "{answer}");
    let filters = &answer["filters"];
    assert_eq!(filters["sources"], json!(["wirz_2019"]));
    assert_eq!(filters["sections"], json!(["conclusion"]), "{answer}");
    let words = &filters["origins"]["sections"]["words"];
    assert_eq!(*words, json!(["conclude"]), "the verb stands in the question: {answer}");
    assert_eq!(answer["citations"][0]["source_id"], "wirz_2019", "{answer}");
    assert!(answer["answer"].to_string().contains("live longer"), "{answer}");
    let log = std::fs::read_to_string(place.path("logs/run_log.jsonl")).expect("a log");
    let logged: Value = serde_json::from_str(log.lines().next().expect("a line")).expect("JSON");
    assert_eq!(logged["filters"]["sources"], json!(["wirz_2019"]), "{logged}");
    // No discussion, no filter of the section; a surname alone is a name where the index has that author.
    let (_, answer) = ask("In the discussion of Barry et al., how many slugs were counted?");
    let filters = &answer["filters"];
    assert_eq!((&filters["sources"], &filters["sections"]), (&json!(["barry_2023"]), &Value::Null));
    let (_, answer) = ask("What does Basil do to slugs?");
    assert_eq!(answer["filters"], Value::Null, "{answer}");
    // All that are compared are kept, and each is quoted.
    let (_, answer) = ask("What did Wirz et al. and Moro et al. conclude about slugs that sleep?");
    assert_eq!(answer["filters"]["sources"], json!(["moro_2025", "wirz_2019"]), "{answer}");
    let cited = answer["citations"].as_array().expect("citations").iter();
    let cited: Vec<&str> = cited.filter_map(|c| c["source_id"].as_str()).collect();
    assert!(["moro_2025", "wirz_2019"].iter().all(|paper| cited.contains(paper)), "{answer}");
}

#[test]
fn a_misspelt_word_is_searched_as_meant_and_the_output_says_so() {
    let Some(place) = library() else { return };
    let query = "did fertilizzer change how slugs slept";
    let answer = place.done(&["--config", "own.toml", "ask", query]);
    let spelling = json!([{"word": "fertilizzer", "also": ["fertiliser"]}]);
    assert_eq!(answer["searched_also_for"], spelling, "{answer}");
    assert!(answer["answer"].to_string().contains("Fertiliser"), "{answer}");
    let said = place.run(&["--config", "own.toml", "search", query]).stdout();
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    assert!(said.contains("searched also for: \"fertiliser\""), "{said}");
    assert!(said.contains("question.spelling=false"), "{said}");
    let off = ["fertilizzer", "--mode", "bm25", "--set", "question.spelling=false"];
    let (code, hits) = search(&place, &off);
    assert_eq!((code, &hits["searched_also_for"]), (1, &json!([])), "{hits}");
}

/// Papers that define abbreviations, and use either form alone where it matters.
fn abbreviating() -> Option<Place> {
    let place = Place::with_natives()?;
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
    };
    let all = ["definer", "long_only", "short_only"];
    let long = json!([{"words": "MLI", "also": ["mean lettuce intake"]}]);
    let short = json!([{"words": "mean lettuce intake", "also": ["MLI"]}]);
    check("MLI", &long, &all, &[]);
    check("mean lettuce intake", &short, &all, &[]);
    // Not both meanings of an ambiguous one, and nothing if it is off.
    check("SDR", &json!([]), &["definer", "other_a"], &[]);
    check("MLI", &json!([]), &["definer", "short_only"], &["--set", "question.abbreviations=false"]);
    let query = ["--config", "own.toml", "ask", "what was the MLI under stones"];
    let (code, answer) = place.json(&query);
    assert_eq!((code, &answer["abbreviations"]), (0, &long), "{answer}");
    assert!(answer["answer"].to_string().contains("12 grams"), "{answer}");
    let said = place.run(&query).stdout().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("also for: \"mean lettuce intake\" (for \"MLI\")"), "{said}");
}
