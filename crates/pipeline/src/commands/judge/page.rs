//! The results of `judge correct` and `judge agreement`, for people.

use crate::{
    page::Page,
    words::{first_of, value},
};
use lab::{
    eval::agreement::Estimate, judge_agreement::JudgeAgreement, judge_label::LabelReport,
    judge_report::interval,
};

/// Missing ids that are named; the rest are counted.
const NAMED: usize = 20;

pub(super) fn labels(done: &LabelReport) -> Page {
    let mut page = Page::new();
    let (run, mode, rows, labels) = (&done.run_id, &done.mode, done.rows, done.labels);
    page.line(format!("{run} ({mode}): {rows} judged answers, {labels} labels"));
    page.heading("share of faithful answers");
    page.fact("  judge, uncorrected", format!("{:.3}", done.uncorrected));
    page.fact("  labels alone", with_width(done.labels_alone));
    page.fact("  judge and labels", with_width(done.corrected));
    page.gap();
    let counts = &done.confusion;
    page.line(format!(
        "labels against verdicts: {} faithful and {} unfaithful answers judged right, {} faithful and {} unfaithful ones wrong; kappa {}",
        counts.true_supported,
        counts.true_unsupported,
        counts.false_unsupported,
        counts.false_supported,
        value(done.kappa, 3),
    ));
    page.line(format!("weight of the judge's scores: {:.2} (0: ignored)", done.lambda));
    page.tally(
        done.unlabelled,
        "drawn answer",
        "without a label. The result holds if they were left out by chance, not because they are hard.",
    );
    page
}

fn with_width(of: Estimate) -> String {
    let width = of.low.zip(of.high).map_or(0.0, |(low, high)| high - low);
    format!("{}  width {width:.3}", interval(of))
}

pub(super) fn agreement(done: &JudgeAgreement) -> Page {
    let mut page = Page::new();
    let (items, clusters, categories) = (done.items, done.clusters, done.categories.join(", "));
    page.line(format!(
        "{}: {items} items with two ratings or more, in {clusters} clusters; categories {categories}",
        done.field
    ));
    for pair in &done.pairs {
        page.heading(format!("{} and {}: {} items", pair.first, pair.second, pair.items));
        page.fact("  raw agreement", interval(pair.raw_agreement));
        page.fact("  Cohen's kappa", interval(pair.kappa));
    }
    if let Some(alpha) = done.krippendorff_alpha {
        page.heading(format!("all {} raters", done.raters.len()));
        let text = format!("{}  ({items} items)", interval(alpha));
        page.fact("  Krippendorff's alpha", text);
    }
    for rater in done.raters.iter().filter(|rater| !rater.missing.is_empty()) {
        page.gap();
        page.line(format!("{} has no rating of {}", rater.file, first_of(&rater.missing, NAMED)));
    }
    page
}
