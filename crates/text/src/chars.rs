//! Character classes that Unicode or typesetting spreads over many code points.

/// Whether the character is invisible and carries nothing: controls other than white space, zero-width
/// characters, direction marks, variation selectors.
pub(crate) fn is_invisible(c: char) -> bool {
    let format = matches!(
        c,
        '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}'
    ) || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
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
    matches!(
        c,
        '-' | '\u{2010}'..='\u{2015}' | '\u{2043}' | '\u{2212}' | '\u{2d7}' | '\u{2796}'
    ) || matches!(c, '\u{fe58}' | '\u{fe63}' | '\u{ff0d}')
}

/// Whether the character is a single or double quotation mark, a prime included.
pub(crate) fn is_quotation(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '´' | '«' | '»' | '‹' | '›' | '\u{2018}'..='\u{201f}' | '\u{2032}'..='\u{2037}')
}

/// Whether the character closes a quotation or a bracket.
pub(crate) fn is_closing(c: char) -> bool {
    matches!(
        c,
        ')' | ']' | '}' | '»' | '›' | '"' | '\'' | '”' | '’' | '」' | '』' | '）'
    )
}

/// Whether the character opens a quotation or a bracket.
pub(crate) fn is_opening(c: char) -> bool {
    matches!(
        c,
        '(' | '[' | '{' | '«' | '‹' | '"' | '\'' | '“' | '‘' | '「' | '『' | '（' | '¿' | '¡'
    )
}

/// Whether the character belongs to a script written without spaces between words.
pub(crate) fn is_unspaced(c: char) -> bool {
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
    matches!(
        c,
        '\u{b2}' | '\u{b3}' | '\u{b9}' | '\u{2070}' | '\u{2074}'..='\u{2079}'
    )
}
