//! Lists in a cell of a table: JSON, or a Python literal as `str(list)` writes it.

use serde_json::{Map, Number, Value};
use std::{iter::Peekable, str::Chars};

/// Lists inside lists at most.
const DEEPEST: usize = 16;

/// The value of a cell that begins like a list or a dictionary.
///
/// Items of a list may be separated by white space alone, as NumPy writes them, also inside `array(…, dtype=object)`. `nan`,
/// `inf` and `None` are null.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse(cell: &str) -> Result<Value, String> {
    let cell = cell.trim();
    if let Ok(value) = serde_json::from_str(cell) {
        return Ok(value);
    }
    let mut reader = Reader { chars: cell.chars().peekable() };
    let value = reader.value(0)?;
    reader.blank();
    match reader.chars.next() {
        None => Ok(value),
        Some(c) => Err(format!("{c:?} follows the list")),
    }
}

struct Reader<'a> {
    chars: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    fn blank(&mut self) {
        while self.chars.next_if(|c| c.is_whitespace()).is_some() {}
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > DEEPEST {
            return Err("lists are nested too deeply".to_owned());
        }
        self.blank();
        match self.chars.peek() {
            None => Err("the list is not closed".to_owned()),
            Some('[') => self.list(']', depth),
            Some('(') => self.list(')', depth),
            Some('{') => self.dictionary(depth),
            Some('\'' | '"') => self.string().map(Value::String),
            Some(_) => self.word(depth),
        }
    }

    fn list(&mut self, close: char, depth: usize) -> Result<Value, String> {
        self.chars.next();
        let mut items = Vec::new();
        loop {
            self.blank();
            if self.chars.next_if_eq(&close).is_some() {
                return Ok(Value::Array(items));
            }
            items.push(self.value(depth + 1)?);
            self.blank();
            self.chars.next_if_eq(&',');
        }
    }

    fn dictionary(&mut self, depth: usize) -> Result<Value, String> {
        self.chars.next();
        let mut entries = Map::new();
        loop {
            self.blank();
            if self.chars.next_if_eq(&'}').is_some() {
                return Ok(Value::Object(entries));
            }
            let key = match self.value(depth + 1)? {
                Value::String(key) => key,
                other => other.to_string(),
            };
            self.blank();
            if self.chars.next_if_eq(&':').is_none() {
                return Err(format!("the key {key:?} has no value"));
            }
            let value = self.value(depth + 1)?;
            entries.insert(key, value);
            self.blank();
            self.chars.next_if_eq(&',');
        }
    }

    fn string(&mut self) -> Result<String, String> {
        let open = || "a string is not closed".to_owned();
        let quote = self.chars.next().ok_or_else(open)?;
        let mut out = String::new();
        loop {
            match self.chars.next().ok_or_else(open)? {
                c if c == quote => return Ok(out),
                '\\' => {
                    let c = self.chars.next().ok_or_else(open)?;
                    match c {
                        'n' => out.push('\n'),
                        't' => out.push('\t'),
                        'r' => out.push('\r'),
                        '\n' => {}
                        'x' => out.push(self.code(2)?),
                        'u' => out.push(self.code(4)?),
                        'U' => out.push(self.code(8)?),
                        '\\' | '\'' | '"' => out.push(c),
                        other => out.extend(['\\', other]),
                    }
                }
                c => out.push(c),
            }
        }
    }

    /// A character by its hexadecimal number. Half of a surrogate pair is U+FFFD.
    fn code(&mut self, digits: usize) -> Result<char, String> {
        let text: String = self.chars.by_ref().take(digits).collect();
        let code = u32::from_str_radix(&text, 16).ok().filter(|_| text.len() == digits);
        let char_of = |code| match code {
            0xd800..=0xdfff => Some(char::REPLACEMENT_CHARACTER),
            code => char::from_u32(code),
        };
        code.and_then(char_of).ok_or_else(|| format!("{text:?} is not the number of a character"))
    }

    fn word(&mut self, depth: usize) -> Result<Value, String> {
        let mut word = String::new();
        while let Some(c) = self.chars.next_if(|c| c.is_alphanumeric() || matches!(c, '+' | '-' | '.' | '_'))
        {
            word.push(c);
        }
        match word.as_str() {
            "True" | "true" => return Ok(Value::Bool(true)),
            "False" | "false" => return Ok(Value::Bool(false)),
            "None" | "null" | "nan" | "NaN" => return Ok(Value::Null),
            // The list, and how NumPy keeps it.
            "array" if self.chars.next_if_eq(&'(').is_some() => {
                let list = self.value(depth + 1)?;
                while self.chars.next().ok_or("the array is not closed")? != ')' {}
                return Ok(list);
            }
            "" => {
                let next = self.chars.peek().copied().unwrap_or(' ');
                return Err(format!("{next:?} begins no value"));
            }
            _ => {}
        }
        let number = word.parse::<i64>().map(Number::from).ok();
        let other = || Some(Number::from_f64(word.parse().ok()?).map_or(Value::Null, Value::Number));
        number
            .map(Value::Number)
            .or_else(other)
            .ok_or_else(|| format!("{word:?} is not a value; strings need quotes"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_as_json_and_as_python() {
        let check = |cell: &str, want: Value| assert_eq!(parse(cell), Ok(want), "{cell}");
        check(r#"["a", "b"]"#, json!(["a", "b"]));
        check(r#"['it"s', "it's", 'it\'s']"#, json!(["it\"s", "it's", "it's"]));
        check(r"['a\nb', 'c\\d', '\x41\u00e9', '\d']", json!(["a\nb", "c\\d", "Aé", "\\d"]));
        check("['a'\n 'b']", json!(["a", "b"]));
        check("('a', 1, -2.5, True, None, nan)", json!(["a", 1, -2.5, true, null, null]));
        check("[{'page': 3, 'text': 'x',}]", json!([{"page": 3, "text": "x"}]));
        check(" [] ", json!([]));
        check("array(['a', 'b\\ud83d'], dtype=object)", json!(["a", "b\u{fffd}"]));
        check("[array(['a'\n 'b'], dtype='<U9'), inf, 2.]", json!([["a", "b"], null, 2.0]));
    }

    #[test]
    fn damaged_lists_are_errors() {
        for (cell, want) in [
            ("['a'", "not closed"),
            ("['a", "not closed"),
            ("[a, b]", "\"a\" is not a value"),
            ("['a'] x", "follows the list"),
            ("{'a'}", "has no value"),
            (r"['\ud83']", "not the number of a character"),
            ("array(['a']", "the array is not closed"),
            ("['a' ... 'z']", "\"...\" is not a value"),
            ("[}", "begins no value"),
            (&"[".repeat(40), "too deeply"),
        ] {
            let error = parse(cell).expect_err(cell);
            assert!(error.contains(want), "{cell}: {error}");
        }
    }
}
