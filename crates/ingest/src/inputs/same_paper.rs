//! One paper in several files: a PDF and its JATS side by side.

use super::{Format, format};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// For each file, the one that stands for the same paper, where that is another one.
///
/// Files of one folder with one stem are taken for one paper. Which is read: the PDF, since its pages can be
/// cited; without one the JATS, which tells its sections, then Markdown, then plain text. A `.pdf` without a PDF
/// inside comes last. Two PDFs are two papers whatever their stems, and records of a BEIR file are no files.
pub fn same_paper<P: AsRef<Path>>(files: &[(P, Format)]) -> Vec<Option<usize>> {
    let mut papers: BTreeMap<(PathBuf, Vec<u8>), Vec<usize>> = BTreeMap::new();
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
            papers.entry((folder, stem)).or_default().push(i);
        }
    }
    let mut out = vec![None; files.len()];
    for group in papers.values() {
        let all_pdf = group.iter().all(|i| files[*i].1 == Format::Pdf);
        if group.len() < 2 || all_pdf {
            continue;
        }
        let rank = |i: usize| match files[i].1 {
            Format::Pdf if format::is_pdf(files[i].0.as_ref()) => 0,
            Format::Jats => 1,
            Format::Markdown => 2,
            Format::Text => 3,
            Format::Pdf | Format::Beir => 4,
        };
        let Some((_, first)) = group.iter().map(|i| (rank(*i), *i)).min() else {
            continue;
        };
        for i in group {
            // Another PDF is another paper, and a broken one must be named among the failures.
            if *i != first && files[*i].1 != Format::Pdf {
                out[*i] = Some(first);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use Format::{Beir, Jats, Markdown, Pdf, Text};

    #[test]
    fn the_pdf_stands_for_the_paper() {
        let dir = tempfile::tempdir().expect("a folder");
        let check = |files: &[(&str, Format)], want: &[Option<usize>]| {
            let files: Vec<_> = files
                .iter()
                .map(|(name, format)| {
                    let path = dir.path().join(name);
                    let bytes = if name.contains("page") {
                        "<html>"
                    } else {
                        "%PDF-1.7"
                    };
                    std::fs::create_dir_all(path.parent().expect("has one")).expect("made");
                    std::fs::write(&path, bytes).expect("written");
                    (path, *format)
                })
                .collect();
            assert_eq!(same_paper(&files), want, "{files:?}");
        };
        check(&[("a.pdf", Pdf), ("a.xml", Jats)], &[None, Some(0)]);
        check(
            &[("a.txt", Text), ("a.md", Markdown), ("A.nxml", Jats)],
            &[Some(2), Some(2), None],
        );
        check(&[("page.pdf", Pdf), ("page.xml", Jats)], &[None, None]);
        check(
            &[("page.pdf", Pdf), ("page.xml", Jats), ("page.txt", Text)],
            &[None, None, Some(1)],
        );
        check(
            &[("a.pdf", Pdf), ("a.PDF", Pdf), ("a.md", Markdown)],
            &[None, None, Some(0)],
        );
        check(&[("x/a.pdf", Pdf), ("y/a.xml", Jats)], &[None, None]);
        check(&[("a.pdf", Pdf), ("a.jsonl", Beir)], &[None, None]);
        check(&[("a.md", Markdown), ("b.md", Markdown)], &[None, None]);
    }
}
