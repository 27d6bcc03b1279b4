//! The documents of `contract` about runs.

use crate::{benchmark::as_contract, error::LabError};
use ::eval::{
    Row, metrics,
    report::failures,
    runlog::RunHeader,
    stored::{Compared, Listed, Side, StoredRun},
};
use contract::{
    ModesCompared, RunDifference, RunGold, RunInfo, RunListed, RunMeasured, RunMode, RunRow, RunSide,
};

/// A run of a list.
pub(super) fn listed(run: &Listed) -> Result<RunListed, LabError> {
    let modes = run.modes.iter().map(|(mode, metrics)| {
        Ok(RunMode {
            mode: mode.to_owned(),
            metrics: as_contract(metrics)?,
        })
    });
    Ok(RunListed {
        run: RunInfo {
            damaged: run.damaged,
            ..info(
                &run.run_id,
                &run.started,
                run.header.as_ref(),
                (run.rows, run.errors),
            )
        },
        modes: modes.collect::<Result<_, LabError>>()?,
    })
}

/// What is known of a stored run.
pub(super) fn info_of(run: &StoredRun<'_>) -> RunInfo {
    let rows = &run.evaluation.rows;
    let errors = rows.iter().filter(|row| row.error.is_some()).count();
    let damaged = run.evaluation.unread.len();
    let counts = (rows.len() + damaged, errors);
    let info = info(run.id(), run.started(), run.header.as_ref(), counts);
    // A log without headers names the settings in its records.
    let from = &run.evaluation.provenance;
    RunInfo {
        damaged,
        query_set: info.query_set.or_else(|| known(&from.query_set)),
        config_hash: info.config_hash.or_else(|| known(&from.config_hash)),
        judge: info.judge.or_else(|| from.models.get("judge").cloned()),
        ..info
    }
}

fn info(run_id: &str, started: &str, header: Option<&RunHeader>, (rows, errors): (usize, usize)) -> RunInfo {
    let from = header.map(|header| &header.provenance);
    RunInfo {
        run_id: run_id.to_owned(),
        name: header.and_then(|header| header.name.clone()),
        started: known(started),
        query_set: from.and_then(|from| known(&from.query_set)),
        rows,
        errors,
        damaged: 0,
        config_hash: from.and_then(|from| known(&from.config_hash)),
        judge: from.and_then(|from| from.models.get("judge").cloned()),
        judged_from: header.and_then(|header| header.judged_from.clone()),
    }
}

fn known(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// A row in short.
pub(super) fn row(row: &Row) -> RunRow {
    let outcome = row.outcome.and_then(|outcome| as_contract(&outcome).ok());
    RunRow {
        query_id: row.query_id.clone(),
        mode: row.mode.clone(),
        kind: row.kind.clone(),
        query: row.query.clone(),
        expected_no_evidence: row.expected_no_evidence,
        outcome,
        confidence: row.confidence.clone(),
        failures: failures(row),
        gold: golds(row),
        latency_ms: row.timings_ms.get("total").copied(),
    }
}

/// The gold quotes of a row, as far as it has them.
pub(super) fn golds(row: &Row) -> Vec<RunGold> {
    let refused = row.no_evidence == Some(true);
    let paths = row.gold_paths();
    let each = paths.iter().enumerate().map(|(at, path)| {
        let rank = row.gold_rank(at);
        RunGold {
            source_id: path.source_id.to_string(),
            quote: path.quote.clone(),
            rank: rank.flatten(),
            in_answer: path.in_answer,
            lost_at: path.lost_at(rank, refused).map(|lost| lost.to_string()),
        }
    });
    each.collect()
}

/// A comparison.
pub(super) fn comparison(compared: &Compared) -> Result<ModesCompared, LabError> {
    let side = |side: &Side| RunSide {
        run_id: side.run_id.clone(),
        name: side.name.clone(),
        mode: side.mode.clone(),
        query_set: side.query_set.clone(),
        config_hash: side.config_hash.clone(),
    };
    let differing = compared.differing.iter().map(|one| RunDifference {
        key: one.key.clone(),
        first: one.first.clone(),
        second: one.second.clone(),
    });
    let measured = compared.metrics.iter().map(|(key, one)| {
        Ok(RunMeasured {
            metric: key.to_owned(),
            title: metrics::find(key)
                .map_or(key, |column| column.spec().title)
                .to_owned(),
            first: one.first,
            second: one.second,
            difference: as_contract(&one.difference)?,
            p_holm: one.difference.p_holm,
            separates: one.difference.separates(),
            won: one.won.clone(),
            lost: one.lost.clone(),
        })
    });
    Ok(ModesCompared {
        first: side(&compared.first),
        second: side(&compared.second),
        differing: differing.collect(),
        pairs: compared.pairs,
        only_first: compared.only_first.clone(),
        only_second: compared.only_second.clone(),
        asked_otherwise: compared.asked_otherwise.clone(),
        metrics: measured.collect::<Result<_, LabError>>()?,
    })
}
