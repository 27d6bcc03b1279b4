//! Collects what is wrong, a few of a kind and the number of the rest.

use super::Damage;
use std::collections::BTreeMap;

/// How many findings of one file are described; the others are counted.
const WORDED: usize = 5;

/// Findings by file.
#[derive(Default)]
pub(super) struct Findings(BTreeMap<&'static str, (Vec<String>, usize)>);

impl Findings {
    /// Reports `reason`, unless what was checked holds.
    pub(super) fn check(&mut self, holds: bool, file: &'static str, reason: impl FnOnce() -> String) {
        if holds {
            return;
        }
        let (worded, count) = self.0.entry(file).or_default();
        *count += 1;
        if worded.len() < WORDED {
            worded.push(reason());
        }
    }

    /// Adds what others found.
    pub(super) fn absorb(&mut self, other: Self) {
        for (file, (more, number)) in other.0 {
            let (worded, count) = self.0.entry(file).or_default();
            *count += number;
            let room = WORDED.saturating_sub(worded.len());
            worded.extend(more.into_iter().take(room));
        }
    }

    /// What was found, in the order of files, which are named below `folder`.
    pub(super) fn into_damages(self, folder: &str) -> Vec<Damage> {
        let mut damages = Vec::new();
        for (file, (worded, count)) in self.0 {
            let more = count - worded.len();
            damages.extend(worded.into_iter().map(|reason| Damage {
                file: format!("{folder}/{file}"),
                reason,
            }));
            if more > 0 {
                damages.push(Damage {
                    file: format!("{folder}/{file}"),
                    reason: format!("{more} more of this kind"),
                });
            }
        }
        damages
    }
}
