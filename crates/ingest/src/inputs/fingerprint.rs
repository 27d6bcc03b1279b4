//! Fingerprints, by which two documents are recognised as one paper: DOI, title, and a sketch of the text.
//!
//! The sketch keeps the smallest hashes of all runs of five words (bottom-k MinHash: Broder, "On the resemblance and
//! containment of documents", 1997). Two readings of one paper share most runs, whatever their format; two papers
//! share next to none.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use types::Document;

/// Words of a run.
const RUN: usize = 5;
/// Hashes that a sketch keeps.
const KEPT: usize = 512;
/// With fewer comparable runs, texts are not compared.
const LEAST: usize = 4;
/// This share of the shorter text in the longer one makes them one paper. One misread word in ten leaves half of the runs.
const SAME: f64 = 0.3;
/// Shorter titles ("Introduction", "Letter to the editor") identify no paper.
const TITLE_WORDS: usize = 4;

/// What identifies a paper.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The DOI, without prefix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// The title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whether there is any text to index.
    pub has_text: bool,
    /// The smallest hashes in ascending order.
    #[serde(default, with = "hex", skip_serializing_if = "Vec::is_empty")]
    sketch: Vec<u32>,
}

impl Fingerprint {
    /// The fingerprint of a document.
    pub fn of(document: &Document) -> Self {
        let indexed = document.sections.iter().filter(|section| section.name.indexed());
        Self {
            doi: document.meta.doi.clone(),
            title: document.meta.title.clone(),
            has_text: { indexed }.any(|section| !document.section_text(section).trim().is_empty()),
            sketch: sketch(&document.text),
        }
    }

    /// Whether both are of one paper: by their texts; where these say nothing or differ, by DOI; where one has none,
    /// by title.
    pub fn same_paper(&self, other: &Self) -> bool {
        if self.overlap(other).is_some_and(|share| share >= SAME) {
            return true;
        }
        let doi = |print: &Self| print.doi.as_deref().map(str::to_lowercase);
        match (doi(self), doi(other)) {
            (Some(a), Some(b)) => a == b,
            _ => same_title(self.title.as_deref(), other.title.as_deref()),
        }
    }

    /// The share of the shorter text's runs that the longer text has; `None` where there are too few to tell.
    fn overlap(&self, other: &Self) -> Option<f64> {
        // Above the largest hash of a full sketch nothing is known of its text.
        let reach = |sketch: &[u32]| match sketch.last() {
            Some(last) if sketch.len() == KEPT => *last,
            _ => u32::MAX,
        };
        let reach = reach(&self.sketch).min(reach(&other.sketch));
        let [a, b] = [self, other].map(|print| {
            let within = print.sketch.iter().filter(|hash| **hash <= reach);
            within.collect::<BTreeSet<_>>()
        });
        let least = a.len().min(b.len());
        (least >= LEAST).then(|| a.intersection(&b).count() as f64 / least as f64)
    }
}

/// Whether two titles are one, up to case, punctuation and spaces.
fn same_title(a: Option<&str>, b: Option<&str>) -> bool {
    match (a.and_then(comparable_title), b.and_then(comparable_title)) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

/// A title for comparison: folded, without punctuation; `None` for a title too short to identify a paper.
pub(super) fn comparable_title(title: &str) -> Option<String> {
    let words: Vec<String> = words(text::fold::fold(title).text()).collect();
    (words.len() >= TITLE_WORDS).then(|| words.join(" "))
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    parts.map(str::to_lowercase)
}

fn sketch(text: &str) -> Vec<u32> {
    let words: Vec<String> = words(text::fold::fold(text).text()).collect();
    let mut kept = BTreeSet::new();
    for run in words.windows(RUN) {
        kept.insert(hash(run));
        if kept.len() > KEPT {
            kept.pop_last();
        }
    }
    kept.into_iter().collect()
}

/// FNV-1a of the words, mixed so that the high bits are as good as the low ones (the finaliser of MurmurHash3).
fn hash(words: &[String]) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for word in words {
        for byte in word.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^= hash >> 33;
    (hash >> 32) as u32
}

/// Hashes as one string of hexadecimal digits.
mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(hashes: &[u32], serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = hashes.iter().flat_map(|hash| hash.to_be_bytes()).collect();
        serializer.serialize_str(&types::digest::hex(&bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u32>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.as_bytes().chunks(8).map(std::str::from_utf8);
        let hashes = digits.map(|digits| u32::from_str_radix(digits.ok()?, 16).ok());
        let hashes: Option<Vec<u32>> = hashes.collect();
        hashes.ok_or_else(|| Error::custom("no hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::inputs::{Format, parse};

    fn document(markdown: &str) -> Document {
        parse(markdown.as_bytes(), Format::Markdown, &Limits::default()).expect("a document")
    }

    fn print(markdown: &str) -> Fingerprint {
        Fingerprint::of(&document(markdown))
    }

    /// Sentences of made-up words; other seeds share none of their runs.
    fn prose(seed: u64, words: usize) -> String {
        let mut state = seed;
        let word = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            format!("w{}", (state >> 40) % 500)
        };
        (0..words).map(word).collect::<Vec<_>>().join(" ")
    }

    fn same(a: &str, b: &str) -> bool {
        let (a, b) = (print(a), print(b));
        assert_eq!(a.same_paper(&b), b.same_paper(&a));
        a.same_paper(&b)
    }

    #[test]
    fn content_tells_papers_apart() {
        let (one, two) = (prose(1, 6_000), prose(2, 6_000));
        assert!(same(&one, &one));
        assert!(!same(&one, &two));
        // Other line ends, cases and punctuation; an excerpt; a text with a part of another.
        let other_form = one.to_uppercase().replace(' ', ",\n");
        assert!(same(&one, &other_form));
        let excerpt: String = one.split(' ').take(400).collect::<Vec<_>>().join(" ");
        assert!(same(&one, &excerpt));
        let quoted: String = one.split(' ').take(60).collect::<Vec<_>>().join(" ");
        assert!(!same(&format!("{two} {quoted}"), &one));
        // Every tenth word misread leaves more than half of the runs broken, and still the paper.
        let misread: Vec<String> = one
            .split(' ')
            .enumerate()
            .map(|(i, w)| if i % 10 == 0 { format!("{w}x") } else { w.to_owned() })
            .collect();
        assert!(same(&one, &misread.join(" ")));
    }

    #[test]
    fn where_texts_say_nothing_doi_then_title_decide() {
        let with = |front: &str, seed| format!("---\n{front}\n---\n\n{}", prose(seed, 300));
        let doi = "doi: 10.99999/abc.1";
        assert!(same(&with(doi, 1), &with("doi: 10.99999/ABC.1", 2)));
        assert!(!same(&with(doi, 1), &with("doi: 10.99999/abc.2", 2)));
        let title = "title: Sleep of garden snails in winter";
        assert!(same(&with(title, 1), &with("title: SLEEP of garden-snails in winter", 2)));
        assert!(!same(&with("title: Letter to editors", 1), &with("title: Letter to editors", 2)));
        // Two papers of one series carry one title and two DOIs.
        assert!(!same(
            &with(&format!("{title}\n{doi}"), 1),
            &with(&format!("{title}\ndoi: 10.99999/abc.2"), 2)
        ));
        assert!(!same("a b", "a b c"));
    }

    #[test]
    fn a_fingerprint_is_kept_as_json() {
        let document = document(&prose(1, 2_000));
        let print = Fingerprint::of(&document);
        assert!(print.has_text);
        let json = serde_json::to_string(&print).expect("written");
        assert_eq!(serde_json::from_str::<Fingerprint>(&json).expect("read"), print);
        assert!(serde_json::from_str::<Fingerprint>(r#"{"has_text": true, "sketch": "xyz"}"#).is_err());
    }
}
