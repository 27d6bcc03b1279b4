//! The language models of the settings: builds each once, with its cache and its budget.

mod key_file;

use crate::{
    error::EngineError,
    settings::{CACHE_MIB, CacheChoice, LlmModel, LlmSection, Prices, Settings},
};
use llm::{Budget, Budgeted, CacheCounts, CacheMode, Cached, ReplyStore};
use serde_json::json;
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
};
use types::{BoxFuture, ChatError, ChatFailure, ChatModel, ChatReply, ChatRequest, Price, Spent, Usage};

/// Makes the language models that the settings name, each once: stages with the same model share its client, so that limits
/// and counts of failures hold for all of them.
pub struct ChatModels {
    llm: LlmSection,
    prices: Prices,
    budget: Option<Arc<Budget>>,
    counting: bool,
    store: Arc<ReplyStore>,
    counts: Arc<CacheCounts>,
    /// What sends, without the cache: models that differ in nothing but the folder of the cache share it.
    clients: Arc<Mutex<Made>>,
    made: Mutex<Made>,
}

/// Models by name.
type Made = HashMap<String, Arc<dyn ChatModel>>;

impl ChatModels {
    /// The models of the settings.
    ///
    /// # Errors
    /// Only when the list of prices that is compiled in is broken.
    pub fn new(settings: &Settings) -> Result<Self, EngineError> {
        let llm = settings.llm.clone();
        Ok(Self {
            store: Arc::new(ReplyStore::new(&llm.cache_dir, CACHE_MIB << 20)),
            llm,
            prices: Prices::shipped()?,
            budget: None,
            counting: false,
            counts: Arc::default(),
            clients: Arc::default(),
            made: Mutex::default(),
        })
    }

    /// The same models, which together may cost this many US dollars; without a limit if `None`.
    #[must_use]
    pub fn with_budget(mut self, dollars: Option<f64>) -> Self {
        self.budget = dollars.map(|dollars| Arc::new(Budget::new(dollars)));
        self
    }

    /// The same models, which send nothing: a call that the cache cannot answer fails, and its usage has the tokens of the prompt.
    #[must_use]
    pub fn counting(mut self) -> Self {
        self.counting = true;
        self
    }

    /// Whether calls are only counted.
    pub(crate) fn counts_only(&self) -> bool {
        self.counting
    }

    /// The models of another section, with the same budget and the same counts, and the same cache unless its folder is another.
    #[must_use]
    pub fn for_section(&self, llm: &LlmSection) -> Self {
        let own = &self.llm;
        let sent = LlmSection { cache_dir: own.cache_dir.clone(), ..llm.clone() };
        let store = if llm.cache_dir == own.cache_dir {
            Arc::clone(&self.store)
        } else {
            Arc::new(ReplyStore::new(&llm.cache_dir, CACHE_MIB << 20))
        };
        let clients = (sent == *own).then(|| Arc::clone(&self.clients));
        Self {
            clients: clients.unwrap_or_default(),
            llm: llm.clone(),
            prices: self.prices.clone(),
            budget: self.budget.clone(),
            counting: self.counting,
            store,
            counts: Arc::clone(&self.counts),
            made: Mutex::default(),
        }
    }

    /// How often the cache had a reply.
    pub fn counts(&self) -> &CacheCounts {
        &self.counts
    }

    /// The price of a model, if it is known.
    pub fn price(&self, model: &LlmModel) -> Option<Price> {
        self.prices.of(model)
    }

    /// The model of this name, or that of `[llm]` if the name is empty; `None` if no provider is set.
    ///
    /// # Errors
    /// When its address or another setting cannot be used, or its price is not known and there is a budget.
    pub fn get(&self, name: &str) -> Result<Option<Arc<dyn ChatModel>>, EngineError> {
        let Some(model) = self.llm.model(name) else {
            return Ok(None);
        };
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(chat) = made.get(name) {
            return Ok(Some(Arc::clone(chat)));
        }
        let chat = self.kept(model, self.client(name, model)?);
        made.insert(name.to_owned(), Arc::clone(&chat));
        Ok(Some(chat))
    }

    fn client(&self, name: &str, model: &LlmModel) -> Result<Arc<dyn ChatModel>, EngineError> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(name) {
            return Ok(Arc::clone(client));
        }
        let mut chat: Arc<dyn ChatModel> =
            if self.counting { Arc::new(Counting(model.model.clone())) } else { provider(&self.llm, model)? };
        if let Some(budget) = self.budget.as_ref().filter(|_| !self.counting) {
            let Some(price) = self.price(model) else {
                return Err(EngineError::Message(format!(
                    "--max-cost needs the price of {}, which is not in the list; set llm.price_input and llm.price_output",
                    model.model
                )));
            };
            chat = Arc::new(Budgeted::new(chat, price, model.max_tokens, Arc::clone(budget)));
        }
        clients.insert(name.to_owned(), Arc::clone(&chat));
        Ok(chat)
    }

    /// The model with the cache, if there is one.
    fn kept(&self, model: &LlmModel, chat: Arc<dyn ChatModel>) -> Arc<dyn ChatModel> {
        let mode = match (self.llm.cache, self.counting) {
            (CacheChoice::Off, _) => return chat,
            (_, true) => CacheMode::ReadOnly,
            (CacheChoice::On, _) => CacheMode::Use,
            (CacheChoice::Replay, _) => CacheMode::Replay,
        };
        let (store, counts) = (Arc::clone(&self.store), Arc::clone(&self.counts));
        Arc::new(Cached::new(chat, identity(model), store, mode, counts))
    }
}

/// Counts calls and the tokens of their prompts, and fails.
struct Counting(String);

impl ChatModel for Counting {
    fn id(&self) -> &str {
        &self.0
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
        /// Tokens of a message beside its text, as chat models count them.
        const TOKENS_OF_A_MESSAGE: usize = 4;
        let schema = request.schema.as_ref().map(|schema| schema.schema.to_string()).unwrap_or_default();
        let parts = [&*request.system, &*request.user, &*schema];
        let tokens: usize = parts.map(|part| ingest::tokens::count(part) + TOKENS_OF_A_MESSAGE).iter().sum();
        let usage = Usage { requests: 1, prompt_tokens: tokens as u64, ..Usage::default() };
        let reason = "a dry run sends nothing".to_owned();
        let error = ChatError::NoAnswer { model: self.0.clone(), reason };
        Box::pin(std::future::ready(Err(ChatFailure { usage, ..error.into() })))
    }
}

/// The client of a model, with the key of its file or of its variable.
///
/// # Errors
/// When its address or another setting cannot be used, or the file of the key.
pub(crate) fn provider(llm: &LlmSection, model: &LlmModel) -> Result<Arc<dyn ChatModel>, EngineError> {
    let client = llm.client(model);
    if model.api_key_file.as_os_str().is_empty() {
        return Ok(llm::provider(client)?);
    }
    let key = key_file::read(&model.api_key_file)?;
    Ok(llm::provider_with_keys(client, |_| Some(key.clone()))?)
}

/// Everything about a model that shapes its replies.
pub fn identity(model: &LlmModel) -> String {
    json!([
        model.provider,
        model.address(),
        model.model,
        model.temperature.to_string(),
        model.schema_mode.as_str(),
        model.max_tokens,
    ])
    .to_string()
}

/// By stage: the language model that the settings name for it, if the stage uses one.
pub fn by_stage(settings: &Settings) -> BTreeMap<&'static str, &LlmModel> {
    let names = [
        (Spent::RERANK, &settings.rerank.model),
        (Spent::GENERATE, &settings.generate.model),
        (Spent::VERIFY, &settings.guardrail.model),
        (Spent::JUDGE, &settings.eval.judge_model),
    ];
    let models = names.map(|(stage, name)| Some((stage, settings.llm.model(name)?)));
    models.into_iter().flatten().collect()
}
