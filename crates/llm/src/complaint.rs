//! What is read of a rejection.

use serde_json::Value;

/// What the body of an error says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// What people are shown: the server's words, or the whole body where it is not known which part they are.
    pub(crate) shown: String,
    /// The server's words alone. Servers echo the request in other parts of the body, and a paper's words must not be
    /// taken for the server's.
    pub(crate) words: String,
}

/// Places where servers put their words.
const PLACES: [&str; 7] = [
    "/error/message",
    "/error/param",
    "/error/code",
    "/error/type",
    "/message",
    "/detail",
    "/error",
];

/// Reads the body of an error.
pub(crate) fn complaint(body: &str) -> Complaint {
    let of = |shown: &str, words: &str| Complaint {
        shown: shown.to_owned(),
        words: words.to_owned(),
    };
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        return of(body, body);
    };
    let mut parts = Vec::new();
    for place in PLACES {
        if let Some(text) = value.pointer(place).and_then(Value::as_str) {
            parts.push(text.to_owned());
        }
    }
    // Validation errors of FastAPI servers: what and where, not the input that they repeat.
    for item in value
        .pointer("/detail")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        parts.push(format!(
            "{}: {}",
            item["loc"],
            item["msg"].as_str().unwrap_or_default()
        ));
    }
    if parts.is_empty() {
        return of(body, "");
    }
    let words = parts.join("; ");
    of(&words, &words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_leave_the_echoed_request_out() {
        let check = |body: &str, want: &str| {
            let found = complaint(body);
            assert_eq!((found.shown.as_str(), found.words.as_str()), (want, want));
        };
        check(
            r#"{"error":{"message":"bad","param":"temperature"},"input":"response_format"}"#,
            "bad; temperature",
        );
        check(
            r#"{"detail":[{"loc":["body","x"],"msg":"extra inputs","input":"response_format"}]}"#,
            r#"["body","x"]: extra inputs"#,
        );
        check(
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            "Overloaded; overloaded_error",
        );
        check(r#"{"error":"model \"m\" not found"}"#, "model \"m\" not found");
        check("plain", "plain");
        let echo = r#"{"request":{"content":"the model was not found"}}"#;
        let found = complaint(echo);
        assert_eq!((found.shown.as_str(), found.words.as_str()), (echo, ""));
    }
}
