//! Building one generation after the other.

use crate::common::{Failed, folder, ids, open, plain, segments, settings, vector, write};
use index::{IndexError, IndexWriter, WriterSettings};
use std::{fs, path::Path};
use types::MadeBy;
use types::StoreWriter as _;
use types::{SourceId, SourceMeta};

type Outcome = Result<(), Failed>;

#[test]
fn an_index_may_be_empty() -> Outcome {
    let dir = folder();
    let index = write(dir.path(), [])?;
    assert_eq!((index.generation(), index.manifest().counts.chunks), (1, 0));
    assert!(index.check().is_ok());
    assert_eq!(index.document_frequency("anything").expect("reads"), 0);
    // A source of which nothing is indexed still counts as ingested.
    let index = write(dir.path(), [plain("bare", 1, &[])])?;
    assert_eq!(ids(&index), Vec::<String>::new());
    assert_eq!(index.source_record(&"bare".into()).map(|r| r.key.as_str()), Some("key of bare"));
    Ok(())
}

#[test]
fn what_is_kept_stays_where_it_is_and_what_is_added_is_one_segment() -> Outcome {
    let dir = folder();
    write(
        dir.path(),
        [
            plain("a", 1, &["apples and pears", "more apples"]),
            plain("b", 2, &["bread"]),
            plain("c", 3, &["cheese", "chives"]),
        ],
    )?;
    let lines = |number: u64| {
        let path = dir.path().join(format!("segments/{number}/chunks.jsonl"));
        let text = fs::read_to_string(path).expect("reads");
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let touched = || {
        let files = fs::read_dir(dir.path().join("segments/1")).expect("lists");
        let when = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified()).expect("a time");
        let mut found: Vec<_> = files
            .map(|entry| entry.expect("an entry").path())
            .map(|path| (path.clone(), when(&path)))
            .collect();
        found.sort();
        found
    };
    let before = open(dir.path())?;
    let (old, times) = (lines(1), touched());

    let mut writer = IndexWriter::open(dir.path(), settings())?;
    assert!(writer.can_keep());
    let mut generation = writer.begin()?;
    generation.add(plain("aa", 9, &["artichokes"]))?;
    generation.keep(&"c".into())?;
    generation.keep(&"a".into())?;
    assert_eq!(generation.commit()?, 2);
    let manifest = writer.manifest().expect("there is one");
    assert_eq!((manifest.generation, manifest.counts.chunks), (2, 5));
    let [first, second] = manifest.segments[..] else {
        panic!("{:?}", manifest.segments);
    };
    assert_eq!((first.segment, first.sources, first.dead_sources, first.dead_chunks), (1, 2, 1, 1));
    assert_eq!((second.segment, second.sources, second.chunks, second.dead_sources), (2, 1, 1, 0));

    let after = open(dir.path())?;
    assert!(after.check().is_ok());
    assert_eq!(
        ids(&after),
        ["a__body__000", "a__body__001", "aa__body__000", "c__body__000", "c__body__001"]
    );
    assert_eq!((lines(1), touched()), (old, times), "no byte of it was written again");
    assert_eq!(lines(2).len(), 1);
    assert_eq!(after.sentence_vector(&"c".into(), 1), before.sentence_vector(&"c".into(), 1));
    assert!(after.sentence_vector(&"c".into(), 2).is_none());
    assert!(after.source(&"b".into()).is_none());
    assert!(after.read_chunk(&"b__body__000".into())?.is_none());
    assert_eq!(after.document_frequency("bread").expect("reads"), 0);
    assert_eq!(
        after
            .document_frequency("artichok")
            .expect("reads")
            .max(after.document_frequency("artichoke").expect("reads")),
        1
    );
    // The earlier reader still sees what it opened.
    assert!(before.read_chunk(&"b__body__000".into())?.is_some());
    Ok(())
}

#[test]
fn a_generation_that_adds_nothing_writes_no_segment() -> Outcome {
    let dir = folder();
    write(dir.path(), [plain("a", 1, &["apples", "pears"]), plain("b", 2, &["bread", "butter"])])?;
    let mut writer = IndexWriter::open(dir.path(), settings())?;
    let mut generation = writer.begin()?;
    generation.keep(&"a".into())?;
    generation.keep(&"b".into())?;
    generation.commit()?;
    assert_eq!(segments(dir.path()), ["1"]);
    let mut generation = writer.begin()?;
    generation.keep(&"a".into())?;
    generation.commit()?;
    assert_eq!(segments(dir.path()), ["1"]);
    let index = open(dir.path())?;
    assert_eq!((ids(&index).len(), index.manifest().dead_chunks()), (2, 2));
    // Nothing at all is an index too.
    writer.begin()?.commit()?;
    assert!(ids(&open(dir.path())?).is_empty());
    Ok(())
}

#[test]
fn a_source_written_in_part_is_never_published() -> Outcome {
    let dir = folder();
    // After creating the files, the third step writes the second chunk.
    let step = std::sync::atomic::AtomicUsize::new(0);
    let hook = move |_| match step.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
        2 => Err(std::io::Error::other("disk full")),
        _ => Ok(()),
    };
    let settings = WriterSettings { before_step: Some(std::sync::Arc::new(hook)), ..settings() };
    let mut writer = IndexWriter::open(dir.path(), settings)?;
    let mut generation = writer.begin()?;
    assert!(matches!(generation.add(plain("a", 1, &["apples", "pears"])), Err(IndexError::Stopped { .. })));
    generation.add(plain("b", 1, &["bread"]))?;
    assert!(matches!(generation.commit(), Err(IndexError::Broken { generation: 1 })));
    let mut generation = writer.begin()?;
    generation.add(plain("b", 1, &["bread"]))?;
    generation.commit()?;
    assert_eq!(ids(&open(dir.path())?), ["b__body__000"]);
    Ok(())
}

#[test]
fn two_chunks_of_one_name_are_refused() -> Outcome {
    let dir = folder();
    let mut writer = IndexWriter::open(dir.path(), settings())?;
    let mut generation = writer.begin()?;
    let mut entry = plain("a", 1, &["apples", "pears"]);
    entry.chunks[1].chunk_id = entry.chunks[0].chunk_id.clone();
    generation.add(entry)?;
    let message = generation.commit().expect_err("refused").to_string();
    assert!(message.contains("a__body__000"), "{message}");
    assert!(matches!(open(dir.path()), Err(IndexError::Missing { .. })));
    drop(writer);
    // In another segment too, as long as that source is in the index.
    write(dir.path(), [plain("a", 1, &["apples", "pears"])])?;
    let mut other = plain("b", 2, &["bread"]);
    other.chunks[0].chunk_id = "a__body__001".into();
    let mut writer = IndexWriter::open(dir.path(), settings())?;
    let mut generation = writer.begin()?;
    generation.keep(&"a".into())?;
    generation.add(other.clone())?;
    let message = generation.commit().expect_err("refused").to_string();
    assert!(message.contains("a__body__001"), "{message}");
    let mut generation = writer.begin()?;
    generation.add(other)?;
    generation.commit()?;
    assert_eq!(ids(&open(dir.path())?), ["a__body__001"]);
    Ok(())
}

#[test]
fn vectors_of_another_embedder_are_not_kept() -> Outcome {
    let dir = folder();
    write(dir.path(), [plain("a", 1, &["apples"])])?;
    for other in [
        MadeBy { embedder_id: "another".to_owned(), ..settings().made_by },
        MadeBy { dimension: 32, ..settings().made_by },
    ] {
        let other = WriterSettings { made_by: other, ..settings() };
        let mut writer = IndexWriter::open(dir.path(), other)?;
        assert!(!writer.can_keep());
        let mut generation = writer.begin()?;
        assert!(matches!(generation.keep(&"a".into()), Err(IndexError::Embedder { .. })));
    }
    let none = WriterSettings::default();
    assert!(matches!(IndexWriter::open(dir.path(), none), Err(IndexError::Setting { .. })));
    Ok(())
}

#[test]
fn another_format_is_refused_by_number() -> Outcome {
    let dir = folder();
    write(dir.path(), [plain("a", 1, &["apples"])])?;
    fs::write(dir.path().join("generations/1/manifest.json"), r#"{"format": 99, "new": true}"#)
        .expect("writes");
    for error in [
        open(dir.path()).err().expect("another format"),
        IndexWriter::open(dir.path(), settings()).err().expect("another format"),
    ] {
        assert!(matches!(error, IndexError::Format { found: 99, .. }), "{error}");
        assert!(error.to_string().contains("update this program"), "{error}");
    }
    Ok(())
}

#[test]
fn text_of_any_kind_comes_back() -> Outcome {
    let dir = folder();
    let long = "α-ketoglutarate ".repeat(20_000);
    let texts = [
        "",
        "\u{0}\n\r\u{2028}",
        "日本語。テスト",
        "e\u{301} 🧬 \"quoted\" \\ {}",
        "\u{feff}\u{202e}x",
        long.as_str(),
    ];
    let index = write(dir.path(), [plain("a", 1, &texts), plain("weird id\n__x", 2, &["fine"])])?;
    let back: Vec<String> = index.chunks().map(|chunk| chunk.expect("whole").text.clone()).collect();
    assert_eq!(back[..6], texts);
    assert!(index.read_chunk(&"weird id\n__x__body__000".into())?.is_some());
    Ok(())
}

#[test]
fn the_manifest_says_how_it_was_made() -> Outcome {
    let dir = folder();
    let mut settings = settings();
    settings.made_by.config.insert("chunk.max_tokens".to_owned(), "768".to_owned());
    let mut writer = IndexWriter::open(dir.path(), settings)?;
    let mut generation = writer.begin()?;
    let mut entry = plain("a", 1, &["apples"]);
    entry.meta = SourceMeta { year: Some(2021), authors: vec!["Tandrik".to_owned()], ..entry.meta };
    let meta = entry.meta.clone();
    let again = entry.windows[0][0];
    entry.windows[0].push(again);
    entry.window_vectors.push(vector(7));
    generation.add(entry)?;
    generation.commit()?;
    let index = open(dir.path())?;
    let manifest = index.manifest();
    assert_eq!(
        (manifest.made_by.parser.as_str(), manifest.made_by.chunker.as_str()),
        ("parser 1", "chunker 1")
    );
    assert_eq!(manifest.made_by.config["chunk.max_tokens"], "768");
    assert_eq!((manifest.counts.chunks, manifest.counts.windows, manifest.counts.sentences), (1, 2, 1));
    let record = index.source_record(&SourceId::from("a")).expect("recorded");
    assert_eq!((&record.meta, record.path.as_str(), record.root.as_str()), (&meta, "papers/a.pdf", "papers"));
    assert_eq!((record.chunks, record.windows, record.sentences), ([0, 1], [0, 2], [0, 1]));
    assert!(index.manifest().bytes() > 0);
    Ok(())
}
