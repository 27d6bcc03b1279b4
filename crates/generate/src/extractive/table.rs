//! The row of a table as a sentence.

use evidence::AskedTerms;
use std::collections::BTreeSet;
use types::TableRow;

/// "Women, Six-minute walk, m: Year 2 515 (66) (Table 1, mean (SD))": group and label, then each value with the head of its
/// column, or only the columns that the question names. The group is said where the question names it, or where other rows have
/// the same label: a line that names a group does not say where the group ends.
pub(super) fn sentence(row: &TableRow<'_>, asked: &AskedTerms) -> String {
    let (label, values) =
        row.cells.split_first().map_or(("", [].as_slice()), |(label, values)| (*label, values));
    let named: Vec<BTreeSet<usize>> = row.columns.iter().map(|column| names(asked, column, row)).collect();
    let all = named.iter().all(BTreeSet::is_empty);
    // A column goes if another one has all of its words and more. "How many workers dropped out?" counts workers in every column:
    // one that says no more goes, too.
    let counted = |own: &BTreeSet<usize>| asked.number && own.len() == 1 && own.contains(&0);
    let outdone = |own: &BTreeSet<usize>| {
        named.iter().any(|other| own != other && (own.is_subset(other) || counted(own) && !other.is_empty()))
    };
    let is_shown = |at: usize| all || named.get(at).is_some_and(|own| !own.is_empty() && !outdone(own));
    let shown: Vec<String> = values
        .iter()
        .enumerate()
        .filter(|(at, value)| !value.is_empty() && is_shown(*at))
        .map(|(at, value)| match row.columns.get(at).filter(|column| !column.is_empty()) {
            Some(column) => format!("{column} {value}"),
            None => (*value).to_owned(),
        })
        .collect();
    let group = row.group.trim_end_matches(':');
    let of_group = text::stems(group);
    let says_group = row.label_repeats || asked.terms.iter().any(|term| term.is_in(&of_group));
    let labels: Vec<&str> =
        [if says_group { group } else { "" }, label].into_iter().filter(|part| !part.is_empty()).collect();
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

/// The terms of the question that the column names, which are neither in the label of the row nor in that of its group.
fn names(asked: &AskedTerms, column: &str, row: &TableRow<'_>) -> BTreeSet<usize> {
    let column = text::stems(column);
    let mut label = text::stems(row.cells.first().copied().unwrap_or_default());
    label.extend(text::stems(row.group));
    let terms = asked.terms.iter().enumerate();
    let named = terms.filter(|(_, term)| term.is_in(&column) && !term.is_in(&label));
    named.map(|(at, _)| at).collect()
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
            label_repeats: false,
            header: vec!["Brisk", "Steady", "Control"],
            columns: ["Brisk", "Steady", "Control"].map(str::to_owned).to_vec(),
            cells: vec!["Six-minute walk, m", "512 (68)", "508 (72)", "515 (66)"],
        }
    }

    fn asked(words: &[&str]) -> AskedTerms {
        let term =
            |word: &&str| AskedTerm { stems: vec![text::stem(word)], other_forms: Vec::new(), weight: 0.5 };
        AskedTerms { terms: words.iter().map(term).collect(), ..AskedTerms::default() }
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
    fn all_named_columns_are_shown_whatever_their_words_weigh() {
        let mut asked = asked(&["control", "brisk"]);
        asked.terms[1].weight = 0.1;
        assert_eq!(
            sentence(&row(), &asked),
            "Six-minute walk, m: Brisk 512 (68); Control 515 (66) (Table 1)"
        );
        let columns = ["Brisk, men", "Brisk, women", "Control"].map(str::to_owned).to_vec();
        let row = TableRow { columns, ..row() };
        assert_eq!(
            sentence(&row, &self::asked(&["brisk", "women"])),
            "Six-minute walk, m: Brisk, women 508 (72) (Table 1)"
        );
    }

    #[test]
    fn a_column_that_only_counts_what_is_counted_is_no_answer() {
        let columns = ["Workers, n", "Weight", "Dropouts, n"].map(str::to_owned).to_vec();
        let row = TableRow { columns, ..row() };
        let asked = AskedTerms { number: true, ..asked(&["workers", "dropouts"]) };
        assert_eq!(sentence(&row, &asked), "Six-minute walk, m: Dropouts, n 515 (66) (Table 1)");
    }

    #[test]
    fn the_unit_is_said_and_the_group_where_it_is_certain_or_asked_for() {
        let row = |label_repeats| TableRow { unit: "Mean (SD)", group: "Women:", label_repeats, ..row() };
        let check = |label_repeats, words: &[&str], want: &str| {
            assert_eq!(sentence(&row(label_repeats), &asked(words)), want);
        };
        let plain = "Six-minute walk, m: Steady 508 (72) (Table 1, Mean (SD))";
        check(false, &["steady"], plain);
        check(true, &["steady"], &format!("Women, {plain}"));
        check(false, &["steady", "women"], &format!("Women, {plain}"));
    }

    #[test]
    fn a_row_alone_lists_its_values() {
        let row = TableRow { caption: "", header: Vec::new(), columns: Vec::new(), ..row() };
        assert_eq!(sentence(&row, &asked(&["control"])), "Six-minute walk, m: 512 (68); 508 (72); 515 (66)");
    }
}
