//! The title field of a file's metadata: programs fill the field with file names and defaults.

use quick_xml::escape::{resolve_html5_entity, unescape_with};
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

static FILE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\.(dvi|docx?|dotx?|pdf|tex|indd|qx[dp]|rtf|odt|pptx?|xlsx?|jpe?g|png|gif|tiff?|bmp|svg|eps|ps|ai|fm|pmd|p65|wpd|\
html?|xml|txt|md|pages|pub|vsdx?|psd|cdr)\s*$",
    )
    .expect("the pattern is valid")
});
static DEFAULT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^\W*( (microsoft|ms)\s+\w+\s*-.* | untitled.* | (no\s+|the\s+)?title(\s+page)? | unknown | none | null
        | (new\s+)?(document|presentation|slide|sheet|page|layout|print|scan|image|chapter|section|file|book|draft)\s*[-_.(]?\d*\)?
        | powerpoint\s+presentation | slide\s+show | (full|final|accepted|submitted|revised|author)?\s*(manuscript|article|paper|version|proof|main|template|abstract|report)\s*\d*
        | (latex|word|elsevier|journal|article|ieee|acm)\s+.{0,20}template.* | doi:?\s*10\..* | https?://.* | www\..* | lorem\s+ipsum.* )\W*$",
    )
    .expect("the pattern is valid")
});

/// The title that the metadata gives, unless it is a file name, a path, a number or a program's default.
pub(crate) fn title(field: &str) -> Option<String> {
    // Some programs write the title with character references of HTML.
    let text = unescape_with(field, resolve_html5_entity).unwrap_or(Cow::Borrowed(field));
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let text = words.filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ");
    let text = super::title::without_version(&text).to_owned();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let others = text
        .chars()
        .filter(|c| !c.is_alphabetic() && !c.is_whitespace())
        .count();
    let words = text
        .split(' ')
        .filter(|w| w.chars().filter(|c| c.is_alphabetic()).count() >= 2)
        .count();
    // Scripts without spaces between words write whole titles as one.
    let spaced = text.chars().any(|c| c.is_alphabetic() && (c as u32) < 0x2E80);
    let long_enough = words >= 3 || words == 2 && letters >= 10 || !spaced && letters >= 5;
    let path = text.contains('\\') || text.contains(":/") || !text.contains(' ') && text.contains(['_', '/']);
    let file = FILE.is_match(&text) || DEFAULT.is_match(&text);
    (long_enough && !path && !file && others * 2 < letters).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_and_defaults_are_no_titles() {
        let no = |field: &str| assert_eq!(title(field), None, "{field}");
        for field in [
            "",
            "Microsoft Word - Document1",
            "Microsoft Word - snails final v3.docx",
            "Untitled",
            "untitled-1",
            "loremipsum.jpg",
            "9217567.dvi",
            "snails_final_2",
            "snail paper draft 2.indd",
            "Title",
            "PowerPoint Presentation",
            "Document 3",
            "Accepted manuscript",
            "10.1000/snail.12",
            "C:\\papers\\snails of the garden",
            "123 456 789 ab",
            "Snails",
            "https://snails.org/all about snails",
        ] {
            no(field);
        }
    }

    #[test]
    fn titles_stay() {
        let check = |field: &str, want: &str| assert_eq!(title(field).as_deref(), Some(want));
        check(
            "Sleep and the growth  of garden snails",
            "Sleep and the growth of garden snails",
        );
        check(
            "Snails &amp; slugs: COVID&#x02010;19 in gardens",
            "Snails & slugs: COVID‐19 in gardens",
        );
        check("R&D in 21 gardens; a survey", "R&D in 21 gardens; a survey");
        check("庭のカタツムリの睡眠", "庭のカタツムリの睡眠");
        check("The Word document as a snail", "The Word document as a snail");
    }
}
