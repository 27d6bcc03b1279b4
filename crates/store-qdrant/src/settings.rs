//! How the store is reached and set up.

use smart_default::SmartDefault;
use std::time::Duration;

/// How the server keeps vectors in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quantisation {
    /// As they are, 32 bits a number.
    #[default]
    None,
    /// 8 bits a number.
    Scalar,
    /// 1 bit a number.
    Binary,
}

/// How the store is reached, and how its collections are made.
#[derive(Clone, SmartDefault)]
pub struct QdrantSettings {
    /// Address of the server's gRPC port.
    #[default = "http://localhost:6334"]
    pub url: String,
    /// Its key, if it wants one. Never printed.
    pub api_key: Option<String>,
    /// Name of the collection of chunks; the others begin with it.
    #[default = "papers"]
    pub collection: String,
    /// Shards of a new collection.
    #[default = 1]
    pub shards: u32,
    /// Copies of each shard of a new collection.
    #[default = 1]
    pub replicas: u32,
    /// Whether a new collection keeps its vectors on disk instead of in memory.
    pub on_disk: bool,
    /// How a new collection keeps vectors in memory.
    pub quantisation: Quantisation,
    /// How long a search may take, retries included. A write may take six times as long.
    #[default(Duration::from_secs(10))]
    pub timeout: Duration,
    /// What an occurrence in a title counts in BM25, relative to one in the text.
    #[default = 2.0]
    pub title_weight: f32,
}

/// With quantised vectors, how many times more candidates are compared again in 32 bits than are wanted: with 1 bit a number,
/// .98 of the nearest hundred are then found (docs/scale.md).
pub(crate) const OVERSAMPLING: f64 = 2.0;

/// How many times longer a write may take than a search.
pub(crate) const WRITES: u32 = 6;
