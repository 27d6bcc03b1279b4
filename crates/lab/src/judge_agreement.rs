//! How often people, or people and a judge, agree with each other.

use crate::error::LabError;
use engine::settings::Settings;
use eval::{
    agreement::{Estimate, Ratings, agreement, clusters},
    judge::RatedItem,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::{collections::BTreeMap, path::PathBuf};

/// What `judge agreement` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeAgreement {
    /// The field with the rating.
    pub field: String,
    /// The raters.
    pub raters: Vec<Rater>,
    /// The ratings that occur.
    pub categories: Vec<String>,
    /// Items that two raters or more rated.
    pub items: usize,
    /// Groups of the items that two raters or more rated; items that share a context or a question are in one group.
    pub clusters: usize,
    /// Every two raters.
    pub pairs: Vec<RaterPair>,
    /// Krippendorff's alpha for categories without an order; with three raters or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub krippendorff_alpha: Option<Estimate>,
    /// Seed of the intervals.
    pub seed: u64,
}

/// A rater.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Rater {
    /// The file.
    pub file: String,
    /// Items with a rating.
    pub rated: usize,
    /// Ids that another rater rated and this one did not.
    pub missing: Vec<String>,
}

/// Two raters.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RaterPair {
    /// The file of the first.
    pub first: String,
    /// The file of the second.
    pub second: String,
    /// Items that both rated.
    pub items: usize,
    /// Share of these on which they agree.
    pub raw_agreement: Estimate,
    /// Cohen's kappa.
    pub kappa: Estimate,
}

/// The files to compare.
#[derive(Clone, Debug)]
pub struct AgreementRequest {
    /// One file for each rater, two at least: JSON objects with `id` and the rating, one a line.
    pub files: Vec<PathBuf>,
    /// The field with the rating.
    pub field: String,
}

/// Measures the agreement.
///
/// # Errors
/// When a file cannot be read or is wrong, or no two raters rated the same item.
pub fn run(settings: &Settings, request: &AgreementRequest) -> Result<JudgeAgreement, LabError> {
    let seed = settings.eval.seed;
    let raters: Vec<Vec<RatedItem>> =
        request.files.iter().map(|file| RatedItem::load(file, &request.field)).collect::<Result<_, _>>()?;
    let items = raters.iter().flatten();
    let categories: BTreeMap<&str, usize> =
        items.filter_map(|item| Some((item.rating.as_deref()?, 0))).collect();
    let categories: BTreeMap<&str, usize> = categories.into_keys().zip(0..).collect();

    let mut ratings: BTreeMap<&str, (Vec<Option<usize>>, [&str; 3])> = BTreeMap::new();
    for (at, rater) in raters.iter().enumerate() {
        for item in rater {
            let [context, question] = [&item.texts[0], &item.texts[1]].map(String::as_str);
            let blank = || (vec![None; raters.len()], [context, question, item.id.as_str()]);
            let entry = ratings.entry(&item.id).or_insert_with(blank);
            entry.0[at] = item.rating.as_deref().map(|rating| categories[rating]);
            // A rater's file may have only ids and labels.
            for (own, text) in entry.1.iter_mut().zip([context, question]) {
                if own.is_empty() {
                    *own = text;
                }
            }
        }
    }
    let texts: Vec<[&str; 3]> = ratings.values().map(|(_, texts)| *texts).collect();
    let table = Ratings {
        clusters: clusters(&texts),
        items: ratings.values().map(|(rated, _)| rated.clone()).collect(),
        categories: categories.len(),
    };
    let found = agreement(&table, seed);
    if found.items == 0 {
        return Err(LabError::Message(format!(
            "no two of the files rate the same id in the field {:?}; check the ids and --field",
            request.field
        )));
    }
    let name = |at: usize| request.files[at].display().to_string();
    let rater = |at: usize| {
        let rated = || ratings.iter().filter(move |(_, (rated, _))| rated[at].is_some());
        let missing =
            ratings.iter().filter(|(_, (rated, _))| rated[at].is_none() && rated.iter().any(Option::is_some));
        Rater {
            file: name(at),
            rated: rated().count(),
            missing: missing.map(|(id, _)| (*id).to_owned()).collect(),
        }
    };
    Ok(JudgeAgreement {
        field: request.field.clone(),
        raters: (0..raters.len()).map(rater).collect(),
        categories: categories.keys().map(|category| (*category).to_owned()).collect(),
        items: found.items,
        clusters: found.clusters,
        pairs: found
            .pairs
            .iter()
            .map(|pair| RaterPair {
                first: name(pair.raters.0),
                second: name(pair.raters.1),
                items: pair.items,
                raw_agreement: pair.raw,
                kappa: pair.kappa,
            })
            .collect(),
        krippendorff_alpha: (raters.len() > 2).then_some(found.alpha),
        seed,
    })
}
