//! A count out of a count: what every metric of a paper is.

use serde::Serialize;

/// `hits` of `of`. Nothing of nothing has no value: the metric is not applicable to the paper.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(super) struct Share {
    pub(super) hits: usize,
    pub(super) of: usize,
}

impl Share {
    pub(super) fn new(hits: usize, of: usize) -> Self {
        Self { hits, of }
    }

    /// One of one, or none of one.
    pub(super) fn flag(hit: bool) -> Self {
        Self::new(usize::from(hit), 1)
    }

    /// 0 to 1.
    pub(super) fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.hits as f64 / self.of as f64)
    }
}
