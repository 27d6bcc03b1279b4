//! Stopping the writer before every step.

use crate::common::{Failed, folder, generations, ids, open, plain, segments, settings};
use index::{HnswSettings, IndexError, IndexWriter, StepHook, WriterSettings};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use types::{SourceEntry, SourceId};

/// Runs `stop` instead of the step with number `at`.
fn hook(at: usize, stop: fn() -> std::io::Result<()>) -> StepHook {
    let step = AtomicUsize::new(0);
    Arc::new(move |_| if step.fetch_add(1, Ordering::Relaxed) == at { stop() } else { Ok(()) })
}

/// Keeps those sources that `keep` names and adds others, with a graph.
fn commit(
    root: &Path,
    before_step: Option<StepHook>,
    keep: impl Fn(&str) -> bool,
    sources: impl IntoIterator<Item = SourceEntry>,
) -> Result<u64, IndexError> {
    let settings = WriterSettings {
        before_step,
        graph: Some(HnswSettings { connections: 4, ef_construction: 8 }),
        ..settings()
    };
    let mut writer = IndexWriter::open(root, settings)?;
    let known: Vec<SourceId> = writer
        .manifest()
        .map_or_else(Vec::new, |manifest| manifest.sources.iter().map(|s| s.source_id().clone()).collect());
    let mut generation = writer.begin()?;
    for id in known.iter().filter(|id| keep(id.as_str())) {
        generation.keep(id)?;
    }
    for source in sources {
        generation.add(source)?;
    }
    generation.commit()
}

/// Keeps what is there but b, which it replaces, and c, which it drops; adds d.
fn update(root: &Path, before_step: Option<StepHook>) -> Result<u64, IndexError> {
    let added = [plain("b", 20, &["bagels", "baguettes", "buns"]), plain("d", 4, &["dates"])];
    commit(root, before_step, |id| !["b", "c", "d"].contains(&id), added)
}

fn write(root: &Path, sources: impl IntoIterator<Item = SourceEntry>) -> Result<u64, IndexError> {
    commit(root, None, |_| false, sources)
}

fn add(root: &Path, sources: impl IntoIterator<Item = SourceEntry>) -> Result<u64, IndexError> {
    commit(root, None, |_| true, sources)
}

/// An index to update, and what it holds before and after.
struct Scenario {
    template: tempfile::TempDir,
    old: Vec<String>,
    new: Vec<String>,
    generation: u64,
    /// Segments that an update leaves.
    segments: usize,
}

impl Scenario {
    fn new(template: tempfile::TempDir, segments: usize) -> Result<Self, IndexError> {
        let index = open(template.path())?;
        let (old, generation) = (ids(&index), index.generation());
        let mut new: Vec<String> = old.iter().filter(|id| !["b", "c"].contains(&&id[..1])).cloned().collect();
        new.extend(["b__body__000", "b__body__001", "b__body__002", "d__body__000"].map(str::to_owned));
        new.sort();
        Ok(Self { template, old, new, generation, segments })
    }

    /// Two generations, so that there is one to prune; a new segment beside an old one.
    fn simple() -> Result<Self, IndexError> {
        let dir = folder();
        for _ in 0..2 {
            let sources = [
                plain("a", 1, &["apples", "apricots", "almonds"]),
                plain("b", 2, &["bread"]),
                plain("c", 3, &["cheese"]),
            ];
            write(dir.path(), sources)?;
        }
        Self::new(dir, 2)
    }

    /// Eight small segments, which the next one is merged with.
    fn crowded() -> Result<Self, IndexError> {
        let dir = folder();
        let sources = [
            plain("a", 1, &["apples", "apricots", "almonds"]),
            plain("b", 2, &["bread"]),
            plain("c", 3, &["cheese"]),
        ];
        write(dir.path(), sources)?;
        for (seed, id) in (5..).zip(["e", "f", "g", "h", "i", "j", "k"]) {
            add(dir.path(), [plain(id, seed, &["fruit and more", "of it"])])?;
        }
        assert_eq!(open(dir.path())?.manifest().segments.len(), 8);
        Self::new(dir, 1)
    }

    /// A segment of which the update leaves less than half.
    fn mostly_dead() -> Result<Self, IndexError> {
        let dir = folder();
        let sources =
            [plain("a", 1, &["apples"]), plain("b", 2, &["bread"]), plain("c", 3, &["cheese", "chives"])];
        write(dir.path(), sources)?;
        add(dir.path(), [plain("e", 5, &["eggs"])])?;
        Self::new(dir, 2)
    }

    fn copy(&self) -> tempfile::TempDir {
        let dir = folder();
        copy(self.template.path(), dir.path()).expect("copies");
        dir
    }

    /// The index is the old or the new one, whole; the next run finishes. Returns whether it was the new one.
    fn recovers(&self, root: &Path) -> Result<bool, IndexError> {
        let index = open(root)?;
        assert!(index.check().is_ok());
        let new = index.generation() > self.generation;
        assert_eq!(index.generation(), self.generation + u64::from(new));
        assert_eq!(&ids(&index), if new { &self.new } else { &self.old });
        let b = index.read_chunk(&"b__body__000".into())?.map(|c| c.text.clone());
        assert_eq!(b.as_deref() == Some("bagels"), new);
        drop(index);
        let number = update(root, None)?;
        let index = open(root)?;
        assert_eq!((index.generation(), &ids(&index)), (number, &self.new));
        assert!(index.check().is_ok());
        let mut kept = [number - 1, number].map(|n| n.to_string());
        kept.sort();
        assert_eq!(generations(root), kept, "nothing is left of the stopped run");
        // Each segment that is there is one of the two generations'.
        let mut needed: Vec<String> = Vec::new();
        for generation in kept {
            let path = root.join(format!("generations/{generation}/manifest.json"));
            let manifest: serde_json::Value =
                serde_json::from_slice(&std::fs::read(path).expect("reads")).expect("JSON");
            let all = manifest["segments"].as_array().expect("a list");
            needed.extend(all.iter().map(|s| s["segment"].to_string()));
        }
        needed.sort();
        needed.dedup();
        assert_eq!(segments(root), needed);
        Ok(new)
    }
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

/// Stops the update before each step; gives the names of the steps.
fn stopped_anywhere(scenario: &Scenario) -> Result<Vec<&'static str>, IndexError> {
    let mut outcomes = Vec::new();
    let mut names = Vec::new();
    for at in 0.. {
        let dir = scenario.copy();
        match update(dir.path(), Some(hook(at, || Err(std::io::Error::other("stopped"))))) {
            Err(IndexError::Stopped { step, .. }) => {
                names.push(step);
                outcomes.push(scenario.recovers(dir.path())?);
            }
            Err(other) => return Err(other),
            Ok(_) => {
                let index = open(dir.path())?;
                assert_eq!(index.manifest().segments.len(), scenario.segments);
                break;
            }
        }
    }
    println!("stopped before {} steps: {outcomes:?}", outcomes.len());
    // Old, old, …, new: one step makes the difference.
    assert!(outcomes.is_sorted() && outcomes.contains(&true) && outcomes.contains(&false));
    Ok(names)
}

#[test]
fn stopped_before_any_step_the_index_is_old_or_new() -> Result<(), Failed> {
    let names = stopped_anywhere(&Scenario::simple()?)?;
    assert!(names.len() >= 25, "{names:?}");
    for step in [
        "naming the segment",
        "building the graph",
        "naming the generation",
        "replacing the pointer",
        "renaming a folder to remove",
    ] {
        assert!(names.contains(&step), "{step}: {names:?}");
    }
    Ok(())
}

#[test]
fn stopped_while_it_merges_the_index_is_old_or_new() -> Result<(), Failed> {
    let names = stopped_anywhere(&Scenario::crowded()?)?;
    let chunks = names.iter().filter(|name| **name == "writing a chunk").count();
    assert!(chunks > 4, "chunks were copied: {names:?}");
    let names = stopped_anywhere(&Scenario::mostly_dead()?)?;
    assert_eq!(names.iter().filter(|name| **name == "writing a chunk").count(), 5, "{names:?}");
    Ok(())
}

#[test]
fn stopped_at_the_first_generation_the_next_run_builds_it() -> Result<(), Failed> {
    for at in 0.. {
        let dir = folder();
        match update(dir.path(), Some(hook(at, || Err(std::io::Error::other("stopped"))))) {
            Err(IndexError::Stopped { .. }) => {}
            done => {
                done?;
                assert!(at > 10, "{at} steps");
                break;
            }
        }
        match open(dir.path()) {
            // Before the pointer; a generation that has its name already is told from none.
            Err(IndexError::Missing { .. } | IndexError::Damaged { .. }) => {}
            index => assert!(index?.check().is_ok(), "step {at}"),
        }
        let number = update(dir.path(), None)?;
        let index = open(dir.path())?;
        assert!(index.check().is_ok() && ids(&index).len() == 4, "step {at}");
        let kept = generations(dir.path());
        assert!(kept.contains(&number.to_string()) && kept.len() <= 2, "{number}: {kept:?}");
    }
    Ok(())
}
