//! The parts of [`LlmError`].

use super::LlmError;
use std::fmt::Display;
use types::Explain;

pub(super) const BASE_URL: &str = "give an address such as http://127.0.0.1:11434/v1";
pub(super) const TEMPERATURE: &str = "use 0 for repeatable answers";
pub(super) const LIMIT: &str = "leave it out for no limit";
pub(super) const KEY: &str = "check it for spaces and line breaks";
pub(super) const CLIENT: &str = "for https the system's CA certificates must be installed";

pub(super) fn no_model(url: &dyn Display) -> String {
    format!("name a model that {url} serves")
}

impl Explain for LlmError {
    fn code(&self) -> &'static str {
        match self {
            Self::BaseUrl { .. } => "llm_base_url",
            Self::NoModel { .. } => "llm_no_model",
            Self::Temperature { .. } => "llm_temperature",
            Self::Limit { .. } => "llm_limit",
            Self::Key { .. } => "llm_key",
            Self::Client { .. } => "llm_client",
        }
    }

    fn value(&self) -> Option<String> {
        match self {
            Self::BaseUrl { url, .. } | Self::NoModel { url, .. } => Some(url.clone()),
            Self::Temperature { value } => Some(value.clone()),
            Self::Limit { name } => Some(format!("llm.{name}")),
            Self::Key { key_env } => Some(key_env.clone()),
            Self::Client { .. } => None,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::BaseUrl { .. } => Some(BASE_URL.to_owned()),
            Self::NoModel { url, .. } => Some(no_model(url)),
            Self::Temperature { .. } => Some(TEMPERATURE.to_owned()),
            Self::Limit { .. } => Some(LIMIT.to_owned()),
            Self::Key { .. } => Some(KEY.to_owned()),
            Self::Client { .. } => Some(CLIENT.to_owned()),
        }
    }
}
