//! The script and the style of the pages.

use super::view::FILES;
use crate::{
    extract::Path,
    failed::Failed,
    operation::{Operation, Routes},
};
use axum::{http::header, response::IntoResponse, routing::get};

pub(super) fn routes() -> Routes {
    vec![Operation::get("/assets/{name}", "A script or a style").open().by(get(asset))]
}

async fn asset(Path(name): Path<String>) -> Result<impl IntoResponse, Failed> {
    let found = FILES.iter().find(|(own, ..)| *own == name);
    let (_, kind, text) = found.ok_or_else(|| Failed::not_found("file", &name))?;
    Ok((
        [(header::CONTENT_TYPE, *kind), (header::CACHE_CONTROL, "public, max-age=31536000, immutable")],
        *text,
    ))
}
