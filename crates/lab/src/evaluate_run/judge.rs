//! The judge of the five dimensions that the settings name.

use crate::error::LabError;
use assess::dimensions::{ChatDimensions, DimensionJudge, OfflineDimensions};
use engine::{
    chat_models::ChatModels,
    natives::Natives,
    settings::{JudgeChoice, Provider, Settings},
    stages,
};
use std::sync::Arc;
use types::{Reporter, Spent};

/// A judge and its name.
pub(super) struct Judge {
    /// Scores the dimensions.
    pub(super) dimensions: Arc<dyn DimensionJudge>,
    /// `lexical`, `nli`, or the language model.
    pub(super) name: String,
    /// Whether it computes, instead of asking a language model.
    pub(super) computes: bool,
}

impl Judge {
    /// The judge of `eval.judge`.
    ///
    /// # Errors
    /// When a language model is named and none is configured, or the entailment model cannot be loaded.
    pub(super) fn new(
        settings: &Settings,
        models: &ChatModels,
        reporter: &dyn Reporter,
    ) -> Result<Self, LabError> {
        let model_name = &settings.eval.judge_model;
        let natives = Natives::find(settings);
        let (scorer, name) = match settings.eval.judge {
            JudgeChoice::Nli => (stages::entailment(settings, &natives)?, "nli"),
            JudgeChoice::Auto | JudgeChoice::Llm if settings.llm.model(model_name).is_some() => {
                return Self::chat(settings, models);
            }
            JudgeChoice::Llm => return Self::chat(settings, models),
            JudgeChoice::Auto | JudgeChoice::Lexical => {
                (stages::support_alone(settings, &natives, reporter), "lexical")
            }
        };
        Ok(Self {
            dimensions: Arc::new(OfflineDimensions::new(scorer, f64::from(settings.eval.tau))),
            name: name.to_owned(),
            computes: true,
        })
    }

    fn chat(settings: &Settings, models: &ChatModels) -> Result<Self, LabError> {
        let name = &settings.eval.judge_model;
        let Some(chat) = models.get(name)? else {
            return Err(LabError::Message(
                "eval.judge is \"llm\" but llm.provider is \"none\"; set llm.provider and llm.model, or eval.judge = \"lexical\""
                    .to_owned(),
            ));
        };
        let max_tokens = settings.llm.model(name).map(|model| model.max_tokens);
        let counted = Arc::new(llm::Metered::new(chat, Spent::JUDGE));
        Ok(Self {
            name: model_name_of(settings),
            dimensions: Arc::new(ChatDimensions::new(counted, max_tokens)),
            computes: false,
        })
    }
}

fn model_name_of(settings: &Settings) -> String {
    let model = settings.llm.model(&settings.eval.judge_model);
    model.map(|model| model.model.clone()).unwrap_or_default()
}

/// The settings with the language model of `--model` as the judge: one that a section `[llm.NAME]` configures, by its name or
/// its model, or any other model of the provider of `[llm]`.
///
/// # Errors
/// When `[llm]` has no provider.
pub(super) fn with_model(settings: &Settings, model: Option<&str>) -> Result<Settings, LabError> {
    let mut settings = settings.clone();
    let Some(model) = model else {
        return Ok(settings);
    };
    settings.eval.judge = JudgeChoice::Llm;
    let by_model = |settings: &Settings| {
        let mut named = settings.llm.named.iter();
        named
            .find(|(_, own)| own.model == model)
            .map(|(name, _)| name.clone())
    };
    if settings.llm.named.contains_key(model) {
        model.clone_into(&mut settings.eval.judge_model);
    } else if settings.llm.own.provider != Provider::None {
        model.clone_into(&mut settings.llm.own.model);
        settings.eval.judge_model = String::new();
    } else if let Some(name) = by_model(&settings) {
        settings.eval.judge_model = name;
    } else {
        let known: Vec<&str> = settings.llm.named.keys().map(String::as_str).collect();
        let known = if known.is_empty() {
            "no [llm.NAME] is defined".to_owned()
        } else {
            format!("defined are {}", known.join(", "))
        };
        return Err(LabError::Message(format!(
            "--model {model:?} is not the name of a section [llm.NAME] ({known}), and llm.provider is \"none\"; set \
             llm.provider and, for a local server, llm.base_url"
        )));
    }
    Ok(settings)
}
