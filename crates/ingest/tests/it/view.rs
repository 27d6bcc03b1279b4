//! Pages as their readers see them: a quote is marked where it is printed, by PDFium's own account of its characters.

use crate::common::{escaped, libpdfium, pdf_of, shared, worker};
use ingest::chunk::{ChunkSettings, chunk};
use ingest::{Area, Highlight, Job, Limits, PageQuery, ParseError, QuotePart, WorkerPool};
use pdfium_render::prelude::{
    PdfPage, PdfPageAnnotationCommon as _, PdfPageObject, PdfPageObjectsCommon, PdfPageRenderRotation,
    PdfPoints, PdfRect, Pdfium,
};
use std::path::{Path, PathBuf};
use types::{Document, Span};

/// Characters of a text on both sides that tell a place from others.
const AROUND: usize = 80;

fn part(text: &str, span: Span) -> QuotePart {
    let from = text.floor_char_boundary(span.start.saturating_sub(AROUND));
    let to = text.ceil_char_boundary((span.end + AROUND).min(text.len()));
    QuotePart {
        text: text[span.start..span.end].to_owned(),
        before: text[from..span.start].to_owned(),
        after: text[span.end..to].to_owned(),
    }
}

/// A character of a page as it is shown.
struct Printed {
    x: f32,
    y: f32,
    /// How far along its line it stands.
    along: f32,
    ch: char,
}

/// The characters of a page by PDFium's account, along their lines; and whether the page holds pages within it. Text of those
/// that no reader sees is among the characters: then they are in the order of the content, in which a line stands together.
fn printed(page: &PdfPage<'_>) -> (Vec<Printed>, bool) {
    let (width, height) = (page.width().value, page.height().value);
    let bounds = page.boundaries().bounding().expect("bounds").bounds;
    let (left, bottom) = (bounds.left().value, bounds.bottom().value);
    let rotation = page.rotation().expect("a rotation");
    let shown = |x: f32, y: f32| match rotation {
        PdfPageRenderRotation::None => (x, height - y),
        PdfPageRenderRotation::Degrees90 => (y, x),
        PdfPageRenderRotation::Degrees180 => (width - x, y),
        PdfPageRenderRotation::Degrees270 => (width - y, height - x),
    };
    let text = page.text().expect("text");
    let each = text.chars();
    let chars = each.iter().filter_map(|c| {
        let ch = match c.unicode_value() {
            // The second half of a mathematical letter.
            half @ 0xDC00..=0xDFFF => char::from_u32(0x1_D400 + half - 0xDC00)?,
            value => char::from_u32(value)?,
        };
        let (own, (ox, oy), matrix) = (c.loose_bounds().ok()?, c.origin().ok()?, c.matrix().ok()?);
        let middle = |a: f32, b: f32, from: f32| f32::midpoint(a, b) - from;
        let (x, y) = (
            middle(own.left().value, own.right().value, left),
            middle(own.bottom().value, own.top().value, bottom),
        );
        let turned = matrix.b().abs() > matrix.a().abs();
        let along = if turned { y * matrix.b().signum() } else { x * matrix.a().signum() };
        // The middle of its width, on the baseline.
        let (x, y) = if turned { (ox.value - left, y) } else { (x, oy.value - bottom) };
        let (x, y) = shown(x, y);
        Some(Printed { x, y, along, ch })
    });
    let mut chars: Vec<Printed> = chars.collect();
    let nested = page.objects().iter().any(|object| matches!(object, PdfPageObject::XObjectForm(_)));
    if !nested {
        chars.sort_by(|a, b| a.along.total_cmp(&b.along));
    }
    (chars, nested)
}

/// What is left of the letters of a quote after those of these places, and the letters of the first place that has others.
fn after<'q>(page: &PdfPage<'_>, areas: &[Area], quote: &'q str) -> (&'q str, Option<String>) {
    let (chars, nested) = printed(page);
    let mut rest = quote;
    for area in areas {
        let inside = |c: &&Printed| {
            (area.x..area.x + area.width).contains(&c.x) && (area.y..area.y + area.height).contains(&c.y)
        };
        let own = letters(&chars.iter().filter(inside).map(|c| c.ch).collect::<String>());
        let shared = (0..=rest.len()).rev().find(|to| own.contains(&rest[..*to])).unwrap_or(0);
        if !nested && own.len() != shared {
            return (rest, Some(own));
        }
        rest = &rest[shared..];
    }
    (rest, None)
}

/// Letters and digits of a text as verification compares it.
fn letters(text: &str) -> String {
    text::fold::fold(text).text().chars().filter(char::is_ascii_alphanumeric).collect()
}

fn pool(libpdfium: &Path) -> WorkerPool {
    WorkerPool::new(worker(libpdfium, None), Limits::default(), 1)
}

fn parse(pool: &WorkerPool, path: &Path) -> Document {
    let mut outcome = None;
    pool.parse_all([Job::from((0, path.to_owned()))], |parsed| {
        outcome = Some(parsed.outcome);
    });
    outcome.expect("an answer").expect("a document")
}

/// How many of the sentences of a paper are marked exactly, of how many: every tenth.
fn marked(pdfium: &Pdfium, pool: &WorkerPool, path: &Path) -> (usize, usize) {
    let document = parse(pool, path);
    let pdf = pdfium.load_pdf_from_file(path, None).expect("opens");
    let sentences = chunk(&document, &ChunkSettings::default()).sentences;
    let (mut right, mut all) = (0, 0);
    for sentence in sentences.iter().step_by(10) {
        let quote = part(&document.text, sentence.span);
        let want = letters(&quote.text);
        if want.is_empty() {
            continue;
        }
        all += 1;
        // A figure may fill the next page.
        let (mut rest, mut other) = (want.as_str(), None);
        for page in (sentence.page..=document.pages).take(3) {
            let query = PageQuery { page, quote: vec![quote.clone()], dpi: None };
            let view = pool.view(path, query, Vec::new()).expect("a page");
            let shown = pdf.pages().get(page.cast_signed() - 1).expect("a page");
            (rest, other) = after(&shown, &view.quote, rest);
            if rest.is_empty() || other.is_some() {
                break;
            }
        }
        right += usize::from(rest.is_empty() && other.is_none());
    }
    (right, all)
}

#[test]
fn quotes_are_marked_where_they_are_printed() {
    let Some(library) = libpdfium() else { return };
    // A process can load the library once.
    let (pdfium, pool) = (Pdfium::new(Pdfium::bind_to_library(&library).expect("PDFium")), pool(&library));
    on_pages_that_are_turned_or_lean(&pdfium, &pool);
    sentences_of_papers(&pdfium, &pool);
}

fn sentences_of_papers(pdfium: &Pdfium, pool: &WorkerPool) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    for folder in [Some(corpus), shared("papers")].into_iter().flatten() {
        let mut papers: Vec<PathBuf> = std::fs::read_dir(&folder)
            .expect("reads")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|e| e == "pdf"))
            .collect();
        papers.sort();
        // The others were looked at while this was written.
        let papers = papers.iter().skip(1).step_by(2);
        let each: Vec<(usize, usize)> = papers.map(|paper| marked(pdfium, pool, paper)).collect();
        let right: usize = each.iter().map(|(right, _)| right).sum();
        let all: usize = each.iter().map(|(_, all)| all).sum();
        println!("{}: {right} of {all}", folder.display());
        assert!(all > 100 && right * 100 >= all * 97, "{right} of {all}");
    }
}

const LINES: [&str; 4] = [
    "The sleep of badgers was measured in twelve setts over two winters, and their tem-",
    "peratures were taken. Badgers slept for nine hours and forty minutes on average. The",
    "same sentence follows: otters slept longer. Otters slept longer than herons by far.",
    "Nothing else was found.",
];

/// The letters of a text, sorted: PDFium's order on a page that is turned is another.
fn sorted(text: &str) -> String {
    let mut all: Vec<char> = letters(text).chars().collect();
    all.sort_unstable();
    all.into_iter().collect()
}

/// The letters under the highlights of a copy, and the number of lines that they cover.
fn highlighted(pdfium: &Pdfium, pool: &WorkerPool, path: &Path, quote: QuotePart) -> (String, usize) {
    let wanted =
        |note: &str, quote: QuotePart| Highlight { page: 1, quote: vec![quote], note: note.to_owned() };
    let absent = QuotePart { text: "No such words here".to_owned(), ..QuotePart::default() };
    let made = pool.highlight(path, vec![wanted("¿why? (1)", quote), wanted("", absent)], Vec::new());
    let made = made.expect("a copy");
    assert_eq!(made.found, [true, false]);
    let pdf = pdfium.load_pdf_from_byte_vec(made.pdf.0, None).expect("opens");
    let page = pdf.pages().get(0).expect("a page");
    assert_eq!(page.annotations().len(), 1);
    let mut annotation = page.annotations().first().expect("an annotation");
    assert_eq!(annotation.contents().as_deref(), Some("¿why? (1)"));
    let highlight = annotation.as_highlight_annotation_mut().expect("a highlight");
    let areas: Vec<PdfRect> = highlight.attachment_points_mut().iter().map(|quad| quad.to_rect()).collect();
    let text = page.text().expect("text");
    let is_under = |bounds: &PdfRect| {
        let (x, y) = (
            f32::midpoint(bounds.left().value, bounds.right().value),
            f32::midpoint(bounds.bottom().value, bounds.top().value),
        );
        areas.iter().any(|area| area.contains_x(PdfPoints::new(x)) && area.contains_y(PdfPoints::new(y)))
    };
    let under = text.chars();
    let under = under.iter().filter(|c| c.loose_bounds().is_ok_and(|bounds| is_under(&bounds)));
    (sorted(&under.filter_map(|c| c.unicode_char()).collect::<String>()), areas.len())
}

fn on_pages_that_are_turned_or_lean(pdfium: &Pdfium, pool: &WorkerPool) {
    let dir = tempfile::tempdir().expect("a folder");
    let mut y = 512;
    let print = |line: &str| {
        y -= 12;
        format!("BT /F1 10 Tf 1 0 0 1 120 {y} Tm ({}) Tj ET\n", escaped(line))
    };
    let content = LINES.map(print).concat();
    let upright = "1 0 0 1 0 0";
    let check = |entry: &str, matrix: &str, quote: &str, before: &str, want: usize| {
        let path = dir.path().join("page.pdf");
        std::fs::write(&path, pdf_of(std::slice::from_ref(&content), entry, matrix)).expect("writes");
        let part = QuotePart { text: quote.to_owned(), before: before.to_owned(), after: String::new() };
        let query = PageQuery { page: 1, quote: vec![part.clone()], dpi: Some(72) };
        let view = pool.view(&path, query, Vec::new()).expect("a page");
        let pdf = pdfium.load_pdf_from_file(&path, None).expect("opens");
        let quote = letters(quote);
        let shown = pdf.pages().get(0).expect("a page");
        assert_eq!(after(&shown, &view.quote, &quote), ("", None), "{entry} {matrix}: {:?}", view.quote);
        assert_eq!(view.quote.len(), want, "{entry} {matrix}: {:?}", view.quote);
        if matrix == upright {
            assert_eq!(highlighted(pdfium, pool, &path, part), (sorted(&quote), want), "{entry}");
        }
        // Yellow where it is marked, black and white elsewhere.
        let image = view.image.expect("a picture");
        let mut reader = png::Decoder::new(std::io::Cursor::new(image.0)).read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut pixels).expect("pixels");
        assert_eq!((info.width as f32, info.height as f32), (view.width, view.height));
        for (at, pixel) in pixels.chunks(3).enumerate() {
            let (x, y) = ((at % info.width as usize) as f32 + 0.5, (at / info.width as usize) as f32 + 0.5);
            let within = |area: &Area, more: f32| {
                (area.x - more..area.x + area.width + more).contains(&x)
                    && (area.y - more..area.y + area.height + more).contains(&y)
            };
            let place = format!("{entry} {matrix}: {x} {y}: {pixel:?}");
            if view.quote.iter().any(|area| within(area, -1.0)) {
                assert!(pixel[2] <= 92, "{place}");
            } else if !view.quote.iter().any(|area| within(area, 1.0)) {
                assert_eq!(pixel[0], pixel[2], "{place}");
            }
        }
    };
    let quote = "Badgers slept for nine hours and forty minutes on average.";
    for entry in ["/Rotate 0", "/Rotate 90", "/Rotate 180", "/Rotate 270", "/CropBox [50 60 600 700]"] {
        check(entry, upright, quote, "", 1);
        check(entry, upright, "over two winters, and their temperatures were taken", "", 2);
    }
    // The second of two places with the same words.
    check("/Rotate 0", upright, "tters slept longer", "longer. O", 1);
    // Eight degrees: a rectangle for each word.
    check("/Rotate 90", "0.9903 0.1392 -0.1392 0.9903 0 0", quote, "", 10);
}

#[test]
fn what_interrupts_a_quote_is_not_marked() {
    let Some(library) = libpdfium() else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("note.pdf");
    let mut y = 512;
    let mut print = |line: &str| {
        y -= 20;
        format!("BT /F1 10 Tf 1 0 0 1 120 {y} Tm ({line}) Tj ET\n")
    };
    // The note begins as the text goes on.
    let lines = [
        "The body weight of mice changed little. The",
        "Results of a survey",
        "results were the same in all six groups.",
    ];
    let content = lines.map(&mut print).concat();
    std::fs::write(&path, pdf_of(&[content], "", "1 0 0 1 0 0")).expect("writes");
    let part = QuotePart {
        text: "changed little. The results were the same in all six groups.".to_owned(),
        ..QuotePart::default()
    };
    let query = PageQuery { page: 1, quote: vec![part], dpi: None };
    let view = pool(&library).view(&path, query, Vec::new()).expect("a page");
    let rows = |areas: &mut dyn Iterator<Item = Area>| areas.map(|area| area.y).collect::<Vec<f32>>();
    let [first, _, last] = view.lines.as_slice() else { panic!("{:?}", view.lines) };
    let want = rows(&mut [first.area, last.area].into_iter());
    assert_eq!(rows(&mut view.quote.iter().copied()), want, "{view:?}");
}

#[test]
fn pages_that_are_not_there_and_workers_that_hang_are_errors() {
    let Some(library) = libpdfium() else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("bad.pdf");
    std::fs::write(&path, pdf_of(&["BT /F1 10 Tf 100 500 Td (Words) Tj ET\n".to_owned()], "", "1 0 0 1 0 0"))
        .expect("writes");
    let view = |pool: &WorkerPool, page, quote: &str| {
        let text = quote.to_owned();
        let quote = vec![QuotePart { text, ..QuotePart::default() }];
        pool.view(&path, PageQuery { page, quote, dpi: None }, Vec::new())
    };
    let found = view(&pool(&library), 1, "other words").expect("a page");
    assert_eq!((found.quote.len(), found.lines[0].text.as_str()), (0, "Words"));
    for page in [0, 2] {
        assert_eq!(view(&pool(&library), page, "Words"), Err(ParseError::NoSuchPage { page, pages: 1 }));
    }
    let limits = Limits { seconds_per_file: 1, ..Limits::default() };
    let hangs = WorkerPool::new(worker(&library, Some("hang:bad.pdf")), limits, 1);
    assert!(matches!(view(&hangs, 1, "Words"), Err(ParseError::TimedOut { .. })));
}
