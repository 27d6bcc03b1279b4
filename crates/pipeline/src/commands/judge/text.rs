//! The results of `judge label-report` and `judge agreement`, for people.

use crate::words::first_of;
use contract::{Estimated, JudgeAgreement, LabelReport};
use lab::judge_report::interval;
use std::fmt::Write;

/// Missing ids that are named; the rest are counted.
const NAMED: usize = 20;

// Writing to a string cannot fail: the results of `writeln!` are dropped.

pub(super) fn labels(done: &LabelReport) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{} ({}): {} judged answers, {} labels\n",
        done.run_id, done.mode, done.rows, done.labels
    );
    let _ = writeln!(out, "share of faithful answers");
    let _ = writeln!(out, "  judge, uncorrected  {:.3}", done.uncorrected);
    let _ = writeln!(out, "  labels alone        {}", with_width(done.labels_alone));
    let _ = writeln!(out, "  judge and labels    {}", with_width(done.corrected));
    let counts = &done.confusion;
    let _ = writeln!(
        out,
        "\nlabels against verdicts: {} faithful and {} unfaithful answers judged right, {} faithful and {} unfaithful ones wrong; kappa {}",
        counts.true_supported,
        counts.true_unsupported,
        counts.false_unsupported,
        counts.false_supported,
        done.kappa
            .map_or_else(|| "n/a".to_owned(), |kappa| format!("{kappa:.3}")),
    );
    let _ = writeln!(
        out,
        "weight of the judge's scores: {:.2} (0: ignored)",
        done.lambda
    );
    if done.unlabelled > 0 {
        let _ = writeln!(
            out,
            "{} drawn answers have no label. The result holds if they were left out by chance, not because they are hard.",
            done.unlabelled
        );
    }
    out
}

fn with_width(of: Estimated) -> String {
    let width = of.ci_low.zip(of.ci_high).map_or(0.0, |(low, high)| high - low);
    format!("{}  width {width:.3}", interval(of))
}

pub(super) fn agreement(done: &JudgeAgreement) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}: {} items with two ratings or more, in {} clusters; categories {}\n",
        done.field,
        done.items,
        done.clusters,
        done.categories.join(", ")
    );
    for pair in &done.pairs {
        let _ = writeln!(out, "{} and {}: {} items", pair.first, pair.second, pair.items);
        let _ = writeln!(out, "  raw agreement  {}", interval(pair.raw_agreement));
        let _ = writeln!(out, "  Cohen's kappa  {}", interval(pair.kappa));
    }
    let all = [
        (
            "Fleiss' kappa",
            done.fleiss_kappa,
            format!("{} items that all rated", done.complete),
        ),
        (
            "Krippendorff's alpha",
            done.krippendorff_alpha,
            format!("{} items", done.items),
        ),
    ];
    let known = || {
        all.iter()
            .filter_map(|(name, value, of)| Some((name, (*value)?, of)))
    };
    if known().next().is_some() {
        let _ = writeln!(out, "all {} raters", done.raters.len());
    }
    for (name, value, of) in known() {
        let _ = writeln!(out, "  {name:<20}  {}  ({of})", interval(value));
    }
    for rater in done.raters.iter().filter(|rater| !rater.missing.is_empty()) {
        let missing = first_of(&rater.missing, NAMED);
        let _ = writeln!(out, "\n{} has no rating of {missing}", rater.file);
    }
    out
}
