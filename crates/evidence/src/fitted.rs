//! The fitted models: the trees of sentences, and the regressions of answers. Cosines of different embedding models differ in
//! kind, so each pair of models belongs to one. `fit/fit.py` writes them, and says in them what they were fitted on.

use crate::{FEATURES, answer::Regressions};
use std::sync::LazyLock;
use trees::Forest;

/// Both models for the vectors of one embedding model.
pub(crate) struct Fitted {
    pub(crate) sentences: Forest,
    pub(crate) answer: Regressions,
}

/// Tests check that the files fit the features.
macro_rules! fitted {
    ($name:literal) => {
        (
            $name,
            LazyLock::new(|| Fitted {
                sentences: Forest::from_json(
                    include_str!(concat!("fitted/", $name, "/sentences.json")),
                    FEATURES,
                )
                .expect("the file is fixed and valid"),
                answer: Regressions::from_json(include_str!(concat!("fitted/", $name, "/answer.json")))
                    .expect("the file is fixed and valid"),
            }),
        )
    };
}

/// By embedding model, whose ids begin so. The first stands in for models that nothing was fitted to.
static FITTED: [(&str, LazyLock<Fitted>); 2] =
    [fitted!("all-MiniLM-L6-v2"), fitted!("multilingual-e5-small")];

/// The models for the vectors of an embedding model.
pub(crate) fn of(embedder: &str) -> &'static Fitted {
    let own = FITTED.iter().find(|(name, _)| embedder.starts_with(name));
    &own.unwrap_or(&FITTED[0]).1
}

/// The embedding models to whose vectors the estimates were fitted. With others, probabilities, refusals and confidence are
/// less reliable.
pub fn fitted_to() -> impl Iterator<Item = &'static str> {
    FITTED.iter().map(|(name, _)| *name)
}

/// Whether the estimates were fitted to the vectors of an embedding model with this id.
pub fn is_fitted_to(embedder: &str) -> bool {
    fitted_to().any(|name| embedder.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_embedding_model_has_its_own() {
        for (name, fitted) in &FITTED {
            assert!(
                std::ptr::eq(of(&format!("{name}-w8a8")), &raw const **fitted),
                "{name}"
            );
            assert!(is_fitted_to(name));
        }
        assert!(std::ptr::eq(of("another"), of("all-MiniLM-L6-v2")));
        assert!(!is_fitted_to("another"));
    }
}
