//! What answers requests, by API.

pub(crate) mod litpath;
pub(crate) mod operations;
pub(crate) mod own;
pub(crate) mod papers;
pub(crate) mod ragas;
pub(crate) mod runs;
pub(crate) mod tables;
pub(crate) mod verify;
pub(crate) mod work;
