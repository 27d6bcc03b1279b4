//! Character classes that Unicode or typesetting spreads over many code points.

use unicode_normalization::UnicodeNormalization;

/// Whether the character is invisible and carries nothing: controls other than white space, zero-width
/// characters, direction marks, variation selectors.
pub(crate) fn is_invisible(c: char) -> bool {
    let format = matches!(c, '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{e0000}'..='\u{e0fff}');
    format || (c.is_control() && !c.is_whitespace() && !is_soft_hyphen(c))
}

/// Whether Unicode leaves the character out where it is not supported (`Default_Ignorable_Code_Point`): no one sees it.
/// Wider than [`is_invisible`], which folding and quotes rest on.
pub(crate) fn is_default_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'
            ..='\u{180f}'
    ) || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}')
        || matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}')
        || matches!(c, '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether the character marks a place where a word may break: the soft hyphen, and the two code points that
/// PDF readers put for it.
pub(crate) fn is_soft_hyphen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{2}' | '\u{fffe}')
}

/// Whether the character is a dash of any length, the minus sign included.
pub(crate) fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2043}' | '\u{2212}' | '\u{2d7}' | '\u{2796}')
        || matches!(c, '\u{fe58}' | '\u{fe63}' | '\u{ff0d}')
}

/// Whether the character is a single or double quotation mark, a prime included.
pub(crate) fn is_quotation(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '´' | '«' | '»' | '‹' | '›' | '\u{2018}'..='\u{201f}' | '\u{2032}'..='\u{2037}')
}

/// Whether the character closes a quotation or a bracket.
pub(crate) fn is_closing(c: char) -> bool {
    matches!(c, ')' | ']' | '}' | '»' | '›' | '"' | '\'' | '”' | '’' | '」' | '』' | '）')
}

/// Whether the character opens a quotation or a bracket.
pub(crate) fn is_opening(c: char) -> bool {
    matches!(c, '(' | '[' | '{' | '«' | '‹' | '"' | '\'' | '“' | '‘' | '「' | '『' | '（' | '¿' | '¡')
}

/// Whether the character belongs to a script written without spaces between words.
pub fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
        || matches!(c, '\u{20000}'..='\u{3ffff}')
}

/// Whether the character is a Greek letter.
pub(crate) fn is_greek(c: char) -> bool {
    matches!(c, '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' | '\u{b5}' | '\u{2126}' | '\u{2206}')
        && c != '\u{37e}'
}

/// Whether the character is a raised digit: a citation mark or an exponent, not part of the word before it.
pub(crate) fn is_superscript_digit(c: char) -> bool {
    matches!(c, '\u{b2}' | '\u{b3}' | '\u{b9}' | '\u{2070}' | '\u{2074}'..='\u{2079}')
}

/// The zeros of all scripts beside ASCII; each is followed by its digits up to nine.
const ZEROS: [u32; 65] = [
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0,
    0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50,
    0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x104a0, 0x10d30, 0x11066, 0x110f0,
    0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50,
    0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140,
    0x1e2f0, 0x1e950, 0x1fbf0,
];

/// The ASCII form of a digit, decimal point or percent sign of another script.
pub(crate) fn ascii_figure(c: char) -> Option<char> {
    match c {
        '\u{66a}' | '\u{fe6a}' | '\u{ff05}' => Some('%'),
        '\u{66b}' | '\u{ff0e}' => Some('.'),
        '\u{66c}' => Some(','),
        _ if c.is_ascii() || !c.is_numeric() => None,
        _ => {
            let zero = ZEROS.partition_point(|zero| *zero <= u32::from(c)).checked_sub(1);
            zero.and_then(|at| char::from_digit(u32::from(c) - ZEROS[at], 10))
        }
    }
}

/// The digit that is raised, lowered, or drawn in a circle or brackets.
pub(crate) fn ornate_digit(c: char) -> Option<char> {
    if c.is_ascii() || !c.is_numeric() {
        return None;
    }
    let mut plain = std::iter::once(c).nfkc();
    let digit = plain.find(char::is_ascii_digit)?;
    plain.all(|c| !c.is_alphanumeric()).then_some(digit)
}
