//! The text of a title: as the file's metadata gives it, which programs fill with file names and defaults, and with spaces
//! in words that the file sets without one ("Ocimumsanctum"), told by the same words elsewhere in the paper.

use quick_xml::escape::{resolve_html5_entity, unescape_with};
use std::borrow::Cow;
use std::collections::BTreeMap;
use text::Pattern;

static FILE: Pattern = Pattern::new(
    r"(?i)\.(dvi|docx?|dotx?|pdf|tex|indd|qx[dp]|rtf|odt|pptx?|xlsx?|jpe?g|png|gif|tiff?|bmp|svg|eps|ps|ai|fm|pmd|p65|wpd|\
html?|xml|txt|md|pages|pub|vsdx?|psd|cdr)\s*$",
);
static DEFAULT: Pattern = Pattern::new(
    r"(?ix)^\W*( (microsoft|ms)\s+\w+\s*-.* | untitled.* | (no\s+|the\s+)?title(\s+page)? | unknown | none | null
        | (new\s+)?(document|presentation|slide|sheet|page|layout|print|scan|image|chapter|section|file|book|draft)\s*[-_.(]?\d*\)?
        | powerpoint\s+presentation | slide\s+show | (full|final|accepted|submitted|revised|author)?\s*(manuscript|article|paper|version|proof|main|template|abstract|report)\s*\d*
        | (latex|word|elsevier|journal|article|ieee|acm)\s+.{0,20}template.* | doi:?\s*10\..* | https?://.* | www\..* | lorem\s+ipsum.* )\W*$",
);

/// The title that the metadata gives, unless it is a file name, a path, a number or a program's default.
pub(crate) fn from_field(field: &str) -> Option<String> {
    // Some programs write the title with character references of HTML.
    let text = unescape_with(field, resolve_html5_entity).unwrap_or(Cow::Borrowed(field));
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let text = words.filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ");
    let text = super::title::without_version(&text).to_owned();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let others = text.chars().filter(|c| !c.is_alphabetic() && !c.is_whitespace()).count();
    let words = text.split(' ').filter(|w| w.chars().filter(|c| c.is_alphabetic()).count() >= 2).count();
    // Scripts without spaces between words write whole titles as one.
    let spaced = text.chars().any(|c| c.is_alphabetic() && (c as u32) < 0x2E80);
    let long_enough = words >= 3 || words == 2 && letters >= 10 || !spaced && letters >= 5;
    let path = text.contains('\\') || text.contains(":/") || !text.contains(' ') && text.contains(['_', '/']);
    let file = FILE.is_match(&text) || DEFAULT.is_match(&text);
    (long_enough && !path && !file && others * 2 < letters).then_some(text)
}

/// What the paper shows of a word of its title.
#[derive(Default)]
struct Seen {
    /// How often it occurs outside the title.
    whole: usize,
    /// Bytes of the first of the two words that give it together.
    at: usize,
    /// What speaks for the two: 2 for each place where they name something, 1 where one is a small word.
    points: usize,
}

/// The title with spaces in the words that the paper's text prints as two.
pub(crate) fn parted<'a>(title: &str, lines: impl Iterator<Item = &'a str>) -> String {
    let folded = |word: &str| bare(word).to_lowercase();
    let words = || title.split(' ');
    let mut seen: BTreeMap<String, Seen> = words().map(|w| (folded(w), Seen::default())).collect();
    for line in lines.filter(|line| !title.contains(line.trim())) {
        let words: Vec<&str> = line.split_whitespace().collect();
        for (i, word) in words.iter().enumerate() {
            if let Some(seen) = seen.get_mut(&folded(word)) {
                seen.whole += 1;
            }
            let next = words.get(i + 1).map_or("", |next| bare(next));
            // A compound may be written either way ("health care"): a name is not, and no small word is part of one.
            let inside = i > 0 && !words[i - 1].ends_with(['.', ':', '?', '!']);
            let capital = inside && word.starts_with(char::is_uppercase) && word.len() >= 3;
            let named = capital && next.len() >= 3 && next.chars().all(char::is_lowercase);
            if (named || is_small(word) || is_small(next))
                && let Some(seen) = seen.get_mut(&format!("{word}{next}").to_lowercase())
            {
                seen.at = word.len();
                seen.points += if named { 2 } else { 1 };
            }
        }
    }
    let part = |word: &str| -> Option<String> {
        let found = seen.get(&folded(word))?;
        let (first, second) = bare(word).split_at_checked(found.at)?;
        let apart = !first.is_empty() && found.points >= 2 && found.points > 2 * found.whole;
        apart.then(|| word.replacen(bare(word), &format!("{first} {second}"), 1))
    };
    let words = words().map(|w| part(w).unwrap_or_else(|| w.to_owned()));
    words.collect::<Vec<_>>().join(" ")
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn is_small(word: &str) -> bool {
    const SMALL: &str = "an|and|as|at|by|for|from|in|of|on|or|the|to|with|und|der|die|et|de|la";
    SMALL.split('|').any(|s| s == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_and_defaults_are_no_titles() {
        let no = |field: &str| assert_eq!(from_field(field), None, "{field}");
        for field in "|Microsoft Word - Document1|Microsoft Word - snails final v3.docx|Untitled|untitled-1|\
            loremipsum.jpg|9217567.dvi|snails_final_2|snail paper draft 2.indd|Title|\
            PowerPoint Presentation|Document 3|Accepted manuscript|10.1000/snail.12|\
            C:\\papers\\snails of the garden|123 456 789 ab|Snails|https://snails.org/all about snails"
            .split('|')
        {
            no(field);
        }
    }

    #[test]
    fn titles_stay() {
        let check = |field: &str, want: &str| assert_eq!(from_field(field).as_deref(), Some(want));
        check("Sleep and the growth  of garden snails", "Sleep and the growth of garden snails");
        check("Snails &amp; slugs: COVID&#x02010;19 in gardens", "Snails & slugs: COVID‐19 in gardens");
        check("R&D in 21 gardens; a survey", "R&D in 21 gardens; a survey");
        check("庭のカタツムリの睡眠", "庭のカタツムリの睡眠");
        check("The Word document as a snail", "The Word document as a snail");
    }
}

#[cfg(test)]
mod glued_tests {
    use super::*;

    fn check(title: &str, text: &[&str], want: &str) {
        let own = [title];
        let lines = text.iter().chain(&own).copied();
        assert_eq!(parted(title, lines), want);
    }

    #[test]
    fn words_part_where_the_text_parts_them() {
        let text = [
            "leaves of Ocimum sanctum and",
            "with Ocimum sanctum, the",
            "sleep and growth, sleep and",
            "rest",
        ];
        check("Extracts of Ocimumsanctum (L.)", &text, "Extracts of Ocimum sanctum (L.)");
        check("Sleepand rest", &text, "Sleep and rest");
        check("(Ocimumsanctum): rest", &text, "(Ocimum sanctum): rest");
    }

    #[test]
    fn compounds_and_words_of_the_paper_stay() {
        check(
            "Healthcare in gardens",
            &["our health care and", "the health care of"],
            "Healthcare in gardens",
        );
        check("Within gardens", &["within a year", "with in the", "with in the"], "Within gardens");
        check("Ocimumsanctum", &["Ocimum sanctum leaf"], "Ocimumsanctum");
        check("Therapy", &["therap y of", "therap y"], "Therapy");
        check("Émigréés of the", &["an É migréés of the"], "Émigréés of the");
        check("", &[""], "");
    }
}
