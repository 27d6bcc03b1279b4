//! What is read of a rejection, wherever a server puts it.

use serde_json::Value;

/// What the body of an error says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// What people are shown: the server's words, or the whole body where it is not known which part they are.
    pub(crate) shown: String,
    /// The server's words alone, as [`folded`] gives them. Servers echo the request in other parts of the body, and a
    /// paper's words must not be taken for the server's.
    pub(crate) words: String,
    /// The status that the body names, by number or by words such as `overloaded_error`.
    pub(crate) status: Option<u16>,
}

/// Members, in lower case and without underscores, that hold words of the server, in the order in which they are shown.
const PLACES: &str = "error|errors|message|msg|errormsg|statusmsg|detail|details|title|reason|errordescription|\
                      metadata|raw|innererror|baseresp|promptfeedback|blockreason|loc|param|code|type|status";
/// Members that hold a status as a number or its digits.
const NUMBERS: &str = "code|status|statuscode|errorcode";
/// Objects inside objects at most.
const DEEPEST: u32 = 12;

/// The status that words of a server stand for where it sends another one. The first row with one of the words counts.
const MEANT: [(u16, &str); 5] = [
    (401, "invalid api key|incorrect api key|authentication error|unauthorized|unauthenticated"),
    (429, "rate limit|ratelimit|too many requests|resource exhausted|throttl|slow down"),
    (
        503,
        "overload|unavailable|capacity|try again|temporar|busy|upstream|disconnected|loading|\
         insufficient system resource|bad gateway",
    ),
    (504, "timeout|timed out|deadline exceeded"),
    (500, "server error|internal|api error|provider error|network error|aborted"),
];

/// Reads the body of an error.
pub(crate) fn complaint(body: &str) -> Complaint {
    // The text of a page, without its tags; other text as it is.
    let text =
        |part: &str| part.split_once('>').map_or(String::new(), |(_, text)| text.trim().to_owned() + " ");
    let page = || body.trim().strip_prefix('<').map(|page| page.split('<').map(text).collect::<String>());
    let value =
        serde_json::from_str(body).unwrap_or_else(|_| page().unwrap_or_else(|| body.to_owned()).into());
    let mut found = Complaint::default();
    let mut parts = Vec::new();
    gather(&value, DEEPEST, &mut parts, &mut found.status);
    let words = parts.join("; ");
    found.words = folded(&words);
    let meant = || MEANT.iter().find(|(_, words)| says(&found.words, words));
    found.status = found.status.or_else(|| meant().map(|(status, _)| *status));
    found.shown = if words.is_empty() { body.to_owned() } else { words };
    found
}

/// The error in a body whose status was a success; `mark` is the member that only replies have.
pub(crate) fn inside(body: &Value, mark: &str) -> Option<Complaint> {
    let there = |value: &Value| {
        let none = [Value::Null, false.into(), 0.into(), "".into(), Value::Array(Vec::new())];
        !none.contains(value)
    };
    match body {
        Value::Array(list) => return inside(list.first()?, mark),
        Value::String(text) if text.starts_with(['{', '[']) => {
            return inside(&serde_json::from_str(text).ok()?, mark);
        }
        _ => {}
    }
    let choice = &body["choices"][0];
    let own = [choice, &choice["message"], &choice["delta"]].map(|place| &place["error"]);
    if let Some(error) = own.into_iter().find(|error| there(error)) {
        return Some(complaint(&error.to_string()));
    }
    let places = ["error", "errors", "detail", "error_msg", "error_code", "promptFeedback"];
    let whole = places.iter().any(|place| there(&body[*place]))
        || body["message"].is_string()
        || there(&body["base_resp"]["status_code"])
        || [&body["object"], &body["type"]].contains(&&"error".into());
    let failed = choice["finish_reason"] == "error";
    if !failed && (!whole || there(&body[mark])) {
        return None;
    }
    let mut found = complaint(&body.to_string());
    found.status = found.status.or(failed.then_some(502));
    Some(found)
}

/// Adds the server's words to `parts`, and notes a status.
fn gather(value: &Value, depth: u32, parts: &mut Vec<String>, status: &mut Option<u16>) {
    match value {
        _ if depth == 0 => {}
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner @ (Value::Object(_) | Value::Array(_))) => gather(&inner, depth - 1, parts, status),
            // An envelope that says no more than that it is one.
            _ if text.is_empty() || text == "error" || parts.contains(text) => {}
            _ => parts.push(text.clone()),
        },
        Value::Array(list) => {
            let each = list.iter();
            each.for_each(|item| gather(item, depth - 1, parts, status));
        }
        Value::Object(members) => {
            let bare = |key: &str| key.replace('_', "").to_lowercase();
            for (key, value) in members {
                if NUMBERS.split('|').any(|number| number == bare(key)) {
                    let number = value.as_u64().or_else(|| value.as_str()?.parse().ok());
                    let own = number.and_then(|n| u16::try_from(n).ok());
                    *status = status.or(own.filter(|n| (400..600).contains(n)));
                }
            }
            for place in PLACES.split('|') {
                let own = members.iter().filter(|(key, _)| bare(key) == place);
                own.for_each(|(_, value)| gather(value, depth - 1, parts, status));
            }
        }
        _ => {}
    }
}

/// Words in lower case with single spaces between them, and one before and behind all: `additionalProperties` and
/// `additional_properties` are ` additional properties `.
pub(crate) fn folded(text: &str) -> String {
    let mut out = " ".to_owned();
    let mut small = false;
    for c in text.chars().chain([' ']) {
        if (!c.is_alphanumeric() || (small && c.is_uppercase())) && !out.ends_with(' ') {
            out.push(' ');
        }
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        }
        small = c.is_lowercase();
    }
    out
}

/// Where folded text says one of these words, which are separated by `|`: a word, several, or the beginning of the last.
pub(crate) fn place(folded: &str, words: &str) -> Option<usize> {
    let places = words.split('|').filter_map(|words| folded.find(&format!(" {words}")));
    places.min()
}

/// Whether folded text says one of these words.
pub(crate) fn says(folded: &str, words: &str) -> bool {
    place(folded, words).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn complaints_leave_the_echoed_request_out() {
        let check = |body: &str, want: &str| {
            let found = complaint(body);
            assert_eq!((found.shown.as_str(), found.words), (want, folded(want)));
        };
        check(
            r#"{"error":{"message":"bad","param":"temperature"},"input":"response_format"}"#,
            "bad; temperature",
        );
        check(
            r#"{"detail":[{"loc":["body","x"],"msg":"extra inputs","input":"response_format"}]}"#,
            "extra inputs; body; x",
        );
        check(
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            "Overloaded; overloaded_error",
        );
        check(r#"{"error":"model \"m\" not found"}"#, "model \"m\" not found");
        check("plain", "plain");
        let echo = r#"{"request":{"content":"the model was not found"}}"#;
        let found = complaint(echo);
        assert_eq!((found.shown.as_str(), found.words.as_str()), (echo, " "));
        let deep = format!("{}1{}", "{\"error\":".repeat(100), "}".repeat(100));
        assert_eq!(complaint(&deep).words, " ");
    }

    #[test]
    fn errors_are_found_wherever_they_are() {
        let check = |body: Value, status: Option<u16>| {
            let found = inside(&body, "choices").unwrap_or_else(|| panic!("an error: {body}"));
            assert_eq!(found.status, status, "{body}");
            let inner = Value::String(body.to_string());
            assert_eq!(inside(&inner, "choices"), Some(found), "as a string");
        };
        let error = |error: Value| json!({ "error": error });
        check(error(json!({"code": 429, "message": "x"})), Some(429));
        check(error(json!({"code": "503", "message": "x"})), Some(503));
        check(error(json!({"code": "server_error", "message": "Provider disconnected"})), Some(503));
        check(error(json!({"type": "overloaded_error", "message": "Overloaded"})), Some(503));
        check(error(json!({"type": "rate_limit_error", "message": "x"})), Some(429));
        check(error(json!("Rate limit reached for m")), Some(429));
        check(error(json!({"type": "authentication_error"})), Some(401));
        check(error(json!("model not loaded")), None);
        check(json!([{"error": {"code": 503, "status": "UNAVAILABLE"}}]), Some(503));
        check(json!({"errors": [{"message": "Internal server error"}]}), Some(500));
        check(json!({"object": "error", "message": "The server is busy", "code": 529}), Some(529));
        check(
            json!({"base_resp": {"status_code": 1002, "status_msg": "rate limit"}, "choices": null}),
            Some(429),
        );
        check(json!({"detail": "Gateway timeout"}), Some(504));
        check(
            json!({"choices": [{"message": {"content": ""}, "error": {"code": 502, "message": "x"}}]}),
            Some(502),
        );
        check(json!({"choices": [{"delta": {"content": ""}, "finish_reason": "error"}]}), Some(502));
        check(json!({"choices": [], "error": {"message": "try again later"}}), Some(503));
        for reply in [
            json!({"choices": [{"message": {"content": "error 503"}}], "error": null}),
            json!({"choices": [{"message": {"content": "x"}}], "base_resp": {"status_code": 0}}),
            json!({"choices": [], "usage": {}}),
            json!({}),
            json!([]),
            json!("text"),
        ] {
            assert_eq!(inside(&reply, "choices"), None, "{reply}");
        }
    }
}
