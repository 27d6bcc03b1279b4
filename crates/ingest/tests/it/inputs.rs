//! Articles in JATS from many publishers, against what a plain search of their XML says.

use ingest::Limits;
use ingest::inputs::{self, Format};
use regex::Regex;
use std::path::{Path, PathBuf};
use types::{BlockKind, Document, SectionKind};

fn articles() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/structure");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: shared/data/structure is not here");
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "xml"));
    files.sort();
    files
}

/// Letters and digits alone, tags and references to characters gone.
fn squash(xml: &str) -> String {
    let tag = Regex::new(r"(?s)<[^>]*>|&[^;\s]+;").expect("valid");
    let text = tag.replace_all(xml, "");
    text.chars().filter(char::is_ascii_alphanumeric).flat_map(char::to_lowercase).collect()
}

fn plain(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).flat_map(char::to_lowercase).collect()
}

fn first<'x>(xml: &'x str, pattern: &str) -> Option<&'x str> {
    let found = Regex::new(pattern).expect("valid").captures(xml)?;
    found.get(1).map(|m| m.as_str())
}

fn read(file: &Path) -> Document {
    assert_eq!(inputs::detect(file), Ok(Format::Jats), "{}", file.display());
    inputs::read(file, Format::Jats, &Limits::default())
        .unwrap_or_else(|e| panic!("{}: {e}", file.display()))
        .document
}

#[test]
fn fronts_are_those_of_the_xml() {
    let year = Regex::new(r"(?s)<pub-date.*?<year[^>]*>(\d{4})</year>").expect("valid");
    for file in articles() {
        let xml = std::fs::read_to_string(&file).expect("readable");
        let meta = read(&file).meta;
        let name = file.display();
        let title = first(&xml, r"(?s)<article-title[^>]*>(.*?)</article-title>").expect("a title");
        let squashed = plain(&meta.title.clone().unwrap_or_default());
        assert!(squashed.starts_with(&squash(title)), "{name}: {title} {:?}", meta.title);
        let front = first(&xml, r"(?s)<front>(.*?)</front>").expect("a front");
        let author = plain(&meta.authors[0]);
        match first(front, r"(?s)<surname>(.*?)</surname>") {
            Some(surname) => assert!(author.contains(&squash(surname)), "{name}: {surname} {author}"),
            None => assert!(squash(front).contains(&author), "{name}: {author}"),
        }
        let years: Vec<u16> = year.captures_iter(front).filter_map(|c| c[1].parse().ok()).collect();
        assert!(meta.year.is_some_and(|y| years.contains(&y)), "{name}: {years:?} {:?}", meta.year);
        let doi = first(&xml, r#"<article-id pub-id-type="doi">([^<]*)</article-id>"#);
        assert_eq!(meta.doi, doi.map(str::to_lowercase), "{name}");
        assert!(meta.venue.is_some(), "{name}");
    }
}

#[test]
fn sections_paragraphs_and_tables_are_those_of_the_xml() {
    let heading =
        Regex::new(r"(?s)<sec[ >][^<]*(?:<label>[^<]*</label>\s*)?<title>(.*?)</title>").expect("valid");
    let paragraph = Regex::new(r"(?s)<p>([^<]{80,}?)<").expect("valid");
    let cell = Regex::new(r"(?s)<td[^>]*>([^<]+)</td>").expect("valid");
    let table = Regex::new(r"(?s)<tbody>(.*?)</tbody>").expect("valid");
    let mut checked = [0; 3];
    for file in articles() {
        let xml = std::fs::read_to_string(&file).expect("readable");
        let document = read(&file);
        let name = file.display();
        let body = first(&xml, r"(?s)<body>(.*)</body>").expect("a body");
        let mut ours = document.sections.iter().map(|s| plain(&s.heading));
        for wanted in heading.captures_iter(body).map(|c| squash(&c[1])) {
            // In order: each heading behind the one before it.
            assert!(ours.any(|h| h.ends_with(&wanted)), "{name}: {wanted}");
            checked[0] += 1;
        }
        let blocks: Vec<_> = document.sections.iter().flat_map(|s| &s.blocks).collect();
        let text_of = |kinds: &[BlockKind]| -> String {
            let of_kind = blocks.iter().filter(|b| kinds.contains(&b.kind));
            of_kind.map(|b| plain(b.span.slice(&document.text).expect("inside")) + "\n").collect()
        };
        let prose = text_of(&[
            BlockKind::Paragraph,
            BlockKind::ListItem,
            BlockKind::Footnote,
            BlockKind::Caption,
            BlockKind::TableRow,
        ]);
        for wanted in paragraph.captures_iter(body).map(|c| squash(&c[1])) {
            // What the archive adds to each supplement is no text of the paper.
            assert!(
                prose.contains(&wanted) || wanted == "clickhereforadditionaldatafile",
                "{name}: {wanted}"
            );
            checked[1] += 1;
        }
        let rows = text_of(&[BlockKind::TableRow]);
        let bodies: String = table.captures_iter(&xml).map(|c| c[1].to_owned()).collect();
        for wanted in cell.captures_iter(&bodies).map(|c| squash(&c[1])) {
            assert!(rows.contains(&wanted), "{name}: {wanted}");
            checked[2] += 1;
        }
        let references: Vec<_> =
            document.sections.iter().filter(|s| s.name == SectionKind::References).collect();
        let count = xml.matches("<ref ").count();
        let items: usize = references.iter().map(|s| s.blocks.len()).sum();
        assert_eq!(items, count, "{name}");
        assert!(
            document.sections.iter().any(|s| s.name == SectionKind::Abstract) || !xml.contains("<abstract")
        );
        assert_eq!(document.pages, 1);
    }
    if !articles().is_empty() {
        assert!(checked.iter().all(|n| *n > 500), "{checked:?}");
    }
}

#[test]
fn articles_are_cut_like_papers() {
    let Some(file) = articles().into_iter().next() else {
        return;
    };
    let document = read(&file);
    let cut = ingest::chunk::chunk(&document, &ingest::chunk::ChunkSettings::default());
    assert!(cut.chunks.len() > 5);
    for chunk in &cut.chunks {
        assert_eq!(chunk.span.slice(&document.text), Some(chunk.text.as_str()));
        assert!(chunk.section.indexed() && chunk.page_start == 1 && chunk.page_end == 1);
    }
}
