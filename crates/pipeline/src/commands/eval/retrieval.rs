//! `pipeline eval --retrieval-only`.

use crate::{
    args::Eval,
    commands::{App, interrupt},
    printer::Outcome,
    words::{NAMED, count, first_of},
};
use anyhow::Result;
use lab::benchmark::{
    Questions,
    retrieval::{self, Preset, RetrievalRequest},
};
use types::Reporter;

/// Results that count, if nothing else is said.
const K: usize = 10;

/// Measures retrieval; negative when a question is below `--min-recall`.
pub(super) async fn run(app: &App, args: &Eval) -> Result<Outcome> {
    let own = &args.retrieval;
    let preset = own.preset.as_deref().map(Preset::named).transpose()?;
    let ids = preset.map_or_else(|| own.ids.clone(), Preset::ids);
    let k = own.k.map(usize::from).or(preset.map(|preset| preset.k));
    let min_grade = own.min_grade.or(preset.map(|preset| preset.min_grade));
    let request = RetrievalRequest {
        questions: Questions {
            queries: args.queries.clone(),
            qrels: own.qrels.clone(),
            ids,
            limit: args.limit,
            min_grade: min_grade.unwrap_or(1),
        },
        modes: args.mode.0.clone(),
        k: k.unwrap_or(K),
        min_recall: own.min_recall.or(preset.map(|preset| preset.min_recall)),
        stop: interrupt::stop(&app.reporter, lab::eval::Remains::Nothing)?,
    };
    let done = retrieval::run(&app.settings, &request, &app.reporter).await?;
    app.printer.document(&done, &["missed", "stages", "config_hash"])?;
    for mode in &done.modes {
        let below = mode.questions.iter().filter(|found| found.passed == Some(false));
        let below: Vec<&str> = below.map(|found| found.query_id.as_str()).collect();
        if let (Some(min), false) = (request.min_recall, below.is_empty()) {
            let (n, questions) = (below.len(), count(mode.questions.len(), "question"));
            let (mode, ids) = (&mode.mode, first_of(&below, NAMED));
            app.reporter.warn(&format!(
                "gate failed: {n} of {questions} below --min-recall {min} in mode {mode}: {ids}"
            ));
        }
    }
    Ok(Outcome::of(done.below == 0))
}
