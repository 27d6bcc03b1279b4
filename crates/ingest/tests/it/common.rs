//! Helpers of the integration tests: a writer of small PDFs, and where the native libraries are.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A text to print: x and y in points from the bottom left corner, font number (1 plain, 2 bold, 3 italic), size, text.
pub(crate) struct Print<'a>(
    pub(crate) f32,
    pub(crate) f32,
    pub(crate) u8,
    pub(crate) f32,
    pub(crate) &'a str,
);

/// Writes a PDF of letter pages with the standard fonts.
pub(crate) fn pdf(pages: &[Vec<Print<'_>>]) -> Vec<u8> {
    let content = |page: &Vec<Print<'_>>| {
        let mut content = String::new();
        for Print(x, y, font, size, text) in page {
            let text = escaped(text);
            writeln!(content, "BT /F{font} {size} Tf 1 0 0 1 {x} {y} Tm ({text}) Tj ET")
                .expect("a string takes all");
        }
        content
    };
    let pages: Vec<String> = pages.iter().map(content).collect();
    pdf_of(&pages, "/Rotate 0", "1 0 0 1 0 0")
}

/// A text for a string of a content stream.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)")
}

/// Writes a PDF of letter pages with these contents, each in a form with this matrix, and with this entry of the pages.
pub(crate) fn pdf_of(pages: &[String], entry: &str, matrix: &str) -> Vec<u8> {
    let mut objects: Vec<Vec<u8>> = Vec::new();
    let kids: Vec<String> = (0..pages.len()).map(|i| format!("{} 0 R", 6 + 3 * i)).collect();
    objects.push(b"<< /Type /Catalog /Pages 2 0 R >>".to_vec());
    objects
        .push(format!("<< /Type /Pages /Count {} /Kids [{}] >>", pages.len(), kids.join(" ")).into_bytes());
    for name in ["Helvetica", "Helvetica-Bold", "Helvetica-Oblique"] {
        objects.push(
            format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>")
                .into_bytes(),
        );
    }
    let fonts = "/Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R >>";
    let stream = |entries: &str, content: &str| {
        format!("<< {entries} /Length {} >>\nstream\n{content}endstream", content.len()).into_bytes()
    };
    for (i, content) in pages.iter().enumerate() {
        let (drawn, form) = (7 + 3 * i, 8 + 3 * i);
        objects.push(
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {entry} /Contents {drawn} 0 R /Resources << {fonts} /XObject << /X {form} 0 R >> >> >>"
            )
            .into_bytes(),
        );
        let plain = matrix == "1 0 0 1 0 0";
        objects.push(stream("", if plain { content } else { "/X Do\n" }));
        let form = format!(
            "/Type /XObject /Subtype /Form /BBox [-999 -999 999 999] /Matrix [{matrix}] /Resources << {fonts} >>"
        );
        objects.push(stream(&form, content));
    }
    let mut out = b"%PDF-1.4\n".to_vec();
    let mut offsets = Vec::new();
    for (i, object) in objects.iter().enumerate() {
        offsets.push(out.len());
        out.extend(format!("{} 0 obj\n", i + 1).bytes());
        out.extend(object);
        out.extend(b"\nendobj\n");
    }
    let xref = out.len();
    out.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for offset in offsets {
        out.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    out.extend(
        format!("trailer << /Size {} /Root 1 0 R >>\nstartxref\n{xref}\n%%EOF\n", objects.len() + 1).bytes(),
    );
    out
}

/// The PDFium library, or `None` with a message that the test is skipped.
pub(crate) fn libpdfium() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = std::env::var_os("PIPELINE_NATIVES").map_or_else(|| root.join(".natives"), PathBuf::from);
    let path = folder.join("libpdfium.so");
    if path.is_file() {
        return Some(path);
    }
    println!("skipped: no libpdfium.so in {} (set PIPELINE_NATIVES)", folder.display());
    None
}

/// A worker of this crate; `fault` is the fault to plant, as `KIND:NAME`.
pub(crate) fn worker(libpdfium: &Path, fault: Option<&str>) -> ingest::WorkerCommand {
    let mut args: Vec<OsString> = Vec::new();
    if let Some(fault) = fault {
        args.push(format!("INGEST_WORKER_FAULT={fault}").into());
    }
    args.push(env!("CARGO_BIN_EXE_ingest-worker").into());
    ingest::WorkerCommand { program: "/usr/bin/env".into(), args, libpdfium: libpdfium.to_owned() }
}

/// The collection of files that break readers, or `None` with a message that the test is skipped.
pub(crate) fn nasty_folder() -> Option<PathBuf> {
    shared("nasty")
}

/// A folder of data beside the project, or `None` with a message that the test is skipped.
pub(crate) fn shared(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no shared/data/{name} beside the project");
    None
}

/// An installed tesseract, or `None` with a message that the test is skipped.
pub(crate) fn tesseract() -> Option<ingest::Tesseract> {
    match ingest::Tesseract::find(Path::new("tesseract")) {
        Ok(found) if found.missing("eng").is_empty() => Some(found),
        Ok(found) => {
            println!("skipped: {} has no English data", found.version);
            None
        }
        Err(error) => {
            println!("skipped: {error}");
            None
        }
    }
}
