//! `pipeline setup`.

use super::App;
use crate::{args::Setup, printer::Outcome};
use anyhow::Result;
use engine::setup::HubModel;
use std::fmt::Write;

/// Downloads what is missing, and says where it is.
pub(super) async fn run(app: &App, args: &Setup) -> Result<Outcome> {
    if args.list_models {
        let models = engine::setup::models();
        app.printer.result(&models, || table(&models))?;
        return Ok(Outcome::Done);
    }
    let report = engine::setup::setup(
        &app.settings,
        args.natives.as_deref(),
        &args.python,
        &app.reporter,
    )
    .await?;
    app.printer.result(&serde_json::to_value(&report)?, || {
        let mut out = String::new();
        for file in &report.downloaded {
            let _ = writeln!(out, "downloaded  {file}");
        }
        for file in &report.made {
            let _ = writeln!(out, "made        {file}");
        }
        for file in &report.present {
            let _ = writeln!(out, "unchanged   {file}");
        }
        for missing in &report.missing {
            let _ = writeln!(out, "missing     {missing}");
        }
        let _ = writeln!(out, "Files are in {}", report.folder.display());
        out
    })?;
    Ok(if report.missing.is_empty() {
        Outcome::Done
    } else {
        Outcome::Negative
    })
}

/// The models that can be downloaded, quantised variants behind the model that they are made from.
fn table(models: &[HubModel]) -> String {
    let mut out = String::new();
    let mut row = |name: &str, dimension: &str, tokens: &str, quantised: &str| {
        let line = format!("{name:<59} {dimension:>4}  {tokens:>6}  {quantised}");
        let _ = writeln!(out, "{}", line.trim_end());
    };
    row("MODEL", "DIM", "TOKENS", "QUANTISED");
    for model in models.iter().filter(|model| !model.quantised) {
        let tokens = model.settings.max_tokens.unwrap_or_default().to_string();
        let quantised = models
            .iter()
            .filter(|other| other.quantised && other.name == model.name);
        let mut quantised = quantised.map(|other| other.variant.as_str());
        let dimension = model.dimension.to_string();
        row(
            model.name,
            &dimension,
            &tokens,
            quantised.next().unwrap_or_default(),
        );
        for other in quantised {
            row("", "", "", other);
        }
    }
    out.push_str(
        "\nSet embedding.model to a name of the first or the last column, then run `pipeline setup`.\n\
         DIM: length of a vector. TOKENS: longest text that the model reads at once.\n\
         QUANTISED: the same model with shorter numbers, smaller and less exact.\n",
    );
    out
}
