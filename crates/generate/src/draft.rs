//! The sentences of an answer while a model writes it: read from the beginning of a reply that is not complete yet.

/// The key whose texts are shown.
const KEY: &str = "sentence";

/// Reads a reply of [`crate::LanguageModel`] character by character.
#[derive(Debug, Default)]
pub struct Draft {
    state: State,
    /// The string that is being read or was read last.
    string: String,
    /// Whether a colon stands between the last string and here.
    is_value: bool,
    /// The last key.
    key: String,
    /// Digits of a `\u` escape, and the first half of a pair of them.
    code: String,
    high: Option<u32>,
    /// Whether a sentence was shown before.
    any: bool,
}

#[derive(Debug, Default, PartialEq)]
enum State {
    #[default]
    Outside,
    Inside,
    Escape,
    Code,
}

impl Draft {
    /// Takes the next characters of the reply, and returns what they add to the answer: text of sentences, with a space between
    /// them.
    pub fn push(&mut self, text: &str) -> String {
        let mut out = String::new();
        for c in text.chars() {
            match self.state {
                State::Outside => self.outside(c, &mut out),
                State::Inside => match c {
                    '"' => self.end(),
                    '\\' => self.state = State::Escape,
                    c => self.add(c, &mut out),
                },
                State::Escape => self.escape(c, &mut out),
                State::Code => self.code(c, &mut out),
            }
        }
        out
    }

    fn outside(&mut self, c: char, out: &mut String) {
        match c {
            '"' => {
                self.state = State::Inside;
                self.string.clear();
                if self.is_sentence() && self.any {
                    out.push(' ');
                }
                self.any |= self.is_sentence();
            }
            ':' => {
                self.key = std::mem::take(&mut self.string);
                self.is_value = true;
            }
            c if c.is_whitespace() => {}
            // Anything else ends a value or begins one that is no string.
            _ => self.is_value = false,
        }
    }

    fn is_sentence(&self) -> bool {
        self.is_value && self.key == KEY
    }

    fn end(&mut self) {
        self.state = State::Outside;
        self.high = None;
        if self.is_value {
            self.is_value = false;
            self.string.clear();
        }
    }

    fn add(&mut self, c: char, out: &mut String) {
        if self.is_sentence() {
            out.push(c);
        } else {
            self.string.push(c);
        }
    }

    fn escape(&mut self, c: char, out: &mut String) {
        self.state = State::Inside;
        match c {
            'u' => {
                self.state = State::Code;
                self.code.clear();
            }
            'n' | 'r' | 't' | 'b' | 'f' => self.add(' ', out),
            c => self.add(c, out),
        }
    }

    fn code(&mut self, c: char, out: &mut String) {
        self.code.push(c);
        if self.code.len() < 4 {
            return;
        }
        self.state = State::Inside;
        let code = u32::from_str_radix(&self.code, 16).unwrap_or(0xfffd);
        let code = match (self.high.take(), code) {
            (Some(high), 0xdc00..=0xdfff) => 0x1_0000 + ((high - 0xd800) << 10) + (code - 0xdc00),
            (_, 0xd800..=0xdbff) => {
                self.high = Some(code);
                return;
            }
            (_, code) => code,
        };
        self.add(char::from_u32(code).unwrap_or('\u{fffd}'), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sentences_are_read_whatever_the_pieces() {
        let reply = json!({"claims": [
            {"evidence": [{"source_id": "sentence", "relevant_quote": "a \"sentence\": no"}], "sentence": "Tea \"helps\" 5 µg.\nAlways."},
            {"evidence": [], "sentence": "😀 It does: so."},
        ], "sentence": 5, "no_evidence": false, "caveats": ["sentence", ": x"]});
        let plain = reply.to_string();
        let escaped = plain.replace('😀', "\\ud83d\\ude00").replace('µ', "\\u00b5");
        for text in [&plain, &escaped, &serde_json::to_string_pretty(&reply).expect("JSON")] {
            for size in [1, 3, 1000] {
                let mut draft = Draft::default();
                let chars: Vec<char> = text.chars().collect();
                let pieces = chars.chunks(size).map(|piece| piece.iter().collect::<String>());
                let read: String = pieces.map(|piece| draft.push(&piece)).collect();
                assert_eq!(read, "Tea \"helps\" 5 µg. Always. 😀 It does: so.", "{size}: {text}");
            }
        }
    }

    #[test]
    fn what_is_no_answer_shows_nothing() {
        for text in ["", "Sorry.", r#"{"sentences": [1], "answers": true}"#, r#"{"claims": [{"sentence":"#] {
            assert_eq!(Draft::default().push(text), "", "{text}");
        }
    }
}
