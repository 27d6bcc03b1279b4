//! `pipeline doctor`.

use super::App;
use crate::{args::Doctor, page::Page, printer::Outcome};
use anyhow::Result;
use engine::doctor::{Finding, Health, examine};
use serde_json::json;
use std::path::Path;
use types::{
    path_text::shown,
    words::{NAMED, first_of},
};

/// Runs the checks and prints them; a negative result when one fails.
pub(super) async fn run(app: &App, args: &Doctor) -> Result<Outcome> {
    let mut findings = examine(&app.settings, args.offline).await;
    let most = if app.printer.is_json() { usize::MAX } else { NAMED };
    findings.extend(server(&args.data, most));
    let failed = findings.iter().filter(|f| f.health == Health::Problem).count();
    let document = json!({ "ok": failed == 0, "findings": findings });
    app.printer.listing(&document, || {
        let mut page = Page::new();
        for finding in &findings {
            let mark = match finding.health {
                Health::Ok => "ok",
                Health::Note => "note",
                Health::Problem => "FAIL",
            };
            page.fact(format!("{mark:<4}  {}", finding.name), finding.detail.as_str());
            if !finding.hint.is_empty() {
                page.fact("", format!("hint: {}", finding.hint));
            }
        }
        if failed > 0 {
            page.line(format!("{failed} of {} checks failed", findings.len()));
        }
        page
    })?;
    Ok(Outcome::of(failed == 0))
}

/// The state of a server, if there is one; of its damaged rows, so many are named.
fn server(data: &Path, most: usize) -> Option<Finding> {
    const HINT: &str = "put back a copy that `pipeline serve backup` made";
    let text;
    let (health, detail, hint) = match server::check(data).transpose()? {
        Ok(damaged) if damaged.is_empty() => (Health::Ok, shown(data), ""),
        Ok(damaged) => (Health::Problem, first_of(&damaged, most), HINT),
        Err(error) => {
            text = format!("{error:#}");
            // Of another version, which is not damaged.
            let (detail, hint) = text.split_once("\nhint: ").unwrap_or((&text, HINT));
            (Health::Problem, detail.to_owned(), hint)
        }
    };
    Some(Finding { name: "state of the server".to_owned(), health, detail, hint: hint.to_owned() })
}
