//! Who writes: a record with the name of the writer and a number that grows while it lives. A writer whose number stands still
//! is dead. Clocks of machines are not compared.

use crate::{
    QdrantError,
    client::block_on,
    collections::Collections,
    error::Result,
    meta::record_id,
    wire::{equals, is, number, number_of, number_of_id, payload, record, text_of},
};
use qdrant_client::qdrant::{Condition, Filter, PointStruct};
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tokio::{task::JoinHandle, time};

/// How often a writer shows that it lives.
const BEAT: Duration = Duration::from_secs(3);
/// How many seconds a record may stand still before its writer counts as dead.
const DEAD: u64 = 12;

/// The right to write. Dropping it gives it back.
pub(crate) struct Lease {
    collections: Collections,
    owner: String,
    beat: JoinHandle<()>,
    lost: Arc<AtomicBool>,
}

/// What a lease is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Right {
    /// To write the index, alone.
    All,
    /// To write one of several parts, beside the writers of the others.
    Part(u32),
    /// To make the parts a generation.
    Publish,
}

impl Right {
    fn name(self) -> String {
        match self {
            Self::All => "all".to_owned(),
            Self::Part(number) => format!("part {number}"),
            Self::Publish => "publish".to_owned(),
        }
    }

    /// Whether a lease of this name stands against it: what is published must not change meanwhile.
    fn excludes(self, name: &str) -> bool {
        !matches!(self, Self::Part(_)) || name == self.name() || !name.starts_with("part ")
    }

    fn id(self) -> u64 {
        record_id(&format!("lease {}", self.name()))
    }

    fn point(self, owner: &str, beat: u64) -> PointStruct {
        let fields = [
            ("kind", "lease".into()),
            ("right", self.name().into()),
            ("owner", owner.into()),
            ("beat", number(beat)),
        ];
        record(self.id(), payload(fields))
    }
}

impl Lease {
    /// Takes a lease, which may take as long as it takes to see that an earlier writer is dead.
    ///
    /// # Errors
    /// [`QdrantError::Locked`] when another writer lives.
    pub(crate) async fn take(collections: &Collections, right: Right) -> Result<Self> {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let (process, since) = (std::process::id(), SystemTime::now().duration_since(UNIX_EPOCH));
        let owner =
            format!("process {process} on {} ({})", host.trim(), since.unwrap_or_default().as_micros());
        let busy = |owner| QdrantError::Locked { collection: collections.settings.collection.clone(), owner };
        if let Some(owner) = wait_for_the_dead(collections, right).await? {
            return Err(busy(owner));
        }
        // An insert changes nothing where another writer was first. Rights that exclude each other have records of their own: each
        // writer looks after it has written.
        collections.meta.insert(vec![right.point(&owner, 0)]).await?;
        let lost = Arc::new(AtomicBool::new(false));
        let beat = beat(collections.clone(), right, owner.clone(), Arc::clone(&lost));
        let lease = Self { collections: collections.clone(), beat, lost, owner };
        let owners: Vec<String> =
            leases(collections, right).await?.into_values().map(|lease| lease.0).collect();
        if owners == [lease.owner.as_str()] {
            return Ok(lease);
        }
        let other = owners.into_iter().find(|owner| *owner != lease.owner);
        Err(busy(other.unwrap_or_else(|| "another process".to_owned())))
    }

    /// # Errors
    /// When another writer took it, because this one did not answer.
    pub(crate) fn check(&self) -> Result<()> {
        if self.lost.load(Ordering::Relaxed) {
            return Err(QdrantError::Lost { collection: self.collections.settings.collection.clone() });
        }
        Ok(())
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.beat.abort();
        // The next writer may be opened at once. If this fails, it waits until the record counts as dead.
        let _ = block_on(self.collections.meta.delete(lease_of(&self.owner, [])));
    }
}

/// The record of a lease that this writer has.
fn lease_of(owner: &str, more: impl IntoIterator<Item = Condition>) -> Filter {
    Filter::must([is("kind", "lease"), is("owner", owner)].into_iter().chain(more))
}

/// Leases by the id of their record: the owner, and how often it showed that it lives.
type Leases = BTreeMap<u64, (String, u64)>;

/// The leases that stand against a right.
async fn leases(collections: &Collections, right: Right) -> Result<Leases> {
    let mut found = Leases::new();
    let fields = ["owner", "beat", "right"];
    for point in collections.meta.all(Filter::must([is("kind", "lease")]), &fields, false).await? {
        if let Some(id) = number_of_id(&point)
            && right.excludes(text_of(&point.payload, "right")?)
        {
            let owner = text_of(&point.payload, "owner")?.to_owned();
            found.insert(id, (owner, number_of(&point.payload, "beat")?));
        }
    }
    Ok(found)
}

/// Waits until no living writer stands against a right, and removes the records of dead ones. Returns the writer that lives.
async fn wait_for_the_dead(collections: &Collections, right: Right) -> Result<Option<String>> {
    let before = leases(collections, right).await?;
    let mut now = before.clone();
    for _ in 0..DEAD {
        if now.is_empty() {
            return Ok(None);
        }
        // Slept on the runtime, whatever executor waits for it.
        let _ = collections.client.runtime.spawn(time::sleep(Duration::from_secs(1))).await;
        now = leases(collections, right).await?;
        if let Some((_, (owner, _))) = now.iter().find(|(id, lease)| before.get(id) != Some(lease)) {
            return Ok(Some(owner.clone()));
        }
    }
    for (owner, beat) in now.values() {
        collections.meta.delete(lease_of(owner, [equals("beat", *beat)])).await?;
    }
    Ok(None)
}

/// Shows again and again that the writer lives. A server that does not answer for a while takes nothing from it, unless another
/// writer does.
fn beat(collections: Collections, right: Right, owner: String, lost: Arc<AtomicBool>) -> JoinHandle<()> {
    let runtime = collections.client.runtime.clone();
    runtime.spawn(async move {
        for beat in 1.. {
            time::sleep(BEAT).await;
            let own = Filter::must([is("owner", &owner)]);
            // Whether it failed shows below.
            let _ = collections.meta.replace_if(right.point(&owner, beat), own).await;
            if let Ok(found) = collections.meta.get(vec![right.id().into()]).await
                && found
                    .first()
                    .is_none_or(|found| text_of(&found.payload, "owner").ok() != Some(owner.as_str()))
            {
                lost.store(true, Ordering::Relaxed);
                return;
            }
        }
    })
}
