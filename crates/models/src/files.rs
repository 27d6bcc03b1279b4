//! Reading a model's files and naming what was read.

use crate::{ModelSpec, ModelsError, tokens::Tokens};
use fastembed::ExecutionProviderDispatch;
use std::path::Path;
use types::{
    digest::sha256_of_parts,
    files::{DATA_BYTES, read_bounded},
};

/// The files of a model, in memory.
pub(crate) struct ModelFiles {
    /// The ONNX graph.
    pub(crate) onnx: Vec<u8>,
    /// Weights kept outside the graph: the name and the bytes of each file.
    pub(crate) weights: Vec<(String, Vec<u8>)>,
    /// The tokenizer.
    pub(crate) tokens: Tokens,
}

impl ModelFiles {
    /// Reads what `spec` names.
    pub(crate) fn read(spec: &ModelSpec) -> Result<Self, ModelsError> {
        let onnx = read(&spec.onnx, "the model")?;
        let weights = spec.weights.iter().map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok((name, read(path, "the model's weights")?))
        });
        let weights = weights.collect::<Result<_, ModelsError>>()?;
        let tokens = Tokens::from_bytes(read(&spec.tokenizer, "the model's tokenizer")?, &spec.tokenizer)?;
        Ok(Self { onnx, weights, tokens })
    }

    /// The id of these files under the settings of `spec`: whatever changes a vector or a window changes it.
    pub(crate) fn id(&self, spec: &ModelSpec) -> String {
        let (name, bytes) = self.weights.first().map_or(("", [].as_slice()), |(n, b)| (n, b));
        let max_tokens = (spec.max_tokens as u64).to_le_bytes();
        let mut parts: Vec<&[u8]> = vec![
            self.onnx.as_slice(),
            name.as_bytes(),
            bytes,
            self.tokens.source(),
            spec.pooling.as_str().as_bytes(),
            spec.query_prefix.as_bytes(),
            spec.passage_prefix.as_bytes(),
            max_tokens.as_slice(),
        ];
        for (name, bytes) in self.weights.iter().skip(1) {
            parts.extend([name.as_bytes(), bytes.as_slice()]);
        }
        if let Some(output) = &spec.output {
            parts.extend([b"output".as_slice(), output.as_bytes()]);
        }
        let mut digest = sha256_of_parts(&parts);
        digest.truncate(12);
        format!("{}-{digest}", spec.name)
    }
}

/// How every session runs: on the CPU, memory given back after each batch. The arena would keep what the
/// largest batch ever seen needed, 1.5 GB with MiniLM, for as long as the session lives.
pub(crate) fn execution_providers() -> Vec<ExecutionProviderDispatch> {
    vec![ort::ep::CPU::default().with_arena_allocator(false).build()]
}

/// Threads that wait for work sleep instead of spinning: other stages and programs want the cores.
pub(crate) const NO_SPINNING: (&str, &str) = ("session.intra_op.allow_spinning", "0");

pub(crate) fn read(path: &Path, what: &'static str) -> Result<Vec<u8>, ModelsError> {
    read_bounded(path, 64 * DATA_BYTES).map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => ModelsError::Missing { what, path: path.to_owned() },
        _ => ModelsError::Unreadable { path: path.to_owned(), source },
    })
}
