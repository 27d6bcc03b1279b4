//! The features of the offline judge for labelled claims, which `crates/evidence/fit/support/fit.py` fits on, and what a claim takes.

use crate::error::BenchError;
use clap::Args;
use engine::{EngineError, settings::Loaded};
use evidence::support::{FEATURES, LexicalSupport, claims};
use serde::Deserialize;
use serde_json::json;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::{fs::File, ops::Range, path::PathBuf, time::Instant};

/// `support`.
#[derive(Debug, Args)]
pub(crate) struct Support {
    /// JSON objects, one a line: "id", "context", and a "response" that is cut into claims or a "claim".
    rows: PathBuf,
    /// Go by words alone, without the embedding model.
    #[arg(long)]
    words: bool,
}

/// A line of input.
#[derive(Debug, Deserialize)]
struct Line {
    id: String,
    context: String,
    /// A response, which is cut into claims.
    #[serde(default)]
    response: String,
    /// A claim, which is taken whole.
    #[serde(default)]
    claim: Option<String>,
}

/// Prints a line of names, then one line for each line of input; how long it took goes to standard error.
pub(crate) fn run(args: &Support) -> Result<(), BenchError> {
    let settings = Loaded::defaults().map_err(EngineError::from)?.settings;
    let natives = engine::natives::Natives::find(&settings);
    let judge = if args.words {
        LexicalSupport::new()
    } else {
        LexicalSupport::for_embedder(&engine::stages::embedder(&settings, &natives)?)
    };
    let lines = File::open(&args.rows).map_err(BenchError::io("read", &args.rows))?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut print = |line| writeln!(out, "{line}").map_err(BenchError::io("write", "standard output"));
    print(json!({ "features": FEATURES }))?;
    let (began, mut count) = (Instant::now(), 0_u32);
    for (line, at) in BufReader::new(lines).lines().zip(1..) {
        let line = line.map_err(BenchError::io("read", &args.rows))?;
        let place = format!("line {at} of {}", args.rows.display());
        let line: Line = serde_json::from_str(&line).map_err(BenchError::failed(place))?;
        let cut: Vec<(String, Range<usize>)> = match line.claim {
            Some(claim) => vec![(claim.clone(), 0..claim.len())],
            None => claims(&line.response).into_iter().map(|c| (c.text, c.span)).collect(),
        };
        let mut measured = Vec::with_capacity(cut.len());
        for (text, span) in cut {
            let values = match judge.features(&text, &line.context) {
                Ok(features) => Some(features.values().to_vec()),
                Err(types::SupportError::NotApplicable(_)) => None,
                Err(types::SupportError::Model(error)) => {
                    return Err(BenchError::failed("the embedding model")(error));
                }
            };
            count += 1;
            measured.push(json!({ "text": text, "span": [span.start, span.end], "values": values }));
        }
        print(json!({ "id": line.id, "claims": measured }))?;
    }
    out.flush().map_err(BenchError::io("write", "standard output"))?;
    let seconds = began.elapsed().as_secs_f64();
    let per_thousand = 1000.0 * seconds / f64::from(count.max(1));
    eprintln!("{count} claims in {seconds:.1} s, {per_thousand:.1} s per 1,000");
    Ok(())
}
