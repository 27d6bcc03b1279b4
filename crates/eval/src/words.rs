//! Numbers as people read them.

/// "1 row", "2 rows".
pub(crate) fn plural(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
