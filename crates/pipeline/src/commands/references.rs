//! How a source and a place in it are named: the same words in text and in Markdown.

use crate::{markdown, page::Line};
use engine::show::{Cited, Place, Reference};
use std::ffi::OsStr;
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
    fn shown<'a>(&self, path: &'a Path) -> &'a Path {
        let below = self.0.as_deref().and_then(|here| path.strip_prefix(here).ok());
        below.unwrap_or(path)
    }

    /// The file of a source, at a page where the file has pages.
    pub(super) fn link(&self, source: &Reference, page: Option<u32>) -> Option<String> {
        self.place(source, page, |part| part.to_string_lossy().into_owned())
    }

    /// As [`Self::link`], as an address for Markdown.
    pub(super) fn address(&self, source: &Reference, page: Option<u32>) -> Option<String> {
        self.place(source, page, |part| markdown::address(part.as_bytes()))
    }

    fn place(
        &self,
        source: &Reference,
        page: Option<u32>,
        written: impl Fn(&OsStr) -> String,
    ) -> Option<String> {
        let path = source.path.as_deref()?;
        let is_pdf = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("pdf"));
        let name = written(self.shown(path).as_os_str());
        Some(match (page.filter(|_| is_pdf), &source.record) {
            (Some(page), _) => format!("{name}#page={page}"),
            (None, Some(record)) => format!("{name}#{}", written(record.as_ref())),
            (None, None) => name,
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
    let section = section
        .filter(|s| *s != SectionKind::Body)
        .map(|s| capital(s.as_str()));
    let pages = pages.map(|(first, last)| {
        let printed = source.meta.printed.on_pages(first, last);
        let printed = printed.map_or_else(String::new, |printed| format!(" (printed {printed})"));
        if first == last {
            format!("p. {first}{printed}")
        } else {
            format!("pp. {first}–{last}{printed}")
        }
    });
    [section, pages]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ")
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

/// What names a source: who and when, its title, where it was published.
pub(super) struct Named {
    /// `A and B (2021)`; empty when neither is known.
    pub(super) who: String,
    /// Its title, or its id.
    pub(super) title: String,
    /// The venue or the journal, with volume, issue and first page.
    pub(super) venue: String,
    /// The address of its DOI.
    pub(super) doi: String,
    /// [`FICTIONAL`] or nothing.
    pub(super) mark: &'static str,
}

impl Named {
    /// Of a source.
    pub(super) fn of(source: &Reference) -> Self {
        let meta = &source.meta;
        let year = meta.year.map_or_else(String::new, |y| format!("({y})"));
        Self {
            who: format!("{} {year}", authors(&meta.authors)).trim().to_owned(),
            title: meta.title.clone().unwrap_or_else(|| meta.source_id.to_string()),
            venue: meta.printed.place(meta.venue.as_deref()).unwrap_or_default(),
            doi: meta.doi.as_ref().map_or_else(String::new, |doi| {
                format!("https://doi.org/{}", markdown::address(doi.as_bytes()))
            }),
            mark: if meta.fictional { FICTIONAL } else { "" },
        }
    }

    /// The whole reference, behind what `line` holds.
    pub(super) fn in_full(&self, line: Line) -> Line {
        let mut line = self.short(line);
        if !self.venue.is_empty() {
            line = line.text(format!(" {}", stopped(&self.venue)));
        }
        if !self.doi.is_empty() {
            line = line.text(" ").whole(&self.doi);
        }
        self.marked(line)
    }

    /// Who, when and the title, behind what `line` holds.
    pub(super) fn short(&self, line: Line) -> Line {
        let line = if self.who.is_empty() {
            line
        } else {
            line.text(format!("{}. ", self.who))
        };
        line.strong(stopped(&self.title))
    }

    /// Who and when, and the number under which the source was named before, behind what `line` holds.
    pub(super) fn again(&self, line: Line, number: usize) -> Line {
        let who = if self.who.is_empty() {
            &self.title
        } else {
            &self.who
        };
        self.marked(line.strong(who).text(format!(", see {number}")))
    }

    /// The mark of a fictional paper, behind what `line` holds.
    pub(super) fn marked(&self, line: Line) -> Line {
        if self.mark.is_empty() {
            line
        } else {
            line.text(" (").strong(self.mark).text(")")
        }
    }

    /// The whole reference in Markdown.
    pub(super) fn markdown(&self) -> String {
        let mut parts = Vec::new();
        if !self.who.is_empty() {
            parts.push(format!("{}.", markdown::escape(&self.who)));
        }
        parts.push(markdown::escape(&stopped(&self.title)));
        if !self.venue.is_empty() {
            parts.push(format!("*{}*.", markdown::escape(&self.venue)));
        }
        if !self.doi.is_empty() {
            parts.push(format!("<{}>", self.doi));
        }
        if !self.mark.is_empty() {
            parts.push(format!("(**{}**)", self.mark));
        }
        parts.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let full = Named::of(&source(&["Ada Crell"], "x.pdf"));
        let mut page = crate::page::Page::default();
        page.line(full.in_full(Line::new()));
        let bare = Reference {
            meta: Arc::new(SourceMeta {
                source_id: "a_2021".into(),
                fictional: true,
                ..SourceMeta::default()
            }),
            ..Reference::default()
        };
        page.line(Named::of(&bare).in_full(Line::new()));
        assert_eq!(
            page.render(200, false),
            "Ada Crell (2021). Do snails sleep? J. Slime. https://doi.org/10.1/a%3Cb%3E\na_2021. (fictional sample \
             paper)\n"
        );
        assert_eq!(
            full.markdown(),
            "Ada Crell (2021). Do snails sleep? *J. Slime*. <https://doi.org/10.1/a%3Cb%3E>"
        );
        assert!(
            Named::of(&bare)
                .markdown()
                .ends_with("(**fictional sample paper**)")
        );
    }

    #[test]
    fn links_lead_to_pages_of_pdfs() {
        let here = Here(Some("/data/ada".into()));
        let check = |path: &str, page, want: &str| {
            assert_eq!(here.link(&source(&[], path), page).as_deref(), Some(want));
        };
        check("/data/ada/papers/x.PDF", Some(4), "papers/x.PDF#page=4");
        check("/data/adam/x.pdf", Some(4), "/data/adam/x.pdf#page=4");
        check("/data/ada/x.pdf", None, "x.pdf");
        check("/data/ada/x.md", Some(1), "x.md");
        let mut record = source(&[], "/data/ada/corpus.jsonl");
        record.record = Some("12".into());
        assert_eq!(here.link(&record, Some(1)).as_deref(), Some("corpus.jsonl#12"));
        record.record = Some("a#b c".into());
        let addresses = [
            here.address(&record, None),
            here.address(&source(&[], "/data/ada/#1 50%?.pdf"), Some(4)),
        ];
        let want = ["corpus.jsonl#a%23b%20c", "%231%2050%25%3F.pdf#page=4"];
        assert_eq!(addresses.each_ref().map(|a| a.as_deref()), want.map(Some));
        assert_eq!(here.link(&Reference::default(), Some(1)), None);
    }

    #[test]
    fn places_and_sentences() {
        let mut source = Reference::default();
        let results = Some(SectionKind::Results);
        assert_eq!(place(&source, results, Some((4, 4))), "Results, p. 4");
        assert_eq!(place(&source, None, Some((4, 5))), "pp. 4–5");
        assert_eq!(place(&source, None, None), "");
        assert_eq!(place(&source, Some(SectionKind::Body), Some((1, 1))), "p. 1");
        Arc::make_mut(&mut source.meta).printed.pages = Some(types::PageNumbers {
            range: (1, 5),
            first: 812,
            ..types::PageNumbers::default()
        });
        assert_eq!(
            place(&source, results, Some((4, 4))),
            "Results, p. 4 (printed 815)"
        );
        assert_eq!(place(&source, None, Some((4, 5))), "pp. 4–5 (printed 815–816)");
        assert_eq!(sentence("two sentences; best"), "Two sentences; best.");
        assert_eq!(sentence("Who?"), "Who?");
        assert_eq!(sentence(" "), "");
    }
}
