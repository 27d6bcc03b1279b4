//! Why a draft is dropped.

use std::fmt;
use strum::VariantArray as _;

/// Why nothing came of a draft. The order is that of the output.
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dropped {
    /// The model found nothing to ask, or no answer.
    Declined,
    /// The reply does not have the form that was asked for, or was cut.
    Unusable,
    /// A quote does not stand word for word in its passage, or there is none.
    Quote,
    /// The answer has a number or a name that no passage has.
    Invented,
    /// The question needs the passage beside it: "this study", "the table above".
    PointsAtPassage,
    /// The question repeats the passage word for word.
    CopiesPassage,
    /// An earlier question asks the same.
    Repeats,
    /// The evidence of a synthesis question is from one passage.
    OnePassage,
    /// A passage of the index answers the question that no paper should answer.
    Answered,
    /// The judge could not say whether a passage answers it.
    NotJudged,
    /// No relevant document of a given question is in the index.
    NoDocument,
}

impl Dropped {
    /// Every reason.
    pub const ALL: [Self; Self::VARIANTS.len()] = types::words::all(Self::VARIANTS);

    /// Its name in JSON.
    pub fn key(self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Declined => "the model found nothing to ask or to answer",
            Self::Unusable => "the reply could not be used",
            Self::Quote => "a quote is not in its passage word for word",
            Self::Invented => "the answer has a number or a name that no passage has",
            Self::PointsAtPassage => "the question refers to a passage that its reader does not see",
            Self::CopiesPassage => "the question copies its passage",
            Self::Repeats => "the question repeats another one",
            Self::OnePassage => "the evidence of a synthesis question is from one passage",
            Self::Answered => "a passage of the index answers a question that no paper should answer",
            Self::NotJudged => "the judge could not say whether a passage answers the question",
            Self::NoDocument => "no relevant document of the question is in the index",
        })
    }
}
