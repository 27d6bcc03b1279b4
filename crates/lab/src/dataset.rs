//! A function that answers questions, measured on a dataset: what `pipeline score` does with a file of answers.

use crate::{
    error::LabError,
    evaluate_run::{Evaluate, EvaluateRequest, Format, Scorer},
};
use serde_json::json;
use std::{future::Future, path::PathBuf};
use types::{Reporter, written::write_output};

/// Questions with their right answers.
#[derive(Clone, Debug)]
pub struct EvaluationDataset {
    name: String,
    examples: Vec<(String, Option<String>)>,
}

impl EvaluationDataset {
    /// An empty dataset.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), examples: Vec::new() }
    }

    /// Adds a question. Without a right answer, its correctness is not scored.
    pub fn add_example(&mut self, question: impl Into<String>, reference_answer: Option<&str>) {
        let reference = reference_answer.map(str::to_owned);
        self.examples.push((question.into(), reference));
    }
}

/// Asks a function every question of a dataset and scores its answers.
#[derive(Clone)]
pub struct EvaluationRunner {
    scorer: Scorer,
    folder: PathBuf,
}

impl EvaluationRunner {
    /// A runner whose judge is that of `scorer`. Each experiment leaves two files in `folder`: `NAME.answers.jsonl`, the answers as
    /// `pipeline score` reads them, and `NAME.json`, the scores, with which a later run can be compared (`--against`).
    pub fn new(scorer: Scorer, folder: impl Into<PathBuf>) -> Self {
        Self { scorer, folder: folder.into() }
    }

    /// Asks `system` the questions one after the other. It returns its answer and the passages that the answer was written from.
    ///
    /// # Errors
    /// When the dataset is empty, `system` fails, a file cannot be written, or nothing can be scored.
    pub async fn run<F, A, E>(
        &self,
        system: F,
        dataset: &EvaluationDataset,
        experiment: &str,
        reporter: &dyn Reporter,
    ) -> Result<Evaluate, LabError>
    where
        F: Fn(String) -> A,
        A: Future<Output = Result<(String, Vec<String>), E>>,
        E: std::fmt::Display,
    {
        let mut rows = String::new();
        for (question, reference) in &dataset.examples {
            let said = system(question.clone()).await;
            let (response, passages) =
                said.map_err(|why| LabError::Message(format!("no answer to {question:?}: {why}")))?;
            let row = json!({
                "query": question, "response": response, "retrieved_docs": passages, "reference_answer": reference,
            });
            rows.push_str(&row.to_string());
            rows.push('\n');
        }
        if rows.is_empty() {
            let why = format!("the dataset {:?} has no example: add one with add_example", dataset.name);
            return Err(LabError::Message(why));
        }
        let answers = self.folder.join(format!("{experiment}.answers.jsonl"));
        write_output(&answers, &[rows.as_bytes()]).map_err(LabError::io("write", &answers))?;
        let request = EvaluateRequest {
            input: Some(answers),
            format: Some(Format::LitPath),
            output: Some(self.folder.join(format!("{experiment}.json"))),
            ..EvaluateRequest::default()
        };
        self.scorer.evaluate(&request, reporter).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{ComputePool, chat_models::ChatModels, settings::Settings};
    use eval::Score;
    use types::Silent;

    #[tokio::test]
    async fn a_function_is_measured_on_a_dataset() {
        let settings = Settings::default();
        let models = ChatModels::new(&settings).expect("no model is needed");
        let scorer =
            Scorer::new(&settings, &models, ComputePool::default(), &Silent).expect("the offline judge");
        let folder = tempfile::tempdir().expect("a folder");
        let runner = EvaluationRunner::new(scorer, folder.path());
        let mut dataset = EvaluationDataset::new("Badgers");
        let passage = "The badgers slept for nine hours under the bridge.";
        let system = async |question: String| {
            if question.contains("fail") {
                return Err("no service");
            }
            Ok((passage.to_owned(), vec![passage.to_owned()]))
        };
        let empty = runner.run(system, &dataset, "none", &Silent).await;
        assert!(empty.expect_err("no example").to_string().contains("\"Badgers\" has no example"));
        dataset.add_example("How long did the badgers sleep?", Some("Nine hours."));
        dataset.add_example("How tall are giraffes?", None);
        let scores = runner.run(system, &dataset, "v1", &Silent).await.expect("scores");
        assert_eq!(scores.metadata.total_tests, 2);
        assert_eq!(scores.metrics.groundedness_pass_rate, Some(1.0));
        assert_eq!(scores.metrics.relevance_pass_rate, Some(0.5));
        // An older version wrote its metrics under other names.
        let text = std::fs::read_to_string(folder.path().join("v1.json")).expect("the document");
        let older = text.replace("\"matched\"", "\"correct\"");
        assert_ne!(older, text);
        let read: Evaluate = serde_json::from_str(&older).expect("an older document");
        let (_, row) = read.results.iter().next().expect("a row");
        assert!(row.metrics.get("matched").is_some() && row.metrics.get("correct").is_none());
        let second = scores.results.iter().nth(1).map(|(_, row)| row.metrics.get("correctness").cloned());
        assert!(matches!(second, Some(Some(Score::NotApplicable(_)))), "{second:?}");
        dataset.add_example("Does it fail?", None);
        let failed = runner.run(system, &dataset, "v2", &Silent).await;
        assert!(
            failed.expect_err("it fails").to_string().contains("no answer to \"Does it fail?\": no service")
        );
    }
}
