//! The row of a table as a sentence.

use evidence::Asked;
use types::TableRow;

/// "Six-minute walk, m: Control 515 (66) (Table 1)": the label, then each value with the head of its column, or only the
/// columns that the question names.
pub(super) fn sentence(row: &TableRow<'_>, asked: &Asked) -> String {
    let (label, values) = row
        .cells
        .split_first()
        .map_or(("", [].as_slice()), |(label, values)| (*label, values));
    let columns = row.columns();
    let named: Vec<bool> = columns.iter().map(|column| names(asked, column, label)).collect();
    let some = named.contains(&true);
    let shown: Vec<String> = values
        .iter()
        .enumerate()
        .filter(|(at, value)| !value.is_empty() && (!some || named.get(*at).copied().unwrap_or(false)))
        .map(
            |(at, value)| match columns.get(at).filter(|column| !column.is_empty()) {
                Some(column) => format!("{column} {value}"),
                None => (*value).to_owned(),
            },
        )
        .collect();
    let mut out = String::new();
    if !label.is_empty() {
        out.push_str(label);
        out.push_str(": ");
    }
    out.push_str(&shown.join("; "));
    if let Some(table) = number(row.caption) {
        out.extend([" (", &table, ")"]);
    }
    out
}

/// Whether the question names the column, by a word that is not in the label of the row.
fn names(asked: &Asked, column: &str, label: &str) -> bool {
    let (column, label) = (text::stems(column), text::stems(label));
    asked
        .terms
        .iter()
        .any(|term| term.is_in(&column) && !term.is_in(&label))
}

/// "Table 1" of "Table 1. Baseline values".
fn number(caption: &str) -> Option<String> {
    let mut words = caption.split_whitespace();
    let (table, number) = (words.next()?, words.next()?);
    let number = number.trim_end_matches(|c: char| !c.is_alphanumeric());
    (number.len() <= 4 && number.contains(|c: char| c.is_ascii_digit() || "IVX".contains(c)))
        .then(|| format!("{table} {number}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::AskedTerm;

    fn row() -> TableRow<'static> {
        TableRow {
            caption: "Table 1. Baseline values, mean (SD).",
            header: vec!["Brisk", "Steady", "Control"],
            cells: vec!["Six-minute walk, m", "512 (68)", "508 (72)", "515 (66)"],
        }
    }

    fn asked(words: &[&str]) -> Asked {
        let term = |word: &&str| AskedTerm {
            stems: vec![text::stem(word)],
            other_forms: Vec::new(),
            weight: 0.5,
        };
        Asked {
            terms: words.iter().map(term).collect(),
            ..Asked::default()
        }
    }

    #[test]
    fn the_named_column_is_shown_alone() {
        assert_eq!(
            sentence(&row(), &asked(&["walk", "control"])),
            "Six-minute walk, m: Control 515 (66) (Table 1)"
        );
        assert_eq!(
            sentence(&row(), &asked(&["walk"])),
            "Six-minute walk, m: Brisk 512 (68); Steady 508 (72); Control 515 (66) (Table 1)"
        );
    }

    #[test]
    fn a_row_alone_lists_its_values() {
        let row = TableRow {
            caption: "",
            header: Vec::new(),
            ..row()
        };
        assert_eq!(
            sentence(&row, &asked(&["control"])),
            "Six-minute walk, m: 512 (68); 508 (72); 515 (66)"
        );
    }
}
