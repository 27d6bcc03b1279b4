//! Every rule over every sentence of real papers and questions, where they are at hand.
//!
//! Set `PIPELINE_SLOW_TESTS` to read all of it; otherwise the test stops after ten seconds and says how far it
//! came.
use serde_json::Value;
use std::{
    fs,
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use text::{
    entities::{Ground, entities},
    fold::fold,
    language,
    numbers::quantities,
    quote::{WindowTerms, best_window, find_quote},
    sentences, terms, words,
};

/// Folders of `shared/data` that hold text to read; papers as PDF are left to the reader's own tests.
const FOLDERS: [&str; 7] = [
    "covid-qa",
    "rct",
    "abstention",
    "faithfulness",
    "beir",
    "train",
    "injection",
];
const QUICK: Duration = Duration::from_secs(10);

#[test]
fn no_sentence_of_a_real_paper_breaks_a_rule() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !root.is_dir() {
        println!("skipped: no shared/data beside the project");
        return;
    }
    let slow = std::env::var_os("PIPELINE_SLOW_TESTS").is_some();
    let started = Instant::now();
    let mut files = Vec::new();
    for folder in FOLDERS {
        list(&root.join(folder), &mut files);
    }
    assert!(!files.is_empty(), "{} holds no text", root.display());
    // One file of each kind early: a bounded run must not see the first folder alone.
    files.sort_by_key(|f| fs::metadata(f).map_or(0, |m| m.len()));
    let (mut texts, mut read, mut broken) = (0_usize, 0_usize, Vec::new());
    'files: for file in &files {
        let content = fs::read_to_string(file).expect("the data is UTF-8");
        for text in pieces(file, &content) {
            if !slow && started.elapsed() > QUICK {
                println!("skipped: read {texts} texts; set PIPELINE_SLOW_TESTS=1 for all");
                break 'files;
            }
            texts += 1;
            read += text.len();
            if let Err(what) = holds(&text) {
                broken.push(format!("{}: {what}", file.display()));
            }
        }
    }
    println!(
        "{texts} texts, {read} bytes, {:.0} s",
        started.elapsed().as_secs_f64()
    );
    let shown: Vec<_> = broken.iter().take(10).collect();
    assert!(
        broken.is_empty(),
        "{} texts break a rule: {shown:#?}",
        broken.len()
    );
}

fn list(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        let text = path.extension().is_some_and(|e| e == "jsonl" || e == "md");
        if path.is_dir() {
            list(&path, out);
        } else if text {
            out.push(path);
        }
    }
}

/// A Markdown file whole, or every string of every line of JSON.
fn pieces(file: &Path, content: &str) -> Vec<String> {
    if file.extension().is_some_and(|e| e == "md") {
        return vec![content.to_owned()];
    }
    let mut out = Vec::new();
    for line in content.lines().filter(|l| !l.trim().is_empty()) {
        let value: Value = serde_json::from_str(line).expect("the data is JSON lines");
        strings(&value, &mut out);
    }
    // Many rows share one context.
    out.sort();
    out.dedup();
    out
}

fn strings(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) => out.push(text.clone()),
        Value::Array(all) => all.iter().for_each(|v| strings(v, out)),
        Value::Object(all) => all.values().for_each(|v| strings(v, out)),
        _ => {}
    }
}

/// Whether every rule reads the text and each of its sentences, or which of them does not and on what.
fn holds(text: &str) -> Result<(), String> {
    for sentence in read(text, "sentences", || sentences(text))? {
        let Some(s) = text.get(sentence.clone()) else {
            return Err(format!("sentence {sentence:?} is no slice"));
        };
        let stems = read(s, "terms", || terms(s))?.into_iter().map(|t| t.stem);
        let wanted = WindowTerms {
            numbers: true,
            ..WindowTerms::stems(stems.step_by(3))
        };
        apart(s, "words", read(s, "words", || words(s))?)?;
        let numbers = read(s, "quantities", || quantities(s))?;
        apart(s, "quantities", numbers.into_iter().map(|q| q.span))?;
        let named = read(s, "entities", || entities(s))?;
        let ground = read(s, "ground", || Ground::new(s))?;
        for e in &named {
            read(s, "holds", || ground.holds(e))?;
        }
        apart(s, "entities", named.into_iter().map(|e| e.span))?;
        let folded = read(s, "fold", || fold(s))?;
        let length = folded.text().len();
        apart(s, "fold", [folded.original(0..length)])?;
        let window = read(s, "best_window", || best_window(s, &wanted, 40))?;
        apart(s, "best_window", [window.clone()])?;
        // A quote of the sentence stands in it, unless it holds nothing to look for.
        let quote = &s[window];
        let found = read(s, "find_quote", || find_quote(s, quote))?;
        match found {
            Some(found) => apart(s, "find_quote", found.parts)?,
            None if fold(quote).text().contains(char::is_alphanumeric) => {
                return Err(format!("its own window is not found in {s:?}"));
            }
            None => {}
        }
        read(s, "language", || language(s))?;
    }
    Ok(())
}

fn read<T>(text: &str, rule: &str, work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| format!("{rule} panics on {text:?}"))
}

fn apart(text: &str, rule: &str, spans: impl IntoIterator<Item = Range<usize>>) -> Result<(), String> {
    let mut last = 0;
    for span in spans {
        if span.start < last || text.get(span.clone()).is_none() {
            return Err(format!("{rule} gives {span:?} in {text:?}"));
        }
        last = span.end;
    }
    Ok(())
}
