//! Warnings that belong to no single call: each is shown once.

use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock};
use types::locked;

type Sink = Box<dyn Fn(&str) + Send + Sync>;

static SINK: OnceLock<Sink> = OnceLock::new();
static SHOWN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Has `sink` show what the user should know before a request is sent, such as that a key goes over plain http to another
/// machine. Each warning is shown once in a process; the first sink stays.
pub fn on_warning(sink: impl Fn(&str) + Send + Sync + 'static) {
    let _ = SINK.set(Box::new(sink));
}

pub(crate) fn warn_once(message: &str) {
    let mut shown = locked(&SHOWN);
    if let Some(sink) = SINK.get()
        && shown.insert(message.to_owned())
    {
        sink(message);
    }
}
