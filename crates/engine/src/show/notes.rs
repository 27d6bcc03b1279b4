//! What was taken from the words of a question, for people: what it was, and how to undo it.

use std::fmt;
use types::{Filter, FilterKind, RefusalReason, RunRecord, Understood};

/// The option that searches without the filters of the words.
const NO_FILTERS: &str = "--no-question-filters";
/// The option that searches the words as they are written.
const NO_SPELLING: &str = "--set question.spelling=false";
/// The option that searches abbreviations as they are written.
const NO_ABBREVIATIONS: &str = "--set question.abbreviations=false";

/// What was taken from the words of a question. Displayed with the way back on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What was taken, as a sentence without its full stop.
    pub says: String,
    /// How the command line undoes it, in the same form.
    pub undo: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. {}", self.says, self.undo)
    }
}

/// The notes of a question that was asked.
pub fn notes_of(record: &RunRecord) -> Vec<Note> {
    let refusal = record.response.refusal.as_ref();
    let searched = refusal.is_none_or(|refusal| refusal.reason != RefusalReason::FilterExcludedAll);
    notes(&record.filters, &record.understood, searched)
}

/// A sentence on the filters that were taken, if any, and if something was searched, one on the spellings and one on the
/// abbreviations; each with the option that undoes it.
pub fn notes(filter: &Filter, understood: &Understood, searched: bool) -> Vec<Note> {
    let mut out = Vec::new();
    let taken: Vec<String> = understood
        .filters
        .iter()
        .enumerate()
        .filter(|(at, one)| understood.filters.iter().take(*at).all(|before| before.kind != one.kind))
        .map(|(_, one)| {
            let of_kind = understood.filters.iter().filter(|other| other.kind == one.kind);
            let words: Vec<String> = of_kind.map(|other| format!("\"{}\"", other.words)).collect();
            format!("{} (from {})", only(filter, one.kind), words.join(", "))
        })
        .collect();
    if !taken.is_empty() {
        let taken = taken.join("; ");
        out.push(Note {
            says: format!("filters from the question: {taken}"),
            undo: format!("To search without this, add {NO_FILTERS}"),
        });
    }
    if !searched {
        return out;
    }
    let mut also = |forms: Vec<String>, defined: &str, without: &str| {
        if !forms.is_empty() {
            let forms = forms.join("; ");
            out.push(Note {
                says: format!("searched also for: {forms}{defined}"),
                undo: format!("To search only the words as written, add {without}"),
            });
        }
    };
    also(understood.spellings.iter().map(ToString::to_string).collect(), "", NO_SPELLING);
    let abbreviations = understood.abbreviations.iter().map(ToString::to_string).collect();
    also(abbreviations, ", as defined in the papers", NO_ABBREVIATIONS);
    out
}

/// The conditions of one kind.
fn only(filter: &Filter, kind: FilterKind) -> Filter {
    let all = filter.clone();
    match kind {
        FilterKind::Year => Filter { year_from: all.year_from, year_to: all.year_to, ..Filter::default() },
        FilterKind::Subjects => Filter { tags: all.tags, ..Filter::default() },
        FilterKind::Sources => Filter { sources: all.sources, ..Filter::default() },
        FilterKind::Sections => Filter { sections: all.sections, ..Filter::default() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{Abbreviated, Spelling, TakenFilter};

    #[test]
    fn what_was_taken_is_said_with_the_way_back() {
        let filter = Filter {
            year_from: Some(2023),
            year_to: Some(2026),
            tags: Some(vec!["food".to_owned(), "soil".to_owned()]),
            ..Filter::default()
        };
        let took = |kind, words: &str| TakenFilter { kind, words: words.to_owned() };
        let understood = Understood {
            filters: vec![
                took(FilterKind::Year, "recent food and soil studies"),
                took(FilterKind::Subjects, "food"),
                took(FilterKind::Subjects, "soil"),
            ],
            spellings: vec![Spelling { word: "wheet".to_owned(), also: vec!["wheat".to_owned()] }],
            abbreviations: vec![Abbreviated {
                words: "SOM".to_owned(),
                also: vec!["soil organic matter".to_owned()],
            }],
        };
        assert_eq!(
            notes(&filter, &understood, true).iter().map(Note::to_string).collect::<Vec<_>>(),
            [
                "filters from the question: published 2023–2026 (from \"recent food and soil studies\"); tag \
                 food or soil (from \"food\", \"soil\"). To search without this, add --no-question-filters",
                "searched also for: \"wheat\" (for \"wheet\"). To search only the words as written, add --set \
                 question.spelling=false",
                "searched also for: \"soil organic matter\" (for \"SOM\"), as defined in the papers. To search only the words as \
                 written, add --set question.abbreviations=false",
            ]
        );
        assert_eq!(notes(&filter, &understood, false).len(), 1, "nothing was searched");
        assert!(notes(&filter, &Understood::default(), true).is_empty());
    }
}
