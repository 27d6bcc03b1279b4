//! The fitted models: the trees of sentences, and the regressions of answers. Cosines of different embedding models differ in
//! kind, so each pair of models belongs to one. `fit/fit.py` writes them, and says in them what they were fitted on.

use crate::trees::{Forest, fixed};
use crate::{FEATURES, answer::Regressions};
use std::sync::LazyLock;
use types::Reader;

/// The models for the vectors of one embedding model.
pub(crate) struct Fitted {
    pub(crate) plain: Models,
    /// For sentences that a reader has read.
    read: Models,
}

pub(crate) struct Models {
    pub(crate) sentences: Forest,
    pub(crate) answer: Regressions,
}

impl Fitted {
    /// The models for what this reader says of sentences, or for none.
    pub(crate) fn with(&self, reader: Option<&dyn Reader>) -> &Models {
        if reader.is_some() { &self.read } else { &self.plain }
    }
}

/// Tests check that the files fit the features.
macro_rules! models {
    ($name:literal, $suffix:literal) => {
        Models {
            sentences: fixed::<Forest>(include_str!(concat!(
                "fitted/",
                $name,
                "/sentences",
                $suffix,
                ".json"
            )))
            .over(FEATURES),
            answer: fixed(include_str!(concat!("fitted/", $name, "/answer", $suffix, ".json"))),
        }
    };
    ($name:literal) => {
        ($name, LazyLock::new(|| Fitted { plain: models!($name, ""), read: models!($name, "-read") }))
    };
}

/// By embedding model, whose ids begin so. The first stands in for models that nothing was fitted to.
pub(crate) static FITTED: [(&str, LazyLock<Fitted>); 2] =
    [models!("all-MiniLM-L6-v2"), models!("multilingual-e5-small")];

/// The models for the vectors of an embedding model.
pub(crate) fn of(embedder: &str) -> &'static Fitted {
    let own = FITTED.iter().find(|(name, _)| embedder.starts_with(name));
    &own.unwrap_or(&FITTED[0]).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_embedding_model_has_its_own() {
        for (name, fitted) in &FITTED {
            assert!(std::ptr::eq(of(&format!("{name}-w8a8")), &raw const **fitted), "{name}");
        }
        assert!(std::ptr::eq(of("another"), of("all-MiniLM-L6-v2")));
    }
}
