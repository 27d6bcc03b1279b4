//! BM25 over titles and headings, unstemmed words and stop words.

use crate::common::{TextSearch as _, add, axis, change, folder, plain, settings, write};
use proptest::prelude::*;
use retrieve::{
    Bm25Settings, Index, IndexError, IndexWriter, SearchSettings, SourceEntry, StopWords, verify,
};
use serde_json::Value;
use std::{collections::BTreeMap, fs, ops::Range, path::Path};
use types::{
    ChunkField::{Heading, Text, Title},
    Mode,
    digest::sha256,
};

/// A source with a title, and chunks each with a heading and a text.
fn titled(id: &str, title: &str, chunks: &[(&str, &str)]) -> SourceEntry {
    let texts: Vec<&str> = chunks.iter().map(|(_, text)| *text).collect();
    let mut entry = plain(id, 1, &texts);
    entry.meta.title = (!title.is_empty()).then(|| title.to_owned());
    for (chunk, (heading, _)) in entry.chunks.iter_mut().zip(chunks) {
        (*heading).clone_into(&mut chunk.heading);
    }
    entry
}

fn papers() -> Vec<SourceEntry> {
    vec![
        titled(
            "a",
            "Garden snails",
            &[("Diet", "kale kale spinach"), ("Sleep of snails", "spinach beet")],
        ),
        titled("b", "Kale", &[("Diet", "beet beet beet carrot")]),
        titled("c", "", &[("", "the walking of the snail"), ("", "walks")]),
    ]
}

fn with(bm25: Bm25Settings) -> SearchSettings {
    SearchSettings {
        bm25,
        vector_k: 1000,
        bm25_k: 1000,
        candidates: 1000,
        ..SearchSettings::default()
    }
}

fn weights(title_weight: f32, heading_weight: f32) -> Bm25Settings {
    Bm25Settings {
        title_weight,
        heading_weight,
        ..Bm25Settings::default()
    }
}

fn scores(index: &Index, query: &str, bm25: Bm25Settings) -> BTreeMap<String, f32> {
    let found = index.search_text(query, None, Mode::Bm25, &with(bm25), None);
    let hits = found.expect("searches").hits;
    hits.iter()
        .map(|hit| (hit.chunk.chunk_id.to_string(), hit.bm25_score))
        .collect()
}

#[test]
fn a_field_counts_with_its_weight_and_is_ignored_without() -> Result<(), IndexError> {
    let dir = folder();
    let index = write(dir.path(), papers())?;
    let found = |query: &str, bm25| scores(&index, query, bm25).into_keys().collect::<Vec<_>>();
    assert_eq!(found("kale", weights(0.0, 1.0)), ["a__body__000"]);
    assert_eq!(found("kale", weights(0.5, 0.0)), ["a__body__000", "b__body__000"]);
    assert_eq!(found("diet", weights(1.0, 0.0)), [""; 0]);
    assert_eq!(found("diet", weights(0.0, 0.1)), ["a__body__000", "b__body__000"]);
    assert_eq!(found("garden snails", weights(0.0, 0.0)), ["c__body__000"]);
    assert_eq!(
        found("garden snails", weights(2.0, 1.0)),
        ["a__body__000", "a__body__001", "c__body__000"]
    );
    // By hand: "kale" is in the text of one and the title of another of five chunks: idf ln(1 + 3.5 / 2.5) = 0.875469.
    // Texts have 3, 2, 4, 2 and 1 words, 2.4 on average; titles, of the three chunks that have one, 2, 2 and 1.
    // Text: norm 0.25 + 0.75 · 3 / 2.4 = 1.1875; tf 2 / 1.1875 = 1.684211; · 2.2 / 2.884211 = 1.284672.
    // Title: norm 0.25 + 0.75 · 1 / 1.666667 = 0.7; tf 3 / 0.7 = 4.285714; · 2.2 / 5.485714 = 1.718750.
    let kale = scores(&index, "kale", weights(3.0, 0.0));
    for (chunk, want) in [
        ("a__body__000", 0.875_469 * 1.284_672),
        ("b__body__000", 0.875_469 * 1.718_75),
    ] {
        assert!(
            (kale[chunk] - want).abs() < 1e-5,
            "{chunk}: {} is not {want}",
            kale[chunk]
        );
    }
    Ok(())
}

#[test]
fn stems_and_stop_words_are_chosen_by_the_question() -> Result<(), IndexError> {
    let dir = folder();
    let index = write(dir.path(), papers())?;
    let check = |query: &str, stemming: bool, stop_words: StopWords, want: &[&str]| {
        let bm25 = Bm25Settings {
            stemming,
            stop_words,
            ..weights(1.0, 1.0)
        };
        let found = scores(&index, query, bm25);
        let found: Vec<&str> = found.keys().map(String::as_str).collect();
        assert_eq!(found, want, "{query}, stemming {stemming}, {stop_words:?}");
    };
    let english = StopWords::English;
    check("walk", true, english, &["c__body__000", "c__body__001"]);
    check("walk", false, english, &[]);
    check("Walks", false, english, &["c__body__001"]);
    check("snails", false, english, &["a__body__000", "a__body__001"]);
    check("the of", true, english, &[]);
    check("the", true, StopWords::None, &["c__body__000"]);
    check("of", false, StopWords::None, &["a__body__001", "c__body__000"]);
    Ok(())
}

#[test]
fn an_explanation_names_the_fields_of_each_term() -> Result<(), IndexError> {
    let dir = folder();
    let index = write(dir.path(), papers())?;
    let settings = with(weights(2.0, 1.5));
    let query = "how do snails sleep on spinach?";
    let (found, explained) = index.explain_text(query, None, Mode::Bm25, &settings, None)?;
    for (hit, why) in found.hits.iter().zip(&explained) {
        let sum: f32 = why.terms.iter().map(|term| term.contribution).sum();
        assert!((sum - hit.bm25_score).abs() < 1e-5, "{why:?}");
    }
    let first = explained
        .iter()
        .find(|why| why.chunk_id.as_str() == "a__body__001")
        .expect("found");
    let terms: Vec<_> = first
        .terms
        .iter()
        .map(|term| {
            let fields: Vec<_> = term.fields.iter().map(|f| (f.field, f.occurrences)).collect();
            (term.word.as_str(), term.occurrences, fields, term.chunks)
        })
        .collect();
    assert_eq!(
        terms,
        [
            ("snails", 0, vec![(Title, 1), (Heading, 1)], 3),
            ("sleep", 0, vec![(Heading, 1)], 1),
            ("spinach", 1, vec![(Text, 1)], 2),
        ]
    );
    Ok(())
}

/// Scores by the formula, from the texts alone.
fn expected(papers: &[SourceEntry], query: &str, settings: Bm25Settings) -> BTreeMap<String, f32> {
    let Bm25Settings { k1, b, .. } = settings;
    let words = |text: &str| -> Vec<String> {
        let words = text::indexed_words(text).into_iter();
        let words = words.filter(|word| settings.stop_words == StopWords::None || !word.is_stop_word);
        words
            .map(|word| if settings.stemming { word.stem } else { word.form })
            .collect()
    };
    let weights = [1.0, settings.title_weight, settings.heading_weight];
    let chunks: Vec<(String, [Vec<String>; 3])> = papers
        .iter()
        .flat_map(|paper| {
            let title = paper.meta.title.clone().unwrap_or_default();
            paper.chunks.iter().map(move |chunk| {
                let fields = [words(&chunk.text), words(&title), words(&chunk.heading)];
                (chunk.chunk_id.to_string(), fields)
            })
        })
        .collect();
    let average = |field: usize| {
        let lengths = chunks.iter().map(|(_, fields)| fields[field].len());
        let counted = lengths.clone().filter(|length| field == 0 || *length > 0).count();
        lengths.sum::<usize>() as f32 / counted.max(1) as f32
    };
    let averages = [average(0), average(1), average(2)];
    let mut scores = BTreeMap::new();
    for term in words(query) {
        let frequency = |fields: &[Vec<String>; 3], field: usize| {
            fields[field].iter().filter(|word| **word == term).count() as f32
        };
        let tf = |fields: &[Vec<String>; 3]| -> f32 {
            let part = |field: usize| {
                let norm = 1.0 - b + b * fields[field].len() as f32 / averages[field];
                let found = frequency(fields, field);
                if found > 0.0 {
                    weights[field] * found / norm
                } else {
                    0.0
                }
            };
            (0..3).map(part).sum()
        };
        let holding = chunks.iter().filter(|(_, fields)| tf(fields) > 0.0).count() as f32;
        let idf = (1.0 + (chunks.len() as f32 - holding + 0.5) / (holding + 0.5)).ln();
        for (id, fields) in chunks.iter().filter(|(_, fields)| tf(fields) > 0.0) {
            let tf = tf(fields);
            *scores.entry(id.clone()).or_insert(0.0) += idf * tf * (k1 + 1.0) / (tf + k1);
        }
    }
    scores
}

fn phrase(words: Range<usize>) -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "kale", "Walking", "walks", "the", "of", "study", "studied", "IL-6", "beet's",
    ]);
    prop::collection::vec(word, words).prop_map(|words| words.join(" "))
}

fn corpus() -> impl Strategy<Value = Vec<SourceEntry>> {
    let chunk = (phrase(0..3), phrase(1..8));
    let paper = (phrase(0..4), prop::collection::vec(chunk, 1..4));
    prop::collection::vec(paper, 1..6).prop_map(|papers| {
        let paper = |(at, (title, chunks)): (usize, (String, Vec<(String, String)>))| {
            let chunks: Vec<(&str, &str)> = chunks.iter().map(|(h, t)| (h.as_str(), t.as_str())).collect();
            titled(&format!("p{at}"), &title, &chunks)
        };
        papers.into_iter().enumerate().map(paper).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn scores_are_those_of_the_formula_however_the_index_is_cut(
        papers in corpus(),
        query in phrase(0..5),
        title_weight in prop_oneof![Just(0.0_f32), 0.1_f32..4.0],
        heading_weight in prop_oneof![Just(0.0_f32), 0.1_f32..4.0],
        stemming in any::<bool>(),
        stop_words in prop::sample::select(vec![StopWords::None, StopWords::English]),
        b in 0.0_f32..=1.0,
    ) {
        let bm25 = Bm25Settings { b, title_weight, heading_weight, stemming, stop_words, ..Bm25Settings::default() };
        let dir = folder();
        let whole = scores(&write(dir.path(), papers.clone()).expect("writes"), &query, bm25);
        let wanted = expected(&papers, &query, bm25);
        prop_assert_eq!(whole.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>());
        for (id, score) in &whole {
            prop_assert!((score - wanted[id]).abs() < 1e-4, "{}: {} is not {}", id, score, wanted[id]);
        }
        // One segment for each paper, with one that was replaced and one that was removed.
        let cut = folder();
        add(cut.path(), [titled("p0", "of kale", &[("kale", "kale walks")])]).expect("writes");
        add(cut.path(), [titled("gone", "kale", &[("walking", "beet the kale")])]).expect("writes");
        for paper in &papers {
            add(cut.path(), [paper.clone()]).expect("writes");
        }
        let index = change(cut.path(), [], &["gone"]).expect("writes");
        prop_assert_eq!(&scores(&index, &query, bm25), &whole);
        prop_assert!(verify(cut.path()).expect("reads").damages.is_empty());
    }
}

/// Changes the record of the only segment, and then the manifest, of an index of one generation; hashes are made to fit.
fn rewrite(root: &Path, record: impl FnOnce(&mut Value), manifest: impl FnOnce(&mut Value)) {
    let write = |folder: &str, names: [&str; 2], change: &mut dyn FnMut(&mut Value)| {
        let folder = root.join(folder);
        let json = fs::read(folder.join(names[0])).expect("reads");
        let mut value = serde_json::from_slice(&json).expect("JSON");
        change(&mut value);
        let json = serde_json::to_vec_pretty(&value).expect("JSON");
        for name in names {
            fs::write(folder.join(name), &json).expect("written");
        }
        sha256(&json)
    };
    let (mut record, mut manifest) = (Some(record), Some(manifest));
    let hash = write(
        "segments/1",
        ["segment.json", "segment.copy.json"],
        &mut |value| {
            record.take().expect("once")(value);
        },
    );
    let hash = write(
        "generations/1",
        ["manifest.json", "manifest.copy.json"],
        &mut |value| {
            value["segments"][0]["record"] = hash.clone().into();
            manifest.take().expect("once")(value);
        },
    );
    fs::write(root.join("generations/1/manifest.sha256"), format!("{hash}\n")).expect("written");
    fs::write(root.join("CURRENT"), format!("1 {hash}\n")).expect("written");
    fs::remove_file(root.join("checked.json")).expect("removed");
}

#[test]
fn an_index_without_fields_is_named_and_taken_over() -> Result<(), IndexError> {
    let dir = folder();
    write(dir.path(), papers())?;
    fs::remove_file(dir.path().join("segments/1/chunks.fields")).expect("removed");
    rewrite(
        dir.path(),
        |record| {
            let files = record["files"].as_object_mut().expect("files");
            assert!(files.remove("chunks.fields").is_some());
        },
        |manifest| manifest["format"] = 3.into(),
    );
    for error in [
        Index::open(dir.path()).expect_err("older"),
        verify(dir.path()).expect_err("older"),
    ] {
        assert!(matches!(error, IndexError::Format { found: 3, .. }), "{error}");
        assert!(error.to_string().contains("pipeline ingest"), "{error}");
    }
    let mut writer = IndexWriter::open(dir.path(), settings())?;
    assert!(writer.must_rewrite() && writer.damages().is_empty());
    let mut generation = writer.begin()?;
    for id in ["a", "b", "c"] {
        generation.keep(&id.into())?;
    }
    generation.commit()?;
    drop(writer);
    assert!(verify(dir.path())?.damages.is_empty());
    let other = folder();
    let (taken, fresh) = (Index::open(dir.path())?, write(other.path(), papers())?);
    for query in ["garden snails", "kale diet", "walking"] {
        let bm25 = weights(2.0, 1.0);
        assert_eq!(scores(&taken, query, bm25), scores(&fresh, query, bm25));
    }
    Ok(())
}

/// Versions before the abbreviations wrote this format too.
#[test]
fn an_index_without_abbreviations_is_searched_and_taken_over() -> Result<(), IndexError> {
    let dir = folder();
    let texts = [
        ("Diet", "The mean kale intake (MKI) of snails rose."),
        ("Sleep", "Spinach (SP) made them sleep."),
    ];
    let papers = || {
        vec![
            titled("a", "Garden snails", &texts),
            titled("b", "Beet", &[("Diet", "beet")]),
        ]
    };
    write(dir.path(), papers())?;
    let name = "sources.abbreviations";
    fs::remove_file(dir.path().join("segments/1").join(name)).expect("removed");
    rewrite(
        dir.path(),
        |record| {
            let files = record["files"].as_object_mut().expect("files");
            assert!(files.remove(name).is_some());
        },
        |_| {},
    );
    let old = Index::open(dir.path())?;
    assert_eq!(old.abbreviations("mki"), []);
    assert!(verify(dir.path())?.damages.is_empty());
    let bm25 = weights(2.0, 1.0);
    let before = scores(&old, "kale spinach", bm25);
    let mut writer = IndexWriter::open(dir.path(), settings())?;
    assert!(writer.must_rewrite() && writer.damages().is_empty());
    let mut generation = writer.begin()?;
    for id in ["a", "b"] {
        generation.keep(&id.into())?;
    }
    generation.commit()?;
    assert!(!writer.must_rewrite());
    drop(writer);
    assert!(verify(dir.path())?.damages.is_empty());
    let taken = Index::open(dir.path())?;
    let found = taken.abbreviations("mki");
    let forms = found.iter().map(|one| (one.long.as_str(), one.sources));
    assert_eq!(forms.collect::<Vec<_>>(), [("mean kale intake", 1)]);
    assert_eq!(scores(&taken, "kale spinach", bm25), before);
    Ok(())
}

#[test]
fn an_index_without_codes_is_named_and_taken_over() -> Result<(), IndexError> {
    let dir = folder();
    let before = names(&write(dir.path(), papers())?);
    let codes = ["windows.i8", "windows.codes"];
    for name in codes {
        fs::remove_file(dir.path().join("segments/1").join(name)).expect("removed");
    }
    rewrite(
        dir.path(),
        |record| {
            let files = record["files"].as_object_mut().expect("files");
            assert!(codes.iter().all(|name| files.remove(*name).is_some()));
        },
        |manifest| manifest["format"] = 4.into(),
    );
    let error = Index::open(dir.path()).expect_err("older");
    assert!(matches!(error, IndexError::Format { found: 4, .. }), "{error}");
    let mut writer = IndexWriter::open(dir.path(), settings())?;
    assert!(writer.must_rewrite() && writer.damages().is_empty());
    let mut generation = writer.begin()?;
    for id in ["a", "b", "c"] {
        generation.keep(&id.into())?;
    }
    generation.commit()?;
    drop(writer);
    assert!(verify(dir.path())?.damages.is_empty());
    assert_eq!(names(&Index::open(dir.path())?), before);
    Ok(())
}

/// The chunks nearest to a vector.
fn names(index: &Index) -> Vec<String> {
    let found = index.search_text("q", Some(&axis()), Mode::Vector, &with(weights(0.0, 0.0)), None);
    let hits = found.expect("searches").hits;
    hits.iter().map(|hit| hit.chunk.chunk_id.to_string()).collect()
}

#[test]
fn verify_counts_the_words_of_every_field() -> Result<(), IndexError> {
    // Lengths of the title, of the heading, and the stop words of each field, of the second chunk.
    for (place, field) in [
        (0, "title"),
        (1, "heading"),
        (2, "text"),
        (3, "title"),
        (4, "heading"),
    ] {
        let dir = folder();
        write(dir.path(), papers())?;
        let path = dir.path().join("segments/1/chunks.fields");
        let mut bytes = fs::read(&path).expect("reads");
        assert_eq!(bytes.len(), 5 * 20);
        bytes[20 + 4 * place] += 1;
        fs::remove_file(&path).expect("removes");
        fs::write(&path, &bytes).expect("writes");
        let hashes = |record: &mut Value| {
            let file = &mut record["files"]["chunks.fields"];
            file["sha256"] = sha256(&bytes).into();
            file["crc32"] = crc32fast::hash(&bytes).into();
        };
        rewrite(dir.path(), hashes, |_| {});
        let said: Vec<String> = verify(dir.path())?
            .damages
            .iter()
            .map(|damage| format!("{}: {}", damage.file, damage.reason))
            .collect();
        let named = format!("chunks.fields: the {field} of chunk a__body__001");
        assert!(said.iter().any(|said| said.contains(&named)), "{place}: {said:?}");
        assert!(
            said.iter().any(|said| said.contains("its postings of row 1")),
            "{place}: {said:?}"
        );
    }
    Ok(())
}
