//! The models that fastembed lists, and a small cross-encoder, by name: which files each has on the model hub, and how it is used.
//!
//! Repositories, files, dimensions and pooling are fastembed's. It knows neither prefixes nor lengths; these are here, as
//! the models' authors publish them.

mod table;

use crate::{ModelSettings, Pooling};
use fastembed::{EmbeddingModel, ModelInfo, OutputKey, TextEmbedding, TextRerank};
use serde::Serialize;
use table::{CROSS_ENCODERS, Listed, MODELS, MS_MARCO_MINILM};

/// How alike a name must be to be suggested, from 0 to 1 (Jaro-Winkler).
const ALIKE: f64 = 0.8;

/// Names suggested for an unknown one.
const SUGGESTED: usize = 3;

/// What a model is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::Display)]
#[serde(rename_all = "snake_case")]
pub enum ModelKind {
    /// Turns a text into a vector.
    #[strum(to_string = "embedding model")]
    Embedding,
    /// Scores a question and a passage together, for reranking.
    #[strum(to_string = "cross-encoder")]
    CrossEncoder,
}

impl ModelKind {
    /// The setting that names a model of this kind.
    pub fn setting(self) -> &'static str {
        match self {
            Self::Embedding => "embedding.model",
            Self::CrossEncoder => "rerank.cross_encoder",
        }
    }
}

/// A model that can be downloaded.
#[derive(Clone, Debug, Serialize)]
pub struct HubModel {
    /// What it is for.
    pub kind: ModelKind,
    /// Its name at fastembed, such as `BGESmallENV15Q`. No other model has it.
    pub variant: String,
    /// The name that its authors gave it, such as `BAAI/bge-small-en-v1.5`. Quantised variants have the same.
    pub name: String,
    /// The repository of its ONNX files on the hub.
    pub repository: String,
    /// Whether its weights are integers.
    pub quantised: bool,
    /// Length of a vector; `None` for a cross-encoder.
    pub dimension: Option<usize>,
    /// What it is, in a few words.
    pub description: String,
    /// The folder that it is kept in: letters, digits, `-`, `.` and `_`. No other model has it.
    pub folder: String,
    /// What to download.
    pub files: Vec<HubFile>,
    /// How it is used; the content of the folder's `model.json`.
    pub settings: ModelSettings,
}

/// A file of a [`HubModel`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HubFile {
    /// Its path in the repository.
    pub remote: String,
    /// Its name in the model's folder.
    pub local: String,
}

impl HubModel {
    fn new(listed: &Listed, info: &ModelInfo<EmbeddingModel>) -> Self {
        let variant = format!("{:?}", info.model);
        let suffix = ["Q4", "Q"].into_iter().find(|suffix| variant.ends_with(suffix));
        let mut folder = listed.name.replace('/', "--");
        if let Some(suffix) = suffix {
            folder = format!("{folder}--{}", suffix.to_lowercase());
        }
        let (files, weights) = files_of(&info.model_file, &info.additional_files);
        let (query, passage) = listed.prefixes;
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let settings = ModelSettings {
            name: Some(folder.clone()),
            pooling: TextEmbedding::get_default_pooling_method(&info.model).map(|pooling| match pooling {
                fastembed::Pooling::Cls => Pooling::Cls,
                fastembed::Pooling::Mean => Pooling::Mean,
            }),
            query_prefix: given(query),
            passage_prefix: given(passage),
            max_tokens: Some(listed.max_tokens),
            output: match info.output_key {
                Some(OutputKey::ByName(name)) => Some(name.to_owned()),
                _ => None,
            },
            weights,
        };
        Self {
            kind: ModelKind::Embedding,
            variant,
            name: listed.name.to_owned(),
            repository: info.model_code.clone(),
            quantised: suffix.is_some(),
            dimension: Some(info.dim),
            description: info.description.clone(),
            folder,
            files,
            settings,
        }
    }

    /// A cross-encoder; `max_tokens` is the longest pair that it reads at once.
    fn cross_encoder(
        variant: String,
        repository: &str,
        onnx: &str,
        weights: &[String],
        description: &str,
        max_tokens: usize,
    ) -> Self {
        let folder = repository.replace('/', "--");
        let (files, weights) = files_of(onnx, weights);
        Self {
            kind: ModelKind::CrossEncoder,
            variant,
            name: repository.to_owned(),
            repository: repository.to_owned(),
            quantised: false,
            dimension: None,
            description: description.to_owned(),
            settings: ModelSettings {
                name: Some(folder.clone()),
                max_tokens: Some(max_tokens),
                weights,
                ..ModelSettings::default()
            },
            folder,
            files,
        }
    }

    /// Whether a user may mean this model by `name`, whatever its case.
    fn is_named(&self, name: &str) -> bool {
        [&self.variant, &self.name, &self.repository, &self.folder]
            .iter()
            .any(|own| own.eq_ignore_ascii_case(name))
    }
}

/// What to download, the small files first: a wrong address shows at once. With the names of the weights, if they are files of
/// their own.
fn files_of(onnx: &str, weights: &[String]) -> (Vec<HubFile>, Option<Vec<String>>) {
    let own = |remote: &str, local: &str| HubFile { remote: remote.to_owned(), local: local.to_owned() };
    let base = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let mut files = vec![own("tokenizer.json", "tokenizer.json"), own(onnx, "model.onnx")];
    files.extend(weights.iter().map(|path| own(path, &base(path))));
    let names: Vec<String> = weights.iter().map(|path| base(path)).collect();
    (files, (!names.is_empty()).then_some(names))
}

/// All models: embedding models, those of one author together and each before its quantised variants, then cross-encoders, the
/// smallest first.
pub fn models() -> Vec<HubModel> {
    let info = |listed: &'static Listed| TextEmbedding::get_model_info(&listed.model).ok();
    let embedding = MODELS.iter().filter_map(|listed| Some(HubModel::new(listed, info(listed)?)));
    let (repository, max_tokens) = MS_MARCO_MINILM;
    let small = HubModel::cross_encoder(
        "MSMarcoMiniLML6V2".to_owned(),
        repository,
        "onnx/model.onnx",
        &[],
        "small reranker model for English",
        max_tokens,
    );
    let known = TextRerank::list_supported_models();
    let listed = CROSS_ENCODERS.iter().filter_map(|(model, max_tokens)| {
        let info = known.iter().find(|info| info.model == *model)?;
        let variant = format!("{model:?}");
        let (onnx, weights) = (&info.model_file, &info.additional_files);
        Some(HubModel::cross_encoder(
            variant,
            &info.model_code,
            onnx,
            weights,
            &info.description,
            *max_tokens,
        ))
    });
    embedding.chain([small]).chain(listed).collect()
}

/// The model of a name: fastembed's, the authors' or the repository's. Where several variants share it, the one that
/// is not quantised.
pub fn find(kind: ModelKind, name: &str) -> Option<HubModel> {
    models().into_iter().find(|model| model.kind == kind && model.is_named(name))
}

/// Names of models that `name` may be a misspelling of, the most alike first; at most three.
pub fn near(kind: ModelKind, name: &str) -> Vec<String> {
    let name = name.to_lowercase();
    // People leave out the author, too.
    let alike = |own: &str| {
        let own = own.to_lowercase();
        let short = own.rsplit('/').next().unwrap_or_default();
        strsim::jaro_winkler(&own, &name).max(strsim::jaro_winkler(short, &name))
    };
    let mut known: Vec<(f64, String)> = Vec::new();
    for model in models().into_iter().filter(|model| model.kind == kind) {
        for own in [&model.name, &model.variant] {
            let score = alike(own);
            if score >= ALIKE && known.iter().all(|(_, other)| other != own) {
                known.push((score, own.to_owned()));
            }
        }
    }
    known.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    known.into_iter().take(SUGGESTED).map(|(_, own)| own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_model_of_fastembed_is_listed_once() {
        let embedding = TextEmbedding::list_supported_models();
        let embedding = embedding.iter().map(|info| format!("{:?}", info.model));
        let rerank = TextRerank::list_supported_models();
        let rerank = rerank.iter().map(|info| format!("{:?}", info.model));
        let ours_alone = ["MSMarcoMiniLML6V2".to_owned()];
        let theirs: BTreeSet<String> = embedding.chain(rerank).chain(ours_alone).collect();
        let ours: Vec<HubModel> = models();
        let variants: BTreeSet<String> = ours.iter().map(|model| model.variant.clone()).collect();
        let folders: BTreeSet<&str> = ours.iter().map(|model| model.folder.as_str()).collect();
        assert_eq!(variants, theirs);
        assert_eq!((ours.len(), folders.len()), (theirs.len(), theirs.len()));
        for model in &ours {
            let safe = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
            assert!(model.folder.chars().all(safe) && !model.folder.starts_with('.'), "{model:?}");
            assert_eq!(model.settings.pooling.is_some(), model.dimension.is_some(), "{model:?}");
            assert_eq!(
                find(model.kind, &model.variant).map(|found| found.folder),
                Some(model.folder.clone())
            );
        }
    }

    fn embedding(name: &str) -> Option<HubModel> {
        find(ModelKind::Embedding, name)
    }

    #[test]
    fn a_model_is_found_by_each_of_its_names() {
        let check = |name: &str, variant: &str| {
            assert_eq!(embedding(name).map(|model| model.variant).as_deref(), Some(variant), "{name}");
        };
        check("BAAI/bge-small-en-v1.5", "BGESmallENV15");
        check("baai/BGE-small-en-v1.5", "BGESmallENV15");
        check("Xenova/bge-small-en-v1.5", "BGESmallENV15");
        check("Qdrant/bge-small-en-v1.5-onnx-Q", "BGESmallENV15Q");
        check("bgesmallenv15q", "BGESmallENV15Q");
        check("Qdrant/all-MiniLM-L6-v2-onnx", "AllMiniLML6V2");
        check("Xenova/all-MiniLM-L6-v2", "AllMiniLML6V2Q");
        check("nomic-ai/nomic-embed-text-v1.5", "NomicEmbedTextV15");
        check("nomic-ai--nomic-embed-text-v1.5--q", "NomicEmbedTextV15Q");
        assert!(embedding("all-MiniLM-L6-v2-w8a8").is_none());
        assert!(embedding("").is_none());
        let name = "cross-encoder/ms-marco-MiniLM-L6-v2";
        assert!(embedding(name).is_none() && find(ModelKind::CrossEncoder, name).is_some());
    }

    #[test]
    fn models_are_used_as_their_authors_say() {
        let check = |name: &str, pooling: Pooling, query: &str, passage: &str, max_tokens: usize| {
            let settings = embedding(name).expect(name).settings;
            let got = (
                settings.pooling.expect("known"),
                settings.query_prefix.unwrap_or_default(),
                settings.passage_prefix.unwrap_or_default(),
                settings.max_tokens.expect("known"),
            );
            assert_eq!(got, (pooling, query.to_owned(), passage.to_owned(), max_tokens), "{name}");
        };
        for size in ["small", "base", "large"] {
            let name = format!("intfloat/multilingual-e5-{size}");
            check(&name, Pooling::Mean, "query: ", "passage: ", 512);
        }
        let name = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2";
        check(name, Pooling::Mean, "", "", 128);
        let bge = "Represent this sentence for searching relevant passages: ";
        check("BAAI/bge-small-en-v1.5", Pooling::Cls, bge, "", 512);
        check("BGESmallENV15Q", Pooling::Cls, bge, "", 512);
        let nomic = ("search_query: ", "search_document: ");
        check("NomicEmbedTextV15Q", Pooling::Mean, nomic.0, nomic.1, 2048);
        check("AllMiniLML6V2", Pooling::Mean, "", "", 256);
    }

    #[test]
    fn weights_and_outputs_are_named_where_they_must_be() {
        let model = embedding("BAAI/bge-m3").expect("listed");
        let remote: Vec<&str> = model.files.iter().map(|file| file.remote.as_str()).collect();
        let weights = ["onnx/model.onnx_data", "onnx/Constant_7_attr__value"];
        assert_eq!(remote, ["tokenizer.json", "onnx/model.onnx", weights[0], weights[1]]);
        let names = ["model.onnx_data", "Constant_7_attr__value"].map(str::to_owned);
        assert_eq!(model.settings.weights, Some(names.to_vec()));
        // A graph names its weights: only the graph itself may be renamed.
        let gemma = embedding("EmbeddingGemma300MQ4").expect("listed");
        let local: Vec<&str> = gemma.files.iter().map(|file| file.local.as_str()).collect();
        assert_eq!(local, ["tokenizer.json", "model.onnx", "model_q4.onnx_data"]);
        assert_eq!(gemma.settings.output.as_deref(), Some("sentence_embedding"));
        assert!(gemma.quantised && !model.quantised);
    }

    #[test]
    fn misspelt_names_have_neighbours() {
        let check = |name: &str, first: &str| {
            let found = near(ModelKind::Embedding, name);
            assert_eq!(found.first().map(String::as_str), Some(first), "{name}");
            assert!(found.len() <= SUGGESTED);
        };
        check("BAAI/bge-smal-en-v1.5", "BAAI/bge-small-en-v1.5");
        check("multilingual-e5-smal", "intfloat/multilingual-e5-small");
        check("BGESmalENV15", "BGESmallENV15");
        assert_eq!(near(ModelKind::Embedding, "/models/of-mine"), [""; 0]);
    }
}
