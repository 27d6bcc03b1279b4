//! Who may see the pages: a key, kept in a cookie that no script can read.

use super::view::{self, check, shown};
use crate::{
    app::{App, Caller},
    extract::Sent,
    failed::Failed,
    guard,
    operation::{Operation, Routes},
    state::{keys, sessions},
};
use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Redirect, Response},
    routing::{get, post},
};
use serde::Deserialize;

pub(super) fn routes() -> Routes {
    vec![
        Operation::get("/login", "Asks for a key")
            .open()
            .by(get(|| async { shown(StatusCode::OK, &view::log_in(None, "/")) })),
        Operation::post("/login", "Logs in").open().by(post(log_in)),
        Operation::post("/logout", "Logs out").on_page().by(post(log_out)),
    ]
}

#[derive(Deserialize)]
struct LogIn {
    key: String,
    #[serde(default)]
    back: String,
}

async fn log_in(
    State(app): State<App>,
    headers: HeaderMap,
    Sent(LogIn { key, back }): Sent<LogIn>,
) -> Result<Response, Failed> {
    let open = move |c: &mut _| match keys::find(c, key.trim())? {
        Some((id, ..)) => sessions::add(c, id).map(Some),
        None => Ok(None),
    };
    let Some(session) = app.state.run(open).await? else {
        return Ok(shown(StatusCode::FORBIDDEN, &view::log_in(Some("This key is not valid."), &back)));
    };
    let secure = if guard::is_secure(&app, &headers) { "; Secure" } else { "" };
    let age = sessions::DAYS * 24 * 3600;
    let cookie = format!("{}={session}; Path=/; HttpOnly; SameSite=Lax; Max-Age={age}{secure}", app.cookie);
    // Only to a page of this server.
    let is_own = back.starts_with('/') && !back.starts_with("//") && !back.contains(['\\', '\r', '\n']);
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to(if is_own { &back } else { "/" })).into_response())
}

#[derive(Deserialize)]
struct LogOut {
    token: String,
}

async fn log_out(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Sent(LogOut { token }): Sent<LogOut>,
) -> Result<Response, Failed> {
    check(&app, &caller, &token)?;
    if let Some(session) = guard::session_of(&app, &headers) {
        app.state.run(move |c| sessions::end(c, &session)).await?;
    }
    let cookie = format!("{}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0", app.cookie);
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to("/login")).into_response())
}
