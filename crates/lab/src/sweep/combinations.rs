//! The settings of each combination, checked before anything runs.

use super::SweepRequest;
use crate::error::LabError;
use engine::settings::{self, Layers, Loaded, Settings, SettingsError};
use eval::sweep::{Axis, Grid, GridError};
use std::collections::BTreeMap;
use types::Mode;

/// Sections and settings that ingestion reads.
const INDEX: [&str; 4] = ["ingest", "chunk", "embedding", "phase2"];

/// One combination.
#[derive(Clone, Debug)]
pub(super) struct Combination {
    /// The varied settings with their values as written.
    pub(super) values: Vec<(String, String)>,
    /// All settings.
    pub(super) settings: Settings,
    /// The same by key.
    pub(super) layers: Layers,
    /// Whether the grid contains it.
    pub(super) in_grid: bool,
}

impl Combination {
    pub(super) fn mode(&self) -> Mode {
        self.settings.retrieve.mode
    }

    /// Names the combination in files: its mode and the hash of its settings.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.mode(), self.settings.config_hash())
    }
}

/// All combinations.
#[derive(Clone, Debug)]
pub(super) struct Combinations {
    /// The settings that are varied.
    pub(super) axes: Vec<Axis>,
    /// Combinations of the whole grid.
    pub(super) grid_size: usize,
    /// The grid, and the start as the last one if the grid does not contain it.
    pub(super) all: Vec<Combination>,
    /// How many of them are in the grid: the first ones.
    pub(super) in_grid: usize,
    /// The place of the settings that the sweep started from.
    pub(super) start: usize,
    /// Whether the mode was given beside the settings.
    pub(super) mode_given: bool,
}

impl Combinations {
    /// Reads the values and checks all combinations.
    ///
    /// # Errors
    /// With everything that is wrong: values that cannot be read, settings that shape no answers or need a new index,
    /// values out of range, combinations of settings that exclude each other, too many combinations.
    pub(super) fn new(loaded: &Loaded, request: &SweepRequest) -> Result<Self, LabError> {
        let mut base = loaded.clone();
        if let Some(mode) = request.mode {
            base = base.with(&[format!("retrieve.mode={mode}")])?;
        }
        let mut problems = Vec::new();
        let mut axes = Vec::new();
        for text in &request.vary {
            match Axis::parse(text) {
                Ok(axis) => {
                    problems.extend(wrong_key(&base, &axis.key));
                    axes.push(axis);
                }
                Err(error) => problems.push(error.to_string()),
            }
        }
        if request.vary.is_empty() {
            problems.push("no setting is varied".to_owned());
        }
        if request.mode.is_some() && axes.iter().any(|axis| axis.key == "retrieve.mode") {
            problems.push("retrieve.mode is varied, so --mode cannot be given".to_owned());
        }
        check(problems)?;
        let seed = base.settings.eval.seed;
        let grid_size = axes.iter().map(|axis| axis.values.len()).fold(1_usize, usize::saturating_mul);
        let grid =
            Grid::new(axes, request.sample, request.limit_grid, seed).map_err(|error| refused(&error))?;
        let mut own = Self::of_grid(&base, grid, grid_size)?;
        own.mode_given = request.mode.is_some();
        Ok(own)
    }

    fn of_grid(base: &Loaded, grid: Grid, grid_size: usize) -> Result<Self, LabError> {
        let mut all: Vec<Combination> = Vec::new();
        // By what is wrong: how many combinations have it.
        let mut problems: BTreeMap<String, usize> = BTreeMap::new();
        let size = grid.combinations.len();
        for at in 0..size {
            match combination(base, &grid.settings(at)) {
                Ok(combination) => all.push(combination),
                Err(error) => *problems.entry(error.to_string()).or_default() += 1,
            }
        }
        let said = |(problem, count): (String, usize)| {
            if count == size { problem } else { format!("{problem} (in {count} of {size} combinations)") }
        };
        check(problems.into_iter().map(said).collect())?;
        let in_grid = all.len();
        let own: Vec<(&str, String)> = grid
            .axes
            .iter()
            .map(|axis| {
                // A named model inherits what it does not set.
                let value = written(base, &axis.key).unwrap_or_else(|| "inherited".to_owned());
                (axis.key.as_str(), value)
            })
            .collect();
        let own: Vec<(&str, &str)> = own.iter().map(|(key, value)| (*key, value.as_str())).collect();
        let start = Combination {
            values: own.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
            settings: base.settings.clone(),
            layers: base.layers.clone(),
            in_grid: false,
        };
        let place = all.iter().position(|combination| combination.settings == start.settings);
        if place.is_none() {
            all.push(start);
        }
        // Values that differ only in how they are written, such as 1 and 1.0, are the same settings.
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for (at, combination) in all.iter().enumerate() {
            if let Some(first) = names.insert(combination.name(), at) {
                let (one, other) = (listed(&all[first].values), listed(&combination.values));
                check(vec![format!("{one} and {other} are the same settings")])?;
            }
        }
        Ok(Self {
            axes: grid.axes,
            grid_size,
            mode_given: false,
            start: place.unwrap_or(in_grid),
            in_grid,
            all,
        })
    }
}

/// The settings of a combination.
fn combination(base: &Loaded, values: &[(&str, &str)]) -> Result<Combination, SettingsError> {
    let overrides: Vec<String> = values.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let loaded = base.with(&overrides)?;
    Ok(Combination {
        values: values.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        settings: loaded.settings,
        layers: loaded.layers,
        in_grid: true,
    })
}

/// The value that a setting has, as one writes it.
fn written(base: &Loaded, key: &str) -> Option<String> {
    let (value, _) = base.layers.get(key)?;
    Some(match value.as_str() {
        Some("") => "\"\"".to_owned(),
        Some(text) => text.to_owned(),
        None => value.to_string(),
    })
}

/// Why a setting cannot be varied; `None` if it can.
fn wrong_key(base: &Loaded, key: &str) -> Option<String> {
    if let Err(error @ SettingsError::Unknown { .. }) = base.with(&[format!("{key}=")]) {
        return Some(error.to_string());
    }
    let section = key.split('.').next().unwrap_or_default();
    if INDEX.contains(&section) || INDEX.contains(&key) {
        return Some(format!(
            "{key} is a setting of ingestion: each of its values needs an index of its own"
        ));
    }
    if ["eval", "evaluate"].contains(&section) {
        return Some(format!("{key} changes how answers are scored, not the answers"));
    }
    (!settings::shapes_results(key)).then(|| format!("{key} changes no answer"))
}

/// `a.b = 1, c.d = 2`.
pub(super) fn listed(values: &[(String, String)]) -> String {
    let each: Vec<String> = values.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    each.join(", ")
}

fn refused(error: &GridError) -> LabError {
    let hint = match error {
        GridError::Size { .. } => {
            "vary less, draw some of the combinations with --sample N, or raise the limit with --limit-grid N"
        }
        _ => HINT,
    };
    LabError::Sweep { problems: vec![error.to_string()], hint: hint.to_owned() }
}

const HINT: &str = "use --vary KEY=A:B:STEP or --vary KEY=V,V with settings of other sections than [ingest], [chunk] and [embedding]; `pipeline config show --all` lists them";

fn check(problems: Vec<String>) -> Result<(), LabError> {
    if problems.is_empty() {
        return Ok(());
    }
    Err(LabError::Sweep { problems, hint: HINT.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(vary: &[&str]) -> SweepRequest {
        SweepRequest {
            vary: vary.iter().map(|text| (*text).to_owned()).collect(),
            queries: "set.jsonl".into(),
            limit: None,
            mode: None,
            metric: "balanced_evidence".to_owned(),
            folds: 5,
            sample: None,
            limit_grid: super::super::LIMIT,
            output: None,
            csv: None,
            max_cost: None,
        }
    }

    fn combinations(vary: &[&str]) -> Result<Combinations, String> {
        let loaded = Loaded::defaults().expect("defaults");
        Combinations::new(&loaded, &request(vary)).map_err(|error| error.to_string())
    }

    #[test]
    fn one_weight_follows_the_other() {
        let done = combinations(&["retrieve.vector_weight=0.3:0.7:0.1"]).expect("a grid");
        let weights: Vec<(f32, f32)> = done
            .all
            .iter()
            .map(|one| (one.settings.retrieve.search.vector_weight, one.settings.retrieve.search.bm25_weight))
            .collect();
        assert_eq!(weights, [(0.3, 0.7), (0.4, 0.6), (0.5, 0.5), (0.6, 0.4), (0.7, 0.3)]);
        assert_eq!((done.start, done.in_grid), (3, 5), "the default is in the grid");
    }

    #[test]
    fn the_start_is_added_if_the_grid_lacks_it() {
        let done = combinations(&["rerank.keep=2,3"]).expect("a grid");
        assert_eq!((done.start, done.in_grid, done.all.len()), (2, 2, 3));
        assert_eq!(done.all[2].values, [("rerank.keep".to_owned(), "6".to_owned())]);
        assert!(!done.all[2].in_grid && done.all[1].in_grid);
        let modes = combinations(&["retrieve.mode=bm25,hybrid,vector"]).expect("a grid");
        assert_eq!((modes.start, modes.all[0].mode()), (1, Mode::Bm25));
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once() {
        let error = combinations(&[
            "chunk.max_tokens=256,512",
            "embedding.model=a,b",
            "eval.support_threshold=0.4,0.5",
            "log.file=a,b",
            "llm.timeout_seconds=5,6",
            "phase2.rules=true,false",
            "rerank.kep=1,2",
            "rerank.keep",
            "retrieve.bm25_k=1:5:0",
        ])
        .expect_err("all wrong");
        for part in [
            "chunk.max_tokens is a setting of ingestion",
            "embedding.model is a setting of ingestion",
            "eval.support_threshold changes how answers are scored",
            "log.file changes no answer",
            "llm.timeout_seconds changes no answer",
            "phase2.rules is a setting of ingestion",
            "did you mean \"rerank.keep\"?",
            "KEY=VALUES",
            "STEP must be more than 0",
        ] {
            assert!(error.contains(part), "{part}: {error}");
        }
        let ranges =
            combinations(&["rerank.keep=0,4", "guardrail.refuse_below=0.5,1.5"]).expect_err("ranges");
        assert!(
            ranges.contains("rerank.keep must be") && ranges.contains("guardrail.refuse_below must be"),
            "{ranges}"
        );
        assert!(
            ranges.contains("(in 1 of 4 combinations)") && ranges.contains("(in 2 of 4 combinations)"),
            "{ranges}"
        );
        let word = combinations(&["rerank.method=sentence,magic"]).expect_err("a word");
        assert!(word.contains("one of \"sentence\""), "{word}");
        let number = combinations(&["rerank.keep=4,many"]).expect_err("no number");
        assert!(number.contains("many"), "{number}");
        let same = combinations(&["guardrail.refuse_below=0.5,0.50"]).expect_err("the same");
        assert!(same.contains("are the same settings"), "{same}");
        let large = combinations(&["retrieve.candidates=1:20:1", "rerank.keep=1:6:1"]).expect_err("large");
        assert!(large.contains("120 combinations, more than 100") && large.contains("--sample"), "{large}");
    }
}
