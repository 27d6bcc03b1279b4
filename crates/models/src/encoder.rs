//! One ONNX Runtime session: token ids in; out one vector for each token, or one for the text.

use crate::{ModelsError, Runtime, files};
use ort::{
    session::{Session, SessionInputValue, builder::GraphOptimizationLevel},
    value::{TensorRef, ValueType},
};
use std::{borrow::Cow, path::PathBuf};
use tokenizers::Encoding;

/// Outputs that may hold the vectors, in order of preference; a model with one output needs no name.
const OUTPUTS: [&str; 4] = ["text_embeds", "last_hidden_state", "sentence_embedding", "logits"];

/// Takes signed 8-bit weights as unsigned ones, at half the speed. Needed where the sum of two 8-bit products overflows 16
/// bits, on x86-64 before VNNI: with it, integer products are exact everywhere, and vectors the same.
const EXACT_PRODUCTS: (&str, &str) = ("session.x64quantprecision", "1");

/// Whether this processor multiplies 8-bit integers without overflow.
fn has_exact_products() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("avx512vnni") || std::arch::is_x86_feature_detected!("avxvnni")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        true
    }
}

/// Where a model comes from, and which of its outputs is wanted.
pub(crate) struct Source {
    /// The ONNX file.
    pub(crate) path: PathBuf,
    /// Its bytes; `None` where ONNX Runtime reads the file itself, and others with its weights.
    pub(crate) bytes: Option<Vec<u8>>,
    /// The output that holds the vectors; `None` for the first of [`OUTPUTS`] that there is.
    pub(crate) output: Option<String>,
}

/// A loaded model that takes one text at a time.
pub(crate) struct Encoder {
    session: Session,
    output: String,
}

/// The output for one text.
pub(crate) struct States {
    /// Row by row.
    values: Vec<f32>,
    dimension: usize,
}

impl States {
    /// One vector for each token; a single one where the model pools by itself.
    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(self.dimension)
    }
}

impl Encoder {
    /// Loads a model. `threads` is what one text may use.
    pub(crate) fn load(source: &Source, runtime: &Runtime, threads: usize) -> Result<Self, ModelsError> {
        let broken = |reason: String| ModelsError::Model { path: source.path.clone(), reason };
        let mut builder = Session::builder(&runtime.environment())
            .map_err(|e| broken(e.to_string()))?
            .with_execution_providers(files::execution_providers())
            .map_err(|e| broken(e.to_string()))?
            .with_optimization_level(GraphOptimizationLevel::Level3)
            .map_err(|e| broken(e.to_string()))?
            .with_intra_threads(threads.max(1))
            .map_err(|e| broken(e.to_string()))?;
        let exact = (!has_exact_products()).then_some(EXACT_PRODUCTS);
        for (key, value) in std::iter::once(files::NO_SPINNING).chain(exact) {
            builder = builder.with_config_entry(key, value).map_err(|e| broken(e.to_string()))?;
        }
        let session = match &source.bytes {
            Some(bytes) => builder.commit_from_memory(bytes),
            None => builder.commit_from_file(&source.path),
        };
        let session = session.map_err(|e| broken(e.to_string()))?;
        let is_tensor = |kind: &ValueType| matches!(kind, ValueType::Tensor { .. });
        let outputs = session.outputs();
        let named = |name: &str| outputs.iter().find(|o| o.name() == name);
        let wanted = source.output.as_deref();
        let output = match (wanted, outputs) {
            (Some(name), _) => named(name),
            (None, [only]) => Some(only),
            (None, _) => OUTPUTS.iter().find_map(|name| named(name)),
        };
        let output =
            output.filter(|o| is_tensor(o.dtype())).map(|o| o.name().to_owned()).ok_or_else(|| {
                let names: Vec<&str> = outputs.iter().map(ort::value::Outlet::name).collect();
                broken(format!(
                    "none of its outputs ({}) is {}",
                    names.join(", "),
                    wanted.map_or_else(|| OUTPUTS.join(" or "), str::to_owned)
                ))
            })?;
        Ok(Self { session, output })
    }

    /// Runs one text through the model.
    pub(crate) fn run(&mut self, text: &Encoding) -> Result<States, ModelsError> {
        let wide = |numbers: &[u32]| numbers.iter().map(|&n| i64::from(n)).collect::<Vec<i64>>();
        let (mask, kinds) = (wide(text.get_attention_mask()), wide(text.get_type_ids()));
        self.run_tokens(&wide(text.get_ids()), &mask, &kinds)
    }

    /// Runs these tokens through the model: the first `first` of them belong to the first of two texts.
    pub(crate) fn run_ids(&mut self, ids: &[u32], first: usize) -> Result<States, ModelsError> {
        let wide: Vec<i64> = ids.iter().map(|&id| i64::from(id)).collect();
        let kinds: Vec<i64> = (0..ids.len()).map(|at| i64::from(at >= first)).collect();
        self.run_tokens(&wide, &vec![1; ids.len()], &kinds)
    }

    fn run_tokens(&mut self, ids: &[i64], mask: &[i64], kinds: &[i64]) -> Result<States, ModelsError> {
        let failed = |reason: String| ModelsError::Inference { reason };
        let shape = [1, ids.len()];
        let mut inputs: Vec<(Cow<'_, str>, SessionInputValue<'_>)> = Vec::with_capacity(3);
        for input in self.session.inputs() {
            let values = match input.name() {
                "input_ids" => ids,
                "attention_mask" => mask,
                "token_type_ids" => kinds,
                other => {
                    return Err(failed(format!("the model has an unknown input {other}")));
                }
            };
            let tensor = TensorRef::from_array_view((shape, values));
            let tensor = tensor.map_err(|e| failed(e.to_string()))?;
            inputs.push((Cow::Owned(input.name().to_owned()), tensor.into()));
        }
        let outputs = self.session.run(inputs).map_err(|e| failed(e.to_string()))?;
        let output = outputs.get(&self.output);
        let output = output.ok_or_else(|| failed(format!("no output {}", self.output)))?;
        let (shape, values) = output.try_extract_tensor::<f32>().map_err(|e| failed(e.to_string()))?;
        let rows = match &shape[..] {
            [1, _] => 1,
            [1, tokens, _] if usize::try_from(*tokens) == Ok(ids.len()) => ids.len(),
            other => {
                return Err(ModelsError::Output {
                    reason: format!("shape {other:?} for a text of {} tokens", ids.len()),
                });
            }
        };
        let dimension = values.len() / rows.max(1);
        if dimension == 0 {
            return Err(ModelsError::Output { reason: "the vector of a text is empty".to_owned() });
        }
        Ok(States { values: values.to_vec(), dimension })
    }
}
