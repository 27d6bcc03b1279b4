//! One thing in the spellings of its field, rare symbols, and everyday words that no paper contains: with the shipped
//! settings, through the binary.

use crate::common::{Place, natives};
use serde_json::Value;

const RECEPTORS: &str = "# Receptors of garden snails in cold nights\n\n## Results\n\nBinding of 5‑HT2A receptors rose by \
    8 % in the left ganglion. The NF-κB activity was unchanged. TNF-α fell by 3 pg per ml in the cold. Δ9-THC was found \
    in no snail. H₂O₂ was raised in the mucus. IL-1β doubled within 24 h. Each snail got 50 µg of 1,25-(OH)2D3 in \
    lettuce (p<0.05). The C++ code is open. SB-203580 stopped the crawling.\n";
const FEEDING: &str = "# Lettuce and crawling of garden snails\n\n## Results\n\nSnails on lettuce crawled 12 cm further \
    than snails on moss in every night of the trial. Gastrointestinal bleeding was seen in 4 of 60 snails on moss. \
    Snails on moss slept for nine hours.\n";

fn library() -> Option<Place> {
    let place = Place::new(Some(natives()?));
    for (name, text) in [("receptors", RECEPTORS), ("feeding", FEEDING)] {
        place.write(&format!("papers/{name}.md"), text.as_bytes());
    }
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    Some(place)
}

fn answer(place: &Place, question: &str) -> String {
    let (_, document) = place.json(&["ask", question]);
    document["answer"].as_str().expect("text").to_owned()
}

#[test]
fn a_symbol_is_found_however_it_is_spelt() {
    let Some(place) = library() else { return };
    for (symbols, fact) in [
        ("5-HT2A receptors|5HT2A receptors|5 HT2A receptors", "8 %"),
        ("NF-κB activity|NF-kappaB activity|NFkB activity|NF kappa B activity|nfkb activity", "unchanged"),
        ("TNF-α|TNF-alpha|TNFalpha|TNFa|TNF alpha|tnfa", "3 pg per ml"),
        ("Δ9-THC|Δ9THC|delta-9-THC|delta9-THC", "in no snail"),
        ("H2O2|H₂O₂", "raised in the mucus"),
        ("IL-1β|IL-1beta|IL1b|IL-1 beta", "doubled"),
    ] {
        for symbol in symbols.split('|') {
            let said = answer(&place, &format!("What was found on {symbol}?"));
            assert!(said.contains(fact), "{symbol}: {said}");
            // These are embedded as they are written, since papers print both, and that is less like `5‑HT2A` and `H₂O₂`: whether
            // so vague a question is answered is left open.
            if !["5HT2A receptors", "H2O2"].contains(&symbol) {
                let said = answer(&place, &format!("What is said of {symbol} in snails?"));
                assert!(said.contains(fact), "{symbol}: {said}");
            }
        }
    }
}

#[test]
fn a_rare_term_is_found_whatever_its_similarity() {
    let Some(place) = library() else { return };
    let search = |query: &str| -> (Value, Vec<String>) {
        let (_, document) = place.json(&["search", query]);
        let hits = document["hits"].as_array().expect("hits").iter();
        let ids = hits.map(|hit| hit["source_id"].as_str().expect("an id").to_owned());
        (document["notes"].clone(), ids.collect())
    };
    for query in ["1,25-(OH)2D3", "C++", "p<0.05"] {
        let (notes, ids) = search(query);
        assert!(ids.contains(&"receptors".to_owned()), "{query}: {ids:?}");
        assert!(!notes.to_string().contains("no word of the query"), "{query}: {notes}");
    }
    let (notes, _) = search("zorbium");
    assert!(notes.to_string().contains("no word of the query"), "{notes}");
}

#[test]
fn an_everyday_word_that_no_paper_contains_decides_nothing() {
    let Some(place) = library() else { return };
    for (question, fact) in [
        ("How much further went snails on lettuce than snails on moss in a night?", "12 cm"),
        ("In how many snails on moss was the unpleasant GI bleeding noticed?", "4 of 60"),
    ] {
        let said = answer(&place, question);
        assert!(said.contains(fact), "{question}: {said}");
    }
    for (question, named) in [
        ("Did the snails that dealt with quinoa switch moss?", "quinoa"),
        ("What went wrong with the hedgehogs?", "hedgehogs"),
    ] {
        let (_, document) = place.json(&["ask", question]);
        let said = document.to_string();
        assert_eq!(document["no_evidence"], true, "{said}");
        for word in ["\"went", "\"dealt", "\"switch", "\"wrong"] {
            assert!(!said.contains(&format!("contains \\{word}")), "{question}: {said}");
        }
        assert!(said.contains(named), "{question}: {said}");
    }
}
