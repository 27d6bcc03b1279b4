//! Papers as people have them: pages of HTML, documents of Word, archives, portfolios.

use crate::common::Place;
use serde_json::{Value, json};
use std::io::{Cursor, Write as _};
use zip::{ZipWriter, write::SimpleFileOptions};

const TRIAL: &str = "tandrik_2021_vo2_walkers.pdf";
const COHORT: &str = "quessmere_2023_mvpa_mortality.pdf";

/// A paper of a few sections, of which the results say how long the animals slept.
fn paper(animal: &str, hours: &str, section: impl Fn(&str, &str) -> String) -> String {
    let filler =
        format!("We watched the {animal} of twelve gardens with cameras for two summers and two winters.");
    let result =
        format!("The {animal} slept for {hours} hours a night in summer, and twice as long in winter.");
    [("Introduction", "Little is known of sleep in gardens."), ("Methods", &filler), ("Results", &result)]
        .map(|(heading, text)| section(heading, text))
        .concat()
}

fn html(animal: &str, hours: &str) -> Vec<u8> {
    let body =
        paper(animal, hours, |heading, text| format!("<section><h2>{heading}</h2><p>{text}</p></section>"));
    format!(
        "<!DOCTYPE html><html><head><meta charset='utf-8'><title>Sleep of {animal}</title><meta name='citation_author' content='Doe, Jane'>\
         </head><body><nav>Menu</nav><main><h1>Sleep of {animal}</h1>{body}</main></body></html>"
    )
    .into_bytes()
}

fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).expect("begun");
        zip.write_all(bytes).expect("written");
    }
    zip.finish().expect("whole").into_inner()
}

fn docx(animal: &str, hours: &str) -> Vec<u8> {
    let p = |style: &str, text: &str| {
        format!("<w:p><w:pPr><w:pStyle w:val='{style}'/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
    };
    let body = paper(animal, hours, |heading, text| p("H", heading) + &p("", text));
    let title = p("T", &format!("Sleep of {animal}"));
    let main = format!("<w:document><w:body>{title}{body}</w:body></w:document>");
    let styles = "<w:styles><w:style w:styleId='H'><w:name w:val='heading 1'/></w:style>\
                  <w:style w:styleId='T'><w:name w:val='Title'/></w:style></w:styles>";
    zipped(&[("word/document.xml", main.as_bytes()), ("word/styles.xml", styles.as_bytes())])
}

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(crate::common::root().join("corpus").join(name)).expect("a paper")
}

/// A PDF of one page that holds these files.
fn portfolio(files: &[(&str, &[u8])]) -> Vec<u8> {
    let cover = b"BT /F1 12 Tf 72 700 Td (Open this portfolio in another viewer) Tj ET";
    let stream = |entries: &str, bytes: &[u8]| {
        [format!("<< {entries} /Length {} >>\nstream\n", bytes.len()).as_bytes(), bytes, b"\nendstream"]
            .concat()
    };
    let names: Vec<String> =
        (0..files.len()).map(|at| format!("({}) {} 0 R ", files[at].0, 6 + 2 * at)).collect();
    let names = names.concat();
    let mut objects = vec![
        format!("<< /Type /Catalog /Pages 2 0 R /Collection << /View /D >> /Names << /EmbeddedFiles << /Names [{names}] >> >> >>").into_bytes(),
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".to_vec(),
        stream("", cover),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_vec(),
    ];
    for (at, (name, bytes)) in files.iter().enumerate() {
        let spec = format!("<< /Type /Filespec /F ({name}) /UF ({name}) /EF << /F {} 0 R >> >>", 7 + 2 * at);
        objects.extend([spec.into_bytes(), stream("/Type /EmbeddedFile", bytes)]);
    }
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (at, object) in objects.iter().enumerate() {
        table = [table, format!("{:010} 00000 n \n", out.len())].concat();
        out.extend([format!("{} 0 obj\n", at + 1).as_bytes(), object, b"\nendobj\n"].concat());
    }
    let end =
        format!("trailer << /Size {} /Root 1 0 R >>\nstartxref\n{}\n%%EOF", objects.len() + 1, out.len());
    out.extend([table, end].concat().into_bytes());
    out
}

/// The paths of the sources, from the folder of papers.
fn paths(place: &Place) -> Vec<String> {
    let sources = place.done(&["papers"]);
    let each = sources["sources"].as_array().expect("sources").iter();
    let path = |source: &Value| {
        source["path"].as_str().expect("a path").rsplit_once("papers/").expect("below it").1.to_owned()
    };
    let mut all: Vec<String> = each.map(path).collect();
    all.sort();
    all
}

#[test]
fn pages_and_documents_are_quoted_with_their_sections() {
    let Some(place) = Place::with_natives() else { return };
    place.write("papers/owls.html", &html("owls", "seven"));
    place.write("papers/hares.docx", &docx("hares", "four"));
    let run = place.done(&["ingest", "papers"]);
    assert_eq!((&run["added"], &run["failed"]), (&json!(2), &json!([])), "{run}");
    for (animal, hours, authors) in [("owls", "seven", json!(["Jane Doe"])), ("hares", "four", json!([]))] {
        let (_, answer) =
            place.json(&["ask", &format!("How many hours a night did the {animal} sleep in summer?")]);
        let quote =
            format!("The {animal} slept for {hours} hours a night in summer, and twice as long in winter.");
        let cited = &answer["citations"][0];
        assert_eq!(
            (&cited["relevant_quote"], &cited["source_id"]),
            (&json!(quote), &json!(animal)),
            "{answer}"
        );
        assert_eq!(
            (&cited["title"], &cited["authors"]),
            (&json!(format!("Sleep of {animal}")), &authors),
            "{answer}"
        );
        let chunk = cited["chunk_id"].as_str().expect("an id");
        assert!(chunk.contains("results"), "{answer}");
        let page = place.run(&["papers", "page", animal, "1", "--output", "page.png"]);
        assert!(page.stderr().contains("not a PDF"), "{}", page.stderr());
    }
}

#[test]
fn an_archive_follows_what_is_in_it() {
    let Some((place, model)) = Place::fast() else { return };
    let ingest = || place.json(&["ingest", "papers", "--set", &model]);
    let trial = sample(TRIAL);
    let write = |owls: &str, more: &[(&str, &[u8])]| {
        let page = html("owls", owls);
        let mut files: Vec<(&str, &[u8])> =
            vec![("notes/owls.html", &page), ("walkers.pdf", &trial), ("image.png", b"\x89PNG")];
        files.extend(more);
        place.write("papers/mine.zip", &zipped(&files));
    };
    let inner = zipped(&[("a.pdf", &trial)]);
    write(
        "seven",
        &[
            ("inner.zip", &inner),
            ("../../evil.md", b"# Evil"),
            ("/root.md", b"# Root"),
            ("torn.pdf", b"%PDF-1.4\ntorn"),
            ("empty.md", b""),
        ],
    );
    let (code, first) = ingest();
    assert_eq!((code, &first["added"]), (1, &json!(2)), "{first}");
    let failed = first["failed"].to_string();
    for why in [
        "mine.zip/inner.zip",
        "archive in an archive",
        ".._.._evil.md",
        "_root.md",
        "mine.zip/torn.pdf",
        "mine.zip/empty.md",
        "an empty file",
    ] {
        assert!(failed.contains(why), "{why}: {failed}");
    }
    assert!(!place.path("evil.md").exists() && place.path("papers").read_dir().expect("listed").count() == 1);
    assert_eq!(paths(&place), ["mine.zip/notes/owls.html", "mine.zip/walkers.pdf"]);
    // A page of it is shown, and a part of it is parsed by its path.
    let page = place.done(&["papers", "page", "walkers", "1", "--output", "page.png"]);
    assert!(page["text_only"].is_null() && place.path("page.png").exists(), "{page}");
    assert_eq!(place.done(&["parse", "papers/mine.zip/notes/owls.html"])["title"], "Sleep of owls");

    let (_, again) = ingest();
    assert_eq!(
        (
            &again["unchanged"],
            &again["stages"]["parse"]["done"],
            &again["failed_before"][0]["path"].is_string()
        ),
        (&json!(2), &json!(0), &true),
        "{again}"
    );
    // The same file beside the archive is the same paper; a changed member is read again.
    write("nine", &[]);
    place.write("papers/copy.pdf", &trial);
    let (code, changed) = ingest();
    assert_eq!(
        (code, &changed["stages"]["parse"]["done"], &changed["sources"]),
        (0, &json!(1), &json!(2)),
        "{changed}"
    );
    let found = place.json(&["search", "owls slept", "--mode", "bm25", "--set", &model]).1;
    assert!(found["hits"][0]["text"].as_str().is_some_and(|text| text.contains("nine hours")), "{found}");

    place.write("papers/mine.zip", &zipped(&[("walkers.pdf", &trial)]));
    let (_, gone) = ingest();
    assert_eq!((&gone["removed"], &gone["sources"]), (&json!(["owls"]), &json!(1)), "{gone}");
    // A damaged archive takes nothing away.
    place.write("papers/mine.zip", &inner[..inner.len() / 2]);
    std::fs::remove_file(place.path("papers/copy.pdf")).expect("removed");
    let (code, damaged) = ingest();
    assert_eq!((code, &damaged["sources"]), (1, &json!(1)), "{damaged}");
}

#[test]
fn the_files_of_a_portfolio_are_papers_and_its_cover_is_none() {
    let Some((place, model)) = Place::fast() else { return };
    let ingest = || place.json(&["ingest", "papers", "--set", &model]);
    let (trial, cohort) = (sample(TRIAL), sample(COHORT));
    let inner = portfolio(&[("x.pdf", &trial)]);
    place.write(
        "papers/all.pdf",
        &portfolio(&[
            ("walkers.pdf", &trial),
            ("torn.pdf", b"no PDF"),
            ("inner.pdf", &inner),
            ("data.docx", b"PK"),
        ]),
    );
    let (code, first) = ingest();
    assert_eq!((code, &first["added"]), (1, &json!(1)), "{first}");
    let failed = first["failed"].to_string();
    for why in [
        "all.pdf/torn.pdf",
        "all.pdf/inner.pdf",
        "a portfolio of papers (x.pdf)",
        "all.pdf/data.docx",
        "only the PDF files",
    ] {
        assert!(failed.contains(why), "{why}: {failed}");
    }
    assert_eq!(paths(&place), ["all.pdf/walkers.pdf"]);
    let page = place.done(&["papers", "page", "walkers", "1", "--output", "page.png"]);
    assert!(page["text_only"].is_null() && place.path("page.png").exists(), "{page}");
    let (_, again) = ingest();
    assert_eq!((&again["unchanged"], &again["stages"]["parse"]["done"]), (&json!(1), &json!(0)), "{again}");

    place.write("papers/all.pdf", &portfolio(&[("walkers.pdf", &cohort)]));
    let page = place.run(&["papers", "page", "walkers", "1", "--output", "page.png"]);
    assert!(page.code() != 0 && page.stderr().contains("changed"), "{}", page.stderr());
    let (code, changed) = ingest();
    assert_eq!(
        (code, &changed["changed"], &changed["stages"]["parse"]["done"]),
        (0, &json!(1), &json!(1)),
        "{changed}"
    );
}

#[test]
fn hostile_and_foreign_files_say_what_they_are() {
    let place = Place::new(None);
    let bomb = vec![b' '; 100 << 20];
    place.write("bomb.docx", &zipped(&[("word/document.xml", &bomb)]));
    place.write(
        "lol.docx",
        &zipped(&[("word/document.xml", b"<!DOCTYPE x [<!ENTITY a 'ha'>]><w:document><w:p><w:r><w:t>T</w:t></w:r></w:p><w:p><w:r><w:t>&a;</w:t></w:r></w:p></w:document>")]),
    );
    place.write("deep.html", &[b"<!DOCTYPE html>", "<div>".repeat(100_000).as_bytes(), b"deep"].concat());
    place.write("page.txt", &html("owls", "seven"));
    place.write("cut.docx", &docx("hares", "four")[..300]);
    place.write(
        "book.docx",
        &zipped(&[("mimetype", b"application/epub+zip"), ("META-INF/container.xml", b"<x/>")]),
    );
    place.write("old.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1");
    place.write("empty.html", b"");
    place.write("page.pdf", &html("owls", "seven"));
    for (file, why) in [
        ("deep.html", "nested deeper"),
        ("bomb.docx", "unpacks to more than 96 MiB"),
        ("cut.docx", "damaged"),
        ("book.docx", "an EPUB book; convert it to HTML or PDF"),
        ("old.docx", "save it as DOCX or PDF"),
        ("empty.html", "an empty file"),
    ] {
        place.run(&["parse", file]).fails_with(2, &[file, why]);
    }
    assert_eq!(place.done(&["parse", "page.txt"])["title"], "Sleep of owls");
    assert_eq!(place.done(&["parse", "lol.docx"])["sections"][0]["text"], "T\n\n&a;");

    place.write("papers/notes.doc", b"\xd0\xcf\x11\xe0");
    place.write("papers/book.epub", b"PK\x03\x04");
    place.write("papers/owls.htm", &html("owls", "seven"));
    place.write("papers/owls_files/frame.html", &html("advertisements", "no"));
    let plan = place.done(&["ingest", "papers", "--dry-run"]).to_string();
    for why in [
        "notes.doc",
        "save it as DOCX or PDF",
        "book.epub",
        "convert it to HTML or PDF",
        "what a browser saved beside a page",
    ] {
        assert!(plan.contains(why), "{why}: {plan}");
    }
}
