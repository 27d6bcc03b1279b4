//! `pipeline verify`.

use super::{
    App,
    references::{capital, sentence},
};
use crate::{
    args,
    page::{Line, Page},
    printer::Outcome,
};
use anyhow::{Context as _, Result, bail};
use engine::Pipeline;
use lab::verify::{Place, Verdict, Verified, VerifyRequest, verify};
use std::path::Path;
use types::{
    SourceId,
    files::{read_all, read_text_bounded, text_of},
    path_text::shown,
};

/// A text of some 150,000 words.
const MOST_BYTES: u64 = 1 << 20;

/// Checks a text and prints what came of each sentence and quote; a negative result when one is not supported, or not printed.
pub(super) async fn run(app: &App, args: &args::Verify) -> Result<Outcome> {
    let answer = read(&args.file)?;
    if answer.trim().is_empty() {
        bail!("{} is empty; give a text to check", shown(&args.file));
    }
    let pipeline = Pipeline::open(&app.settings).await?;
    let sources: Vec<SourceId> = args.sources.iter().map(|id| SourceId::from(id.as_str())).collect();
    let request = VerifyRequest {
        answer,
        question: args.question.clone(),
        filter: types::Filter {
            sources: (!sources.is_empty()).then_some(sources),
            ..types::Filter::default()
        },
        which: 0..usize::MAX,
    };
    let found = tokio::select! {
        biased;
        _ = tokio::signal::ctrl_c() => bail!("stopped before the text was checked"),
        found = verify(&pipeline, &request) => found?,
    };
    app.printer.page(&found, || page(&found))?;
    let is_well = |verdict: Option<Verdict>| verdict.is_none_or(|verdict| verdict == Verdict::Supported);
    let well =
        found.claims.iter().all(|claim| is_well(claim.verdict)) && found.quotes.iter().all(|own| own.found);
    Ok(Outcome::of(well))
}

fn read(file: &Path) -> Result<String> {
    if file != Path::new("-") {
        return read_text_bounded(file, MOST_BYTES).with_context(|| format!("cannot read {}", shown(file)));
    }
    let text = read_all(std::io::stdin().lock(), MOST_BYTES).and_then(text_of);
    text.context("cannot read the text from standard input")
}

fn page(found: &Verified) -> Page {
    let mut page = Page::new();
    for claim in &found.claims {
        let verdict = match claim.verdict {
            Some(Verdict::Supported) => "supported",
            Some(Verdict::Partially) => "partially supported",
            Some(Verdict::Unsupported) => "not supported",
            Some(Verdict::Contradicted) => "contradicted",
            None => "not checked",
        };
        page.line(Line::new().strong(capital(verdict)).text(format!(": {}", claim.claim)));
        if !claim.reason.is_empty() {
            page.below(sentence(&claim.reason));
        }
        evidence(&mut page, claim.evidence.as_ref());
    }
    for quote in &found.quotes {
        let verdict = if quote.found { "Printed" } else { "Not found in the papers" };
        page.line(Line::new().strong(verdict).text(format!(": “{}”", quote.quote)));
        evidence(&mut page, quote.evidence.as_ref());
    }
    if found.total == 0 {
        page.line("The text has no statement to check.");
    }
    page
}

fn evidence(page: &mut Page, place: Option<&Place>) {
    if let Some(place) = place {
        let title = place.title.as_deref().unwrap_or(place.source_id.as_str());
        page.below(format!("{title}. {}, p. {}", capital(place.section.as_str()), place.page));
        page.quote_line(Line::new().quoted(place.text.as_str()));
    }
    page.gap();
}
