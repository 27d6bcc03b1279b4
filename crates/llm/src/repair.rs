//! Damaged JSON, made whole where it is certain what was meant.
//!
//! Values are never made up: brackets and quotes are added, separators are removed, and an entry that was cut before
//! its value was whole is dropped. What is not listed in the constants below is left damaged.

mod string;

use serde::de::IgnoredAny;

const TRAILING_COMMA: &str = "removed a trailing comma";
const COMMENT: &str = "removed a comment";
const CONTROL: &str = "escaped a control character in a string";
const LITERAL: &str = "wrote True, False or None as JSON";
const SINGLE: &str = "replaced single quotes by double quotes";
const TYPOGRAPHIC: &str = "replaced typographic quotes by double quotes";
const CLOSED: &str = "closed brackets that were missing at the end";
const CUT_STRING: &str = "closed a string that was cut at the end";
const DROPPED: &str = "dropped an incomplete entry at the end";

/// Brackets inside brackets at most, as many as readers of JSON accept.
const DEEPEST: usize = 127;

/// An object that was made whole.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Repaired {
    pub(crate) json: String,
    /// Where it ends in the text.
    pub(crate) end: usize,
    /// Whether the text ended inside it.
    pub(crate) closed: bool,
    /// What was done, each thing once.
    pub(crate) repairs: Vec<&'static str>,
}

/// The object that `text` begins with; `truncated` where the text was cut at the token limit. `None` when it is not
/// certain what was meant.
pub(crate) fn object(text: &str, truncated: bool) -> Option<Repaired> {
    let mut work = Work {
        text,
        at: 0,
        out: String::new(),
        open: Vec::new(),
        repairs: Vec::new(),
        quotes: None,
        comma: 0,
        any: false,
        truncated,
    };
    let closed = work.run()?;
    // The last word on what is JSON has the parser.
    serde_json::from_str::<IgnoredAny>(&work.out).ok()?;
    Some(Repaired {
        json: work.out,
        end: if closed { text.len() } else { work.at },
        closed,
        repairs: work.repairs,
    })
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Want {
    /// A key or an item, or the closing bracket.
    First,
    /// A key or an item, after a comma.
    Next,
    /// The colon after a key.
    Colon,
    /// The value of a key.
    Value,
    /// A comma, or the closing bracket.
    Comma,
    /// Nothing: the object is whole.
    Nothing,
    /// Nothing: the text is over, and the value at its end is to be dropped.
    Over,
}

/// A bracket that is open.
struct Open {
    object: bool,
    /// The length of the output after its last whole entry.
    kept: usize,
}

/// The characters around strings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Double,
    Single,
    Typographic,
}

struct Work<'a> {
    text: &'a str,
    at: usize,
    out: String,
    open: Vec<Open>,
    repairs: Vec<&'static str>,
    /// The quotes that the object used so far.
    quotes: Option<Quotes>,
    /// Where the last comma stands in the output.
    comma: usize,
    /// Whether an entry is whole.
    any: bool,
    truncated: bool,
}

impl<'a> Work<'a> {
    /// Goes through the text up to the end of the object. True when the text ended before.
    fn run(&mut self) -> Option<bool> {
        if !self.rest().starts_with('{') {
            return None;
        }
        let mut want = self.push('{')?;
        loop {
            match want {
                Want::Nothing => return Some(false),
                Want::Over => return self.close(true),
                _ => {}
            }
            self.blank();
            let Some(next) = self.peek() else {
                return self.close(matches!(want, Want::Colon | Want::Value));
            };
            want = self.step(want, next)?;
        }
    }

    fn step(&mut self, want: Want, next: char) -> Option<Want> {
        let object = self.open.last()?.object;
        let end = if object { '}' } else { ']' };
        match want {
            Want::First | Want::Next | Want::Comma if next == end => {
                if want == Want::Next {
                    self.out.remove(self.comma);
                    self.note(TRAILING_COMMA);
                }
                self.pop()
            }
            Want::First | Want::Next if object => self.string(next, true),
            Want::First | Want::Next | Want::Value => match next {
                '{' | '[' => self.push(next),
                c if string::opens(c) => self.string(c, false),
                _ => self.scalar(),
            },
            Want::Colon if next == ':' => {
                self.take(':');
                Some(Want::Value)
            }
            Want::Comma if next == ',' => {
                self.comma = self.out.len();
                self.take(',');
                Some(Want::Next)
            }
            _ => None,
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next character; `None` where nothing but a code fence is left.
    fn peek(&self) -> Option<char> {
        let rest = self.rest();
        rest.chars().next().filter(|c| *c != '`' || rest.trim_end().chars().any(|c| c != '`'))
    }

    /// Copies one character.
    fn take(&mut self, c: char) {
        self.out.push(c);
        self.at += c.len_utf8();
    }

    fn note(&mut self, repair: &'static str) {
        if !self.repairs.contains(&repair) {
            self.repairs.push(repair);
        }
    }

    /// Copies white space and leaves comments out.
    fn blank(&mut self) {
        loop {
            let rest = self.rest();
            match rest.bytes().next() {
                Some(byte @ (b' ' | b'\n' | b'\r' | b'\t')) => self.take(char::from(byte)),
                Some(b'/') if rest.starts_with("//") => {
                    self.at += rest.find('\n').unwrap_or(rest.len());
                    self.note(COMMENT);
                }
                _ => return,
            }
        }
    }

    fn push(&mut self, bracket: char) -> Option<Want> {
        if self.open.len() >= DEEPEST {
            return None;
        }
        self.take(bracket);
        self.open.push(Open { object: bracket == '{', kept: self.out.len() });
        Some(Want::First)
    }

    fn pop(&mut self) -> Option<Want> {
        let open = self.open.pop()?;
        self.take(if open.object { '}' } else { ']' });
        Some(if self.open.is_empty() { Want::Nothing } else { self.whole() })
    }

    /// An entry is whole.
    fn whole(&mut self) -> Want {
        self.any = true;
        if let Some(open) = self.open.last_mut() {
            open.kept = self.out.len();
        }
        Want::Comma
    }

    /// A number or a word.
    fn scalar(&mut self) -> Option<Want> {
        let rest = self.rest();
        let length = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_')))
            .unwrap_or(rest.len());
        let token = &rest[..length];
        self.at += length;
        let over = length > 0 && self.rest().is_empty();
        let json = match token {
            "true" | "false" | "null" => token,
            "True" => "true",
            "False" => "false",
            "None" => "null",
            // Any number, and any beginning of a word, may go on behind the end of the text.
            _ if over => return Some(Want::Over),
            _ => token.starts_with(|c: char| c == '-' || c.is_ascii_digit()).then_some(token)?,
        };
        if json != token {
            self.note(LITERAL);
        }
        self.out.push_str(json);
        Some(self.whole())
    }

    /// Closes what is open at the end of the text, without an entry that is not whole; `dropped` where there is one.
    fn close(&mut self, dropped: bool) -> Option<bool> {
        if dropped {
            self.note(DROPPED);
        }
        let kept = self.open.last()?.kept;
        self.out.truncate(kept);
        // An object without anything in it tells nothing.
        if !self.any {
            return None;
        }
        for open in self.open.drain(..).rev() {
            self.out.push(if open.object { '}' } else { ']' });
        }
        self.note(CLOSED);
        Some(true)
    }
}

#[cfg(test)]
mod tests;
