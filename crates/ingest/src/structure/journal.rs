//! Journal, volume and issue, as running heads, the edges of the first page and "Cite this article" print them.

use super::names;
use crate::layout::line::Line;
use regex::Regex;
use std::cmp::Reverse;
use std::sync::LazyLock;
use text::Pattern;
use types::Printed;

const MONTH: &str = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\.?";
const YEAR: &str = r"(?:19|20)\d\d";
const VOLUME: &str = r"(?<volume>\d{1,4})";
const ISSUE: &str = r"(?<issue>(?:suppl?\.?\s?|s)?\d{1,3}(?:\s?[-–/]\s?\d{1,3})?)";
const PAGE: &str = r"(?:article\s*)?[a-z]{0,4}\d+";

/// The forms of a citation: what stands before the volume or its year is the journal.
static FORMS: LazyLock<[Regex; 5]> = LazyLock::new(|| {
    let date = format!(r"(?:\b{MONTH}(?:\s?[-–/]\s?{MONTH})?\s+(?:\d{{1,2}},?\s+)?)?");
    let vol = r"vol(?:ume)?\b\.?\s*";
    let number = format!(r"(?:(?:[\s,;|]+(?:no|iss|issue|number)\b\.?|\s*\()\s*{ISSUE})?");
    [
        // "Nutr J (2021) 20:45", "Nutrients 2019, 11, 1234", "J Slime, May-June 2015;8(2):99"
        format!(
            r"^(?<name>.*?)[\s,;|]*{date}\(?\b(?<year>{YEAR})\s*[);,:|][\s;,:|]*{VOLUME}(?:\s*\({ISSUE}\)\s*[:,]?|\s*[:,])\s*{PAGE}"
        ),
        // "J Slime 2020 | vol. 6 | iss. 8"
        format!(r"^(?<name>.*?)[\s,;|]*{date}\(?\b(?<year>{YEAR})[\s);,:|]+{vol}{VOLUME}\b{number}"),
        // "Environ Int 116 (2018) 108–115", "Slime 13(3): 67-72 (2017)"
        format!(
            r"^(?<name>.+?),?\s+{VOLUME}(?:\s*\({ISSUE}\))?(?:\s*[:,]\s*{PAGE}(?:\s?[-–]\s?\d+)?)?\s*\({date}(?<year>{YEAR})\)"
        ),
        // "IEEE Trans Slime, vol. 39, no. 5, May 2020", "Volume 2016, Article ID 724594"
        format!(r"^(?<name>.*?)[\s,;|–-]*\b{vol}{VOLUME}\b{number}"),
        // "Scientific Reports | 7:45231", "Nature Slime | (2019) 10:12"
        format!(r"^(?<name>[^|]+?)\s*\|\s*(?:\((?<year>{YEAR})\)\s*)?{VOLUME}\s*:\s*{PAGE}"),
    ]
    .map(|form| Regex::new(&format!("(?i){form}")).expect("the pattern is valid"))
});
/// Behind the title of the paper the year may stand before it: "PLoS ONE 13(11): e0207763".
static BEHIND_TITLE: LazyLock<Regex> = LazyLock::new(|| {
    let form = format!(r"(?i)^(?<name>[^\d:]+?),?\s+{VOLUME}(?:\s*\({ISSUE}\))?\s*[:,]\s*{PAGE}");
    Regex::new(&form).expect("the pattern is valid")
});
static CITE: Pattern = Pattern::new(r"(?i)\b(cite (this|as)|to cite|please cite)\b|^\W*citation\b");
/// Words of a line that names no journal.
const NO_JOURNAL: &str = "\
    received|accepted|revised|published|available|copyright|page|pages|table|figure|fig|chapter|section|version|appendix|\
    supplement|conference|proceedings|workshop|symposium|preprint|doi|volume|vol|no|issue|issn|downloaded|submitted|online";
const SMALL: &str = "of|and|the|in|for|on|to|de|la|et|der|für|und|y|e|del|di|do|da|a|an";

/// What is known of the paper whose journal is wanted.
pub(super) struct Paper<'a> {
    pub(super) lines: &'a [Line],
    pub(super) running: &'a [(u32, String)],
    pub(super) title: Option<&'a str>,
    pub(super) authors: &'a [String],
    pub(super) year: Option<u16>,
}

impl Paper<'_> {
    /// Journal, volume and issue; nothing where the places name different volumes. Heads and the edges of the first page
    /// count before citations.
    pub(super) fn printed(&self) -> Printed {
        let first = self.lines.first().map_or(1, |l| l.page);
        let heads = self.running.iter().filter(|(page, _)| *page <= first + 2);
        let heads = heads.filter_map(|(_, text)| self.read(text, None));
        let on_first = self.lines.iter().take_while(|l| l.page == first).enumerate();
        let edges = on_first.filter_map(|(i, line)| {
            let above = i.checked_sub(1).map(|above| &self.lines[above]);
            let edge = line.y < 0.15 * line.page_height || line.y > 0.88 * line.page_height;
            let counts = line.words() <= 30 && (edge || line.text.to_lowercase().contains("doi"));
            let found = self.read(&line.text, above).filter(|_| counts)?;
            // A line of a paragraph may cite another paper.
            let goes_on = above.is_some_and(|a| a.region == line.region && line.y - a.y < 1.6 * line.size);
            let own = found.journal.as_ref().is_some_and(|name| line.text.contains(name.as_str()));
            (!goes_on || !own).then_some(found)
        });
        let found: Vec<Printed> = heads.chain(edges).collect();
        if !found.is_empty() {
            return agreed(found);
        }
        let last = self.lines.last().map_or(1, |l| l.page);
        let cited = self.lines.iter().enumerate().filter_map(|(i, line)| {
            let near = line.page <= first + 1 || line.page == last;
            let cue = CITE.find(&line.text).filter(|_| near)?;
            let block = self.lines[i..].iter().take(9).take_while(|l| l.region == line.region);
            let text = block.map(|l| l.text.as_str()).collect::<Vec<_>>().join(" ");
            self.read(text.get(cue.end()..)?, None)
        });
        agreed(cited.collect())
    }

    /// Reads one text; `above` is the line above it, which may name the journal.
    fn read(&self, text: &str, above: Option<&Line>) -> Option<Printed> {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let behind = self.behind_title(&text);
        let text = behind.unwrap_or(&text);
        let more = behind.is_some().then(|| &*BEHIND_TITLE);
        FORMS.iter().chain(more).find_map(|form| {
            let groups = form.captures(text)?;
            let group = |name: &str| groups.name(name).map(|group| group.as_str());
            let volume = group("volume")?.trim_start_matches('0');
            if volume.is_empty() || !self.is_of_its_year(group("year").unwrap_or(text)) {
                return None;
            }
            let journal = match group("name")?.trim() {
                "" => above.and_then(|above| self.journal(&above.text)).or_else(|| self.in_heads()),
                name => self.journal(name),
            };
            Some(Printed {
                journal: Some(journal?),
                volume: Some(volume.to_owned()),
                issue: group("issue").map(str::to_owned),
                ..Printed::default()
            })
        })
    }

    /// Whether a text has the year of the paper, give or take one. A text without a year, and a paper without one, are not
    /// refused.
    fn is_of_its_year(&self, text: &str) -> bool {
        let years = text.split(|c: char| !c.is_ascii_digit());
        let years = years.filter(|y| y.len() == 4 && (y.starts_with("19") || y.starts_with("20")));
        let mut years = years.filter_map(|y| y.parse::<u16>().ok()).peekable();
        let own = self.year.filter(|_| years.peek().is_some());
        own.is_none_or(|own| years.any(|year| own.abs_diff(year) <= 1))
    }

    /// What stands behind the end of the paper's title, however its words are broken.
    fn behind_title<'t>(&self, text: &'t str) -> Option<&'t str> {
        const END: usize = 24;
        let lower = |c: char| c.to_lowercase().next().unwrap_or(c);
        let title: Vec<char> = self.title?.chars().filter(|c| c.is_alphanumeric()).map(lower).collect();
        let end = title.get(title.len().checked_sub(END)?..)?;
        let letters = text.char_indices().filter(|(_, c)| c.is_alphanumeric());
        let (places, all): (Vec<usize>, Vec<char>) = letters.map(|(at, c)| (at, lower(c))).unzip();
        let at = all.windows(END).position(|window| window == end)?;
        text.get(*places.get(at + END)?..)
    }

    /// The one journal that heads of the first page name behind the authors.
    fn in_heads(&self) -> Option<String> {
        let first = self.lines.first().map_or(1, |l| l.page);
        let heads = self.running.iter().filter(|(page, _)| *page == first);
        let mut named = heads.filter_map(|(_, text)| self.journal(text).filter(|name| name != text));
        named.next().filter(|name| named.all(|other| other == *name))
    }

    /// The name of a journal without the authors before it; `None` for what is no such name.
    fn journal(&self, text: &str) -> Option<String> {
        let text = text.rsplit_once("et al").map_or(text, |(_, behind)| behind.trim_start_matches('.'));
        let text = text.trim_matches(|c: char| c.is_whitespace() || ",;:|(".contains(c));
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let is_named = |author: &String, word: &str| {
            types::surname(author).is_some_and(|name| names::fold(name) == names::fold(word))
        };
        let is_author = |word: &&str| self.authors.iter().any(|author| is_named(author, word));
        if words.first().is_some_and(is_author) {
            let authors = words.iter().take_while(|w| is_author(w) || matches!(**w, "and" | "&"));
            words.drain(..authors.count());
        }
        let list = |list: &str, word: &str| list.split('|').any(|one| one == word);
        let is_word = |w: &&str| {
            let capital =
                w.trim_start_matches('(').starts_with(char::is_uppercase) || w.starts_with(['&', '—', '–']);
            (capital || list(SMALL, w) || w.chars().skip(1).take(2).any(char::is_uppercase))
                && !list(NO_JOURNAL, &names::fold(w))
                && w.chars().all(|c| c.is_alphanumeric() || ".&-–—'’/():®".contains(c))
        };
        let named = words.iter().any(|w| w.chars().filter(|c| c.is_alphabetic()).count() >= 2)
            && words.first().is_some_and(|w| !list(SMALL, w));
        if words.len() > 12 || !named || !words.iter().all(is_word) {
            return None;
        }
        let name = words.join(" ");
        // A full stop ends a sentence unless the words are cut.
        let cut = name.trim_end_matches('.').contains('.');
        let name = name.trim_end_matches(['®', ':', ',', ';']);
        Some(if cut { name } else { name.trim_end_matches('.') }.to_owned())
    }
}

/// The volume that all name, with its longest name and the issue that all name who give one.
fn agreed(mut found: Vec<Printed>) -> Printed {
    found.sort_by_key(|one| Reverse(one.journal.as_ref().map(String::len)));
    let mut issues: Vec<&String> = found.iter().filter_map(|one| one.issue.as_ref()).collect();
    issues.dedup();
    let issue = issues.first().filter(|_| issues.len() == 1).map(|issue| (*issue).clone());
    let same = found.windows(2).all(|pair| pair[0].volume == pair[1].volume);
    let longest = found.first().filter(|_| same).cloned();
    longest.map_or_else(Printed::default, |longest| Printed { issue, ..longest })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Journal, volume and issue of a paper with these running heads and lines, both on its first page.
    fn read(heads: &[&str], lines: &[(f32, &str)]) -> Option<String> {
        let running: Vec<_> = heads.iter().map(|text| (1, (*text).to_owned())).collect();
        let line = |(y, text): &(f32, &str)| Line {
            page: 1,
            page_height: 100.0,
            y: *y,
            size: 1.0,
            text: (*text).to_owned(),
            ..Line::default()
        };
        let paper = Paper {
            lines: &lines.iter().map(line).collect::<Vec<_>>(),
            running: &running,
            title: Some("Do garden snails sleep in the winter months?"),
            authors: &["Jane Orvella".to_owned(), "Wei Li".to_owned()],
            year: Some(2020),
        };
        paper.printed().place(None)
    }

    #[test]
    fn heads_of_many_publishers_name_the_volume() {
        let check = |head: &str, want: &str| assert_eq!(read(&[head], &[]).as_deref(), Some(want), "{head}");
        check("Orvella et al. J Slime (2020) 20:45", "J Slime 20");
        check("Orvella and Li J Slime 2020, 20:45", "J Slime 20");
        check("Molluscs 2020, 11, 1234", "Molluscs 11");
        check("Int. J. Slime 2021;25(Suppl 1):S60–7", "Int. J. Slime 25(Suppl 1)");
        check("J Slime, May-June 2020;8(2):99-101", "J Slime 8(2)");
        check("JMIR Snails 2020 | vol. 6 | iss. 8 | e104 | p. 1", "JMIR Snails 6(8)");
        check("Jpn J Slime, 2020, Vol. 51, No. 3", "Jpn J Slime 51(3)");
        check("Health of Snails 116 (2020) 108–115", "Health of Snails 116");
        check("Slime 13(3): 67-72 (2020)", "Slime 13(3)");
        check("Slime Reports | 7:45231 | DOI: 10.1000/s", "Slime Reports 7");
        check("TRANS. SLIME, VOL. 39, NO. 5, MAY 2020", "TRANS. SLIME 39(5)");
        let own = "Orvella. (2020). Do garden snails sleep in the winter months? Slime Letters, 7(76), 239.";
        check(own, "Slime Letters 7(76)");
    }

    #[test]
    fn the_first_page_names_it_on_two_lines_or_in_a_citation() {
        let two = [(7.0, "Journal of Slime"), (8.0, "Volume 2020, Article ID 7245")];
        assert_eq!(read(&[], &two).as_deref(), Some("Journal of Slime 2020"));
        let apart = read(&["Orvella et al. BMC Slime"], &[(5.0, "(2020) 20:1124")]);
        assert_eq!(apart.as_deref(), Some("BMC Slime 20"));
        let start = "Citation: Orvella J (2020) Do garden snails sleep in the win\u{AD}";
        let cited = [(50.0, start), (52.0, "ter months? SLoS ONE 13(11): e0207")];
        assert_eq!(read(&[], &cited).as_deref(), Some("SLoS ONE 13(11)"));
    }

    #[test]
    fn what_is_not_sure_is_left_out() {
        let heads = "Orvella et al. 2020;Sleep of garden snails 2020 12;Received 10 May 2020, 12, 45;in 2020, 12, 45;\
            Molluscs 2014, 11, 1234;Molluscs 2020, 4 pages;PREPRINT 2020, 11, 12;www.slime.org Vol 395 May 2020;\
            Slime May 5, 2020 4 / 17";
        for head in heads.split(';') {
            assert_eq!(read(&[head], &[]), None, "{head}");
        }
        assert_eq!(read(&["Slime 2020, 11, 12", "Molluscs 2020, 12, 34"], &[]), None);
        let others: [&[(f32, &str)]; 3] = [
            &[(50.0, "As in Slime 2020, 11, 12, we fed snails")],
            &[(50.0, "Citation: Orvella J. Of slugs. Slime 2020, 11, 12")],
            &[(10.0, "3. Orvella J, Li W. On slugs."), (11.0, "Slime 2020, 11, 12")],
        ];
        assert_eq!(others.map(|lines| read(&[], lines)), [None, None, None]);
    }
}
