//! What is known of papers beside their text: manifests that are written and read, and bibliographies.

use crate::common::Place;
use serde_json::{Value, json};

const SLUGS: &str = "<article><front><article-meta><article-id pub-id-type=\"doi\">10.99999/jib.1</article-id><title-group>\
    <article-title>Slugs at night</article-title></title-group></article-meta></front><body><sec><title>Results</title>\
    <p>Slugs slept for seven hours.</p></sec></body></article>";
const SNAILS: &str =
    "---\ntitle: Sleep of garden snails in winter\nauthors: [J. Doe]\n---\n\n## Results\n\nSnails slept.\n";
const OWLS: &str = "# Owls that hunt by day\n\n## Results\n\nOwls hunt.\n";

fn metadata(place: &Place, id: &str) -> Value {
    place.json(&["papers", "show", id]).1
}

#[test]
fn a_bibliography_corrects_its_papers_and_a_manifest_corrects_both() {
    let Some((place, model)) = Place::fast() else { return };
    place.write("papers/slugs.xml", SLUGS.as_bytes());
    place.write("papers/snails.md", SNAILS.as_bytes());
    place.write("papers/owls.md", OWLS.as_bytes());
    let ingest = || place.json(&["ingest", "papers", "--set", &model]).1;
    let plan = || place.json(&["ingest", "papers", "--dry-run", "--set", &model]).1;
    assert_eq!(ingest()["added"], 3);

    let bib = |slugs_year: u16| {
        format!(
            "@article{{slugs1, doi = {{https://doi.org/10.99999/JIB.1}}, title = {{Something else}}, year = {slugs_year},\n\
             author = {{M{{\\\"u}}ller, Eva}}}}\n\
             @article{{snails1, title = {{Sleep of Garden Snails in Winter}}, year = 2018, journal = {{Invented Biology}}}}\n\
             @article{{whales1, title = {{Whales in winter and spring}}}}\n"
        )
    };
    place.write("papers/refs.bib", bib(2019).as_bytes());
    assert_eq!(plan()["counts"], json!({"change": 2, "keep": 1}));
    let told = ingest();
    assert_eq!((&told["changed"], &told["unchanged"]), (&2.into(), &1.into()), "{told}");
    // The text stays: nothing is read or embedded again but what names the paper.
    assert_eq!(told["stages"]["parse"]["done"], 0, "{told}");
    let note = told["warnings"].to_string();
    assert!(note.contains("refs.bib: 1 of 3 entries match no paper: whales1"), "{told}");
    assert!(told["other_files"].as_array().expect("a list").is_empty(), "{told}");
    let slugs = metadata(&place, "slugs").to_string();
    assert!(
        slugs.contains("Eva Müller") && slugs.contains("2019") && slugs.contains("Something else"),
        "{slugs}"
    );
    let snails = metadata(&place, "snails").to_string();
    assert!(snails.contains("Invented Biology") && snails.contains("J. Doe"), "{snails}");

    // One entry changes: its source alone. Then nothing.
    place.write("papers/refs.bib", bib(2020).as_bytes());
    let again = ingest();
    assert_eq!((&again["changed"], &again["unchanged"]), (&1.into(), &2.into()), "{again}");
    assert_eq!(ingest()["unchanged"], 3);

    // The manifest has the last word, field by field.
    place.write(
        "papers/manifest.csv",
        b"source_id,title,url_or_doi,relevance_note\nslugs,Known slugs,https://example.org/doi/full/10.99999/jib.1,Why not\n",
    );
    assert_eq!(ingest()["changed"], 1);
    let slugs = metadata(&place, "slugs").to_string();
    assert!(slugs.contains("Known slugs") && slugs.contains("2020"), "{slugs}");
    // Without its row, what the bibliography says is back.
    std::fs::remove_file(place.path("papers/manifest.csv")).expect("removed");
    assert_eq!(ingest()["changed"], 1);
    let slugs = metadata(&place, "slugs").to_string();
    assert!(slugs.contains("Something else"), "{slugs}");
}

#[test]
fn a_manifest_is_written_to_be_corrected_and_never_over_another_file() {
    let Some((place, model)) = Place::fast() else { return };
    place.write("papers/slugs.xml", SLUGS.as_bytes());
    place.write("papers/snails.md", SNAILS.as_bytes());
    place.write("other/owls.md", OWLS.as_bytes());
    place.run(&["ingest", "other", "--set", &model]);
    let write = ["ingest", "papers", "--set", &model, "--write-manifest", "papers/manifest.csv"];
    let (code, done) = place.json(&write);
    assert_eq!((code, &done["manifest"]["rows"]), (0, &json!(2)), "{done}");
    let text = std::fs::read_to_string(place.path("papers/manifest.csv")).expect("written");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "source_id,title,authors,year,venue,doi,url_or_doi,tags,relevance_note,fictional",
            "slugs,Slugs at night,,,,10.99999/jib.1,,,,",
            "snails,Sleep of garden snails in winter,J. Doe,,,,,,,",
        ]
    );
    place.run(&write).fails_with(2, &["papers/manifest.csv exists already", "--force"]);
    // It is read as it was written: the metadata stays, whoever it comes from.
    let before = metadata(&place, "snails")["title"].clone();
    place.run(&["ingest", "papers", "--set", &model]);
    assert_eq!(metadata(&place, "snails")["title"], before);
    let corrected = text.replace("snails,Sleep of garden snails in winter", "snails,Corrected");
    place.write("papers/manifest.csv", corrected.as_bytes());
    let forced = place.json(&[&write[..], &["--force"]].concat()).1;
    assert_eq!((&forced["changed"], &forced["manifest"]["rows"]), (&1.into(), &2.into()), "{forced}");
    let text = std::fs::read_to_string(place.path("papers/manifest.csv")).expect("written");
    assert!(text.contains("snails,Corrected,J. Doe"), "{text}");
    place
        .run(&["ingest", "papers", "--write-manifest", "nowhere/m.csv"])
        .fails_with(2, &["nowhere/m.csv", "does not exist"]);
}

#[test]
fn the_journal_and_its_page_are_shown_beside_the_page_of_the_file() {
    let Some(place) = Place::with_natives() else { return };
    place.paper("oszendal_2024_resistance_meta.pdf");
    let file = "papers/oszendal_2024_resistance_meta.pdf";
    let parsed = place.done(&["parse", file]);
    assert_eq!(
        (&parsed["journal"], &parsed["volume"], &parsed["venue"]),
        (&"Proc. Imag. Soc. Gerontol.".into(), &"52".into(), &Value::Null)
    );
    let numbers = serde_json::json!({"1": "145", "2": "146", "3": "147", "4": "148"});
    assert_eq!(parsed["printed_pages"], numbers);
    let text = place.run(&["parse", file]).stdout();
    assert!(text.contains("\nprinted  145–148 on pp. 1-4\n"), "{text}");

    let model = place.model(7);
    assert_eq!(place.run(&["ingest", "papers", "--set", &model]).code(), 0);
    let published = "Proc. Imag. Soc. Gerontol. 52:145";
    let shown = place.run(&["papers", "show", "oszendal_2024_resistance_meta"]).stdout();
    assert!(shown.contains(published) && shown.contains("145–148 on pp. 1-4"), "{shown}");
    let ask = ["ask", "How many trials of resistance training were pooled?", "--set", &model];
    let (_, answer) = place.json(&ask);
    let citations = answer["citations"].as_array().expect("citations");
    assert!(!citations.is_empty(), "{answer}");
    for cited in citations {
        let page = cited["page"].as_u64().expect("a page");
        assert_eq!(cited["printed_page"], (page + 144).to_string(), "{cited}");
        assert_eq!(cited["published_in"], published);
        assert_eq!(cited["page_start"], page);
    }
    let page = citations[0]["page"].as_u64().expect("a page");
    let text = place.run(&ask).stdout();
    let printed = format!("p. {page} (printed {})", page + 144);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(&printed) && text.contains(published), "{text}");
}
