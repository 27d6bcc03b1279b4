//! A request to stop long work.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
};

/// Asks work to end at its next safe point. A clone shares the request.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Request>);

/// The tasks to wake, by the number of the future that waits.
#[derive(Debug, Default)]
struct Waiting {
    wakers: HashMap<u64, Waker>,
    next: u64,
}

#[derive(Debug, Default)]
struct Request {
    made: AtomicBool,
    waiting: Mutex<Waiting>,
}

impl Stop {
    /// Asks the work to stop.
    pub fn request(&self) {
        self.0.made.store(true, Ordering::SeqCst);
        // Woken after the lock is released: a waker may drop a future that waits.
        let wakers = std::mem::take(&mut crate::locked(&self.0.waiting).wakers);
        wakers.into_values().for_each(Waker::wake);
    }

    /// Whether the work was asked to stop.
    pub fn is_requested(&self) -> bool {
        self.0.made.load(Ordering::SeqCst)
    }

    /// Completes when the work is asked to stop.
    pub async fn requested(&self) {
        let (request, id) = (&*self.0, None);
        Requested { request, id }.await;
    }
}

/// Asks its work to stop when it is dropped: whoever waited for it has gone away.
#[derive(Debug, Default)]
pub struct StopWhenDropped(pub Stop);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.request();
    }
}

/// The future of [`Stop::requested`]. Dropped, it leaves nothing behind.
struct Requested<'a> {
    request: &'a Request,
    /// Its place among those that wait; `None` before the first poll.
    id: Option<u64>,
}

impl Future for Requested<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        // The lock orders this with a request that is made meanwhile.
        let mut waiting = crate::locked(&self.request.waiting);
        if self.request.made.load(Ordering::SeqCst) {
            return Poll::Ready(());
        }
        let id = self.id.unwrap_or(waiting.next);
        if self.id.is_none() {
            waiting.next += 1;
        }
        // Dropped after the lock is released, as in `request`.
        let _old = waiting.wakers.insert(id, context.waker().clone());
        drop(waiting);
        self.id = Some(id);
        Poll::Pending
    }
}

impl Drop for Requested<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            let _old = crate::locked(&self.request.waiting).wakers.remove(&id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_wakes_who_waits_for_it() {
        let stop = Stop::default();
        let mut waits = Box::pin(stop.requested());
        let mut context = std::task::Context::from_waker(Waker::noop());
        assert!(waits.as_mut().poll(&mut context).is_pending());
        stop.clone().request();
        assert!(stop.is_requested() && waits.as_mut().poll(&mut context).is_ready());
    }

    #[test]
    fn who_no_longer_waits_leaves_nothing_behind() {
        let stop = Stop::default();
        let mut context = Context::from_waker(Waker::noop());
        let waiting = || crate::locked(&stop.0.waiting).wakers.len();
        let mut first = Box::pin(stop.requested());
        assert!(first.as_mut().poll(&mut context).is_pending());
        for _ in 0..3 {
            let mut other = Box::pin(stop.requested());
            assert!(other.as_mut().poll(&mut context).is_pending());
            assert!(other.as_mut().poll(&mut context).is_pending());
            assert_eq!(waiting(), 2);
        }
        assert_eq!(waiting(), 1);
        drop(first);
        assert_eq!(waiting(), 0);
    }
}
