//! Searches of an index in this process, the embedding of the question included: what the server is compared with.

use crate::{
    error::BenchError,
    speed::{Clock, PEAK, status},
};
use clap::Args;
use engine::{EngineError, Pipeline, settings};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
    fs,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::task::JoinSet;
use types::Filter;

/// `searches`.
#[derive(Debug, Args)]
pub(crate) struct Searches {
    /// Bodies of `POST /v1/search`, one a line, of which "query" and "count" are read.
    bodies: PathBuf,
    /// Searches at a time; as many are computed as the machine has cores.
    #[arg(long, default_value_t = 32, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    clients: u16,
    /// For how long.
    #[arg(long, default_value_t = 60, value_name = "N")]
    seconds: u64,
    /// One setting, for example --set index.dir=DIR; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Body {
    query: String,
    count: usize,
}

/// Runs the command. Unit: searches.
pub(crate) async fn run(args: &Searches) -> Result<Value, BenchError> {
    let environment = settings::environment().map_err(EngineError::from)?;
    let loaded = settings::Loaded::load(None, environment, &args.overrides).map_err(EngineError::from)?;
    let text = fs::read_to_string(&args.bodies).map_err(BenchError::io("read", &args.bodies))?;
    let bodies: Result<Vec<Body>, _> = text.lines().map(serde_json::from_str).collect();
    let bodies = Arc::new(bodies.map_err(BenchError::failed(args.bodies.to_string_lossy()))?);
    if bodies.is_empty() {
        return Err(BenchError::failed(args.bodies.to_string_lossy())("the file has no line"));
    }
    let pipeline = Pipeline::open(&loaded.settings).await?;
    let next = Arc::new(AtomicUsize::new(0));
    let (clock, end) = (Clock::start(), Instant::now() + Duration::from_secs(args.seconds));
    let mut clients: JoinSet<Result<u64, EngineError>> = JoinSet::new();
    for _ in 0..args.clients {
        let (pipeline, bodies, next) = (pipeline.clone(), Arc::clone(&bodies), Arc::clone(&next));
        clients.spawn(async move {
            let (mode, all, mut done) = (pipeline.settings().retrieve.mode, Filter::default(), 0);
            while Instant::now() < end {
                let at = next.fetch_add(1, Ordering::Relaxed) % bodies.len();
                let Body { query, count } = &bodies[at];
                std::hint::black_box(pipeline.search(query, mode, &all, *count, false).await?);
                done += 1;
            }
            Ok(done)
        });
    }
    let mut units = 0;
    while let Some(done) = clients.join_next().await {
        units += done.map_err(BenchError::failed("searches"))??;
    }
    let mut sample = clock.sample(units, status(PEAK));
    sample["a_second"] = json!(units as f64 / sample["seconds"].as_f64().unwrap_or(f64::NAN));
    Ok(sample)
}
