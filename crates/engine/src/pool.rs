//! A bounded pool for computations, so that async callers never block.

use std::{future::Future, num::NonZeroUsize, panic::resume_unwind, sync::Arc};
use tokio::{runtime::Handle, sync::Semaphore, task::spawn_blocking};

/// Limits how many computations run at a time, each on a thread of its own; the others wait in line. A clone shares the
/// pool.
#[derive(Clone, Debug)]
pub struct ComputePool {
    permits: Arc<Semaphore>,
}

impl Default for ComputePool {
    /// A pool for as many computations at a time as the machine has cores.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self {
            permits: Arc::new(Semaphore::new(cores)),
        }
    }
}

impl ComputePool {
    /// Runs `work` on the pool. If the future is dropped, a computation that has started still finishes and its result
    /// is discarded; one that is waiting never starts. A panic in `work` resumes in the caller.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let permits = Arc::clone(&self.permits);
        // The semaphore is never closed.
        let permit = permits.acquire_owned().await.ok();
        let done = spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        match done.await {
            Ok(value) => value,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                // The runtime is shutting down and drops the caller too.
                Err(_) => std::future::pending().await,
            },
        }
    }

    /// Runs a future on the pool if it is CPU-bound (`computes`), else awaits it in place.
    pub async fn drive<T: Send + 'static>(
        &self,
        computes: bool,
        future: impl Future<Output = T> + Send + 'static,
    ) -> T {
        if computes {
            let runtime = Handle::current();
            self.run(move || runtime.block_on(future)).await
        } else {
            future.await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        time::Duration,
    };

    #[tokio::test]
    async fn no_more_run_at_once_than_there_are_permits() {
        let pool = ComputePool {
            permits: Arc::new(Semaphore::new(2)),
        };
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let work = |n: usize| {
            let (pool, running, most) = (pool.clone(), Arc::clone(&running), Arc::clone(&most));
            async move {
                let count = move || {
                    let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(now, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(20));
                    running.fetch_sub(1, Ordering::SeqCst);
                    n
                };
                pool.run(count).await
            }
        };
        let done = futures::future::join_all((0..8).map(work)).await;
        assert_eq!(done, (0..8).collect::<Vec<_>>());
        assert_eq!(most.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn a_panic_reaches_the_caller() {
        let pool = ComputePool::default();
        let caught = tokio::spawn(async move { pool.run(|| panic!("broken")).await }).await;
        assert!(caught.is_err_and(|error| error.is_panic()));
    }
}
