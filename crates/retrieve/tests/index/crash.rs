//! Stopping the writer before every step, in this process and by killing another one.

use crate::common::{folder, generations, ids, plain, settings, write};
use retrieve::{HnswSettings, Index, IndexError, IndexWriter, StepHook, WriterSettings};
use std::{
    path::Path,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use types::ChunkStore;

const FOLDER: &str = "RETRIEVE_CRASH_FOLDER";
const STEP: &str = "RETRIEVE_CRASH_STEP";

/// Runs `stop` instead of the step with number `at`.
fn hook(at: usize, stop: fn() -> std::io::Result<()>) -> StepHook {
    let step = AtomicUsize::new(0);
    Arc::new(move |_| {
        if step.fetch_add(1, Ordering::Relaxed) == at {
            stop()
        } else {
            Ok(())
        }
    })
}

/// Keeps one source, replaces one, drops one, adds one.
fn update(root: &Path, before_step: Option<StepHook>) -> Result<u64, IndexError> {
    let mut writer = IndexWriter::open(
        root,
        WriterSettings {
            before_step,
            ..settings()
        },
    )?;
    let mut generation = writer.begin()?;
    generation.keep(&"a".into())?;
    generation.add(plain("b", 20, &["bagels", "baguettes", "buns"]))?;
    generation.add(plain("d", 4, &["dates"]))?;
    generation.commit(Some(HnswSettings {
        connections: 4,
        ef_construction: 8,
    }))
}

/// An index of two generations, so that there is one to prune.
fn start(root: &Path) -> Result<(), IndexError> {
    for _ in 0..2 {
        write(
            root,
            [
                plain("a", 1, &["apples"]),
                plain("b", 2, &["bread"]),
                plain("c", 3, &["cheese"]),
            ],
        )?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &target)?;
        } else {
            std::fs::copy(&path, &target)?;
        }
    }
    Ok(())
}

const OLD: [&str; 3] = ["a__body__000", "b__body__000", "c__body__000"];
const NEW: [&str; 5] = [
    "a__body__000",
    "b__body__000",
    "b__body__001",
    "b__body__002",
    "d__body__000",
];

/// The index is the old or the new one, whole; the next run finishes. Returns whether it was the new one.
fn recovers(root: &Path) -> Result<bool, IndexError> {
    let index = Index::open(root)?;
    assert!(index.verify().is_empty());
    let new = index.generation() == 3;
    assert_eq!(index.generation(), if new { 3 } else { 2 });
    assert_eq!(ids(&index), if new { &NEW[..] } else { &OLD[..] });
    assert_eq!(
        index
            .chunk(&"b__body__000".into())
            .map(|c| c.text.clone())
            .as_deref(),
        Some(if new { "bagels" } else { "bread" })
    );
    drop(index);
    let number = update(root, None)?;
    let index = Index::open(root)?;
    assert_eq!(
        (index.generation(), ids(&index)),
        (number, NEW.map(str::to_owned).to_vec())
    );
    assert!(index.verify().is_empty());
    assert_eq!(
        generations(root),
        [(number - 1).to_string(), number.to_string()],
        "nothing is left of the stopped run"
    );
    Ok(new)
}

#[test]
fn stopped_before_any_step_the_index_is_old_or_new() -> Result<(), IndexError> {
    let template = folder();
    start(template.path())?;
    let mut outcomes = Vec::new();
    for at in 0.. {
        let dir = folder();
        copy(template.path(), dir.path()).expect("copies");
        match update(
            dir.path(),
            Some(hook(at, || Err(std::io::Error::other("stopped")))),
        ) {
            Err(IndexError::Stopped { .. }) => outcomes.push(recovers(dir.path())?),
            Err(other) => return Err(other),
            Ok(_) => break,
        }
    }
    println!("stopped before {} steps: {outcomes:?}", outcomes.len());
    assert!(outcomes.len() >= 20, "{}", outcomes.len());
    // Old, old, …, new: one step makes the difference.
    assert!(outcomes.is_sorted() && outcomes.contains(&true) && outcomes.contains(&false));
    Ok(())
}

#[test]
fn a_killed_process_leaves_the_old_or_the_new_index() -> Result<(), IndexError> {
    let program = std::env::current_exe().expect("this test's own program");
    let template = folder();
    start(template.path())?;
    // Some steps of each kind; the last one comes after the switch.
    for at in [1, 5, 9, 13, 17, 20, 21, 22, 23] {
        let dir = folder();
        copy(template.path(), dir.path()).expect("copies");
        let status = Command::new(&program)
            .args(["--exact", "crash::dies_where_told", "--nocapture"])
            .env(FOLDER, dir.path())
            .env(STEP, at.to_string())
            .output()
            .expect("runs")
            .status;
        assert!(!status.success(), "step {at} was never reached");
        recovers(dir.path())?;
    }
    Ok(())
}

/// The process that the test above kills; without its variables it does nothing.
#[test]
fn dies_where_told() {
    let (Ok(root), Ok(step)) = (std::env::var(FOLDER), std::env::var(STEP)) else {
        return;
    };
    let at = step.parse().expect("a number");
    let outcome = update(root.as_ref(), Some(hook(at, || std::process::abort())));
    panic!("it was to die before: {outcome:?}");
}
