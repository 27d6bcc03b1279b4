//! Embedding: ours from text to vector, against bare ONNX Runtime on the same token ids one text at a time.

use super::Context;
use super::rounds::{Contestant, Race, race};
use super::sample::{measure, own_peak};
use crate::error::BenchError;
use models::{ModelSettings, ModelSpec, OnnxEmbedder};
use tokenizers::Tokenizer;
use types::{Document, Embedder, Span};

/// Unit: tokens of the model, padding left out.
pub(super) fn run(context: &Context, documents: &[Document]) -> Result<Race, BenchError> {
    let failed = |reason: String| BenchError::Peer {
        script: "embedding".to_owned(),
        reason,
    };
    let folder = context
        .natives
        .model(&context.settings.embedding.model, "embedding.model")
        .map_err(engine::EngineError::from)?;
    let models = |e: models::ModelsError| BenchError::Engine(e.into());
    let spec = ModelSpec::from_dir(&folder, &ModelSettings::default()).map_err(models)?;
    let runtime = context.natives.runtime()?;
    let embedder = OnnxEmbedder::load(&spec, &runtime, context.workers).map_err(models)?;
    let texts = texts(context, documents, &embedder)?;

    let mut tokenizer = Tokenizer::from_file(&spec.tokenizer).map_err(|e| failed(e.to_string()))?;
    tokenizer.with_padding(None);
    tokenizer
        .with_truncation(None)
        .map_err(|e| failed(e.to_string()))?;
    let encode = |text: &String| {
        tokenizer
            .encode_fast(text.as_str(), true)
            .map(|e| e.get_ids().to_vec())
    };
    let ids: Vec<Vec<u32>> = texts
        .iter()
        .map(encode)
        .collect::<Result<_, _>>()
        .map_err(|e| failed(e.to_string()))?;
    let tokens: u64 = ids.iter().map(|i| i.len() as u64).sum();

    let mut contestants = vec![Contestant {
        name: "pipeline, from text to vectors".to_owned(),
        run: Box::new(move || {
            measure(|| {
                let vectors = embedder
                    .embed(&texts, &|_| ())
                    .map_err(engine::EngineError::from)?;
                std::hint::black_box(vectors);
                Ok((tokens, own_peak()))
            })
        }),
    }];
    if let Some(peers) = &context.peers {
        let mut ids = ids;
        ids.sort_by_key(|ids| std::cmp::Reverse(ids.len()));
        let input = serde_json::json!(ids).to_string();
        let args = [
            spec.onnx.to_string_lossy().into_owned(),
            context.workers.to_string(),
        ];
        contestants.push(Contestant {
            name: "onnxruntime in Python, bare".to_owned(),
            run: Box::new(move || peers.run("embed.py", &args, &input)),
        });
    }
    race(
        "embedding, all threads",
        "model tokens",
        context.rounds,
        contestants,
    )
}

/// What ingestion embeds, windows of chunks and sentences, thinned out evenly to about `embed_tokens`.
fn texts(
    context: &Context,
    documents: &[Document],
    embedder: &OnnxEmbedder,
) -> Result<Vec<String>, BenchError> {
    let settings = engine::stages::chunk_settings(&context.settings);
    let prefix = &embedder.spec().passage_prefix;
    let mut texts = Vec::new();
    let mut words = 0;
    for document in documents {
        for chunk in ingest::chunk::chunk(document, &settings).chunks {
            let spans: Vec<Span> = chunk.sentences.iter().map(|s| s.span).collect();
            let windows = embedder
                .windows(&chunk.prefix, &chunk.text, &spans)
                .map_err(engine::EngineError::from)?;
            let windows = windows.iter().map(|w| (chunk.prefix.as_str(), *w));
            let sentences = spans.iter().map(|s| ("", *s));
            for (head, span) in windows.chain(sentences) {
                let text = format!("{prefix}{head}\n{}", span.slice(&chunk.text).unwrap_or_default());
                words += text.split_whitespace().count();
                texts.push(text.trim().to_owned());
            }
        }
    }
    // About four tokens for three words.
    let every = (words * 4 / 3).div_ceil(context.embed_tokens.max(1)).max(1);
    let thinned: Vec<String> = texts.into_iter().step_by(every).collect();
    // The odd sentence that is longer than the model is embedded in parts by ingestion; here it is left out.
    let fits = |text: &String| embedder.fits(text).unwrap_or(false);
    Ok(thinned.into_iter().filter(fits).collect())
}
