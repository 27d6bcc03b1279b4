//! Which stage reads which setting.

use engine::memo::{Stage, StageKeys};
use settings::Layers;
use std::fmt::Write;
use types::digest::sha256;

/// What reads a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reads {
    /// Of the stages of a question, this one first.
    Stage(Stage),
    /// Ingestion: a change needs a new index.
    Index,
    /// The scores, not the answers.
    Scores,
    /// Neither: where files are, how long things may take, how much runs at once.
    Nothing,
}

/// By section, or by single setting, which counts more: what reads it. Sections whose settings several stages read are
/// listed setting by setting, so that a new one cannot be forgotten.
const READ: &[(&str, Reads)] = &[
    ("natives", Reads::Nothing),
    ("index", Reads::Nothing),
    ("ingest", Reads::Index),
    ("chunk", Reads::Index),
    ("embedding", Reads::Index),
    ("question", Reads::Stage(Stage::Understand)),
    ("retrieve", Reads::Stage(Stage::Retrieve)),
    ("retrieve.mode", Reads::Stage(Stage::Understand)),
    ("retrieve.hnsw_m", Reads::Index),
    ("retrieve.hnsw_ef_construction", Reads::Index),
    ("rerank", Reads::Stage(Stage::Rerank)),
    ("rerank.keep", Reads::Stage(Stage::Expand)),
    ("rerank.min_score", Reads::Stage(Stage::Expand)),
    // Retrieval returns the neighbours of its hits.
    ("expand.reach", Reads::Stage(Stage::Retrieve)),
    ("expand.discount", Reads::Stage(Stage::Expand)),
    ("expand.cap", Reads::Stage(Stage::Expand)),
    ("expand.order", Reads::Stage(Stage::Expand)),
    // The planner is asked with the model that generates, if one does.
    ("generate.method", Reads::Stage(Stage::Plan)),
    ("generate.model", Reads::Stage(Stage::Plan)),
    ("generate.max_context_chars", Reads::Stage(Stage::Plan)),
    ("generate.further_searches", Reads::Stage(Stage::Plan)),
    ("generate.max_sentences", Reads::Stage(Stage::Generate)),
    ("generate.max_sentences_across", Reads::Stage(Stage::Generate)),
    ("generate.enough", Reads::Stage(Stage::Generate)),
    ("generate.likely", Reads::Stage(Stage::Generate)),
    ("generate.high_confidence", Reads::Stage(Stage::Generate)),
    ("generate.max_sentences_shown", Reads::Stage(Stage::Generate)),
    // A language model is first asked when it reranks.
    ("llm.provider", Reads::Stage(Stage::Rerank)),
    ("llm.base_url", Reads::Stage(Stage::Rerank)),
    ("llm.model", Reads::Stage(Stage::Rerank)),
    ("llm.temperature", Reads::Stage(Stage::Rerank)),
    ("llm.max_tokens", Reads::Stage(Stage::Rerank)),
    ("llm.schema_mode", Reads::Stage(Stage::Rerank)),
    ("llm.api_key_env", Reads::Nothing),
    ("llm.api_key_file", Reads::Nothing),
    ("llm.timeout_seconds", Reads::Nothing),
    ("llm.question_seconds", Reads::Nothing),
    ("llm.max_retries", Reads::Nothing),
    ("llm.give_up_after", Reads::Nothing),
    ("llm.requests_per_minute", Reads::Nothing),
    ("llm.tokens_per_minute", Reads::Nothing),
    ("llm.concurrency", Reads::Nothing),
    ("llm.price_input", Reads::Nothing),
    ("llm.price_output", Reads::Nothing),
    ("llm.cache", Reads::Nothing),
    ("llm.cache_dir", Reads::Nothing),
    ("llm.cache_mib", Reads::Nothing),
    ("guardrail.topic", Reads::Stage(Stage::Topic)),
    ("guardrail.topic_rule", Reads::Stage(Stage::Topic)),
    ("guardrail.refuse_below", Reads::Stage(Stage::Topic)),
    ("guardrail.partial_below", Reads::Stage(Stage::Topic)),
    ("guardrail.refuse_unknown_sources", Reads::Stage(Stage::Topic)),
    ("guardrail.refuse_absent_entities", Reads::Stage(Stage::Topic)),
    // Whether a written refusal may cite is part of its generation.
    ("guardrail.refusal_citations", Reads::Stage(Stage::Generate)),
    ("guardrail.citations", Reads::Stage(Stage::Guardrails)),
    ("guardrail.suffix_match", Reads::Stage(Stage::Guardrails)),
    ("guardrail.max_quote_words", Reads::Stage(Stage::Guardrails)),
    ("guardrail.uncited", Reads::Stage(Stage::Guardrails)),
    ("guardrail.entities", Reads::Stage(Stage::Guardrails)),
    ("guardrail.min_survival", Reads::Stage(Stage::Guardrails)),
    ("guardrail.support", Reads::Stage(Stage::Guardrails)),
    ("guardrail.remove_below", Reads::Stage(Stage::Guardrails)),
    ("guardrail.verify", Reads::Stage(Stage::Guardrails)),
    ("guardrail.model", Reads::Stage(Stage::Guardrails)),
    ("guardrail.repair", Reads::Stage(Stage::Guardrails)),
    ("guardrail.injection", Reads::Stage(Stage::Guardrails)),
    ("guardrail.check_confidence", Reads::Stage(Stage::Guardrails)),
    (
        "guardrail.removal_lowers_confidence",
        Reads::Stage(Stage::Guardrails),
    ),
    ("eval", Reads::Scores),
    ("evaluate", Reads::Scores),
    ("log", Reads::Nothing),
];

/// What reads the setting of this dotted key, `llm.NAME.key` included; `None` if the table does not have it.
pub(crate) fn reads(key: &str) -> Option<Reads> {
    let (section, name) = key.split_once('.')?;
    let own = match name.rsplit_once('.') {
        Some((_, last)) => format!("{section}.{last}"),
        None => key.to_owned(),
    };
    let of = |wanted: &str| READ.iter().find(|(known, _)| *known == wanted);
    of(&own).or_else(|| of(section)).map(|(_, reads)| *reads)
}

/// The names of the stages' settings.
pub(crate) fn stage_keys(layers: &Layers) -> StageKeys {
    let mut so_far = String::new();
    StageKeys(Stage::ALL.map(|stage| {
        for (key, value, _) in layers.entries() {
            if reads(key) == Some(Reads::Stage(stage)) {
                // Writing to a string cannot fail.
                let _ = writeln!(so_far, "{key}={value}");
            }
        }
        sha256(so_far.as_bytes())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use settings::Loaded;

    #[test]
    fn every_setting_belongs_to_a_stage_or_to_none() {
        // Sections that one reader has as a whole; a new setting of another section must be listed.
        let whole = [
            "natives",
            "index",
            "ingest",
            "chunk",
            "embedding",
            "question",
            "retrieve",
            "rerank",
            "eval",
            "evaluate",
            "log",
        ];
        let loaded = Loaded::defaults().expect("defaults");
        let keys: Vec<&str> = loaded.layers.entries().map(|(key, _, _)| key).collect();
        for key in &keys {
            let section = key.split('.').next().unwrap_or_default();
            let listed = READ.iter().any(|(known, _)| known == key);
            assert!(listed || whole.contains(&section), "{key} is in no row of READ");
            assert!(reads(key).is_some(), "{key}");
        }
        for (known, _) in READ {
            let used = keys.iter().any(|key| key == known) || whole.contains(known);
            assert!(used, "{known} is no setting");
        }
    }

    #[test]
    fn what_changes_no_hash_changes_no_answer() {
        let base = Loaded::defaults().expect("defaults");
        let hash = base.settings.config_hash();
        for key in [
            "llm.timeout_seconds=7",
            "llm.cache_mib=7",
            "log.returned_chunks=context",
        ] {
            let other = base.with(&[key.to_owned()]).expect("a setting");
            assert_eq!(other.settings.config_hash(), hash, "{key}");
            assert_eq!(
                reads(key.split('=').next().unwrap_or_default()),
                Some(Reads::Nothing),
                "{key}"
            );
        }
    }

    #[test]
    fn keys_change_from_the_stage_that_reads_a_setting_on() {
        let base = Loaded::defaults().expect("defaults");
        let of = |item: &str| {
            let loaded = base.with(&[item.to_owned()]).expect("a setting");
            stage_keys(&loaded.layers)
        };
        let own = stage_keys(&base.layers);
        let check = |item: &str, first: Stage| {
            let changed = of(item);
            for stage in Stage::ALL {
                assert_eq!(
                    own.of(stage) == changed.of(stage),
                    stage < first,
                    "{item} at {}",
                    stage.as_str()
                );
            }
        };
        check("question.spelling=false", Stage::Understand);
        check("retrieve.mode=vector", Stage::Understand);
        check("retrieve.depth=500", Stage::Retrieve);
        check("expand.reach=2", Stage::Retrieve);
        check("rerank.lexical_weight=0.5", Stage::Rerank);
        check("rerank.keep=4", Stage::Expand);
        check("guardrail.refuse_below=0.5", Stage::Topic);
        check("generate.further_searches=1", Stage::Plan);
        check("generate.max_sentences=4", Stage::Generate);
        check("guardrail.min_survival=0.5", Stage::Guardrails);
        assert_eq!(of("eval.tau=0.4"), own);
        assert_eq!(reads("llm.small.model"), Some(Reads::Stage(Stage::Rerank)));
    }
}
