//! What a run would ask of language models, and what that would cost.

use super::App;
use crate::{page::Page, printer::Outcome, words::count};
use anyhow::Result;
use lab::dry_run::DryRun;

/// Prints what a run would ask, before it is done.
pub(super) fn print(app: &App, planned: &DryRun, head: String) -> Result<Outcome> {
    app.printer.listing(planned, || page(head, planned))?;
    Ok(Outcome::Done)
}

/// What would be run, then calls, tokens and cost by stage, and the same tokens at other prices.
fn page(head: String, planned: &DryRun) -> Page {
    let mut page = Page::new();
    page.line(head);
    page.gap();
    if planned.stages.is_empty() && planned.cached == 0 {
        page.line("No language model is asked, so the run costs nothing.");
        return page;
    }
    page.rows(&planned.stages)
        .column("stage", |of| of.stage.clone())
        .column("model", |of| of.model.clone())
        .column("calls", |of| of.calls.to_string())
        .column("input tokens", |of| of.prompt_tokens.to_string())
        .column("output tokens", |of| of.completion_tokens.to_string())
        .column("cost", |of| dollars(of.cost))
        .column("longest", |of| dollars(of.cost_at_most));
    page.gap();
    let (cost, most) = (dollars(planned.cost), dollars(planned.cost_at_most));
    page.line(format!(
        "expected cost {cost}, or {most} if every reply has the maximum length (llm.max_tokens)"
    ));
    page.tally(planned.cached, "more call", "answered from the cache, at no cost");
    if planned.cost.is_none() {
        page.line("The price of a model is not known: set llm.price_input and llm.price_output.");
    }
    page.line("Output tokens are estimated. Retries and corrected replies are not included.");
    page.gap();
    page.line("The same tokens with other models:");
    page.rows(&planned.at_prices)
        .column("model", |of| of.model.clone())
        .column("cost", |of| dollars(Some(of.cost)))
        .column("per million input tokens", |of| dollars(Some(of.input)))
        .column("output tokens", |of| dollars(Some(of.output)))
        .column("price as of", |of| of.read.clone());
    page
}

/// What would be run, for an evaluation.
pub(super) fn of_questions(planned: &DryRun) -> String {
    let (questions, set) = (count(planned.questions, "question"), &planned.query_set);
    let (modes, answers) = (planned.modes.join(" and "), count(planned.generated, "answer"));
    let refused = planned.rows - planned.generated;
    format!("{questions} from {set}, {modes}: {answers} to generate, {refused} refused first")
}

/// US dollars, with as many digits as small amounts need.
fn dollars(amount: Option<f64>) -> String {
    match amount {
        None => "?".to_owned(),
        Some(amount) if amount > 0.0 && amount < 0.1 => format!("${amount:.4}"),
        Some(amount) => format!("${amount:.2}"),
    }
}
