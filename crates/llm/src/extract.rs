//! The JSON inside a reply that says more than JSON.

use crate::repair::{self, Repaired};
use serde::de::IgnoredAny;
use serde_json::Deserializer;
use std::borrow::Cow;

/// The JSON of a reply.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ExtractedJson<'a> {
    pub(crate) json: Cow<'a, str>,
    /// What was repaired; empty where the text is the model's own, byte for byte.
    pub(crate) repairs: Vec<&'static str>,
}

/// The JSON of a reply: the whole text when it is JSON, else the last object that stands in the text once thinking
/// aloud is taken away. Objects that are damaged are repaired; an object at the end that is not whole is closed.
/// `truncated` tells whether the reply was cut at the token limit. `None` when there is none.
///
/// The last and not the first, since models think before they answer; objects inside an object never count.
pub(crate) fn json(reply: &str, truncated: bool) -> Option<ExtractedJson<'_>> {
    let text = reply.trim();
    if is_json(text) {
        return Some(intact(text));
    }
    let text = thinking(text).1;
    if let Some(fenced) = fenced(text).filter(|text| is_json(text)) {
        return Some(intact(fenced));
    }
    // What was thought is no answer, and still less when it was cut.
    let thinking = text.starts_with("<think");
    let mut found = None;
    let mut at = 0;
    // Each failed start costs one parse up to its error; hostile runs of braces must not make that quadratic.
    let mut budget = 64_u32;
    while let Some(start) = text[at..].find('{').map(|i| at + i) {
        let mut values = Deserializer::from_str(&text[start..]).into_iter::<IgnoredAny>();
        let parsed = values.next();
        if let Some(Ok(_)) = parsed {
            at = start + values.byte_offset();
            found = Some(intact(&text[start..at]));
            continue;
        }
        match repair::object(&text[start..], truncated).filter(|r| !(r.closed && thinking)) {
            Some(Repaired { json, end, repairs, .. }) => {
                at = start + end;
                found = Some(ExtractedJson { json: Cow::Owned(json), repairs });
            }
            // The text ends inside an object: a cut reply, whose inner objects are not the answer.
            None if matches!(parsed, Some(Err(error)) if error.is_eof()) => return None,
            None if budget == 0 => break,
            None => {
                budget -= 1;
                at = start + 1;
            }
        }
    }
    found
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

fn intact(json: &str) -> ExtractedJson<'_> {
    ExtractedJson { json: Cow::Borrowed(json), repairs: Vec::new() }
}

/// Whether a text is JSON. Values are not built, so that deep nesting needs no stack.
fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn found(reply: &str) -> Option<String> {
        json(reply, false).map(|found| found.json.into_owned())
    }

    #[test]
    fn the_object_is_found_in_what_models_wrap_it_in() {
        let check = |reply: &str, want: Option<&str>| assert_eq!(found(reply).as_deref(), want, "{reply:?}");
        check(r#"{"a":1}"#, Some(r#"{"a":1}"#));
        check(" \n{\"a\": {\"b\": 2}}\n", Some("{\"a\": {\"b\": 2}}"));
        check("```json\n{\"a\":1}\n```", Some("{\"a\":1}"));
        check("Sure! Here it is:\n```\n{\"a\":\"}```{\"}\n```\nAnything else?", Some("{\"a\":\"}```{\"}"));
        check("<think>maybe {\"a\":0}?</think>{\"a\":1}", Some("{\"a\":1}"));
        check("so {\"a\":0} it is\n</think>\n\n{\"a\":1}", Some("{\"a\":1}"));
        check("first {\"a\":0}, corrected: {\"a\":1}", Some("{\"a\":1}"));
        check(r#"{"a":"<think>quoted</think>"}"#, Some(r#"{"a":"<think>quoted</think>"}"#));
        check("{braces} and {\"a\":1} after", Some("{\"a\":1}"));
        check("Grades:\n```json\n[{\"a\":1}, {\"a\":2}]\n```", Some("[{\"a\":1}, {\"a\":2}]"));
        check("[THINK]{\"a\":0}[/THINK]{\"a\":1}", Some("{\"a\":1}"));
        check("{\"a\":", None);
        check("[1,2]", Some("[1,2]"));
        check("no json", None);
        check("", None);
    }

    #[test]
    fn damaged_objects_are_repaired_as_a_whole() {
        let check = |reply: &str, want: &str| {
            let found = json(reply, false).expect(reply);
            assert_eq!(found.json, want, "{reply:?}");
            assert!(!found.repairs.is_empty(), "{reply:?}");
        };
        check("```json\n{\"a\": [{\"b\": 1,}],}\n```", "{\"a\": [{\"b\": 1}]}");
        check("Here: {'a': {'b': True}} Done.", "{\"a\": {\"b\": true}}");
        check("{\"a\":[{\"b\":1},{\"b\":2}", "{\"a\":[{\"b\":1},{\"b\":2}]}");
        check("first {\"a\":0}, then {\"a\":1, \"b\"", "{\"a\":1}");
        let thought = "<think>perhaps {\"a\": 1, \"b\"";
        assert_eq!(json(thought, true), None, "thinking is no answer");
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
        for unit in ["{", "[", "{\"a\":", "{\"a\":[", "{'a':", "[{", "{//\n"] {
            for truncated in [false, true] {
                let reply = unit.repeat(100_000);
                assert_eq!(json(&reply, truncated), None, "{unit}");
            }
        }
        let deep = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
        assert_eq!(found(&deep), Some(deep), "it is JSON");
    }

    /// Any JSON value.
    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            r#"[{}\[\]"'“”:,/\\`<>think\n]{0,12}"#.prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn valid_json_is_not_touched(value in value(), pretty in any::<bool>(), truncated in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            let text = text.expect("serialises");
            let found = json(&text, truncated);
            prop_assert_eq!(found, Some(ExtractedJson { json: Cow::Borrowed(&text), repairs: Vec::new() }));
        }

        #[test]
        fn objects_in_prose_are_not_touched(value in value(), before in "[a-z .\n]{0,20}", after in "[a-z .`\n]{0,20}") {
            let text = serde_json::json!({"a": value}).to_string();
            // A closing tag ends the thinking, wherever it stands.
            prop_assume!(!text.contains("</think"));
            let reply = format!("{before}{text}{after}");
            prop_assert_eq!(found(&reply), Some(text));
        }

        #[test]
        fn what_is_found_is_json(reply in r#"[{}":,a1T \[\]`<>/think'“”\\u\n]{0,60}"#, truncated in any::<bool>()) {
            if let Some(found) = json(&reply, truncated) {
                prop_assert!(is_json(&found.json));
                prop_assert!(!found.repairs.is_empty() || reply.contains(found.json.as_ref()));
            }
        }

        #[test]
        fn any_text_ends(reply in any::<String>(), truncated in any::<bool>()) {
            let _ = json(&reply, truncated);
        }

        #[test]
        fn a_cut_object_keeps_only_what_was_there(value in value(), cut in any::<prop::sample::Index>()) {
            let whole = serde_json::json!({"a": 1, "b": value});
            let text = whole.to_string();
            let at = text.floor_char_boundary(cut.index(text.len()));
            if let Some(found) = json(&text[..at], true) {
                let part: Value = serde_json::from_str(&found.json).expect("JSON");
                prop_assert!(is_part(&part, &whole), "{part} of {whole}");
            }
        }

        #[test]
        fn repairs_change_no_value(value in value(), truncated in any::<bool>()) {
            let whole = serde_json::json!({"a": value, "b": true});
            let text = serde_json::to_string_pretty(&whole).expect("serialises");
            // Commas before the brackets that stand on a line of their own, and comments after the others.
            let lines = text.lines().map(|line| match line.trim_start() {
                "}" | "]" | "}," | "]," => format!(",{line}"),
                _ => format!("{line} // \"x\": {{1}}"),
            });
            let damaged = lines.collect::<Vec<_>>().join("\n");
            let found = json(&damaged, truncated).expect("an object");
            let read: Value = serde_json::from_str(&found.json).expect("JSON");
            prop_assert_eq!(read, whole, "{}", damaged);
        }
    }

    /// Whether `part` is `whole` without some of its entries and without the ends of some of its strings.
    fn is_part(part: &Value, whole: &Value) -> bool {
        match (part, whole) {
            (Value::Object(part), Value::Object(whole)) => {
                part.iter().all(|(key, part)| whole.get(key).is_some_and(|whole| is_part(part, whole)))
            }
            (Value::Array(part), Value::Array(whole)) => {
                part.len() <= whole.len() && part.iter().zip(whole).all(|(part, whole)| is_part(part, whole))
            }
            (Value::String(part), Value::String(whole)) => whole.starts_with(part.as_str()),
            _ => part == whole,
        }
    }
}
