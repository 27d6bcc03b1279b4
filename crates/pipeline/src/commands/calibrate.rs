//! `pipeline calibrate`.

use super::{App, interrupt};
use crate::{args::Calibrate, printer::Outcome, words::count};
use anyhow::Result;
use lab::calibrate::{self, CalibrateRequest, Calibrated, High};
use std::fmt::Write;
use types::path_text;

/// Chooses the thresholds and prints them.
pub(super) async fn run(app: &App, args: &Calibrate) -> Result<Outcome> {
    let request = CalibrateRequest {
        queries: args.queries.clone(),
        mode: args.mode.unwrap_or(app.settings.retrieve.mode),
        aim: args.aim,
        output: args.output.clone(),
        stop: interrupt::stop(&app.reporter)?,
    };
    let done = calibrate::run(&app.settings, &request, &app.reporter).await?;
    app.printer.result(&done.document(), || text(&done))?;
    Ok(Outcome::Done)
}

// Writing to a string cannot fail: the results of `writeln!` are dropped.
fn text(done: &Calibrated) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{} about {}, {} asked again without the papers that answer them, and {}\n",
        count(done.answerable as u64, "answerable question"),
        count(done.papers as u64, "paper"),
        done.removed,
        count(done.unanswerable as u64, "unanswerable question"),
    );
    if done.left_out > 0 {
        let _ = writeln!(
            out,
            "left out: {} without labels\n",
            count(done.left_out as u64, "question")
        );
    }
    if done.in_no_chunk > 0 {
        let _ = writeln!(
            out,
            "{} whose evidence is in no chunk: they count as not answered right\n",
            count(done.in_no_chunk as u64, "question")
        );
    }
    let refusal = &done.refusal;
    let _ = writeln!(out, "guardrail.refuse_below");
    let _ = writeln!(
        out,
        "  now     {:.2}  balanced accuracy of refusals {:.3}",
        done.refuse_below, refusal.now
    );
    let _ = writeln!(
        out,
        "  chosen  {:.2}  {:.3} on the same questions, {:.3} cross-validated",
        refusal.cut, refusal.fitted, refusal.held_out
    );
    let high = &done.high;
    let _ = writeln!(
        out,
        "\ngenerate.high_confidence (aim: {:.2} of the answers with high confidence are right)",
        done.aim
    );
    let _ = writeln!(
        out,
        "  now     {:.2}  {}",
        done.high_confidence,
        answers(high.now)
    );
    match high.cut {
        Some(cut) => {
            let _ = writeln!(
                out,
                "  chosen  {cut:.2}  {} on the same questions; {} cross-validated",
                answers(high.fitted),
                answers(high.held_out)
            );
        }
        None => out.push_str("  chosen  none: no threshold reaches the aim with ten answers or more\n"),
    }
    if done.changes.is_empty() {
        out.push_str("\nKeep the present thresholds: no other was shown to be better.\n");
    } else {
        let _ = write!(out, "\nSettings to change:\n{}", done.sections());
    }
    if let Some(path) = &done.output {
        let use_it = if done.changes.is_empty() {
            "it changes nothing"
        } else {
            "use it with --config"
        };
        let _ = writeln!(out, "\nwritten to {}; {use_it}", path_text::shown(path));
    }
    out
}

fn answers(high: High) -> String {
    match high.share_right() {
        None => "no answer reaches it".to_owned(),
        Some(share) => format!(
            "{} of {} right ({share:.2}), {:.0} % of all right answers",
            high.right,
            high.answers,
            100.0 * high.share_of_right().unwrap_or_default()
        ),
    }
}
