//! Readers beside writers.

use crate::common::{Failed, TextSearch as _, axis, folder, ids, open, plain, settings, write};
use index::{IndexError, IndexWriter};
use retrieve::SearchSettings;
use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
};
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
    let settings = SearchSettings {
        threshold: -1.0,
        ..SearchSettings::default()
    };
    let found = first.search_text("pears", Some(&axis()), Mode::Hybrid, &settings, None)?;
    assert_eq!(found.hits.len(), 2);
    assert!(first.sentence_vector(&"a".into(), 1).is_some());
    assert!(
        first.check().is_ok(),
        "the generation stays as long as it is read"
    );
    drop(first);
    write(dir.path(), [plain("b", 9, &["bread"])])?;
    assert!(!dir.path().join("generations/1").exists() && !dir.path().join("segments/1").exists());
    Ok(())
}

#[test]
fn a_second_writer_is_told_who_holds_the_index() -> Result<(), Failed> {
    let dir = folder();
    let first = IndexWriter::open(dir.path(), settings())?;
    match IndexWriter::open(dir.path(), settings()) {
        Err(IndexError::Locked { pid, path, since }) => {
            assert!(since.ends_with('Z') && since.len() == 20, "{since}");
            assert_eq!(
                (pid, path.as_path()),
                (std::process::id().to_string(), dir.path())
            );
        }
        other => panic!("{other:?}"),
    }
    drop(first);
    IndexWriter::open(dir.path(), settings())?;
    Ok(())
}

const FOLDER: &str = "RETRIEVE_LOCK_FOLDER";

/// Two processes: the second is told who writes; a dead one holds nobody up.
#[test]
fn a_killed_writer_does_not_block_the_next() {
    let dir = folder();
    let mut holder = Command::new(std::env::current_exe().expect("this test's own program"))
        .args([
            "--exact",
            "readers::holds_the_lock_until_killed",
            "--ignored",
            "--nocapture",
        ])
        .env(FOLDER, dir.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("runs");
    let lines = BufReader::new(holder.stdout.take().expect("piped")).lines();
    let mut lines = lines.map_while(Result::ok);
    assert!(
        lines.any(|line| line.ends_with("locked")),
        "the other process writes"
    );
    match IndexWriter::open(dir.path(), settings()) {
        Err(error @ IndexError::Locked { .. }) => {
            let said = error.to_string();
            assert!(
                said.contains(&format!("by process {} since 2", holder.id()))
                    && said.contains("wait until it ends"),
                "{said}"
            );
        }
        other => panic!("{other:?}"),
    }
    holder.kill().expect("killed");
    holder.wait().expect("waited for");
    IndexWriter::open(dir.path(), settings()).expect("the lock of a dead process is no lock");
}

/// The process that the test above kills.
#[test]
#[ignore = "a process of the test above, which sets its variable"]
fn holds_the_lock_until_killed() {
    let root = std::env::var(FOLDER).expect("the test above names the folder");
    let _writer = IndexWriter::open(root.as_ref(), settings()).expect("locks");
    println!("locked");
    loop {
        std::thread::park();
    }
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

#[test]
fn an_index_is_shared_between_threads() -> Result<(), Failed> {
    let dir = folder();
    let index = write(
        dir.path(),
        [plain("a", 1, &["apples", "pears", "apples and pears"])],
    )?;
    let settings = SearchSettings {
        threshold: -1.0,
        ..SearchSettings::default()
    };
    let search = || {
        let found = index
            .search_text("pears", Some(&axis()), Mode::Hybrid, &settings, None)
            .expect("searches");
        found
            .hits
            .iter()
            .map(|hit| hit.chunk.chunk_id.to_string())
            .collect::<Vec<_>>()
    };
    let wanted = search();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(search)).collect();
        for thread in threads {
            assert_eq!(thread.join().expect("ends"), wanted);
        }
    });
    Ok(())
}
