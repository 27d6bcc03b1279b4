//! Builds each stage from the settings. Nothing here runs a stage.

use crate::natives::{ModelKind, Natives};
use crate::{
    chat_models::ChatModels,
    error::EngineError,
    settings::{
        AnswerMethod, EmbeddingProvider, FallbackChoice, OcrChoice, RerankMethod, Settings, VerifyChoice,
    },
};
use evidence::support::LexicalSupport;
use generate::{Extractive, LanguageModel, LlmGenerateSettings, SelectOnly, SelectSettings};
use guardrail::{RefusalCitations, Verifier};
use ingest::{OcrSettings, Tesseract};
use llm::RemoteEmbedder;
use models::{ModelSettings, ModelSpec, OnnxCrossEncoder, OnnxEmbedder, OnnxReader};
use rerank::{CrossEncoderReranker, FusedOrder, LlmReranker, Reranker, SentenceReranker};
use std::sync::Arc;
use types::words::{NAMED, first_of};
use types::{
    BoxFuture, ChatModel, Embedder, Explain as _, FailureKind, Generated, GenerationFailure, GenerationInput,
    Generator, PairScorer, Reader, Reporter, Spent, SupportScorer,
};

/// The embedding model.
///
/// # Errors
/// When a file is missing or cannot be loaded, or the embeddings server cannot be used.
pub fn embedder(settings: &Settings, natives: &Natives) -> Result<Arc<dyn Embedder>, EngineError> {
    if settings.embedding.provider == EmbeddingProvider::OpenAi {
        let client = settings.embedding.client(&settings.llm.own, threads(0));
        return Ok(Arc::new(RemoteEmbedder::connect(client, ingest::tokens::count)?));
    }
    let spec = embedding_spec(settings, natives)?;
    let runtime = natives.runtime()?;
    let load = match settings.embedding.provider {
        EmbeddingProvider::Fastembed => OnnxEmbedder::load_fastembed,
        _ => OnnxEmbedder::load,
    };
    Ok(Arc::new(load(&spec, &runtime, threads(settings.embedding.threads))?))
}

/// The id of the embedding model, without loading it.
///
/// # Errors
/// When a file of the model is missing.
pub fn embedder_id(settings: &Settings, natives: &Natives) -> Result<String, EngineError> {
    if settings.embedding.provider == EmbeddingProvider::OpenAi {
        return Ok(settings.embedding.client(&settings.llm.own, 1).id());
    }
    let spec = embedding_spec(settings, natives)?;
    Ok(match settings.embedding.provider {
        EmbeddingProvider::Fastembed => OnnxEmbedder::fastembed_id_of(&spec)?,
        _ => OnnxEmbedder::id_of(&spec)?,
    })
}

fn embedding_spec(settings: &Settings, natives: &Natives) -> Result<ModelSpec, EngineError> {
    let section = &settings.embedding;
    let folder = natives.model_of(ModelKind::Embedding, &section.model)?;
    Ok(ModelSpec::from_dir(&folder, &section.model_settings())?)
}

/// The reader; `None` where set-up has made none. It loads when it first reads.
///
/// # Errors
/// When it is not whole, or ONNX Runtime cannot be loaded.
pub fn reader(settings: &Settings, natives: &Natives) -> Result<Option<Arc<dyn Reader>>, EngineError> {
    let Some((folder, digest)) = natives.reader()? else {
        return Ok(None);
    };
    let spec = ModelSpec::from_dir(&folder, &ModelSettings::default())?;
    let (runtime, threads) = (natives.runtime()?, threads(settings.embedding.threads));
    let natives = natives.clone();
    let may_load = move || natives.reader().map(drop).map_err(|error| error.to_string());
    let reader = OnnxReader::new(spec, digest, runtime, threads, may_load);
    Ok(Some(Arc::new(reader)))
}

/// What an installation without a reader lacks; the way out is [`RUN_SETUP`].
pub(crate) const NO_READER: &str =
    "the reader is not set up: answers are chosen by words and vectors alone, and are wrong more often";

pub(crate) const RUN_SETUP: &str = "run `pipeline setup`";

/// Warns where set-up has made no reader: answers differ without one.
pub fn warn_without_reader(settings: &Settings, reporter: &dyn Reporter) {
    if matches!(Natives::find(settings).reader(), Ok(None)) {
        reporter.warn(&format!("{NO_READER}; {RUN_SETUP}"));
    }
}

/// The cross-encoder that `rerank.cross_encoder` names.
///
/// # Errors
/// When a file is missing or cannot be loaded.
pub fn cross_encoder(settings: &Settings, natives: &Natives) -> Result<Arc<dyn PairScorer>, EngineError> {
    let folder = natives.model_of(ModelKind::CrossEncoder, &settings.rerank.cross_encoder)?;
    let runtime = natives.runtime()?;
    let spec = ModelSpec::from_dir(&folder, &ModelSettings::default())?;
    Ok(Arc::new(OnnxCrossEncoder::load(&spec, &runtime, threads(settings.embedding.threads))?))
}

/// The offline judge of support; it compares vectors where `embedder` is the model that it was fitted with.
pub fn support(embedder: &Arc<dyn Embedder>) -> Arc<dyn SupportScorer> {
    Arc::new(LexicalSupport::for_embedder(embedder))
}

/// The offline judge of support, where no index is open. If the embedding model cannot be loaded, the judge compares words
/// alone, and a warning says so.
pub fn support_alone(
    settings: &Settings,
    natives: &Natives,
    reporter: &dyn Reporter,
) -> Arc<dyn SupportScorer> {
    match embedder(settings, natives) {
        Ok(embedder) => support(&embedder),
        Err(error) => {
            reporter.warn(&format!(
                "the offline judge compares words but no vectors, which changes its verdicts: {error}"
            ));
            Arc::new(LexicalSupport::new())
        }
    }
}

/// The generator: the language model, or the extractive generator if the settings name it or there is no model.
///
/// # Errors
/// When the model cannot be used.
pub fn generator(settings: &Settings, models: &ChatModels) -> Result<Arc<dyn Generator>, EngineError> {
    let section = &settings.generate;
    let chat = counted(generates(models, settings)?, Spent::GENERATE);
    let max_tokens = settings.llm.model(&section.model).map(|model| model.max_tokens);
    let extractive = || Extractive::new(section.extractive.clone());
    Ok(match (chat, section.method) {
        (Some(chat), AnswerMethod::Select) => {
            let own = SelectSettings {
                high_confidence: section.extractive.high_confidence,
                max_tokens,
                ..SelectSettings::default()
            };
            Arc::new(SelectOnly::new(chat, own, section.extractive.clone()))
        }
        (Some(chat), AnswerMethod::Auto | AnswerMethod::Llm) => {
            let written = LanguageModel::new(chat, writing(settings, max_tokens));
            if models.counts_only() {
                return Ok(Arc::new(CountedAnswers { written, extractive: extractive() }));
            }
            Arc::new(written)
        }
        _ => Arc::new(extractive()),
    })
}

fn writing(settings: &Settings, max_tokens: Option<u32>) -> LlmGenerateSettings {
    LlmGenerateSettings {
        max_context_chars: settings.generate.max_context_chars,
        max_tokens,
        accept_refusal_citations: settings.guardrail.verification.refusal_citations == RefusalCitations::Keep,
    }
}

/// A generator that asks this model, which is told of schemas in words.
pub(crate) fn written_by(settings: &Settings, chat: Arc<dyn ChatModel>) -> Arc<dyn Generator> {
    let chat = Arc::new(llm::Metered::new(llm::Spelt(chat), Spent::GENERATE));
    Arc::new(LanguageModel::new(chat, writing(settings, None)))
}

/// A dry run: the calls of the language model are counted, and extractive answers stand in for those that it would write, so
/// that the stages after it can build their prompts.
struct CountedAnswers {
    written: LanguageModel,
    extractive: Extractive,
}

impl Generator for CountedAnswers {
    fn id(&self) -> &str {
        self.written.id()
    }

    fn version(&self) -> &str {
        self.written.version()
    }

    fn is_verbatim(&self) -> bool {
        false
    }

    fn computes(&self) -> bool {
        false
    }

    fn generate<'a>(
        &'a self,
        input: GenerationInput<'a>,
    ) -> BoxFuture<'a, Result<Generated, GenerationFailure>> {
        Box::pin(async move {
            match self.written.generate(input).await {
                Err(failure) if failure.kind == FailureKind::Permanent => {
                    self.extractive.generate(input).await
                }
                written => written,
            }
        })
    }
}

/// The reranker.
///
/// # Errors
/// When the language model cannot be used, or the cross-encoder cannot be loaded.
pub fn reranker(
    settings: &Settings,
    natives: &Natives,
    models: &ChatModels,
) -> Result<Reranker, EngineError> {
    let section = &settings.rerank;
    let chat = counted(reranks(models, settings)?, Spent::RERANK);
    let sentence = SentenceReranker::default().with_prior(section.prior_weight)?;
    let has_model = !section.cross_encoder.as_os_str().is_empty();
    let method = match section.method {
        RerankMethod::Auto if chat.is_none() && has_model => RerankMethod::CrossEncoder,
        method => method,
    };
    let reranker = match (method, chat) {
        (RerankMethod::None, _) => Reranker::new(FusedOrder, section.top_n),
        (RerankMethod::CrossEncoder, _) => {
            Reranker::new(CrossEncoderReranker::new(cross_encoder(settings, natives)?), section.top_n)
        }
        (RerankMethod::Llm | RerankMethod::Auto, Some(chat)) => {
            let max_tokens = settings.llm.model(&section.model).map(|model| model.max_tokens);
            let own = section.by_model(max_tokens.unwrap_or(settings.llm.own.max_tokens));
            let reranker = Reranker::new(LlmReranker::new(chat, own), section.top_n);
            match section.on_failure {
                FallbackChoice::Sentence => reranker.with_fallback(sentence),
                FallbackChoice::Fused => reranker.with_fallback(FusedOrder),
                FallbackChoice::Error if models.counts_only() => reranker.with_fallback(FusedOrder),
                FallbackChoice::Error => reranker,
            }
        }
        (RerankMethod::Sentence | RerankMethod::Llm | RerankMethod::Auto, _) => {
            Reranker::new(sentence, section.top_n)
        }
    };
    Ok(reranker)
}

/// The model that reranks, if one does.
fn reranks(models: &ChatModels, settings: &Settings) -> Result<Option<Arc<dyn ChatModel>>, EngineError> {
    match settings.rerank.method {
        RerankMethod::Llm | RerankMethod::Auto => models.get(&settings.rerank.model),
        RerankMethod::Sentence | RerankMethod::CrossEncoder | RerankMethod::None => Ok(None),
    }
}

/// The model that generates answers, if one does.
fn generates(models: &ChatModels, settings: &Settings) -> Result<Option<Arc<dyn ChatModel>>, EngineError> {
    match settings.generate.method {
        AnswerMethod::Extractive => Ok(None),
        AnswerMethod::Auto | AnswerMethod::Llm | AnswerMethod::Select => models.get(&settings.generate.model),
    }
}

/// What has a language model verify answers, if one does: answers copied from papers need none.
///
/// # Errors
/// When the model cannot be used.
pub fn verifier(
    settings: &Settings,
    models: &ChatModels,
    generator: &dyn Generator,
) -> Result<Option<Arc<Verifier>>, EngineError> {
    let section = &settings.guardrail;
    if section.verify == VerifyChoice::Off || generator.is_verbatim() || !section.verification.support_check {
        return Ok(None);
    }
    let Some(chat) = counted(models.get(&section.model)?, Spent::VERIFY) else {
        return Ok(None);
    };
    let max_tokens = settings.llm.model(&section.model).map(|model| model.max_tokens);
    let max_chars = settings.generate.max_context_chars;
    Ok(Some(Arc::new(Verifier::new(chat, max_chars, max_tokens))))
}

/// The model, with its calls counted for `stage`.
fn counted(chat: Option<Arc<dyn ChatModel>>, stage: &'static str) -> Option<Arc<dyn ChatModel>> {
    Some(Arc::new(llm::Metered::new(chat?, stage)))
}

/// Resolution at which pages are rendered for OCR; lower for very large pages.
const OCR_DPI: u32 = 300;
/// Time limit for OCR of one page. A page that exceeds it is not read.
const OCR_SECONDS: u64 = 60;

/// The OCR settings for pages without text; `None` if OCR is switched off.
///
/// # Errors
/// When OCR is required but `tesseract` is not installed, or lacks a language.
pub fn ocr(settings: &Settings) -> Result<Option<OcrSettings>, EngineError> {
    let i = &settings.ingest;
    if i.ocr == OcrChoice::Off {
        return Ok(None);
    }
    let tesseract = Tesseract::find(&i.ocr_program).map_err(|error| {
        let parts = error.explain();
        EngineError::Ocr { detail: parts.message, hint: parts.hint.unwrap_or_default() }
    })?;
    let missing = tesseract.missing(&i.ocr_languages);
    if !missing.is_empty() {
        return Err(EngineError::Ocr {
            detail: format!(
                "{} has no data for {}, only for {}",
                tesseract.version,
                missing.join(", "),
                first_of(&tesseract.languages, NAMED)
            ),
            hint: format!(
                "install it (on Debian and Ubuntu: apt-get install tesseract-ocr-{}) or set ingest.ocr_languages",
                missing.first().copied().unwrap_or_default().replace('_', "-")
            ),
        });
    }
    Ok(Some(OcrSettings {
        tesseract,
        languages: i.ocr_languages.clone(),
        dpi: OCR_DPI,
        seconds_per_page: OCR_SECONDS,
    }))
}

/// `set`, or the number of cores when it is 0.
pub(crate) fn threads(set: usize) -> usize {
    if set > 0 { set } else { std::thread::available_parallelism().map_or(1, std::num::NonZero::get) }
}
