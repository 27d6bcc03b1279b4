//! A library that several machines load, each a part of it, into one generation. Whoever stores the last part publishes it.

use crate::{
    QdrantError,
    collections::Collections,
    error::Result,
    lease::{Lease, Right},
    meta::{KEPT, PART, record_id, take_back},
    wire::{equals, is, json, json_of, number, number_of, payload, record},
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
    /// # Errors
    /// When the generation is loaded in another number of parts.
    pub(crate) async fn check_parts(&self, part: Part, next: u64) -> Result<()> {
        match Parts::of(&self.collections, next).await?.of {
            of if of != 0 && of != part.of => Err(QdrantError::Parts { asked: part.to_string(), of }),
            _ => Ok(()),
        }
    }

    /// Notes that a part is stored. If it was the last one, returns the sources that all parts together keep, and the right to
    /// publish them; not if another writer makes them an index.
    pub(crate) async fn store_part(
        &mut self,
        part: Part,
        next: u64,
        kept: &BTreeSet<SourceId>,
        added: usize,
    ) -> Result<Option<(BTreeSet<SourceId>, Lease)>> {
        let meta = &self.collections.meta;
        let own = [("generation", number(next)), ("part", number(part.number))];
        // Those of an earlier run of this part.
        meta.delete(of_kind(KEPT, [equals("generation", next), equals("part", part.number)])).await?;
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
        let lease = match Lease::take(&self.collections, Right::Publish).await {
            Err(QdrantError::Locked { owner, .. }) => {
                let by = format!("{owner} still writes, and makes the parts an index");
                self.note = Some(format!("part {part} is stored; {by}"));
                return Ok(None);
            }
            lease => lease?,
        };
        self.refresh().await?;
        if self.number() >= next {
            return Ok(None);
        }
        revive(&self.collections, self.number()).await?;
        take_back(&self.collections.meta, self.number()).await?;
        let mut kept = BTreeSet::new();
        let ids = of_kind(KEPT, [equals("generation", next)]);
        for point in self.collections.meta.all(ids, &["ids"], false).await? {
            kept.extend(json_of::<Vec<SourceId>>(&point.payload, "ids")?);
        }
        Ok(Some((kept, lease)))
    }

    /// Removes what is noted of parts.
    pub(crate) async fn forget_parts(&self) -> Result<()> {
        for kind in [KEPT, PART] {
            self.collections.meta.delete(of_kind(kind, [])).await?;
        }
        Ok(())
    }
}

/// The records of a kind.
fn of_kind(kind: &str, more: impl IntoIterator<Item = Condition>) -> Filter {
    Filter::must([is("kind", kind)].into_iter().chain(more))
}
