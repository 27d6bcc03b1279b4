//! Damaged copies of real files through real workers: nothing takes the parent down, nothing of ours panics, and
//! every file has a result. Damage is drawn from a seed; a complaint names the number that makes it again.
//!
//! The test run takes 200; ten thousand are `cargo test --release -p ingest --test it mutants -- --ignored --nocapture`.
//! `INGEST_MUTANTS=FIRST..LAST` picks others.

#![cfg(target_os = "linux")]

use crate::common::{libpdfium, shared, worker};
use ingest::{Job, Limits, ParseError, Parsed, WorkerPool};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Files larger than this take time and show nothing new.
const LARGEST: u64 = 400 << 10;
/// Memory that this process may use, its copies of the files included.
const PARENT_MIB: u64 = 400;

/// SplitMix64: a stream that depends on nothing but its seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `limit`, 0 when that is 0.
    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// What PDFs are made of: putting one in the place of another makes damage that is still read far into.
const WORDS: [&[u8]; 22] = [
    b"/Type /Page ",
    b"/Type /Pages",
    b"/Kids [",
    b"/Count 9",
    b"/Length 0",
    b"/Length 99999999",
    b"/FlateDecode",
    b"/Rotate 90 ",
    b"/Rotate -7",
    b"1 0 R",
    b"3 0 R",
    b"<<",
    b">>",
    b"stream\n",
    b"endstream",
    b"endobj",
    b"xref",
    b"trailer",
    b"/MediaBox [0 0 1e9 1e9]",
    b"/MediaBox [-9 -9 0 0]",
    b"/ToUnicode",
    b"/Encrypt 1 0 R",
];

fn mutant(seed: u64, files: &[(PathBuf, Vec<u8>)]) -> (usize, Vec<u8>) {
    let mut random = Random(seed);
    let which = random.below(files.len());
    let mut bytes = files[which].1.clone();
    for _ in 0..=random.below(6) {
        damage(&mut bytes, &mut random, files);
    }
    (which, bytes)
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random, files: &[(PathBuf, Vec<u8>)]) {
    let at = random.below(bytes.len());
    let length = 1 + random.below(64).min(bytes.len().saturating_sub(at + 1));
    let end = (at + length).min(bytes.len());
    match random.below(9) {
        0 => {
            for _ in 0..=random.below(32) {
                let at = random.below(bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << (random.next() % 8);
                }
            }
        }
        1 => bytes.truncate(at),
        2 => drop(bytes.drain(at..end)),
        3 => {
            let copy = bytes[at..end].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, copy);
        }
        4 => {
            let word = WORDS[random.below(WORDS.len())];
            let end = (at + word.len()).min(bytes.len());
            bytes.splice(at..end, word.iter().copied());
        }
        5 => {
            let noise: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
            bytes.splice(at..end, noise);
        }
        // A number becomes another one of as many digits: offsets, lengths, sizes, coordinates.
        6 => {
            let from = bytes[at..].iter().position(u8::is_ascii_digit).map_or(at, |p| at + p);
            for byte in bytes[from..].iter_mut().take_while(|b| b.is_ascii_digit()) {
                *byte = b'0' + (random.next() % 10) as u8;
            }
        }
        7 => {
            let other = &files[random.below(files.len())].1;
            let from = random.below(other.len());
            let piece = &other[from..(from + 4 * length).min(other.len())];
            bytes.splice(at..end, piece.iter().copied());
        }
        _ => {
            let junk: Vec<u8> = (0..random.below(4096)).map(|_| random.next() as u8).collect();
            bytes.splice(0..0, junk);
        }
    }
}

/// Files of the collections that are small enough.
fn originals() -> Option<Vec<(PathBuf, Vec<u8>)>> {
    let folders = [shared("nasty")?, shared("papers")?];
    let found =
        ingest::discover(&folders.each_ref().map(PathBuf::as_path), &[], &ingest::Links::default(), |_| true)
            .files;
    let small = |path: &Path| path.metadata().is_ok_and(|m| m.len() <= LARGEST);
    let mut files: Vec<(PathBuf, Vec<u8>)> = found
        .into_iter()
        .filter(|f| small(&f.path))
        .filter_map(|f| Some((f.path.clone(), std::fs::read(f.path).ok()?)))
        .filter(|(_, bytes)| !bytes.is_empty())
        .collect();
    files.sort_by(|a, b| a.0.cmp(&b.0));
    Some(files)
}

fn run(default: Range<u64>) {
    let (Some(library), Some(files)) = (libpdfium(), originals()) else {
        return;
    };
    let asked = std::env::var("INGEST_MUTANTS").ok().and_then(|range| {
        let (first, last) = range.split_once("..")?;
        Some(first.parse().ok()?..last.parse().ok()?)
    });
    let seeds = asked.unwrap_or(default);
    let limits = Limits { seconds_per_file: 30, memory_bytes: 512 << 20, ..Limits::default() };
    let folder = tempfile::tempdir().expect("temp dir");
    let path_of = |seed: u64| folder.path().join(format!("{seed}.pdf"));
    // A mutant is written when a worker is free for it, and removed with its result.
    let jobs = seeds.clone().map(|seed| {
        let path = path_of(seed);
        std::fs::write(&path, mutant(seed, &files).1).expect("writes");
        Job::from((usize::try_from(seed).expect("a small number"), path))
    });
    let mut tally: BTreeMap<String, usize> = BTreeMap::new();
    let mut complaints = Vec::new();
    let mut slowest = (0.0, 0);
    WorkerPool::new(worker(&library, None), limits, 2).parse_all(jobs, |parsed| {
        let _ = std::fs::remove_file(&parsed.path);
        if parsed.seconds > slowest.0 {
            slowest = (parsed.seconds, parsed.index);
        }
        let (kind, complaint) = judge(&parsed);
        *tally.entry(kind).or_default() += 1;
        if let Some(complaint) = complaint {
            let (which, _) = mutant(parsed.index as u64, &files);
            let name = files[which].0.file_name().unwrap_or_default().to_string_lossy().into_owned();
            complaints.push(format!("{} (of {name}): {complaint}", parsed.index));
        }
    });
    let mib = parent_peak_mib();
    println!(
        "{} mutants of {} files, seeds {seeds:?}: {tally:?}; slowest {:.1} s ({}); peak of the parent {mib} MiB",
        seeds.end - seeds.start,
        files.len(),
        slowest.0,
        slowest.1
    );
    assert_eq!(tally.values().sum::<usize>() as u64, seeds.end - seeds.start, "every mutant has a result");
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    assert!(mib < PARENT_MIB, "the parent grew to {mib} MiB");
}

/// The kind of an outcome, and what is wrong with it where it is our code's doing.
fn judge(parsed: &Parsed) -> (String, Option<String>) {
    match &parsed.outcome {
        Ok(document) => {
            let sound = document.sections.iter().all(|s| {
                s.span.slice(&document.text).is_some()
                    && s.blocks.iter().all(|b| b.span.slice(&document.text).is_some())
            });
            let kind = if document.text.is_empty() { "empty" } else { "text" };
            (kind.to_owned(), (!sound).then(|| "a span lies outside the text".to_owned()))
        }
        Err(error) => {
            let json = serde_json::to_value(error).expect("serialises");
            let ours = match error {
                ParseError::Crashed { signal, .. } => signal.contains("panic"),
                ParseError::Worker { .. } | ParseError::TimedOut { .. } | ParseError::Unreadable { .. } => {
                    true
                }
                _ => false,
            };
            (json["reason"].as_str().unwrap_or("?").to_owned(), ours.then(|| error.to_string()))
        }
    }
}

/// Highest resident memory of this process.
fn parent_peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("there is a /proc");
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches("kB").trim().parse::<u64>().expect("a number") >> 10
}

#[test]
fn damaged_files_end_with_a_result() {
    run(0..200);
}

#[test]
#[ignore = "ten thousand files take many minutes: cargo test --release -p ingest --test it mutants -- --ignored"]
fn ten_thousand_damaged_files_end_with_a_result() {
    run(0..10_000);
}
