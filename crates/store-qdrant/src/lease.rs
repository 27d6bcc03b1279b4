//! Who writes: a record with the name of the writer and a number that grows while it lives. A writer whose number stands still
//! is dead. Clocks of machines are not compared.

use crate::{
    QdrantError,
    client::block_on,
    collections::Collections,
    error::Result,
    meta::{record_id, record_point},
    wire::{equals, is, number, number_id, number_of, text, text_of},
};
use qdrant_client::qdrant::{Filter, PointStruct};
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{task::JoinHandle, time};

/// How often a writer shows that it lives.
const BEAT: Duration = Duration::from_secs(3);
/// How long a record may stand still before its writer counts as dead.
const DEAD: Duration = Duration::from_secs(12);
/// How often the records of others are looked at meanwhile.
const LOOK: Duration = Duration::from_secs(1);

/// The right to write. Dropping it gives it back.
pub(crate) struct Lease {
    collections: Collections,
    id: u64,
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

    /// Whether a lease of this name stands against it.
    fn excludes(self, name: &str) -> bool {
        match self {
            // What is published must not change meanwhile.
            Self::All | Self::Publish => true,
            Self::Part(_) => {
                name == self.name() || [Self::All, Self::Publish].iter().any(|other| name == other.name())
            }
        }
    }
}

impl Lease {
    /// Takes a lease, which may take as long as it takes to see that an earlier writer is dead.
    ///
    /// # Errors
    /// [`QdrantError::Locked`] when another writer lives.
    pub(crate) async fn take(collections: &Collections, right: Right) -> Result<Self> {
        let id = record_id(&format!("lease {}", right.name()));
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let unique = uuid::Uuid::new_v5(
            &uuid::Uuid::NAMESPACE_OID,
            format!("{:?} {}", std::time::SystemTime::now(), std::process::id()).as_bytes(),
        );
        let owner =
            format!("process {} on {} ({})", std::process::id(), host.trim(), &unique.to_string()[..8]);
        wait_for_the_dead(collections, right).await?;
        // Whoever replaces what it saw has it: the server takes one write after the other.
        collections.meta.insert(vec![point(id, right, &owner, 0)]).await?;
        if holder(collections, id).await?.as_deref() != Some(&owner) {
            return Err(busy(collections, holder(collections, id).await?.unwrap_or_default()));
        }
        // Rights that exclude each other have records of their own: each looks after it has written.
        let others = others(collections, right).await?.into_iter().find(|(other, _)| *other != id);
        let lost = Arc::new(AtomicBool::new(false));
        let beat = beat(collections.clone(), (id, right, owner.clone()), Arc::clone(&lost));
        let lease = Self { collections: collections.clone(), id, beat, lost, owner };
        match others {
            Some((_, (owner, _))) => Err(busy(collections, owner)),
            None => Ok(lease),
        }
    }

    /// # Errors
    /// When another writer took it, because this one did not answer.
    pub(crate) fn check(&self) -> Result<()> {
        if self.lost.load(Ordering::Relaxed) {
            return Err(QdrantError::Lost { collection: self.collections.settings.collection.clone() });
        }
        Ok(())
    }

    /// Gives it back.
    async fn release(collections: Collections, id: u64, owner: String) {
        let own = Filter::must([is("owner", &owner), is("kind", "lease")]);
        // The owner of a record is not indexed: there are few leases.
        if let Ok(found) = collections.meta.all(own, &[], &[]).await
            && found.iter().any(|point| crate::wire::number_of_id(point) == Some(id))
        {
            // If it fails, the next writer waits until the record counts as dead.
            let _ = collections.meta.delete(vec![number_id(id)]).await;
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.beat.abort();
        if !self.lost.load(Ordering::Relaxed) {
            let released = Self::release(self.collections.clone(), self.id, self.owner.clone());
            // The next writer may be opened at once.
            block_on(released);
        }
    }
}

fn point(id: u64, right: Right, owner: &str, beat: u64) -> PointStruct {
    record_point(
        id,
        [
            ("kind", text("lease")),
            ("right", text(right.name())),
            ("owner", text(owner)),
            ("beat", number(beat)),
        ],
    )
}

fn busy(collections: &Collections, owner: String) -> QdrantError {
    QdrantError::Locked { collection: collections.settings.collection.clone(), owner }
}

async fn holder(collections: &Collections, id: u64) -> Result<Option<String>> {
    let found = collections.meta.get(vec![number_id(id)]).await?.pop();
    found.map(|point| text_of(&point.payload, "owner").map(str::to_owned)).transpose()
}

/// Leases by the id of their record: the owner, and how often it showed that it lives.
type Leases = BTreeMap<u64, (String, i64)>;

/// The leases that stand against a right.
async fn others(collections: &Collections, right: Right) -> Result<Leases> {
    let leases = Filter::must([is("kind", "lease")]);
    let mut found = Leases::new();
    for point in collections.meta.all(leases, &["owner", "beat", "right"], &[]).await? {
        if let Some(id) = crate::wire::number_of_id(&point)
            && right.excludes(text_of(&point.payload, "right")?)
        {
            let owner = text_of(&point.payload, "owner")?.to_owned();
            found.insert(id, (owner, number_of(&point.payload, "beat")?));
        }
    }
    Ok(found)
}

/// Waits until no living writer stands against a right, and removes the records of dead ones.
async fn wait_for_the_dead(collections: &Collections, right: Right) -> Result<()> {
    let before = others(collections, right).await?;
    if before.is_empty() {
        return Ok(());
    }
    let mut waited = Duration::ZERO;
    while waited < DEAD {
        pause(collections, LOOK).await;
        waited += LOOK;
        let now = others(collections, right).await?;
        if now.is_empty() {
            return Ok(());
        }
        // Living, or a new one.
        if let Some((_, (owner, _))) = now.into_iter().find(|(id, lease)| before.get(id) != Some(lease)) {
            return Err(busy(collections, owner));
        }
    }
    for (id, (owner, beat)) in before {
        let same = [is("kind", "lease"), is("owner", &owner), equals("beat", beat)];
        let same = Filter::must(
            same.into_iter()
                .chain([qdrant_client::qdrant::HasIdCondition { has_id: vec![number_id(id)] }.into()]),
        );
        collections.meta.delete(same).await?;
    }
    Ok(())
}

/// Waits, on whatever executor it is awaited.
async fn pause(collections: &Collections, duration: Duration) {
    let _ = collections.client.runtime().spawn(time::sleep(duration)).await;
}

/// Shows again and again that the writer lives. A server that does not answer for a while takes nothing from it, unless another
/// writer does.
fn beat(
    collections: Collections,
    (id, right, owner): (u64, Right, String),
    lost: Arc<AtomicBool>,
) -> JoinHandle<()> {
    let runtime = collections.client.runtime().clone();
    runtime.spawn(async move {
        for beat in 1.. {
            time::sleep(BEAT).await;
            let own = Filter::must([is("owner", &owner)]);
            let written = collections.meta.replace_if(point(id, right, &owner, beat), own).await;
            if written.is_ok()
                && let Ok(now) = holder(&collections, id).await
                && now.as_deref() != Some(owner.as_str())
            {
                lost.store(true, Ordering::Relaxed);
                return;
            }
        }
    })
}
