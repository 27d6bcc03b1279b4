//! What a run would ask of language models, and what that would cost.

use super::App;
use crate::{
    page::Page,
    printer::Outcome,
    words::{self, count},
};
use anyhow::Result;
use lab::dry_run::DryRun;

/// Prints what a run would ask, before it is done.
pub(super) fn print(app: &App, planned: &DryRun, head: String) -> Result<Outcome> {
    app.printer.listing(planned, || page(head, planned))
}

/// What would be run, then calls, tokens and cost by stage.
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
        .column("input cost", |of| dollars(of.prompt_cost))
        .column("at most", |of| dollars(of.cost_at_most));
    page.gap();
    let (cost, most) = (dollars(planned.prompt_cost), dollars(planned.cost_at_most));
    page.line(format!(
        "the prompts cost {cost}; with replies of the maximum length (llm.max_tokens), {most}. --max-cost sets a limit"
    ));
    page.tally(planned.cached, "more call", "answered from the cache, at no cost");
    if planned.prompt_cost.is_none() {
        page.line("The price of a model is not known: set llm.price_input and llm.price_output.");
    }
    page.line("Retries and corrected replies are not included; prompts about an answer are built with an extractive one.");
    page
}

/// What would be run, for an evaluation.
pub(super) fn of_questions(planned: &DryRun) -> String {
    let (questions, set) = (count(planned.questions, "question"), &planned.query_set);
    let (modes, answers) = (planned.modes.join(" and "), count(planned.generated, "answer"));
    let refused = planned.rows - planned.generated;
    format!("{questions} from {set}, {modes}: {answers} to generate, {refused} refused first")
}

fn dollars(amount: Option<f64>) -> String {
    amount.map_or_else(|| "?".to_owned(), words::dollars)
}
