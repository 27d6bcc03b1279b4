//! Where a paper stands in its journal, and the numbers printed on its pages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a paper prints of its place in a journal; what is not sure is empty. It is shown, never searched and no ground of
/// an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Printed {
    /// The journal, as printed: "Nutr J".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal: Option<String>,
    /// Its volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<String>,
    /// The issue of the volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// The page of the volume on which the paper begins, where its pages bear no numbers: JATS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_page: Option<String>,
    /// The numbers on its pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<PageNumbers>,
}

/// Consecutive pages of a file whose printed numbers count up by one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PageNumbers {
    /// Letters before each number: "S" of "S45"; mostly empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
    /// The first and the last of the pages, from 1, as the file counts them.
    pub range: (u32, u32),
    /// The number printed on the first of them.
    pub first: u32,
}

impl Printed {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The number printed on a page of the file, counted from 1; `None` where it is not sure.
    pub fn on_page(&self, page: u32) -> Option<String> {
        let pages = self.pages.as_ref()?;
        let (first, last) = pages.range;
        let number = pages.first.checked_add(page.checked_sub(first)?)?;
        (page <= last).then(|| format!("{}{number}", pages.prefix))
    }

    /// The numbers printed on the pages from `first` to `last`, "1386" or "1386–1387", where they are not those of the
    /// file.
    pub fn on_pages(&self, first: u32, last: u32) -> Option<String> {
        let (from, to) = (self.on_page(first)?, self.on_page(last)?);
        let text = if from == to { from } else { format!("{from}–{to}") };
        let same = self.on_page(first)? == first.to_string();
        (!same).then_some(text)
    }

    /// Journal, volume, issue and first page: "Nutr J 20(3):45". `venue` is what the journal is called elsewhere.
    pub fn place(&self, venue: Option<&str>) -> Option<String> {
        let mut out = venue.or(self.journal.as_deref())?.to_owned();
        let Some(volume) = &self.volume else {
            return Some(out);
        };
        out = format!("{out} {volume}");
        if let Some(issue) = &self.issue {
            out = format!("{out}({issue})");
        }
        // The pages of an article that has a number of its own count from 1.
        let first = self.first_page.clone().or_else(|| self.on_page(1));
        if let Some(page) = first.filter(|page| page != "1") {
            out = format!("{out}:{page}");
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_places_are_named_as_far_as_they_are_known() {
        let numbers = |prefix: &str, range, first| {
            let prefix = prefix.to_owned();
            Some(PageNumbers { prefix, range, first })
        };
        let mut printed = Printed::default();
        assert_eq!(printed.place(None), None);
        printed.pages = numbers("S", (2, 4), 45);
        let texts = [(1, 2), (2, 2), (2, 4), (4, 5), (0, 0)].map(|(from, to)| printed.on_pages(from, to));
        let texts = texts.each_ref().map(Option::as_deref);
        assert_eq!(texts, [None, Some("S45"), Some("S45–S47"), None, None]);
        printed.journal = Some("Nutr J".to_owned());
        assert_eq!(printed.place(None).as_deref(), Some("Nutr J"));
        printed.volume = Some("20".to_owned());
        printed.issue = Some("3".to_owned());
        assert_eq!(printed.place(Some("Nutrition")).as_deref(), Some("Nutrition 20(3)"));
        printed.pages = numbers("", (1, 9), 812);
        assert_eq!(printed.place(None).as_deref(), Some("Nutr J 20(3):812"));
        printed.pages = numbers("", (1, 9), 1);
        assert_eq!(printed.place(None).as_deref(), Some("Nutr J 20(3)"));
        assert_eq!(printed.on_pages(3, 3), None);
    }
}
