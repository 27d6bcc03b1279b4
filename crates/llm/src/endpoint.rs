//! The address that requests go to, and how it may be shown.

use crate::{LlmError, secret::Secrets, served::Served};
use reqwest::Url;
use std::net::IpAddr;

/// The parameter by which Azure is told the version of its API.
const API_VERSION: &str = "api-version";

/// Where requests go.
#[derive(Clone)]
pub(crate) struct Endpoint {
    /// The address of the call. User and password stay in it: reqwest turns them into a header.
    pub(crate) url: Url,
    /// The address as errors show it: no user, no password, no query, no fragment.
    pub(crate) shown: String,
    /// Whether it is this very machine.
    pub(crate) loopback: bool,
}

impl Endpoint {
    /// Reads the base address. What is secret in it goes to `secrets`.
    ///
    /// # Errors
    /// [`LlmError::BaseUrl`] when it is no http or https address.
    pub(crate) fn parse(served: &Served, secrets: &mut Secrets) -> Result<Self, LlmError> {
        let Served { base_url, route, .. } = served;
        let refuse = |reason: String| LlmError::BaseUrl {
            section: served.section,
            url: shown_unparsed(base_url),
            reason,
        };
        let mut url =
            Url::parse(base_url.trim()).map_err(|error| refuse(format!("is not an address ({error})")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refuse(format!("has the scheme {:?}, not http or https", url.scheme())));
        }
        secrets.add(url.username());
        secrets.add(url.password().unwrap_or_default());
        secrets.add(url.query().unwrap_or_default());
        for (name, value) in url.query_pairs() {
            // The version of an API is a date, which replies may say too.
            if name != API_VERSION {
                secrets.add(&value);
            }
        }
        url.set_fragment(None);
        let mut path = url.path().trim_end_matches('/').to_owned();
        if !path.ends_with(route.call) {
            if let Some(bare) = route.left_out.iter().find_map(|end| path.strip_suffix(end)) {
                path = bare.to_owned();
            }
            path.push_str(route.call);
        }
        url.set_path(&path);
        let loopback = is_loopback(url.host_str().unwrap_or_default());
        Ok(Self { shown: shown(&url), url, loopback })
    }

    /// Whether the address is one of Azure, which wants its keys in a header of its own.
    pub(crate) fn azure(&self) -> bool {
        let host = self.url.host_str().unwrap_or_default();
        host.ends_with(".openai.azure.com") || self.url.query_pairs().any(|(name, _)| name == API_VERSION)
    }

    /// Takes user and password out of the address: a key goes before them.
    pub(crate) fn drop_login(&mut self) {
        // Both fail only for addresses without a host, which `parse` does not let through.
        let _ = self.url.set_username("");
        let _ = self.url.set_password(None);
    }
}

/// An address without its secrets.
fn shown(url: &Url) -> String {
    let port = url.port().map(|p| format!(":{p}")).unwrap_or_default();
    format!("{}://{}{port}{}", url.scheme(), url.host_str().unwrap_or_default(), url.path())
}

/// Something that is no address, without what may be secret in it.
fn shown_unparsed(text: &str) -> String {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    let text: String = text.chars().filter(|c| !c.is_control()).take(200).collect();
    match text.rsplit_once('@') {
        Some((_, host)) => format!("[redacted]@{host}"),
        None => text,
    }
}

/// What to do about a key that goes over plain http.
pub const USE_HTTPS: &str = "use https, or a tunnel that begins on this machine";

/// What is wrong with a key that goes to this base address: over plain http to another machine, others can read it.
pub fn exposed_key(base_url: &str) -> Option<String> {
    let url = Url::parse(base_url.trim()).ok()?;
    let exposed = url.scheme() == "http" && !is_loopback(url.host_str().unwrap_or_default());
    let server = url.origin().ascii_serialization();
    exposed.then(|| format!("the API key goes to {server} over plain http, where others can read it"))
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let name = bare.trim_end_matches('.').to_ascii_lowercase();
    bare.parse::<IpAddr>().map_or_else(
        |_| name == "localhost" || name.ends_with(".localhost"),
        |ip| ip.to_canonical().is_loopback(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        LlmSettings,
        served::{KeyHeader, Route},
    };

    fn parse(base: &str, secrets: &mut Secrets) -> Result<Endpoint, LlmError> {
        along(Route::openai("/chat/completions"), base, secrets)
    }

    fn along(route: Route, base: &str, secrets: &mut Secrets) -> Result<Endpoint, LlmError> {
        let settings = LlmSettings { base_url: base.to_owned(), ..LlmSettings::default() };
        Endpoint::parse(&settings.served(route), secrets)
    }

    #[test]
    fn addresses_are_completed_and_shown_without_secrets() {
        let check = |base: &str, want: &str, shown: &str, loopback: bool| {
            let mut secrets = Secrets::default();
            let endpoint = parse(base, &mut secrets).expect(base);
            assert_eq!(endpoint.url.as_str(), want, "{base}");
            assert_eq!(endpoint.shown, shown, "{base}");
            assert_eq!(endpoint.loopback, loopback, "{base}");
        };
        let v1 = "http://127.0.0.1:8080/v1/chat/completions";
        check("http://127.0.0.1:8080/v1", v1, v1, true);
        check(" http://127.0.0.1:8080/v1/ ", v1, v1, true);
        check("http://127.0.0.1:8080/v1/chat/completions/", v1, v1, true);
        check("http://[::1]:1/", "http://[::1]:1/chat/completions", "http://[::1]:1/chat/completions", true);
        check(
            "https://me:hush-hush@models.example/d/x?api-version=1&code=s3cret",
            "https://me:hush-hush@models.example/d/x/chat/completions?api-version=1&code=s3cret",
            "https://models.example/d/x/chat/completions",
            false,
        );
        check(
            "http://localhost#top",
            "http://localhost/chat/completions",
            "http://localhost/chat/completions",
            true,
        );
    }

    #[test]
    fn an_end_of_the_path_can_be_left_out() {
        let route =
            Route { call: "/api/chat", left_out: &["/v1", "/api"], key: KeyHeader::Bearer, headers: &[] };
        for base in ["", "/", "/v1", "/v1/", "/api", "/api/chat"] {
            let endpoint = along(route, &format!("http://h{base}"), &mut Secrets::default()).expect(base);
            assert_eq!(endpoint.url.as_str(), "http://h/api/chat", "{base}");
        }
        let below = along(route, "http://h/models/v1", &mut Secrets::default()).expect("an address");
        assert_eq!(below.url.as_str(), "http://h/models/api/chat");
    }

    #[test]
    fn azure_is_known_by_its_host_or_its_version() {
        let check = |base: &str, want: bool| {
            let mut secrets = Secrets::default();
            assert_eq!(parse(base, &mut secrets).expect(base).azure(), want, "{base}");
            assert_eq!(secrets.scrub_reply("on 2024-10-21"), "on 2024-10-21");
        };
        check("https://x.openai.azure.com/openai/v1", true);
        check("https://models.example/d?api-version=2024-10-21", true);
        check("https://openai.azure.com.models.example/v1", false);
        check("https://models.example/v1?version=1", false);
    }

    #[test]
    fn what_is_no_address_is_refused_without_its_secrets() {
        let check = |base: &str, part: &str| {
            let error = parse(base, &mut Secrets::default()).err().expect(base).to_string();
            assert!(error.contains(part), "{error}");
            assert!(!error.contains("hush"), "{error}");
        };
        check("", "not an address");
        check("localhost:8080/v1", "scheme \"localhost\"");
        check("ftp://me:hush@host/v1", "scheme \"ftp\"");
        check("http://me:hush@ho st/v1?key=hush", "not an address");
    }

    #[test]
    fn a_key_is_exposed_over_plain_http_to_another_machine() {
        for own in [
            "https://models.example/v1",
            "http://localhost:8080/v1",
            "http://LOCALHOST./v1",
            "http://a.localhost/v1",
            "http://127.0.0.1/v1",
            "http://127.8.9.1:1/v1",
            "http://127.1/v1",
            "http://[::1]/v1",
            "http://[::ffff:127.0.0.1]/v1",
            "no address",
        ] {
            assert_eq!(exposed_key(own), None, "{own}");
        }
        for other in [
            "http://models.example/v1",
            "http://192.168.0.7:8000",
            "HTTP://10.0.0.1",
            "http://127.0.0.1.example/",
            "http://localhost.example",
            "http://[2001:db8::1]:8000/v1",
        ] {
            assert!(exposed_key(other).is_some(), "{other}");
        }
        let said = exposed_key("http://models.example:8000/v1").expect("exposed");
        assert!(said.contains("http://models.example:8000 over plain http"), "{said}");
    }

    #[test]
    fn the_login_can_be_taken_out() {
        let mut endpoint = parse("http://me:hush-hush@host/v1", &mut Secrets::default()).expect("an address");
        endpoint.drop_login();
        assert_eq!(endpoint.url.as_str(), "http://host/v1/chat/completions");
    }
}
