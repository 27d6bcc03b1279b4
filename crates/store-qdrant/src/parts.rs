//! A library that several machines load, each a part of it, into one generation. Whoever stores the last part publishes it.

use crate::{
    QdrantError,
    collections::Collections,
    error::Result,
    lease::{Lease, Right},
    meta::{CHANGES, Changes, Item, PART, change, record_id, record_point, take_back},
    wire::{equals, is, is_any, json, json_of, live, number, number_of, payload, text, text_of},
    writer::{Writer, revive},
};
use qdrant_client::qdrant::{Condition, Filter};
use std::collections::{BTreeMap, BTreeSet};
use types::{Part, SourceId};

/// Changed counts in one record.
const RECORD: usize = 4_000;
/// Sources in one filter.
const IDS: usize = 200;

/// What all parts together change, once the last one is stored.
pub(crate) struct AllParts {
    /// What they keep.
    pub(crate) kept: BTreeSet<SourceId>,
    /// How the counts of words change by them.
    pub(crate) changes: Changes,
    /// The right to publish them.
    pub(crate) lease: Lease,
}

/// The parts of an unfinished generation that are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    /// How many there are to be; 0 if nothing is loaded in parts.
    pub(crate) of: u32,
    /// Which are stored.
    stored: BTreeSet<u32>,
    /// The sources that they added.
    pub(crate) added: usize,
}

impl Parts {
    /// The parts of generation `next`.
    pub(crate) async fn of(collections: &Collections, next: u64) -> Result<Self> {
        let mut parts = Self::default();
        let filter = of_kind(PART, [equals("generation", next)]);
        for point in collections.meta.all(filter, &["part", "of", "added"], &[]).await? {
            parts.of = number_of(&point.payload, "of")? as u32;
            parts.added += usize::try_from(number_of(&point.payload, "added")?).unwrap_or_default();
            parts.stored.insert(number_of(&point.payload, "part")? as u32);
        }
        Ok(parts)
    }

    pub(crate) fn missing(&self) -> Vec<u32> {
        (1..=self.of).filter(|part| !self.stored.contains(part)).collect()
    }
}

impl Writer {
    /// # Errors
    /// When the generation is loaded in another number of parts.
    pub(crate) async fn check_parts(&self, part: Part, next: u64) -> Result<()> {
        let parts = Parts::of(&self.collections, next).await?;
        if parts.of != 0 && parts.of != part.of {
            return Err(QdrantError::Parts { asked: part.to_string(), of: parts.of });
        }
        Ok(())
    }

    /// Notes that a part is stored. If it was the last one, returns what all parts together change; not if another writer makes them
    /// an index.
    pub(crate) async fn store_part(
        &mut self,
        part: Part,
        next: u64,
        kept: &BTreeSet<SourceId>,
        added: usize,
        changes: Changes,
    ) -> Result<Option<AllParts>> {
        let collections = self.collections.clone();
        keep_in_part(&collections, next, kept).await?;
        let own = || [equals("generation", next), equals("part", part.number)];
        // Those of an earlier run of this part.
        collections.meta.delete(of_kind(CHANGES, own())).await?;
        let changes: Vec<(String, [i64; 3])> =
            changes.into_iter().map(|(item, by)| (item.name(), by)).collect();
        for (at, changes) in changes.chunks(RECORD).enumerate() {
            let id = record_id(&format!("changes {next} {} {at}", part.number));
            let fields = [
                ("kind", text(CHANGES)),
                ("generation", number(next)),
                ("part", number(part.number)),
                ("changes", json(&changes)),
            ];
            collections.meta.upsert(vec![record_point(id, fields)]).await?;
        }
        let fields = [
            ("kind", text(PART)),
            ("generation", number(next)),
            ("part", number(part.number)),
            ("of", number(part.of)),
            ("added", number(added)),
        ];
        let id = record_id(&format!("part {next} {}", part.number));
        collections.meta.upsert(vec![record_point(id, fields)]).await?;
        // Whoever publishes waits for nobody who still writes.
        self.lease = None;
        let missing = Parts::of(&collections, next).await?.missing();
        if !missing.is_empty() {
            self.note = Some(format!("part {part} is stored; {}", missing_text(&missing, part.of)));
            return Ok(None);
        }
        let lease = match Lease::take(&collections, Right::Publish).await {
            Ok(lease) => lease,
            Err(QdrantError::Locked { owner, .. }) => {
                self.note = Some(format!(
                    "part {part} is stored; {owner} still writes, and makes the parts an index"
                ));
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        self.refresh().await?;
        if self.number() >= next {
            return Ok(None);
        }
        revive(&collections, self.number()).await?;
        take_back(&collections.meta, self.number()).await?;
        let (kept, changes) =
            (kept_by_parts(&collections, next).await?, changes_of_parts(&collections, next).await?);
        Ok(Some(AllParts { kept, changes, lease }))
    }

    /// Removes what is noted of parts.
    pub(crate) async fn forget_parts(&self) -> Result<()> {
        for kind in [CHANGES, PART] {
            self.collections.meta.delete(of_kind(kind, [])).await?;
        }
        Ok(())
    }
}

/// Which parts are missing, as text for people.
fn missing_text(missing: &[u32], of: u32) -> String {
    let names: Vec<String> = missing.iter().map(|part| format!("{part}/{of}")).collect();
    let (what, verb) = if missing.len() == 1 { ("part", "is") } else { ("parts", "are") };
    format!("{what} {} {verb} missing", names.join(", "))
}

async fn changes_of_parts(collections: &Collections, next: u64) -> Result<Changes> {
    let mut changes: Changes = BTreeMap::new();
    let add = |page: Vec<qdrant_client::qdrant::RetrievedPoint>| {
        for point in page {
            let read: Vec<(String, [i64; 3])> = json_of(&point.payload, "changes")?;
            for (name, by) in read {
                let item =
                    Item::named(&name).ok_or_else(|| QdrantError::damaged("a part", format!("{name:?}")))?;
                change(&mut changes, item, by);
            }
        }
        Ok(true)
    };
    let filter: Filter = of_kind(CHANGES, [equals("generation", next)]);
    collections.meta.scroll(filter, &["changes"], &[], add).await?;
    Ok(changes)
}

/// The ids of the sources that parts keep.
async fn kept_by_parts(collections: &Collections, next: u64) -> Result<BTreeSet<SourceId>> {
    let mut kept = BTreeSet::new();
    let filter = live(next - 1, [equals("kept", next)]);
    for point in collections.sources.all(filter, &["source"], &[]).await? {
        kept.insert(text_of(&point.payload, "source")?.into());
    }
    Ok(kept)
}

/// Notes that a part keeps sources.
async fn keep_in_part(collections: &Collections, next: u64, kept: &BTreeSet<SourceId>) -> Result<()> {
    let kept: Vec<&SourceId> = kept.iter().collect();
    for ids in kept.chunks(IDS) {
        let ids = is_any("source", ids.iter().map(|id| id.as_str()));
        collections.sources.set(live(next - 1, [ids]), payload([("kept", number(next))])).await?;
    }
    Ok(())
}

/// The records of a kind.
fn of_kind(kind: &str, more: impl IntoIterator<Item = Condition>) -> Filter {
    Filter::must([is("kind", kind)].into_iter().chain(more))
}
