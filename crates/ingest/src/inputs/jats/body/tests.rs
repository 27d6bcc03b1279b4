//! Made-up articles, from XML to sections and blocks.

use super::super::read;
use crate::Limits;
use proptest::prelude::*;
use types::{BlockKind, Document, SectionKind};

fn document(inside: &str) -> Document {
    read(&format!("<article>{inside}</article>"), &Limits::default()).expect("an article")
}

fn outline(d: &Document) -> Vec<(SectionKind, u8, &str)> {
    d.sections.iter().map(|s| (s.name, s.level, s.heading.as_str())).collect()
}

fn blocks(d: &Document) -> Vec<(BlockKind, &str, Option<&str>)> {
    let all = d.sections.iter().flat_map(|s| &s.blocks);
    all.map(|b| (b.kind, b.span.slice(&d.text).expect("inside"), b.label.as_deref())).collect()
}

#[test]
fn sections_nest_and_keep_their_numbers() {
    use SectionKind::{Abstract, Discussion, Introduction, Methods, References, Supplementary};
    let d = document(
        "<front><article-meta><abstract><sec><title>Methods</title><p>We looked.</p></sec></abstract>\
         <abstract abstract-type='graphical'><p><fig><graphic/></fig></p></abstract></article-meta></front>\
         <body><sec><label>1</label><title>Introduction</title><p>Why.</p></sec>\
         <sec><label>2.</label><title>Methods</title><sec><label>2.1.</label><title>Ethics</title><p>Good.</p>\
         <sec><p>No heading.</p></sec></sec></sec><sec><title>Discussion</title></sec></body>\
         <back><ack><p>Thanks.</p></ack><ref-list><ref><label>1</label><mixed-citation>One.</mixed-citation></ref></ref-list>\
         <app-group><app><title>Appendix</title><sec><title>Methods</title><p>More.</p></sec></app></app-group></back>",
    );
    assert_eq!(
        outline(&d),
        [
            (Abstract, 1, "Abstract"),
            (Abstract, 2, "Methods"),
            (Introduction, 1, "1 Introduction"),
            (Methods, 1, "2. Methods"),
            (Methods, 2, "2.1. Ethics"),
            (Discussion, 1, "Discussion"),
            (Supplementary, 1, "Acknowledgements"),
            (References, 1, "References"),
            (Supplementary, 1, "Appendix"),
            (Supplementary, 2, "Methods"),
        ]
    );
    assert_eq!(d.section_text(&d.sections[4]), "Good.\n\nNo heading.");
    assert_eq!(d.section_text(&d.sections[7]), "1 One.");
}

#[test]
fn blocks_inside_paragraphs_stand_in_their_place() {
    use BlockKind::{Caption, Equation, Footnote, ListItem, Paragraph, TableRow};
    let d = document(
        "<body><p>Before<fn><p>A note.</p></fn> <list><list-item><label>a)</label><p>one</p></list-item><list-item><p>two\
         <list><list-item><p>deep</p></list-item></list></p></list-item></list> after \
         <disp-formula><mml:math><mml:mi>x</mml:mi><mml:mo>=</mml:mo><mml:mn>1</mml:mn></mml:math></disp-formula> end.</p>\
         <table-wrap id='t1'><label>Table 1.</label><caption><title>Doses</title><p>In mg.</p></caption>\
         <table><thead><tr><th>Group</th><th>n</th></tr></thead><tbody><tr><td>A</td><td>4</td></tr></tbody></table>\
         <table-wrap-foot><fn><p>Of all.</p></fn></table-wrap-foot></table-wrap>\
         <def-list><def-item><term>VO2</term><def><p>oxygen uptake</p></def></def-item></def-list>\
         <preformat>a\n b</preformat></body>",
    );
    assert_eq!(
        blocks(&d),
        [
            (Paragraph, "Before", None),
            (Footnote, "A note.", None),
            (ListItem, "a) one", None),
            (ListItem, "two", None),
            (ListItem, "deep", None),
            (Paragraph, "after", None),
            (Equation, "x=1", None),
            (Paragraph, "end.", None),
            (Caption, "Table 1. Doses In mg.", Some("Table 1")),
            (TableRow, "Group | n", None),
            (TableRow, "A | 4", Some("Group | n")),
            (Footnote, "Of all.", None),
            (ListItem, "VO2: oxygen uptake", None),
            (Paragraph, "a\n b", None),
        ]
    );
}

#[test]
fn floats_come_behind_the_section_that_speaks_of_them() {
    let d = document(
        "<body><sec><title>Results</title><p>See <xref ref-type='fig' rid='f2'>Fig 2</xref>.</p>\
         <sec><title>Mice</title><p>And <xref ref-type='fig' rid='f2 f1'>both</xref>.</p></sec></sec></body>\
         <floats-group><fig id='f1'><label>Fig 1</label><caption><p>First.</p></caption></fig>\
         <fig id='f2'><label>Fig 2</label><caption><p>Second.</p></caption></fig>\
         <fig id='f3'><label>Fig 3</label></fig></floats-group>",
    );
    let texts: Vec<String> = d.sections.iter().map(|s| d.section_text(s).to_owned()).collect();
    assert_eq!(texts, ["See Fig 2.\n\nFig 2. Second.", "And both.\n\nFig 1. First.", "Fig 3"]);
}

#[test]
fn what_holds_no_article_says_so() {
    let check = |xml: &str, want: &str| {
        let error = read(xml, &Limits::default()).expect_err("no article").to_string();
        assert!(error.contains(want), "{error}");
    };
    check("<html/>", "<html>");
    check("<article><para/></article>", "neither <front> nor <body>");
    check("<pmc-articleset/>", "no article");
    check("<pmc-articleset><article/><article/></pmc-articleset>", "2 articles");
    let set = "<pmc-articleset><article><body><p>x</p></body></article></pmc-articleset>";
    assert!(read(set, &Limits::default()).is_ok());
}

proptest! {
    #[test]
    fn no_markup_breaks_it(inside in "(</?(body|sec|p|title|table|tr|td|list|list-item|fig|xref|sup|back|ref-list|fn|alternatives)>|[a-c <&;]){0,60}") {
        let _ = read(&format!("<article><body>{inside}</body></article>"), &Limits::default());
    }
    #[test]
    fn any_nesting_is_laid_down_whole(names in proptest::collection::vec(0..12_usize, 1..40)) {
        const NAMES: [&str; 12] = [
            "sec", "p", "list", "list-item", "fig", "caption", "table-wrap", "table", "tr", "td", "disp-quote", "boxed-text",
        ];
        let open = names.iter().fold(String::new(), |xml, n| xml + "<" + NAMES[*n] + ">");
        let close = names.iter().rev().fold(String::new(), |xml, n| xml + "</" + NAMES[*n] + ">");
        let d = document(&format!("<body>{open}x{close}</body>"));
        for section in &d.sections {
            prop_assert!(section.span.slice(&d.text).is_some());
        }
    }
}
