//! Pages of papers: the citation leads to the quote.

use super::client::Server;
use crate::common::Place;
use serde_json::{Value, json};

const PAPER: &str = "tandrik_2021_vo2_walkers";

/// As a parameter of a query.
fn encoded(text: &str) -> String {
    let bytes: Vec<String> = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
    bytes.concat()
}

#[test]
fn a_quote_of_an_answer_is_marked_on_its_page_while_the_pdf_is_there() {
    let Some(place) = Place::with_natives() else { return };
    place.paper(&format!("{PAPER}.pdf"));
    let (file, copy) =
        (place.path(&format!("papers/{PAPER}.pdf")), place.path(&format!("papers/other/{PAPER}.pdf")));
    std::fs::create_dir(place.path("papers/other")).expect("a folder");
    std::fs::copy(&file, &copy).expect("a copy");
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    let server = Server::start(&place, &[]);
    let question =
        "How large was the difference in peak oxygen uptake between alternating and steady walking?";
    let answer = server.post("/v1/ask", &json!({"query": question})).ok(200);
    let cited = answer["citations"].as_array().expect("a list");
    assert!(!cited.is_empty(), "{answer}");
    for citation in cited {
        let quote = encoded(citation["relevant_quote"].as_str().expect("a quote"));
        let path = format!("/v1/papers/{PAPER}/pages/{}", citation["page"]);
        let page = server.get(&format!("{path}?quote={quote}")).ok(200);
        let marked = page["quote"].as_array().expect("places");
        assert!(!marked.is_empty(), "{citation} {page}");
        assert!(page["boxes"].as_array().is_some_and(|lines| lines.len() > 20), "{page}");
        assert_eq!(page["text_only"], Value::Null);
        let image = server.get(&format!("{path}/image?quote={quote}"));
        assert_eq!((image.status, image.headers["content-type"].as_str()), (200, "image/png"));
        let plain = server.get(&format!("{path}/image"));
        assert!(image.bytes.starts_with(b"\x89PNG") && plain.bytes.starts_with(b"\x89PNG"));
        assert_ne!(image.bytes, plain.bytes, "the quote is marked");
    }
    let mut quotes: Vec<Value> = cited
        .iter()
        .map(|own| json!({"page": own["page"], "quote": own["relevant_quote"], "note": "why?"}))
        .collect();
    quotes.push(json!({"page": 1, "quote": "badgers slept"}));
    let highlights = format!("/v1/papers/{PAPER}/highlights");
    let made = server.post(&highlights, &json!({"quotes": quotes}));
    assert_eq!((made.status, made.headers["content-type"].as_str()), (200, "application/pdf"));
    assert_eq!(made.headers["quotes-not-found"], quotes.len().to_string(), "the last one");
    let notes = |bytes: &[u8]| bytes.windows(10).filter(|part| part == b"/Highlight").count();
    assert!(made.bytes.starts_with(b"%PDF") && notes(&made.bytes) >= cited.len(), "{}", notes(&made.bytes));
    assert_eq!(notes(&std::fs::read(&file).expect("a paper")), 0, "the paper is left as it is");
    server.post(&highlights, &json!({"quotes": []})).fails(422, "out_of_range");
    server.post("/v1/papers/none/highlights", &json!({"quotes": quotes})).fails(404, "not_found");
    server.post(&highlights, &json!({"quotes": [{"page": 1, "quote": " "}]})).fails(422, "bad_quote");

    let page = format!("/v1/papers/{PAPER}/pages/1");
    let failed = server.get(&format!("{page}?quote=badgers%20slept")).fails(404, "quote_not_on_page");
    assert_eq!(failed["value"], "badgers slept");
    assert!(failed["hint"].is_string(), "{failed}");
    server.get(&format!("/v1/papers/{PAPER}/pages/99")).fails(404, "no_such_page");
    server.get(&format!("/v1/papers/{PAPER}/pages/0/image")).fails(404, "no_such_page");

    // Where the PDF has changed or moved, there is its text.
    let text = server.get(&page).ok(200)["text"].clone();
    let mut bytes = std::fs::read(&file).expect("a paper");
    bytes.extend_from_slice(b"\n% changed\n");
    std::fs::write(&file, bytes).expect("written");
    let other = server.get(&page).ok(200);
    assert_eq!(other["text_only"], Value::Null, "the copy is what was ingested: {other}");
    std::fs::remove_file(&copy).expect("removed");
    let changed = server.get(&page).ok(200);
    assert_eq!((&changed["text"], &changed["boxes"], &changed["width"]), (&text, &json!([]), &Value::Null));
    assert!(changed["text_only"].as_str().is_some_and(|why| why.contains("changed")), "{changed}");
    std::fs::remove_file(&file).expect("removed");
    let gone = server.get(&page).ok(200);
    assert!(gone["text_only"].as_str().is_some_and(|why| why.contains("not where it was")), "{gone}");
    server.post(&highlights, &json!({"quotes": quotes})).fails(404, "no_page_image");
    let failed = server.get(&format!("{page}/image")).fails(404, "no_page_image");
    assert!(failed["message"].as_str().is_some_and(|why| why.contains("not where it was")), "{failed}");
}
