//! Files within messages.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

/// Bytes, which are base64 in a message: as numbers they would take four times their room.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Blob(pub Vec<u8>);

impl From<Blob> for String {
    fn from(Blob(bytes): Blob) -> Self {
        STANDARD.encode(bytes)
    }
}

impl TryFrom<String> for Blob {
    type Error = base64::DecodeError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        STANDARD.decode(text).map(Self)
    }
}
