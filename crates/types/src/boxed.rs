//! Errors and futures of any type.

use std::{error::Error, future::Future, pin::Pin};

/// Any error that can cross threads.
pub type BoxError = Box<dyn Error + Send + Sync + 'static>;
/// A boxed future; dropping it cancels the work.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
