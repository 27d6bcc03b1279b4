//! What may be found, and in which text.

use crate::common::{Failed, TextSearch as _, axis, folder, source, write};
use retrieve::SearchSettings;
use types::{Mode, SectionKind::Methods};

type Outcome = Result<(), Failed>;

#[test]
fn headings_are_searched() -> Outcome {
    let dir = folder();
    let index = write(dir.path(), [source("a", &[(Methods, "walking", axis())])])?;
    let settings = SearchSettings::default();
    for (query, hits) in [("heading", 1), ("walking", 1)] {
        let found = index.search_text(query, None, Mode::Bm25, &settings, None)?;
        assert_eq!(found.hits.len(), hits, "{query}");
    }
    Ok(())
}
