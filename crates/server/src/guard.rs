//! What happens before a route and after it: the id of the request, who may call, how long it may take, the log.

use crate::{
    app::{App, Caller, milliseconds},
    failed::{Failed, Logged, REQUEST_ID},
    origin::Origin,
    portal::view,
    state::{
        keys::{self, Role},
        random, sessions,
    },
};
use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header, uri::Authority},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use governor::clock::Clock as _;
use serde_json::json;
use std::{
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};
use tower_http::cors::{AllowOrigin, CorsLayer};

const ID: HeaderName = HeaderName::from_static("x-request-id");
/// The quotes that a file does not have, by their numbers from 1.
pub(crate) const QUOTES_NOT_FOUND: HeaderName = HeaderName::from_static("quotes-not-found");

/// Around every request: gives it an id, refuses strangers, counts and logs it. What was asked is never logged.
pub(crate) async fn around(State(app): State<App>, request: Request, next: Next) -> Response {
    let (started, id) = (Instant::now(), Arc::<str>::from(random::<9>()));
    let method = method_of(request.method());
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let running = app.telemetry.begin();
    let answer = async {
        match stranger(&app, &request) {
            Some(failed) => failed.into_response(),
            None => next.run(request).await,
        }
    };
    let mut response = REQUEST_ID.scope(Arc::clone(&id), answer).await;
    drop(running);
    let status = response.status();
    app.telemetry.end(method, &route, status.as_u16(), started.elapsed());
    let caller = response.extensions().get::<Caller>().and_then(|caller: &Caller| caller.key.clone());
    let logged = response.extensions().get::<Logged>().cloned();
    let level = match status.as_u16() {
        500.. => "error",
        400.. => "warn",
        _ => "info",
    };
    (app.log)(&json!({
        "time": engine::timestamp(),
        "level": level,
        "request_id": &*id,
        "method": method,
        "route": route,
        "status": status.as_u16(),
        "milliseconds": milliseconds(started),
        "tenant": caller.as_ref().map(|(_, tenant)| tenant.as_str()),
        "key": caller.as_ref().map(|(key, _)| key),
        "code": logged.as_ref().map(|logged| logged.code),
        "error": logged.and_then(|logged| logged.inside),
    }));
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert(ID, id);
    }
    let fixed = HeaderValue::from_static;
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
    headers.insert("cross-origin-resource-policy", fixed("same-origin"));
    let cache = headers.entry(header::CACHE_CONTROL);
    cache.or_insert(fixed("no-store"));
    response
}

/// The method as it is counted and logged: a client may send any token, and each label stays for ever.
fn method_of(method: &Method) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    let known = KNOWN.into_iter().find(|known| method == known);
    known.unwrap_or("other")
}

/// Refuses what a page in a browser sends to a server that is not its own, whatever name it has for this machine.
fn stranger(app: &App, request: &Request) -> Option<Failed> {
    let text = |name: &HeaderName| request.headers().get(name).and_then(|value| value.to_str().ok());
    let host = request.uri().authority().map(Authority::as_str).or_else(|| text(&header::HOST));
    if app.loopback && !host.is_some_and(|host| names_this_machine(host) || is_public(&app.origins, host)) {
        let failed = Failed::new(
            StatusCode::FORBIDDEN,
            "other_host",
            "the request names another host than this machine",
        );
        let hint = "use http://127.0.0.1 or http://localhost; for a proxy, start the server with --origin and the address that it has in browsers";
        return Some(failed.value(host.unwrap_or_default()).hint(hint));
    }
    let Some(origin) = request.headers().get(header::ORIGIN) else {
        // A picture or a script of another page has no origin; that it loads tells what there is. A link may be followed, but not
        // into a frame or an object of that page.
        let fetched = |name: &str, value: &str| request.headers().get(name).is_some_and(|own| own == value);
        let message = "a page of another site must not load from this server";
        let followed = fetched("sec-fetch-mode", "navigate") && fetched("sec-fetch-dest", "document");
        return (fetched("sec-fetch-site", "cross-site") && !followed).then(|| {
            let hint = "start the server with --origin ORIGIN, and add the attribute crossorigin to the element that loads this";
            Failed::new(StatusCode::FORBIDDEN, "other_origin", message).hint(hint)
        });
    };
    let origin = origin.to_str().unwrap_or_default();
    let authority = origin.split_once("://").map(|(_, authority)| authority);
    let is_allowed = app.origins.iter().any(|allowed| allowed.0 == origin);
    (!is_allowed && (authority.is_none() || authority != host)).then(|| {
        let message = "a page of another origin must not use this server";
        Failed::new(StatusCode::FORBIDDEN, "other_origin", message).value(origin)
    })
}

/// Tells browsers that pages of these origins may use the server.
pub(crate) fn cors(origins: &[Origin]) -> CorsLayer {
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins.iter().map(|origin| origin.0.clone())))
        .allow_methods([Method::GET, Method::POST, Method::PATCH, Method::DELETE])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            HeaderName::from_static("mcp-protocol-version"),
            HeaderName::from_static("mcp-method"),
            HeaderName::from_static("mcp-name"),
        ])
        .expose_headers([ID, header::RETRY_AFTER, QUOTES_NOT_FOUND])
}

/// Whether `HOST` or `HOST:PORT` is this machine by a name that no name server gives.
fn names_this_machine(host: &str) -> bool {
    let Ok(uri) = format!("http://{host}/").parse::<Uri>() else {
        return false;
    };
    let name = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Whether one of these origins has this host.
fn is_public(origins: &[Origin], host: &str) -> bool {
    origins.iter().any(|origin| origin.host().eq_ignore_ascii_case(host))
}

/// Whether the request came by HTTPS: to a host, or from a page, that an origin names so, or as a proxy says.
pub(crate) fn is_secure(app: &App, headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let from = headers.get(header::ORIGIN);
    let is_named = |own: &&Origin| own.host().eq_ignore_ascii_case(host) || Some(&own.0) == from;
    let named = app.origins.iter().filter(is_named);
    let said = headers.get("x-forwarded-proto").is_some_and(|scheme| scheme == "https");
    said || named.into_iter().any(Origin::is_https)
}

/// What a route allows.
#[derive(Clone)]
pub(crate) struct Allowed {
    pub(crate) app: App,
    /// Who may call; `None` for everybody, without a key.
    pub(crate) role: Option<Role>,
    /// Whether it is a page, whose errors are pages and whose key may be in a cookie.
    pub(crate) is_page: bool,
    pub(crate) time: Duration,
}

/// Around one route: who calls, how often, and how long it may take.
pub(crate) async fn route(State(allowed): State<Allowed>, mut request: Request, next: Next) -> Response {
    let mut known = None;
    let is_part = view::wants_part(request.headers());
    let back = request.uri().path_and_query().map(ToString::to_string).unwrap_or_default();
    if let Some(role) = allowed.role {
        let session = session_of(&allowed.app, request.headers()).filter(|_| allowed.is_page);
        match caller(&allowed.app, key_of(&request), session, role).await {
            Ok(caller) => {
                request.extensions_mut().insert(caller.clone());
                known = Some(caller);
            }
            Err(failed) if allowed.is_page => return view::failure(&failed, is_part, &back),
            Err(failed) => return failed.into_response(),
        }
    }
    let late = |_| {
        let message = format!("the answer took longer than {} s", allowed.time.as_secs());
        Failed::busy("too_slow", message, 30).into_response()
    };
    let answered = tokio::time::timeout(allowed.time, next.run(request)).await;
    let mut response = answered.unwrap_or_else(late);
    if allowed.is_page
        && let Some(failed) = response.extensions_mut().remove::<Arc<Failed>>()
    {
        response = view::failure(&failed, is_part, &back);
    }
    if let Some(known) = known {
        response.extensions_mut().insert(known);
    }
    response
}

/// The key that a request brings.
fn key_of(request: &Request) -> Option<String> {
    let value = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, key) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim().to_owned())
}

/// The session in the cookie of a page.
pub(crate) fn session_of(app: &App, headers: &HeaderMap) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut cookies = cookies.flat_map(|value| value.split(';')).filter_map(|one| one.trim().split_once('='));
    cookies.find(|(name, _)| *name == app.cookie).map(|(_, session)| session.to_owned())
}

async fn caller(
    app: &App,
    key: Option<String>,
    session: Option<String>,
    role: Role,
) -> Result<Caller, Failed> {
    let (any, found) = app
        .state
        .read(move |c| {
            let mut found = key.as_deref().map(|key| keys::find(c, key)).transpose()?.flatten();
            if let (None, Some(session)) = (&found, &session) {
                found = sessions::find(c, session)?;
            }
            Ok((found.is_some() || keys::any(c)?, found))
        })
        .await?;
    let caller = match found {
        Some((id, tenant, role)) => Caller { key: Some((id, tenant)), role },
        None if any || !app.loopback => {
            let failed = Failed::new(StatusCode::UNAUTHORIZED, "no_key", "the request has no valid key");
            return Err(failed
                .hint("send the header Authorization: Bearer KEY; `pipeline serve keys add` makes a key"));
        }
        None => Caller { key: None, role: Role::Admin },
    };
    if let Some((id, _)) = &caller.key
        && let Err(until) = app.rates.check_key(id)
    {
        let wait = until.wait_time_from(governor::clock::DefaultClock::default().now()).as_secs() + 1;
        let failed =
            Failed::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", "the key is used too often");
        return Err(failed.hint(format!("try again after {wait} s")).retry_after(wait));
    }
    if caller.role < role {
        let failed = Failed::new(
            StatusCode::FORBIDDEN,
            "role",
            format!("the key may not do this: it needs the role {role}"),
        );
        return Err(failed.value(caller.role.as_str()));
    }
    Ok(caller)
}

#[cfg(test)]
mod tests {
    use super::{is_public, names_this_machine};

    #[test]
    fn only_names_that_nobody_else_can_claim() {
        for host in ["localhost", "LOCALHOST:8000", "127.0.0.1", "127.9.9.9:1", "[::1]:8000", "[::1]"] {
            assert!(names_this_machine(host), "{host}");
        }
        for host in
            "|example.org|localhost.example.org|127.0.0.1.example.org|10.0.0.1|a b|[::2]|user@".split('|')
        {
            assert!(!names_this_machine(host), "{host}");
        }
        let origins =
            ["https://papers.example.org", "http://lab:8080"].map(|text| text.parse().expect("an origin"));
        for (host, want) in [
            ("papers.example.org", true),
            ("Papers.Example.org", true),
            ("lab:8080", true),
            ("lab", false),
            ("example.org", false),
            ("papers.example.org.evil.org", false),
            ("", false),
        ] {
            assert_eq!(is_public(&origins, host), want, "{host}");
        }
    }
}
