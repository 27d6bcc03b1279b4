//! `bench score-structure`: our reading of papers against the JATS of their publishers.
//!
//! Built so that it cannot flatter. A PDF that fails counts as all missed; a heading that we invent costs
//! precision; whether a heading of the truth stands in the PDF is asked of PDFium's plain text, not of ours. What is
//! counted neither way is listed.

mod authors;
mod fold;
mod gate;
pub(crate) mod half;
mod headings;
mod jats;
mod ours;
mod paper;
mod paragraphs;
mod report;
mod share;
mod summary;
#[cfg(test)]
mod tests;
mod verbose;

use crate::{args::Format, args::ScoreStructure, error::BenchError, output, output::Outcome, raw_text};
use engine::{
    natives::Natives,
    settings::{self, Loaded},
    stages,
};
use gate::Gate;
use ingest::{Job, WorkerPool};
use jats::Truth;
use ours::Ours;
use paper::Paper;
use rayon::prelude::*;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A paper and its truth on disk.
struct Pair {
    name: String,
    pdf: PathBuf,
    xml: PathBuf,
}

/// What a folder gave.
struct Scored {
    /// In the order of their names.
    papers: Vec<Paper>,
    /// Truths that could not be read: file and reason.
    unreadable: Vec<(String, String)>,
}

/// Runs the command.
pub(crate) fn run(args: &ScoreStructure, format: Format) -> Result<Outcome, BenchError> {
    let gates: Vec<Gate> = args.gates.iter().map(|g| g.parse()).collect::<Result<_, _>>()?;
    let baseline = args.baseline.as_deref().map(gate::Baseline::load).transpose()?;
    let scored = score(args)?;
    let summary = summary::summarise(&scored.papers, args.seed);
    let failed: Vec<String> = gates.iter().filter_map(|g| g.fault(&summary.all)).collect();
    let json = report::json(&scored, &summary, args.seed);
    let text = |markdown: bool| {
        let mut out = report::tables(&scored, &summary, baseline.as_ref(), markdown);
        if args.verbose {
            for paper in &scored.papers {
                out.push('\n');
                out.push_str(&verbose::paper(paper));
            }
        }
        out
    };
    output::print(format, &json, || text(false), || text(true))?;
    for fault in &failed {
        eprintln!("gate: {fault}");
    }
    Ok(if failed.is_empty() && scored.unreadable.is_empty() {
        Outcome::Done
    } else {
        Outcome::Negative
    })
}

fn score(args: &ScoreStructure) -> Result<Scored, BenchError> {
    let pairs = pairs(&args.dir, args.only.as_deref())?;
    let settings = Loaded::load(None, settings::environment()?, &args.overrides)?.settings;
    let command = engine::parse::worker_command(&Natives::find(&settings))?;
    let library = command.libpdfium.clone();
    let workers = args.workers.unwrap_or(settings.ingest.workers);
    let workers = if workers == 0 {
        rayon::current_num_threads()
    } else {
        workers
    };

    let mut unreadable = Vec::new();
    let mut truths: Vec<(Pair, Truth)> = Vec::new();
    for pair in pairs {
        match truth(&pair.xml) {
            Ok(truth) => {
                if args
                    .publishers
                    .is_none_or(|half| half.holds(&truth.publisher, args.seed))
                {
                    truths.push((pair, truth));
                }
            }
            Err(reason) => {
                eprintln!("error: {}: {reason}", pair.xml.display());
                unreadable.push((pair.name, reason));
            }
        }
    }
    if truths.is_empty() && unreadable.is_empty() {
        return Err(BenchError::Nothing {
            path: args.dir.clone(),
            what: "no paper of this half of the publishers; try the other half or another --seed",
        });
    }
    let jobs: Vec<Job> = truths
        .iter()
        .enumerate()
        .map(|(i, (pair, _))| Job::from((i, pair.pdf.clone())))
        .collect();
    let mut outcomes: Vec<Result<Ours, String>> = jobs
        .iter()
        .map(|_| Err("the reader gave no answer".to_owned()))
        .collect();
    WorkerPool::new(command, stages::limits(&settings), workers).parse_all(jobs, |parsed| {
        if let Some(slot) = outcomes.get_mut(parsed.index) {
            *slot = parsed.outcome.map(|d| Ours::from(&d)).map_err(|e| e.to_string());
        }
    });
    let papers = truths
        .into_par_iter()
        .zip(outcomes)
        .map(|((pair, truth), outcome)| {
            let text = raw_text::read(&library, &pair.pdf);
            if let Err(error) = &text {
                eprintln!("note: {error}; no heading of it counts as absent");
            }
            paper::score(pair.name, truth, outcome, text.as_deref().ok())
        })
        .collect();
    Ok(Scored { papers, unreadable })
}

fn truth(xml: &Path) -> Result<Truth, String> {
    let bytes = fs::read(xml).map_err(|e| e.to_string())?;
    let text = String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())?;
    jats::read(&text).map_err(|e| e.to_string())
}

/// The papers of a folder, by name. Truths without a PDF and PDFs without a truth are named on standard error.
fn pairs(dir: &Path, only: Option<&str>) -> Result<Vec<Pair>, BenchError> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir)
        .and_then(|entries| entries.map(|e| Ok(e?.path())).collect())
        .map_err(BenchError::io("read", dir))?;
    files.sort();
    let ends = |path: &Path, endings: &[&str]| {
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        ending.is_some_and(|e| endings.contains(&e.as_str()))
    };
    let stem = |path: &Path| {
        path.file_stem()
            .map(|s| s.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    let mut out = Vec::new();
    for xml in files.iter().filter(|f| ends(f, &["xml", "nxml"])) {
        let name = stem(xml);
        if only.is_some_and(|part| !name.contains(part)) {
            continue;
        }
        match files.iter().find(|f| ends(f, &["pdf"]) && stem(f) == name) {
            Some(pdf) => out.push(Pair {
                name,
                pdf: pdf.clone(),
                xml: xml.clone(),
            }),
            None => eprintln!("note: {} has no PDF beside it", xml.display()),
        }
    }
    if only.is_none() {
        for pdf in files.iter().filter(|f| ends(f, &["pdf"])) {
            if !out.iter().any(|p| p.pdf == *pdf) {
                eprintln!("note: {} has no JATS beside it and is not scored", pdf.display());
            }
        }
    }
    if out.is_empty() {
        return Err(BenchError::Nothing {
            path: dir.to_owned(),
            what: "no paper as NAME.pdf with its JATS as NAME.xml beside it",
        });
    }
    Ok(out)
}
