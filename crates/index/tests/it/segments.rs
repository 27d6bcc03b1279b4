//! However an index is cut into segments, it gives the same answers.

use crate::common::{
    Failed, TextSearch as _, add, at_cosine, axis, change, folder, ids, open, plain, segments, settings,
    source, vector, write,
};
use index::{HnswSettings, Index, IndexError, IndexWriter, verify};
use retrieve::{Fusion, Hnsw, SearchSettings, VectorIndex};
use std::path::Path;
use std::sync::Arc;
use types::{
    Filter, Mode,
    SectionKind::{Body, Methods, Results},
};
use types::{SourceEntry, Tokenizer};

const WORDS: [&str; 12] = [
    "fasting", "ketone", "mice", "walking", "insulin", "klotho", "sleep", "muscle", "trial", "dose", "blood",
    "age",
];

/// Papers that share words and, some of them, whole texts and vectors: there are ties within papers and between them.
fn paper(number: usize) -> SourceEntry {
    let texts: Vec<String> = (0..2 + number % 4)
        .map(|at| {
            let word = |k: usize| WORDS[(number * (at + 2) + k * k) % 12];
            (0..3 + (number + at) % 5).map(word).collect::<Vec<_>>().join(" ")
        })
        .collect();
    let mut parts: Vec<_> = (0..)
        .zip(&texts)
        .map(|(at, text)| {
            let section = [Body, Methods, Results][at % 3];
            (section, text.as_str(), vector((number * 10 + at) as u64))
        })
        .collect();
    parts.push((Body, "the same words in every paper", at_cosine(0.5, 3)));
    let mut entry = source(&name(number), &parts);
    entry.meta.year = Some(2000 + (number % 5) as u16);
    titled(entry, number)
}

/// With a title of words that its texts have, too; every fourth has none.
fn titled(mut entry: SourceEntry, number: usize) -> SourceEntry {
    let title = format!("{} and {}", WORDS[number % 12], WORDS[(number + 5) % 12]);
    entry.meta.title = (number % 4 != 1).then_some(title);
    entry
}

fn name(number: usize) -> String {
    // Not in the order of numbers.
    format!("p{:02}", number * 7 % 20)
}

const PAPERS: usize = 20;

/// Everything that an index says, as text: searches of all kinds with explanations, and what later stages read.
fn answers(index: &Arc<Index>) -> Vec<String> {
    let every = SearchSettings { min_similarity: -1.0, top_k: 200, ..SearchSettings::default() };
    let few = SearchSettings { depth: 7, top_k: 5, vector_k: 4, bm25_k: 3, ..SearchSettings::default() };
    let whitespace = SearchSettings { tokenizer: Tokenizer::Whitespace, fusion: Fusion::Rrf, ..every };
    let fields = SearchSettings { title_weight: 0.7, ..every };
    let filter = Filter { sections: Some(vec![Body]), year_from: Some(2002), ..Filter::default() };
    let mut out = Vec::new();
    for query in ["fasting ketone mice", "klotho", "the same words walking walking", "unheard"] {
        for settings in [every, few, fields, whitespace, SearchSettings::phase2()] {
            for mode in [Mode::Hybrid, Mode::Vector, Mode::Bm25] {
                for filter in [None, Some(&filter)] {
                    let found =
                        index.explain_text(query, Some(&axis()), mode, &settings, filter).expect("searches");
                    out.push(format!("{query} {mode} {settings:?} {filter:?}: {found:?}"));
                }
            }
        }
    }
    for word in WORDS {
        out.push(format!("{word}: {:?}", index.document_frequency(word).expect("reads")));
    }
    for id in ids(index) {
        let neighbours = index.neighbours(&id.as_str().into(), 2).expect("reads");
        let chunk = index.read_chunk(&id.as_str().into());
        let chunk = chunk.expect("reads").expect("there");
        let similarities = index.sentence_similarities(&chunk, &vector(3));
        let sentence = index.sentence_vector(&chunk.source_id, 1);
        out.push(format!("{id}: {neighbours:?} {similarities:?} {sentence:?}"));
    }
    out.push(format!("{:?}", index.manifest().sources));
    out.push(format!("{:?}", index.manifest().counts));
    out
}

/// The answers of the same papers, added all at once.
fn wanted(numbers: impl Iterator<Item = usize>) -> Result<Vec<String>, IndexError> {
    let dir = folder();
    let index = write(dir.path(), numbers.map(paper))?;
    assert_eq!(index.manifest().segments.len(), 1);
    Ok(answers(&index))
}

fn assert_same(index: &Arc<Index>, wanted: &[String], how: &str) {
    let found = answers(index);
    assert_eq!(found.len(), wanted.len(), "{how}");
    for (found, wanted) in found.iter().zip(wanted) {
        assert_eq!(found, wanted, "{how}");
    }
}

fn assert_whole(root: &Path) -> Result<(), Failed> {
    let found = verify(root)?;
    assert!(found.damages.is_empty(), "{:?}", found.damages);
    Ok(())
}

#[test]
fn answers_do_not_depend_on_how_papers_came() -> Result<(), Failed> {
    let wanted = wanted(0..PAPERS)?;
    // One by one: the ninth segment of a tier merges the others.
    let dir = folder();
    let mut most = 0;
    for number in 0..PAPERS {
        let index = add(dir.path(), [paper(number)])?;
        most = most.max(index.manifest().segments.len());
        assert!(index.manifest().segments.len() <= 8, "{:?}", index.manifest().segments);
    }
    assert!(most > 5, "{most}");
    assert_same(&open(dir.path())?, &wanted, "one by one");
    assert_whole(dir.path())?;
    // A compaction changes no answer.
    let mut upkeep = IndexWriter::open_existing(dir.path(), None)?;
    upkeep.compact()?;
    drop(upkeep);
    let index = open(dir.path())?;
    assert_eq!(index.manifest().segments.len(), 1);
    assert_same(&index, &wanted, "compacted");
    assert_whole(dir.path())?;

    // In parts, last papers first.
    let dir = folder();
    add(dir.path(), (12..PAPERS).map(paper))?;
    add(dir.path(), (5..12).rev().map(paper))?;
    let index = add(dir.path(), (0..5).map(paper))?;
    assert_eq!(index.manifest().segments.len(), 3);
    assert_same(&index, &wanted, "in three parts");
    Ok(())
}

#[test]
fn removed_and_replaced_papers_leave_no_trace() -> Result<(), Failed> {
    let wanted = wanted(0..PAPERS)?;
    let dir = folder();
    // Other content under the same names, then papers that do not stay, then the right ones.
    let other = |number: usize| {
        let seed = 900 + number as u64;
        let texts = ["fasting mice", "klotho klotho ketone"];
        titled(plain(&name(number), seed, &texts), number)
    };
    write(dir.path(), (0..8).map(other))?;
    add(dir.path(), (8..PAPERS).map(paper))?;
    add(dir.path(), [plain("extra", 77, &["fasting ketone mice", "klotho"])])?;
    add(dir.path(), (0..4).map(paper))?;
    let removed = [name(5), name(6), name(9)];
    let removed: Vec<&str> = removed.iter().map(String::as_str).collect();
    change(dir.path(), [], &removed)?;
    change(dir.path(), [paper(9), paper(4)], &["extra"])?;
    let index = add(dir.path(), [paper(5), paper(6), paper(7)])?;
    assert!(index.manifest().segments.len() > 2, "{:?}", index.manifest().segments);
    assert!(index.manifest().dead_chunks() > 0, "there are tombstones");
    assert_same(&index, &wanted, "after removals");
    assert_whole(dir.path())?;
    IndexWriter::open_existing(dir.path(), None)?.compact()?;
    let index = open(dir.path())?;
    assert_eq!((index.manifest().segments.len(), index.manifest().dead_chunks()), (1, 0));
    assert_same(&index, &wanted, "after removals, compacted");
    assert_whole(dir.path())
}

#[test]
fn a_segment_that_is_mostly_dead_is_written_again() -> Result<(), Failed> {
    let dir = folder();
    write(dir.path(), (0..4).map(|n| plain(&format!("s{n}"), n, &["apples", "pears"])))?;
    let index = change(dir.path(), [], &["s0", "s1"])?;
    assert_eq!((segments(dir.path()), index.manifest().dead_chunks()), (vec!["1".to_owned()], 4));
    let index = change(dir.path(), [], &["s2"])?;
    let first: Vec<u64> = index.manifest().segments.iter().map(|s| s.segment).collect();
    assert_eq!((first, index.manifest().dead_chunks()), (vec![3], 0));
    assert_eq!(ids(&index), ["s3__body__000", "s3__body__001"]);
    assert_whole(dir.path())
}

#[test]
fn each_segment_has_its_graph() -> Result<(), Failed> {
    const GRAPH: HnswSettings = HnswSettings { connections: 8, ef_construction: 32 };
    let build = |root: &Path, numbers: &[usize], graph: HnswSettings| -> Result<(), Failed> {
        let mut writer = IndexWriter::open(root, settings())?;
        let known: Vec<_> = writer.manifest().map_or_else(Vec::new, |manifest| {
            manifest.sources.iter().map(|s| s.source_id().clone()).collect()
        });
        let mut generation = writer.begin()?;
        for id in &known {
            generation.keep(id)?;
        }
        for number in numbers {
            generation.add(paper(*number))?;
        }
        generation.with_graph(Some(graph)).commit()?;
        Ok(())
    };
    let with_graph = |root: &Path, numbers: &[usize]| build(root, numbers, GRAPH);
    let graphs = |root: &Path| -> Result<Vec<String>, Failed> {
        let index = open(root)?;
        let files = index.manifest().files.keys();
        Ok(files.filter(|name| name.contains("/hnsw/")).cloned().collect())
    };
    let walked = |root: &Path| -> Result<Vec<String>, Failed> {
        let index = open(root)?;
        let settings = SearchSettings {
            depth: 6,
            vector_k: 6,
            bm25_k: 6,
            min_similarity: -1.0,
            vector_index: VectorIndex::Hnsw,
            hnsw: Hnsw { ef: 30, ..Hnsw::default() },
            ..SearchSettings::default()
        };
        (0..8)
            .map(|seed| {
                let found = index.explain_text("mice", Some(&vector(seed)), Mode::Hybrid, &settings, None)?;
                Ok(format!("{found:?}"))
            })
            .collect()
    };
    let (once, parts) = (folder(), folder());
    with_graph(once.path(), &(0..PAPERS).collect::<Vec<_>>())?;
    with_graph(parts.path(), &(6..PAPERS).collect::<Vec<_>>())?;
    with_graph(parts.path(), &(0..6).collect::<Vec<_>>())?;
    let wanted = walked(once.path())?;
    assert_eq!(walked(parts.path())?, wanted);
    let files =
        |segment: u64| ["data", "graph"].map(|end| format!("segments/{segment}/hnsw/windows.hnsw.{end}"));
    assert_eq!(graphs(parts.path())?, [files(1), files(2)].concat());
    assert_whole(parts.path())?;
    IndexWriter::open_existing(parts.path(), None)?.compact()?;
    assert_eq!(walked(parts.path())?, wanted);
    assert_eq!(graphs(parts.path())?, files(3));
    assert_whole(parts.path())?;
    // A commit without a graph lets the segments be, and one with other settings writes them again.
    change(parts.path(), [], &[])?;
    assert_eq!(graphs(parts.path())?, files(3));
    let connections = 9;
    build(parts.path(), &[], HnswSettings { connections, ..GRAPH })?;
    assert_eq!(graphs(parts.path())?, files(5));
    assert_eq!(walked(parts.path())?.len(), wanted.len());
    assert_whole(parts.path())
}

#[test]
fn readers_keep_segments_that_writers_merge() -> Result<(), Failed> {
    let dir = folder();
    write(dir.path(), (0..3).map(paper))?;
    let reader = add(dir.path(), (3..6).map(paper))?;
    let before = answers(&reader);
    let mut upkeep = IndexWriter::open_existing(dir.path(), None)?;
    let done = upkeep.compact()?;
    assert_eq!(done.in_use, [2]);
    assert_eq!(segments(dir.path()), ["1", "2", "3"]);
    assert!(reader.check().is_ok());
    assert_eq!(answers(&reader), before);
    assert_eq!(answers(&open(dir.path())?), before);
    drop(reader);
    let done = upkeep.compact()?;
    let names: Vec<&str> = done.removed.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["generations/2", "segments/1", "segments/2"]);
    assert_eq!(segments(dir.path()), ["3"]);
    Ok(())
}
