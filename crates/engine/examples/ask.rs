//! Asks the papers of a folder from Rust: `cargo run --release -p engine --example ask -- FOLDER "QUESTION"`.

use engine::{Pipeline, indexer::IngestRequest, settings::Settings};
use std::process::ExitCode;
use types::{Filter, Mode, Silent};

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    // PDFs are read in worker processes, which are this program started again.
    let [folder, question] = match args.as_slice() {
        [worker] if worker == engine::WORKER_ARGUMENT => return Ok(engine::worker_main()),
        [folder, question] => [folder, question],
        _ => return Err("name a folder of papers and a question".into()),
    };
    let settings = Settings::default();
    // Reads only what is new or changed.
    let request = IngestRequest { paths: vec![folder.into()], ..IngestRequest::default() };
    Pipeline::ingest(&settings, &request, &Silent)?;
    let asking = async {
        let pipeline = Pipeline::open(&settings).await?;
        pipeline.ask(question, Mode::Hybrid, &Filter::default()).await
    };
    let answer = tokio::runtime::Runtime::new()?.block_on(asking)?;
    println!("{}\nConfidence: {}", answer.response().answer, answer.response().confidence);
    for citation in &answer.response().citations {
        println!("{}: \"{}\"", citation.source_id, citation.relevant_quote);
    }
    Ok(ExitCode::SUCCESS)
}
