//! A passage together with what is known of its source.

/// Title, authors and year of a source on one line, as a reader sees them; empty where nothing is known.
pub fn source_line(title: Option<&str>, authors: &[String], year: Option<u16>) -> String {
    let mut parts = Vec::new();
    parts.extend(title.map(|title| format!("{}.", title.trim_end_matches('.'))));
    if !authors.is_empty() {
        parts.push(format!("{}.", authors.join(", ")));
    }
    parts.extend(year.map(|year| format!("({year})")));
    parts.join(" ")
}

/// What a claim is judged against: the source and the text, so that a right attribution is supported and a wrong
/// one is not.
pub fn passage(source_line: &str, text: &str) -> String {
    if source_line.is_empty() {
        text.to_owned()
    } else {
        format!("{source_line}\n\n{text}")
    }
}
