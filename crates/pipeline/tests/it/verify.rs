//! Texts that are checked against the papers.

use crate::common::animals::world;
use serde_json::json;

#[test]
fn a_sentence_is_supported_or_not_and_a_quote_is_printed_or_not() {
    let Some(place) = world(0) else { return };
    let check = |text: &str, code: i32| {
        place.write("text.md", text.as_bytes());
        let (found, document) = place.json(&["verify", "text.md"]);
        assert!(found == code, "{text}: {document:#}");
        place.conforms("verify", &document);
        document
    };
    let found = check("The badgers slept under hedges for 3 hours.", 0);
    assert_eq!(found["claims"][0]["verdict"], "supported", "{found:#}");
    assert_eq!(found["claims"][0]["evidence"]["source_id"], "badgers_2020", "{found:#}");
    let found = check("The badgers slept under hedges for 97 hours.", 1);
    assert_ne!(found["claims"][0]["verdict"], "supported", "{found:#}");
    let found = check("“The badgers slept under hedges for 3 hours.”", 0);
    assert_eq!(found["quotes"][0]["found"], json!(true), "{found:#}");
    let found = check("As they write: “the badgers never sleep at all”", 1);
    assert_eq!(found["quotes"][0]["found"], json!(false), "{found:#}");
    let said = place.run(&["verify", "text.md"]).stdout();
    assert!(said.contains("Not found in the papers: “the badgers never sleep at all”"), "{said}");
    place.write("empty.md", b" ");
    place.run(&["verify", "empty.md"]).fails_with(2, &["empty.md is empty"]);
    place.run(&["verify", "text.md", "--source", "nobody"]).fails_with(2, &["nobody"]);
}
