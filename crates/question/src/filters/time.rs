//! Expressions of time in years: "2020", "2020 to 2023", "the last five years", "the 2010s".

use super::tokens::Tokens;

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

/// The expression of time that begins at a place; articles before it are part of it.
pub(super) fn time(tokens: &Tokens, at: usize, this_year: u16) -> Option<Time> {
    let mut at = at;
    while matches!(
        tokens.word(at),
        "the" | "year" | "years" | "early" | "late" | "mid"
    ) || is_month(tokens.word(at))
    {
        at += 1;
    }
    relative(tokens, at, this_year).or_else(|| absolute(tokens, at))
}

fn is_month(word: &str) -> bool {
    matches!(
        word,
        "january"
            | "february"
            | "march"
            | "april"
            | "may"
            | "june"
            | "july"
            | "august"
            | "september"
            | "october"
            | "november"
            | "december"
    )
}

fn year(word: &str) -> Option<u16> {
    let digits = word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit());
    let year = digits.then(|| word.parse().ok())??;
    YEARS.contains(&year).then_some(year)
}

fn absolute(tokens: &Tokens, at: usize) -> Option<Time> {
    let word = tokens.word(at);
    let span = |from, to, end, form| {
        Some(Time {
            from: Some(from),
            to: Some(to),
            end,
            form,
            sparse: false,
        })
    };
    if let Some((first, last)) = word.split_once(['-', '‐', '‑']) {
        let first = year(first)?;
        let last = match last.len() {
            // "2018-19"
            2 => first / 100 * 100 + last.parse::<u16>().ok()?,
            _ => year(last)?,
        };
        return (first <= last).then(|| span(first, last, at + 1, Form::Range))?;
    }
    if let Some(first) = word.strip_suffix('s').and_then(year) {
        return (first % 10 == 0).then(|| span(first, first + 9, at + 1, Form::Year))?;
    }
    let first = year(word)?;
    if matches!(
        tokens.mark(at + 1),
        "-" | "–" | "—" | "to" | "until" | "till" | "through"
    ) {
        let skip = usize::from(tokens.word(at + 2) == "the");
        if let Some(second) = year(tokens.word(at + 2)) {
            return span(first.min(second), first.max(second), at + 3, Form::Range);
        }
        if is_now(tokens.word(at + 2 + skip)) {
            return Some(Time {
                from: Some(first),
                to: None,
                end: at + 3 + skip,
                form: Form::Year,
                sparse: false,
            });
        }
    }
    if let Some(list) = list(tokens, at, first) {
        return Some(list);
    }
    let (from, to, end) = open_end(tokens, at + 1, first);
    Some(Time {
        from,
        to,
        end,
        form: Form::Year,
        sparse: false,
    })
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
    (count > 1).then_some(Time {
        from: Some(least),
        to: Some(most),
        end,
        form: Form::List,
        sparse: most - least + 1 > count,
    })
}

fn is_now(word: &str) -> bool {
    matches!(word, "now" | "today" | "date" | "present")
}

/// What follows a year: "or later", "and earlier", "onwards".
fn open_end(tokens: &Tokens, at: usize, year: u16) -> (Option<u16>, Option<u16>, usize) {
    if matches!(tokens.word(at), "onward" | "onwards") {
        return (Some(year), None, at + 1);
    }
    if matches!(tokens.word(at), "or" | "and") {
        match tokens.word(at + 1) {
            "later" | "newer" | "after" | "afterwards" | "onward" | "onwards" | "on" | "beyond" => {
                return (Some(year), None, at + 2);
            }
            "earlier" | "before" | "older" => return (None, Some(year), at + 2),
            _ => {}
        }
    }
    (Some(year), Some(year), at)
}

fn relative(tokens: &Tokens, at: usize, this_year: u16) -> Option<Time> {
    let span = |from: u16, to: u16, end| {
        Some(Time {
            from: Some(from),
            to: Some(to),
            end,
            form: Form::Relative,
            sparse: false,
        })
    };
    let back = |years: u16, end| span(this_year.saturating_sub(years), this_year, end);
    match tokens.word(at) {
        "recent" if tokens.word(at + 1) == "years" => back(RECENT, at + 2),
        "this" if tokens.word(at + 1) == "year" => span(this_year, this_year, at + 2),
        "this" if tokens.word(at + 1) == "decade" => span(this_year / 10 * 10, this_year, at + 2),
        lead @ ("last" | "past" | "previous") => match tokens.word(at + 1) {
            // "Last year" is a calendar year, "the past year" reaches to now.
            "year" if lead == "past" => back(1, at + 2),
            "year" => span(this_year.saturating_sub(1), this_year.saturating_sub(1), at + 2),
            "decade" => back(10, at + 2),
            "years" => back(RECENT, at + 2),
            _ => {
                let (count, at) = number(tokens, at + 1)?;
                match tokens.word(at) {
                    "year" | "years" => back(count, at + 1),
                    "decade" | "decades" => back(count.checked_mul(10)?, at + 1),
                    _ => None,
                }
            }
        },
        _ => None,
    }
}

/// A number up to 99, in digits or as a word, and the place after it.
pub(super) fn number(tokens: &Tokens, at: usize) -> Option<(u16, usize)> {
    const WORDS: [&str; 12] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    ];
    const TENS: [(&str, u16); 4] = [("fifteen", 15), ("twenty", 20), ("thirty", 30), ("fifty", 50)];
    let word = tokens.word(at);
    if matches!(word, "few" | "several") {
        return Some((RECENT, at + 1));
    }
    if word == "couple" {
        return Some((2, at + 1 + usize::from(tokens.word(at + 1) == "of")));
    }
    let named = WORDS
        .iter()
        .position(|name| *name == word)
        .map(|place| place as u16 + 1);
    let tens = || {
        TENS.iter()
            .find(|(name, _)| *name == word)
            .map(|(_, value)| *value)
    };
    let count = named.or_else(tens).or_else(|| word.parse().ok())?;
    (1..=99).contains(&count).then_some((count, at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_decades_and_reaches_are_times() {
        let check = |query: &str, want: Option<(Option<u16>, Option<u16>, usize)>| {
            let found = time(&Tokens::new(query, &[]), 0, 2026);
            assert_eq!(found.map(|time| (time.from, time.to, time.end)), want, "{query}");
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
        for none in [
            "",
            "20",
            "20200",
            "3000",
            "2019-nCoV",
            "57.5-72.5",
            "2023-2020",
            "2,020",
            "2011s",
            "last",
            "last week",
            "last 5 patients",
            "past studies",
            "recent infection",
            "this trial",
            "last 0 years",
            "1999-9999",
        ] {
            check(none, None);
        }
    }
}
