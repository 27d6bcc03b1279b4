//! What a page's content says twice or turns, read as a person sees it.

#![cfg(target_os = "linux")]

use crate::common::{Print, escaped, libpdfium, pdf, pdf_of, worker};
use ingest::{Job, Limits, WorkerPool, inputs::Format};
use types::Document;

/// What the parser makes of these files; `None` without PDFium.
fn parse(files: &[Vec<u8>]) -> Option<Vec<Document>> {
    let library = libpdfium()?;
    let folder = tempfile::tempdir().expect("a folder");
    let jobs = files.iter().enumerate().map(|(index, bytes)| {
        let path = folder.path().join(format!("{index}.pdf"));
        std::fs::write(&path, bytes).expect("it is written");
        Job { index, path, format: Format::Pdf, passwords: Vec::new() }
    });
    let mut documents = vec![Document::default(); files.len()];
    WorkerPool::new(worker(&library, None), Limits::default(), 2).parse_all(jobs, |parsed| {
        documents[parsed.index] = parsed.outcome.expect("a document");
    });
    Some(documents)
}

const TITLE: &str = "Moths that come late to the lamp";
const ABSTRACT: [&str; 3] = [
    "Amber moths were counted in forty orchards on every evening from May to September.",
    "Rain stopped the count on eleven evenings, which were repeated in the next week.",
    "Cedar oil was painted on every second trap, and the others were left as they were.",
];

/// The lines of a page as font, size, height and text.
fn lines() -> Vec<(u8, f32, f32, &'static str)> {
    let mut out = vec![(2, 16.0, 700.0, TITLE), (2, 12.0, 660.0, "Abstract")];
    let heights = [642.0, 627.0, 612.0];
    out.extend(heights.into_iter().zip(ABSTRACT).map(|(y, text)| (1, 10.0, y, text)));
    out
}

#[test]
fn text_matrices_are_read_as_they_are_seen() {
    // A size factor, other operators, the matrix of the text, where a line at (60, y) goes, /Rotate, the form's matrix.
    let here: fn(f32) -> (f32, f32) = |y| (60.0, y);
    let across: fn(f32) -> (f32, f32) = |y| (552.0, 792.0 - y);
    let mirrored: fn(f32) -> (f32, f32) = |y| (552.0, y);
    let whole = "1 0 0 1 0 0";
    let cases = [
        (1, "", "1 0 0 1", here, 0, whole),
        (-1, "", "-1 0 0 -1", here, 0, whole),
        (-1, "", "-1 0 0 -1", here, 90, whole),
        (-1, "", "-1 0 0 -1", here, 180, whole),
        (-1, "", "-1 0 0 -1", here, 270, whole),
        (-1, "50 Tz", "-2 0 0 -1", here, 0, whole),
        (-1, "-100 Tz", "1 0 0 -1", here, 0, whole),
        (1, "-100 Tz", "-1 0 0 1", here, 0, whole),
        (-1, "", "1 0 0 1", across, 0, "-1 0 0 -1 612 792"),
        (1, "", "1 0 0 1", here, 0, "-1 0 0 -1 612 792"),
        (1, "", "-1 0 0 -1", across, 0, whole),
        // Seen in a mirror: the whole page, or each line in its place.
        (1, "", "1 0 0 1", here, 0, "-1 0 0 1 612 0"),
        (1, "", "1 0 0 1", here, 0, "1 0 0 -1 0 792"),
        (1, "", "-1 0 0 1", mirrored, 0, whole),
        (1, "", "1 0 0 -1", here, 0, whole),
        (-1, "", "1 0 0 -1", mirrored, 0, whole),
    ];
    let files = cases.map(|(sign, more, text_matrix, place, turn, form)| {
        let print = |(font, size, y, text): (u8, f32, f32, &str)| {
            let (x, y) = place(y);
            let size = size * sign as f32;
            format!("BT /F{font} {size} Tf {more} {text_matrix} {x} {y} Tm ({}) Tj ET\n", escaped(text))
        };
        let content: String = lines().into_iter().map(print).collect();
        pdf_of(&[content], &format!("/Rotate {turn}"), form)
    });
    let Some(documents) = parse(&files) else { return };
    for (document, case) in documents.iter().zip(cases) {
        assert_eq!(document.meta.title.as_deref(), Some(TITLE), "{case:?}");
        assert_eq!(document.text, format!("Abstract\n\n{}", ABSTRACT.join(" ")), "{case:?}");
    }
}

#[test]
fn only_overprints_are_read_once() {
    let mut page: Vec<Print<'_>> =
        vec![Print(60.0, 720.0, 2, 16.0, TITLE), Print(60.0, 690.0, 2, 11.0, "Methods")];
    let asked =
        ["How often did moths come to this lamp in the night?", "Mark one: never, rarely, often, or always."];
    let own = ["Lamp one.", "Lamp two.", "Lamp three.", "Lamp four.", "Lamp five.", "Lamp six."];
    for (i, own) in own.into_iter().enumerate() {
        for (j, text) in [own, asked[0], asked[1]].into_iter().enumerate() {
            page.push(Print(60.0, 670.0 - 42.0 * i as f32 - 14.0 * j as f32, 1, 10.0, text));
        }
    }
    // The title has a shadow, printed in two parts: PDFium itself leaves out what is printed again in one.
    let mut shadowed = page.iter().map(|p| Print(p.0, p.1, p.2, p.3, p.4)).collect::<Vec<_>>();
    shadowed.insert(0, Print(61.0, 719.0, 2, 16.0, &TITLE[..11]));
    shadowed.insert(1, Print(152.2, 719.0, 2, 16.0, &TITLE[11..]));
    let Some(documents) = parse(&[pdf(&[page]), pdf(&[shadowed])]) else {
        return;
    };
    for document in &documents {
        assert_eq!(document.meta.title.as_deref(), Some(TITLE));
        for (i, own) in own.iter().enumerate() {
            let text = format!("{own} {} {}", asked[0], asked[1]);
            let read = document.text.replace("\n\n", " ");
            assert!(read.contains(&text), "{i}: {read}");
        }
    }
    assert_eq!(documents[0].warnings, [""; 0]);
    let said = "26 characters on page 1 are printed twice in one place";
    assert!(documents[1].warnings.iter().any(|w| w.contains(said)), "{:?}", documents[1].warnings);
}

#[test]
fn raised_numbers_and_numbers_of_lines() {
    // Each fifth line has a number in a margin; raised parts follow a line at the x where it ends.
    let raised = |x: f32, y: f32, text: &'static str| Print(x, y + 4.0, 1, 6.0, text);
    let words = "moths were counted in the orchards of the coast on each of the evenings";
    let pages: Vec<Vec<u8>> = [30.0, 545.0]
        .into_iter()
        .map(|margin| {
            let numbers = ["5", "10", "15", "20", "25"];
            let mut page = vec![Print(60.0, 740.0, 2, 12.0, "Methods")];
            for i in 0..25_u8 {
                let y = 720.0 - 14.0 * f32::from(i);
                page.push(Print(60.0, y, 1, 10.0, words));
                if (i + 1) % 5 == 0 {
                    page.push(Print(margin, y, 1, 8.0, numbers[usize::from(i / 5)]));
                }
            }
            for (i, (before, mark, after)) in
                [("rose to 3 x 10", "8", " cells"), ("was 250", "9", " kelvin")].into_iter().enumerate()
            {
                let y = 330.0 - 14.0 * i as f32;
                // Helvetica's digits and letters of these words take about so much room.
                let end = 60.0 + width(before);
                page.extend([
                    Print(60.0, y, 1, 10.0, before),
                    raised(end, y, mark),
                    Print(end + 3.4, y, 1, 10.0, after),
                ]);
            }
            pdf(&[page])
        })
        .collect();
    let Some(documents) = parse(&pages) else { return };
    for document in &documents {
        let read = document.text.replace("\n\n", " ");
        assert!(read.contains("rose to 3 x 10^8 cells"), "{read}");
        assert!(read.contains("was 250 kelvin"), "{read}");
        for number in ["5 moths", "10 moths", "25 moths", "evenings 15", "evenings 20"] {
            assert!(!read.contains(number), "{number}: {read}");
        }
    }
}

/// The width of a text in Helvetica of 10 points.
fn width(text: &str) -> f32 {
    let ems = |c: char| match c {
        ' ' | 't' => 2.78,
        'r' => 3.33,
        's' | 'x' => 5.0,
        'w' => 7.22,
        _ => 5.56,
    };
    text.chars().map(ems).sum()
}
