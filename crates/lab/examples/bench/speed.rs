//! Stages of ingestion, each alone: pages or tokens of a folder of PDFs.

use crate::{Papers, error::BenchError};
use engine::{
    EngineError,
    natives::Natives,
    settings::{self, Loaded, Settings},
};
use ingest::{Job, WorkerPool, chunk::chunk as cut, tokens};
use models::{ModelSettings, ModelSpec, OnnxEmbedder};
use rustix::{
    param::clock_ticks_per_second,
    time::{ClockId, clock_gettime},
};
use serde_json::{Value, json};
use std::{fs, path::PathBuf, time::Duration, time::Instant};
use tokenizers::Tokenizer;
use types::{Document, Embedder, Section, Span};

/// Highest resident memory of this process so far.
const PEAK: &str = "VmHWM:";

/// The settings and the PDFs of a command.
struct Context<'a> {
    papers: &'a Papers,
    settings: Settings,
    natives: Natives,
    /// By name.
    files: Vec<PathBuf>,
    workers: usize,
}

impl<'a> Context<'a> {
    fn new(papers: &'a Papers) -> Result<Self, BenchError> {
        let environment = settings::environment().map_err(EngineError::from)?;
        let settings =
            Loaded::load(None, environment, &papers.overrides).map_err(EngineError::from)?.settings;
        let mut files: Vec<PathBuf> = fs::read_dir(&papers.dir)
            .and_then(|entries| entries.map(|e| Ok(e?.path())).collect())
            .map_err(BenchError::io("read", &papers.dir))?;
        files.retain(|f| f.extension().is_some_and(|e| e.eq_ignore_ascii_case("pdf")));
        files.sort();
        if files.is_empty() {
            return Err(BenchError::failed(papers.dir.to_string_lossy())("the folder has no PDF"));
        }
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Ok(Self {
            papers,
            natives: Natives::find(&settings),
            settings,
            files,
            workers: papers.workers.unwrap_or(cores).max(1),
        })
    }

    /// The documents of all files that can be read, in the order of the files, and the highest memory of a worker.
    fn read(&self) -> Result<(Vec<Document>, Option<u64>), BenchError> {
        let command = engine::parse::worker_command(&self.natives)?;
        let jobs: Vec<Job> = self.files.iter().cloned().enumerate().map(Job::from).collect();
        let (mut documents, mut peak) = (Vec::new(), None);
        let pool = WorkerPool::new(command, self.settings.ingest.limits(), self.workers);
        pool.parse_all(jobs, |parsed| match parsed.outcome {
            Ok(document) => {
                documents.push((parsed.index, document));
                peak = peak.max(parsed.peak_bytes);
            }
            Err(reason) => eprintln!("note: {} is not measured: {reason}", parsed.path.display()),
        });
        documents.sort_by_key(|(index, _)| *index);
        Ok((documents.into_iter().map(|(_, document)| document).collect(), peak))
    }
}

/// PDFs with their structure, through worker processes. Unit: pages.
pub(crate) fn parse(papers: &Papers) -> Result<Value, BenchError> {
    let context = Context::new(papers)?;
    let clock = Clock::start();
    let (documents, peak) = context.read()?;
    let pages = documents.iter().map(|d| u64::from(d.pages)).sum();
    Ok(clock.sample(pages, peak))
}

/// Documents into chunks. Unit: tokens of the text of indexed sections, each counted once, whatever chunks share.
pub(crate) fn chunk(papers: &Papers) -> Result<Value, BenchError> {
    let context = Context::new(papers)?;
    let settings = context.settings.chunk.chunking();
    let (documents, _) = context.read()?;
    // The table is loaded before the clock runs, as it is by the peer.
    tokens::count("loads the table");
    let clock = Clock::start();
    for document in &documents {
        std::hint::black_box(cut(document, &settings));
    }
    let mut sample = clock.sample(0, status(PEAK));
    let units: usize =
        indexed(&documents).map(|(document, section)| tokens::count(document.section_text(section))).sum();
    // Counted last, because counting remembers words.
    sample["units"] = json!(units);
    Ok(sample)
}

/// Texts to vectors: tokens, model, pooling, normalising. Unit: tokens of the model, padding left out.
pub(crate) fn embed(papers: &Papers) -> Result<Value, BenchError> {
    let context = Context::new(papers)?;
    let (spec, embedder) = embedder(&context)?;
    let texts = texts(&context, &context.read()?.0, &embedder)?;
    let units = ids(&spec, &texts)?.iter().map(|ids| ids.len() as u64).sum();
    let clock = Clock::start();
    std::hint::black_box(embedder.embed(&texts, &|_| ()).map_err(EngineError::from)?);
    Ok(clock.sample(units, status(PEAK)))
}

/// What the Python programs are told: sections with their prefix, and the token ids of texts, longest first.
pub(crate) fn peer_input(papers: &Papers) -> Result<Value, BenchError> {
    let context = Context::new(papers)?;
    let settings = context.settings.chunk.chunking();
    let (spec, embedder) = embedder(&context)?;
    let documents = context.read()?.0;
    let mut ids = ids(&spec, &texts(&context, &documents, &embedder)?)?;
    ids.sort_by_key(|ids| std::cmp::Reverse(ids.len()));
    let section = |(document, section): (&Document, &Section)| {
        let (source, heading) = (&document.meta.source_id, &section.heading);
        let prefix = format!("[Source: {source} | Section: {heading} | Pages: 1-2]");
        json!({ "prefix": prefix, "text": document.section_text(section) })
    };
    Ok(json!({
        "files": context.files,
        "max_tokens": settings.max_tokens,
        "overlap_tokens": settings.overlap_tokens,
        "sections": indexed(&documents).map(section).collect::<Vec<_>>(),
        "model": spec.onnx,
        "ids": ids,
    }))
}

fn indexed(documents: &[Document]) -> impl Iterator<Item = (&Document, &Section)> {
    let sections = documents
        .iter()
        .flat_map(|document| document.sections.iter().map(move |section| (document, section)));
    sections.filter(|(_, section)| section.name.indexed())
}

fn embedder(context: &Context<'_>) -> Result<(ModelSpec, OnnxEmbedder), BenchError> {
    let model = &context.settings.embedding.model;
    let folder = context.natives.model(model, "embedding.model").map_err(EngineError::from)?;
    let spec = ModelSpec::from_dir(&folder, &ModelSettings::default()).map_err(EngineError::from)?;
    let runtime = context.natives.runtime().map_err(EngineError::from)?;
    let embedder = OnnxEmbedder::load(&spec, &runtime, context.workers).map_err(EngineError::from)?;
    Ok((spec, embedder))
}

/// What ingestion embeds, windows of chunks and sentences, thinned out evenly to about the tokens asked for.
fn texts(
    context: &Context<'_>,
    documents: &[Document],
    embedder: &OnnxEmbedder,
) -> Result<Vec<String>, BenchError> {
    let settings = context.settings.chunk.chunking();
    let before = &embedder.spec().passage_prefix;
    let (mut texts, mut words) = (Vec::new(), 0);
    for chunk in documents.iter().flat_map(|document| cut(document, &settings).chunks) {
        let spans: Vec<Span> = chunk.sentences.iter().map(|s| s.span).collect();
        let windows = embedder.windows(&chunk.prefix, &chunk.text, &spans).map_err(EngineError::from)?;
        let windows = windows.iter().map(|w| (chunk.prefix.as_str(), *w));
        for (head, span) in windows.chain(spans.iter().map(|s| ("", *s))) {
            let text = format!("{before}{head}\n{}", span.slice(&chunk.text).unwrap_or_default());
            words += text.split_whitespace().count();
            texts.push(text.trim().to_owned());
        }
    }
    // About four tokens for three words.
    let every = (words * 4 / 3).div_ceil(context.papers.tokens.max(1)).max(1);
    let thinned = texts.into_iter().step_by(every);
    // The odd sentence that is longer than the model is embedded in parts by ingestion; here it is left out.
    Ok(thinned.filter(|text| embedder.fits(text).unwrap_or(false)).collect())
}

fn ids(spec: &ModelSpec, texts: &[String]) -> Result<Vec<Vec<u32>>, BenchError> {
    let mut tokenizer = Tokenizer::from_file(&spec.tokenizer).map_err(BenchError::failed("the tokenizer"))?;
    tokenizer.with_padding(None);
    tokenizer.with_truncation(None).map_err(BenchError::failed("the tokenizer"))?;
    let encode = |text: &String| tokenizer.encode_fast(text.as_str(), true).map(|e| e.get_ids().to_vec());
    let ids: Result<_, _> = texts.iter().map(encode).collect();
    ids.map_err(BenchError::failed("the tokenizer"))
}

/// Wall-clock and processor time since the start.
struct Clock {
    started: Instant,
    cpu: Option<f64>,
}

impl Clock {
    fn start() -> Self {
        Self { cpu: cpu_seconds(), started: Instant::now() }
    }

    /// `units` were done, and no process took more memory than `peak_bytes`.
    fn sample(&self, units: u64, peak_bytes: Option<u64>) -> Value {
        let seconds = self.started.elapsed().as_secs_f64();
        let cpu = cpu_seconds().zip(self.cpu).map(|(now, then)| now - then);
        json!({ "seconds": seconds, "cpu_seconds": cpu, "units": units, "peak_bytes": peak_bytes })
    }
}

/// Processor seconds of this process and of its children that ended and were waited for (these to the tick, commonly a
/// hundredth); `None` where the system does not tell.
fn cpu_seconds() -> Option<f64> {
    let own = Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).ok()?;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the program's name in brackets and may contain spaces; the times are fields 16 and 17.
    let (_, rest) = stat.rsplit_once(')')?;
    let ticks = rest.split_ascii_whitespace().skip(13).take(2);
    let children: u64 = ticks.map(|t| t.parse::<u64>().ok()).sum::<Option<u64>>()?;
    Some(own.as_secs_f64() + children as f64 / clock_ticks_per_second().max(1) as f64)
}

/// Bytes of a line of the process's status, where the system has one.
fn status(key: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.split_ascii_whitespace().next()?.parse::<u64>().ok()? << 10)
}
