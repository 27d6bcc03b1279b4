//! The JSON inside a reply that says more than JSON.

use serde_json::Value;

/// The JSON object of a reply: the whole text when it is one, else the last one that stands in the text once
/// thinking aloud is taken away. `None` when there is none.
///
/// The last and not the first, since models think before they answer; objects inside an object never count.
pub(crate) fn json_object(reply: &str) -> Option<&str> {
    let text = reply.trim();
    if is_object(text) {
        return Some(text);
    }
    let text = after_thinking(text);
    let mut found = None;
    let mut at = 0;
    // Each failed start costs one parse up to its error; hostile runs of braces must not make that quadratic.
    let mut budget = 64_u32;
    while let Some(start) = text[at..].find('{').map(|i| at + i) {
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        at = match values.next() {
            Some(Ok(Value::Object(_))) => {
                let end = start + values.byte_offset();
                found = Some(&text[start..end]);
                end
            }
            // The text ends inside an object: a cut reply, whose inner objects are not the answer.
            Some(Err(error)) if error.is_eof() => return None,
            _ if budget == 0 => break,
            _ => {
                budget -= 1;
                start + 1
            }
        };
    }
    found
}

/// Free text without a leading `<think>` block.
pub(crate) fn after_thinking(reply: &str) -> &str {
    let text = reply.trim();
    for (open, close) in [("<think>", "</think>"), ("<thinking>", "</thinking>")] {
        // Some chat templates print the opening tag themselves, so that only the closing one is in the reply.
        if let Some(end) = text.rfind(close)
            && (text.starts_with(open) || !text[..end].contains(open))
        {
            return text[end + close.len()..].trim();
        }
    }
    text
}

fn is_object(text: &str) -> bool {
    text.starts_with('{') && serde_json::from_str::<Value>(text).is_ok_and(|v| v.is_object())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_object_is_found_in_what_models_wrap_it_in() {
        let check = |reply: &str, want: Option<&str>| assert_eq!(json_object(reply), want, "{reply:?}");
        check(r#"{"a":1}"#, Some(r#"{"a":1}"#));
        check(" \n{\"a\": {\"b\": 2}}\n", Some("{\"a\": {\"b\": 2}}"));
        check("```json\n{\"a\":1}\n```", Some("{\"a\":1}"));
        check(
            "Sure! Here it is:\n```\n{\"a\":\"}```{\"}\n```\nAnything else?",
            Some("{\"a\":\"}```{\"}"),
        );
        check("<think>maybe {\"a\":0}?</think>{\"a\":1}", Some("{\"a\":1}"));
        check("so {\"a\":0} it is\n</think>\n\n{\"a\":1}", Some("{\"a\":1}"));
        check("first {\"a\":0}, corrected: {\"a\":1}", Some("{\"a\":1}"));
        check(
            r#"{"a":"<think>quoted</think>"}"#,
            Some(r#"{"a":"<think>quoted</think>"}"#),
        );
        check("{braces} and {\"a\":1} after", Some("{\"a\":1}"));
        check("{\"a\":", None);
        check("{\"a\":[{\"b\":1},{\"b\":2}", None);
        check("[1,2]", None);
        check("no json", None);
        check("", None);
    }

    #[test]
    fn free_text_loses_its_thinking() {
        let check = |reply: &str, want: &str| assert_eq!(after_thinking(reply), want, "{reply:?}");
        check("<think>hm</think> Yes.", "Yes.");
        check("Yes, the tag <think> is used.", "Yes, the tag <think> is used.");
        check("a <think>b</think> c", "a <think>b</think> c");
        check("hm\n</think>\nYes.", "Yes.");
        check("<think>never closed", "<think>never closed");
    }

    #[test]
    fn hostile_nesting_ends() {
        assert_eq!(json_object(&"{".repeat(200_000)), None);
        assert_eq!(json_object(&"{\"a\":".repeat(50_000)), None);
    }

    proptest! {
        #[test]
        fn what_is_found_is_an_object_of_the_reply(reply in r#"[{}":,a1 \[\]`<>/think\n]{0,60}"#) {
            if let Some(found) = json_object(&reply) {
                prop_assert!(reply.contains(found));
                prop_assert!(is_object(found));
            }
        }
    }
}
