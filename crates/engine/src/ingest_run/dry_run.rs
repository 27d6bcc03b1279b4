//! What a run would do, said without doing any of it: nothing is written, no lock is taken, no model is loaded.

use super::{
    IngestRequest, OtherFiles,
    bibliographies::Library,
    failed::FailedList,
    keys::{Difference, SourceKey},
    making::{Making, State, Work},
    plan::{self, Known, Learned, LeftOut, known, roots},
    readings::Readings,
    summary::other_files,
};
use crate::{error::EngineError, natives::Natives, settings::Settings, stages};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use types::{Reporter, SourceId, path_text};

/// What would become of a file, a record, or a source of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It would be indexed for the first time.
    Add,
    /// It would be made anew.
    Change,
    /// Its file lies elsewhere now; it keeps its name.
    Move,
    /// It would cost nothing.
    Keep,
    /// Its file is gone: it would be taken out of the index.
    Remove,
    /// It has the bytes of another file.
    Duplicate,
    /// It is the paper of another file beside it.
    SamePaper,
    /// It has the name of another file beside it, and may be the same paper: that is known once both are read.
    Undecided,
    /// It failed in an earlier run and has not changed since.
    FailedBefore,
    /// It cannot be read.
    Unreadable,
    /// It is no paper.
    Skipped,
}

/// Why a source would be made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The file has other bytes.
    Content,
    /// Sources are made in another way: another version, model, or size of chunks.
    Settings,
    /// A manifest says something else of it.
    Metadata,
}

/// One line of a dry run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// What would be done.
    pub action: Action,
    /// The file; of a record, its corpus, `#`, and its id.
    pub path: String,
    /// The id that it has or would get.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_id: Option<SourceId>,
    /// Why it would be made anew.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<Change>,
    /// In words for people, where there is more to say: the other file, the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What a run would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DryRun {
    /// Always true: tells this document from the summary of a run.
    pub dry_run: bool,
    /// How many entries each action has; actions without one are left out.
    pub counts: BTreeMap<Action, usize>,
    /// One for each file, record, and source that goes, in the order of actions, then of paths.
    pub entries: Vec<Entry>,
    /// Files and other entries that would be passed over, by kind.
    pub other_files: Vec<OtherFiles>,
    /// What manifests could not say, and what could not be compared.
    pub warnings: Vec<String>,
}

impl DryRun {
    /// Whether the run is bound to leave out a file that was found.
    pub fn has_failures(&self) -> bool {
        [Action::FailedBefore, Action::Unreadable]
            .iter()
            .any(|action| self.counts.contains_key(action))
    }
}

/// Says what [`super::ingest`] would do now. PDFs are not opened, so whether they can be read is not known.
///
/// # Errors
/// When a path does not exist, nothing is found, the index is damaged, or the run is stopped.
pub fn dry_run(
    settings: &Settings,
    request: &IngestRequest,
    reporter: &dyn Reporter,
) -> Result<DryRun, EngineError> {
    let dir = &settings.index.dir;
    let (manifest, note) = retrieve::manifest(dir)?;
    let known = known(manifest.as_ref());
    let roots = roots(&request.paths, &known)?;
    let mut warnings: Vec<String> = note.into_iter().collect();
    let indexed = manifest.map(|manifest| manifest.embedder_id);
    let embedder_id = match (stages::embedder_id(settings, &Natives::find(settings)), &indexed) {
        (Ok(id), _) => id,
        (Err(error), indexed) => {
            warnings.push(format!("the embedding model is taken to be the index's: {error}"));
            indexed.clone().unwrap_or_default()
        }
    };
    let can_keep = indexed.as_ref() == Some(&embedder_id);
    let ocr = stages::ocr(settings).unwrap_or_else(|lack| {
        warnings.push(format!("{lack}; pages that are only images stay unread"));
        None
    });
    let making = Making::new(
        settings,
        &embedder_id,
        !request.passwords.is_empty(),
        ocr.as_ref(),
    );
    let failed = FailedList::load(dir, making.reader_keys(), request.retry_failed);
    let survey = super::survey(settings, request, reporter, (&roots, &known))?;
    let readings = Readings::load(dir, making.reading());
    let learned = Learned {
        failed: &failed,
        now: &BTreeMap::new(),
        readings: &readings,
        guess: true,
    };
    let mut plan = super::plan(settings, request, survey, (&roots, &known), &learned)?;

    let mut library = Library::default();
    library.tell(&mut plan.papers, &readings);
    let state = State {
        can_keep,
        ..State::default()
    };
    let work = making.work(&plan, &known, &state);
    let held: BTreeMap<&SourceId, &Known> = known.iter().map(|k| (&k.source_id, k)).collect();
    // Sources of other roots are spoken of only where something would be done to them.
    let mut entries: Vec<Entry> = work
        .iter()
        .filter(|work| work.paper.format.is_some() || !work.unchanged)
        .map(|work| of_work(work, held.get(&work.paper.source_id).copied(), can_keep))
        .collect();
    let wanted: BTreeSet<&SourceId> = plan.papers.iter().map(|p| &p.source_id).collect();
    for id in plan.removed.iter().filter(|id| !wanted.contains(id)) {
        let path = held.get(id).map(|k| plan::shown(&k.path, k.record.as_deref()));
        entries.push(Entry {
            source_id: Some(id.clone()),
            ..entry(Action::Remove, path.unwrap_or_default(), None)
        });
    }
    let other = |action, detail: &str, all: &[(String, String)]| -> Vec<Entry> {
        let each = all.iter();
        each.map(|(path, of)| entry(action, path.clone(), Some(format!("{detail} {of}"))))
            .collect()
    };
    entries.extend(other(Action::Duplicate, "the bytes of", &plan.duplicates));
    entries.extend(other(Action::SamePaper, "same paper as", &plan.same_paper));
    entries.extend(other(
        Action::Undecided,
        "decided when it is read: it has the name of",
        &plan.undecided,
    ));
    let left = |action, all: &[LeftOut]| -> Vec<Entry> {
        let each = all.iter();
        each.map(|l| entry(action, path_text::shown(&l.path), Some(l.reason.clone())))
            .collect()
    };
    entries.extend(left(Action::FailedBefore, &plan.failed_before));
    entries.extend(left(Action::Unreadable, &plan.unreadable));
    entries.extend(left(Action::SamePaper, &plan.without_text));
    entries.extend(left(Action::Skipped, &plan.skipped));
    entries.sort_by(|a, b| (a.action, &a.path, &a.detail).cmp(&(b.action, &b.path, &b.detail)));
    let mut counts = BTreeMap::new();
    for entry in &entries {
        *counts.entry(entry.action).or_default() += 1;
    }
    let other_files = other_files(&plan);
    warnings.extend(plan.notes);
    // Of files that were not read it is not known which entry is theirs.
    if plan
        .papers
        .iter()
        .all(|paper| readings.get(&paper.path, &paper.hash).is_some())
    {
        warnings.extend(library.notes(&roots));
    }
    Ok(DryRun {
        dry_run: true,
        counts,
        entries,
        other_files,
        warnings,
    })
}

fn entry(action: Action, path: String, detail: Option<String>) -> Entry {
    Entry {
        action,
        path,
        source_id: None,
        why: Vec::new(),
        detail,
    }
}

fn of_work(work: &Work, held: Option<&Known>, can_keep: bool) -> Entry {
    let paper = &work.paper;
    let done = |action, why, detail| Entry {
        action,
        path: paper.shown(),
        source_id: Some(paper.source_id.clone()),
        why,
        detail,
    };
    let Some(held) = held else {
        return done(Action::Add, Vec::new(), None);
    };
    if work.unchanged {
        return done(Action::Keep, Vec::new(), None);
    }
    // A key that cannot be read was made by another version.
    let keys = SourceKey::read(&held.key).zip(SourceKey::read(&work.key));
    let difference = keys.map_or(
        Difference {
            settings: true,
            ..Difference::default()
        },
        |(old, new)| old.difference(&new),
    );
    let why: Vec<Change> = [
        (difference.content, Change::Content),
        (difference.settings || !can_keep, Change::Settings),
        (difference.metadata, Change::Metadata),
    ]
    .into_iter()
    .filter_map(|(differs, change)| differs.then_some(change))
    .collect();
    let before = plan::shown(&held.path, held.record.as_deref());
    let moved = (before != paper.shown()).then(|| format!("was {before}"));
    if why.is_empty() {
        done(Action::Move, why, moved)
    } else {
        done(Action::Change, why, moved)
    }
}
