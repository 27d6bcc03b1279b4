//! `pipeline doctor`.

use super::App;
use crate::{args::Doctor, page::Page, printer::Outcome};
use anyhow::Result;
use engine::doctor::{Health, examine};
use serde_json::json;

/// Runs the checks and prints them; a negative result when one fails.
pub(super) async fn run(app: &App, args: &Doctor) -> Result<Outcome> {
    let findings = examine(&app.settings, args.offline).await;
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
