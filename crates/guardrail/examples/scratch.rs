//! scratch
use std::io::BufRead;
fn main() {
    let mode = std::env::args().nth(1).unwrap();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let text: String = serde_json::from_str(&line).unwrap();
        if mode == "inj" {
            let found = guardrail::addressed_to_model(&text);
            if !found.is_empty() {
                println!(
                    "{:?} {}",
                    found[0].kind,
                    text.chars().take(200).collect::<String>()
                );
            }
        } else if mode == "num" {
            let a = text::numbers::quantities(&text).len();
            println!("{a}");
        } else {
            let mut known = text::addresses::KnownAddresses::default();
            known.add(&text);
            for a in text::addresses::addresses(&text) {
                println!(
                    "{} {}",
                    if known.holds(&a) { "held" } else { "LOST" },
                    text[a.span].replace('\n', "⏎")
                );
            }
        }
    }
}
