//! Checks the installation: what works, what is missing, and how to fix it.

use crate::natives::Natives;
use crate::{
    chat_models,
    error::EngineError,
    local_model,
    settings::{EmbeddingProvider, LlmModel, LlmSection, Provider, RerankMethod, Settings, StoreKind},
    stages, store,
};
use ingest::Tesseract;
use serde::Serialize;
use std::{path::Path, sync::Arc, time::Instant};
use types::{
    ChatRequest, Explain, ReadPassage, Reader,
    words::{NAMED, first_of},
};

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// Works.
    Ok,
    /// Works, but something optional is missing.
    Note,
    /// Does not work.
    Problem,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was checked.
    pub name: String,
    /// The result of the check.
    pub health: Health,
    /// What was found.
    pub detail: String,
    /// How to fix it; empty if nothing is wrong.
    pub hint: String,
}

impl Finding {
    fn ok(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { name: name.into(), health: Health::Ok, detail: detail.into(), hint: String::new() }
    }
    fn note(name: impl Into<String>, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { name: name.into(), health: Health::Note, detail: detail.into(), hint: hint.into() }
    }
    fn problem(name: impl Into<String>, error: impl Into<Wrong>) -> Self {
        let Wrong { detail, hint } = error.into();
        Self { name: name.into(), health: Health::Problem, detail, hint }
    }
}

/// A finding if there is a key, and others can read it on its way to this address.
fn exposed_key(base_url: &str, has_key: bool) -> Option<Finding> {
    let exposed = llm::exposed_key(base_url).filter(|_| has_key)?;
    Some(Finding::note("API key", exposed, llm::USE_HTTPS))
}

/// Whether a variable that is to hold a key holds one.
fn holds_key(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// What does not work, and how to fix it.
#[derive(Debug)]
struct Wrong {
    detail: String,
    hint: String,
}

impl Wrong {
    fn new(detail: impl Into<String>, hint: &str) -> Self {
        Self { detail: detail.into(), hint: hint.to_owned() }
    }
}

impl<E: Explain> From<&E> for Wrong {
    fn from(error: &E) -> Self {
        let parts = error.explain();
        Self { detail: parts.message, hint: parts.hint.unwrap_or_default() }
    }
}

/// Checks what is installed, and loads the libraries and models. A configured language model gets one small request, unless
/// `offline`.
pub async fn examine(settings: &Settings, offline: bool) -> Vec<Finding> {
    crate::natives::forget_checks();
    let natives = Natives::find(settings);
    let mut findings = vec![
        match natives.folder() {
            Ok(folder) => Finding::ok("natives folder", folder.display().to_string()),
            Err(error) => Finding::note(
                "natives folder",
                error.to_string(),
                "not needed where settings name every file",
            ),
        },
        pdfium(settings, &natives),
        tesseract(settings),
    ];
    let (found, embedder) = embedding(settings, &natives, offline);
    findings.extend(found);
    findings.push(reader(settings, &natives));
    let method = settings.rerank.method;
    let named = !settings.rerank.cross_encoder.as_os_str().is_empty();
    if method == RerankMethod::CrossEncoder || method == RerankMethod::Auto && named {
        findings.push(match stages::cross_encoder(settings, &natives) {
            Ok(model) => Finding::ok("cross-encoder", model.id().to_owned()),
            Err(error) => Finding::problem("cross-encoder", &error),
        });
    }
    findings.push(match settings.store.kind {
        StoreKind::Embedded => index(settings, embedder.as_deref()),
        StoreKind::Qdrant if offline => {
            Finding::ok("index", format!("in Qdrant at {}; not contacted (--offline)", settings.store.url))
        }
        StoreKind::Qdrant => remote_index(settings, embedder.as_deref()).await,
    });
    let llm = &settings.llm;
    let own = (!llm.own_is_unused()).then_some(("language model".to_owned(), &llm.own));
    let named = llm.named.iter().map(|(name, model)| (format!("language model {name}"), model));
    for (name, model) in own.into_iter().chain(named) {
        let has_key = !model.api_key_file.as_os_str().is_empty() || holds_key(model.key_env());
        findings.extend(exposed_key(model.address(), has_key && model.provider != Provider::None));
        findings.push(language_model(name, llm, model, offline).await);
    }
    findings
}

/// Whether a language model answers.
async fn language_model(name: String, llm: &LlmSection, model: &LlmModel, offline: bool) -> Finding {
    /// Time limit of the request.
    const SECONDS: u64 = 20;
    /// Bound of the reply, in tokens: enough for a model that thinks first.
    const MAX_TOKENS: u32 = 256;
    if model.provider == Provider::None {
        let running = if offline { None } else { local_model::running().await };
        let hint = match running {
            Some(local) => {
                format!("{} runs on this machine; to use it, add {}", local.provider, local.options())
            }
            None => "`pipeline setup --llm` lists language models that are known to work".to_owned(),
        };
        return Finding::note(name, "none; answers are quoted from the papers", hint);
    }
    let own =
        LlmModel { timeout_seconds: model.timeout_seconds.min(SECONDS), max_retries: 0, ..model.clone() };
    let chat = match chat_models::provider(llm, &own) {
        Ok(chat) => chat,
        Err(error) => return Finding::problem(name, &error),
    };
    let configured = format!("{} at {}", model.model, model.address());
    if offline {
        return Finding::ok(name, format!("{configured}; not contacted (--offline)"));
    }
    let request = ChatRequest {
        system: "Reply with one word.".into(),
        user: "Are you ready?".into(),
        schema: None,
        max_tokens: Some(MAX_TOKENS.min(model.max_tokens)),
    };
    let started = Instant::now();
    match chat.complete(&request).await {
        Ok(reply) => {
            let (seconds, answered) = (started.elapsed().as_secs_f64(), reply.model);
            Finding::ok(name, format!("{configured}; {answered} answered in {seconds:.1} s"))
        }
        Err(failure) => Finding::problem(name, &failure.error),
    }
}

/// Whether the reader works.
fn reader(settings: &Settings, natives: &Natives) -> Finding {
    let passage = ReadPassage { sentences: vec!["It works.".to_owned()], ..ReadPassage::default() };
    let works = |reader: Arc<dyn Reader>| match reader.read("does it work?", &[passage]) {
        Ok(_) => Finding::ok("reader", format!("{} (chooses sentences)", reader.id())),
        Err(error) => Finding::problem("reader", Wrong::new(error.to_string(), stages::RUN_SETUP)),
    };
    match stages::reader(settings, natives) {
        Ok(Some(reader)) => works(reader),
        Ok(None) => Finding::note("reader", stages::NO_READER, stages::RUN_SETUP),
        Err(error) => Finding::problem("reader", &error),
    }
}

fn pdfium(settings: &Settings, natives: &Natives) -> Finding {
    let path = match natives.pdfium() {
        Ok(path) => path,
        Err(error) => return Finding::problem("PDFium", &error),
    };
    match read_a_page(settings) {
        Ok(()) => {
            let detail = library(&path, &settings.natives.pdfium);
            Finding::ok("PDFium", format!("{detail}; a worker read a page"))
        }
        Err(error) => Finding::problem("PDFium", &error),
    }
}

/// Path and origin of a library that may be loaded; `set` is the setting that may name it.
fn library(path: &Path, set: &Path) -> String {
    let own = !set.as_os_str().is_empty();
    let origin = if own { "your own file" } else { "SHA-256 matches" };
    format!("{} ({origin})", path.display())
}

/// Whether pages that are only images can be read.
fn tesseract(settings: &Settings) -> Finding {
    let name = "tesseract (OCR)";
    match (stages::ocr(settings), Tesseract::find(&settings.ingest.ocr_program)) {
        (Ok(Some(ocr)), _) => {
            let detail = format!("{}, reads {} at {} dpi", ocr.tesseract.version, ocr.languages, ocr.dpi);
            Finding::ok(name, detail)
        }
        (Err(error), _) => Finding::problem(name, &error),
        (Ok(None), Ok(found)) => Finding::ok(
            name,
            format!("{} with {}; ingest.ocr is \"off\"", found.version, first_of(&found.languages, NAMED)),
        ),
        (Ok(None), Err(_)) => Finding::note(
            name,
            "not found; ingest.ocr is \"off\"",
            "for scans: install tesseract (on Debian and Ubuntu: apt-get install tesseract-ocr) and set ingest.ocr = \"auto\"",
        ),
    }
}

/// Reads a page in a worker process, as ingestion does.
fn read_a_page(settings: &Settings) -> Result<(), EngineError> {
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        "<</Length 38>>stream\nBT /F 12 Tf 20 50 Td (It works.) Tj ET\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ];
    let mut page = "%PDF-1.4\n".to_owned();
    for (number, object) in (1_u8..).zip(objects) {
        page.push_str(&[&number.to_string(), " 0 obj", object, "endobj\n"].concat());
    }
    page.push_str("trailer<</Root 1 0 R/Size 6>>\n%%EOF\n");
    let folder = tempfile::tempdir().map_err(EngineError::io("create", std::env::temp_dir()))?;
    let file = folder.path().join("page.pdf");
    std::fs::write(&file, page).map_err(EngineError::io("write", &file))?;
    crate::parse::parse(settings, &file, &[]).map(drop)
}

/// The findings about the embedding model, and its id if it works.
fn embedding(settings: &Settings, natives: &Natives, offline: bool) -> (Vec<Finding>, Option<String>) {
    if settings.embedding.provider == EmbeddingProvider::OpenAi {
        let (finding, id) = embedding_server(settings, natives, offline);
        let section = &settings.embedding;
        let exposed = exposed_key(&section.base_url, holds_key(&section.api_key_env));
        return (exposed.into_iter().chain([finding]).collect(), id);
    }
    let mut findings = Vec::new();
    match natives.onnxruntime() {
        Err(error) => findings.push(Finding::problem("ONNX Runtime", &error)),
        Ok(path) => findings.push(Finding::ok("ONNX Runtime", library(&path, &settings.natives.onnxruntime))),
    }
    let works = || -> Result<(String, usize), Wrong> {
        let embedder = stages::embedder(settings, natives).map_err(|e| Wrong::from(&e))?;
        let vector = embedder.embed_query("does it work").map_err(|e| Wrong::new(e.to_string(), ""))?;
        Ok((embedder.id().to_owned(), vector.len()))
    };
    match works() {
        Ok((id, dimensions)) => {
            findings.push(Finding::ok("embedding model", format!("{id}, {dimensions} dimensions")));
            (findings, Some(id))
        }
        Err(error) => {
            findings.push(Finding::problem("embedding model", error));
            (findings, None)
        }
    }
}

/// The finding about the server that embeds, and the id of the model if it works or is not asked.
fn embedding_server(settings: &Settings, natives: &Natives, offline: bool) -> (Finding, Option<String>) {
    let (name, section) = ("embedding model", &settings.embedding);
    let configured = format!("{} at {}", section.model.display(), section.base_url);
    if offline {
        let id = section.client(&settings.llm.own, 1).id();
        return (Finding::ok(name, format!("{configured}; not contacted (--offline)")), Some(id));
    }
    match stages::embedder(settings, natives) {
        Ok(embedder) => {
            let detail = format!("{configured}; {} dimensions", embedder.dimension());
            (Finding::ok(name, detail), Some(embedder.id().to_owned()))
        }
        Err(error) => (Finding::problem(name, &error), None),
    }
}

/// The finding about the server that stores the index.
async fn remote_index(settings: &Settings, embedder: Option<&str>) -> Finding {
    let section = &settings.store;
    if let Some(exposed) = exposed_key(&section.url, holds_key(&section.api_key_env)) {
        return exposed;
    }
    match store::qdrant(settings).describe().await {
        Err(error) => Finding::problem("index", &error),
        Ok((server, None)) => {
            let detail = format!("none in collection {} of {server} at {}", section.collection, section.url);
            Finding::note("index", detail, "run `pipeline ingest FOLDER`")
        }
        Ok((server, Some(info))) => {
            if let Some(configured) = embedder.filter(|id| *id != info.embedder_id) {
                let (indexed, configured) = (info.embedder_id, configured.to_owned());
                return Finding::problem("index", &EngineError::OtherModel { indexed, configured });
            }
            let (sources, chunks) = (info.sources, info.chunks);
            let detail = format!(
                "generation {} in collection {} of {server} at {}: {sources} papers, {chunks} chunks, embedded with {}",
                info.generation, section.collection, section.url, info.embedder_id
            );
            Finding::ok("index", detail)
        }
    }
}

fn index(settings: &Settings, embedder: Option<&str>) -> Finding {
    let dir = &settings.index.dir;
    let opened = index::Index::open(dir).and_then(|index| index.check().map(|()| index));
    match opened {
        Err(index::IndexError::Missing { .. }) => {
            Finding::note("index", format!("none in {}", dir.display()), "run `pipeline ingest FOLDER`")
        }
        Err(error) => Finding::problem("index", &error),
        Ok(index) => {
            let manifest = index.manifest();
            if let Some(configured) = embedder.filter(|id| *id != manifest.made_by.embedder_id) {
                let (indexed, configured) = (manifest.made_by.embedder_id.clone(), configured.to_owned());
                return Finding::problem("index", &EngineError::OtherModel { indexed, configured });
            }
            let (sources, chunks) = (manifest.counts.sources, manifest.counts.chunks);
            let detail = format!(
                "generation {} in {}: {sources} papers, {chunks} chunks, embedded with {}; every file is intact",
                manifest.generation,
                dir.display(),
                manifest.made_by.embedder_id
            );
            Finding::ok("index", detail)
        }
    }
}
