//! `pipeline setup`.

use super::App;
use crate::{args::Setup, page::Page, printer::Outcome};
use anyhow::Result;
use engine::natives::{self, HubModel, ModelKind};
use serde_json::json;
use std::collections::BTreeMap;

/// Downloads what is missing, and says where it is.
pub(super) async fn run(app: &App, args: &Setup) -> Result<Outcome> {
    if args.list_models {
        let models = natives::models();
        return app.printer.listing(&models, || list(&models));
    }
    if args.llm {
        return local_models(app).await;
    }
    let folder = args.natives.as_deref();
    let python = args.python.clone().unwrap_or_else(natives::interpreter);
    let report = natives::setup(&app.settings, folder, &python, &app.reporter).await?;
    app.printer.listing(&report, || {
        let mut page = Page::new();
        let texts = |files: &[&str]| files.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (copied, made) = (texts(&report.copied), texts(&report.made));
        for (what, files) in [
            ("downloaded", &report.downloaded),
            ("copied", &copied),
            ("made", &made),
            ("unchanged", &report.present),
            ("missing", &report.missing),
        ] {
            for file in files {
                page.fact(what, file.as_str());
            }
        }
        page.line(format!("Files are in {}", report.folder.display()));
        page
    })?;
    Ok(Outcome::of(report.missing.is_empty()))
}

/// Language models that were measured on two cores without a GPU: name, parameters in billions, `generate.method`, memory in GiB, seconds
/// for an answer, and what came of it (docs/lab/language-models.md).
const LOCAL: [[&str; 6]; 2] = [
    ["qwen2.5-coder:1.5b", "1.5", "select", "1.9", "20–45", "works"],
    ["qwen2.5-coder:1.5b", "1.5", "llm", "1.9", "300", "mixes up what it read; not recommended"],
];

/// The language models that are known to work, and one that runs.
async fn local_models(app: &App) -> Result<Outcome> {
    let running = engine::local_model::running().await.map(|local| local.options());
    let keys = ["model", "billion_parameters", "method", "memory_gib", "seconds", "remark"];
    let rows: Vec<BTreeMap<&str, &str>> = LOCAL.map(|row| keys.into_iter().zip(row).collect()).into();
    app.printer.listing(&json!({ "measured": rows, "running": running }), || {
        let mut page = Page::new();
        page.rows(LOCAL)
            .column("MODEL", |row| row[0].to_owned())
            .column("METHOD", |row| row[2].to_owned())
            .column("MEMORY", |row| format!("{} GiB", row[3]))
            .column("SECONDS", |row| row[4].to_owned())
            .column("", |row| row[5].to_owned());
        page.gap();
        for line in [
            "Measured on two cores without a GPU, with 4-bit weights: seconds for one answer. Larger models were not measured;",
            "below ten billion parameters, prefer generate.method=select. Without a language model, answers take 0.1 to 1 s.",
        ] {
            page.line(line);
        }
        page.gap();
        match &running {
            Some(options) => {
                page.line("A server runs on this machine. To use it:");
                page.line(format!("  pipeline ask \"YOUR QUESTION\" {options}"));
            }
            None => page.line(
                "No Ollama, LM Studio, llama.cpp or vLLM runs on this machine; start one and run this again.",
            ),
        }
        page
    })
}

/// The models that can be downloaded, quantised variants behind the model that they are made from.
fn list(models: &[HubModel]) -> Page {
    let mut page = Page::new();
    let mut rows = Vec::new();
    let (embedding, cross): (Vec<&HubModel>, Vec<&HubModel>) =
        models.iter().partition(|model| model.kind == ModelKind::Embedding);
    for model in embedding.iter().filter(|model| !model.quantised) {
        let same = embedding.iter().filter(|other| other.quantised && other.name == model.name);
        let mut variants = same.map(|other| other.variant.as_str());
        rows.push((Some(model), variants.next().unwrap_or_default()));
        rows.extend(variants.map(|variant| (None, variant)));
    }
    let tokens = |model: &HubModel| model.settings.max_tokens.unwrap_or_default().to_string();
    page.rows(rows)
        .column("MODEL", |(model, _)| model.map_or_else(String::new, |m| m.name.clone()))
        .column("DIM", |(model, _)| {
            let dimension = model.and_then(|m| m.dimension);
            dimension.map_or_else(String::new, |dimension| dimension.to_string())
        })
        .column("MAX", |(model, _)| model.map_or_else(String::new, |m| tokens(m)))
        .column("QUANTISED", |(_, variant)| (*variant).to_owned());
    page.gap();
    for line in [
        "Set embedding.model to a name from the MODEL or QUANTISED column, then run `pipeline setup`.",
        "DIM: length of a vector. MAX: maximum length of a text in tokens.",
        "QUANTISED: the same model in lower precision, smaller and slightly less exact.",
        "Also: all-MiniLM-L6-v2-w8a8 (the default) and multilingual-e5-small, from the Python package index.",
    ] {
        page.line(line);
    }
    page.gap();
    page.rows(cross).column("CROSS-ENCODER", |model| model.name.clone()).column("MAX", |model| tokens(model));
    page.gap();
    page.line(
        "Set rerank.cross_encoder to one of these and rerank.method to auto, then run `pipeline setup`.",
    );
    page
}
