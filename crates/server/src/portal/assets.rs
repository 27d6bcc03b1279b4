//! The script and the style of the pages.

use crate::{
    extract::Path,
    failed::Failed,
    operation::{Operation, Routes},
};
use axum::{http::header, response::IntoResponse, routing::get};
use std::sync::LazyLock;
use types::digest::sha256;

/// Name, content type and content. `htmx.min.js` is version 4.0.1 of npm's htmx.org (0BSD), SHA-256
/// a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130.
const FILES: [(&str, &str, &str); 3] = [
    ("htmx.min.js", "text/javascript; charset=utf-8", include_str!("assets/htmx.min.js")),
    ("portal.js", "text/javascript; charset=utf-8", include_str!("assets/portal.js")),
    ("portal.css", "text/css; charset=utf-8", include_str!("assets/portal.css")),
];

pub(super) fn routes() -> Routes {
    vec![Operation::get("/assets/{name}", "A script or a style").open().by(get(asset))]
}

/// The first letters of the hash of each file.
static VERSIONS: LazyLock<[String; 3]> =
    LazyLock::new(|| FILES.map(|(_, _, text)| sha256(text.as_bytes()).chars().take(12).collect()));

/// The address of a file; another one when the file changes.
pub(super) fn address(name: &str) -> String {
    let version =
        FILES.iter().zip(&*VERSIONS).find(|((own, ..), _)| *own == name).map(|(_, version)| version.as_str());
    format!("/assets/{name}?v={}", version.unwrap_or_default())
}

async fn asset(Path(name): Path<String>) -> Result<impl IntoResponse, Failed> {
    let found = FILES.iter().find(|(own, ..)| *own == name);
    let (_, kind, text) = found.ok_or_else(|| Failed::not_found("file", &name))?;
    Ok((
        [(header::CONTENT_TYPE, *kind), (header::CACHE_CONTROL, "public, max-age=31536000, immutable")],
        *text,
    ))
}
