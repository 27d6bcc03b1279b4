//! The byline: which lines around the title name the authors.
//!
//! Lines near the title that read as names are candidates. Names alone prove nothing: the second line of a title or a
//! label in a figure reads as a name too. A candidate counts when something supports it: marks of affiliations,
//! degrees, an institution below, or its surnames in the citation line, the running head, the address for
//! correspondence or the file's metadata. Without support there are no authors.

use super::names;
use super::parts::Part;
use super::person::{self, BREAK, MARK, Names};
use crate::layout::line::Line;
use std::collections::BTreeSet;

/// Lines below the title that are searched.
const REACH: usize = 80;
/// The least support that makes a candidate the byline.
const ENOUGH: i32 = 2;
/// The same where the page has no title, and so no place for a byline.
const ENOUGH_ALONE: i32 = 6;

/// What the byline is looked for in.
pub(crate) struct Front<'a> {
    pub(crate) lines: &'a [Line],
    /// Running heads and feet with their pages.
    pub(crate) running: &'a [(u32, String)],
    /// The parts of the title; empty when none was found.
    pub(crate) title: &'a [Part],
    /// The author that the file's metadata names.
    pub(crate) told: Option<&'a str>,
}

/// Lines that follow each other and look the same.
struct Block {
    /// Range in the lines.
    start: usize,
    end: usize,
    names: Names,
}

/// The authors in the order in which they are printed; empty when it is not sure who they are.
pub(crate) fn authors(front: &Front<'_>) -> Vec<String> {
    let evidence = Evidence::new(front);
    let (before, below) = around(front);
    let below = below_title(front, below, &evidence)
        .or_else(|| again(front).and_then(|range| below_title(front, range, &evidence)))
        .unwrap_or_default();
    let above = above_title(front, before, &evidence).unwrap_or_default();
    // Where the authors stand above the title, a note below may name some of them by their initials.
    let found = if above.len() >= below.len() && within(&below, &above) {
        above
    } else {
        below
    };
    evidence.settle(found)
}

/// The lines below the title where a page behind the cover repeats it.
fn again(front: &Front<'_>) -> Option<std::ops::Range<usize>> {
    let page = front.title.first()?.page;
    let title: Vec<String> = front.title.iter().map(|p| names::fold(&p.text)).collect();
    let title = title.join(" ");
    let lines = front.lines;
    let of_title = |line: &Line| {
        let text = names::fold(&line.text);
        text.len() >= 4 && title.contains(&text)
    };
    let late = |line: &Line| line.page > page && line.page <= page + 2;
    let mut start = lines
        .iter()
        .position(|l| late(l) && l.words() >= 3 && of_title(l))?;
    let found = lines[start].page;
    while lines.get(start).is_some_and(|l| l.page == found && of_title(l)) {
        start += 1;
    }
    let end = lines
        .iter()
        .rposition(|l| l.page == found)
        .map_or(start, |i| i + 1);
    Some(start..end.clamp(start, start + REACH))
}

/// The lines above the title, and those below it.
fn around(front: &Front<'_>) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    let lines = front.lines;
    let page = front
        .title
        .first()
        .map_or_else(|| lines.first().map_or(1, |l| l.page), |p| p.page);
    let first = lines.iter().position(|l| l.page == page).unwrap_or(0);
    let last = lines
        .iter()
        .rposition(|l| l.page == page)
        .map_or(first, |i| i + 1);
    let of_title = |line: &Line| {
        front.title.iter().any(|p| {
            p.page == line.page && p.region == line.region && line.y > p.top - 0.5 && line.y < p.bottom + 0.5
        })
    };
    let start = (first..last).find(|i| of_title(&lines[*i]));
    let end = (first..last).rfind(|i| of_title(&lines[*i])).map(|i| i + 1);
    let end = end.unwrap_or(first);
    (first..start.unwrap_or(first), end..last.min(end + REACH))
}

fn below_title(
    front: &Front<'_>,
    range: std::ops::Range<usize>,
    evidence: &Evidence<'_>,
) -> Option<Vec<String>> {
    let mut blocks = blocks(front.lines, range);
    blocks.retain(|b| !b.names.list.is_empty());
    let support: Vec<i32> = blocks.iter().map(|b| evidence.support(b)).collect();
    let enough = if front.title.is_empty() {
        ENOUGH_ALONE
    } else {
        ENOUGH
    };
    let most = support.iter().copied().max().filter(|s| *s >= enough)?;
    // The first that is about as well supported as the best.
    let at = support.iter().position(|s| *s >= enough && *s * 2 > most)?;
    let first = &blocks[at];
    let mut out = first.names.list.clone();
    let look = &front.lines[first.start];
    let mut open = first.names.open;
    for (block, support) in blocks.iter().zip(&support).skip(at + 1) {
        let line = &front.lines[block.start];
        let alike = (line.size - look.size).abs() < 0.04 * look.size
            && line.bold == look.bold
            && line.italic == look.italic;
        // Each author above an institution of their own, or a list that goes on in another column.
        if alike && block.names.rest.is_empty() && (open || *support > 0) {
            out.extend(block.names.list.iter().cloned());
            open = block.names.open;
        }
    }
    Some(out)
}

/// Some journals print the authors above the title: there the support must be better.
fn above_title(
    front: &Front<'_>,
    range: std::ops::Range<usize>,
    evidence: &Evidence<'_>,
) -> Option<Vec<String>> {
    let mut blocks = blocks(front.lines, range);
    blocks.retain(|b| b.names.rest.is_empty() && evidence.support(b) > ENOUGH);
    let last = blocks.pop()?;
    Some(last.names.list)
}

/// The text of a line with its raised marks and wide gaps as signs of their own.
fn marked_text(line: &Line) -> String {
    let mut out = String::with_capacity(line.text.len() + 8);
    let mut gaps: Vec<usize> = Vec::new();
    let mut at = 0;
    for cell in &line.cells {
        at += cell.text.len() + 1;
        gaps.push(at.saturating_sub(1));
    }
    for (i, c) in line.text.char_indices() {
        // An accent set apart over its letter is raised too.
        let accent = "´`¨ˆ˜¸˚ˇ".contains(c);
        if !accent && line.raised.iter().any(|(from, to)| (*from..*to).contains(&i)) {
            if !out.ends_with(MARK) {
                out.push(MARK);
            }
        } else {
            out.push(if gaps.contains(&i) { BREAK } else { c });
        }
    }
    out
}

/// The lines of a range with their text; what stands beside a line in the same type continues it, where a wide gap made
/// two columns of it.
fn whole_lines(lines: &[Line], range: std::ops::Range<usize>) -> Vec<(usize, &Line, String)> {
    let mut taken = vec![false; range.len()];
    let mut out = Vec::with_capacity(range.len());
    for i in range.clone() {
        if std::mem::replace(&mut taken[i - range.start], true) {
            continue;
        }
        let line = &lines[i];
        let mut text = marked_text(line);
        let mut end = line.x1;
        for j in i + 1..range.end {
            let other = &lines[j];
            let beside = other.region != line.region
                && (other.y - line.y).abs() < 0.3 * line.size
                && (other.size - line.size).abs() < 0.04 * line.size
                && (-0.5..3.0).contains(&((other.x0 - end) / line.size.max(0.1)));
            if beside && !taken[j - range.start] {
                taken[j - range.start] = true;
                text.push(BREAK);
                text.push_str(&marked_text(other));
                end = other.x1;
            }
        }
        out.push((i, line, text));
    }
    out
}

/// Groups the lines up to the abstract into blocks of one look.
fn blocks(lines: &[Line], range: std::ops::Range<usize>) -> Vec<Block> {
    let mut out = Vec::new();
    let mut text = String::new();
    let mut start = range.start;
    let mut last: Option<&Line> = None;
    let close = |start: usize, end: usize, text: &mut String, out: &mut Vec<Block>| {
        if !text.is_empty() {
            let names = person::names(text);
            out.push(Block { start, end, names });
            text.clear();
        }
    };
    for (i, line, text_of_line) in whole_lines(lines, range.clone()) {
        let of_text = |l: &Line| l.text.chars().any(char::is_alphabetic);
        if line.margin || !of_text(line) && line.raised.is_empty() {
            continue;
        }
        if is_start_of_text(line) {
            close(start, i, &mut text, &mut out);
            return out;
        }
        let dangling = text.trim_end().ends_with([',', '&', ';']) || text.trim_end().ends_with(" and");
        let joins = last.is_some_and(|l| {
            l.region == line.region
                && line.y - l.y < 2.2 * l.size.max(line.size)
                && (dangling || (l.size - line.size).abs() < 0.06 * l.size)
                && (dangling || l.bold == line.bold && l.italic == line.italic)
                && !super::front::is_notice(&line.text)
        });
        if !joins {
            close(start, i, &mut text, &mut out);
            start = i;
        } else if !text.is_empty() {
            text.push(BREAK);
        }
        text.push_str(&text_of_line);
        last = Some(line);
    }
    close(start, range.end, &mut text, &mut out);
    out
}

/// "Abstract", "1. Introduction" and other headings behind which no authors stand.
fn is_start_of_text(line: &Line) -> bool {
    let kind = names::kind_of(&line.text);
    line.words() <= 4 && names::is_known(&line.text) && kind != types::SectionKind::Supplementary
        || super::names::fold(line.text.split([':', '.', '—', '–']).next().unwrap_or_default()) == "abstract"
}

/// What speaks for and against names.
struct Evidence<'a> {
    lines: &'a [Line],
    /// Folded words of lines that name authors again: citation, running head, correspondence.
    cues: Vec<(usize, Vec<String>)>,
    /// Parts of mail addresses in front of the @, folded.
    mail: Vec<String>,
    /// Words that the paper prints in lower case.
    ordinary: BTreeSet<&'a str>,
    /// Names of the file's metadata, those that are printed.
    told: Vec<String>,
}

/// A line number for what is not among the lines.
const OUTSIDE: usize = usize::MAX;

impl<'a> Evidence<'a> {
    fn new(front: &Front<'a>) -> Self {
        let lines = front.lines;
        let first = lines.first().map_or(1, |l| l.page);
        let last = lines.last().map_or(1, |l| l.page);
        let near = |page: u32| page <= first + 1 || page == last;
        let mut cues = Vec::new();
        let mut mail = Vec::new();
        for (i, line) in lines.iter().enumerate().filter(|(_, l)| near(l.page)) {
            mail.extend(
                line.text
                    .split_whitespace()
                    .filter_map(|w| Some(folded(w.split_once('@')?.0).concat())),
            );
            cues.push((i, folded(&marked_text(line))));
        }
        for (_, text) in front.running {
            cues.push((OUTSIDE, folded(text)));
        }
        let words = lines.iter().flat_map(|l| l.text.split_whitespace());
        let ordinary = words
            .map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()))
            .filter(|w| w.len() > 2 && w.chars().all(char::is_lowercase))
            .collect();
        let mut evidence = Self {
            lines,
            cues,
            mail,
            ordinary,
            told: Vec::new(),
        };
        let told = front.told.map(told_names).unwrap_or_default();
        evidence.told = told.into_iter().filter(|name| evidence.printed(name)).collect();
        evidence
    }

    /// Whether all words of the name stand in one line of the first pages, or in two that follow each other.
    fn printed(&self, name: &str) -> bool {
        let words: Vec<String> = folded(name)
            .into_iter()
            .filter(|w| w.chars().count() > 1)
            .collect();
        let holds = |words: &[String], line: &[String]| words.iter().all(|w| line.contains(w));
        words.len() >= 2
            && self.cues.windows(2).any(|pair| {
                let both = [pair[0].1.as_slice(), pair[1].1.as_slice()].concat();
                holds(&words, &both)
            })
    }

    /// Points for a block of names being the byline.
    fn support(&self, block: &Block) -> i32 {
        let names = &block.names;
        let count = names.list.len();
        let mut points = 0;
        points += if names.marked >= 2 && names.marked * 2 >= count {
            3
        } else {
            i32::from(names.marked > 0)
        };
        points += if names.degrees > 0 { 2 } else { 0 };
        points += i32::from(names.initials > 0);
        points += i32::from(count >= 4 && names.rest.is_empty());
        points += if self.institution_follows(block) { 2 } else { 0 };
        let again = names.list.iter().filter(|n| self.named_again(n, block)).count();
        points += if again > 0 { 3 } else { 0 };
        let told = names
            .list
            .iter()
            .any(|n| self.told.iter().any(|t| same_person(n, t)));
        points += if told { 4 } else { 0 };
        // Words of the language make headings and labels, seldom names.
        let plain = names.list.iter().filter(|n| self.is_ordinary(n)).count();
        if plain * 2 > count {
            points -= 5;
        }
        if person::is_affiliation(&names.rest) && names.marked == 0 && again == 0 {
            points -= 3;
        }
        // Running text that begins with two capitals.
        let rest: Vec<&str> = names.rest.split_whitespace().collect();
        let small = rest.iter().filter(|w| w.starts_with(char::is_lowercase)).count();
        if rest.len() >= 8 && small * 2 > rest.len() && names.marked < 2 {
            points -= 4;
        }
        points
    }

    fn is_ordinary(&self, name: &str) -> bool {
        let mut words = name
            .split([' ', '-'])
            .map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()))
            .filter(|w| w.chars().count() > 2);
        let lower = |w: &str| self.ordinary.contains(w.to_lowercase().as_str());
        words.clone().count() > 0 && words.all(lower)
    }

    /// Whether an institution or an address of mail stands right below.
    fn institution_follows(&self, block: &Block) -> bool {
        if person::is_affiliation(&block.names.rest) {
            return true;
        }
        let page = self.lines[block.start].page;
        let next = self
            .lines
            .iter()
            .skip(block.end)
            .take(3)
            .filter(|l| l.page == page && !l.margin);
        next.take(2)
            .any(|l| person::is_affiliation(&l.text) && l.words() <= 30)
    }

    /// Whether a surname stands with its initial, after a cue or before "et al." elsewhere, or in an address of mail.
    fn named_again(&self, name: &str, block: &Block) -> bool {
        const CUES: &str = "correspondence|correspond|corresponding|email|mail|copyright|cite|citation|author|authors|contact|\
            reprints|orcid|et|editor";
        let words = folded(name);
        let Some((surname, given)) = words.split_last() else {
            return false;
        };
        if surname.chars().count() < 2 {
            return false;
        }
        if surname.chars().count() >= 4 && self.mail.iter().any(|m| m.contains(surname.as_str())) {
            return true;
        }
        let initial = given.first().and_then(|g| g.chars().next());
        // Scripts without capitals have no initials.
        let cased = name.chars().any(char::is_uppercase);
        self.cues
            .iter()
            .filter(|(i, _)| !(block.start..block.end).contains(i))
            .any(|(_, line)| {
                line.iter()
                    .enumerate()
                    .filter(|(_, w)| *w == surname)
                    .any(|(at, _)| {
                        let beside = [at.checked_sub(1).and_then(|i| line.get(i)), line.get(at + 1)];
                        let initials = beside.iter().flatten().any(|w| {
                            w.chars().count() <= 3
                                && w.chars().next() == initial
                                && w.as_str() != "and"
                                && cased
                        });
                        let cued = line.iter().any(|w| CUES.split('|').any(|c| c == w));
                        let whole = given.iter().all(|g| line.contains(g));
                        initials || cued && (whole || line.get(at + 1).is_some_and(|w| w == "et"))
                    })
            })
    }

    /// What is found against what the metadata names: a list there whose names are all printed and that holds those
    /// found completes it; where nothing is found its printed names stand alone.
    fn settle(&self, found: Vec<String>) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let mut out: Vec<String> = found
            .into_iter()
            .filter(|n| seen.insert(n.to_lowercase()))
            .collect();
        if out.is_empty() || self.told.len() > out.len() && within(&out, &self.told) {
            out.clone_from(&self.told);
        }
        out
    }
}

/// The names in the author field of a file's metadata; family names may stand first.
fn told_names(told: &str) -> Vec<String> {
    let names = person::names(told);
    if names.rest.is_empty() && !names.list.is_empty() {
        return names.list;
    }
    // "Smith, Jane" or "Smith, Jane; Wei, Li".
    let turned = told.split(';').map(|one| {
        let (family, given) = one.split_once(',')?;
        (!given.contains(',')).then(|| format!("{} {}", given.trim(), family.trim()))
    });
    let turned: Option<Vec<String>> = turned.collect();
    let names = turned.map(|t| person::names(&t.join("; ")));
    names
        .filter(|n| n.rest.is_empty())
        .map(|n| n.list)
        .unwrap_or_default()
}

/// Whether all names are among the others.
fn within(names: &[String], of: &[String]) -> bool {
    names.iter().all(|n| of.iter().any(|o| same_person(n, o)))
}

/// Whether two spellings name one person: the same surname and first initial.
fn same_person(a: &str, b: &str) -> bool {
    let (a, b) = (folded(a), folded(b));
    let initial = |words: &[String]| words.first().and_then(|w| w.chars().next());
    a.last().is_some() && a.last() == b.last() && initial(&a) == initial(&b)
}

/// Words without case and accents.
fn folded(text: &str) -> Vec<String> {
    use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};
    text.split(|c: char| !c.is_alphabetic() && !is_combining_mark(c) && !matches!(c, '\'' | '’'))
        .map(|w| {
            w.nfkd()
                .filter(|c| c.is_alphabetic())
                .flat_map(char::to_lowercase)
                .collect::<String>()
        })
        .filter(|w| !w.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::line::Cell;

    /// A line at this height in this size; "^" stands for a raised mark, "|" for a wide gap.
    fn line(y: f32, size: f32, text: &str) -> Line {
        let mut raised = Vec::new();
        let mut plain = String::new();
        for c in text.chars() {
            match c {
                '^' => {
                    raised.push((plain.len(), plain.len() + 1));
                    plain.push('a');
                }
                '|' => plain.push(' '),
                c => plain.push(c),
            }
        }
        let cell = |text: &str| Cell {
            x0: 0.0,
            x1: 0.0,
            text: text.replace('^', "a"),
        };
        Line {
            page: 1,
            region: 1,
            cells: if text.contains('|') {
                text.split('|').map(cell).collect()
            } else {
                Vec::new()
            },
            text: plain,
            raised,
            y,
            size,
            page_height: 800.0,
            ..Line::default()
        }
    }

    const TITLE: &str = "Sleep and the growth of garden snails";

    /// The authors of a page with a title at the height 100 and these lines, in the order of reading.
    fn read(lines: &[Line], told: Option<&str>) -> Vec<String> {
        let title = Part {
            text: TITLE.to_owned(),
            page: 1,
            region: 1,
            top: 100.0,
            bottom: 100.0,
            size: 18.0,
            ..Part::default()
        };
        let mut all: Vec<Line> = lines.to_vec();
        let at = all.iter().position(|l| l.y > 100.0).unwrap_or(all.len());
        all.insert(at, line(100.0, 18.0, TITLE));
        authors(&Front {
            lines: &all,
            running: &[],
            title: &[title],
            told,
        })
    }

    fn check(lines: &[(f32, f32, &str)], want: &[&str]) {
        let lines: Vec<Line> = lines
            .iter()
            .map(|(y, size, text)| line(*y, *size, text))
            .collect();
        assert_eq!(read(&lines, None), want, "{lines:?}");
    }

    #[test]
    fn marks_of_affiliations_support_a_byline() {
        check(
            &[
                (120.0, 11.0, "Jane A. Lam^^, Li Wu^ and"),
                (134.0, 11.0, "Óscar de la Cruz^"),
                (150.0, 9.0, "Lower Wood"),
            ],
            &["Jane A. Lam", "Li Wu", "Óscar de la Cruz"],
        );
    }

    #[test]
    fn an_institution_or_an_address_supports_a_byline() {
        check(
            &[
                (120.0, 11.0, "Anna Berg"),
                (134.0, 9.0, "University of Nowhere, Lower Wood"),
            ],
            &["Anna Berg"],
        );
        check(
            &[
                (120.0, 11.0, "Anna Berg, Tom Ash"),
                (134.0, 9.0, "Lower Wood"),
                (700.0, 8.0, "E-mail: a.berg@snail.org"),
            ],
            &["Anna Berg", "Tom Ash"],
        );
        check(
            &[
                (120.0, 11.0, "Anna Berg"),
                (700.0, 8.0, "Copyright 2016 Anna Berg et al."),
            ],
            &["Anna Berg"],
        );
    }

    #[test]
    fn names_without_support_are_no_authors() {
        check(&[(120.0, 14.0, "Radio Checkboxes")], &[]);
        check(&[(120.0, 14.0, "Evenings in Lower Wood")], &[]);
        check(
            &[
                (120.0, 11.0, "THIS DAY."),
                (140.0, 10.0, "so that on this day the snails of the day slept"),
            ],
            &[],
        );
        check(
            &[
                (120.0, 14.0, "Garden Sleep"),
                (134.0, 9.0, "University of Nowhere"),
                (150.0, 9.0, "the garden where they sleep"),
            ],
            &[],
        );
        check(
            &[(
                120.0,
                11.0,
                "In April 2023 the snails of all of the gardens were asleep again",
            )],
            &[],
        );
    }

    #[test]
    fn each_author_may_stand_above_an_institution() {
        check(
            &[
                (120.0, 11.0, "Anna Berg"),
                (134.0, 9.0, "University of Nowhere"),
                (160.0, 11.0, "Tom Ash"),
                (174.0, 9.0, "Institute of Slime"),
                (200.0, 11.0, "Abstract"),
                (214.0, 11.0, "Lower Wood"),
            ],
            &["Anna Berg", "Tom Ash"],
        );
        check(
            &[
                (120.0, 11.0, "Anna Berg|Tom Ash|Jo Falk"),
                (134.0, 9.0, "University of Nowhere"),
            ],
            &["Anna Berg", "Tom Ash", "Jo Falk"],
        );
    }

    #[test]
    fn authors_may_stand_above_the_title() {
        check(
            &[
                (60.0, 11.0, "Anna Berg · Tom Ash · Jo Falk"),
                (74.0, 11.0, "Kim Oster · Li Wu"),
                (700.0, 8.0, "A. Berg · T. Ash (*)"),
                (710.0, 8.0, "Institute of Slime, e-mail: ash@snail.org"),
            ],
            &["Anna Berg", "Tom Ash", "Jo Falk", "Kim Oster", "Li Wu"],
        );
    }

    #[test]
    fn metadata_completes_or_replaces_what_is_printed() {
        let lines = [
            line(120.0, 11.0, "Anna Berg^, Tom A$h^, Jo Falk^"),
            line(700.0, 8.0, "Tom Ash wrote this."),
        ];
        assert_eq!(read(&lines, None), ["Anna Berg", "Jo Falk"]);
        assert_eq!(
            read(&lines, Some("Anna Berg; Tom Ash; Jo Falk")),
            ["Anna Berg", "Tom Ash", "Jo Falk"]
        );
        assert_eq!(
            read(&lines, Some("Anna Berg; Kim Oster; Jo Falk; Tom Ash")),
            ["Anna Berg", "Jo Falk", "Tom Ash"]
        );
        let lines = [line(400.0, 8.0, "by ANNA BERG of Lower Wood")];
        assert_eq!(read(&lines, Some("Berg, Anna")), ["Anna Berg"]);
        assert_eq!(read(&lines, Some("Acrobat User")), [""; 0]);
    }
}
