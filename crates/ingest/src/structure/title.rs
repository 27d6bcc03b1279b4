//! The title of a paper, with its subtitle, as the first page prints it.

use super::front::{is_notice, looks_like_names};
use super::parts::{Kind, Part};
use super::typography::Typography;
use super::{names, person};
use text::Pattern;

/// The mark of a version behind a title: "[v2; ref status: indexed, …]", "[version 1; peer review: 2 approved]".
static VERSION: Pattern = Pattern::new(r"(?i)\s*[\[(]\s*v(er(sion|\.)?)?\s*\d+\s*([;:,].*|[\])])$");
/// What a subtitle says of the design of a study.
static DESIGN: Pattern = Pattern::new(
    r"(?i)\b(protocol|(systematic|scoping|umbrella|narrative|literature|integrative|rapid) review|meta-?\s?analysis\
|(controlled|clinical|randomi[sz]ed|pilot|crossover|phase \w+) (study|trial)|randomi[sz]ed\
|(cohort|case.control|cross.sectional|observational|qualitative|quantitative|mixed.methods|pilot|feasibility|longitudinal\
|retrospective|prospective|comparative|population.based|multicent(er|re)|modell?ing|simulation|validation|delphi|registry) .{0,30}\
(study|survey|analysis|evaluation|trial)|case (report|series|study))\b",
);

/// A page that prints the title before the paper does holds a summary from so many words of prose on: covers of
/// repositories hold notices.
const SUMMARY: usize = 300;

/// Where the title stands among the parts, and what it says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Title {
    pub(crate) text: Option<String>,
    /// First part of the title and the part behind its last.
    pub(crate) range: std::ops::Range<usize>,
}

/// Finds the title: what the file says it is, when the first page prints that; else the largest type.
pub(crate) fn title(parts: &[Part], title_in_file: Option<&str>, typography: &Typography) -> Title {
    let Some(first_page) = parts.first().map(|p| p.page) else {
        return Title::default();
    };
    let end = parts.iter().position(|p| p.page > first_page + 1).unwrap_or(parts.len());
    let field = title_in_file.filter(|t| names::fold(t).split(' ').count() >= 3);
    if let Some(field) = field
        && let Some(range) = printed_at(&parts[..end], &squeezed(field))
    {
        let found = finished(parts, range, typography);
        // The file's own title shows where the printed one lacks spaces.
        let printed = found.text.as_deref().unwrap_or_default();
        let spaced = squeezed(printed) == squeezed(field) && words(field) > words(printed);
        return Title { text: if spaced { Some(field.to_owned()) } else { found.text }, ..found };
    }
    let page_end = parts[..end].iter().position(|p| p.page > first_page).unwrap_or(end);
    let largest = |least: usize| {
        (0..page_end)
            .filter(|i| could_be_title(&parts[*i], least, typography))
            .max_by(|a, b| weight(&parts[*a]).total_cmp(&weight(&parts[*b])).then(b.cmp(a)))
    };
    // A title of two words may also be the name of the journal.
    let Some(start) = largest(3).or_else(|| largest(2)) else {
        return Title { text: None, range: 0..0 };
    };
    let mut stop = start + 1;
    while stop < page_end && follows(&parts[stop - 1], &parts[stop]) {
        stop += 1;
    }
    let mut begin = start;
    while begin > 0 && follows(&parts[begin - 1], &parts[begin]) {
        begin -= 1;
    }
    finished(parts, begin..stop, typography)
}

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// The title that these parts print, with the subtitle below them and without the kind of article and the version.
fn finished(parts: &[Part], range: std::ops::Range<usize>, typography: &Typography) -> Title {
    let text = joined(&parts[range.clone()]);
    let mut text = without_version(without_type(&text)).to_owned();
    let mut end = range.end;
    let next = parts.get(end);
    if let Some(next) = next.filter(|next| is_subtitle(&text, &parts[end - 1], next, typography)) {
        let colon = if text.ends_with([':', '.', '?', '!', '–', '—', '-']) { "" } else { ":" };
        text = format!("{text}{colon} {}", without_version(next.text.trim()));
        end += 1;
    }
    Title { text: Some(text), range: range.start..end }
}

/// The title without the mark of a version at its end.
pub(crate) fn without_version(title: &str) -> &str {
    VERSION.find(title).map_or(title, |mark| &title[..mark.start()])
}

/// Whether a part right below a title goes on with it in another look: it follows a colon, or names the design of the study.
fn is_subtitle(title: &str, last: &Part, next: &Part, typography: &Typography) -> bool {
    let open = title.ends_with([':', '–', '—']);
    let text = next.text.trim().trim_end_matches('.');
    let found = person::names(text);
    next.kind == Kind::Text
        && next.page == last.page
        && !next.margin
        && (0.0..3.5 * last.size.max(next.size)).contains(&(next.top - last.bottom))
        && (3..=30).contains(&words(text))
        && next.size >= 0.9 * typography.size
        && next.lines <= 4
        && (open || DESIGN.is_match(text) && !text.contains(". "))
        && (found.list.is_empty() || !found.is_all() && found.marked == 0)
        && (DESIGN.is_match(text) || !person::is_affiliation(text))
        && !is_notice(text)
        && !names::is_known(text)
}

/// Takes the kind of article off a title that it is printed with.
fn without_type(title: &str) -> &str {
    const TYPES: &str = "Short Communication|Research Article|Review Article|Original Article|Original Research|\
        Open Access|Clinical Study|Case Report|OPEN|RESEARCH ARTICLE|REVIEW|ARTICLE|Research Paper";
    let rest = TYPES.split('|').find_map(|t| title.strip_prefix(t));
    let rest = rest.map(|r| r.trim_start_matches([':', ' ', '|', '-']));
    rest.filter(|r| r.split_whitespace().count() >= 3 && r.starts_with(|c: char| !c.is_lowercase()))
        .unwrap_or(title)
}

/// Size counts, but the banner of a journal is larger than many a title: it is short and names its publisher.
fn weight(part: &Part) -> f32 {
    const PUBLISHERS: &str = "BioMed Central|Hindawi|Elsevier|Springer|Wiley|ScienceDirect|PLOS|Frontiers|MDPI|Nature|Royal Society|Oxford";
    let banner = PUBLISHERS.split('|').any(|p| part.text.contains(p)) && part.words() <= 8;
    part.size
        * if banner {
            0.4
        } else if part.words() < 5 {
            0.75
        } else {
            1.0
        }
}

fn could_be_title(part: &Part, least: usize, typography: &Typography) -> bool {
    let words = part.words();
    let letters = part.text.chars().filter(|c| c.is_alphabetic()).count();
    matches!(part.kind, Kind::Text)
        && !part.margin
        && (least..=45).contains(&words)
        && (letters >= 12 || least < 3 && letters >= 7 && !is_date(&part.text))
        && part.top < part.page_height * 0.7
        && (part.size > typography.size * 1.1 || part.style.bold && !typography.bold)
        && !(part.text.contains("Journal") && words <= 7)
        && !is_notice(&part.text)
        && !names::is_known(&part.text)
        && !is_list_of_names(&part.text)
}

/// "Berlin, 21 March 2022".
fn is_date(text: &str) -> bool {
    let digits = |w: &str| w.bytes().filter(u8::is_ascii_digit).count();
    text.contains(',') || text.split_whitespace().any(|w| digits(w) >= 4)
}

/// A list of authors, in larger type than the title.
fn is_list_of_names(text: &str) -> bool {
    let found = person::names(text);
    found.list.len() >= 3 && found.rest.is_empty()
}

fn follows(last: &Part, next: &Part) -> bool {
    let ratio = last.size / next.size.max(0.1);
    next.kind == Kind::Text
        && last.kind == Kind::Text
        && last.region == next.region
        && (0.97..=1.03).contains(&ratio)
        && last.style.bold == next.style.bold
        && next.gap_above < 2.2
        && !is_notice(&next.text)
}

fn joined(parts: &[Part]) -> String {
    parts.iter().map(|p| p.text.trim()).collect::<Vec<_>>().join(" ")
}

/// Folded, without spaces.
fn squeezed(text: &str) -> String {
    names::fold(text).replace(' ', "")
}

/// The parts whose text together is the title that the file names, squeezed.
fn printed_at(parts: &[Part], title_in_file: &str) -> Option<std::ops::Range<usize>> {
    for start in 0..parts.len() {
        let mut text = String::new();
        for (stop, part) in parts.iter().enumerate().skip(start).take(4) {
            if part.kind != Kind::Text {
                break;
            }
            text.push_str(&squeezed(&part.text));
            if text == title_in_file || text.strip_suffix(|c: char| c.is_ascii_digit()) == Some(title_in_file)
            {
                return Some(start..stop + 1);
            }
            if text.len() > title_in_file.len() + 8 {
                break;
            }
        }
    }
    None
}

/// Where the paper's text may start: behind its title, or behind the last of several when a cover page prints it
/// first. A first page with a summary of some length is no cover: then the later titles are taken out.
pub(crate) fn start(parts: &mut Vec<Part>, title: &Title) -> usize {
    let Some(text) = title.text.as_deref().map(names::fold) else {
        return 0;
    };
    let behind = title.range.end;
    let page = parts.get(title.range.start).map_or(1, |p| p.page);
    let near = parts[behind..].iter().take_while(|p| p.page <= page + 2).count();
    let is_title = |p: &Part| p.kind == Kind::Text && p.size > 12.0 && names::fold(&p.text) == text;
    let Some(again) = (behind..behind + near).rfind(|i| is_title(&parts[*i])) else {
        return behind;
    };
    let is_prose = |p: &&Part| p.words() >= 30 && !looks_like_names(&p.text) && !is_notice(&p.text);
    let prose = parts[behind..again].iter().filter(is_prose);
    if prose.map(Part::words).sum::<usize>() < SUMMARY {
        return again + 1;
    }
    let mut at = 0;
    parts.retain(|part| {
        at += 1;
        at <= behind || at > again + 1 || !is_title(part)
    });
    behind
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::line::Line;

    /// The title of a page with these parts: height, size, text.
    fn of(parts: &[(f32, f32, &str)], field: Option<&str>) -> String {
        let part = |(top, size, text): &(f32, f32, &str)| Part {
            text: (*text).to_owned(),
            page: 1,
            top: *top,
            bottom: *top,
            size: *size,
            page_height: 800.0,
            gap_above: 9.0,
            ..Part::default()
        };
        let body = Line {
            text: "Snails that sleep long grow faster than snails that sleep little".to_owned(),
            size: 10.0,
            ..Line::default()
        };
        let parts: Vec<Part> = parts.iter().map(part).collect();
        title(&parts, field, &Typography::measure(&[body])).text.unwrap_or_default()
    }

    const TITLE: (f32, f32, &str) = (100.0, 18.0, "Sleep and the growth of snails");

    #[test]
    fn a_subtitle_belongs_to_the_title() {
        let check = |below: (f32, f32, &str), want: &str| {
            let authors = (150.0, 11.0, "Anna Berg1, Tom Ash2");
            assert_eq!(of(&[TITLE, below, authors], None), want, "{below:?}");
        };
        check(
            (120.0, 13.0, "a protocol for a randomised controlled trial"),
            "Sleep and the growth of snails: a protocol for a randomised controlled trial",
        );
        check(
            (120.0, 11.0, "A systematic review and meta-analysis [version 1; peer review: 2 approved]"),
            "Sleep and the growth of snails: A systematic review and meta-analysis",
        );
        for other in [
            "Kim Oster, Jo Falk",
            "Institute of Slime, Lower Wood",
            "Clinical Trials Unit, University of Nowhere",
            "Slime Letters of the Garden",
            "Abstract",
        ] {
            check((120.0, 11.0, other), TITLE.2);
        }
        // Far below stands something else.
        check((300.0, 11.0, "a protocol for a randomised controlled trial"), TITLE.2);
        let open = (100.0, 18.0, "Sleep and the growth of snails:");
        assert_eq!(
            of(&[open, (120.0, 14.0, "evidence from twelve gardens")], None),
            "Sleep and the growth of snails: evidence from twelve gardens"
        );
    }

    #[test]
    fn the_mark_of_a_version_is_no_part_of_a_title() {
        let check = |title: &str, want: &str| assert_eq!(without_version(title), want);
        check("Snails [v2; ref status: indexed, http://f1000r.es/4fj]", "Snails");
        check("Snails [version 1; peer review: 2 approved]", "Snails");
        check("Snails (Version 3)", "Snails");
        check("Snails in vitamin D (v)", "Snails in vitamin D (v)");
        check("Factor V (2 cases)", "Factor V (2 cases)");
    }

    #[test]
    fn the_title_of_the_file_shows_where_words_part() {
        let glued = (100.0, 18.0, "Sleepand the growthof snails");
        assert_eq!(of(&[glued], Some(TITLE.2)), TITLE.2);
        assert_eq!(of(&[TITLE], Some("SLEEP AND THE GROWTH OF SNAILS")), TITLE.2);
    }
}
