//! Made-up documents of Word.

use super::*;
use std::io::Write as _;
use types::{BlockKind, SectionKind};
use zip::{ZipWriter, write::SimpleFileOptions};

const STYLES: &str = "<w:styles><w:style w:styleId='berschrift1'><w:name w:val='heading 1'/></w:style>\
    <w:style w:styleId='Mein'><w:basedOn w:val='berschrift2'/><w:name w:val='Mein Stil'/></w:style>\
    <w:style w:styleId='berschrift2'><w:basedOn w:val='Mein2'/><w:pPr><w:outlineLvl w:val='1'/></w:pPr></w:style>\
    <w:style w:styleId='Mein2'><w:basedOn w:val='berschrift2'/></w:style>\
    <w:style w:styleId='Titel'><w:name w:val='Title'/></w:style><w:style w:styleId='V1'><w:name w:val='toc 1'/></w:style>\
    <w:style w:styleId='Leise'><w:rPr><w:vanish/></w:rPr></w:style><w:style w:styleId='L'><w:pPr><w:numPr/></w:pPr></w:style></w:styles>";
const NOTES: &str = "<w:footnotes><w:footnote w:type='separator' w:id='1'><w:p><w:r><w:t>-</w:t></w:r></w:p></w:footnote>\
    <w:footnote w:id='2'><w:p><w:r><w:t>In May.</w:t><w:footnoteReference w:id='2'/></w:r></w:p></w:footnote></w:footnotes>";
const CORE: &str = "<cp:coreProperties><dc:title>Of snails and slugs</dc:title><dc:creator>Jane Doe; Microsoft Office User</dc:creator></cp:coreProperties>";

fn docx(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).expect("begun");
        zip.write_all(text.as_bytes()).expect("written");
    }
    zip.finish().expect("whole").into_inner()
}

fn document(body: &str) -> Document {
    let main = format!("<w:document><w:body>{body}</w:body></w:document>");
    let parts = [
        ("word/document.xml", main.as_str()),
        ("word/styles.xml", STYLES),
        ("word/footnotes.xml", NOTES),
        ("docProps/core.xml", CORE),
    ];
    read(&docx(&parts), &Limits::default()).expect("a document")
}

fn p(style: &str, text: &str) -> String {
    format!("<w:p><w:pPr><w:pStyle w:val='{style}'/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
}

fn blocks(d: &Document) -> Vec<(BlockKind, &str)> {
    let all = d.sections.iter().flat_map(|s| &s.blocks);
    all.map(|b| (b.kind, b.span.slice(&d.text).expect("inside"))).collect()
}

#[test]
fn headings_follow_styles_in_any_language() {
    use SectionKind::{Methods, References};
    let d = document(
        &[
            p("Titel", "Of snails"),
            p("V1", "Methods 3"),
            p("berschrift1", "2 Methods"),
            p("", "We looked."),
            p("Mein", "2.1 Animals"),
            p("L", "one"),
            "<w:p><w:pPr><w:outlineLvl w:val='2'/></w:pPr><w:r><w:t>Deep</w:t></w:r></w:p>".to_owned(),
            p("", "References"),
            p("", "1. One."),
        ]
        .concat(),
    );
    assert_eq!(
        (d.meta.title.as_deref(), &d.meta.authors[..]),
        (Some("Of snails"), &["Jane Doe".to_owned()][..])
    );
    let outline: Vec<_> = d.sections.iter().map(|s| (s.name, s.level, s.heading.as_str())).collect();
    assert_eq!(
        outline,
        [
            (Methods, 1, "2 Methods"),
            (Methods, 2, "2.1 Animals"),
            (Methods, 3, "Deep"),
            (References, 1, "References")
        ]
    );
    assert_eq!(blocks(&d)[1], (BlockKind::ListItem, "one"));
}

#[test]
fn a_document_without_styles_is_read_by_its_looks() {
    let bold = |text: &str| format!("<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>{text}</w:t></w:r></w:p>");
    let d = document(
        &[bold("Sleep of slugs"), bold("1. Aims"), p("", "To look."), bold("1.1 How"), p("", "Methods")]
            .concat(),
    );
    let outline: Vec<_> = d.sections.iter().map(|s| (s.level, s.heading.as_str())).collect();
    assert_eq!(
        (d.meta.title.as_deref(), &outline[..]),
        (Some("Sleep of slugs"), &[(1, "1. Aims"), (2, "1.1 How"), (1, "Methods")][..])
    );
}

#[test]
fn text_reads_as_printed() {
    use BlockKind::{Equation, Footnote, Paragraph};
    let check = |runs: &str, want: &[(BlockKind, &str)]| {
        let d = document(&format!("{}<w:p>{runs}</w:p>", p("Titel", "T")));
        assert_eq!(blocks(&d), want, "{runs}");
    };
    let t = |text: &str| format!("<w:r><w:t xml:space='preserve'>{text}</w:t></w:r>");
    let up =
        |text: &str| format!("<w:r><w:rPr><w:vertAlign w:val='superscript'/></w:rPr><w:t>{text}</w:t></w:r>");
    check(
        &format!(
            "{}<w:ins>{}</w:ins><w:del><w:r><w:delText>gone</w:delText></w:r>{}</w:del>",
            t("kept "),
            t("added"),
            t("no")
        ),
        &[(Paragraph, "kept added")],
    );
    check(
        &format!(
            "{}<w:r><w:rPr><w:vanish/></w:rPr><w:t>x</w:t></w:r><w:r><w:rPr><w:rStyle w:val='Leise'/></w:rPr><w:t>y</w:t></w:r>\
                  <w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>z</w:t></w:r>",
            t("a")
        ),
        &[(Paragraph, "az")],
    );
    check(&format!("{}{}{}{}", t("as said"), up("1"), up(",2"), t(". 5 m")), &[(Paragraph, "as said. 5 m")]);
    check(&format!("{}{}", t("10"), up("-3")), &[(Paragraph, "10^-3")]);
    check(
        &format!("{}<w:r><w:footnoteReference w:id='2'/></w:r>{}", t("a"), t("b")),
        &[(Paragraph, "ab"), (Footnote, "In May.")],
    );
    check(
        "<w:r><w:sym w:font='Symbol' w:char='F06D'/><w:t>g</w:t><w:tab/><w:t>x</w:t></w:r>",
        &[(Paragraph, "μg x")],
    );
    let power = "<m:oMath><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>";
    check(power, &[(Equation, "x^2")]);
    check(
        &format!(
            "{}<w:hyperlink>{}</w:hyperlink><w:r><w:instrText>PAGE</w:instrText></w:r>",
            t("a "),
            t("b")
        ),
        &[(Paragraph, "a b")],
    );
    let boxed = format!("<w:txbxContent>{}</w:txbxContent>", p("", "In a box."));
    check(
        &format!(
            "<w:r><mc:AlternateContent><mc:Choice>{boxed}</mc:Choice><mc:Fallback>{boxed}</mc:Fallback></mc:AlternateContent></w:r>"
        ),
        &[(Paragraph, "In a box.")],
    );
}

#[test]
fn tables_keep_merged_cells() {
    let cell =
        |properties: &str, text: &str| format!("<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>", p("", text));
    let row = |cells: &[String]| format!("<w:tr>{}</w:tr>", cells.concat());
    let (begins, goes_on) = ("<w:vMerge w:val='restart'/>", "<w:vMerge/>");
    let rows = [
        row(&[cell(begins, "Group"), cell("<w:gridSpan w:val='2'/>", "Hours")]),
        row(&[cell(goes_on, ""), cell("", "before"), cell("", "after")]),
        row(&[cell(begins, "A"), cell("", "1"), cell("", "2")]),
        row(&[cell(goes_on, ""), cell("", "3"), cell("", "4")]),
        "<w:tr><w:trPr><w:del/></w:trPr></w:tr>".to_owned(),
    ];
    let d = document(&format!("{}<w:tbl>{}</w:tbl>", p("", "Table 1. Sleep"), rows.concat()));
    let texts: Vec<&str> = blocks(&d).iter().map(|(_, text)| *text).collect();
    assert_eq!(texts, ["Table 1. Sleep", "Group | Hours before | Hours after", "A | 1 | 2", "A | 3 | 4"]);
    let frame = document(&format!("<w:tbl>{}</w:tbl>", row(&[cell("", "A box.")])));
    assert_eq!(blocks(&frame), [(BlockKind::Paragraph, "A box.")]);
}

#[test]
fn hostile_documents_end() {
    let refused = |parts: &[(&str, &str)], want: &str| {
        let error = read(&docx(parts), &Limits::default()).expect_err("refused").to_string();
        assert!(error.contains(want), "{error}");
    };
    refused(&[("a", "b")], "without word/document.xml");
    refused(&[("word/document.xml", "<w:p>")], "ends inside");
    refused(&[("word/document.xml", &"<w:tbl><w:tr><w:tc>".repeat(100_000))], "deeper");
    let bomb = " ".repeat(usize::try_from(zipped::MAX_PART).expect("small") + 1);
    refused(&[("word/document.xml", &bomb)], "unpacks to more than");
    let lol = "<!DOCTYPE x [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]><w:document><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:document>";
    let d = read(&docx(&[("word/document.xml", lol)]), &Limits::default()).expect("a document");
    assert_eq!(d.text, "&b;");
    for cut in [0, 10, 60, 100] {
        let whole = docx(&[("word/document.xml", "<w:document/>")]);
        assert!(read(&whole[..cut], &Limits::default()).is_err(), "{cut}");
    }
}
