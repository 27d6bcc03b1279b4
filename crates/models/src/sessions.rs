//! Sessions of one model, each used by one thread at a time.

use crate::{
    ModelsError, Runtime,
    encoder::{Encoder, Source},
};
use std::sync::{
    Condvar, Mutex, PoisonError,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};
use types::locked;

/// What all sessions of a model may take together: each has weights of its own.
const MEMORY: usize = 1 << 30;

/// Memory of one session in sizes of the model's file: 8-bit weights may become 32-bit numbers.
const MEMORY_PER_BYTE: usize = 4;

/// The sessions of a model. The first is loaded at once, the others when there is work for them.
pub(crate) struct Sessions {
    source: Source,
    runtime: Runtime,
    /// Most sessions, and threads of each.
    limit: usize,
    threads: usize,
    idle: Mutex<Idle>,
    returned: Condvar,
}

struct Idle {
    encoders: Vec<Encoder>,
    loaded: usize,
}

impl Sessions {
    /// Loads the first session. `threads` is what all sessions together may use: one thread each, or more where the
    /// model is so large that there are fewer sessions. `size` is that of the model's files, in bytes.
    pub(crate) fn load(
        mut source: Source,
        size: usize,
        runtime: &Runtime,
        threads: usize,
    ) -> Result<Self, ModelsError> {
        let (limit, threads) = share(size, threads);
        let encoder = Encoder::load(&source, runtime, threads)?;
        if limit == 1 {
            // A single session needs the bytes no more.
            source.bytes = None;
        }
        Ok(Self {
            source,
            runtime: runtime.clone(),
            limit,
            threads,
            idle: Mutex::new(Idle { encoders: vec![encoder], loaded: 1 }),
            returned: Condvar::new(),
        })
    }

    /// Does `work` for each of `items`, which are taken up in order by as many threads as there are sessions. The
    /// results are in order. Of several errors, that of the first item counts.
    pub(crate) fn run<I: Sync, T: Send>(
        &self,
        items: &[I],
        work: impl Fn(&mut Encoder, &I) -> Result<T, ModelsError> + Sync,
    ) -> Result<Vec<T>, ModelsError> {
        let next = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        let take = || -> Vec<(usize, Result<T, ModelsError>)> {
            let mut done = Vec::new();
            let mut lent = match self.lend() {
                Ok(lent) => lent,
                Err(error) => {
                    failed.store(true, Ordering::Relaxed);
                    return vec![(0, Err(error))];
                }
            };
            while let Some(encoder) = lent.encoder.as_mut()
                && !failed.load(Ordering::Relaxed)
            {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(at) else { break };
                let result = work(encoder, item);
                if result.is_err() {
                    failed.store(true, Ordering::Relaxed);
                }
                done.push((at, result));
            }
            done
        };
        let mut done = std::thread::scope(|scope| {
            let others = self.limit.min(items.len()).saturating_sub(1);
            let others: Vec<_> = (0..others).map(|_| scope.spawn(take)).collect();
            let mut done = take();
            for other in others {
                match other.join() {
                    Ok(more) => done.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            done
        });
        done.sort_by_key(|(at, _)| *at);
        done.into_iter().map(|(_, result)| result).collect()
    }

    /// A session that is idle, a new one, or the next that is returned.
    fn lend(&self) -> Result<Lent<'_>, ModelsError> {
        let mut idle = locked(&self.idle);
        loop {
            if let Some(encoder) = idle.encoders.pop() {
                return Ok(Lent { sessions: self, encoder: Some(encoder) });
            }
            if idle.loaded < self.limit {
                idle.loaded += 1;
                drop(idle);
                // If loading fails, the run fails; the place is given back for the next one.
                let loaded = Encoder::load(&self.source, &self.runtime, self.threads);
                return match loaded {
                    Ok(encoder) => Ok(Lent { sessions: self, encoder: Some(encoder) }),
                    Err(error) => {
                        locked(&self.idle).loaded -= 1;
                        self.returned.notify_one();
                        Err(error)
                    }
                };
            }
            idle = self.returned.wait(idle).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A session on loan; dropping it returns it.
struct Lent<'a> {
    sessions: &'a Sessions,
    encoder: Option<Encoder>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut idle = locked(&self.sessions.idle);
        idle.encoders.extend(self.encoder.take());
        drop(idle);
        self.sessions.returned.notify_one();
    }
}

/// How many sessions a model of `size` bytes gets, and how many threads each of them uses.
fn share(size: usize, threads: usize) -> (usize, usize) {
    let threads = threads.max(1);
    let most = MEMORY / size.saturating_mul(MEMORY_PER_BYTE).max(1);
    let sessions = most.clamp(1, threads);
    (sessions, threads / sessions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_models_get_fewer_sessions_and_all_threads() {
        assert_eq!(share(23 << 20, 2), (2, 1));
        assert_eq!(share(23 << 20, 64), (11, 5));
        assert_eq!(share(440 << 20, 16), (1, 16));
        assert_eq!(share(0, 0), (1, 1));
    }
}
