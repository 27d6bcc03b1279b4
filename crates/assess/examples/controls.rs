//! Prints how much each control moves each metric, for the rows of a run log:
//!
//! ```sh
//! cargo run --release -p assess --example controls -- logs/run_log.jsonl queries/extended.jsonl
//! ```
//!
//! Reads the records of the log whose questions are in the query set; the last one of each question in the last run counts.

use assess::{Limits, controls, metrics::Tools, summary};
use eval::{Query, QuerySet, runlog::LogIndex};
use rows::{AnswerRow, Cited, Expected, GoldQuote, Passage};
use std::{collections::BTreeMap, error::Error, path::Path};
use types::RunRecord;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(log), Some(queries)) = (arguments.next(), arguments.next()) else {
        return Err("usage: controls RUN_LOG QUERY_SET".into());
    };
    let set = QuerySet::parse(&queries, &std::fs::read_to_string(Path::new(&queries))?)?;
    let mut records: BTreeMap<String, RunRecord> = BTreeMap::new();
    let log = LogIndex::open(Path::new(&log))?;
    for run in &log.runs {
        for found in log.records(run)? {
            let record = found.map_err(|problem| problem.to_string())?.record;
            records.insert(record.query.clone(), record);
        }
    }
    let rows: Vec<AnswerRow> = set
        .queries
        .iter()
        .filter_map(|query| Some(row(query, records.get(&query.query)?)))
        .collect();
    let (limits, judge) = (Limits::default(), support::LexicalSupport::new());
    let tools = Tools {
        support: &judge,
        limits: &limits,
    };
    let scored: Vec<_> = rows
        .iter()
        .map(|row| assess::metrics::scored(row, &tools))
        .collect();
    let summary = summary::summarise(&scored, &limits);
    println!("{}", serde_json::to_string_pretty(&summary)?);
    println!("\n{} rows\n", rows.len());
    println!("{}", controls::table(&rows, &tools, summary::SEED).markdown());
    Ok(())
}

fn row(query: &Query, record: &RunRecord) -> AnswerRow {
    let passage = |chunk: &types::ContextRecord| Passage {
        text: support::passage(
            &support::source_line(chunk.title.as_deref(), &chunk.authors, chunk.year),
            &chunk.text,
        ),
        id: Some(chunk.chunk_id.to_string()),
        document: Some(chunk.source_id.to_string()),
        page: Some(chunk.page_start),
        ..Passage::default()
    };
    let cited = |citation: &types::Citation| Cited {
        document: Some(citation.source_id.to_string()),
        passage: Some(citation.chunk_id.to_string()),
        quote: Some(citation.relevant_quote.clone()),
        ..Cited::default()
    };
    let expected = |paper: &types::SourceId| Expected {
        document: paper.to_string(),
        pages: Vec::new(),
        grade: 1,
    };
    let gold = |gold: &eval::GoldEvidence| GoldQuote {
        document: Some(gold.source_id.to_string()),
        quote: gold.quote.clone(),
    };
    let refuses = query.expected_no_evidence;
    AnswerRow {
        id: query.id.clone(),
        question: Some(query.query.clone()),
        answer: Some(record.response.answer.clone()),
        passages: record
            .context
            .as_ref()
            .map(|chunks| chunks.iter().map(passage).collect()),
        expected: (!refuses).then(|| query.target_papers.iter().map(expected).collect()),
        gold_quotes: (!refuses).then(|| query.gold_evidence.iter().map(gold).collect()),
        reference: query.reference_answer.clone(),
        citations: Some(record.response.citations.iter().map(cited).collect()),
        refused: Some(record.response.no_evidence),
        expected_refusal: Some(refuses),
        tags: query.tags.clone(),
        ..AnswerRow::default()
    }
}
