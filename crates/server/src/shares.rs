//! What tenants share, so that none takes all of it.

use crate::name::Name;
use std::sync::Mutex;
use std::{collections::HashMap, sync::Arc};
use types::locked;

/// So much of something that tenants take parts of and give back.
pub(crate) struct Shares {
    pub(crate) total: usize,
    /// What each has now.
    taken: Mutex<HashMap<Option<Name>, usize>>,
}

/// A part, which is given back when it is dropped.
pub(crate) struct Share {
    of: Arc<Shares>,
    tenant: Option<Name>,
    amount: usize,
}

impl Shares {
    pub(crate) fn new(total: usize) -> Arc<Self> {
        let taken = Mutex::default();
        Arc::new(Self { total, taken })
    }

    /// A part for a tenant; `None` for whoever shares with nobody. A tenant that has none gets what is free. With more, it leaves a
    /// quarter of what the others have not taken, so that there is something for the next one.
    pub(crate) fn take(self: &Arc<Self>, tenant: Option<&Name>, amount: usize) -> Option<Share> {
        let mut taken = locked(&self.taken);
        let all: usize = taken.values().sum();
        let left = (self.total - all).checked_sub(amount)?;
        let tenant = tenant.cloned();
        let own = taken.get(&tenant).copied().unwrap_or_default();
        if own > 0 && tenant.is_some() && own + amount > 3 * left {
            return None;
        }
        taken.insert(tenant.clone(), own + amount);
        let of = Arc::clone(self);
        Some(Share { of, tenant, amount })
    }

    /// What all have now.
    pub(crate) fn taken(&self) -> usize {
        locked(&self.taken).values().sum()
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = locked(&self.of.taken);
        let left = taken.get(&self.tenant).map_or(0, |own| own - self.amount);
        if left > 0 {
            taken.insert(self.tenant.take(), left);
        } else {
            taken.remove(&self.tenant);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenant_leaves_something_to_the_others() {
        let names = ["a", "b", "c"].map(|name| name.parse().expect("a name"));
        let check = |total: usize, amount: usize, want: [usize; 4]| {
            let shares = Shares::new(total);
            // Who shares with nobody takes all that is left.
            let tenants = names.iter().map(Some).chain([None]);
            let take = |name| std::iter::from_fn(|| shares.take(name, amount)).collect();
            let parts: Vec<Vec<Share>> = tenants.map(take).collect();
            assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), want);
            drop(parts);
            assert_eq!(shares.taken(), 0);
        };
        check(512, 8, [48, 12, 3, 1]);
        check(512, 64, [6, 1, 1, 0]);
        check(4, 1, [3, 1, 0, 0]);
        check(1, 1, [1, 0, 0, 0]);
    }
}
