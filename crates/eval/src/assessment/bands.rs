//! What a number is called.

use crate::Limits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The band of a rag_score.
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Band {
    /// High quality: from evaluate.green_from.
    Green,
    /// Acceptable: from evaluate.yellow_from.
    Yellow,
    /// Needs improvement.
    Red,
}

impl Band {
    /// Its name in JSON.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The band of a rag_score, 0 to 1; a limit belongs to the band above it.
    pub fn of(rag_score: f64, limits: &Limits) -> Self {
        if rag_score >= limits.green_from {
            Self::Green
        } else if rag_score >= limits.yellow_from {
            Self::Yellow
        } else {
            Self::Red
        }
    }
}

/// What LitPath's guide calls a pass rate.
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Rating {
    /// Above 90 %.
    Excellent,
    /// 75 % to 90 %.
    Good,
    /// 50 % to below 75 %.
    Fair,
    /// Below 50 %.
    Poor,
}

impl Rating {
    /// Its name in JSON.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The rating of a pass rate, 0 to 1.
    pub fn of(rate: f64) -> Self {
        match rate {
            rate if rate > 0.9 => Self::Excellent,
            rate if rate >= 0.75 => Self::Good,
            rate if rate >= 0.5 => Self::Fair,
            _ => Self::Poor,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_belong_to_the_band_above() {
        let limits = Limits::default();
        for (score, band) in [
            (1.0, Band::Green),
            (0.85, Band::Green),
            (0.849, Band::Yellow),
            (0.7, Band::Yellow),
            (0.699, Band::Red),
            (0.0, Band::Red),
        ] {
            assert_eq!(Band::of(score, &limits), band, "{score}");
        }
        for (rate, rating) in [
            (0.91, Rating::Excellent),
            (0.9, Rating::Good),
            (0.75, Rating::Good),
            (0.5, Rating::Fair),
            (0.2, Rating::Poor),
        ] {
            assert_eq!(Rating::of(rate), rating, "{rate}");
        }
    }
}
