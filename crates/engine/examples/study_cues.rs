//! Prints the cues of every sentence of an index, one JSON object a line, for `crates/evidence/fit/study.py`:
//! `cargo run --release --package engine --example study_cues -- INDEX > cues.jsonl`.

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name the folder of an index")?;
    for chunk in index::Index::open(&PathBuf::from(folder))?.chunks() {
        let chunk = chunk?;
        for (at, span) in chunk.sentences.iter().enumerate() {
            if let Some(cues) = evidence::study_cues(&chunk, at) {
                let (paper, text) = (&chunk.source_id, text::one_line(chunk.sentence(span)));
                println!("{}", serde_json::json!({"paper": paper, "text": text, "cues": cues}));
            }
        }
    }
    Ok(())
}
