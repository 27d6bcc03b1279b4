//! `pipeline demo`: sample papers and questions, to see what answers look like before there are papers of one's own.

use super::{App, ask, ingest};
use crate::{
    args::{self, Command, Demo},
    printer::Outcome,
};
use anyhow::{Context as _, Result, bail};
use engine::natives;
use std::{fs, io, path::Path};
use types::{files::write_atomic, path_text::shown};

macro_rules! papers {
    ($($name:literal,)*) => {
        [$((concat!($name, ".pdf"), include_bytes!(concat!("../../../../corpus/", $name, ".pdf")).as_slice()),)*]
    };
}

/// The sample papers, all of them fictional.
const PAPERS: [(&str, &[u8]); 18] = papers![
    "crostellan_2021_fibre_crossover",
    "dravomere_2023_restriction_strains",
    "eldrimaz_2025_mimetics_review",
    "fennibrae_2023_metformin_training",
    "ibberwyck_2020_protein_frail",
    "jornqvale_2024_stepwindow_protocol",
    "kelmoraine_2022_early_window",
    "mirrowen_2020_clock_review",
    "nuvrakesh_2024_vitamin_d_null",
    "oszendal_2024_resistance_meta",
    "quessmere_2023_mvpa_mortality",
    "tandrik_2021_vo2_walkers",
    "thrennick_2022_interval_women",
    "ulvestri_2023_diet_methylation",
    "vorlanth_2022_pgc1a_mitophagy",
    "waxenhoult_2023_cadence_short",
    "yarrowick_2021_islands_survival",
    "zaffrenn_2024_window_isocaloric",
];
const MANIFEST: &[u8] = include_bytes!("../../../../corpus/manifest.csv");
const QUERIES: &[u8] = include_bytes!("../../../../queries/extended.jsonl");

/// Numbers of a table, a reason, and what no paper says.
const QUESTIONS: [&str; 3] = [
    "How did coupled respiration of muscle fibres change with metformin and with placebo?",
    "Why did three participants leave the metformin study early?",
    "How did tai chi affect falls in SUNDOWN?",
];

/// Writes, ingests and asks the samples, and says how to go on with other papers.
pub(super) async fn run(app: &App, args: &Demo) -> Result<Outcome> {
    if !app.printer.is_text() {
        bail!("demo prints text only\nhint: `pipeline ask --format json` has answers as JSON");
    }
    write(&args.folder)?;
    let app = &app.within(&args.folder)?;
    let python = natives::interpreter();
    natives::setup(&app.settings, None, &python, &app.reporter).await?;
    let papers = args.folder.join("papers");
    let papers = papers.to_str().context("the folder's name must be UTF-8")?;
    let Command::Ingest(ingest) = parsed(&["ingest", "--", papers])? else { unreachable!("it is `ingest`") };
    ingest::run(app, &ingest)?;
    for question in QUESTIONS {
        app.printer.raw(&format!("\n$ pipeline ask \"{question}\"\n\n"))?;
        let Command::Ask(ask) = parsed(&["ask", question])? else { unreachable!("it is `ask`") };
        // A refusal is one of the answers to be shown.
        ask::run(app, &ask).await?;
    }
    app.printer.raw(&next(&args.folder, &app.settings.index.dir))?;
    Ok(Outcome::Done)
}

/// What these arguments ask for.
fn parsed(arguments: &[&str]) -> Result<Command> {
    let matches = args::command().try_get_matches_from(["pipeline"].iter().chain(arguments))?;
    Ok(args::Cli::of(&matches)?.command)
}

/// Writes the samples; files that are there already stay.
fn write(folder: &Path) -> Result<()> {
    let papers = folder.join("papers");
    fs::create_dir_all(&papers).with_context(|| format!("cannot create {}", shown(&papers)))?;
    let samples = PAPERS.into_iter().chain([("manifest.csv", MANIFEST)]);
    let samples = samples.map(|(name, bytes)| (papers.join(name), bytes));
    for (path, bytes) in samples.chain([(folder.join("queries.jsonl"), QUERIES)]) {
        match fs::read(&path) {
            Ok(found) if found == bytes => {}
            Ok(_) => bail!("{} is not the sample; name another folder: pipeline demo FOLDER", shown(&path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                write_atomic(&path, &[bytes]).with_context(|| format!("cannot write {}", shown(&path)))?;
            }
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", shown(&path))),
        }
    }
    Ok(())
}

fn next(folder: &Path, index: &Path) -> String {
    let (queries, index) = (shown(&folder.join("queries.jsonl")), shown(index));
    format!(
        "\nThese papers are fictional. To look at them in the browser, and to measure the answers:
  pipeline serve --open --index {index}
  pipeline eval --index {index} --queries {queries}
Your own papers:
  pipeline ingest FOLDER
  pipeline ask \"YOUR QUESTION\"\n"
    )
}

impl App {
    /// With index and logs in this folder, as far as nothing else is set.
    fn within(&self, folder: &Path) -> Result<Self> {
        let places =
            [("index.dir", "index"), ("log.file", "logs/run_log.jsonl"), ("log.reports", "logs/reports")];
        let is_free = |key: &str| self.loaded.layers.get(key).is_none_or(|(_, origin)| origin.is_default());
        let free = places.into_iter().filter(|(key, _)| is_free(key));
        let set: Vec<String> =
            free.map(|(key, place)| format!("{key}={}", super::text(&folder.join(place)))).collect();
        let loaded = self.loaded.with(&set)?;
        Ok(Self {
            settings: loaded.settings.clone(),
            loaded,
            printer: self.printer,
            reporter: self.reporter.clone(),
            verbose: self.verbose,
            index: self.index.clone(),
            overrides: self.overrides.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_samples_are_those_of_the_corpus_and_nothing_is_overwritten() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
        let names = fs::read_dir(corpus).expect("there").map(|entry| entry.expect("read").file_name());
        let names = names.filter(|name| Path::new(name).extension().is_some_and(|end| end == "pdf"));
        assert_eq!(names.count(), PAPERS.len());
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path()).expect("written");
        write(folder.path()).expect("they are the same");
        fs::write(folder.path().join("queries.jsonl"), "mine").expect("written");
        let error = write(folder.path()).expect_err("it is not the sample").to_string();
        assert!(error.contains("queries.jsonl is not the sample"), "{error}");
    }
}
