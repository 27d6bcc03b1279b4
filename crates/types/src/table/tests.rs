//! Rows of tables.

use super::*;
use crate::{ChunkId, SectionKind, SentenceSpan, SourceId, Span};

fn chunk(sentences: &[&str]) -> Chunk {
    let mut text = String::new();
    let mut spans = Vec::new();
    for (number, sentence) in (0..).zip(sentences) {
        let start = text.len();
        text.push_str(sentence);
        spans.push(SentenceSpan { span: Span::new(start, text.len()), number, page: 1 });
        text.push_str("\n\n");
    }
    Chunk {
        chunk_id: ChunkId::from_parts(&SourceId::from_stem("a"), SectionKind::Body, 0),
        source_id: SourceId::from_stem("a"),
        section: SectionKind::Body,
        heading: String::new(),
        ordinal: 0,
        page_start: 1,
        page_end: 1,
        span: Span::new(0, text.len()),
        prefix: String::new(),
        text,
        tokens: 0,
        sentences: spans,
        table_head: Vec::new(),
    }
}

#[test]
fn a_row_knows_what_stands_above_it() {
    let chunk = chunk(&[
        "Values were balanced.",
        "Table 1. Baseline values, mean (SD).",
        "Brisk | Steady | Control",
        "Age, years | 66.9 (4.1) | 66.6 (4.3) | 66.9 (4.2)",
        "Walk, m | 512 (68) | 508 (72) | 515 (66)",
        "Pressure fell.",
    ]);
    let row = chunk.table_row(4).expect("a row");
    assert_eq!(row.caption, "Table 1. Baseline values, mean (SD).");
    assert_eq!(row.columns, ["Brisk", "Steady", "Control"]);
    assert_eq!(row.cells[3], "515 (66)");
    assert_eq!(
        row.with_context(),
        "Table 1. Baseline values, mean (SD). Brisk Steady Control Walk, m 512 (68) 508 (72) 515 (66)"
    );
    for none in [0, 1, 2, 5, 9] {
        assert_eq!(chunk.table_row(none), None, "{none}");
    }
}

#[test]
fn empty_cells_shift_no_column_and_years_name_columns() {
    let years = chunk(&[
        "Table 1. Falls by year.",
        "Event | 2010 | 2015 | 2020",
        "Falls | 4 |  | 6",
        "Colds |  | 11 |",
        "| 7 | 8 | 9",
        "Smokers | 12 | 14",
    ]);
    assert_eq!(years.table_row(1), None);
    let row = |at: usize| years.table_row(at).expect("a row");
    assert_eq!(row(2).columns, ["2010", "2015", "2020"]);
    assert_eq!(row(2).cells, ["Falls", "4", "", "6"]);
    assert_eq!(row(3).cells, ["Colds", "", "11", ""]);
    assert!(row(2).is_clear() && !row(4).is_clear() && !row(5).is_clear());
    let doses = chunk(&["Table 1. Doses.", "0 mg | 10 mg | 50 mg", "Falls | 4 | 5"]);
    assert_eq!(doses.table_row(2).expect("a row").columns, ["10 mg", "50 mg"]);
    assert!(!has_values("Smoking |  |  |") && !is_name("Smoking |  |  |"));
    // Measures of one kind are values where a header stands above them.
    let data = chunk(&["Table 1. Mice.", "Line | Young | Old", "Weight | 20 g | 30 g"]);
    assert_eq!(data.table_row(2).expect("a row").columns, ["Young", "Old"]);
}

#[test]
fn a_header_may_have_three_rows_and_tests_stand_beside_groups() {
    let lines = [
        "Table 2: Gum disease by habit.",
        "No | Yes",
        "Gum disease | p value",
        "N | row % | N | row %",
        "Smoking | <.0001",
        "Current | 221 | 35.7 | 507 | 64.3",
        "Diabetes | <.0001",
        "Yes | 151 | 33.4 | 408 | 66.6",
    ];
    let whole = chunk(&lines);
    let row = whole.table_row(7).expect("a row");
    assert_eq!(row.columns, ["No: N", "No: row %", "Yes: N", "Yes: row %"]);
    assert_eq!(row.group, "Diabetes");
    assert_eq!([1, 2, 3].map(|at| whole.table_row(at)), [None, None, None]);
    // The next chunk knows all three.
    let before = lines[..6].iter().rev().copied();
    let head = table_head(before, lines[6..].iter().copied());
    assert_eq!(head, lines[..5]);
    let rest = Chunk { table_head: head, ..chunk(&lines[6..]) };
    assert_eq!(rest.table_row(1).expect("a row").columns, row.columns);
}

#[test]
fn a_table_may_have_parts_with_headers_of_their_own() {
    let lines = [
        "Table 4: Stay and cost by drug.",
        "Group 1 | Group 2 | p",
        "Warfarin+ | Warfarin− | p",
        "Stay (day) | 8.5 ± 7.7 | 6.1 ± 4.5 | 0.002",
        "Smoker | yes | no | ns",
        "Cost (dollar) | 554 ± 412 | 397 ± 366 | 0.001",
        "Aspirin+ | Aspirin− | p",
        "n = 43 | n = 441 | 1 vs 2",
        "Stay (day) | 6.0 ± 3.3 | 6.3 ± 4.8 | 0.362",
        "Cost (dollar) | 349 ± 256 | 412 ± 387 | 0.024",
    ];
    let whole = chunk(&lines);
    let columns = |at: usize| whole.table_row(at).expect("a row").columns;
    assert_eq!(columns(5), ["Group 1: Warfarin+", "Group 2: Warfarin−", "p"]);
    assert!(whole.table_row(4).is_some());
    assert_eq!([1, 2, 6, 7].map(|at| whole.table_row(at)), [const { None }; 4]);
    assert_eq!(columns(9), ["Aspirin+: n = 43", "Aspirin−: n = 441", "p: 1 vs 2"]);
    // The next chunk knows the header of its part.
    let rest = Chunk {
        table_head: table_head(lines[..9].iter().rev().copied(), lines[9..].iter().copied()),
        ..chunk(&lines[9..])
    };
    let row = rest.table_row(0).expect("a row");
    assert_eq!(row.caption, "Table 4: Stay and cost by drug.");
    assert_eq!(row.columns, ["Aspirin+: n = 43", "Aspirin−: n = 441", "p: 1 vs 2"]);
}

#[test]
fn names_of_columns_are_told_from_values() {
    for names in ["n = 43 | (n=35) | pa | 1 vs 3", "Adult, warfarin+ | Week 12 | p"] {
        assert!(is_name(names), "{names}");
    }
    for values in ["Sex | no | yes", "Dose | ns | 0.4", "Adults | 120 | 80", "Age | Sex"] {
        assert!(!is_name(values), "{values}");
    }
}

#[test]
fn rows_of_words_are_no_headers_of_parts() {
    let of = |lines: &[&str], at: usize| {
        let row = chunk(lines).table_row(at).map(|row| row.columns);
        row.unwrap_or_else(|| panic!("{at} is a row of {lines:?}"))
    };
    let words = [
        "Table 1. Studies of walking.",
        "Study | Design | Country",
        "Smith | Cohort | Norway",
        "Jones | Trial | Japan",
        "Lee | Survey | Sweden",
    ];
    for at in [2, 3, 4] {
        assert_eq!(of(&words, at), ["Design", "Country"]);
    }
    let mixed = [
        "Table 2. Two trials.",
        "Feature | Brisk | Sundown",
        "Adults | 120 | 80",
        "Sex | Male | Female",
        "Dose | not reported | not reported",
        "Weeks | 12 | 24",
    ];
    for at in [2, 3, 4, 5] {
        assert_eq!(of(&mixed, at), ["Brisk", "Sundown"]);
    }
}

#[test]
fn a_group_belongs_to_its_part() {
    let lines = [
        "Table 5: Scores.",
        "Fish eaters | Others | p",
        "All children",
        "IQ | 101 | 99 | 0.03",
        "Walkers | Sitters | p",
        "IQ | 103 | 98 | 0.02",
        "Boys",
        "IQ | 104 | 97 | 0.04",
    ];
    let whole = chunk(&lines);
    let group = |at: usize| whole.table_row(at).expect("a row").group.to_owned();
    assert_eq!([3, 5, 7].map(group), ["All children", "", "Boys"]);
    let head = table_head(lines[..7].iter().rev().copied(), lines[7..].iter().copied());
    assert_eq!(head, ["Table 5: Scores.", "Walkers | Sitters | p", "Boys"]);
}

#[test]
fn a_column_of_tests_holds_probabilities() {
    let values = chunk(&[
        "Table 3: Odds of gum disease.",
        "p value | p value",
        "Smoking | <.0001 | .0060",
        "Current | 2.74 [1.98, 3.80] | <.0001",
    ]);
    let row = values.table_row(3).expect("a row");
    assert_eq!((row.group, row.columns.len()), ("Smoking", 0), "2.74 is no p value");
    let tested = chunk(&["Table 3: Odds.", "Odds | p value", "Current | 2.74 | 0.03", "Former | 1.20 | 0.4"]);
    assert_eq!(tested.table_row(2).expect("a row").columns, ["Odds", "p value"]);
}

#[test]
fn a_row_without_header_or_caption_stands_alone() {
    let chunk = chunk(&["Age | 66.9 | 66.6", "Walk | 512 | 508"]);
    let row = chunk.table_row(0).expect("a row");
    assert_eq!((row.caption, row.header.len(), row.columns.len()), ("", 0, 0));
    let labelled = self::chunk(&["Measure | Before | After", "Walk | 512 | 508"]);
    assert_eq!(labelled.table_row(1).expect("a row").columns, ["Before", "After"]);
}

#[test]
fn a_row_has_a_group_and_columns_through_two_rows_of_header() {
    let chunk = chunk(&[
        "Table 2 Scores by what the mothers ate",
        "Mean (SE)",
        "Year | Fish | No fish",
        "Measure | N | Score | N | Score",
        "All children",
        "Reading, year 6 | 896 | 23.3 (0.2) | 118 | 21.5 (0.8)",
        "Boys",
        "Reading, year 6 | 446 | 22.9 (0.3) | 61 | 20.8 (1.1)",
        "Values are means of three tests, of which two were written.",
        "Adjusted | 1 | 2",
    ]);
    let row = chunk.table_row(7).expect("a row");
    assert_eq!((row.unit, row.group), ("Mean (SE)", "Boys"));
    assert_eq!(row.columns, ["Fish: N", "Fish: Score", "No fish: N", "No fish: Score"]);
    assert_eq!(chunk.table_row(5).expect("a row").group, "All children");
    let tested = self::chunk(&[
        "Table 3. Odds of periodontitis",
        "[95% confidence interval]",
        "Characteristic | Odds ratio | P",
        "Sex | <.0001",
        "a",
        "Male | 2.60 [2.17, 3.12]",
        "Smoking | 0.016",
        "Current | 2.74 [1.98, 3.80] | <.0001",
    ]);
    let row = |at: usize| tested.table_row(at).expect("a row");
    assert_eq!([5, 6, 7].map(|at| row(at).group), ["Sex", "", "Smoking"]);
    assert_eq!(
        (row(7).caption, row(7).unit),
        ("Table 3. Odds of periodontitis", "[95% confidence interval]")
    );
    assert_eq!((chunk.table_row(2), chunk.table_row(3)), (None, None));
    assert_eq!(chunk.table_row(9).expect("a row").caption, "");
}

#[test]
fn headers_and_captions_are_told_from_rows_and_prose() {
    for (header, want) in [
        ("Characteristic | Brisk (n = 60) | Control (n = 61)", true),
        ("Outcome | Week 0 | Week 12", true),
        ("Age | 66.9 (4.1) | (n = 39) | ± 2", false),
        ("Adjusted | −0.26 | < 0.001", false),
    ] {
        assert_eq!(is_header(&cells(header)), want, "{header}");
    }
    for (line, want) in [
        ("Table 2. mean values", true),
        ("TABLE II | Mean values", true),
        ("Table S1 Baseline data", true),
        ("Tablets were identical", false),
        ("Table 3 shows the values", false),
        ("Table", false),
    ] {
        assert_eq!(is_caption(line), want, "{line}");
    }
    for (line, want) in [("≥ 65 years", true), ("12 weeks", true), ("<0.0001", false), ("p", false)] {
        assert_eq!(is_label(line), want, "{line}");
    }
}

#[test]
fn a_table_goes_on_in_the_next_chunk() {
    let lines = [
        "Values were balanced.",
        "Table 2 Scores by what the mothers ate",
        "Measure | Fish | No fish",
        "All children",
        "Reading | 23.3 | 21.5",
        "Writing | 20.1 | 19.9",
        "Boys",
        "Reading | 22.9 | 20.8",
        "Writing | 19.0 | 18.8",
        "Sums | 14.2 | 13.7",
    ];
    let whole = chunk(&lines);
    for cut in 5..lines.len() {
        let mut rest = chunk(&lines[cut..]);
        rest.table_head = table_head(lines[..cut].iter().rev().copied(), lines[cut..].iter().copied());
        for at in cut..lines.len() {
            let row = |of: TableRow<'_>| TableRow { label_repeats: false, ..of }.with_context();
            assert_eq!(rest.table_row(at - cut).map(row), whole.table_row(at).map(row), "{cut} {at}");
        }
    }
    let head =
        |before: &[&str], after: &[&str]| table_head(before.iter().rev().copied(), after.iter().copied());
    let none: [String; 0] = [];
    // What is not inside a table has no head: prose before it or at its start, another table.
    let prose = "Boys read less than girls did in all years.";
    assert_eq!(head(&lines[..1], &lines[4..]), none);
    assert_eq!(head(&[&lines[..], &[prose]].concat(), &lines[4..]), none);
    assert_eq!(head(&lines, &[prose, lines[4]]), none);
    assert_eq!(head(&lines, &lines[1..]), none);
    assert_eq!(head(&lines, &["Girls", "b", lines[4]]), [lines[1], lines[2], lines[3], lines[4], lines[6]]);
}

#[test]
fn a_row_of_words_above_words_is_no_header() {
    let chunk = chunk(&["Blinding | yes | no", "Allocation | no | yes", "Loss | 3 | 4"]);
    assert_eq!(chunk.table_row(1).expect("a row").columns.len(), 0);
    assert_eq!(chunk.table_row(2).expect("a row").columns.len(), 0);
}

#[test]
fn an_upper_header_is_spread_by_what_repeats_below_it() {
    let values = |lower: &str| {
        let header = [cells("Year | Fish | No fish"), cells(lower)];
        heads(&header, header[1].len() - 1)
    };
    assert_eq!(
        values("Measure | N | Mean | SD | N | Mean | SD")[..4],
        ["Fish: N", "Fish: Mean", "Fish: SD", "No fish: N"]
    );
    assert_eq!(values("Measure | N | Mean | N | Mean | N | Mean")[..3], ["Year: N", "Year: Mean", "Fish: N"]);
    // Nothing says which cells belong together.
    assert_eq!(values("Measure | A | B | C | D | E | F")[..2], ["A", "B"]);
    assert!(heads(&[cells("Variable | Baseline | 12 weeks")], 6).is_empty());
}
