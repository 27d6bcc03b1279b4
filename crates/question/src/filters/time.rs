//! Expressions of time in years: "2020", "2020 to 2023", "the last five years", "the 2010s".

use super::tokens::Tokens;
use text::WordList;

/// Years that "recent" and "the last few years" reach back.
pub(super) const RECENT: u16 = 3;
/// A four-digit number in this range may be a year of publication.
const YEARS: std::ops::RangeInclusive<u16> = 1800..=2099;

/// An expression of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time {
    /// Its first year; `None` for "2020 or earlier".
    pub(super) from: Option<u16>,
    /// Its last year; `None` for "2020 or later".
    pub(super) to: Option<u16>,
    /// The place of the token after it.
    pub(super) end: usize,
    /// How it is written.
    pub(super) form: Form,
    /// Whether it lists years with others between them: "2010 and 2020".
    pub(super) sparse: bool,
}

/// How an expression of time is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One year, or a decade such as "the 2010s".
    Year,
    /// First and last year: "2020 to 2023".
    Range,
    /// Years in a list: "2020 and 2021".
    List,
    /// Relative to this year: "the last five years".
    Relative,
}

impl Time {
    fn new(from: impl Into<Option<u16>>, to: impl Into<Option<u16>>, end: usize, form: Form) -> Self {
        Self { from: from.into(), to: to.into(), end, form, sparse: false }
    }
}

/// What may stand before a year.
static BEFORE: WordList = WordList::new(
    "the year years early late mid january february march april may june july august september october november
    december",
);
/// What goes on from a year to later ones, behind "or" or "and", and what goes back.
static LATER: WordList = WordList::new("later newer after afterwards onward onwards on beyond");
static EARLIER: WordList = WordList::new("earlier before older");
/// The end of "2018 until now".
static NOW: WordList = WordList::new("now today date present");
static TO: WordList = WordList::new("- – — to until till through");

/// The expression of time that begins at a place; articles before it are part of it.
pub(super) fn time(tokens: &Tokens, at: usize, this_year: u16) -> Option<Time> {
    let at = tokens.skip(at, &BEFORE);
    relative(tokens, at, this_year).or_else(|| absolute(tokens, at))
}

fn year(word: &str) -> Option<u16> {
    let digits = word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit());
    let year = digits.then(|| word.parse().ok())??;
    YEARS.contains(&year).then_some(year)
}

fn absolute(tokens: &Tokens, at: usize) -> Option<Time> {
    let word = tokens.word(at);
    if let Some((first, last)) = word.split_once(['-', '‐', '‑']) {
        let first = year(first)?;
        let last = match last.len() {
            // "2018-19"
            2 => first / 100 * 100 + last.parse::<u16>().ok()?,
            _ => year(last)?,
        };
        return (first <= last).then(|| Time::new(first, last, at + 1, Form::Range));
    }
    if let Some(first) = word.strip_suffix('s').and_then(year) {
        return (first % 10 == 0).then(|| Time::new(first, first + 9, at + 1, Form::Year));
    }
    let first = year(word)?;
    if TO.contains(tokens.mark(at + 1)) {
        let skip = usize::from(tokens.word(at + 2) == "the");
        if let Some(second) = year(tokens.word(at + 2)) {
            return Some(Time::new(first.min(second), first.max(second), at + 3, Form::Range));
        }
        if NOW.contains(tokens.word(at + 2 + skip)) {
            return Some(Time::new(first, None, at + 3 + skip, Form::Year));
        }
    }
    list(tokens, at, first).or_else(|| Some(open_end(tokens, at + 1, first)))
}

/// "2020 and 2021", "2019, 2020 or 2021".
fn list(tokens: &Tokens, at: usize, first: u16) -> Option<Time> {
    let (mut least, mut most, mut count, mut end) = (first, first, 1, at + 1);
    loop {
        let comma = usize::from(tokens.mark(end) == ",");
        let join = usize::from(matches!(tokens.mark(end + comma), "and" | "or" | "/"));
        match year(tokens.word(end + comma + join)) {
            Some(year) if comma + join > 0 => {
                (least, most, count) = (least.min(year), most.max(year), count + 1);
                end += comma + join + 1;
            }
            _ => break,
        }
    }
    (count > 1).then(|| Time { sparse: most - least + 1 > count, ..Time::new(least, most, end, Form::List) })
}

/// A year and what follows it: "or later", "and earlier", "onwards".
fn open_end(tokens: &Tokens, at: usize, year: u16) -> Time {
    let joined = matches!(tokens.word(at), "or" | "and");
    match tokens.word(at + usize::from(joined)) {
        "onward" | "onwards" if !joined => Time::new(year, None, at + 1, Form::Year),
        word if joined && LATER.contains(word) => Time::new(year, None, at + 2, Form::Year),
        word if joined && EARLIER.contains(word) => Time::new(None, year, at + 2, Form::Year),
        _ => Time::new(year, year, at, Form::Year),
    }
}

fn relative(tokens: &Tokens, at: usize, this_year: u16) -> Option<Time> {
    let back = |years: u16, end| Time::new(this_year.saturating_sub(years), this_year, end, Form::Relative);
    let last_year = this_year.saturating_sub(1);
    Some(match (tokens.word(at), tokens.word(at + 1)) {
        ("this", "year") => back(0, at + 2),
        ("this", "decade") => back(this_year % 10, at + 2),
        // "Last year" is a calendar year, "the past year" reaches to now.
        ("past", "year") => back(1, at + 2),
        ("last" | "previous", "year") => Time::new(last_year, last_year, at + 2, Form::Relative),
        ("last" | "past" | "previous", "decade") => back(10, at + 2),
        ("recent" | "last" | "past" | "previous", "years") => back(RECENT, at + 2),
        ("last" | "past" | "previous", _) => {
            let (count, at) = number(tokens, at + 1)?;
            match tokens.word(at) {
                "year" | "years" => back(count, at + 1),
                "decade" | "decades" => back(count.checked_mul(10)?, at + 1),
                _ => return None,
            }
        }
        _ => return None,
    })
}

/// Numbers as words.
static NUMBERS: WordList = WordList::new(
    "one/1 two/2 three/3 four/4 five/5 six/6 seven/7 eight/8 nine/9 ten/10 eleven/11 twelve/12 fifteen/15
    twenty/20 thirty/30 fifty/50",
);

/// A number up to 99, in digits or as a word, and the place after it.
pub(super) fn number(tokens: &Tokens, at: usize) -> Option<(u16, usize)> {
    let word = tokens.word(at);
    if matches!(word, "few" | "several") {
        return Some((RECENT, at + 1));
    }
    if word == "couple" {
        return Some((2, at + 1 + usize::from(tokens.word(at + 1) == "of")));
    }
    let named = NUMBERS.pairs().find(|(name, _)| *name == word);
    let count = named.map_or(word, |(_, digits)| digits).parse().ok()?;
    (1..=99).contains(&count).then_some((count, at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_decades_and_reaches_are_times() {
        let check = |query: &str, want: Option<(Option<u16>, Option<u16>, usize)>| {
            let read = time(&Tokens::new(query, &[]), 0, 2026);
            assert_eq!(read.map(|time| (time.from, time.to, time.end)), want, "{query}");
        };
        let both = |from, to, end| Some((Some(from), Some(to), end));
        check("2020", both(2020, 2020, 1));
        check("the year 2020", both(2020, 2020, 3));
        check("March 2020", both(2020, 2020, 2));
        check("2020-2023", both(2020, 2023, 1));
        check("2020–2023", both(2020, 2023, 3));
        check("2018-19", both(2018, 2019, 1));
        check("2020 to 2023", both(2020, 2023, 3));
        check("2023 and 2020", both(2020, 2023, 3));
        check("2020, 2021 and 2022", both(2020, 2022, 5));
        check("2020 or later", Some((Some(2020), None, 3)));
        check("2020 onwards", Some((Some(2020), None, 2)));
        check("2018 until now", Some((Some(2018), None, 3)));
        check("2018 to the present", Some((Some(2018), None, 4)));
        check("2020 and earlier", Some((None, Some(2020), 3)));
        check("2020 on sleep", both(2020, 2020, 1));
        check("the 2010s", both(2010, 2019, 2));
        check("last year", both(2025, 2025, 2));
        check("the past year", both(2025, 2026, 3));
        check("last 5 years", both(2021, 2026, 3));
        check("the past three years", both(2023, 2026, 4));
        check("the last two decades", both(2006, 2026, 4));
        check("the past decade", both(2016, 2026, 3));
        check("the last couple of years", both(2024, 2026, 5));
        check("recent years", both(2023, 2026, 2));
        check("this year", both(2026, 2026, 2));
        for none in "|20|20200|3000|2019-nCoV|57.5-72.5|2023-2020|2,020|2011s|last|last week|last 5 patients|\
            past studies|recent infection|this trial|last 0 years|1999-9999"
            .split('|')
        {
            check(none, None);
        }
    }
}
