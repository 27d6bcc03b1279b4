//! What is left of a run that ended early.

/// What the same command finds after a run that ended early, in words for people: what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Remains {
    /// All that was finished.
    #[error("run the same command again to continue: finished work is kept")]
    Work,
    /// Replies of language models, in their cache.
    #[error("run the same command again: it takes replies of language models from the cache")]
    Replies,
    /// Nothing.
    #[error("nothing is kept: the same command asks everything again")]
    Nothing,
}
