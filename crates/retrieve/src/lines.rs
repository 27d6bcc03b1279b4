//! Finds lines by their key in a mapped text file: `key`, a tab, the rest. Lines are sorted by their keys.

/// What stands behind the tab in each line with this key, in order.
pub(crate) fn lines_of<'a>(lines: &'a [u8], key: &str) -> impl Iterator<Item = &'a [u8]> {
    let key = key.as_bytes().to_vec();
    let mut from = first_from(lines, &key);
    std::iter::from_fn(move || {
        let end = end_of_line(lines, from);
        let (of_line, rest) = split(lines.get(from..end)?);
        from = end + 1;
        if of_line == key { rest } else { None }
    })
}

/// Where the first line begins whose key is not before this one.
fn first_from(lines: &[u8], key: &[u8]) -> usize {
    let (mut from, mut to) = (0, lines.len());
    while from < to {
        let middle = from + (to - from) / 2;
        let start = lines[from..middle]
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(from, |at| from + at + 1);
        let end = end_of_line(lines, middle);
        if split(&lines[start..end]).0 < key {
            from = (end + 1).min(to);
        } else {
            to = start;
        }
    }
    from
}

fn end_of_line(lines: &[u8], at: usize) -> usize {
    let rest = lines.get(at..).unwrap_or_default();
    let length = rest.iter().position(|b| *b == b'\n');
    length.map_or(lines.len(), |length| at + length)
}

/// The key of a line, and what stands behind its tab.
fn split(line: &[u8]) -> (&[u8], Option<&[u8]>) {
    match line.iter().position(|b| *b == b'\t') {
        Some(tab) => (&line[..tab], line.get(tab + 1..)),
        None => (line, None),
    }
}

/// Numbers with spaces between them.
pub(crate) fn read_places(list: &[u8]) -> Vec<u32> {
    let text = std::str::from_utf8(list).unwrap_or_default();
    text.split(' ').filter_map(|place| place.parse().ok()).collect()
}

/// Numbers with spaces between them.
pub(crate) fn written_places(places: &[u32]) -> String {
    let places: Vec<String> = places.iter().map(u32::to_string).collect();
    places.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lines_of_a_key_are_found() {
        let lines = b"a\t1\nb\t2\nb\t3\nb c\t4\nd\t5\n";
        let check = |key: &str, want: &[&str]| {
            let found: Vec<&[u8]> = lines_of(lines, key).collect();
            let want: Vec<&[u8]> = want.iter().map(|line| line.as_bytes()).collect();
            assert_eq!(found, want, "{key}");
        };
        check("a", &["1"]);
        check("b", &["2", "3"]);
        check("b c", &["4"]);
        check("d", &["5"]);
        for key in ["", "A", "bb", "c", "e"] {
            check(key, &[]);
        }
    }

    #[test]
    fn damage_is_no_panic() {
        for bytes in [
            &b""[..],
            b"\n",
            b"\n\n\n",
            b"a",
            b"a\t",
            b"a\tx y\n",
            b"\xff\xfe\tz\n\n",
            b"z\t1\na\t2\n",
        ] {
            for key in ["", "a", "z", "\u{10ffff}"] {
                let _ = lines_of(bytes, key).map(read_places).collect::<Vec<_>>();
            }
        }
    }
}
