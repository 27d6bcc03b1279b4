//! Untrusted text inside a prompt.
//!
//! A prompt shows papers and questions to a language model inside blocks (`<excerpt …>` to `</excerpt>`, `<question>`
//! to `</question>`). Text that contains such a tag could end its block and look like instructions. [`escape`] changes
//! whatever can be read as one of these tags, however it is written, and what chat templates read as a turn; nothing else:
//! quotes stay verbatim, and so does `p < 0.05`.
//!
//! All prompts use it: `types::Prompt` lets no other text in. It keeps text inside its block; it cannot keep a model from following an instruction inside the
//! block, which is why answers are verified afterwards.

use crate::chars::is_default_ignorable;
use std::{borrow::Cow, ops::Range};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// The names of the blocks in prompts: what opens or closes one of them is escaped.
pub const BLOCKS: [&str; 3] = ["excerpt", "question", "claim"];

/// Most characters of a tag that begins or ends a turn in the templates of some models.
const TURN_CHARS: usize = 32;
/// Names of such tags.
const TURNS: [&str; 2] = ["startofturn", "endofturn"];

/// Replaces a `<`, and the `[` of `[INST]`.
const REPLACEMENT: char = '‹';

/// The text with every `<` that opens or closes a block of [`BLOCKS`] replaced by `‹`, and likewise the first character of what
/// chat templates read as a turn: `<|im_start|>`, `<start_of_turn>`, `[INST]`, `<<SYS>>`. Borrowed if there is none.
///
/// A tag is recognised as a careless reader would: in any case, with spaces, slashes and other punctuation inside it,
/// with invisible characters (zero-width, direction marks, fillers), in full-width and other compatibility
/// forms, with accents, and with HTML character references (`&lt;`, `&#60;`, `&#x3c;`, `&amp;lt;`), also nested ones.
/// Takes time linear in the text. `escape(escape(x)) == escape(x)`.
///
/// ```
/// use text::prompt_data::escape;
/// assert_eq!(escape("p < 0.05 </excerpt>"), "p < 0.05 ‹/excerpt>");
/// assert_eq!(escape("< / Ex\u{200b}cerpt > &lt;question&gt;"), "‹ / Ex\u{200b}cerpt > ‹question&gt;");
/// ```
pub fn escape(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for tag in tags(&decoded(&visible(text)), true) {
        out.push_str(&text[copied..tag.start]);
        out.push(REPLACEMENT);
        copied = tag.end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// The `<` of every tag of [`BLOCKS`], in order: bytes into the text.
pub fn block_tags(text: &str) -> Vec<Range<usize>> {
    let tags = tags(&decoded(&visible(text)), false);
    tags.into_iter().map(|tag| tag.start..tag.end).collect()
}

/// A value for an attribute in a tag of a prompt, or for a line: it cannot end its quotes, its tag or its line, nor open a
/// block, and has no character that no one sees.
pub fn attribute(value: &str) -> String {
    let plain = |c: char| match c {
        '"' => '\'',
        '<' => REPLACEMENT,
        '>' => '›',
        c if c.is_whitespace() || c.is_control() => ' ',
        c => c,
    };
    let seen = value.chars().filter(|c| !is_default_ignorable(*c));
    let value: String = seen.map(plain).collect();
    escape(&value).into_owned()
}

/// A character as it is read, and the bytes of the text that encode it.
#[derive(Clone, Copy)]
struct Read {
    c: char,
    start: usize,
    end: usize,
}

/// The text as a reader sees it: no white space, nothing invisible, compatibility forms as the plain letter, lower
/// case, no accents.
fn visible(text: &str) -> Vec<Read> {
    let mut out = Vec::with_capacity(text.len());
    for (start, c) in text.char_indices() {
        let end = start + c.len_utf8();
        out.extend(plain(c).map(|c| Read { c, start, end }));
    }
    out
}

/// The plain characters of one character; none for an invisible one.
fn plain(c: char) -> impl Iterator<Item = char> {
    let seen = |c: &char| {
        !c.is_whitespace() && !c.is_control() && !is_default_ignorable(*c) && !is_combining_mark(*c)
    };
    std::iter::once(c).filter(seen).nfkd().flat_map(char::to_lowercase).filter(move |c| seen(c))
}

/// The same with character references decoded, including nested ones.
fn decoded(read: &[Read]) -> Vec<Read> {
    let mut out = Vec::with_capacity(read.len());
    let mut at = 0;
    while let Some(&first) = read.get(at) {
        let (mut c, mut next) = (first.c, at + 1);
        while let Some((own, length)) = (c == '&').then(|| reference(&read[next..])).flatten() {
            c = own;
            next += length;
        }
        let (start, end) = (first.start, read[next - 1].end);
        if next == at + 1 {
            out.push(first);
        } else {
            out.extend(plain(c).map(|c| Read { c, start, end }));
        }
        at = next;
    }
    out
}

/// The character that a reference encodes, and the length of the reference; `rest` begins after its `&`.
fn reference(rest: &[Read]) -> Option<(char, usize)> {
    let begins = |name: &str| name.chars().eq(rest.iter().take(name.len()).map(|read| read.c));
    let (c, length) = if begins("lt") {
        ('<', 2)
    } else if begins("amp") {
        ('&', 3)
    } else if begins("#x") {
        numeric(&rest[2..], 16, 2)?
    } else if begins("#") {
        numeric(&rest[1..], 10, 1)?
    } else {
        return None;
    };
    let semicolon = rest.get(length).is_some_and(|read| read.c == ';');
    Some((c, length + usize::from(semicolon)))
}

/// The character of a numeric reference whose digits begin `digits`, and its length; `before` is the length of what
/// precedes the digits.
fn numeric(digits: &[Read], radix: u32, before: usize) -> Option<(char, usize)> {
    let mut number = 0_u32;
    let mut length = 0;
    while let Some(digit) = digits.get(length).and_then(|read| read.c.to_digit(radix)) {
        number = number.saturating_mul(radix).saturating_add(digit);
        length += 1;
    }
    let c = char::from_u32(number).filter(|_| length > 0)?;
    Some((c, before + length))
}

/// The `<` of every tag of [`BLOCKS`], and with `turns` the first character of what begins or ends one, in order.
fn tags(read: &[Read], turns: bool) -> Vec<Read> {
    let letters: Vec<char> = read.iter().map(|r| r.c).filter(|c| c.is_alphanumeric()).collect();
    let opens = |at: usize| {
        let name = |name: &&str| name.chars().eq(letters[at..].iter().copied().take(name.len()));
        BLOCKS.iter().any(name) || turns && TURNS.iter().any(name)
    };
    let begins = |at: usize, name: &str| name.chars().eq(read[at..].iter().map(|r| r.c).take(name.len()));
    // Of `<|im_start|>`, what follows `<|`.
    let ends = |at: usize| {
        let near = &read[at..read.len().min(at + TURN_CHARS)];
        near.windows(2).any(|two| two[0].c == '|' && two[1].c == '>')
    };
    let is_turn = |at: usize| match read[at].c {
        '<' => begins(at, "<|") && ends(at + 2) || begins(at, "<<sys>>") || begins(at, "<</sys>>"),
        _ => begins(at, "[inst]") || begins(at, "[/inst]"),
    };
    let mut letter = 0;
    let mut out = Vec::new();
    for (at, own) in read.iter().enumerate() {
        if own.c.is_alphanumeric() {
            letter += 1;
        } else if own.c == '<' && opens(letter) || turns && is_turn(at) {
            out.push(*own);
        }
    }
    out
}
