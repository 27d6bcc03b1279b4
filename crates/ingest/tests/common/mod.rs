//! Helpers of the integration tests: a writer of small PDFs, and where the native libraries are.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A text to print: x and y in points from the bottom left corner, font number (1 plain, 2 bold, 3 italic; 4 to 6 the
/// same, turned by 90 degrees), size, text.
pub(crate) struct Print<'a>(
    pub(crate) f32,
    pub(crate) f32,
    pub(crate) u8,
    pub(crate) f32,
    pub(crate) &'a str,
);

/// Writes a PDF of letter pages with the standard fonts.
pub(crate) fn pdf(pages: &[Vec<Print<'_>>]) -> Vec<u8> {
    let mut objects: Vec<Vec<u8>> = Vec::new();
    let kids: Vec<String> = (0..pages.len()).map(|i| format!("{} 0 R", 6 + 2 * i)).collect();
    objects.push(b"<< /Type /Catalog /Pages 2 0 R >>".to_vec());
    objects.push(
        format!(
            "<< /Type /Pages /Count {} /Kids [{}] >>",
            pages.len(),
            kids.join(" ")
        )
        .into_bytes(),
    );
    for name in ["Helvetica", "Helvetica-Bold", "Helvetica-Oblique"] {
        objects.push(
            format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>")
                .into_bytes(),
        );
    }
    for (i, page) in pages.iter().enumerate() {
        objects.push(
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {} 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R >> >> >>",
                7 + 2 * i
            )
            .into_bytes(),
        );
        let mut content = String::new();
        for Print(x, y, font, size, text) in page {
            let text = text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
            let (font, turn) = if *font > 3 {
                (font - 3, "0 1 -1 0")
            } else {
                (*font, "1 0 0 1")
            };
            writeln!(content, "BT /F{font} {size} Tf {turn} {x} {y} Tm ({text}) Tj ET")
                .expect("a string takes all");
        }
        objects.push(format!("<< /Length {} >>\nstream\n{content}endstream", content.len()).into_bytes());
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
        format!(
            "trailer << /Size {} /Root 1 0 R >>\nstartxref\n{xref}\n%%EOF\n",
            objects.len() + 1
        )
        .bytes(),
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
    println!(
        "skipped: no libpdfium.so in {} (set PIPELINE_NATIVES)",
        folder.display()
    );
    None
}

/// A worker of this crate; `fault` is the fault to plant, as `KIND:NAME`.
pub(crate) fn worker(libpdfium: &Path, fault: Option<&str>) -> ingest::WorkerCommand {
    let mut args: Vec<OsString> = Vec::new();
    if let Some(fault) = fault {
        args.push(format!("INGEST_WORKER_FAULT={fault}").into());
    }
    args.push(env!("CARGO_BIN_EXE_ingest-worker").into());
    ingest::WorkerCommand {
        program: "/usr/bin/env".into(),
        args,
        libpdfium: libpdfium.to_owned(),
    }
}

/// The collection of files that break readers, or `None` with a message that the test is skipped.
pub(crate) fn nasty_folder() -> Option<PathBuf> {
    shared("nasty")
}

/// A folder of data beside the project, or `None` with a message that the test is skipped.
pub(crate) fn shared(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(name);
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
