//! The steps of a writer, at each of which it can be stopped.

use crate::IndexError;
use std::{io, sync::Arc};

/// Called with the name of each step that is about to change the disk; an error stops the writer there. Serves
/// to cancel a run, and to test that stopping anywhere leaves a whole index.
pub type StepHook = Arc<dyn Fn(&'static str) -> io::Result<()> + Send + Sync>;

/// Announces steps to the hook, where there is one.
#[derive(Clone, Default)]
pub(crate) struct Steps(pub(crate) Option<StepHook>);

impl Steps {
    pub(crate) fn before(&self, step: &'static str) -> Result<(), IndexError> {
        let Some(hook) = &self.0 else { return Ok(()) };
        hook(step).map_err(|source| IndexError::Stopped { step, source })
    }
}
