//! Readers beside writers.

use crate::common::{Failed, TextSearch as _, axis, folder, ids, open, plain, write};
use retrieve::SearchSettings;
use std::sync::atomic::{AtomicBool, Ordering};
use types::Mode;

#[test]
fn a_reader_survives_later_generations() -> Result<(), Failed> {
    let dir = folder();
    let first = write(dir.path(), [plain("a", 1, &["apples", "pears"])])?;
    for round in 2..=5 {
        write(dir.path(), [plain("b", round, &["bread"])])?;
    }
    // Nothing of it was read before.
    assert_eq!(ids(&first), ["a__body__000", "a__body__001"]);
    let settings = SearchSettings { min_similarity: -1.0, ..SearchSettings::default() };
    let found = first.search_text("pears", Some(&axis()), Mode::Hybrid, &settings, None)?;
    assert_eq!(found.hits.len(), 2);
    assert!(first.sentence_vector(&"a".into(), 1).is_some());
    assert!(first.check().is_ok(), "the generation stays as long as it is read");
    drop(first);
    write(dir.path(), [plain("b", 9, &["bread"])])?;
    assert!(!dir.path().join("generations/1").exists() && !dir.path().join("segments/1").exists());
    Ok(())
}

#[test]
fn a_reader_always_opens_a_whole_generation() -> Result<(), Failed> {
    let dir = folder();
    write(dir.path(), [plain("a", 1, &["apples"; 1])])?;
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut opened = 0_usize;
            let mut last = 0;
            while !done.load(Ordering::Relaxed) || opened == 0 {
                let index = open(dir.path()).expect("opens");
                // A generation numbered n holds n chunks.
                assert_eq!(ids(&index).len() as u64, index.generation());
                assert!(index.generation() >= last, "time runs forward");
                last = index.generation();
                opened += 1;
            }
            opened
        });
        for round in 2..=8_usize {
            let texts = vec!["apples"; round];
            write(dir.path(), [plain("a", 1, &texts)]).expect("writes");
        }
        done.store(true, Ordering::Relaxed);
        assert!(reader.join().expect("the reader ends") > 0);
    });
    assert_eq!(open(dir.path())?.generation(), 8);
    Ok(())
}
