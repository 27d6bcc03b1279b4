//! One file: its address, its redirects, and another try when it is cut off.

use super::{
    HubError,
    partial::{Downloaded, Partial},
};
use llm::root_cause;
use reqwest::{
    Client, Response, StatusCode, Url,
    header::{LOCATION, RANGE},
    redirect::Policy,
};
use std::{net::IpAddr, path::Path, time::Duration};

/// The variable that names another hub, as other programs read it.
pub const ENDPOINT_VARIABLE: &str = "HF_ENDPOINT";

const DEFAULT_ENDPOINT: &str = "https://huggingface.co";

/// The newest state of a repository.
const NEWEST: &str = "main";

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Longest silence of the hub. A whole file may take any time.
const READ_TIMEOUT: Duration = Duration::from_mins(1);

/// How often a file is asked for when the connection breaks.
const TRIES: usize = 4;

/// Most redirects of one file.
const REDIRECTS: usize = 10;

/// A model hub.
#[derive(Debug)]
pub struct Hub {
    endpoint: Url,
    http: Client,
}

impl Hub {
    /// The hub at `endpoint`, the value of [`ENDPOINT_VARIABLE`]; the public one if that is unset or empty. Nothing is sent.
    ///
    /// # Errors
    /// When the address is neither http nor https, or TLS cannot be set up.
    pub fn new(endpoint: Option<&str>) -> Result<Self, HubError> {
        let endpoint = endpoint.map(str::trim).filter(|value| !value.is_empty());
        let endpoint = address(endpoint.unwrap_or(DEFAULT_ENDPOINT))?;
        // Fails only when some other part of the process has chosen a provider already, which then serves too.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(READ_TIMEOUT)
            // Redirects are followed here: the first answer has headers that the last one lacks.
            .redirect(Policy::none())
            .user_agent(concat!("pipeline/", env!("CARGO_PKG_VERSION")));
        if endpoint.scheme() == "https" {
            builder = builder.https_only(true);
        } else if is_loopback(endpoint.host_str().unwrap_or_default()) {
            builder = builder.no_proxy().tls_certs_only([]);
        }
        let http =
            builder.build().map_err(|error| HubError::Client { reason: root_cause(&error.without_url()) })?;
        Ok(Self { endpoint, http })
    }

    /// Downloads a file of a repository, such as `onnx/model.onnx` of `BAAI/bge-m3`, to `target`. `commit` is the state
    /// of the repository; empty for the newest. `progress` is told, again and again, how many bytes have come, and how many
    /// there will be if the hub says so.
    ///
    /// # Errors
    /// When the hub cannot be reached or has no such file, the file does not come whole or is another one, or `target`
    /// cannot be written. Then there is no `target`.
    pub async fn download(
        &self,
        repository: &str,
        file: &str,
        commit: &str,
        target: &Path,
        progress: &(dyn Fn(u64, Option<u64>) + Sync),
    ) -> Result<Downloaded, HubError> {
        let name = format!("{repository}/{file}");
        let wanted = Wanted { repository, file, name: &name };
        let done = self.fetch(&wanted, commit, target, progress).await;
        if done.is_err() {
            // It may never have been made.
            let _ = std::fs::remove_file(target);
        }
        done
    }

    /// Downloads a file, and goes on where it was cut off, a few times.
    async fn fetch(
        &self,
        wanted: &Wanted<'_>,
        commit: &str,
        target: &Path,
        progress: &(dyn Fn(u64, Option<u64>) + Sync),
    ) -> Result<Downloaded, HubError> {
        let mut partial = Partial::create(target)?;
        let mut announced = Announced::default();
        let mut tries = 1;
        loop {
            // All parts are of one commit.
            let commit = announced.commit.clone().unwrap_or_else(|| commit.to_owned());
            let response = self.open(wanted, &commit, partial.bytes, &mut announced).await?;
            match partial.receive(response, wanted.name, progress).await {
                Err(HubError::CutOff { .. }) if tries < TRIES => tries += 1,
                received => break received?,
            }
        }
        let done = partial.finish(announced.commit.unwrap_or_default())?;
        match announced.sha256 {
            Some(expected) if expected != done.sha256 => {
                Err(HubError::OtherContent { file: wanted.name.to_owned(), found: done.sha256, expected })
            }
            _ => Ok(done),
        }
    }

    /// The answer that holds the file from byte `from` on, or the whole file. What it and the answers before it announce
    /// is added to `announced`.
    async fn open(
        &self,
        wanted: &Wanted<'_>,
        commit: &str,
        from: u64,
        announced: &mut Announced,
    ) -> Result<Response, HubError> {
        let Wanted { repository, file, name } = wanted;
        let revision = if commit.is_empty() { NEWEST } else { commit };
        let mut url = self.endpoint.clone();
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{path}/{repository}/resolve/{revision}/{file}"));
        for _ in 0..=REDIRECTS {
            let host = host(&url);
            let mut request = self.http.get(url.clone());
            if from > 0 {
                request = request.header(RANGE, format!("bytes={from}-"));
            }
            let response = request.send().await.map_err(|error| HubError::Unreachable {
                host: host.clone(),
                reason: root_cause(&error.without_url()),
            })?;
            announced.read(&response);
            let status = response.status();
            if status == StatusCode::OK || (status == StatusCode::PARTIAL_CONTENT && from > 0) {
                return Ok(response);
            }
            let next = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
            let Some(next) = next.filter(|_| status.is_redirection()) else {
                return Err(HubError::Refused { host, file: (*name).to_owned(), status: status.as_u16() });
            };
            url = url.join(next).map_err(|error| HubError::Reply {
                host,
                file: (*name).to_owned(),
                reason: format!("a redirect to no address ({error})"),
            })?;
        }
        Err(HubError::Reply {
            host: host(&self.endpoint),
            file: (*name).to_owned(),
            reason: format!("more than {REDIRECTS} redirects"),
        })
    }
}

/// A file of a repository.
struct Wanted<'a> {
    repository: &'a str,
    file: &'a str,
    /// Both together.
    name: &'a str,
}

/// What the headers of a hub say about a file.
#[derive(Default)]
struct Announced {
    commit: Option<String>,
    sha256: Option<String>,
}

impl Announced {
    /// Takes what one answer says; earlier ones count more. Small files have a tag of another kind, which says nothing here.
    fn read(&mut self, response: &Response) {
        let digits = |name: &str, length: usize| {
            let value = response.headers().get(name)?.to_str().ok()?;
            let value = value.trim_start_matches("W/").trim_matches('"');
            let is_hex = value.len() == length && value.bytes().all(|b| b.is_ascii_hexdigit());
            is_hex.then(|| value.to_lowercase())
        };
        self.commit = self.commit.take().or_else(|| digits("x-repo-commit", 40));
        self.sha256 = self.sha256.take().or_else(|| digits("x-linked-etag", 64));
    }
}

fn address(text: &str) -> Result<Url, HubError> {
    let refuse = |reason: String| HubError::Endpoint { reason };
    // A text that may hold a password is not repeated.
    let shown = if text.contains('@') { "its value".to_owned() } else { format!("{text:?}") };
    let url = Url::parse(text).map_err(|error| refuse(format!("is no address: {shown} ({error})")))?;
    if matches!(url.scheme(), "http" | "https") {
        Ok(url)
    } else {
        Err(refuse(format!("is neither http nor https: {shown}")))
    }
}

/// Host and port of an address: nothing that may be secret.
fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn is_loopback(host: &str) -> bool {
    let address: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    host == "localhost" || address.is_some_and(|address| address.is_loopback())
}
