//! `pipeline calibrate`.

use super::{App, interrupt};
use crate::{args::Calibrate, page::Page, printer::Outcome, words::count};
use anyhow::Result;
use lab::{
    calibrate::{self, CalibrateRequest, Calibrated, High},
    eval::Remains,
};
use types::path_text;

/// Chooses the thresholds and prints them.
pub(super) async fn run(app: &App, args: &Calibrate) -> Result<Outcome> {
    let request = CalibrateRequest {
        queries: args.queries.clone(),
        mode: args.mode.unwrap_or(app.settings.retrieve.mode),
        aim: args.aim,
        output: args.output.clone(),
        stop: interrupt::stop(&app.reporter, Remains::Nothing)?,
    };
    let done = calibrate::run(&app.settings, &request, &app.reporter).await?;
    app.printer.listing(&done, || page(&done))?;
    Ok(Outcome::Done)
}

fn page(done: &Calibrated) -> Page {
    let mut page = Page::new();
    let (questions, papers) = (count(done.answerable, "answerable question"), count(done.papers, "paper"));
    let (removed, others) = (done.removed, count(done.unanswerable, "unanswerable question"));
    page.line(format!(
        "{questions} about {papers}, {removed} asked again without the papers that answer them, and {others}"
    ));
    page.tally(done.left_out, "question", "without labels left out");
    let lost = "whose evidence is in no chunk: they count as not answered right";
    page.tally(done.in_no_chunk, "question", lost);
    page.heading("guardrail.refuse_below");
    let refusal = &done.refusals.choice;
    let (now, cut) = (done.refusals.refuse_below, refusal.cut);
    page.fact("  now", format!("{now:.2}  balanced accuracy of refusals {:.3}", refusal.now));
    let (fitted, held_out) = (refusal.fitted, refusal.held_out);
    page.fact(
        "  chosen",
        format!("{cut:.2}  {fitted:.3} on the same questions, {held_out:.3} cross-validated"),
    );
    page.heading(format!(
        "generate.high_confidence (aim: {:.2} of the answers with high confidence are right)",
        done.high.aim
    ));
    let high = &done.high.choice;
    page.fact("  now", format!("{:.2}  {}", done.high.high_confidence, answers(high.now)));
    let (fitted, held_out) = (answers(high.fitted), answers(high.held_out));
    page.fact(
        "  chosen",
        match high.cut {
            Some(cut) => format!("{cut:.2}  {fitted} on the same questions; {held_out} cross-validated"),
            None => "none: no threshold reaches the aim with ten answers or more".to_owned(),
        },
    );
    page.gap();
    let changes = !done.changes.is_empty();
    if changes {
        page.line("Settings to change:");
        page.code(done.sections());
    } else {
        page.line("Keep the present thresholds: no other was shown to be better.");
    }
    if let Some(path) = &done.output {
        let use_it = if changes { "use it with --config" } else { "it changes nothing" };
        page.gap();
        page.line(format!("written to {}; {use_it}", path_text::shown(path)));
    }
    page
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
