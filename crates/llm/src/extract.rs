//! The JSON inside a reply that says more than JSON.

use serde::de::IgnoredAny;

/// The JSON of a reply: the whole text; else, once thinking aloud is taken away, what stands in a fence of code, or from the first
/// brace to the last. `None` where none of these is JSON.
pub(crate) fn json(reply: &str) -> Option<&str> {
    let said = thinking(reply).1;
    let braces = || said.get(said.find('{')?..=said.rfind('}')?);
    let ways = [Some(reply.trim()), Some(said), fenced(said), braces()];
    ways.into_iter().flatten().find(|text| is_json(text))
}

/// The tags in which models think aloud.
const TAGS: [(&str, &str); 7] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
];

/// What a text says before its answer, in a block of thinking, and the answer.
pub(crate) fn thinking(reply: &str) -> (&str, &str) {
    let text = reply.trim();
    for (open, close) in TAGS {
        // Some chat templates print the opening tag themselves, so that only the closing one is in the reply.
        if let Some(end) = text.rfind(close)
            && (text.starts_with(open) || !text[..end].contains(open))
        {
            let thought = text[..end].trim_start_matches(open);
            return (thought.trim(), text[end + close.len()..].trim());
        }
    }
    ("", text)
}

/// What stands between the first fence of code and the last one.
fn fenced(text: &str) -> Option<&str> {
    let inner = text.split_once("```")?.1.split_once('\n')?.1;
    Some(inner.rsplit_once("```")?.0.trim())
}

/// Whether a text is JSON. Values are not built, so that deep nesting needs no stack.
fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_object_is_found_in_what_models_wrap_it_in() {
        let check = |reply: &str, want: Option<&str>| assert_eq!(json(reply), want, "{reply:?}");
        check(r#"{"a":1}"#, Some(r#"{"a":1}"#));
        check(" \n{\"a\": {\"b\": 2}}\n", Some("{\"a\": {\"b\": 2}}"));
        check("```json\n{\"a\":1}\n```", Some("{\"a\":1}"));
        check("Sure! Here it is:\n```\n{\"a\":\"}```{\"}\n```\nAnything else?", Some("{\"a\":\"}```{\"}"));
        check("<think>maybe {\"a\":0}?</think>{\"a\":1}", Some("{\"a\":1}"));
        check("so {\"a\":0} it is\n</think>\n\n{\"a\":1}", Some("{\"a\":1}"));
        check(r#"{"a":"<think>quoted</think>"}"#, Some(r#"{"a":"<think>quoted</think>"}"#));
        check("Here: {\"a\":1} after", Some("{\"a\":1}"));
        check("Grades:\n```json\n[{\"a\":1}, {\"a\":2}]\n```", Some("[{\"a\":1}, {\"a\":2}]"));
        check("[THINK]{\"a\":0}[/THINK]{\"a\":1}", Some("{\"a\":1}"));
        check("[1,2]", Some("[1,2]"));
        for none in ["{\"a\":", "{\"a\": 1,}", "first {\"a\":0}, then {\"a\":1}", "} {", "no json", ""] {
            check(none, None);
        }
    }

    #[test]
    fn free_text_loses_its_thinking() {
        let check = |reply: &str, want: &str| assert_eq!(thinking(reply).1, want, "{reply:?}");
        check("<think>hm</think> Yes.", "Yes.");
        check("Yes, the tag <think> is used.", "Yes, the tag <think> is used.");
        check("a <think>b</think> c", "a <think>b</think> c");
        check("hm\n</think>\nYes.", "Yes.");
        check("<think>never closed", "<think>never closed");
    }

    #[test]
    fn hostile_nesting_ends() {
        for unit in ["{", "[", "{\"a\":", "{\"a\":[", "[{"] {
            assert_eq!(json(&unit.repeat(100_000)), None, "{unit}");
        }
        let deep = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
        assert_eq!(json(&deep), Some(&*deep), "it is JSON");
    }

    proptest! {
        #[test]
        fn objects_in_prose_are_found(value in any::<String>(), before in "[a-z .\n]{0,20}", after in "[a-z .`\n]{0,20}") {
            let text = serde_json::json!({"a": value}).to_string();
            // A closing tag ends the thinking, wherever it stands.
            prop_assume!(!text.contains("</think") && !text.contains("```"));
            let reply = format!("{before}{text}{after}");
            prop_assert_eq!(json(&reply), Some(&*text));
        }

        #[test]
        fn any_text_ends(reply in any::<String>()) {
            if let Some(found) = json(&reply) {
                prop_assert!(is_json(found));
            }
        }
    }
}
