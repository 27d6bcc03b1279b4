//! Scores a system of your own, and compares it with an earlier version of it:
//!
//! ```sh
//! cargo run -p assess --example experiment
//! ```
//!
//! The system here is a search for shared words in three sentences; yours is any async function from a question to an answer
//! and its documents.

use assess::experiment::{Compared, Dataset, Experiment, Results};
use rows::Passage;
use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;

const PAPERS: [(&str, &str); 3] = [
    (
        "walking.pdf",
        "In both arms of the trial, walking lowered blood pressure by 6 mmHg.",
    ),
    (
        "sleep.pdf",
        "The mice in the second study slept for nine hours a day.",
    ),
    ("funding.pdf", "The Orvel Foundation funded the study of walking."),
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir();
    let (results, compared) = run(&folder).await?;
    println!("{results}");
    println!(
        "{:?} minus {:?}, {} questions",
        compared.name, compared.earlier, compared.pairs
    );
    for (key, found) in compared
        .metrics
        .iter()
        .filter(|(_, found)| found.difference.wins + found.difference.losses > 0)
    {
        let delta = found.difference.delta.unwrap_or_default();
        let p = found.difference.p_holm.unwrap_or(1.0);
        println!(
            "{key:<26} {delta:+.3}  p (Holm) {p:.3}  better: {}",
            found.better.join(", ")
        );
    }
    println!("wrote {}", folder.join("experiment_v1.json").display());
    Ok(())
}

/// Two versions of the system on the same questions; the first one's results are saved and read again.
pub(crate) async fn run(folder: &Path) -> Result<(Results, Compared), Box<dyn Error>> {
    let mut dataset = Dataset::new("three papers");
    dataset.add(
        "How does walking affect blood pressure?",
        "Walking lowered blood pressure by 6 mmHg.",
    );
    dataset.add("How long did the mice sleep?", "The mice slept for nine hours.");
    dataset.add(
        "Who funded the study of walking?",
        "The Orvel Foundation funded the study.",
    );

    let file = folder.join("experiment_v1.json");
    let first = Experiment::new("experiment_v1")
        .run(&dataset, |question| async move { search(&question, 1) })
        .await;
    first.save(&file)?;

    let second = Experiment::new("experiment_v2").at_once(2);
    let results = second
        .run(&dataset, |question| async move { search(&question, 2) })
        .await;
    let compared = results.compare(&Results::load(&file)?)?;
    Ok((results, compared))
}

/// The sentence that shares most words of the question's first `words` × 3 words, as answer and as document.
fn search(question: &str, words: usize) -> Result<(String, Vec<Passage>), String> {
    let asked: BTreeSet<String> = question.split_whitespace().take(words * 3).map(plain).collect();
    let shared = |text: &str| {
        text.split_whitespace()
            .map(plain)
            .filter(|word| asked.contains(word))
            .count()
    };
    let best = PAPERS.iter().max_by_key(|(_, text)| shared(text));
    let (document, text) = best.ok_or("there are no papers")?;
    let passage = Passage {
        text: (*text).to_owned(),
        document: Some((*document).to_owned()),
        ..Passage::default()
    };
    Ok(((*text).to_owned(), vec![passage]))
}

fn plain(word: &str) -> String {
    let letters = word.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}
