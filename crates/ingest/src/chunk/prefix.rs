//! The line that is put before a chunk's text when it is embedded: which paper, which section, which pages.

use crate::tokens;
use types::{SectionKind, SourceId};

/// The prefix of all chunks of one label, pages left open: source and label. `None` when it does not keep within the limit.
pub(super) struct Prefix(Option<(String, SectionKind)>);

impl Prefix {
    /// The prefix, at most `limit` tokens with whatever pages.
    pub(super) fn new(source: &SourceId, label: SectionKind, limit: usize) -> Self {
        let parts = (source.to_string(), label);
        Self(Some(parts).filter(|parts| tokens::count(&printed(parts, (9_998, 9_999))) <= limit))
    }

    /// The prefix with these pages; empty when there is none.
    pub(super) fn with_pages(&self, pages: (u32, u32)) -> String {
        self.0.as_ref().map(|parts| printed(parts, pages)).unwrap_or_default()
    }
}

fn printed((source, label): &(String, SectionKind), (first, last): (u32, u32)) -> String {
    let last = if first == last { String::new() } else { format!("-{last}") };
    format!("[Source: {source} | Section: {} | Pages: {first}{last}]", label.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_names_source_label_and_pages_or_is_left_away() {
        let prefix = |source: &str, limit| Prefix::new(&SourceId::from(source), SectionKind::Methods, limit);
        let check = |source: &str, pages, want: &str| assert_eq!(prefix(source, 60).with_pages(pages), want);
        check("barry_2014", (3, 3), "[Source: barry_2014 | Section: methods | Pages: 3]");
        check("barry_2014", (3, 4), "[Source: barry_2014 | Section: methods | Pages: 3-4]");
        check(&"x1 ".repeat(99), (1, 1), "");
        assert_eq!(prefix("barry_2014", 0).with_pages((1, 2)), "");
    }
}
