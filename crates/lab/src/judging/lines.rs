//! The lines of files of verdicts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One line of what `judge` writes: a verdict, or why there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeLine {
    /// As in the input: a string or a number.
    pub id: Value,
    /// 1 if all claims are supported, else 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faithful: Option<u8>,
    /// Probability that all claims are supported, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// 4: all claims supported; 3: one is not; 2: several are not; 1: most are not, or one is contradicted, or there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<u8>,
    /// The unsupported claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<Vec<String>>,
    /// Why there is no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The judge.
    pub judge: String,
    /// Hash of what the judge read, of the judge and of its threshold.
    pub key: String,
    /// CRC-32 of the line before this key, in a file.
    #[serde(default, skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub crc32: Option<String>,
}
