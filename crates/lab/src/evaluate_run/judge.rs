//! What judges the rows: the language model that the settings name, or the offline judge.

use crate::{error::LabError, judging};
use engine::{
    chat_models::ChatModels,
    natives::Natives,
    settings::{JudgeChoice, Provider, Settings},
    stages,
};
use eval::{
    Judge as _, Sample,
    judge::{
        Decision, JudgeError, Judged, OfflineJudge, Verdicts,
        dimensions::{ChatDimensions, Dimension},
    },
};
use evidence::support::LexicalSupport;
use futures::future::join_all;
use std::sync::Arc;
use types::{Reporter, SupportScorer};

/// A judge and its name.
#[derive(Clone)]
pub(super) struct Judge {
    /// Whether single passages support claims.
    pub(super) support: Arc<dyn SupportScorer>,
    /// The language model; `None` for the offline judges.
    model: Option<Arc<ChatDimensions>>,
    tau: f64,
    /// Dimensions without weight, which are not judged.
    left_out: Vec<Dimension>,
    /// `lexical`, or the language model.
    pub(super) name: String,
}

impl Judge {
    /// The judge of `eval.judge`.
    ///
    /// # Errors
    /// When a language model is named and none is configured.
    pub(super) fn new(
        settings: &Settings,
        models: &ChatModels,
        reporter: &dyn Reporter,
    ) -> Result<Self, LabError> {
        let natives = Natives::find(settings);
        let model = judging::asks_model(settings);
        let (name, support) = if model {
            // Its verdicts take the place of all that need one.
            (model_name_of(settings), Arc::new(LexicalSupport::new()) as _)
        } else {
            let support = stages::support_alone(settings, &natives, reporter);
            ("lexical".to_owned(), support)
        };
        let weighs = |dimension: &Dimension| dimension.weight(&settings.evaluate.weights) > 0.0;
        Ok(Self {
            support,
            model: if model { Some(Arc::new(chat(settings, models)?)) } else { None },
            tau: settings.evaluate.limits.support,
            left_out: Dimension::ALL.into_iter().filter(|own| !weighs(own)).collect(),
            name,
        })
    }

    /// The same over `support`.
    pub(super) fn over(&self, support: Arc<dyn SupportScorer>) -> Self {
        Self { support, ..self.clone() }
    }

    fn offline(&self) -> OfflineJudge {
        OfflineJudge::with_tau(Arc::clone(&self.support), self.tau)
    }

    /// The judge and its version.
    pub(super) fn id(&self) -> String {
        match &self.model {
            Some(model) => model.id().to_owned(),
            None => self.offline().id(),
        }
    }

    /// Whether a language model judges.
    pub(super) fn asks_a_model(&self) -> bool {
        self.model.is_some()
    }

    /// The version of the prompt of a dimension; `None` without a language model.
    pub(super) fn prompt_version(&self, dimension: Dimension) -> Option<&'static str> {
        self.model.as_ref().map(|_| ChatDimensions::prompt_version(dimension))
    }

    /// The verdicts on a row: on the claims of its answer, and what a language model decides of it, by metric. With a language
    /// model, all of them are its own, and it is asked about these dimensions only.
    pub(super) async fn verdicts(&self, row: &Sample, dimensions: &[Dimension]) -> Verdicts {
        let Some(model) = &self.model else {
            return eval::verdicts(row, Some(&self.offline())).await;
        };
        let each = Dimension::ALL.into_iter().map(async |dimension| {
            if !dimensions.contains(&dimension) {
                return (dimension, Err(JudgeError::NotApplicable("not asked for".to_owned())));
            }
            if self.left_out.contains(&dimension) {
                let why = format!("evaluate.{}_weight is 0", dimension.key());
                return (dimension, Err(JudgeError::NotApplicable(why)));
            }
            (dimension, model.judge(dimension, row).await)
        });
        let mut out = Verdicts::default();
        for (dimension, verdict) in join_all(each).await {
            let missing = match verdict {
                Ok(reply) => {
                    let decided = reply.decided.into_iter();
                    out.decided.extend(decided.map(|(key, own)| (key, Judged::Output(own))));
                    if let Some(claims) = reply.claims {
                        out.claims = Judged::Output(claims);
                    }
                    JudgeError::NotApplicable("the judge was not asked".to_owned())
                }
                Err(error) => error,
            };
            // What the reply does not decide is missing: no offline value stands in its place.
            for key in dimension.keys(row) {
                let of = || Judged::<Decision>::of(Err(missing.clone()));
                out.decided.entry(key).or_insert_with(of);
            }
            if dimension == Dimension::Faithfulness && out.claims.output().is_none() {
                out.claims = Judged::of(Err(missing));
            }
        }
        out
    }
}

fn chat(settings: &Settings, models: &ChatModels) -> Result<ChatDimensions, LabError> {
    let (model, max_tokens) = judging::judging_model(settings, models)?;
    let tau = settings.evaluate.limits.support;
    Ok(ChatDimensions::new(model, max_tokens, tau))
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
        named.find(|(_, own)| own.model == model).map(|(name, _)| name.clone())
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
             llm.provider (as in --set llm.provider=openai) and, for a local server, llm.base_url"
        )));
    }
    Ok(settings)
}
