//! What all pages have: the menu, the policy, errors, and the fields that show where a form comes from.

use crate::{
    app::{App, Caller},
    failed::Failed,
    state::keys::Role,
};
use axum::{
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use maud::{DOCTYPE, Markup, html};
use sha2::{Digest as _, Sha256};
use std::sync::LazyLock;
use types::digest::sha256;

/// Name, content type and content. `htmx.min.js` is version 4.0.1 of npm's htmx.org (0BSD), SHA-256
/// a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130.
pub(super) const FILES: [(&str, &str, &str); 3] = [
    ("htmx.min.js", "text/javascript; charset=utf-8", include_str!("assets/htmx.min.js")),
    ("portal.js", "text/javascript; charset=utf-8", include_str!("assets/portal.js")),
    ("portal.css", "text/css; charset=utf-8", include_str!("assets/portal.css")),
];

/// The first letters of the hash of each file.
static VERSIONS: LazyLock<[String; 3]> =
    LazyLock::new(|| FILES.map(|(_, _, text)| sha256(text.as_bytes()).chars().take(12).collect()));

/// The address of a file; another one when the file changes.
fn asset(name: &str) -> String {
    let version =
        FILES.iter().zip(&*VERSIONS).find(|((own, ..), _)| *own == name).map(|(_, version)| version.as_str());
    format!("/assets/{name}?v={}", version.unwrap_or_default())
}

/// The views of the portal: path and name.
const VIEWS: [(&str, &str); 6] = [
    ("/", "Ask"),
    ("/evidence", "Evidence"),
    ("/library", "Library"),
    ("/history", "History"),
    ("/gaps", "Gaps"),
    ("/evaluation", "Evaluation"),
];

/// What every page has: who sees it, and where it is.
pub(crate) struct View<'a> {
    /// The path of the view, which is marked in the menu.
    pub(crate) here: &'a str,
    pub(crate) title: &'a str,
    /// Whether the caller can log out.
    pub(crate) has_key: bool,
    /// Whether the caller may change what is kept.
    pub(crate) can_write: bool,
    pub(crate) token: String,
}

impl<'a> View<'a> {
    pub(crate) fn new(app: &App, caller: &Caller, here: &'a str, title: &'a str) -> Self {
        let can_write = caller.role >= Role::Write;
        Self { here, title, has_key: caller.key.is_some(), can_write, token: token(app, caller) }
    }

    /// A whole page.
    pub(crate) fn page(&self, content: &Markup) -> Response {
        let markup = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="htmx-config" content=r#"{"includeIndicatorCSS": false}"#;
                    title { (self.title) " – pipeline" }
                    link rel="icon" href="data:,";
                    link rel="stylesheet" href=(asset("portal.css"));
                    script src=(asset("htmx.min.js")) defer {}
                    script src=(asset("portal.js")) type="module" {}
                }
                body {
                    a.skip href="#main" { "Skip to the content" }
                    header.top {
                        nav aria-label="Views" {
                            @for (path, name) in VIEWS {
                                a href=(path) aria-current=[(path == self.here).then_some("page")] { (name) }
                            }
                        }
                        @if self.has_key {
                            form action="/logout" method="post" {
                                (self.hidden())
                                button.quiet type="submit" { "Log out" }
                            }
                        }
                    }
                    main #main { (content) }
                    div #status.unseen role="status" aria-live="polite" {}
                }
            }
        };
        shown(StatusCode::OK, &markup)
    }

    /// The field that shows that a form was sent by a page of this server.
    pub(crate) fn hidden(&self) -> Markup {
        html! { input type="hidden" name="token" value=(self.token); }
    }
}

/// Markup as an answer, with the policy that browsers hold pages to.
pub(crate) fn shown(status: StatusCode, markup: &Markup) -> Response {
    const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    let fixed = HeaderValue::from_static;
    let headers = [
        (header::CONTENT_TYPE, fixed("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, fixed(POLICY)),
        (header::REFERRER_POLICY, fixed("same-origin")),
    ];
    (status, headers, markup.0.clone()).into_response()
}

/// A request that was not done, as a page or as a part of one; without a key, the page that asks for one, and that leads `back`.
pub(crate) fn failure(failed: &Failed, is_part: bool, back: &str) -> Response {
    let markup = if is_part {
        problem(failed)
    } else if failed.status == StatusCode::UNAUTHORIZED {
        log_in(None, back)
    } else {
        bare("Error", &html! { (problem(failed)) p { a href="/" { "Ask a question" } } })
    };
    let mut response = shown(failed.status, &markup);
    failed.mark(&mut response);
    response
}

/// A page without a menu.
fn bare(title: &str, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " – pipeline" }
                link rel="icon" href="data:,";
                link rel="stylesheet" href=(asset("portal.css"));
            }
            body { main #main { (content) } }
        }
    }
}

/// What went wrong, and what to do.
pub(crate) fn problem(failed: &Failed) -> Markup {
    let parts = &failed.parts;
    html! {
        section.problem role="alert" {
            h1 { "Something went wrong" }
            p { (parts.message) @if let Some(value) = &parts.value { ": " q dir="auto" { (value) } } }
            @match (parts.code, &parts.hint) {
                ("no_papers", _) => p { a href="/library" { "Add papers" } },
                // It names a route of the API.
                ("filter", _) | (_, None) => {},
                (_, Some(hint)) => p { (hint) },
            }
        }
    }
}

/// Whether a script asks for a part of a page.
pub(crate) fn wants_part(headers: &HeaderMap) -> bool {
    const PART: HeaderName = HeaderName::from_static("hx-request");
    headers.contains_key(PART)
}

/// Names the caller to the server itself: what a page sends back with a form.
fn token(app: &App, caller: &Caller) -> String {
    use base64::Engine as _;
    let key = caller.key.as_ref().map_or(0, |(key, _)| *key);
    let digest = Sha256::new().chain_update(app.secret).chain_update(key.to_le_bytes()).finalize();
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(digest)
}

/// Refuses a form that no page of this server sent.
///
/// # Errors
/// When its token is not the caller's.
pub(crate) fn check(app: &App, caller: &Caller, sent: &str) -> Result<(), Failed> {
    use subtle::ConstantTimeEq as _;
    if bool::from(token(app, caller).as_bytes().ct_eq(sent.as_bytes())) {
        return Ok(());
    }
    let failed = Failed::new(
        StatusCode::FORBIDDEN,
        "form",
        "the form was not sent by a page of this server, or is too old",
    );
    Err(failed.hint("go back, load the page again, and send it again"))
}

/// Text as part of an address.
pub(crate) fn encoded(text: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // A string takes everything.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// So many of something: "1 paper", "2 papers".
pub(crate) fn count(number: usize, noun: &str) -> String {
    lab::report::words::count(number, noun)
}

/// The page that asks for a key, and then leads `back`.
pub(super) fn log_in(wrong: Option<&str>, back: &str) -> Markup {
    bare(
        "Log in",
        &html! {
            div.narrow {
                h1 { "Log in" }
                form action="/login" method="post" {
                    input type="hidden" name="back" value=(back);
                    label for="key" { "Key" }
                    input #key name="key" type="password" autocomplete="current-password" required
                        aria-describedby=[wrong.map(|_| "wrong")];
                    @if let Some(wrong) = wrong { p #wrong.problem role="alert" { (wrong) } }
                    button type="submit" { "Log in" }
                }
                p.note { "The operator of this server makes keys with " code { "pipeline serve keys add" } "." }
            }
        },
    )
}
