//! The entries of a BibTeX file, read as leniently as people write it: what lies between entries is skipped, and an entry
//! that is not closed ends where the next one begins.

/// The value of a field: its parts, joined by `#`.
pub(super) type Value<'s> = Vec<Part<'s>>;

/// A part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'s> {
    /// TeX between braces or quotation marks.
    Tex(&'s str),
    /// A number, or the name of a macro.
    Word(&'s str),
}

/// An entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RawEntry<'s> {
    /// What it is, in lower case: `article`, or `string` for a macro.
    pub(super) kind: String,
    /// Its key; empty if it has none.
    pub(super) key: &'s str,
    /// Its fields with their names in lower case.
    pub(super) fields: Vec<(String, Value<'s>)>,
    /// What is wrong with it.
    pub(super) fault: Option<&'static str>,
}

/// The fault of an entry of which nothing can be trusted.
pub(super) const OPEN: &str = "a brace or quotation mark is not closed";
const STRAY: &str = "it has text that belongs to no field";

/// Reads all entries. `spend` is told how many bytes were looked at.
///
/// # Errors
/// Those of `spend`.
pub(super) fn read(
    text: &str,
    mut spend: impl FnMut(usize) -> Result<(), String>,
) -> Result<Vec<RawEntry<'_>>, String> {
    let mut out = Vec::new();
    let (mut at, mut next) = (0, 0);
    while let Some(found) = text[at..].find(['@', '%']) {
        let begin = at + found;
        at = begin + 1;
        if text[begin..].starts_with('%') {
            at = begin + text[begin..].find('\n').unwrap_or(text.len() - begin);
            continue;
        }
        let before = text[..begin].chars().next_back();
        let is_address = before.is_some_and(|c| c.is_alphanumeric() || "._-+".contains(c));
        let Some((kind, close, body)) = begins(&text[begin..]).filter(|_| !is_address) else {
            continue;
        };
        let inside = text.len() - body.len();
        at = inside;
        if ["comment", "preamble"].contains(&kind.as_str()) {
            let end = group_end(body, close);
            spend(end.unwrap_or(body.len()))?;
            at += end.unwrap_or(0);
            continue;
        }
        // No entry reaches into the next one.
        if next <= begin {
            next = inside + next_entry(body);
        }
        let mut reader = Reader { rest: &text[inside..next] };
        let mut entry = RawEntry { kind, ..RawEntry::default() };
        if reader.entry(&mut entry, close).is_some() {
            at = next - reader.rest.len();
            spend(at - inside)?;
        } else {
            // It was searched to its end, and may hold others on its line.
            spend(next - inside)?;
            entry.fault = Some(OPEN);
        }
        out.push(entry);
    }
    Ok(out)
}

/// The kind of the entry that begins with `text`, how it ends, and what follows its bracket.
fn begins(text: &str) -> Option<(String, char, &str)> {
    let name = text.strip_prefix('@')?.trim_start();
    let end = name.find(|c: char| !c.is_ascii_alphabetic())?;
    let mut body = name[end..].trim_start().chars();
    let close = match body.next()? {
        '{' => '}',
        '(' => ')',
        _ => return None,
    };
    (end > 0).then(|| (name[..end].to_lowercase(), close, body.as_str()))
}

/// Where the next line begins that begins an entry.
fn next_entry(text: &str) -> usize {
    let lines = text.match_indices('\n').map(|(at, _)| at + 1);
    let is_entry = |at: &usize| begins(text[*at..].trim_start_matches([' ', '\t'])).is_some();
    { lines }.find(is_entry).unwrap_or(text.len())
}

/// Where the group ends that `text` is the inside of.
pub(super) fn group_end(text: &str, close: char) -> Option<usize> {
    let (mut depth, mut escaped) = (0_usize, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == close && depth == 0 => return Some(at),
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// What is left of one entry.
struct Reader<'s> {
    rest: &'s str,
}

impl<'s> Reader<'s> {
    /// Reads key and fields; `None` if the entry is not closed.
    fn entry(&mut self, out: &mut RawEntry<'s>, close: char) -> Option<()> {
        let mut is_first = true;
        loop {
            let between = |c: char| c.is_whitespace() || c == ',';
            self.rest = self.rest.trim_start_matches(between);
            if let Some(rest) = self.rest.strip_prefix(close) {
                self.rest = rest;
                return Some(());
            }
            if self.rest.is_empty() || begins(self.rest).is_some() {
                return None;
            }
            let name = self.word(close);
            match self.rest.trim_start().strip_prefix('=') {
                // A character that begins nothing.
                _ if name.is_empty() => self.rest = self.rest.get(1..).unwrap_or_default(),
                Some(rest) => {
                    self.rest = rest;
                    out.fields.push((name.to_lowercase(), self.value(close)?));
                }
                None if is_first => out.key = name,
                None => out.fault = Some(STRAY),
            }
            is_first = false;
        }
    }

    /// The parts of a value; `None` if one of them is not closed.
    fn value(&mut self, close: char) -> Option<Value<'s>> {
        let mut out = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.starts_with(['{', '"']) {
                let inner = &self.rest[1..];
                let at = group_end(inner, if self.rest.starts_with('{') { '}' } else { '"' })?;
                out.push(Part::Tex(&inner[..at]));
                self.rest = &inner[at + 1..];
            } else {
                out.push(Part::Word(self.word(close)));
            }
            match self.rest.trim_start().strip_prefix('#') {
                Some(rest) => self.rest = rest,
                None => return Some(out),
            }
        }
    }

    fn word(&mut self, close: char) -> &'s str {
        let ends = |c: char| c.is_whitespace() || c == close || "=,{}\"#".contains(c);
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }
}
