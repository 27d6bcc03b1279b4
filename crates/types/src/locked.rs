//! Locks of state that is whole after each change.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The value under a lock, also if a thread panicked while it held it: for values of which every change is whole in itself.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
