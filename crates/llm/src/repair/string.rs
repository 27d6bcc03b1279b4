//! Strings of damaged JSON.

use super::{CONTROL, CUT_STRING, Quotes, SINGLE, TYPOGRAPHIC, Want, Work};
use std::fmt::Write;

/// Whether a string can begin with this character.
pub(super) fn opens(c: char) -> bool {
    matches!(c, '"' | '\'' | '“' | '”')
}

/// How a string ended.
enum Ended {
    /// At its closing quote.
    Closed,
    /// With the text.
    Cut,
}

impl Work<'_> {
    /// A key or a value that begins with `quote`.
    pub(super) fn string(&mut self, quote: char, key: bool) -> Option<Want> {
        let quotes = match quote {
            '"' => Quotes::Double,
            '\'' => Quotes::Single,
            '“' | '”' => Quotes::Typographic,
            _ => return None,
        };
        // Single quotes are apostrophes too, so that they count only where nothing else is used.
        let mixed = |own: Quotes| own != quotes && (own == Quotes::Single || quotes == Quotes::Single);
        if self.quotes.is_some_and(mixed) {
            return None;
        }
        self.quotes = Some(quotes);
        match quotes {
            Quotes::Double => {}
            Quotes::Single => self.note(SINGLE),
            Quotes::Typographic => self.note(TYPOGRAPHIC),
        }
        self.at += quote.len_utf8();
        self.out.push('"');
        let start = self.out.len();
        match (self.content(quote, quotes)?, key) {
            (Ended::Closed, true) => Some(Want::Colon),
            (Ended::Closed, false) => Some(self.whole()),
            (Ended::Cut, _) if quotes != Quotes::Double => None,
            (Ended::Cut, true) => Some(Want::Over),
            (Ended::Cut, false) => {
                let end = self.out[start..].trim_end();
                // Without a quote at its end the string may have taken in the brackets that follow it.
                if !self.truncated && end.contains(['}', ']', '`']) {
                    return None;
                }
                self.out.push('"');
                self.note(CUT_STRING);
                Some(self.whole())
            }
        }
    }

    /// Copies what stands between the quotes, and the closing quote.
    fn content(&mut self, quote: char, quotes: Quotes) -> Option<Ended> {
        // Typographic quotes inside typographic quotes come in pairs.
        let mut inner = 0_u32;
        while let Some(c) = self.rest().chars().next() {
            match (c, quotes) {
                ('"', Quotes::Double) | ('\'', Quotes::Single) => return Some(self.closed(c)),
                ('”', Quotes::Typographic) if inner == 0 => return Some(self.closed(c)),
                ('"', Quotes::Single) => return None,
                ('"', Quotes::Typographic) => {
                    self.out.push('\\');
                    self.take(c);
                }
                ('“', Quotes::Typographic) if quote == '“' => {
                    inner += 1;
                    self.take(c);
                }
                ('”', Quotes::Typographic) => {
                    inner -= 1;
                    self.take(c);
                }
                ('\\', _) => {
                    if !self.escape(quotes)? {
                        self.at = self.text.len();
                        return Some(Ended::Cut);
                    }
                }
                (c, _) if u32::from(c) < 0x20 => {
                    self.at += 1;
                    self.control(c);
                }
                _ => self.take(c),
            }
        }
        Some(Ended::Cut)
    }

    fn closed(&mut self, quote: char) -> Ended {
        self.at += quote.len_utf8();
        self.out.push('"');
        Ended::Closed
    }

    /// Copies what follows a backslash. False when the text ends in it; `None` when JSON does not know it.
    fn escape(&mut self, quotes: Quotes) -> Option<bool> {
        let rest = self.rest();
        let Some(c) = rest[1..].chars().next() else {
            return Some(false);
        };
        match c {
            '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => self.out.push_str(&rest[..2]),
            '\'' if quotes == Quotes::Single => self.out.push('\''),
            'u' => return self.code_unit(),
            _ => return None,
        }
        self.at += 2;
        Some(true)
    }

    /// Copies `\u` with its four digits, or both halves of a pair.
    fn code_unit(&mut self) -> Option<bool> {
        let rest = self.rest();
        let Unit::Whole(high) = unit(rest)? else {
            return Some(false);
        };
        let mut length = 6;
        if (0xd800..0xdc00).contains(&high) {
            let second = &rest[6..];
            if second.is_empty() || second == "\\" {
                return Some(false);
            }
            if second.starts_with("\\u") {
                if matches!(unit(second)?, Unit::Cut) {
                    return Some(false);
                }
                length = 12;
            }
        }
        self.out.push_str(&rest[..length]);
        self.at += length;
        Some(true)
    }

    fn control(&mut self, c: char) {
        self.note(CONTROL);
        match c {
            '\n' => self.out.push_str("\\n"),
            '\r' => self.out.push_str("\\r"),
            '\t' => self.out.push_str("\\t"),
            // Writing to a string cannot fail.
            _ => drop(write!(self.out, "\\u{:04x}", u32::from(c))),
        }
    }
}

/// What stands at the start of a text that begins with `\u`.
enum Unit {
    /// Four digits, and their number.
    Whole(u32),
    /// Fewer, and the end of the text.
    Cut,
}

/// Reads a `\u` escape; `None` when it is none.
fn unit(text: &str) -> Option<Unit> {
    let digits = text.as_bytes().get(2..).unwrap_or_default();
    let digits = &digits[..digits.len().min(4)];
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    if digits.len() < 4 {
        return Some(Unit::Cut);
    }
    let digits = digits.iter().filter_map(|digit| char::from(*digit).to_digit(16));
    Some(Unit::Whole(digits.fold(0, |sum, digit| sum * 16 + digit)))
}
