use super::*;
use proptest::prelude::*;
use types::SectionKind;

fn document(text: &str) -> Document {
    read(text, &Limits::default()).expect("small")
}

fn outline(document: &Document) -> Vec<(u8, &str, SectionKind)> {
    let each = document.sections.iter();
    each.map(|s| (s.level, s.heading.as_str(), s.name)).collect()
}

fn blocks(document: &Document) -> Vec<(BlockKind, &str, Option<&str>)> {
    let all = document.sections.iter().flat_map(|s| &s.blocks);
    all.map(|b| (b.kind, b.span.slice(&document.text).expect("inside"), b.label.as_deref())).collect()
}

#[test]
fn headings_of_both_kinds_become_sections() {
    use SectionKind::{Abstract, Methods, References};
    let d = document(
        "# Sleep of *snails* {#top}\n\n## Abstract\n\nShort.\n\n2 Methods\n---------\n\nWe [watched](http://x) them\n\
         `all` night.\n\n### Statistics ###\n\nMixed model.\n\n## References\n\n1. One.\n",
    );
    assert_eq!(d.meta.title.as_deref(), Some("Sleep of snails"));
    assert_eq!(
        outline(&d),
        [
            (1, "Abstract", Abstract),
            (1, "2 Methods", Methods),
            (2, "Statistics", Methods),
            (1, "References", References)
        ]
    );
    assert_eq!(d.section_text(&d.sections[1]), "We watched them all night.");
    assert_eq!(d.pages, 1);
}

#[test]
fn the_title_is_found_or_left_alone() {
    let check = |text: &str, title: Option<&str>, headings: &[&str]| {
        let d = document(text);
        assert_eq!(d.meta.title.as_deref(), title, "{text}");
        assert_eq!(outline(&d).iter().map(|o| o.1).collect::<Vec<_>>(), headings, "{text}");
    };
    check("---\ntitle: T\n---\n# Summary\nx\n# Methods\ny", Some("T"), &["Summary", "Methods"]);
    check("---\ntitle: The Tale\n---\n# The tale\nx\n## Methods\ny", Some("The Tale"), &["", "Methods"]);
    check("# A tale\nx\n# Methods\ny", Some("A tale"), &["", "Methods"]);
    check("# Introduction\nx\n# Methods\ny", None, &["Introduction", "Methods"]);
    check("# One\nx\n# Two\ny", None, &["One", "Two"]);
    check("x\n# Late\ny", None, &["", "Late"]);
    check("", None, &[]);
}

#[test]
fn blocks_have_their_kinds() {
    use BlockKind::{Caption, Equation, Footnote, ListItem, Paragraph, TableRow};
    let d = document(
        "Text costs $5 and $x_1$.[^1]\n\n- one\n- two\n  - [x] three\n\n  more of two\n\n| Group | n |\n|---|---|\n| A | **4** |\n| | |\n| B | |\n\n\
         ```r\nx <- 1\n\n  y\n```\n\n![Figure 1. Snails](a.png)\n\nTable 2: Doses\n\n$$a = b$$\n\n> quoted\n\n<div>html <b>bold</b><!-- no --> 1 < 2</div>\n\n[^1]: A note.\n",
    );
    assert_eq!(
        blocks(&d),
        [
            (Paragraph, "Text costs $5 and $x_1$.", None),
            (ListItem, "one", None),
            (ListItem, "two", None),
            (ListItem, "three", None),
            (ListItem, "more of two", None),
            (TableRow, "Group | n", None),
            (TableRow, "A | 4", Some("Group | n")),
            (TableRow, "B |", Some("Group | n")),
            (Paragraph, "x <- 1\n\n  y", None),
            (Caption, "Figure 1. Snails", Some("Figure 1")),
            (Caption, "Table 2: Doses", Some("Table 2")),
            (Equation, "$$a = b$$", None),
            (Paragraph, "quoted", None),
            (Paragraph, "html bold 1 < 2", None),
            (Footnote, "A note.", None),
        ]
    );
}

#[test]
fn tables_in_html_are_rows_under_their_columns() {
    use BlockKind::{Caption, Paragraph, TableRow};
    let header = "Group | Iron start | Iron end | Time";
    let rows = [
        (TableRow, header, None),
        (TableRow, "Sap | 31.2 | 44.7 | 21.6", Some(header)),
        (TableRow, "Water | 30.8 | 29.9 | 22.1", Some(header)),
    ];
    let body = "<tr><td>Sap</td><td>31.2</td><td>44.7</td><td>21.6<br></td></tr>\
        <tr><td>Water</td><td>30.8</td><td>29.9</td><td>22.1</td></tr>";
    for table in [
        format!(
            "<html><body><table><tr><td rowspan=2>Group</td><td colspan=\"2\">Iron</td><td rowspan=\"2\">Time</td></tr>\
            <tr><td>start</td><td>end</td></tr>{body}</table></body></html>"
        ),
        format!(
            "<table><thead><tr><th>Group</th><th>Iron start</th><th>Iron end</th><th>Time</th></tr></thead>{body}</table>"
        ),
    ] {
        let d = document(&format!("Table 2: Iron\n\n{table}\n\nIt rose.\n"));
        let mut want = vec![(Caption, "Table 2: Iron", Some("Table 2"))];
        want.extend(rows);
        want.push((Paragraph, "It rose.", None));
        assert_eq!(blocks(&d), want);
    }
    // One that is not well formed is text.
    let torn = document("<table><tr><td>a</tr></td></table>\n");
    assert_eq!(torn.text, "a");
}

#[test]
fn converters_say_where_pages_begin() {
    let rule = "-".repeat(48);
    for (first, second) in [
        (format!("{{0}}{rule}"), format!("{{1}}{rule}")),
        ("<!-- page 1 -->".to_owned(), "<!-- Page: 2 -->".to_owned()),
        (String::new(), "<!-- page break -->".to_owned()),
    ] {
        let d = document(&format!("{first}\n\n# Fog nets\n\nOne.\n\n{second}\n\n## Results\n\nTwo.\n"));
        assert_eq!(d.meta.title.as_deref(), Some("Fog nets"));
        assert!(!d.text.contains("{1}"), "{}", d.text);
        let pages: Vec<u32> = d.sections.iter().map(|section| section.page_start).collect();
        assert_eq!((pages, d.pages), (vec![1, 2], 2));
    }
}

#[test]
fn raised_text_is_what_it_is() {
    let check = |text: &str, want: &str| {
        let d = document(text);
        assert_eq!(d.text, want, "{text}");
    };
    check("3 × 10<sup>6</sup> and H<sub>2</sub>O, 250<sup>9</sup> mg", "3 × 10^6 and H2O, 250 mg");
    check("10^6^ cells per m^2^, H~2~O, disease^3,4^ rose", "10^6 cells per m^2, H2O, disease rose");
    check("x^2 and y^2, 2^10 times", "x^2 and y^2, 2^10 times");
    check("a note.[^9] Next", "a note. Next");
    check(
        r"It was $1 4 . 8 \ \mu \mathrm { g / L }$ ( $p = 0 . 0 0 3$ ), $2 . 5 \times 1 0 ^ { 6 }$ or $3 7 ^ { \circ } \mathrm { C }$.",
        "It was 14.8 µg/L ( p = 0.003 ), 2.5 × 10^6 or 37°C.",
    );
    check(r"$\frac { 1 2 } { 3 }$ and $x_1$", r"$\frac { 12} { 3}$ and $x_1$");
    check("<p>10<sup>6</sup> cells &amp; 5&nbsp;m&sup2;, Ca<sup>2+</sup></p>", "10^6 cells & 5 m², Ca2+");
    check("| a<sup>2</sup> |\n|---|\n| 10<sup>−3</sup> |", "a^2\n\n10^-3");
}

#[test]
fn hostile_nesting_is_read_in_linear_time() {
    for (open, n) in
        [(">", 20_000), ("- ", 5_000), ("[", 50_000), ("*a_", 20_000), ("<!-- ", 20_000), ("|", 50_000)]
    {
        document(&format!("{}x", open.repeat(n)));
    }
}

proptest! {
    #[test]
    fn no_text_breaks_it(text in "([-#*_`>|!<\\[\\]()$~^:=+ \n\t]|[a-z]{1,4}|---\n|\\PC){0,80}") {
        let d = document(&text);
        for section in &d.sections {
            prop_assert!(section.span.slice(&d.text).is_some());
            for block in &section.blocks {
                prop_assert!(section.span.contains(block.span) && !block.span.is_empty());
            }
        }
    }
}
