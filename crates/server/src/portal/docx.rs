//! Text with footnotes as a DOCX file, for word processors.

use crate::failed::Failed;
use std::{
    fmt::Write as _,
    io::{Cursor, Write as _},
};
use zip::{ZipWriter, write::SimpleFileOptions};

/// A paragraph: pieces of text, each with the footnotes behind it.
#[derive(Default)]
pub(super) struct Paragraph {
    /// `Title`, `Heading1`, `Quote`, or nothing for plain text.
    pub(super) style: &'static str,
    pub(super) pieces: Vec<(String, Vec<String>)>,
}

impl Paragraph {
    /// One without footnotes.
    pub(super) fn plain(style: &'static str, text: impl Into<String>) -> Self {
        Self { style, pieces: vec![(text.into(), Vec::new())] }
    }
}

const XML: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#;
const WORDS: &str = r#"xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main""#;
const TYPES: &str = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/><Override PartName="/word/footnotes.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"/></Types>"#;
const TOP: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>"#;
const PARTS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes" Target="footnotes.xml"/></Relationships>"#;
/// Word wants the lines that part notes from text.
const LINES: &str = r#"<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote><w:footnote w:type="continuationSeparator" w:id="0"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:footnote>"#;
/// Id, name, and what it changes.
const STYLES: [(&str, &str, &str); 4] = [
    ("Title", "Title", r#"<w:rPr><w:b/><w:sz w:val="36"/></w:rPr>"#),
    (
        "Heading1",
        "heading 1",
        r#"<w:pPr><w:keepNext/><w:spacing w:before="240"/><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/><w:sz w:val="28"/></w:rPr>"#,
    ),
    ("Quote", "Quote", r#"<w:pPr><w:ind w:left="567"/></w:pPr><w:rPr><w:i/></w:rPr>"#),
    ("FootnoteText", "footnote text", r#"<w:rPr><w:sz w:val="20"/></w:rPr>"#),
];
const RAISED: &str = r#"<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>"#;

/// Text of XML 1.0, which has no control characters.
fn escaped(text: &str) -> String {
    let is_text = |c: &char| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}') || *c == '\t';
    let text: String = text.replace('\n', " ").chars().filter(is_text).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn run(text: &str) -> String {
    format!(r#"<w:r><w:t xml:space="preserve">{}</w:t></w:r>"#, escaped(text))
}

/// These paragraphs as a file.
///
/// # Errors
/// When it would be too large.
pub(super) fn docx(paragraphs: &[Paragraph]) -> Result<Vec<u8>, Failed> {
    // A string takes everything that is written to it.
    let (mut body, mut notes, mut number) = (String::new(), LINES.to_owned(), 0);
    for Paragraph { style, pieces } in paragraphs {
        let mut runs = String::new();
        for (text, footnotes) in pieces {
            runs += &run(text);
            for note in footnotes {
                number += 1;
                let _ = write!(runs, r#"<w:r>{RAISED}<w:footnoteReference w:id="{number}"/></w:r>"#);
                let _ = write!(
                    notes,
                    r#"<w:footnote w:id="{number}"><w:p><w:pPr><w:pStyle w:val="FootnoteText"/></w:pPr><w:r>{RAISED}<w:footnoteRef/></w:r>{}</w:p></w:footnote>"#,
                    run(&format!(" {note}"))
                );
            }
        }
        let style = if style.is_empty() {
            String::new()
        } else {
            format!(r#"<w:pPr><w:pStyle w:val="{style}"/></w:pPr>"#)
        };
        let _ = write!(body, "<w:p>{style}{runs}</w:p>");
    }
    let style = |(id, name, looks): &(&str, &str, &str)| {
        format!(r#"<w:style w:type="paragraph" w:styleId="{id}"><w:name w:val="{name}"/>{looks}</w:style>"#)
    };
    let styles: String = STYLES.iter().map(style).collect();
    let files = [
        ("[Content_Types].xml", TYPES.to_owned()),
        ("_rels/.rels", TOP.to_owned()),
        ("word/_rels/document.xml.rels", PARTS.to_owned()),
        ("word/document.xml", format!("<w:document {WORDS}><w:body>{body}</w:body></w:document>")),
        ("word/styles.xml", format!("<w:styles {WORDS}>{styles}</w:styles>")),
        ("word/footnotes.xml", format!("<w:footnotes {WORDS}>{notes}</w:footnotes>")),
    ];
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        // Without the time of day: the same answer is the same file.
        let made = zip.start_file(name, SimpleFileOptions::DEFAULT);
        made.map_err(Failed::inside)?;
        zip.write_all(format!("{XML}\n{text}").as_bytes()).map_err(Failed::inside)?;
    }
    Ok(zip.finish().map_err(Failed::inside)?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn footnotes_are_numbered_and_hostile_text_stays_text() {
        let note = |text: &str| (text.to_owned(), vec!["<w:p> & \u{1} note".to_owned()]);
        let paragraphs = [
            Paragraph::plain("Title", "A <b>"),
            Paragraph { style: "", pieces: vec![note("One."), note("Two.\nlines")] },
        ];
        let file = docx(&paragraphs).expect("small");
        assert_eq!(file, docx(&paragraphs).expect("small"), "the same text is the same file");
        let mut zip = zip::ZipArchive::new(Cursor::new(file)).expect("a ZIP");
        let mut text = |name: &str| {
            let mut text = String::new();
            zip.by_name(name).expect("there").read_to_string(&mut text).expect("UTF-8");
            text
        };
        let body = text("word/document.xml");
        assert!(body.contains("A &lt;b&gt;") && body.contains("Two. lines"), "{body}");
        assert!(body.find("w:id=\"1\"") < body.find("w:id=\"2\""), "{body}");
        let notes = text("word/footnotes.xml");
        assert_eq!(notes.matches("> &lt;w:p&gt; &amp;  note<").count(), 2, "{notes}");
    }
}
