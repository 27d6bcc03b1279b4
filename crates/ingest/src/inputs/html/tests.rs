//! Made-up pages in the forms of LaTeXML, PubMed Central, Pandoc and others.

use super::*;
use proptest::prelude::*;
use types::{BlockKind, SectionKind};

fn document(page: &str) -> Document {
    read(page, &Limits::default()).expect("a page")
}

fn outline(d: &Document) -> Vec<(SectionKind, u8, &str)> {
    d.sections.iter().map(|s| (s.name, s.level, s.heading.as_str())).collect()
}

fn blocks(d: &Document) -> Vec<(BlockKind, &str, Option<&str>)> {
    let all = d.sections.iter().flat_map(|s| &s.blocks);
    all.map(|b| (b.kind, b.span.slice(&d.text).expect("inside"), b.label.as_deref())).collect()
}

#[test]
fn a_page_of_latexml_is_read() {
    use BlockKind::{Caption, Equation, Footnote, ListItem, Paragraph, TableRow};
    use SectionKind::{Abstract, Methods, References};
    let d = document(
        "<!DOCTYPE html><html><head><title>Of snails</title></head><body><nav class='ltx_page_navbar'><ol class='ltx_toclist'>\
         <li><h2>Contents</h2></li></ol></nav><div class='ltx_page_content'><article class='ltx_document'>\
         <h1 class='ltx_title ltx_title_document'>Of snails</h1><div class='ltx_authors'><span class='ltx_creator ltx_role_author'>\
         <span class='ltx_personname'>Jane Doe<sup class='ltx_sup'>1</sup>, Li Wei &amp; Max Poe<br class='ltx_break'/>University of X\
         </span></span></div><div class='ltx_abstract'><h6 class='ltx_title ltx_title_abstract'>Abstract</h6><p class='ltx_p'>Short.</p></div>\
         <section class='ltx_section'><h2 class='ltx_title ltx_title_section'><span class='ltx_tag'>2 </span>Methods</h2>\
         <div class='ltx_para'><p class='ltx_p'>We saw <math alttext='n=12'><semantics><mrow><mi>n</mi><mo>=</mo><mn>12</mn></mrow>\
         <annotation encoding='application/x-tex'>n=12</annotation></semantics></math> snails of <math alttext='\\mu'></math>\
         <span class='ltx_note ltx_role_footnote'><sup class='ltx_note_mark'>1</sup><span class='ltx_note_outer'><span class='ltx_note_content'>\
         <sup class='ltx_note_mark'>1</sup>In May.</span></span></span> <cite class='ltx_cite'>[<a href='#bib.bib1'>1</a>]</cite>.</p>\
         <table class='ltx_equation ltx_eqn_table'><tbody><tr><td></td><td><math display='block'><msup><mi>x</mi><mn>2</mn></msup></math></td>\
         <td>(1)</td></tr></tbody></table></div><h6 class='ltx_title ltx_runin ltx_title_theorem'>Theorem 1.</h6>\
         <figure class='ltx_table'><figcaption class='ltx_caption'><span class='ltx_tag'>Table 1: </span>Sleep.</figcaption>\
         <table class='ltx_tabular'><thead><tr><th rowspan='2'>Group</th><th colspan='2'>Hours</th></tr><tr><th>before</th><th>after</th></tr></thead>\
         <tbody><tr><td>A</td><td>1</td><td>2</td></tr></tbody></table></figure></section>\
         <section class='ltx_bibliography'><h2 class='ltx_title ltx_title_bibliography'>References</h2><ul class='ltx_biblist'>\
         <li class='ltx_bibitem'><span class='ltx_tag ltx_tag_bibitem'>[1]</span><span class='ltx_bibblock'>One.</span></li></ul></section></article></div>\
         <footer class='ltx_page_footer'>Generated</footer></body></html>",
    );
    assert_eq!(d.meta.title.as_deref(), Some("Of snails"));
    assert_eq!(d.meta.authors, ["Jane Doe", "Li Wei", "Max Poe"]);
    assert_eq!(
        outline(&d),
        [(Abstract, 1, "Abstract"), (Methods, 1, "2 Methods"), (References, 1, "References")]
    );
    let head = Some("Group | Hours before | Hours after");
    assert_eq!(
        blocks(&d),
        [
            (Paragraph, "Short.", None),
            (Paragraph, "We saw n=12 snails of \\mu [1].", None),
            (Footnote, "In May.", None),
            (Equation, "x^2(1)", None),
            (Paragraph, "Theorem 1.", None),
            (Caption, "Table 1: Sleep.", Some("Table 1")),
            (TableRow, "Group | Hours before | Hours after", None),
            (TableRow, "A | 1 | 2", head),
            (ListItem, "[1] One.", None),
        ]
    );
}

#[test]
fn a_page_of_pubmed_central_is_read() {
    use BlockKind::{Caption, ListItem, Paragraph, TableRow};
    use SectionKind::{Abstract, References, Results};
    let d = document(
        "<html><head><title>Slugs - PMC</title><meta name='citation_title' content='Slugs at &lt;night&gt;'>\
         <meta name='citation_author' content='Doe, Jane'><meta name='citation_author' content='Poe, Max, Jr.'>\
         <meta name='citation_publication_date' content='2021 May 3'><meta name='citation_doi' content='10.1000/ABC'>\
         <meta name='citation_journal_title' content='J Slime'><meta name='citation_volume' content='7'></head><body>\
         <div class='usa-banner'><header>An official website</header></div><div id='cookie-banner'>We use cookies</div>\
         <main id='main-content'><article><section class='front-matter'><h1>Slugs at &lt;night&gt;</h1><p>J Slime. 2021</p></section>\
         <section class='body main-article-body'><section class='abstract'><h2>Abstract</h2><p>Slugs slept<sup><a href='#B1'>1</a></sup>.</p></section>\
         <section><h2>3. Results</h2><p>Seven <i>hours</i>.</p><div hidden>secret</div><p style='DISPLAY : none'>secret</p>\
         <section class='tw xbox'><h3 class='obj_head'>Table 1.</h3><div class='caption p'><p>Hours of sleep</p></div>\
         <div class='tbl-box'><table><thead><tr><th>Slug</th><th>h</th></tr></thead><tbody><tr><td>A</td><td>7</td></tr></tbody></table></div>\
         <div class='p'><a href='table/T1'>Open in a new tab</a></div></section>\
         <figure class='fig xbox'><h3 class='obj_head'>Figure 1.</h3><img alt='x'><figcaption><p>A slug.</p></figcaption></figure></section>\
         <section class='ref-list'><h2>References</h2><ul><li><span class='label'>1.</span> <cite>One.</cite></li></ul></section></section>\
         </article></main><footer>Privacy</footer><script>var x = 'secret';</script></body></html>",
    );
    assert_eq!(d.meta.title.as_deref(), Some("Slugs at <night>"));
    assert_eq!(d.meta.authors, ["Jane Doe", "Poe, Max, Jr."]);
    assert_eq!(
        (d.meta.year, d.meta.doi.as_deref(), d.meta.venue.as_deref()),
        (Some(2021), Some("10.1000/abc"), Some("J Slime"))
    );
    assert_eq!(
        outline(&d),
        [(Abstract, 1, "Abstract"), (Results, 1, "3. Results"), (References, 1, "References")]
    );
    assert_eq!(
        blocks(&d),
        [
            (Paragraph, "Slugs slept.", None),
            (Paragraph, "Seven hours.", None),
            (Caption, "Table 1. Hours of sleep", Some("Table 1")),
            (TableRow, "Slug | h", None),
            (TableRow, "A | 7", Some("Slug | h")),
            (Caption, "Figure 1. A slug.", Some("Figure 1")),
            (ListItem, "1. One.", None),
        ]
    );
}

#[test]
fn loose_markup_reads_as_a_browser_shows_it() {
    use SectionKind::{Abstract, Body, Methods};
    let check = |page: &str, want: &[&str]| {
        let d = document(page);
        let texts: Vec<&str> = blocks(&d).iter().map(|(_, text, _)| *text).collect();
        assert_eq!(texts, want, "{page}");
    };
    check("one<p>two<div>three <b>four</b></div>five", &["one", "two", "three four", "five"]);
    check("<ul>loose<li>a<ul><li>b</ul>c<li>d</ul>", &["loose", "a", "b", "c", "d"]);
    check("<table role=presentation><tr><td>x<td>y</table>", &["x", "y"]);
    check("<table><tr><td>x<table><tr><td>1<td>2</table></table>", &["x", "1 | 2"]);
    check("<pre>\na <b>b</b>\n  c</pre>", &["a b\n  c"]);
    check("a<br>b &amp; c&nbsp;d<!-- no -->", &["a b & c d"]);
    check("<p>x<sup>2</sup> m<sup>−1</sup>", &["x^2 m^-1"]);
    check("<ol><li><h2>Methods</h2><p>a</li></ol>", &["a"]);
    check(
        "<div class='abstract'><div class='abstract-title'>Abstract</div><h1>Aims</h1>a</div><h1>Methods</h1>b",
        &["a", "b"],
    );
    check("<div class='references'><p>One.</p></div>", &["One."]);
    // XHTML: an element that ends in its own tag swallows nothing.
    check(
        "<?xml version='1.0'?><html><head><title/><script src='x'/></head><body><p>a</p><a id='q'/><p>b</p></body></html>",
        &["a", "b"],
    );
    let d = document(
        "<div class='abstract'><div class='abstract-title'>Abstract</div><h1>Aims</h1>a</div><h1>Methods</h1>b<h1>X</h1>",
    );
    assert_eq!(
        outline(&d),
        [(Abstract, 1, "Abstract"), (Abstract, 2, "Aims"), (Methods, 1, "Methods"), (Body, 1, "X")]
    );
    assert_eq!(outline(&document("<div class='abstract'><p>a</p></div>")), [(Abstract, 1, "Abstract")]);
    assert_eq!(outline(&document("<div class='references'><p>One.</p></div>"))[0].2, "References");
}

#[test]
fn what_is_said_beside_the_text_is_used() {
    let d = document(
        "<script type='application/ld+json'>{\"@graph\": [{\"@type\": \"WebPage\"}, {\"@type\": [\"ScholarlyArticle\"], \
         \"headline\": \"T\", \"author\": [{\"name\": \"A B\"}], \"datePublished\": \"2019-02-01\", \"sameAs\": \"https://doi.org/10.1/x\"}]}</script><h2>X</h2>",
    );
    let m = d.meta;
    assert_eq!(
        (m.title.as_deref(), m.year, m.doi.as_deref(), &m.authors[..]),
        (Some("T"), Some(2019), Some("10.1/x"), &["A B".to_owned()][..])
    );
    let d = document(
        "<meta name=DC.Title content=T><meta name=DC.creator content='A; B'><meta name=DC.identifier content='doi:10.1/Y'>x",
    );
    assert_eq!(
        (d.meta.title.as_deref(), d.meta.authors.len(), d.meta.doi.as_deref()),
        (Some("T"), 2, Some("10.1/y"))
    );
    assert_eq!(document("<title>W</title><h1>One</h1>x<h1>Two</h1>").meta.title.as_deref(), Some("W"));
    let few = "the page holds 1 words";
    assert!(document("x").warnings[0].contains(few));
}

#[test]
fn hostile_pages_end() {
    let check = |page: String, want: Option<&str>| match (read(&page, &Limits::default()), want) {
        (Ok(_), None) => {}
        (Err(error), Some(want)) => assert!(error.to_string().contains(want), "{error}"),
        (got, want) => panic!("{:?}, not {want:?}", got.map(|d| d.text.len())),
    };
    check("<div>".repeat(1_900) + "x", None);
    check("<div>".repeat(100_000), Some("nested deeper"));
    check("<b><i>".repeat(900) + "x", None);
    check("<ul><li>".repeat(1_000) + "x", Some("HTML nested deeper"));
    check("<table><tr><td>".repeat(1_000) + "x", None);
    check("<sup>".repeat(1_000) + "x", Some("HTML nested deeper"));
    check(
        format!("<table><tr><td colspan=4000000000 rowspan=4000000000>x{}", "<tr><td>y".repeat(1_000)),
        None,
    );
    check("<h1><h2><h3>".repeat(3_000), None);
    check("&lol;<!DOCTYPE x [<!ENTITY lol 'ha'>]>".to_owned(), None);
    let small = Limits { max_chars: 100, ..Limits::default() };
    assert!(matches!(read(&"<p>0123456789".repeat(50), &small), Err(ParseError::TooMuchText { .. })));
}

proptest! {
    #[test]
    fn no_markup_breaks_it(parts in proptest::collection::vec("</?(p|ul|li|table|tr|td|th|thead|caption|h[1-6]|sup|a href=#x|figure|figcaption|math|msup|mi|pre|div|section|br|dl|dt|svg|template)>|[a-z ]{0,4}", 0..60)) {
        document(&parts.concat());
    }
}
