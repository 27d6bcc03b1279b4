//! The parts of [`ModelsError`].

use super::ModelsError;
use std::fmt::Display;
use types::Explain;

pub(super) const MISSING: &str = "run `pipeline setup`, or set the path in the configuration";
pub(super) const UNREADABLE: &str = "check its permissions";
pub(super) const RUNTIME_ELSEWHERE: &str = "use one path for all models";
pub(super) const SETTINGS: &str = "correct it, or set the value in the configuration";
pub(super) const TOKENIZER: &str = "give the tokenizer.json that belongs to the model";
pub(super) const MODEL: &str = "give an ONNX export that this ONNX Runtime supports";
pub(super) const TEXT_LENGTH: &str = "cut it with `windows` first";
pub(super) const NO_ROOM: &str = "shorten the prefix";
pub(super) const SENTENCES: &str = "give ordered spans on character boundaries";
pub(super) const OUTPUT: &str = "check pooling and that the model is of the expected kind";

pub(super) fn runtime(minor: &dyn Display) -> String {
    format!("run `pipeline setup` for a build of version 1.{minor} or later")
}

impl Explain for ModelsError {
    fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "models_missing",
            Self::Unreadable { .. } => "models_unreadable",
            Self::Runtime { .. } => "models_runtime",
            Self::RuntimeElsewhere { .. } => "models_runtime_elsewhere",
            Self::Settings { .. } => "models_settings",
            Self::Tokenizer { .. } => "models_tokenizer",
            Self::Model { .. } => "models_model",
            Self::Tokenize { .. } => "models_tokenize",
            Self::TextLength { .. } => "models_text_length",
            Self::NoRoom { .. } => "models_no_room",
            Self::Sentences { .. } => "models_sentences",
            Self::Inference { .. } => "models_inference",
            Self::Output { .. } => "models_output",
        }
    }

    fn value(&self) -> Option<String> {
        match self {
            Self::Missing { path, .. }
            | Self::Unreadable { path, .. }
            | Self::Runtime { path, .. }
            | Self::Settings { path, .. }
            | Self::Tokenizer { path, .. }
            | Self::Model { path, .. } => Some(path.display().to_string()),
            Self::RuntimeElsewhere { asked, .. } => Some(asked.display().to_string()),
            Self::Tokenize { .. }
            | Self::TextLength { .. }
            | Self::NoRoom { .. }
            | Self::Sentences { .. }
            | Self::Inference { .. }
            | Self::Output { .. } => None,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Missing { .. } => Some(MISSING.to_owned()),
            Self::Unreadable { .. } => Some(UNREADABLE.to_owned()),
            Self::Runtime { minor, .. } => Some(runtime(minor)),
            Self::RuntimeElsewhere { .. } => Some(RUNTIME_ELSEWHERE.to_owned()),
            Self::Settings { .. } => Some(SETTINGS.to_owned()),
            Self::Tokenizer { .. } => Some(TOKENIZER.to_owned()),
            Self::Model { .. } => Some(MODEL.to_owned()),
            Self::TextLength { .. } => Some(TEXT_LENGTH.to_owned()),
            Self::NoRoom { .. } => Some(NO_ROOM.to_owned()),
            Self::Sentences { .. } => Some(SENTENCES.to_owned()),
            Self::Output { .. } => Some(OUTPUT.to_owned()),
            Self::Tokenize { .. } | Self::Inference { .. } => None,
        }
    }
}
