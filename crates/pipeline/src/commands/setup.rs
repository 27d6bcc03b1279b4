//! `pipeline setup`.

use super::App;
use crate::{args::Setup, page::Page, printer::Outcome};
use anyhow::Result;
use engine::natives::{self, HubModel, ModelKind};

/// Downloads what is missing, and says where it is.
pub(super) async fn run(app: &App, args: &Setup) -> Result<Outcome> {
    if args.list_models {
        let models = natives::models();
        return app.printer.listing(&models, || list(&models));
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
