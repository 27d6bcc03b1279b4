//! `bench support`: the features of the offline judge for labelled claims, which `crates/support/fit/fit.py` fits on, and
//! what a claim takes.

use crate::{args::Support, error::BenchError, output::Outcome};
use ::support::{FEATURES, LexicalSupport, claims};
use engine::settings::Loaded;
use serde::Deserialize;
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::{fs::File, io, ops::Range, time::Instant};

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
pub(crate) fn run(args: &Support) -> Result<Outcome, BenchError> {
    let settings = Loaded::defaults()?.settings;
    let natives = engine::natives::Natives::find(&settings);
    let judge = if args.words {
        LexicalSupport::new()
    } else {
        LexicalSupport::for_embedder(&engine::stages::embedder(&settings, &natives)?)
    };
    let lines = File::open(&args.rows).map_err(BenchError::io("read", &args.rows))?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    writeln!(out, "{}", json!({ "features": FEATURES }))?;
    let (began, mut count) = (Instant::now(), 0u32);
    for (at, line) in BufReader::new(lines).lines().enumerate() {
        let line = line.map_err(BenchError::io("read", &args.rows))?;
        let line: Line = serde_json::from_str(&line).map_err(|error| BenchError::Peer {
            script: format!("line {} of {}", at + 1, args.rows.display()),
            reason: error.to_string(),
        })?;
        let cut: Vec<(String, Range<usize>)> = match line.claim {
            Some(claim) => vec![(claim.clone(), 0..claim.len())],
            None => claims(&line.response)
                .into_iter()
                .map(|c| (c.text, c.span))
                .collect(),
        };
        let mut measured = Vec::with_capacity(cut.len());
        for (text, span) in cut {
            let values = match judge.features(&text, &line.context) {
                Ok(features) => Some(features.values().to_vec()),
                Err(types::SupportError::NotApplicable(_)) => None,
                Err(types::SupportError::Model(error)) => {
                    return Err(BenchError::Peer {
                        script: "the embedding model".to_owned(),
                        reason: error.to_string(),
                    });
                }
            };
            count += 1;
            measured.push(json!({ "text": text, "span": [span.start, span.end], "values": values }));
        }
        writeln!(out, "{}", json!({ "id": line.id, "claims": measured }))?;
    }
    out.flush()?;
    let seconds = began.elapsed().as_secs_f64();
    let per_thousand = 1000.0 * seconds / f64::from(count.max(1));
    eprintln!("{count} claims in {seconds:.1} s, {per_thousand:.1} s per 1,000");
    Ok(Outcome::Done)
}
