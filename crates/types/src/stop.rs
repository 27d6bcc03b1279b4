//! A request to stop long work.

use std::{
    future::poll_fn,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    task::{Poll, Waker},
};

/// Asks work to end at its next safe point. A clone shares the request.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Request>);

#[derive(Debug, Default)]
struct Request {
    made: AtomicBool,
    waiting: Mutex<Vec<Waker>>,
}

impl Stop {
    /// Asks the work to stop.
    pub fn request(&self) {
        self.0.made.store(true, Ordering::SeqCst);
        let mut waiting = crate::locked(&self.0.waiting);
        waiting.drain(..).for_each(Waker::wake);
    }

    /// Whether the work was asked to stop.
    pub fn is_requested(&self) -> bool {
        self.0.made.load(Ordering::SeqCst)
    }

    /// Completes when the work is asked to stop.
    pub async fn requested(&self) {
        poll_fn(|context| {
            // The lock orders this with a request that is made meanwhile.
            let mut waiting = crate::locked(&self.0.waiting);
            if self.is_requested() {
                return Poll::Ready(());
            }
            if !waiting.iter().any(|waker| waker.will_wake(context.waker())) {
                waiting.push(context.waker().clone());
            }
            Poll::Pending
        })
        .await;
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
}
