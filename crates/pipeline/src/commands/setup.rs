//! `pipeline setup`.

use super::App;
use crate::{args::Setup, page::Page, printer::Outcome};
use anyhow::Result;
use engine::setup::HubModel;

/// Downloads what is missing, and says where it is.
pub(super) async fn run(app: &App, args: &Setup) -> Result<Outcome> {
    if args.list_models {
        let models = engine::setup::models();
        app.printer.listing(&models, || list(&models))?;
        return Ok(Outcome::Done);
    }
    let folder = args.natives.as_deref();
    let report = engine::setup::setup(&app.settings, folder, &args.python, &app.reporter).await?;
    app.printer.listing(&report, || {
        let mut page = Page::new();
        let made: Vec<String> = report.made.iter().map(ToString::to_string).collect();
        for (what, files) in [
            ("downloaded", &report.downloaded),
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
    let rows = models.iter().filter(|model| !model.quantised).flat_map(|model| {
        let quantised = models
            .iter()
            .filter(|other| other.quantised && other.name == model.name);
        let mut quantised = quantised.map(|other| other.variant.clone());
        let tokens = model.settings.max_tokens.unwrap_or_default().to_string();
        let first = quantised.next().unwrap_or_default();
        let mut rows = vec![vec![
            model.name.to_owned(),
            model.dimension.to_string(),
            tokens,
            first,
        ]];
        rows.extend(quantised.map(|other| vec![String::new(), String::new(), String::new(), other]));
        rows
    });
    page.table(["MODEL", "DIM", "TOKENS", "QUANTISED"], rows);
    page.gap();
    for line in [
        "Set embedding.model to a name of the first or the last column, then run `pipeline setup`.",
        "DIM: length of a vector. TOKENS: longest text that the model reads at once.",
        "QUANTISED: the same model with shorter numbers, smaller and less exact.",
    ] {
        page.line(line);
    }
    page
}
