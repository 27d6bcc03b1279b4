//! The judge that the settings name.

use crate::error::LabError;
use crate::pooled::PooledJudge;
use engine::{
    ComputePool,
    chat_models::ChatModels,
    settings::{JudgeChoice, Settings},
};
use eval::{
    Judge,
    judge::{ChatJudge, ChatJudgeSettings, OfflineJudge},
};
use std::sync::Arc;
use types::{ChatModel, Spent, SupportScorer};

/// The judge that the settings name; `auto` is the language model if one is configured. `support` gives the offline judge
/// of claims, if that is the one.
///
/// # Errors
/// When a language model is named as judge and none is configured.
pub(crate) fn judge(
    settings: &Settings,
    models: &ChatModels,
    support: impl FnOnce() -> Arc<dyn SupportScorer>,
    pool: &ComputePool,
) -> Result<Box<dyn Judge>, LabError> {
    let tau = f64::from(settings.eval.support_threshold);
    if !asks_model(settings) {
        let judge = OfflineJudge::with_tau(support(), tau);
        return Ok(Box::new(PooledJudge::new(Arc::new(judge), pool.clone())));
    }
    let (counted, max_tokens) = judging_model(settings, models)?;
    let own = ChatJudgeSettings { tau, max_tokens, ..ChatJudgeSettings::default() };
    Ok(Box::new(ChatJudge::new(counted, own)))
}

/// Whether a language model judges.
pub(crate) fn asks_model(settings: &Settings) -> bool {
    match settings.eval.judge {
        JudgeChoice::Llm => true,
        JudgeChoice::Auto => settings.llm.model(&settings.eval.judge_model).is_some(),
        JudgeChoice::Lexical => false,
    }
}

/// The language model that judges, with its limit of tokens.
///
/// # Errors
/// When none is configured.
pub(crate) fn judging_model(
    settings: &Settings,
    models: &ChatModels,
) -> Result<(Arc<dyn ChatModel>, Option<u32>), LabError> {
    let name = &settings.eval.judge_model;
    let Some(chat) = models.get(name)? else {
        return Err(LabError::Message(
            "eval.judge is \"llm\" but llm.provider is \"none\"; set llm.provider (as in --set \
             llm.provider=openai) and llm.model, or eval.judge = \"lexical\""
                .to_owned(),
        ));
    };
    let max_tokens = settings.llm.model(name).map(|model| model.max_tokens);
    Ok((Arc::new(llm::Metered::new(chat, Spent::JUDGE)), max_tokens))
}
