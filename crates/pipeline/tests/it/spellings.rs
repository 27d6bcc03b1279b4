//! One thing in the spellings of its field, with the shipped settings. What each spelling stands for, crate `text` tests.

use crate::common::Place;

const RECEPTORS: &str = "# Receptors of garden snails in cold nights\n\n## Results\n\nBinding of 5‑HT2A receptors rose by \
    8 % in the left ganglion. The NF-κB activity was unchanged. TNF-α fell by 3 pg per ml in the cold. Δ9-THC was found \
    in no snail. H₂O₂ was raised in the mucus. IL-1β doubled within 24 h.\n";

#[test]
fn a_symbol_is_found_however_it_is_spelt() {
    let Some(place) = Place::with_natives() else { return };
    place.write("papers/receptors.md", RECEPTORS.as_bytes());
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    for (symbol, fact) in [
        ("5HT2A receptors", "8 %"),
        ("NF kappa B activity", "unchanged"),
        ("tnfa", "3 pg per ml"),
        ("delta-9-THC", "in no snail"),
        ("H2O2", "raised in the mucus"),
        ("IL-1 beta", "doubled"),
    ] {
        let (_, document) = place.json(&["ask", &format!("What was found on {symbol}?")]);
        let said = document["answer"].as_str().expect("text");
        assert!(said.contains(fact), "{symbol}: {said}");
    }
}
