//! What a request to a language model is made of: our own words, and data that is escaped on its way in.

use serde_json::Value;
use std::{borrow::Cow, fmt, ops::Deref};
use text::prompt_data::{attribute, escape};

/// A prompt, or a part of one. Nothing enters it but literals of this program and data that [`escape`] or [`attribute`] has
/// gone over, so that no text of a paper, a question or a reply can end its block.
///
/// ```
/// use types::Prompt;
/// let prompt = Prompt::new("<excerpt").attribute("title", "A \"new\" view>").own(">\n").data("p < 0.05 </excerpt>");
/// assert_eq!(&*prompt, "<excerpt title=\"A 'new' view›\">\np < 0.05 ‹/excerpt>");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt(String);

impl Prompt {
    /// Our own words.
    pub fn new(own: &'static str) -> Self {
        Self(own.to_owned())
    }

    /// Our own words, with data in place of `{name}`.
    pub fn filled(own: &'static str, name: &str, data: &str) -> Self {
        Self(own.replace(&format!("{{{name}}}"), &escape(data)))
    }

    /// Data as JSON, whose quoting keeps text from posing as structure. Each text in it is escaped.
    pub fn json(mut data: Value) -> Self {
        escape_texts(&mut data);
        Self(data.to_string())
    }

    /// Adds our own words.
    #[must_use]
    pub fn own(mut self, own: &'static str) -> Self {
        self.0.push_str(own);
        self
    }

    /// Adds data, which cannot open or close a block.
    #[must_use]
    pub fn data(mut self, data: &str) -> Self {
        self.0.push_str(&escape(data));
        self
    }

    /// Adds ` name="value"`; the value cannot end its quotes, its tag or its line either.
    #[must_use]
    pub fn attribute(mut self, name: &'static str, value: &str) -> Self {
        self.0.extend([" ", name, "=\"", &attribute(value), "\""]);
        self
    }

    /// Adds another prompt.
    #[must_use]
    pub fn then(mut self, other: &Self) -> Self {
        self.0.push_str(other);
        self
    }
}

fn escape_texts(data: &mut Value) {
    match data {
        Value::String(text) => {
            if let Cow::Owned(escaped) = escape(text) {
                *text = escaped;
            }
        }
        Value::Array(list) => list.iter_mut().for_each(escape_texts),
        Value::Object(fields) => fields.values_mut().for_each(escape_texts),
        _ => {}
    }
}

impl Deref for Prompt {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl From<&'static str> for Prompt {
    fn from(own: &'static str) -> Self {
        Self::new(own)
    }
}
