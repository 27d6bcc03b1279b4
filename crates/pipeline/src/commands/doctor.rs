//! `pipeline doctor`.

use super::App;
use crate::{args::Doctor, printer::Outcome};
use anyhow::Result;
use engine::doctor::{Health, examine};
use serde_json::json;
use std::fmt::Write;

/// Runs the checks and prints them; a negative result when one fails.
pub(super) async fn run(app: &App, args: &Doctor) -> Result<Outcome> {
    let findings = examine(&app.settings, args.offline).await;
    let failed = findings.iter().filter(|f| f.health == Health::Problem).count();
    app.printer
        .result(&json!({ "ok": failed == 0, "findings": findings }), || {
            let mut out = String::new();
            for finding in &findings {
                let mark = match finding.health {
                    Health::Ok => "ok  ",
                    Health::Note => "note",
                    Health::Problem => "FAIL",
                };
                let _ = writeln!(out, "{mark}  {:<16} {}", finding.name, finding.detail);
                if !finding.hint.is_empty() {
                    let _ = writeln!(out, "      {:<16} hint: {}", "", finding.hint);
                }
            }
            if failed > 0 {
                let _ = writeln!(out, "{failed} of {} checks failed", findings.len());
            }
            out
        })?;
    Ok(if failed == 0 {
        Outcome::Done
    } else {
        Outcome::Negative
    })
}
