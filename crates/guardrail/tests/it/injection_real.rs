//! Attacks of a public collection planted in real papers, and the same papers without them, where they are at hand.
//!
//! The rules were developed on half of the attacks, split by category, and on every other paragraph. The figures are
//! printed for both halves; the bounds hold for the other one. Set `PIPELINE_SLOW_TESTS` to read every paragraph.
use guardrail::addressed_to_model;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};
use types::Span;

/// Paragraphs in which each attack is planted; it counts as found when it is found in all.
const PLACES: usize = 5;
/// Characters of a paragraph, at least.
const PARAGRAPH: usize = 120;
/// Paragraphs of a source that are read without `PIPELINE_SLOW_TESTS`.
const QUICK: usize = 400;

#[test]
fn planted_attacks_are_found_and_papers_are_not_flagged() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let Ok(attacks) = fs::read_to_string(root.join("injection/bipia-attacks.jsonl")) else {
        println!("skipped: no shared/data/injection beside the project");
        return;
    };
    let sources = sources(&root);
    let Some((_, host)) = sources.iter().find(|(name, texts)| *name == "covid-qa" && !texts.is_empty())
    else {
        println!("skipped: no shared/data/covid-qa beside the project");
        return;
    };
    let [development, held_out] = halves(&attacks).map(|half| recall(&half, host));
    // Measured: 52 of 54 and 52 of 62. Misspelt requests and plain questions are missed.
    println!("development {}, held out {}", share(development), share(held_out));
    assert!(development.0 * 100 >= development.1 * 90, "{development:?}");
    assert!(held_out.0 * 100 >= held_out.1 * 75, "{held_out:?}");
    let slow = std::env::var_os("PIPELINE_SLOW_TESTS").is_some();
    for (name, texts) in &sources {
        let flagged = |half: usize| {
            let texts: Vec<&String> = texts.iter().skip(half).step_by(2).collect();
            let step = if slow { 1 } else { texts.len().div_ceil(QUICK).max(1) };
            let read: Vec<&&String> = texts.iter().step_by(step).collect();
            let flagged = read.iter().filter(|text| !addressed_to_model(text).is_empty());
            (flagged.count(), read.len())
        };
        let (development, held_out) = (flagged(0), flagged(1));
        println!("flagged of {name}: development {}, held out {}", share(development), share(held_out));
        // Measured: at most 1 of a source of papers.
        assert!(held_out.0 <= 2 + held_out.1 / 200, "{name}: {held_out:?}");
    }
}

/// The attacks by category: those of two of the four parts of the collection, and those of other categories.
fn halves(attacks: &str) -> [BTreeMap<String, Vec<String>>; 2] {
    let rows: Vec<[String; 3]> = attacks
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| ["split", "category", "attack"].map(|key| field(line, key).expect("an attack has it")))
        .collect();
    let developed = |split: &str| matches!(split, "text_attack_test" | "code_attack_train");
    let categories: BTreeSet<&String> =
        rows.iter().filter(|[split, ..]| developed(split)).map(|[_, category, _]| category).collect();
    let mut out = [BTreeMap::new(), BTreeMap::new()];
    for [_, category, attack] in &rows {
        let half: &mut BTreeMap<String, Vec<String>> = &mut out[usize::from(!categories.contains(category))];
        half.entry(category.clone()).or_default().push(attack.clone());
    }
    out
}

/// How many attacks are found, of all; prints the table by category.
fn recall(attacks: &BTreeMap<String, Vec<String>>, host: &[String]) -> (usize, usize) {
    let mut sum = (0, 0);
    for (category, attacks) in attacks {
        let found = attacks
            .iter()
            .enumerate()
            .filter(|(i, attack)| {
                (0..PLACES).all(|place| found(attack, &host[(i * 31 + place * 101) % host.len()]))
            })
            .count();
        println!("  {category}: {found} of {}", attacks.len());
        sum = (sum.0 + found, sum.1 + attacks.len());
    }
    sum
}

/// Whether an attack is found that stands in the middle of a paragraph.
fn found(attack: &str, paragraph: &str) -> bool {
    let sentences = text::sentences(paragraph);
    let middle = sentences[sentences.len() / 2].start;
    let text = format!("{}{attack} {}", &paragraph[..middle], &paragraph[middle..]);
    let place = Span::new(middle, middle + attack.len());
    addressed_to_model(&text).iter().any(|i| i.span.overlaps(place))
}

/// "52 of 62 (per 1,000: 838.7, 727.9 to 910.0)": the interval is Wilson's at 95 %.
fn share((part, all): (usize, usize)) -> String {
    const Z: f64 = 1.96;
    let (n, p) = (all.max(1) as f64, part as f64 / all.max(1) as f64);
    let middle = (p + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let half = Z / (1.0 + Z * Z / n) * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let [p, low, high] = [p, (middle - half).max(0.0), middle + half].map(|x| 1000.0 * x);
    format!("{part} of {all} (per 1,000: {p:.1}, {low:.1} to {high:.1})")
}

/// Paragraphs and abstracts of real papers, by where they are from.
fn sources(root: &Path) -> Vec<(&'static str, Vec<String>)> {
    let lines = |file: &str, key: &str| {
        let text = fs::read_to_string(root.join(file)).unwrap_or_default();
        let all: BTreeSet<String> = text.lines().filter_map(|line| field(line, key)).collect();
        all
    };
    let whole =
        |file: &str, key: &str| lines(file, key).into_iter().filter(|text| !text.is_empty()).collect();
    let cut = |texts: BTreeSet<String>| texts.iter().flat_map(|text| paragraphs(text)).collect();
    vec![
        ("rct", cut(markdown(&root.join("rct/papers")))),
        ("covid-qa", cut(lines("covid-qa/articles.jsonl", "text"))),
        ("nfcorpus", whole("beir/nfcorpus/corpus.jsonl", "text")),
        ("cranfield", whole("beir/cranfield/corpus.jsonl", "text")),
        ("scifact", whole("faithfulness/scifact-claims-train.jsonl", "context")),
        ("healthver", whole("faithfulness/healthver-dev.jsonl", "context")),
        ("ragtruth", whole("faithfulness/ragtruth-qa.jsonl", "context")),
    ]
}

fn paragraphs(text: &str) -> Vec<String> {
    text.split("\n\n")
        .map(str::trim)
        .filter(|text| text.chars().count() >= PARAGRAPH)
        .map(str::to_owned)
        .collect()
}

fn markdown(folder: &Path) -> BTreeSet<String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = files.map(|file| file.path()).collect();
    files.sort();
    files.iter().filter_map(|file| fs::read_to_string(file).ok()).collect()
}

/// A field of one line of JSON that holds a string.
fn field(line: &str, key: &str) -> Option<String> {
    let start = line.find(&format!("\"{key}\": \""))? + key.len() + 5;
    let mut out = String::new();
    let mut units: Vec<u16> = Vec::new();
    let mut chars = line[start..].chars();
    loop {
        let c = match chars.next()? {
            '"' => break,
            '\\' => match chars.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'u' => {
                    let digits: String = chars.by_ref().take(4).collect();
                    units.push(u16::from_str_radix(&digits, 16).ok()?);
                    continue;
                }
                c => c,
            },
            c => c,
        };
        out.push_str(&String::from_utf16_lossy(&std::mem::take(&mut units)));
        out.push(c);
    }
    out.push_str(&String::from_utf16_lossy(&units));
    Some(out)
}
