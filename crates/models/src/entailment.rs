//! Entailment models: they say whether a passage entails a claim, contradicts it, or does neither.

use crate::{
    ModelSpec, ModelsError, Runtime, encoder::Source, files::ModelFiles, sessions::Sessions, spec::read_json,
    tokens::Tokens, windows,
};
use serde::Deserialize;
use std::{collections::BTreeMap, path::Path};
use types::{ModelError, Span, Support, SupportError, SupportScorer};

/// The order of a model's outputs: the positions of "entailment" and "contradiction", and the number of outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntailmentLabels {
    entailment: usize,
    /// `None` for a model with two outputs, supported or not.
    contradiction: Option<usize>,
    count: usize,
}

impl EntailmentLabels {
    /// The places as text: verdicts with another order are other verdicts.
    fn id(&self) -> String {
        let contradiction = self
            .contradiction
            .map_or_else(|| "x".to_owned(), |at| at.to_string());
        format!("{}{contradiction}", self.entailment)
    }

    /// Reads the order from `id2label` in config.json, as transformers writes it; without one, it is the order of most
    /// models: contradiction, entailment, neutral.
    ///
    /// # Errors
    /// When the file cannot be read, or its labels are not those of an entailment model.
    pub fn of_folder(folder: &Path) -> Result<Self, ModelsError> {
        #[derive(Deserialize)]
        struct Config {
            #[serde(default)]
            id2label: BTreeMap<u32, String>,
        }
        let path = folder.join("config.json");
        let config: Option<Config> = read_json(&path)?;
        let mut labels: Vec<String> =
            config.map_or_else(Vec::new, |config| config.id2label.into_values().collect());
        if labels.is_empty() {
            labels = ["contradiction", "entailment", "neutral"]
                .map(str::to_owned)
                .to_vec();
        }
        let order = Self::new(&labels);
        let labels = labels.join(", ");
        order.ok_or(ModelsError::Labels { path, labels })
    }

    /// Reads the order from the names of the outputs, such as `["contradiction", "entailment", "neutral"]`. Returns
    /// `None` if "entailment" is missing, or if a name is unknown or occurs twice.
    pub fn new<S: AsRef<str>>(names: &[S]) -> Option<Self> {
        let names: Vec<String> = names
            .iter()
            .map(|name| name.as_ref().trim().to_lowercase())
            .collect();
        let known = |name: &String| {
            matches!(
                name.as_str(),
                "entailment" | "neutral" | "contradiction" | "not_entailment"
            )
        };
        let once = |name: &String| names.iter().filter(|other| *other == name).count() == 1;
        let place = |wanted: &str| names.iter().position(|name| name == wanted);
        if names.len() < 2 || !names.iter().all(|name| known(name) && once(name)) {
            return None;
        }
        Some(Self {
            entailment: place("entailment")?,
            contradiction: place("contradiction"),
            count: names.len(),
        })
    }
}

/// A cross-encoder for natural-language inference, loaded with ONNX Runtime; see [`SupportScorer`]. Its output has one
/// number for each label: the passage is the premise, the claim the hypothesis.
///
/// If passage and claim together are too long for the model, the passage is cut into windows at the ends of sentences. The
/// highest entailment and the highest contradiction of all windows count, as in SummaC (Laban et al. 2022) for sentences.
pub struct OnnxEntailment {
    id: String,
    spec: ModelSpec,
    labels: EntailmentLabels,
    tokens: Tokens,
    sessions: Sessions,
}

impl std::fmt::Debug for OnnxEntailment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OnnxEntailment")
            .field("id", &self.id)
            .field("labels", &self.labels)
            .finish_non_exhaustive()
    }
}

impl OnnxEntailment {
    /// Loads the model and judges one pair to check it. `threads` (at least 1) is how many cores it may use. The pooling
    /// and prefixes in `spec` are ignored.
    ///
    /// # Errors
    /// Returns an error if a file is missing or unusable, or if the model does not give one number for each label.
    pub fn load(
        spec: &ModelSpec,
        labels: EntailmentLabels,
        runtime: &Runtime,
        threads: usize,
    ) -> Result<Self, ModelsError> {
        let files = ModelFiles::read(spec)?;
        let id = format!("nli-{}-{}", files.id(spec), labels.id());
        let ModelFiles {
            onnx,
            weights,
            tokens,
        } = files;
        let size = onnx.len() + weights.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        let source = Source {
            path: spec.onnx.clone(),
            bytes: weights.is_empty().then_some(onnx),
            output: spec.output.clone(),
        };
        let model = Self {
            id,
            spec: spec.clone(),
            labels,
            tokens,
            sessions: Sessions::load(source, size, runtime, threads)?,
        };
        model.judge("a", "a")?;
        Ok(model)
    }

    /// Returns the probabilities of entailment and of contradiction.
    fn judge(&self, claim: &str, passage: &str) -> Result<(f32, f32), ModelsError> {
        let windows = self.windows(claim, passage)?;
        let judged = self.sessions.run(&windows, |encoder, window| {
            let tokens = self.tokens.encode_pair(&passage[window.range()], claim)?;
            let states = encoder.run(&tokens)?;
            let logits = states.rows().next().unwrap_or_default().to_vec();
            self.probabilities(&logits)
        })?;
        let mut out = (0.0f32, 0.0f32);
        for (entailment, contradiction) in judged {
            out = (out.0.max(entailment), out.1.max(contradiction));
        }
        Ok(out)
    }

    /// Returns pieces of the passage that fit into the model together with the claim; the whole passage if it fits.
    fn windows(&self, claim: &str, passage: &str) -> Result<Vec<Span>, ModelsError> {
        let max = self.spec.max_tokens;
        let whole = vec![Span::new(0, passage.len())];
        if self.tokens.count_pair(passage, claim)? <= max {
            return Ok(whole);
        }
        let sentences: Vec<Span> = text::sentences(passage).into_iter().map(Span::from).collect();
        let measure = |w: &str| self.tokens.count_pair(w, claim);
        let windows = windows::cut(&self.tokens, passage, &sentences, max, measure)?;
        Ok(if windows.is_empty() { whole } else { windows })
    }

    /// Applies softmax to the outputs, and returns the probabilities of entailment and of contradiction.
    fn probabilities(&self, logits: &[f32]) -> Result<(f32, f32), ModelsError> {
        let wrong = |reason: String| ModelsError::Output { reason };
        if logits.len() != self.labels.count {
            return Err(wrong(format!(
                "{} numbers for {} labels",
                logits.len(),
                self.labels.count
            )));
        }
        if let Some(broken) = logits.iter().find(|x| !x.is_finite()) {
            return Err(wrong(format!("a number of {broken} for a label")));
        }
        let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = logits.iter().map(|x| (x - most).exp()).sum();
        let of = |place: usize| logits.get(place).map_or(0.0, |x| (x - most).exp() / sum);
        Ok((
            of(self.labels.entailment),
            self.labels.contradiction.map_or(0.0, of),
        ))
    }
}

impl SupportScorer for OnnxEntailment {
    fn id(&self) -> &str {
        &self.id
    }

    fn support(&self, claim: &str, passage: &str) -> Result<Support, SupportError> {
        let (score, contradiction) = self.judge(claim, passage).map_err(|error| ModelError {
            model: self.spec.name.clone(),
            reason: error.to_string(),
        })?;
        let reasons = match () {
            () if score >= 0.5 => Vec::new(),
            () if contradiction >= 0.5 => vec!["the passage contradicts it".to_owned()],
            () => vec!["the passage does not entail it".to_owned()],
        };
        Ok(Support {
            score,
            contradiction,
            hedge_dropped: false,
            reasons,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_found_in_any_order() {
        let check = |names: &[&str], want: Option<(usize, Option<usize>)>| {
            let got = EntailmentLabels::new(names).map(|labels| (labels.entailment, labels.contradiction));
            assert_eq!(got, want, "{names:?}");
        };
        check(&["contradiction", "entailment", "neutral"], Some((1, Some(0))));
        check(&["ENTAILMENT", "neutral", "Contradiction"], Some((0, Some(2))));
        check(&["not_entailment", "entailment"], Some((1, None)));
        check(&["entailment"], None);
        check(&["neutral", "contradiction"], None);
        check(&["entailment", "entailment", "neutral"], None);
        check(&["entailment", "LABEL_1"], None);
    }
}
