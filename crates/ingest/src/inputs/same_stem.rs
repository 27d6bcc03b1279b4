//! Files that may be one paper because they have one stem: a PDF and its JATS, for example.

use super::Format;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Groups of files that may be one paper, since they lie in one folder and have one stem. In each group the file that
/// is read first comes first: the PDF, since its pages can be cited; then the JATS, which tells its sections, then
/// Markdown, then plain text. Whether they are one paper, their content decides: see [`super::Fingerprint`].
///
/// Two PDFs are two papers whatever their stems, and records of a BEIR file are no files.
pub fn same_stem<P: AsRef<Path>>(files: &[(P, Format)]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<(PathBuf, Vec<u8>), Vec<usize>> = BTreeMap::new();
    for (i, (path, format)) in files.iter().enumerate() {
        let path = path.as_ref();
        if *format != Format::Beir {
            let stem = path.file_stem().unwrap_or_default();
            // What is not UTF-8 has no case.
            let stem = match stem.to_str() {
                Some(text) => text.to_lowercase().into_bytes(),
                None => stem.as_encoded_bytes().to_vec(),
            };
            let folder = path.parent().unwrap_or(Path::new("")).to_owned();
            groups.entry((folder, stem)).or_default().push(i);
        }
    }
    let several = |group: &Vec<usize>| group.len() > 1 && group.iter().any(|i| files[*i].1 != Format::Pdf);
    let mut out: Vec<Vec<usize>> = groups.into_values().filter(several).collect();
    for group in &mut out {
        group.sort_by_key(|i| (rank(files[*i].1), *i));
    }
    out
}

fn rank(format: Format) -> u8 {
    match format {
        Format::Pdf => 0,
        Format::Jats => 1,
        Format::Markdown => 2,
        Format::Text => 3,
        Format::Beir => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Format::{Beir, Jats, Markdown, Pdf, Text};

    #[test]
    fn files_of_one_stem_are_grouped_and_the_pdf_comes_first() {
        let check = |files: &[(&str, Format)], want: &[&[usize]]| {
            assert_eq!(same_stem(files), want, "{files:?}");
        };
        check(&[("a.pdf", Pdf), ("a.xml", Jats)], &[&[0, 1]]);
        check(
            &[("a.txt", Text), ("a.md", Markdown), ("A.nxml", Jats)],
            &[&[2, 1, 0]],
        );
        check(
            &[("a.md", Markdown), ("a.pdf", Pdf), ("a.PDF", Pdf)],
            &[&[1, 2, 0]],
        );
        check(&[("a.pdf", Pdf), ("a.PDF", Pdf)], &[]);
        check(&[("x/a.pdf", Pdf), ("y/a.xml", Jats)], &[]);
        check(&[("a.pdf", Pdf), ("a.jsonl", Beir)], &[]);
        check(&[("a.md", Markdown), ("b.md", Markdown)], &[]);
    }
}
