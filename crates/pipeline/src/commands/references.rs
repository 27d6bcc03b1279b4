//! How a source and a place in it are named: the same words in text and in Markdown.

use crate::{
    page::{Line, Page, Target, address},
    words::when,
};
use engine::show::{Cited, Place, Preview, Reference};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use types::SectionKind;

/// Added to what names a source that its manifest marks as fictional.
pub(super) const FICTIONAL: &str = "fictional sample paper";

/// Where paths are shown from: the working directory.
#[derive(Clone, Debug, Default)]
pub(super) struct Here(Option<PathBuf>);

impl Here {
    /// The working directory, where there is one.
    pub(super) fn find() -> Self {
        let here = std::env::current_dir().and_then(std::fs::canonicalize);
        Self(here.ok())
    }

    /// The path from here when it lies below, else as it is.
    pub(super) fn shown<'a>(&self, path: &'a Path) -> &'a Path {
        let below = self.0.as_deref().and_then(|here| path.strip_prefix(here).ok());
        below.unwrap_or(path)
    }

    /// The file of a source, at a page where the file has pages, or at a record.
    pub(super) fn target(&self, source: &Reference, page: Option<u32>) -> Option<Target> {
        let file = source.path.as_deref()?;
        let is_pdf = file.extension().is_some_and(|e| e.eq_ignore_ascii_case("pdf"));
        let file = self.shown(file).as_os_str();
        let page = page.filter(|_| is_pdf).map(|page| format!("page={page}"));
        let part = page.or(source.record.clone());
        let at = |file: &str, part: Option<&str>| {
            part.map_or_else(|| file.to_owned(), |part| format!("{file}#{part}"))
        };
        let part_address = part.as_ref().map(|part| address(part.as_bytes()));
        Some(Target {
            path: at(&file.to_string_lossy(), part.as_deref()),
            address: at(&address(file.as_bytes()), part_address.as_deref()),
        })
    }
}

/// `A`, `A and B`, `A, B and C`, or `A et al.`; empty when nobody is known.
pub(super) fn authors(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first, second] => format!("{first} and {second}"),
        [first, second, third] => format!("{first}, {second} and {third}"),
        [first, ..] => format!("{first} et al."),
    }
}

/// `Results, p. 4 (printed 812)`; empty when neither is known. A section that is none of the usual ones is not named, and
/// the printed number only where it is another than that of the file.
pub(super) fn place(source: &Reference, section: Option<SectionKind>, pages: Option<(u32, u32)>) -> String {
    let section = section.filter(|s| *s != SectionKind::Body).map(|s| capital(s.as_str()));
    let pages = pages.map(|(first, last)| {
        let printed = source.meta.printed.on_pages(first, last);
        let printed = printed.map_or_else(String::new, |printed| format!(" (printed {printed})"));
        if first == last { format!("p. {first}{printed}") } else { format!("pp. {first}–{last}{printed}") }
    });
    [section, pages].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// For each place of a source the first words of what the answer quotes from there, so that it is not printed again
/// and a reader still sees which sentence stands where. Empty where there is one place alone.
pub(super) fn cues(cited: &Cited) -> Vec<String> {
    let several = cited.places.len() > 1;
    let of = |place: &Place| {
        let quotes = place.quotes.iter().filter(|q| several && q.in_answer);
        quotes.map(|q| cue(&q.text)).collect::<Vec<_>>().join(", ")
    };
    cited.places.iter().map(of).collect()
}

/// The first words of a quote.
fn cue(quote: &str) -> String {
    const WORDS: usize = 4;
    let words: Vec<&str> = quote.split_whitespace().collect();
    let cut = if words.len() > WORDS { "…" } else { "" };
    format!("“{}{cut}”", words[..words.len().min(WORDS)].join(" "))
}

/// The text with its first letter in upper case.
pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

/// The text as a sentence: a capital first, a full stop last.
pub(super) fn sentence(text: &str) -> String {
    stopped(&capital(text.trim()))
}

/// The text with a full stop, unless it has one.
fn stopped(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() || text.ends_with(['.', '!', '?', '…']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

/// Who wrote a source and when: `A and B (2021)`; empty when neither is known.
fn who(source: &Reference) -> String {
    let year = source.meta.year.map_or_else(String::new, |y| format!("({y})"));
    format!("{} {year}", authors(&source.meta.authors)).trim().to_owned()
}

/// The title of a source, or its id.
fn title(source: &Reference) -> &str {
    let meta = &source.meta;
    meta.title.as_deref().unwrap_or(meta.source_id.as_str())
}

/// What names a source: who and when, its title or id, where it was published.
pub(super) fn named(source: &Reference) -> Line {
    let meta = &source.meta;
    let mut line = Line::new();
    let who = who(source);
    if !who.is_empty() {
        line = line.text(format!("{who}. "));
    }
    line = line.strong(stopped(title(source)));
    if let Some(venue) = meta.printed.place(meta.venue.as_deref()) {
        line = line.text(" ").italic(venue.as_str()).text(when(stopped(&venue) != venue, "."));
    }
    if let Some(doi) = &meta.doi {
        line = line.text(" ").address(format!("https://doi.org/{}", address(doi.as_bytes())));
    }
    marked(line, source)
}

/// The mark of a fictional paper, behind what `line` holds.
fn marked(line: Line, source: &Reference) -> Line {
    if source.meta.fictional { line.text(" (").bold(FICTIONAL).text(")") } else { line }
}

/// Adds a passage of a list: its source, which is named whole where no passage `before` is from it, its place, and what
/// stands there.
pub(super) fn passage(
    page: &mut Page,
    here: &Here,
    before: &[&Reference],
    source: &Reference,
    section: SectionKind,
    shown: &Preview,
) {
    let same = |earlier: &&Reference| earlier.meta.source_id == source.meta.source_id;
    let name = before.iter().position(same).map_or_else(
        || named(source),
        |first| {
            let who = Some(who(source)).filter(|who| !who.is_empty());
            let line = Line::new().strong(who.as_deref().unwrap_or(title(source)));
            marked(line.text(format!(", see {}", first + 1)), source)
        },
    );
    page.entry(before.len() + 1, name);
    let place = place(source, Some(section), Some((shown.page, shown.page)));
    page.below(Line::link(place, here.target(source, Some(shown.page))));
    page.quote_line(preview(shown));
}

/// A passage with the words of the question, which stand out on a terminal.
fn preview(shown: &Preview) -> Line {
    let line = Line::from(when(shown.cut_start, "… "));
    let line = shown
        .parts
        .iter()
        .fold(line, |line, part| if part.matched { line.strong(&part.text) } else { line.text(&part.text) });
    line.text(when(shown.cut_end, " …"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Terminal;
    use std::sync::Arc;
    use types::SourceMeta;

    fn source(authors: &[&str], path: &str) -> Reference {
        Reference {
            meta: Arc::new(SourceMeta {
                source_id: "a_2021".into(),
                title: Some("Do snails sleep?".into()),
                authors: authors.iter().map(|a| (*a).to_owned()).collect(),
                year: Some(2021),
                venue: Some("J. Slime".into()),
                doi: Some("10.1/a<b>".into()),
                ..SourceMeta::default()
            }),
            path: Some(path.into()),
            record: None,
        }
    }

    #[test]
    fn authors_are_named_up_to_three() {
        let check = |names: &[&str], want: &str| {
            let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
            assert_eq!(authors(&names), want);
        };
        check(&[], "");
        check(&["A"], "A");
        check(&["A", "B"], "A and B");
        check(&["A", "B", "C"], "A, B and C");
        check(&["A", "B", "C", "D"], "A et al.");
    }

    #[test]
    fn references_leave_out_what_is_not_known() {
        let bare = Reference {
            meta: Arc::new(SourceMeta {
                source_id: "a_2021".into(),
                fictional: true,
                ..SourceMeta::default()
            }),
            ..Reference::default()
        };
        let mut page = Page::new();
        page.line(named(&source(&["Ada Crell"], "x.pdf")));
        page.line(named(&bare));
        assert_eq!(
            page.text(Terminal::default()),
            "Ada Crell (2021). Do snails sleep? J. Slime. https://doi.org/10.1/a%3Cb%3E\na_2021. (fictional sample \
             paper)\n"
        );
        assert_eq!(
            page.markdown(),
            "Ada Crell (2021). Do snails sleep? *J. Slime*. <https://doi.org/10.1/a%3Cb%3E>\n\n\
             a_2021. (**fictional sample paper**)\n"
        );
    }

    #[test]
    fn links_lead_to_pages_of_pdfs() {
        let here = Here(Some("/data/ada".into()));
        let check = |source: &Reference, page, path: &str, address: &str| {
            let target = here.target(source, page).expect("a file");
            assert_eq!((target.path.as_str(), target.address.as_str()), (path, address));
        };
        let same = |path: &str, page, want: &str| check(&source(&[], path), page, want, want);
        same("/data/ada/papers/x.PDF", Some(4), "papers/x.PDF#page=4");
        same("/data/adam/x.pdf", Some(4), "/data/adam/x.pdf#page=4");
        same("/data/ada/x.pdf", None, "x.pdf");
        same("/data/ada/x.md", Some(1), "x.md");
        let odd = source(&[], "/data/ada/#1 50%?.pdf");
        check(&odd, Some(4), "#1 50%?.pdf#page=4", "%231%2050%25%3F.pdf#page=4");
        let mut record = source(&[], "/data/ada/corpus.jsonl");
        record.record = Some("a#b c".into());
        check(&record, Some(1), "corpus.jsonl#a#b c", "corpus.jsonl#a%23b%20c");
        assert!(here.target(&Reference::default(), Some(1)).is_none());
    }

    #[test]
    fn places_and_sentences() {
        let mut source = Reference::default();
        let results = Some(SectionKind::Results);
        assert_eq!(place(&source, results, Some((4, 4))), "Results, p. 4");
        assert_eq!(place(&source, None, Some((4, 5))), "pp. 4–5");
        assert_eq!(place(&source, None, None), "");
        assert_eq!(place(&source, Some(SectionKind::Body), Some((1, 1))), "p. 1");
        Arc::make_mut(&mut source.meta).printed.pages =
            Some(types::PageNumbers { range: (1, 5), first: 812, ..types::PageNumbers::default() });
        assert_eq!(place(&source, results, Some((4, 4))), "Results, p. 4 (printed 815)");
        assert_eq!(place(&source, None, Some((4, 5))), "pp. 4–5 (printed 815–816)");
        assert_eq!(sentence("two sentences; best"), "Two sentences; best.");
        assert_eq!(sentence("Who?"), "Who?");
        assert_eq!(sentence(" "), "");
    }
}
