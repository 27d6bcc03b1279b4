//! The same questions of every paper: a table with a row for each paper and a column for each question.

use crate::{
    Answer,
    documents::Source,
    show::{Block, Numbered, Piece, Reference, numbered},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, ops::Range};
use types::{Confidence, Filter, Mode, SectionKind, SourceId, StudyItem};

/// A question for every paper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Column {
    /// What stands above the column.
    pub name: String,
    /// The question.
    pub question: String,
}

impl Column {
    /// From a line: `Sample size: How many people took part?`, or only the question, which then is the name.
    pub fn parse(line: &str) -> Self {
        let line = line.trim();
        let named = line.split_once(": ").filter(|(name, question)| {
            !name.contains('?') && !name.trim().is_empty() && !question.trim().is_empty()
        });
        let (name, question) = named.unwrap_or((line, line));
        Self { name: name.trim().to_owned(), question: question.trim().to_owned() }
    }
}

/// What the papers state, by paper and question.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PaperTable {
    /// The questions.
    pub columns: Vec<Column>,
    /// The papers, by id.
    pub papers: Vec<PaperRow>,
    /// The generator: a model's name, or `extractive`.
    pub model: String,
    /// Hash of the settings that can change a result.
    pub config_hash: String,
}

impl PaperTable {
    /// A table in which cells say whether their numbers can be compared.
    pub fn new(columns: Vec<Column>, mut papers: Vec<PaperRow>, model: String, config_hash: String) -> Self {
        for at in 0..columns.len() {
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for own in papers.iter().filter_map(|row| unit_of(row.cells.get(at)?)) {
                *counts.entry(own).or_default() += 1;
            }
            let all: usize = counts.values().sum();
            // Of equals, none.
            let usual = counts.iter().find(|(_, count)| 2 * **count > all).map(|(unit, _)| unit.clone());
            for cell in papers.iter_mut().filter_map(|row| row.cells.get_mut(at)) {
                let own = unit_of(cell).filter(|_| all > 1);
                if let Cell::Stated { comparable, .. } = cell {
                    *comparable = own.map(|own| usual.as_ref() == Some(&own));
                }
            }
        }
        Self { columns, papers, model, config_hash }
    }
}

/// The unit of a number, in one spelling; empty for a number without one.
fn unit_of(cell: &Cell) -> Option<String> {
    match cell {
        Cell::Stated { value: Some(_), unit, .. } => {
            let unit = unit.as_deref().unwrap_or_default().trim_end_matches('.').to_lowercase();
            Some(unit.strip_suffix('s').filter(|one| one.len() > 2).unwrap_or(&unit).to_owned())
        }
        _ => None,
    }
}

/// What one paper states.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PaperRow {
    /// The paper.
    pub source_id: SourceId,
    /// What is known about it.
    pub source: Source,
    /// A cell for each column.
    pub cells: Vec<Cell>,
}

impl PaperRow {
    /// The row of a paper.
    pub fn new(paper: &Reference, cells: Vec<Cell>) -> Self {
        Self { source_id: paper.meta.source_id.clone(), source: Source::new(paper, None), cells }
    }
}

/// What a paper says about a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
#[schemars(deny_unknown_fields)]
pub enum Cell {
    /// An answer was found.
    Stated {
        /// The first quote, or the answer of a language model without its marks.
        answer: String,
        /// For a question that asks for a number: the number that answers it, as printed.
        value: Option<String>,
        /// The unit of that number, as printed.
        unit: Option<String>,
        /// The first quote of the answer, verbatim.
        quote: String,
        /// The section of the quote.
        section: Option<SectionKind>,
        /// The page of the quote, from 1.
        page: Option<u32>,
        /// `high`, `medium` or `low`.
        confidence: String,
        /// Where several papers state a number: whether this one has the unit that most of them have.
        #[serde(default)]
        comparable: Option<bool>,
    },
    /// No answer was found.
    NotFound {},
    /// The question could not be asked.
    Failed {
        /// Why, and what to do.
        error: String,
    },
    /// The question was not asked of the paper yet; only in tables of the server.
    NotAsked {},
}

/// What an answer says; `None` for a refusal, and for passages that may answer: a wrong cell costs more than an empty one. Of several
/// quotes that were `copied`, the first one, the likeliest to answer; for a question that asks for a number, the first one that has any.
pub(crate) fn stated(question: &str, filter: &Filter, answer: &Answer, copied: bool) -> Option<Cell> {
    let response = answer.response();
    let first = response.citations.first().filter(|_| !response.no_evidence)?;
    let analysed = question::analyse(question, Vec::new(), Mode::default(), filter.clone());
    let (asks_number, item) = (analysed.kind.number, question::study_item(&analysed));
    let has_number = |quote: &str| !text::numbers::quantities(quote).is_empty();
    if copied && response.confidence == Confidence::Low.as_str() {
        return None;
    }
    let mut cited = response.citations.iter();
    let quoted = cited.find(|citation| !asks_number || has_number(&citation.relevant_quote)).unwrap_or(first);
    let number = asks_number.then(|| number(question, item, &quoted.relevant_quote)).flatten();
    let (value, unit) = number.unzip();
    Some(Cell::Stated {
        answer: if copied {
            quoted.relevant_quote.clone()
        } else {
            words(&numbered(&answer.record, &answer.references))
        },
        value,
        unit: unit.filter(|unit: &String| !unit.is_empty()),
        quote: quoted.relevant_quote.clone(),
        section: quoted.section,
        page: quoted.page_start,
        confidence: response.confidence.clone(),
        comparable: None,
    })
}

/// The words of an answer on one line, without marks.
fn words(answer: &Numbered) -> String {
    let mut out: Vec<&str> = Vec::new();
    for block in &answer.blocks {
        match block {
            Block::Quote { text, .. } => out.push(text),
            Block::Prose { pieces, .. } => out.extend(pieces.iter().filter_map(|piece| match piece {
                Piece::Text(text) => Some(text.trim()),
                Piece::Mark(_) => None,
            })),
        }
    }
    out.join(" ")
}

/// The number in a quote that answers, and its unit, as printed: for a sample size or a duration, the only one of that kind; for
/// others the first one that is followed by a word of the question, or the only one. Numbers in brackets, such as intervals and
/// probabilities, do not count. `None` where several may be meant.
fn number(question: &str, item: Option<StudyItem>, quote: &str) -> Option<(String, String)> {
    const NEAR: usize = 4;
    let part = |range: Range<usize>| quote.get(range).unwrap_or_default().to_owned();
    if let Some(item @ (StudyItem::SampleSize | StudyItem::Duration)) = item {
        return evidence::stated_number(item, quote).map(|(number, unit)| (part(number), part(unit)));
    }
    let asked: Vec<String> = text::terms(question).into_iter().map(|term| term.stem).collect();
    let in_brackets = |at: usize| {
        let count = |marks: [char; 2]| quote[..at].matches(marks).count();
        count(['(', '[']) > count([')', ']'])
    };
    // "The two groups" are known already.
    let is_given = |quantity: &text::numbers::Quantity| {
        let before = quote[..quantity.span.start].split_whitespace().next_back();
        quantity.spelled && before.is_some_and(|word| word.eq_ignore_ascii_case("the"))
    };
    let all: Vec<_> = text::numbers::quantities(quote)
        .into_iter()
        .filter(|quantity| !in_brackets(quantity.span.start) && !is_given(quantity))
        .collect();
    let counts = |quantity: &&text::numbers::Quantity| {
        let after = quote[quantity.number.end..].split_whitespace().take(NEAR);
        let after = after.take_while(|word| !word.starts_with(|c: char| c.is_ascii_digit() || c == '('));
        after.flat_map(text::terms).any(|term| asked.contains(&term.stem))
    };
    let only = || all.first().filter(|_| all.len() == 1);
    let found = all.iter().find(counts).or_else(only)?;
    let unit = quote.get(found.number.end..found.span.end).unwrap_or_default();
    Some((quote[found.number.clone()].to_owned(), unit.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_name_its_column() {
        let of = |line: &str| {
            let Column { name, question } = Column::parse(line);
            (name, question)
        };
        let pair = |name: &str, question: &str| (name.to_owned(), question.to_owned());
        assert_eq!(
            of(" Sample size: How many people took part? "),
            pair("Sample size", "How many people took part?")
        );
        for line in ["How many?", "Did it work? yes: or no", ": what", "Design:"] {
            assert_eq!(of(line), pair(line, line));
        }
    }

    #[test]
    fn a_number_in_another_unit_is_not_comparable() {
        let row = |unit: &str| {
            let cell = Cell::Stated {
                answer: String::new(),
                value: Some("5".to_owned()),
                unit: (!unit.is_empty()).then(|| unit.to_owned()),
                quote: String::new(),
                section: None,
                page: None,
                confidence: String::new(),
                comparable: None,
            };
            PaperRow::new(&Reference::default(), vec![cell])
        };
        let check = |units: &[&str], expected: &[Option<bool>]| {
            let column = Column::parse("How long?");
            let rows = units.iter().copied().map(row).collect();
            let table = PaperTable::new(vec![column], rows, String::new(), String::new());
            let of = |row: &PaperRow| match row.cells[0] {
                Cell::Stated { comparable, .. } => comparable,
                _ => None,
            };
            assert_eq!(table.papers.iter().map(of).collect::<Vec<_>>(), expected, "{units:?}");
        };
        check(&["weeks"], &[None]);
        check(&["weeks", "Week", "days"], &[Some(true), Some(true), Some(false)]);
        check(&["weeks", ""], &[Some(false), Some(false)]);
    }

    #[test]
    fn the_number_that_is_asked_for_is_found() {
        let check = |question: &str, quote: &str, value: &str, unit: &str| {
            assert_eq!(
                number(question, None, quote),
                Some((value.to_owned(), unit.to_owned())),
                "{question} {quote}"
            );
        };
        let quote = "A total of 1,024 patients (512 women) took 20 mg a day.";
        check("How many patients were there?", quote, "1,024", "");
        check("How large was the dose?", "They took 20 mg (10 to 30) a day.", "20", "mg");
        check("How many?", "There were 12 in each.", "12", "");
        check("How many?", "The two groups had 12 each.", "12", "");
        check("How many men were there?", "They breathe two men's air.", "two", "");
        let plain = |question: &str, quote: &str| number(question, None, quote);
        assert_eq!(plain("How large was the dose?", quote), None, "two may be meant");
        assert_eq!(plain("How many?", "None were counted."), None);
        let of = |item: StudyItem, quote: &str| number("What was it?", Some(item), quote);
        let pair = |number: &str, unit: &str| Some((number.to_owned(), unit.to_owned()));
        let quote = "In 3 towns, Fifty newly diagnosed women played for 16 days, once a day.";
        assert_eq!(of(StudyItem::SampleSize, quote), pair("Fifty", ""));
        assert_eq!(of(StudyItem::Duration, quote), pair("16", "days"));
        assert_eq!(of(StudyItem::Design, quote), None, "several may be meant");
    }
}
