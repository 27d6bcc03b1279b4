//! The row of a table as a sentence.

use evidence::Asked;
use types::TableRow;

/// "Control group, six-minute walk, m: Year 2 515 (66) (Table 1, mean (SD))": group and label, then each value with the head
/// of its column, or only the columns that the question names best.
pub(super) fn sentence(row: &TableRow<'_>, asked: &Asked) -> String {
    let (label, values) = row
        .cells
        .split_first()
        .map_or(("", [].as_slice()), |(label, values)| (*label, values));
    let named: Vec<f32> = row
        .columns
        .iter()
        .map(|column| names(asked, column, row))
        .collect();
    let best = named.iter().copied().fold(0.0, f32::max);
    let is_shown = |at: usize| best <= 0.0 || named.get(at).is_some_and(|named| *named >= best);
    let shown: Vec<String> = values
        .iter()
        .enumerate()
        .filter(|(at, value)| !value.is_empty() && is_shown(*at))
        .map(
            |(at, value)| match row.columns.get(at).filter(|column| !column.is_empty()) {
                Some(column) => format!("{column} {value}"),
                None => (*value).to_owned(),
            },
        )
        .collect();
    let labels: Vec<&str> = [row.group.trim_end_matches(':'), label]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    let mut out = labels.join(", ");
    if !out.is_empty() {
        out.push_str(": ");
    }
    out.push_str(&shown.join("; "));
    let of: Vec<String> = number(row.caption)
        .into_iter()
        .chain([row.unit.to_owned()])
        .filter(|part| !part.is_empty())
        .collect();
    if !of.is_empty() {
        out.extend([" (", &of.join(", "), ")"]);
    }
    out
}

/// How much of the question the column names, by words that are neither in the label of the row nor in that of its group.
fn names(asked: &Asked, column: &str, row: &TableRow<'_>) -> f32 {
    let column = text::stems(column);
    let mut label = text::stems(row.cells.first().copied().unwrap_or_default());
    label.extend(text::stems(row.group));
    let named = asked
        .terms
        .iter()
        .filter(|term| term.is_in(&column) && !term.is_in(&label));
    named.map(|term| term.weight).sum()
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
            unit: "",
            group: "",
            header: vec!["Brisk", "Steady", "Control"],
            columns: ["Brisk", "Steady", "Control"].map(str::to_owned).to_vec(),
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
    fn the_group_and_the_unit_are_said() {
        let row = TableRow {
            unit: "Mean (SD)",
            group: "Women:",
            ..row()
        };
        assert_eq!(
            sentence(&row, &asked(&["steady"])),
            "Women, Six-minute walk, m: Steady 508 (72) (Table 1, Mean (SD))"
        );
    }

    #[test]
    fn a_row_alone_lists_its_values() {
        let row = TableRow {
            caption: "",
            header: Vec::new(),
            columns: Vec::new(),
            ..row()
        };
        assert_eq!(
            sentence(&row, &asked(&["control"])),
            "Six-minute walk, m: 512 (68); 508 (72); 515 (66)"
        );
    }
}
