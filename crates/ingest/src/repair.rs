//! Repairs a damaged file: finds its pages in its bytes, and writes a new page tree.
//!
//! A PDF is opened from its end: a table there gives the offsets of the objects, a trailer which of them is the root
//! of the pages. A download that broke off lacks both, and a flipped byte spoils them. The objects themselves
//! are mostly whole. Objects inside compressed object streams stay out of reach.

use std::collections::BTreeMap;

/// A page's dictionary is looked for within so many bytes of the start of its object.
const DICTIONARY: usize = 16 << 10;
/// Numbers of objects beyond this are nonsense; PDFium takes no larger ones.
const MAX_NUMBER: u64 = 4 << 20;

/// An object as it stands in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Object {
    number: u64,
    generation: u64,
    /// Where its number starts.
    start: usize,
    /// Where its content starts.
    body: usize,
}

/// The file with a header and with a page tree, a table and a trailer of its own behind it, and the number of pages
/// found. `None` where no page is found, or where the file is encrypted: its strings could not be read.
pub(crate) fn repaired(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    if find(bytes, b"/Encrypt", 0).is_some() {
        return None;
    }
    let objects = objects(bytes);
    let mut places: BTreeMap<u64, Object> = BTreeMap::new();
    let mut pages: Vec<(u64, u64)> = Vec::new();
    for (i, object) in objects.iter().enumerate() {
        // Of several versions of an object the last one counts, as in a file that was saved again.
        places.insert(object.number, *object);
        let end = objects.get(i + 1).map_or(bytes.len(), |next| next.start);
        let body = &bytes[object.body..end.min(object.body + DICTIONARY)];
        if is_page(body) && !pages.iter().any(|(number, _)| *number == object.number) {
            pages.push((object.number, object.generation));
        }
    }
    if pages.is_empty() {
        return None;
    }
    let header: &[u8] = b"%PDF-1.7\n";
    let tree = places.keys().next_back().map_or(1, |last| last + 1);
    let mut out = Vec::with_capacity(header.len() + bytes.len() + 64 * (places.len() + pages.len()) + 512);
    out.extend_from_slice(header);
    out.extend_from_slice(bytes);
    let mut offsets: Vec<(u64, u64, usize)> =
        places.values().map(|o| (o.number, o.generation, o.start + header.len())).collect();
    out.push(b'\n');
    offsets.push((tree, 0, out.len()));
    let kids: Vec<String> = pages.iter().map(|(n, g)| format!("{n} {g} R")).collect();
    out.extend(
        format!("{tree} 0 obj\n<</Type/Pages/Count {}/Kids[{}]>>\nendobj\n", pages.len(), kids.join(" "))
            .bytes(),
    );
    offsets.push((tree + 1, 0, out.len()));
    out.extend(format!("{} 0 obj\n<</Type/Catalog/Pages {tree} 0 R>>\nendobj\n", tree + 1).bytes());
    let table = out.len();
    out.extend(b"xref\n0 1\n0000000000 65535 f \n");
    for (number, generation, at) in offsets {
        out.extend(format!("{number} 1\n{at:010} {generation:05} n \n").bytes());
    }
    out.extend(
        format!("trailer\n<</Size {}/Root {} 0 R>>\nstartxref\n{table}\n%%EOF\n", tree + 2, tree + 1).bytes(),
    );
    Some((out, pages.len()))
}

/// Every `N G obj` of the file, in its order.
fn objects(bytes: &[u8]) -> Vec<Object> {
    let mut out = Vec::new();
    let mut from = 0;
    while let Some(at) = find(bytes, b"obj", from) {
        from = at + 3;
        // Read backwards: blanks, generation, blanks, number. `endobj` has a letter there.
        let Some((generation, at)) = number_before(bytes, at) else {
            continue;
        };
        let Some((number, start)) = number_before(bytes, at) else {
            continue;
        };
        if (1..=MAX_NUMBER).contains(&number) && generation <= 65_535 {
            out.push(Object { number, generation, start, body: from });
        }
    }
    out
}

/// The number that ends, blanks apart, before `end`, and where it starts.
fn number_before(bytes: &[u8], end: usize) -> Option<(u64, usize)> {
    const MOST: usize = 10;
    let blanks =
        bytes[..end].iter().rev().take(8).take_while(|b| b.is_ascii_whitespace() || **b == 0).count();
    let end = end - blanks;
    let digits = bytes[..end].iter().rev().take(MOST + 1).take_while(|b| b.is_ascii_digit()).count();
    if !(1..=MOST).contains(&digits) || blanks == 0 {
        return None;
    }
    let start = end - digits;
    let number = std::str::from_utf8(&bytes[start..end]).ok()?.parse().ok()?;
    Some((number, start))
}

/// Whether an object's dictionary says that it is a page.
fn is_page(body: &[u8]) -> bool {
    let end = ["stream", "endobj"]
        .iter()
        .filter_map(|word| find(body, word.as_bytes(), 0))
        .min()
        .unwrap_or(body.len());
    let dictionary = &body[..end];
    let mut from = 0;
    while let Some(at) = find(dictionary, b"/Type", from) {
        from = at + 5;
        let rest = &dictionary[from..];
        let blanks = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let Some(name) = rest[blanks..].strip_prefix(b"/Page") else {
            continue;
        };
        if !name.first().is_some_and(u8::is_ascii_alphanumeric) {
            return true;
        }
    }
    false
}

fn find(bytes: &[u8], word: &[u8], from: usize) -> Option<usize> {
    let first = *word.first()?;
    let mut at = from;
    loop {
        at += bytes.get(at..)?.iter().position(|b| *b == first)?;
        if bytes[at..].starts_with(word) {
            return Some(at);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn objects_are_found_wherever_they_stand() {
        let check = |text: &str, want: &[(u64, u64)]| {
            let found: Vec<(u64, u64)> =
                objects(text.as_bytes()).iter().map(|o| (o.number, o.generation)).collect();
            assert_eq!(found, want, "{text:?}");
        };
        check("1 0 obj<<>>endobj 2 3 obj", &[(1, 0), (2, 3)]);
        check("1\r\n0\nobj", &[(1, 0)]);
        check("endobj obj 0 obj", &[]);
        check("x1 0 obj", &[(1, 0)]);
        check("10obj", &[]);
        check("99999999999 0 obj", &[]);
        check("0 0 obj", &[]);
    }

    #[test]
    fn pages_are_told_from_page_trees() {
        let check = |text: &str, want: bool| assert_eq!(is_page(text.as_bytes()), want, "{text:?}");
        check("<</Type /Page /Parent 2 0 R>>endobj", true);
        check("<</Type/Page>>", true);
        check("<</Type/Pages/Kids[]>>", false);
        check("<</Type/PageLabel>>", false);
        check("<</A 1>>stream /Type/Page endstream", false);
        check("<</Type/Font>>endobj <</Type/Page>>", false);
        check("<</Type/Metadata/Type/Page>>", true);
    }

    #[test]
    fn a_tree_names_every_page_once() {
        let file = b"?PDF-1.3 3 0 obj<</Type/Page>>endobj 9 1 obj<</Type/Page>>endobj 3 0 obj<</Type/Page>>";
        let (bytes, pages) = repaired(file).expect("there are pages");
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(pages, 2);
        assert!(text.starts_with("%PDF-"));
        assert!(text.contains("/Kids[3 0 R 9 1 R]"), "{text}");
        for (number, generation) in [(3, 0), (9, 1), (10, 0), (11, 0)] {
            let entry = text.split(&format!("\n{number} 1\n")).nth(1).expect("an entry");
            let at: usize = entry[..10].parse().expect("an offset");
            assert!(text[at..].starts_with(&format!("{number} {generation} obj")), "{number}");
        }
        assert_eq!(repaired(b"1 0 obj<</Type/Page>> /Encrypt 5 0 R"), None);
        assert_eq!(repaired(b""), None);
    }

    proptest! {
        #[test]
        fn no_bytes_break_it(bytes in proptest::collection::vec(proptest::sample::select(
            b"0123 \nobjendstrmTypePag/<>R".to_vec()), 0..400)) {
            let _ = repaired(&bytes);
        }
    }
}
