//! The paper's own DOI, among those of works that it cites, of data and of supplements.

use super::names;
use crate::layout::line::Line;
use text::Pattern;

static DOI: Pattern = Pattern::new(r#"10\.\d{4,9}/[^\s"<>,;|\]\}]+"#);
/// What follows the DOI of a paper in the address of its files and parts.
static TAIL: Pattern = Pattern::new(
    r"(?x) (/-/ | [?\#&] | /(suppl|full|abstract|e?pdf|asset|meta|fig|table|supp|tables|figures)(_\w+)?([-/]|$) | \.pdf$).*$
        | [./-] [sgtef] \d{3,4} $",
);

/// A DOI that is printed, with what speaks for it being the paper's own.
struct Candidate {
    doi: String,
    points: i32,
}

/// Points of the least sign that a DOI is the paper's own.
const ENOUGH: i32 = 2;

/// The paper's own DOI. `info` is what the file's metadata says.
pub(crate) fn doi(lines: &[Line], running: &[(u32, String)], info: &[Option<&str>]) -> Option<String> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let first = lines.first().map_or(1, |l| l.page);
    let last = lines.last().map_or(1, |l| l.page);
    let heads = running.iter().filter(|(page, _)| *page <= first + 1);
    for (_, text) in heads {
        collect(text, None, 5, &mut candidates);
    }
    of_page(lines, first, true, &mut candidates);
    for page in [first + 1, last].iter().take(if last > first + 1 { 2 } else { 1 }) {
        of_page(lines, *page, false, &mut candidates);
    }
    for text in info.iter().flatten() {
        collect(text, None, 6, &mut candidates);
    }
    best(candidates)
}

fn of_page(lines: &[Line], page: u32, first: bool, candidates: &mut Vec<Candidate>) {
    const CITED: [&str; 3] = ["cite this", "to cite", "citation"];
    // Lines that may still belong to the paper's own citation.
    let mut citing = 0_usize;
    let mut before = String::new();
    for (i, line) in lines.iter().enumerate().filter(|(_, l)| l.page == page) {
        if !first && line.words() < 4 && names::kind_of(&line.text) == types::SectionKind::References {
            break;
        }
        let lower = line.text.to_lowercase();
        citing = if CITED.iter().any(|c| lower.contains(c)) { 8 } else { citing.saturating_sub(1) };
        let edge = line.y < 0.12 * line.page_height || line.y > 0.88 * line.page_height;
        let points = match citing {
            _ if edge => 5,
            0 => 0,
            _ => 4,
        };
        let next = lines.get(i + 1).filter(|l| l.page == page).map(|l| l.text.as_str());
        let foreign = is_of_another_work(&format!("{before} {lower}"));
        collect(&line.text, next, if foreign { -6 } else { points }, candidates);
        before = if DOI.is_match(&lower) { String::new() } else { lower };
    }
}

/// Whether the line speaks of another work: one that it corrects, comments on or offers as a supplement.
fn is_of_another_work(lower: &str) -> bool {
    const OTHERS: &str = "erratum|corrigendum|correction to|corrects|comment on|commentary on|companion|see also|related article|\
        referee report|reviewer report|version of record|preprint of|dataset|data set|deposited|retraction of|this is a response";
    let doi = lower.find("10.").unwrap_or(lower.len());
    let front = lower.get(..doi).unwrap_or(lower);
    let tail_start = front.char_indices().rev().nth(90).map_or(0, |(i, _)| i);
    OTHERS.split('|').any(|o| front[tail_start..].contains(o))
}

/// Adds the DOIs of a line. `points` tells how much its place says; a DOI at the start of its line, or behind few
/// words, is more likely the paper's own than one at the end of a reference.
fn collect(text: &str, next: Option<&str>, points: i32, candidates: &mut Vec<Candidate>) {
    for found in DOI.find_iter(text) {
        let mut doi = found.as_str().to_owned();
        // Broken at the end of its line.
        if found.end() == text.len()
            && doi.ends_with(['-', '.', '/', '_'])
            && let Some(next) = next
            && (!doi.ends_with('.') || next.starts_with(|c: char| c.is_ascii_digit()) || !has_number(&doi))
        {
            doi.push_str(next.split_whitespace().next().unwrap_or_default());
        }
        let words = text[..found.start()].split_whitespace().count();
        let place = match words {
            0..=1 => 3,
            2..=10 => 2,
            _ => 0,
        };
        if let Some(doi) = trimmed(&doi) {
            candidates.push(Candidate { points: points + place, doi });
        }
    }
}

/// The best supported; a DOI that another one lengthens by a part's number is that of the whole.
fn best(mut candidates: Vec<Candidate>) -> Option<String> {
    let all: Vec<String> = candidates.iter().map(|s| s.doi.clone()).collect();
    let continues = |rest: &str| rest.starts_with(['.', '/', '-']) && rest.len() >= 3;
    candidates.retain(|s| s.doi.len() >= 12 || has_number(&s.doi));
    for one in &mut candidates {
        let whole =
            all.iter().filter(|d| has_number(d) && one.doi.strip_prefix(d.as_str()).is_some_and(continues));
        if let Some(whole) = whole.min_by_key(|d| d.len()) {
            one.doi.clone_from(whole);
        }
    }
    // In order of appearance: of two that are equally well supported the first wins.
    let mut best: Option<(i32, &str)> = None;
    for one in &candidates {
        let of_same = candidates.iter().filter(|s| s.doi == one.doi);
        let most = of_same.clone().map(|s| s.points).max().unwrap_or_default();
        let again = i32::try_from(of_same.count().min(4)).unwrap_or(4) - 1;
        let deposit = if is_deposit(&one.doi) { 20 } else { 0 };
        let points = most + again - deposit;
        if best.is_none_or(|(p, _)| points > p) {
            best = Some((points, &one.doi));
        }
    }
    let (points, doi) = best?;
    // A deposit is better than nothing where the file prints no other.
    (points >= ENOUGH || is_deposit(doi) && points >= ENOUGH - 20).then(|| doi.to_owned())
}

/// Whether a number stands behind the prefix.
fn has_number(doi: &str) -> bool {
    let suffix = doi.split_once('/').map_or("", |(_, s)| s);
    suffix.contains(|c: char| c.is_ascii_digit())
}

/// Whether a DOI names data, code or a protocol, which papers print beside their own.
fn is_deposit(doi: &str) -> bool {
    const PREFIXES: &str = "\
        10.17605/|10.5281/|10.6084/|10.5061/|10.17504/|10.7910/|10.24433/|10.1186/isrctn|10.17632/|\
        10.3886/|10.13039/|10.5256/";
    PREFIXES.split('|').any(|p| doi.starts_with(p))
}

/// A DOI without what clings to it, in lower case; nothing when too little is left.
fn trimmed(doi: &str) -> Option<String> {
    const CLINGING: [char; 14] =
        ['.', ',', ';', ':', '\'', '’', '”', '*', '-', '\u{AD}', '/', '_', '\u{200B}', '…'];
    let mut doi = doi.trim_end_matches(CLINGING);
    while doi.ends_with(')') && doi.matches(')').count() > doi.matches('(').count() {
        doi = doi[..doi.len() - 1].trim_end_matches(['.', ',', ';']);
    }
    // A word of the text that follows without a space.
    if let Some((front, word)) = doi.rsplit_once('.')
        && word.len() >= 5
        && word.starts_with(char::is_uppercase)
        && word[1..].bytes().all(|b| b.is_ascii_lowercase())
    {
        doi = front;
    }
    let lower = doi.to_lowercase();
    let own_doi = TAIL.find(&lower).map_or(lower.as_str(), |tail| &lower[..tail.start()]);
    let own_doi = own_doi.trim_end_matches(CLINGING);
    (own_doi.split_once('/').is_some_and(|(_, suffix)| suffix.len() >= 2)).then(|| own_doi.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dois_lose_what_clings_to_them() {
        let check = |text: &str, want: Option<&str>| assert_eq!(trimmed(text).as_deref(), want, "{text}");
        check("10.1371/journal.pone.0123456.", Some("10.1371/journal.pone.0123456"));
        check("10.1016/S0140-6736(05)12345-6", Some("10.1016/s0140-6736(05)12345-6"));
        check("10.1000/abc).", Some("10.1000/abc"));
        check("10.17605/OSF.IO/9ZW34.Abbreviations", Some("10.17605/osf.io/9zw34"));
        check("10.1000/", None);
        check("10.1000/snail.0012/-/dcsupplemental", Some("10.1000/snail.0012"));
        check("10.1000/snail.0012/suppl_file/si_001.pdf", Some("10.1000/snail.0012"));
        check("10.1000/snail.0012/full", Some("10.1000/snail.0012"));
        check("10.1000/snail.0012.s001", Some("10.1000/snail.0012"));
        check("10.1000/snail.0012/fig-2", Some("10.1000/snail.0012"));
        check("10.1000/snail.0012?download=true", Some("10.1000/snail.0012"));
        check("10.1000/fullerene", Some("10.1000/fullerene"));
        check("10.1155/2016/123456", Some("10.1155/2016/123456"));
    }

    /// Lines from the top of a page down, at the height that the first value gives, of 100.
    fn own_doi(lines: &[(f32, &str)], info: Option<&str>) -> Option<String> {
        let lines: Vec<Line> = lines
            .iter()
            .map(|(y, text)| Line {
                page: 1,
                text: (*text).to_owned(),
                y: *y,
                page_height: 100.0,
                ..Line::default()
            })
            .collect();
        doi(&lines, &[], &[info])
    }

    #[test]
    fn the_papers_own_doi_is_told_from_others() {
        let check =
            |lines: &[(f32, &str)], want: Option<&str>| assert_eq!(own_doi(lines, None).as_deref(), want);
        check(&[(30.0, "Supplements: 10.1000/snail.1/-/dcsupplemental")], Some("10.1000/snail.1"));
        check(
            &[
                (40.0, "Erratum for: A. Berg, Slugs. https://doi.org/10.1000/slug.9"),
                (95.0, "https://doi.org/10.1000/snail.1"),
            ],
            Some("10.1000/snail.1"),
        );
        check(
            &[(
                60.0,
                "3 Berg A, Ash T. Slugs that sleep at night in the garden. J Slime 2001;3:4. doi:10.1000/slug.9",
            )],
            None,
        );
        check(
            &[
                (
                    60.0,
                    "3 Berg A, Ash T. Slugs that sleep at night in the garden. J Slime 2001;3:4. doi:10.1000/slug.9",
                ),
                (70.0, "doi: 10.1000/snail.1"),
            ],
            Some("10.1000/snail.1"),
        );
        check(
            &[(50.0, "doi: 10.1000/snail.00012.003"), (96.0, "Berg et al. 10.1000/snail.00012")],
            Some("10.1000/snail.00012"),
        );
        check(&[(50.0, "Data: https://doi.org/10.5281/zenodo.12")], Some("10.5281/zenodo.12"));
        check(
            &[(50.0, "https://doi.org/10.5281/zenodo.12"), (60.0, "https://doi.org/10.1000/snail.1")],
            Some("10.1000/snail.1"),
        );
    }

    #[test]
    fn metadata_names_the_doi_too() {
        assert_eq!(own_doi(&[], Some("J Slime, doi:10.1000/snail.1")).as_deref(), Some("10.1000/snail.1"));
        assert_eq!(own_doi(&[], Some("Slime")), None);
    }
}
