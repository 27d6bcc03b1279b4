//! Who may see the pages: a key, kept in a cookie that no script can read.

use super::{assets, check, shown};
use crate::{
    app::{App, Caller},
    extract::Sent,
    failed::Failed,
    guard,
    operation::{Operation, Routes},
};
use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Redirect, Response},
    routing::{get, post},
};
use maud::{DOCTYPE, Markup, html};
use serde::Deserialize;

pub(super) fn routes() -> Routes {
    vec![
        Operation::get("/login", "Asks for a key")
            .open()
            .by(get(|| async { shown(StatusCode::OK, &page(None)) })),
        Operation::post("/login", "Logs in").open().by(post(log_in)),
        Operation::post("/logout", "Logs out").on_page().by(post(log_out)),
    ]
}

/// The page that asks for a key.
pub(super) fn page(wrong: Option<&str>) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Log in – pipeline" }
                link rel="stylesheet" href=(assets::address("portal.css"));
            }
            body {
                main #main.narrow {
                    h1 { "Log in" }
                    form action="/login" method="post" {
                        label for="key" { "Key" }
                        input #key name="key" type="password" autocomplete="current-password" required
                            aria-describedby=[wrong.map(|_| "wrong")];
                        @if let Some(wrong) = wrong { p #wrong.problem role="alert" { (wrong) } }
                        button type="submit" { "Log in" }
                    }
                    p.note { "Whoever runs this server makes keys with " code { "pipeline serve keys add" } "." }
                }
            }
        }
    }
}

#[derive(Deserialize)]
struct LogIn {
    key: String,
}

async fn log_in(
    State(app): State<App>,
    headers: HeaderMap,
    Sent(LogIn { key }): Sent<LogIn>,
) -> Result<Response, Failed> {
    let key = key.trim();
    let is_token =
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic() && byte != b';' && byte != b',');
    if !is_token || !guard::is_key(&app, key).await? {
        return Ok(shown(StatusCode::FORBIDDEN, &page(Some("This key is not valid."))));
    }
    let secure = headers.get("x-forwarded-proto").is_some_and(|scheme| scheme == "https");
    let secure = if secure { "; Secure" } else { "" };
    let cookie = format!("{}={key}; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000{secure}", guard::COOKIE);
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to("/")).into_response())
}

#[derive(Deserialize)]
struct LogOut {
    token: String,
}

async fn log_out(
    State(app): State<App>,
    caller: Caller,
    Sent(LogOut { token }): Sent<LogOut>,
) -> Result<Response, Failed> {
    check(&app, &caller, &token)?;
    let cookie = format!("{}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0", guard::COOKIE);
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to("/login")).into_response())
}
