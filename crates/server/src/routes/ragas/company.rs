//! Who asks.

use crate::name::Name;
use schemars::JsonSchema;
use serde::Deserialize;

/// Whose collection is meant.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "RagasCompany")]
pub(super) struct Company {
    /// The tenant.
    pub(super) company_id: Name,
}
