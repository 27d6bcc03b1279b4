//! Foreign text without what a terminal acts on.

use std::{borrow::Cow, iter::Peekable, str::Chars};

/// The text without escape sequences and without characters that hide or reorder others. Other control characters stay:
/// the caller takes them for white space.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| starts_sequence(c) || hides(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.next_if(|c| !c.is_control()) {
                Some('[') => skip_parameters(&mut chars),
                Some(']' | 'P' | 'X' | '^' | '_') => skip_string(&mut chars),
                // Sequences of two characters, and of three, such as a choice of character set.
                Some(' '..='/') => drop(chars.next_if(|c| !c.is_control())),
                _ => {}
            },
            '\u{9b}' => skip_parameters(&mut chars),
            '\u{9d}' | '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}' => skip_string(&mut chars),
            c if hides(c) => {}
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn starts_sequence(c: char) -> bool {
    matches!(c, '\u{1b}' | '\u{90}' | '\u{98}' | '\u{9b}' | '\u{9d}' | '\u{9e}' | '\u{9f}')
}

/// Characters without width, and those that change the direction of writing.
fn hides(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Skips the rest of a control sequence, such as `31m`.
fn skip_parameters(chars: &mut Peekable<Chars<'_>>) {
    while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    chars.next_if(|c| matches!(c, '@'..='~'));
}

/// Skips the text of a control string, such as the title of a window, up to its end or the end of the line.
fn skip_string(chars: &mut Peekable<Chars<'_>>) {
    while let Some(c) = chars.next_if(|c| *c != '\n') {
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                chars.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_is_left_that_a_terminal_acts_on() {
        let check = |text: &str, want: &str| assert_eq!(plain(text), want, "{text:?}");
        check("plain [31m text", "plain [31m text");
        check("\u{1b}[1;31mred\u{1b}[0m", "red");
        check("\u{9b}2Jclear", "clear");
        check("\u{1b}]0;title\u{7}after", "after");
        check("\u{1b}]8;;http://h\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link");
        check("\u{1b}(Bx\u{1b}cy", "xy");
        check("a\u{202e}b\u{200b}c\u{feff}", "abc");
        check("never closed \u{1b}]0;title\nnext", "never closed \nnext");
        check("end \u{1b}", "end ");
    }

    proptest! {
        #[test]
        fn no_escape_survives(text in "[\u{1b}\u{9b}\u{7}\\[\\]a;0m\n]{0,30}") {
            prop_assert!(!plain(&text).contains(starts_sequence));
        }
    }
}
