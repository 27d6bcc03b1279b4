//! The message to the model: numbered sentences that cannot leave their blocks, and the question.

use super::reply::PARTS;
use crate::extractive::{compose, select::Picked};
use evidence::Asked;
use serde_json::json;
use types::{JsonSchema, Prompt, SourceMeta, surname};

/// Characters of a title that stands for an unknown author.
const TITLE_CHARS: usize = 60;

/// The sentences, numbered from 1, and the question.
pub(super) fn message(question: &str, shown: &[Picked<'_>], asked: &Asked) -> Prompt {
    let block = |all: Prompt, (at, picked): (usize, &Picked<'_>)| {
        let numbered = all.own("<excerpt").attribute("number", &(at + 1).to_string());
        let header = numbered.attribute("source", &source(&picked.place.source));
        let header = header.attribute("section", picked.place.chunk.section.as_str());
        header
            .own(">\n")
            .data(&compose::said(picked, asked))
            .own("\n</excerpt>\n")
    };
    let out = shown.iter().enumerate().fold(Prompt::default(), block);
    out.own("\n<question>\n")
        .data(question.trim())
        .own("\n</question>")
}

/// "Orvella 2021", or the start of the title where no author is known.
fn source(meta: &SourceMeta) -> String {
    let author = meta.authors.first().and_then(|author| surname(author));
    let name = author
        .or(meta.title.as_deref())
        .unwrap_or(meta.source_id.as_str());
    let mut out: String = name.chars().take(TITLE_CHARS).collect();
    if let Some(year) = meta.year {
        out.extend([" ", &year.to_string()]);
    }
    out
}

/// The shape of the reply. The order matters where the server writes fields in it: the model judges whether its
/// sentences answer after it picked them, and joins a sentence that it picked already.
pub(super) fn schema() -> JsonSchema {
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["parts", "answers"],
        "properties": {
            "parts": {"type": "array", "maxItems": PARTS, "items": {
                "type": "object",
                "additionalProperties": false,
                "required": ["sentence", "lead"],
                "properties": {"sentence": {"type": "integer"}, "lead": {"type": "string"}},
            }},
            "answers": {"type": "boolean"},
        },
    });
    JsonSchema {
        name: "selected_sentences".to_owned(),
        schema,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_its_first_author_or_its_title() {
        let check = |authors: &[&str], title: Option<&str>, year: Option<u16>, want: &str| {
            let meta = SourceMeta {
                source_id: "a_2020".into(),
                authors: authors.iter().map(|a| (*a).to_owned()).collect(),
                title: title.map(str::to_owned),
                year,
                ..SourceMeta::default()
            };
            assert_eq!(source(&meta), want);
        };
        check(
            &["Ada Orvella", "Ben Tandrik"],
            Some("Title"),
            Some(2021),
            "Orvella 2021",
        );
        check(&[], Some("A study of sleep"), None, "A study of sleep");
        check(&[], Some(&"long ".repeat(30)), None, &"long ".repeat(12));
        check(&[], None, Some(2020), "a_2020 2020");
    }
}
