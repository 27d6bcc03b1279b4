//! Damage: each metric falls on exactly the document that was damaged, and on no other.

use super::jats;
use super::ours::Ours;
use super::paper::{METRICS, Paper, score};
use types::{Document, Section, SectionKind, SourceMeta, Span};

const FIRST: &str = "Snails that sleep long grow faster than snails that sleep little, as everyone who kept them for a year knows well.";
const SECOND: &str = "We weighed one hundred and twenty snails of three gardens on each morning over two full summers and a winter.";
const THIRD: &str = "Their temperature was taken with a thermometer of glass that had been made for the purpose by a local artisan.";
const FOURTH: &str = "Long sleepers gained twice the weight of short sleepers in every garden, and the wet summer made no difference.";
const CITED: &str = "A long treatise on the habits of sleeping molluscs in gardens";

fn truth() -> jats::Truth {
    let xml = format!(
        "<article><front><article-meta><article-id pub-id-type='doi'>10.1/x</article-id>
        <title-group><article-title>Sleep and growth of snails</article-title></title-group>
        <contrib-group><contrib contrib-type='author'><name><surname>Smith</surname><given-names>Jane</given-names></name></contrib>
        <contrib contrib-type='author'><name><surname>Wei</surname><given-names>Li</given-names></name></contrib></contrib-group>
        <pub-date><year>2019</year></pub-date><abstract><p>Short.</p></abstract></article-meta></front>
        <body><sec><label>1</label><title>Introduction</title><p>{FIRST}</p></sec>
        <sec><label>2</label><title>Methods</title><p>{SECOND}</p><sec><label>2.1</label><title>Temperature</title><p>{THIRD}</p></sec></sec>
        <sec><title>Unprinted heading</title></sec>
        <sec><label>3</label><title>Results</title><p>{FOURTH}</p></sec></body>
        <back><ref-list><ref><element-citation><article-title>{CITED}</article-title></element-citation></ref></ref-list></back></article>"
    );
    jats::read(&xml).expect("a JATS article")
}

/// Heading, text.
type Part = (&'static str, String);

fn parts() -> Vec<Part> {
    let part = |heading, text: &str| (heading, text.to_owned());
    vec![
        part("Abstract", "Short."),
        part("1 Introduction", FIRST),
        part("2 Methods", SECOND),
        part("2.1 Temperature", THIRD),
        part("3 Results", FOURTH),
        part("References", CITED),
    ]
}

fn document(parts: &[Part]) -> Document {
    let mut document = Document {
        meta: SourceMeta {
            title: Some("Sleep and Growth of Snails".to_owned()),
            authors: vec!["Jane A. Smith".to_owned(), "Li Wei".to_owned()],
            year: Some(2019),
            doi: Some("10.1/X".to_owned()),
            ..SourceMeta::default()
        },
        pages: 1,
        ..Document::default()
    };
    for (heading, text) in parts {
        let start = document.text.len();
        document.text.push_str(text);
        let name = if *heading == "References" {
            SectionKind::References
        } else {
            SectionKind::Body
        };
        document.sections.push(Section {
            name,
            heading: (*heading).to_owned(),
            level: 1,
            page_start: 1,
            page_end: 1,
            span: Span::new(start, document.text.len()),
            blocks: Vec::new(),
        });
        document.text.push('\n');
    }
    document
}

fn raw_text() -> String {
    let printed = parts();
    let lines = printed.iter().map(|(heading, text)| format!("{heading}\n{text}"));
    lines.collect::<Vec<_>>().join("\n")
}

fn scored(document: &Document) -> Paper {
    score(
        "p".to_owned(),
        truth(),
        Ok(Ours::from(document)),
        Some(&raw_text()),
    )
}

/// The metrics that have a value and are worse than those of a faultless reading.
fn worse(paper: &Paper) -> Vec<&'static str> {
    let faulty = METRICS.iter().filter(|m| {
        let best = if m.low_is_good { 0.0 } else { 1.0 };
        paper.shares[m.key]
            .value()
            .is_some_and(|v| (v - best).abs() > 1e-12)
    });
    faulty.map(|m| m.key).collect()
}

const HEADINGS: [&str; 6] = [
    "soft_precision",
    "soft_recall",
    "soft_f1",
    "strict_precision",
    "strict_recall",
    "strict_f1",
];

#[test]
fn a_faultless_reading_is_perfect_and_what_is_not_printed_is_set_apart() {
    let paper = scored(&document(&parts()));
    assert_eq!(worse(&paper), [""; 0]);
    // "Abstract" and "References" are pardoned: the truth has the elements without a title.
    assert_eq!(paper.shares["soft_precision"].of, 4);
    let absent: Vec<&str> = paper
        .headings
        .absent
        .iter()
        .map(|t| paper.truth.headings[*t].printed.as_str())
        .collect();
    assert_eq!(absent, ["Unprinted heading"]);
}

#[test]
fn each_damage_shows_where_it_should_and_nowhere_else() {
    let check = |what: &str, damage: &dyn Fn(&mut Vec<Part>), want: &[&str]| {
        let mut damaged = parts();
        damage(&mut damaged);
        assert_eq!(worse(&scored(&document(&damaged))), want, "{what}");
    };
    let with = |headings: &[&'static str], others: &[&'static str]| [headings, others].concat();
    let precision = ["soft_precision", "soft_f1", "strict_precision", "strict_f1"];
    let recall = ["soft_recall", "soft_f1", "strict_recall", "strict_f1"];

    check(
        "a heading is lost, its text goes to the section before",
        &|p| {
            let text = p.remove(3).1;
            p[2].1 = format!("{} {text}", p[2].1);
        },
        &with(&recall, &["paragraphs_right_section"]),
    );
    check(
        "a heading is invented behind the text",
        &|p| p.insert(5, ("Figure 1", "A snail.".to_owned())),
        &precision,
    );
    check(
        "a standard heading is pardoned once, not twice",
        &|p| p.insert(1, ("Abstract", "Again.".to_owned())),
        &precision,
    );
    check(
        "the case of a heading differs",
        &|p| p[4].0 = "RESULTS:",
        &HEADINGS[3..],
    );
    check(
        "a heading is misread",
        &|p| p[4].0 = "Resuits",
        &with(&HEADINGS, &["paragraphs_right_section"]),
    );
    check(
        "two sections change places",
        &|p| p.swap(2, 4),
        &["section_order", "reading_order"],
    );
    check(
        "a caption stands in the middle of a paragraph",
        &|p| p[1].1 = FIRST.replacen("grow faster", "grow Figure 2. Snails. faster", 1),
        &["paragraphs_whole"],
    );
    check(
        "a paragraph is lost",
        &|p| p[1].1 = "Something else.".to_owned(),
        &["paragraphs_whole", "paragraphs_right_section"],
    );
    check(
        "two paragraphs change places within their section",
        &|p| {
            // Both under the same heading, so that only the order can tell.
            let text = p.remove(3).1;
            p[2].1 = format!("{text} {}", p[2].1);
        },
        &with(&recall, &["paragraphs_right_section", "reading_order"]),
    );
    check(
        "a reference stands in the last section",
        &|p| p[4].1 = format!("{} {CITED}", p[4].1),
        &["reference_leak"],
    );
}

#[test]
fn the_front_is_compared_field_by_field() {
    let check = |damage: &dyn Fn(&mut SourceMeta), want: &[&str]| {
        let mut damaged = document(&parts());
        damage(&mut damaged.meta);
        assert_eq!(worse(&scored(&damaged)), want);
    };
    let authors = ["author_precision", "author_recall", "author_f1", "authors_exact"];
    let first = |others: &[&'static str]| [&["first_author"], others].concat();
    check(
        &|m| m.title = Some("Sleep and growth".to_owned()),
        &["title", "title_precision"],
    );
    check(&|m| m.title = None, &["title"]);
    check(&|m| m.authors.swap(0, 1), &["first_author"]);
    check(&|m| m.authors[0] = "A. Smithson".to_owned(), &first(&authors));
    check(&|m| m.authors[1].push('b'), &authors);
    check(&|m| m.authors.truncate(1), &authors[1..]);
    check(
        &|m| m.authors.push("Snails Highlights".to_owned()),
        &["author_precision", "author_f1", "authors_exact"],
    );
    check(&|m| m.authors.clear(), &first(&authors[1..]));
    check(&|m| m.year = Some(2018), &["year", "year_precision"]);
    check(&|m| m.year = None, &["year"]);
    check(&|m| m.doi = None, &["doi"]);
    check(
        &|m| m.doi = Some("10.1/x/-/more".to_owned()),
        &["doi", "doi_precision"],
    );
}

#[test]
fn a_paper_that_was_not_read_has_missed_everything() {
    let paper = score(
        "p".to_owned(),
        truth(),
        Err("crashed".to_owned()),
        Some(&raw_text()),
    );
    let value = |key: &str| paper.shares[key].value();
    assert_eq!(value("soft_recall"), Some(0.0));
    assert_eq!(value("soft_f1"), Some(0.0));
    assert_eq!(value("paragraphs_whole"), Some(0.0));
    assert_eq!(value("paragraphs_right_section"), Some(0.0));
    assert_eq!(value("title"), Some(0.0));
    assert_eq!(
        (value("author_recall"), value("author_precision")),
        (Some(0.0), None)
    );
    // Leaking nothing is no merit of a paper that was not read.
    assert_eq!(value("reference_leak"), None);
}

#[test]
fn without_plain_text_nothing_counts_as_absent() {
    let paper = score("p".to_owned(), truth(), Ok(Ours::from(&document(&parts()))), None);
    assert_eq!(paper.shares["soft_recall"].value(), Some(0.8));
    assert!(paper.headings.absent.is_empty());
}

#[test]
fn a_name_that_comes_twice_is_paired_in_order() {
    // The abstract's "Methods" is missed: the body's must not be taken for it.
    let xml = "<article><front><article-meta><abstract><sec><title>Aims</title></sec><sec><title>Methods</title></sec>
        </abstract></article-meta></front><body><sec><title>Introduction</title></sec><sec><title>Methods</title></sec></body></article>";
    let truth = jats::read(xml).expect("a JATS article");
    let part = |heading| (heading, String::new());
    let ours = Ours::from(&document(&[part("Aims"), part("Introduction"), part("Methods")]));
    let paper = score("p".to_owned(), truth, Ok(ours), None);
    assert_eq!(paper.headings.pairs, [(0, 0), (1, 2), (2, 3)]);
    assert_eq!(paper.headings.missed, [1]);
}

#[test]
fn the_whole_is_weighted_both_ways_with_an_interval() {
    let good = scored(&document(&parts()));
    let bad = score(
        "q".to_owned(),
        truth(),
        Err("crashed".to_owned()),
        Some(&raw_text()),
    );
    let summary = super::summary::summarise(&[good, bad], 1);
    let f1 = &summary.all.metrics["soft_f1"];
    // 8 of 8 and 0 of 4.
    assert_eq!((f1.hits, f1.of), (8, 12));
    assert!((f1.micro.expect("a value") - 8.0 / 12.0).abs() < 1e-12);
    assert_eq!(f1.by_paper, Some(0.5));
    assert!(f1.ci_low < f1.micro && f1.micro < f1.ci_high, "{f1:?}");
    assert_eq!(summary.all.failed, 1);
    assert_eq!(
        (
            summary.all.metrics["reference_leak"].papers,
            summary.all.metrics["reference_leak"].n_a
        ),
        (1, 1)
    );
    let gate = |text: &str| {
        text.parse::<super::gate::Gate>()
            .expect("a gate")
            .fault(&summary.all)
            .is_none()
    };
    assert!(gate("soft_f1=0.66") && !gate("soft_f1=0.67") && gate("reference_leak=0"));
}
