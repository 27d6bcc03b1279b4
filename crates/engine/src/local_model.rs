//! A language model that runs on this machine, to be pointed out where none is configured.

use crate::settings::Provider;
use futures::future::join_all;
use reqwest::{Client, Url, redirect::Policy};
use serde::Deserialize;
use std::{net::IpAddr, time::Duration};

/// A server on the same machine answers at once.
const PATIENCE: Duration = Duration::from_millis(500);
/// Bytes of a list of models at most.
const BYTES: usize = 1 << 20;

/// A running server and one of its models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalModel {
    /// Which server.
    pub provider: &'static str,
    /// Its address, where that is not the usual one.
    pub address: Option<String>,
    /// The name of the model there.
    pub model: String,
}

impl LocalModel {
    /// The options that use it.
    pub fn options(&self) -> String {
        let Self { provider, address, model } = self;
        let quoted = model.contains(|c: char| !c.is_ascii_alphanumeric() && !"-_./:".contains(c));
        let quote = if quoted { "'" } else { "" };
        let address =
            address.as_ref().map(|address| format!(" --set llm.base_url={address}")).unwrap_or_default();
        format!(
            "--set llm.provider={provider}{address} --set {quote}llm.model={model}{quote} --set generate.method=select"
        )
    }
}

/// What `/api/tags` of Ollama and `/v1/models` of the others list.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Models {
    models: Vec<Model>,
    data: Vec<Model>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Model {
    name: String,
    id: String,
}

/// Where Ollama listens: `OLLAMA_HOST`, which its own programs read, if that is an address of this machine.
fn ollama() -> Option<String> {
    let host = std::env::var("OLLAMA_HOST").ok().filter(|host| !host.trim().is_empty())?;
    let host = if host.contains("://") { host } else { format!("http://{host}") };
    let mut url = Url::parse(host.trim()).ok().filter(|url| url.scheme() == "http")?;
    if url.port().is_none() {
        url.set_port(Some(11434)).ok()?;
    }
    let is_here = match url.host_str()?.trim_matches(['[', ']']) {
        "localhost" => true,
        address => address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()),
    };
    is_here.then(|| url.as_str().trim_end_matches('/').to_owned())
}

/// The first server of Ollama, LM Studio, llama.cpp and vLLM at its usual address on this machine that has a model for chats.
pub async fn running() -> Option<LocalModel> {
    // Fails only when some other part of the process has chosen a provider already, which then serves too.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder().no_proxy().tls_certs_only([]).redirect(Policy::none()).timeout(PATIENCE);
    let client = client.build().ok()?;
    let asked = Provider::LOCAL.map(|provider| {
        let is_ollama = provider == Provider::Ollama;
        let (path, own) = if is_ollama { ("/api/tags", ollama()) } else { ("/models", None) };
        let address = format!("{}{path}", own.as_deref().unwrap_or(provider.usual().0));
        models(client.clone(), (provider, own), address)
    });
    join_all(asked).await.into_iter().flatten().next()
}

async fn models(
    client: Client,
    (provider, own): (Provider, Option<String>),
    address: String,
) -> Option<LocalModel> {
    let mut answer = client.get(address).send().await.ok().filter(|answer| answer.status().is_success())?;
    let mut bytes = Vec::new();
    while let Some(part) = answer.chunk().await.ok()? {
        bytes.extend_from_slice(&part);
        if bytes.len() > BYTES {
            return None;
        }
    }
    first(&bytes).map(|model| LocalModel { provider: provider.into(), address: own, model })
}

/// The first model that is not for embeddings, as far as its name says.
fn first(list: &[u8]) -> Option<String> {
    let Models { models, data } = serde_json::from_slice(list).ok()?;
    // llama.cpp lists its model in both.
    let names =
        models.into_iter().chain(data).map(|Model { name, id }| if id.is_empty() { name } else { id });
    let is_fit = |name: &String| {
        let name = name.to_lowercase();
        let other = ["embed", "rerank", "bge-", "minilm", "whisper"].iter().any(|kind| name.contains(kind));
        !name.is_empty() && !other && !name.contains(|c: char| c.is_control() || c == '\'')
    };
    names.into_iter().find(is_fit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_model_for_chats_is_named() {
        let check =
            |list: &str, want: Option<&str>| assert_eq!(first(list.as_bytes()).as_deref(), want, "{list}");
        check(
            r#"{"models": [{"name": "nomic-embed-text:latest"}, {"name": "qwen2.5:7b"}]}"#,
            Some("qwen2.5:7b"),
        );
        check(
            r#"{"object": "list", "data": [{"id": "Qwen/Qwen3-8B", "object": "model"}]}"#,
            Some("Qwen/Qwen3-8B"),
        );
        check(r#"{"data": [{"id": "a' --set llm.base_url=b"}]}"#, None);
        check(r#"{"error": "no such route"}"#, None);
        check("<html>", None);
        let local = LocalModel { provider: "ollama", address: None, model: "my model".to_owned() };
        assert!(local.options().contains("--set 'llm.model=my model'"), "{}", local.options());
    }
}
