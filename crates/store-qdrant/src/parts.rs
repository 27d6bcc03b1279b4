//! A library that several machines load, each a part of it, into one generation. Whoever stores the last part publishes it.

use crate::{
    QdrantError,
    collections::Collections,
    error::Result,
    lease::{Lease, Right},
    meta::{KEPT, PART, record_id, take_back},
    wire::{between, equals, is, json, json_of, number, number_of, payload, record},
    writer::{Writer, revive},
};
use qdrant_client::qdrant::{Condition, Filter};
use std::collections::BTreeSet;
use types::{Part, SourceId};

/// Ids in one record.
const IDS: usize = 10_000;

/// The parts of an unfinished generation that are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    /// How many there are to be; 0 if nothing is loaded in parts.
    pub(crate) of: u32,
    /// Which are stored.
    stored: BTreeSet<u32>,
    /// The sources that they added.
    pub(crate) added: u64,
}

impl Parts {
    /// The parts of generation `next`.
    pub(crate) async fn of(collections: &Collections, next: u64) -> Result<Self> {
        let mut parts = Self::default();
        let filter = of_kind(PART, [equals("generation", next)]);
        for point in collections.meta.all(filter, &["part", "of", "added"], false).await? {
            parts.of = number_of(&point.payload, "of")? as u32;
            parts.added += number_of(&point.payload, "added")?;
            parts.stored.insert(number_of(&point.payload, "part")? as u32);
        }
        Ok(parts)
    }

    pub(crate) fn missing(&self) -> Vec<u32> {
        (1..=self.of).filter(|part| !self.stored.contains(part)).collect()
    }
}

impl Writer {
    /// Forgets what an earlier run of this part noted: it is not stored until this run ends.
    ///
    /// # Errors
    /// When the generation is loaded in another number of parts.
    pub(crate) async fn begin_part(&self, part: Part, next: u64) -> Result<()> {
        match Parts::of(&self.collections, next).await?.of {
            of if of != 0 && of != part.of => Err(QdrantError::Parts { asked: part.to_string(), of }),
            _ => self.forget_parts([equals("generation", next), equals("part", part.number)]).await,
        }
    }

    /// Notes that a part is stored. If it was the last one, takes the right to publish, and returns the sources that all parts
    /// together keep; not if another writer makes them an index.
    pub(crate) async fn store_part(
        &mut self,
        part: Part,
        next: u64,
        kept: &BTreeSet<SourceId>,
        added: usize,
    ) -> Result<Option<BTreeSet<SourceId>>> {
        let (meta, sources) = (self.collections.meta.clone(), self.collections.sources.clone());
        let own = [("generation", number(next)), ("part", number(part.number))];
        let kept: Vec<&SourceId> = kept.iter().collect();
        for (at, ids) in kept.chunks(IDS).enumerate() {
            let mut fields = payload([("kind", KEPT.into()), ("ids", json(&ids))]);
            fields.extend(payload(own.clone()));
            let id = record_id(&format!("kept {next} {} {at}", part.number));
            meta.upsert(vec![record(id, fields)]).await?;
        }
        let mut fields = payload([("kind", PART.into()), ("of", number(part.of)), ("added", number(added))]);
        fields.extend(payload(own));
        meta.upsert(vec![record(record_id(&format!("part {next} {}", part.number)), fields)]).await?;
        // Whoever publishes waits for nobody who still writes.
        self.lease = None;
        let missing = Parts::of(&self.collections, next).await?.missing();
        if !missing.is_empty() {
            let names: Vec<String> = missing.iter().map(|number| format!("{number}/{}", part.of)).collect();
            let (what, verb) = if missing.len() == 1 { ("part", "is") } else { ("parts", "are") };
            self.note = Some(format!("part {part} is stored; {what} {} {verb} missing", names.join(", ")));
            return Ok(None);
        }
        match Lease::take(&self.collections, Right::Publish).await {
            Err(QdrantError::Locked { owner, .. }) => {
                let by = format!("{owner} still writes, and makes the parts an index");
                self.note = Some(format!("part {part} is stored; {by}"));
                return Ok(None);
            }
            lease => self.lease = Some(lease?),
        }
        self.refresh().await?;
        // Meanwhile another writer published, or runs a part again.
        let parts = Parts::of(&self.collections, next).await?;
        if self.number() >= next || !parts.missing().is_empty() {
            self.lease = None;
            self.note =
                (self.number() < next).then(|| format!("part {part} is stored; another part is run again"));
            return Ok(None);
        }
        revive(&self.collections, self.number()).await?;
        take_back(&meta, self.number()).await?;
        // What an unfinished run without parts left, or one in more of them.
        let others = [equals("part", 0), between("part", Some(f64::from(parts.of) + 1.0), None)];
        let born = || equals("born", next);
        sources.delete(Filter::must([born(), Filter::should(others).into()])).await?;
        let stored = sources.count(Filter::must([born()])).await?;
        if stored as u64 != parts.added {
            let reason = format!("{stored} of {} papers of its parts are stored", parts.added);
            return Err(QdrantError::damaged(format!("generation {next}"), reason));
        }
        let mut kept = BTreeSet::new();
        let ids = of_kind(KEPT, [equals("generation", next)]);
        for point in meta.all(ids, &["ids"], false).await? {
            kept.extend(json_of::<Vec<SourceId>>(&point.payload, "ids")?);
        }
        Ok(Some(kept))
    }

    /// Removes what is noted of parts that meet these conditions.
    pub(crate) async fn forget_parts<const N: usize>(&self, which: [Condition; N]) -> Result<()> {
        // A part whose sources are not known must not count as stored.
        for kind in [PART, KEPT] {
            self.collections.meta.delete(of_kind(kind, which.clone())).await?;
        }
        Ok(())
    }
}

/// The records of a kind.
fn of_kind(kind: &str, more: impl IntoIterator<Item = Condition>) -> Filter {
    Filter::must([is("kind", kind)].into_iter().chain(more))
}
