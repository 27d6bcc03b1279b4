//! Numbers as people read them.

pub(crate) use types::words::{NAMED, first_of, thousands};

/// "1 file", "2 files".
pub(crate) fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

/// Lines of one list on a terminal; scripts get all items as JSON.
pub(crate) const LINES: usize = 40;

/// The line below a list of which [`LINES`] are shown; empty if that is all of it.
pub(crate) fn rest(label: &str, all: usize) -> String {
    match all.saturating_sub(LINES) {
        0 => String::new(),
        more => format!(
            "{label}… and {} more (--format json lists all)\n",
            thousands(more as u64)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_their_number() {
        assert_eq!(count(1, "file"), "1 file");
        assert_eq!(count(0, "file"), "0 files");
        assert_eq!(count(2_000, "file"), "2,000 files");
    }

    #[test]
    fn a_long_list_says_how_much_is_left_out() {
        assert_eq!(rest("same ", LINES), "");
        assert_eq!(
            rest("same ", 99_999),
            "same … and 99,959 more (--format json lists all)\n"
        );
    }
}
