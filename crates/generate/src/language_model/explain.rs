//! The parts of [`GenerateError`].

use super::GenerateError;
use std::fmt::Display;
use types::Explain;

pub(super) const SCHEMA: &str = "use a stronger model, or a server that enforces JSON schemas";

pub(super) fn no_room(limit: &dyn Display) -> String {
    format!("raise generate.max_context_chars, now {limit}")
}

impl Explain for GenerateError {
    fn code(&self) -> &'static str {
        match self {
            Self::Chat { source, .. } => source.code(),
            Self::Schema { .. } => "generate_schema",
            Self::NoRoom { .. } => "generate_no_room",
        }
    }

    fn value(&self) -> Option<String> {
        match self {
            Self::Chat { source, .. } => source.value(),
            Self::Schema { model, .. } => Some(model.clone()),
            Self::NoRoom { chunk_id, .. } => Some(chunk_id.clone()),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Chat { source, .. } => source.hint(),
            Self::Schema { .. } => Some(SCHEMA.to_owned()),
            Self::NoRoom { limit, .. } => Some(no_room(limit)),
        }
    }
}
