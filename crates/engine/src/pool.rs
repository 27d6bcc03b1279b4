//! A bounded pool for computations, so that async callers never block.

use std::{
    future::{Future, pending},
    num::NonZeroUsize,
    panic::resume_unwind,
    sync::Arc,
};
use tokio::{
    runtime::Handle,
    sync::Semaphore,
    task::{JoinError, JoinSet, spawn_blocking},
};

/// Limits how many computations run at a time, each on a thread of its own; the others wait in line. A clone shares the
/// pool.
#[derive(Clone, Debug)]
pub struct ComputePool {
    permits: Arc<Semaphore>,
}

impl Default for ComputePool {
    /// A pool for as many computations at a time as the machine has cores.
    fn default() -> Self {
        Self::of(std::thread::available_parallelism().map_or(1, NonZeroUsize::get))
    }
}

impl ComputePool {
    /// A pool for so many computations at a time.
    pub fn of(most: usize) -> Self {
        Self { permits: Arc::new(Semaphore::new(most)) }
    }

    /// Runs `work` on the pool. If the future is dropped, a computation that has started still finishes and its result
    /// is discarded; one that is waiting never starts. A panic in `work` resumes in the caller.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let permits = Arc::clone(&self.permits);
        let work = async move {
            // The semaphore is never closed.
            let permit = permits.acquire_owned().await.ok();
            let done = spawn_blocking(move || {
                let _permit = permit;
                work()
            });
            value(done.await).await
        };
        apart(work).await
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

/// Runs `work` as a task of its own, which is aborted when the future is dropped. Otherwise a future that got a permit and is not
/// polled would block the others. A panic resumes in the caller.
pub(crate) fn apart<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> impl Future<Output = T> {
    let mut task = JoinSet::new();
    task.spawn(work);
    async move {
        match task.join_next().await {
            Some(done) => value(done).await,
            // There is one.
            None => pending().await,
        }
    }
}

async fn value<T>(done: Result<T, JoinError>) -> T {
    match done.map_err(JoinError::try_into_panic) {
        Ok(value) => value,
        Err(Ok(panic)) => resume_unwind(panic),
        // The runtime is shutting down and drops the caller too.
        Err(Err(_)) => pending().await,
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
        let pool = ComputePool::of(2);
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
    async fn a_future_that_is_not_polled_holds_no_permit() {
        let pool = ComputePool::of(1);
        let (go, wait) = std::sync::mpsc::channel();
        let mut first = Box::pin(pool.run(move || wait.recv().is_ok()));
        assert!(futures::poll!(&mut first).is_pending());
        let mut second = Box::pin(pool.run(|| 2));
        tokio::task::yield_now().await;
        assert!(futures::poll!(&mut second).is_pending());
        tokio::task::yield_now().await;
        go.send(()).expect("waits");
        assert!(first.await);
        let third = tokio::time::timeout(Duration::from_secs(20), pool.run(|| 3));
        assert_eq!(third.await.expect("its turn comes"), 3);
        assert_eq!(second.await, 2);
    }

    #[tokio::test]
    async fn what_waits_and_is_dropped_never_starts() {
        let pool = ComputePool::of(1);
        let (go, wait) = std::sync::mpsc::channel();
        let mut first = Box::pin(pool.run(move || wait.recv().is_ok()));
        assert!(futures::poll!(&mut first).is_pending());
        let started = Arc::new(AtomicUsize::new(0));
        let own = Arc::clone(&started);
        let mut second = Box::pin(pool.run(move || own.fetch_add(1, Ordering::SeqCst)));
        assert!(futures::poll!(&mut second).is_pending());
        tokio::task::yield_now().await;
        drop(second);
        go.send(()).expect("waits");
        assert!(first.await);
        pool.run(|| ()).await;
        assert_eq!(started.load(Ordering::SeqCst), 0);
    }

    #[tokio::test]
    async fn a_panic_reaches_the_caller() {
        let pool = ComputePool::default();
        let caught = tokio::spawn(async move { pool.run(|| panic!("broken")).await }).await;
        assert!(caught.is_err_and(|error| error.is_panic()));
    }
}
