//! The last texts that were prepared: a judge asks about one claim and several passages, and about one passage and
//! several claims.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// The last few prepared texts, each found by its text.
#[derive(Debug)]
pub(crate) struct Cache<T> {
    kept: Mutex<VecDeque<(String, Arc<T>)>>,
    most: usize,
}

impl<T> Cache<T> {
    /// Keeps at most `most` texts, the last used.
    pub(crate) fn new(most: usize) -> Self {
        Self { kept: Mutex::new(VecDeque::new()), most }
    }

    /// The prepared text, made with `make` unless it is kept.
    pub(crate) fn get<E>(&self, text: &str, make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        let found = {
            let mut kept = types::locked(&self.kept);
            let place = kept.iter().position(|(known, _)| known == text);
            place.and_then(|place| kept.remove(place)).inspect(|(known, made)| {
                kept.push_back((known.clone(), Arc::clone(made)));
            })
        };
        if let Some((_, made)) = found {
            return Ok(made);
        }
        // Not under the lock: other texts need not wait for it.
        let made = Arc::new(make()?);
        let mut kept = types::locked(&self.kept);
        if kept.len() >= self.most {
            kept.pop_front();
        }
        kept.push_back((text.to_owned(), Arc::clone(&made)));
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_used_texts_are_kept() {
        let cache = Cache::new(2);
        let made = std::cell::Cell::new(0);
        let get = |text: &str| {
            let make = || {
                made.set(made.get() + 1);
                Ok::<_, ()>(text.len())
            };
            assert_eq!(*cache.get(text, make).expect("it is made"), text.len());
            made.get()
        };
        assert_eq!([get("a"), get("bb"), get("a"), get("ccc"), get("a"), get("bb")], [1, 2, 2, 3, 3, 4]);
        assert!(cache.get("d", || Err::<usize, _>("broken")).is_err());
    }
}
