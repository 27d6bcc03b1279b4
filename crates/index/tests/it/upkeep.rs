//! Freeing disk space.

use crate::common::{Failed, add, folder, generations, ids, open, plain, segments, settings, write};
use index::{EmbeddedStore, IndexError, IndexWriter, StepHook, verify};
use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use types::ManagedStore as _;

/// Three generations, of which the last two are there, and what killed writers leave. The last one has two segments.
fn used(root: &Path) -> Result<(), Failed> {
    for round in 1..=2 {
        write(root, [plain("a", round, &["apples", "pears"])])?;
    }
    add(root, [plain("b", 3, &["bread"])])?;
    for left in [
        "generations/4.building",
        "generations/1.removed",
        "generations/7",
        "segments/4.building",
        "segments/1.removed",
        "segments/7",
    ] {
        fs::create_dir_all(root.join(left)).expect("creates");
        fs::write(root.join(left).join("rest"), [0; 100]).expect("writes");
    }
    fs::write(root.join("CURRENT.new"), "7").expect("writes");
    Ok(())
}

/// Bytes by what they are for.
fn usage(root: &Path) -> Result<BTreeMap<&'static str, u64>, Failed> {
    Ok(EmbeddedStore::new(root, None).usage()?.bytes)
}

#[test]
fn beside_damage_nothing_is_removed() -> Result<(), Failed> {
    let dir = folder();
    write(dir.path(), [plain("a", 1, &["apples", "pears"])])?;
    let path = dir.path().join("segments/1/sentences.i8");
    let mut bytes = fs::read(&path).expect("reads");
    bytes[3] ^= 1;
    fs::remove_file(&path).expect("removes");
    fs::write(&path, bytes).expect("writes");
    // An older generation may be the only one that is intact.
    let mut upkeep = IndexWriter::open_existing(dir.path(), None)?;
    let error = upkeep.compact().expect_err("damaged");
    assert!(error.to_string().contains("sentences.i8"), "{error}");
    Ok(())
}

#[test]
fn the_next_writer_tidies_even_when_it_has_nothing_to_write() -> Result<(), Failed> {
    let dir = folder();
    used(dir.path())?;
    fs::create_dir(dir.path().join("generations/1")).expect("creates");
    IndexWriter::open(dir.path(), settings())?;
    assert_eq!(generations(dir.path()), ["2", "3"]);
    assert_eq!(segments(dir.path()), ["2", "3"]);
    assert!(!dir.path().join("CURRENT.new").exists());
    Ok(())
}

#[test]
fn compaction_leaves_the_current_generation_and_what_is_read() -> Result<(), Failed> {
    let dir = folder();
    assert!(matches!(IndexWriter::open_existing(dir.path(), None), Err(IndexError::Missing { .. })));
    assert_eq!(fs::read_dir(dir.path()).expect("lists").count(), 0, "nothing was made");
    write(dir.path(), [plain("a", 1, &["apples"])])?;
    write(dir.path(), [plain("a", 2, &["apples"])])?;
    let reader = open(dir.path())?;
    write(dir.path(), [plain("a", 3, &["apples", "pears"])])?;
    fs::create_dir(dir.path().join("generations/9.building")).expect("creates");
    fs::write(dir.path().join("generations/mine"), "x").expect("writes");
    let before = usage(dir.path())?;

    let mut upkeep = IndexWriter::open_existing(dir.path(), None)?;
    let done = upkeep.compact()?;
    assert_eq!(done.in_use, [2]);
    assert_eq!(done.removed.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(), ["generations/9.building"]);
    assert!(matches!(IndexWriter::open(dir.path(), settings()), Err(IndexError::Locked { .. })));
    assert_eq!(ids(&reader), ["a__body__000"]);
    drop(reader);
    let done = upkeep.compact()?;
    let names: Vec<&str> = done.removed.iter().map(|r| r.name.as_str()).collect();
    assert_eq!((&done.in_use[..], &names[..]), (&[][..], &["generations/2", "segments/2"][..]));
    let freed: u64 = done.removed.iter().map(|r| r.bytes).sum();
    assert_eq!(freed, before["other_generations"], "{done:?} {before:?}");
    assert_eq!(generations(dir.path()), ["3", "mine"]);
    let usage = usage(dir.path())?;
    assert_eq!(usage["other_generations"], 0);
    assert!(["text", "windows", "sentences", "lexical"].iter().all(|kind| usage[kind] > 0));
    Ok(())
}

#[test]
fn compaction_stopped_anywhere_can_be_taken_up_again() -> Result<(), Failed> {
    let mut stops = 0;
    for at in 0.. {
        let dir = folder();
        used(dir.path())?;
        let step = AtomicUsize::new(0);
        let stop: StepHook = Arc::new(move |_| {
            if step.fetch_add(1, Ordering::Relaxed) == at {
                Err(std::io::Error::other("stopped"))
            } else {
                Ok(())
            }
        });
        let outcome =
            IndexWriter::open_existing(dir.path(), Some(stop)).and_then(|mut upkeep| upkeep.compact());
        assert!(verify(dir.path())?.damages.is_empty());
        match outcome {
            Err(IndexError::Stopped { .. }) => stops += 1,
            Err(other) => return Err(other.into()),
            Ok(_) => break,
        }
        IndexWriter::open_existing(dir.path(), None)?.compact()?;
        let merged = generations(dir.path());
        assert_eq!((merged.len(), &segments(dir.path())), (1, &merged));
        assert!(!dir.path().join("CURRENT.new").exists());
        assert!(verify(dir.path())?.damages.is_empty());
        let index = open(dir.path())?;
        assert_eq!(index.manifest().segments.len(), 1);
        assert_eq!(ids(&index), ["a__body__000", "a__body__001", "b__body__000"]);
    }
    assert!(stops >= 30, "{stops}");
    Ok(())
}
