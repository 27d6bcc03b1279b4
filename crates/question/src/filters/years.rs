//! Years of publication: where an expression of time modifies publications.

use super::{
    AskedYears,
    publications::{INDEFINITE, KINDS, Noun, PUBLISHED, noun},
    time::{Form, RECENT, Time, number, time},
    tokens::Tokens,
};
use text::WordList;
use types::Span;

/// Words between a noun and its time in "papers on vitamin D in older adults from 2020".
const TOPIC_WORDS: usize = 8;
/// Words between a noun and "published".
const PUBLISHED_WORDS: usize = 16;
/// How far a negation reaches.
const NEGATION_WORDS: usize = 4;

/// Words that say whose something is.
static PRONOUNS: WordList = WordList::new("his her their its our my your");
/// What itself has a date: "samples from 2010". So has what ends in "-ed".
static DATED: WordList = WordList::new(
    "data sample samples people patients participants children adults women men cases cohort cohorts deaths
    isolates strains records outbreak outbreaks epidemic pandemic survey surveys census season events",
);
/// Verbs that say what publications state: a year before one ends its phrase ("studies from 2020 conclude").
static STATEMENTS: WordList = WordList::new(
    "conclude concludes agree agrees disagree deal deals compare compares examine examines investigate
    investigates address addresses focus indicate indicates claim claims recommend recommends support supports
    link links test tests cover covers",
);
/// Words before a year and a noun: "after the 2023 trials" is a time, and "of 2020 papers" a number.
static NO_FILTER: WordList = WordList::new(
    "after before since until during of total all included identified screened reviewed retrieved found these
    those",
);
/// Words between a noun and its topic.
static TOPIC: WordList = WordList::new("on about regarding concerning into dealing related addressing");
/// Words that begin a new clause, or are another thing that is published.
static CLAUSES: WordList = WordList::new("that whether how if guidelines data");
/// Words between a noun and what is said of it: "that were", "which have been", "are", "only".
static LINKS: WordList = WordList::new("that which were was are is been have has had only mainly");
static AUXILIARIES: WordList = WordList::new("has have been was were is are");
static ANYTHING: WordList = WordList::new("what whatever anything everything something nothing");
/// Prepositions after which a year is a number ("studies of 2020") or hardly a year ("trials of 2020").
static VAGUE: WordList = WordList::new("of for over across by through");
static NEGATIONS: WordList = WordList::new("not without except excluding exclude ignoring ignore unlike");
static YOUNGER: WordList = WordList::new("no older than; not older than; less than; younger than");

/// How a preposition bounds a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Within,
    Between,
    From,
    After,
    Before,
    To,
}

/// Prepositions of time.
static PREPOSITIONS: [(Bound, WordList); 6] = [
    (
        Bound::From,
        WordList::new(
            "no earlier than; not earlier than; not before; starting in; starting from; as of; ever since; since",
        ),
    ),
    (
        Bound::To,
        WordList::new("no later than; not later than; not after; up to; up until; until; till; through; by"),
    ),
    (Bound::After, WordList::new("more recent than; later than; newer than; after")),
    (Bound::Before, WordList::new("earlier than; older than; prior to; before")),
    (Bound::Between, WordList::new("between")),
    (Bound::Within, WordList::new("from in during over within across of for")),
];

impl Bound {
    /// The preposition at a place, and the place after it.
    fn at(tokens: &Tokens, place: usize) -> Option<(usize, Self)> {
        PREPOSITIONS.iter().find_map(|(bound, phrases)| Some((tokens.one_of(place, phrases)?, *bound)))
    }

    /// The first and last year that the preposition asks for with a time; `None` if they do not fit.
    fn years(self, time: Time) -> Option<(Option<u16>, Option<u16>)> {
        // "Since" needs one year, "between" two.
        let fits = match (self, time.form) {
            (Self::Between, form) => matches!(form, Form::Range | Form::List),
            (Self::Within, _) => !time.sparse,
            (_, form) => matches!(form, Form::Year | Form::Relative),
        };
        let open = time.from.is_none() || time.to.is_none();
        match self {
            _ if !fits => None,
            Self::Within | Self::Between => Some((time.from, time.to)),
            _ if open => None,
            Self::From => Some((time.from, None)),
            Self::After => Some((time.to.map(|year| year.saturating_add(1)), None)),
            Self::Before => Some((None, time.from.map(|year| year.saturating_sub(1)))),
            Self::To => Some((None, time.to)),
        }
    }
}

/// The years that a question asks for; `None` if it asks for none, or for several that one range cannot say.
pub(super) fn find(tokens: &Tokens, this_year: u16) -> Option<AskedYears> {
    let finder = Finder { tokens, this_year };
    let mut found: Vec<AskedYears> = Vec::new();
    for at in 0..tokens.len() {
        let asked = match noun(tokens, at) {
            Some(noun) => finder.before(at, noun).or_else(|| finder.after(at, noun)),
            None if finder.is_all_that_is_published(at) => finder.published(at, at),
            None => None,
        };
        found.extend(asked.filter(|years| !found.iter().any(|known| overlap(known.span, years.span))));
    }
    if found.is_empty() {
        found.extend(finder.alone());
    }
    let first = *found.first()?;
    found.iter().skip(1).try_fold(first, |all, one| joined(all, *one))
}

fn overlap(one: Span, other: Span) -> bool {
    one.start < other.end && other.start < one.end
}

/// Two expressions as one: the same years, or a lower and an upper bound.
fn joined(one: AskedYears, other: AskedYears) -> Option<AskedYears> {
    if (one.from, one.to) == (other.from, other.to) {
        return Some(one);
    }
    let ((Some(from), None, None, Some(to)) | (None, Some(to), Some(from), None)) =
        (one.from, one.to, other.from, other.to)
    else {
        return None;
    };
    (from <= to).then_some(AskedYears {
        from: Some(from),
        to: Some(to),
        span: Span::new(one.span.start.min(other.span.start), one.span.end.max(other.span.end)),
    })
}

struct Finder<'a> {
    tokens: &'a Tokens,
    this_year: u16,
}

impl Finder<'_> {
    /// "Recent studies", "2021 papers", "last year's research": the time stands before the noun at `at`.
    fn before(&self, at: usize, noun: Noun) -> Option<AskedYears> {
        let words = self.tokens;
        // The adjectives between: "2021 randomised trials", "recent agriculture papers".
        let mut start = at;
        while start > 0 && self.is_adjective(start - 1) {
            start -= 1;
        }
        let recent = |place: usize| matches!(words.word(place), "recent" | "latest" | "newest");
        // One word of the topic: "recent diabetes studies", "last year's slug papers".
        let owned_time = |place: usize| words.get(place).is_some_and(|token| token.possessive);
        if start > 1 && self.is_attribute(start - 1) && (recent(start - 2) || owned_time(start - 2)) {
            start -= 1;
        }
        let before = start.checked_sub(1)?;
        if recent(before) || (words.word(before) == "recently" && PUBLISHED.contains(words.word(start))) {
            let from = before - usize::from(matches!(words.before(before, 1), "most" | "more"));
            let owned = from
                .checked_sub(1)
                .and_then(|owner| words.get(owner))
                .is_some_and(|owner| owner.possessive || PRONOUNS.contains(&owner.text));
            let fits = noun == Noun::Many && !owned && words.before(from, 1) != "how" && !self.negated(from);
            return fits.then(|| self.last_years(RECENT, from, at + 1));
        }
        // A time that ends where the adjectives begin; the longest wins.
        let (from, time) = (0..start).find_map(|from| {
            let time = time(words, from, self.this_year).filter(|time| time.end == start)?;
            Some((from, time))
        })?;
        let last = words.get(start - 1);
        let fits = match time.form {
            // "In the last year studies showed" has no possessive.
            Form::Relative => last.is_some_and(|token| token.possessive),
            _ if time.sparse && words.before(from, 1) != "between" => false,
            Form::Year | Form::Range | Form::List => match noun {
                Noun::Many => true,
                Noun::Document => INDEFINITE.contains(words.before(from, 1)),
                Noun::Event => false,
            },
        };
        let lead = words.before(from, 1);
        // "From 2018 to 2020 studies".
        let from = from - usize::from(matches!(lead, "from" | "between"));
        (fits && !NO_FILTER.contains(lead) && !self.negated(from)).then(|| AskedYears {
            from: time.from,
            to: time.to,
            span: words.span(from, at + 1),
        })
    }

    /// Whether the word may say what a publication is about, as a noun before another.
    fn is_attribute(&self, at: usize) -> bool {
        let word = self.tokens.word(at);
        word.len() > 2 && word.chars().all(char::is_alphabetic) && !text::is_stop_word(word)
    }

    /// "Studies from 2020", "papers on sleep published since 2019": the time stands after the noun at `at`.
    fn after(&self, at: usize, noun: Noun) -> Option<AskedYears> {
        let words = self.tokens;
        let mut place = self.tokens.skip(at + 1, &LINKS);
        if PUBLISHED.contains(words.word(place)) || words.word(place) == "recently" {
            return self.published(at, place);
        }
        if let Some(years) = self.direct(at, place, noun) {
            return Some(years);
        }
        // "Papers on sleep from 2020", and "trials of walking published in 2020".
        let topic = TOPIC.contains(words.word(place));
        let mut told = false;
        place += 1;
        for gap in 1..=PUBLISHED_WORDS {
            if words.get(place).is_none_or(|token| !token.word && token.text != ",") {
                return None;
            }
            if PUBLISHED.contains(words.word(place)) {
                return (!told).then(|| self.published(place, place))?;
            }
            if matches!(words.word(place), "from" | "since")
                && topic
                && gap <= TOPIC_WORDS
                && !told
                && !is_dated(words.before(place, 1))
            {
                return self.direct(place, place, noun);
            }
            told |= CLAUSES.contains(words.word(place))
                && !PUBLISHED.contains(words.word(self.tokens.skip(place, &LINKS)));
            place += 1;
        }
        None
    }

    /// Whether the word at a place is "published" without a noun, as in "what has been published".
    fn is_all_that_is_published(&self, at: usize) -> bool {
        let words = self.tokens;
        let mut start = at;
        while AUXILIARIES.contains(words.before(start, 1)) {
            start -= 1;
        }
        words.word(at) == "published" && (at == 0 || ANYTHING.contains(words.before(start, 1)))
    }

    /// A time behind "published" or "recently", which stands at `place`; the phrase begins at `noun`.
    fn published(&self, noun: usize, place: usize) -> Option<AskedYears> {
        let words = self.tokens;
        let recently = |end| self.last_years(RECENT, noun, end);
        if self.negated(place) {
            return None;
        }
        if words.word(place) == "recently" {
            return PUBLISHED.contains(words.word(place + 1)).then(|| recently(place + 2));
        }
        if words.word(place + 1) == "recently" {
            return Some(recently(place + 2));
        }
        let place = place + 1 + usize::from(matches!(words.word(place + 1), "online" | "only" | "either"));
        self.bounded(noun, place)
    }

    /// A time at `place`, right behind a noun or its topic; the phrase begins at `at`.
    fn direct(&self, at: usize, place: usize, noun: Noun) -> Option<AskedYears> {
        // A single trial has a duration of its own.
        if noun == Noun::Event || self.negated(at) || self.negated(place) {
            return None;
        }
        let years = self.bounded(at, place)?;
        let vague = VAGUE.contains(self.tokens.word(place));
        let relative =
            || time(self.tokens, place + 1, self.this_year).is_some_and(|t| t.form == Form::Relative);
        (!vague || relative()).then_some(years)
    }

    /// A preposition with its time, or a relative time, from `place` on; the phrase begins at `noun`.
    fn bounded(&self, noun: usize, place: usize) -> Option<AskedYears> {
        let words = self.tokens;
        let Some((start, bound)) = Bound::at(words, place) else {
            return self.less_than(noun, place).or_else(|| {
                let time = time(words, place, self.this_year).filter(|time| time.form == Form::Relative)?;
                self.asked(noun, time, Bound::Within)
            });
        };
        self.asked(noun, time(words, start, self.this_year)?, bound)
    }

    /// "No older than five years", "less than ten years old".
    fn less_than(&self, noun: usize, place: usize) -> Option<AskedYears> {
        let words = self.tokens;
        let start = words.one_of(place, &YOUNGER)?;
        let (count, end) = number(words, start)?;
        let old = usize::from(words.word(end + 1) == "old");
        (words.word(end) == "years").then(|| self.last_years(count, noun, end + 1 + old))
    }

    /// So many years before this one, and this one, as the words in `from..to` say.
    fn last_years(&self, count: u16, from: usize, to: usize) -> AskedYears {
        AskedYears {
            from: Some(self.this_year.saturating_sub(count)),
            to: Some(self.this_year),
            span: self.tokens.span(from, to),
        }
    }

    /// The years of a time behind a preposition, unless what follows shows that it is something else.
    fn asked(&self, noun: usize, time: Time, bound: Bound) -> Option<AskedYears> {
        if time.form != Form::Relative && !self.closes(time.end) {
            return None;
        }
        let (from, to) = bound.years(time)?;
        Some(AskedYears { from, to, span: self.tokens.span(noun, time.end) })
    }

    /// Whether a year ends its phrase: a noun behind it makes it a number ("in 2010 patients") or a name ("the 2009
    /// pandemic").
    fn closes(&self, at: usize) -> bool {
        let word = self.tokens.word(at);
        self.tokens.ends(at)
            || text::is_stop_word(word)
            || text::is_negation(word)
            || PUBLISHED.contains(word)
            || word.ends_with("ing")
            || word.ends_with("ed")
            || STATEMENTS.contains(word)
    }

    /// A question that is nothing but a relative time: "last 5 years".
    fn alone(&self) -> Option<AskedYears> {
        let words = self.tokens;
        let (start, bound) = Bound::at(words, 0).unwrap_or((0, Bound::Within));
        let time = time(words, start, self.this_year).filter(|time| time.form == Form::Relative)?;
        let ends = (time.end..words.len()).all(|at| words.ends(at));
        ends.then(|| self.asked(0, time, bound))?
    }

    fn is_adjective(&self, at: usize) -> bool {
        let words = self.tokens;
        let tagged = words.get(at).is_some_and(|token| token.tag.is_some());
        let word = words.word(at);
        let joins = matches!(word, "and" | "or")
            && (KINDS.contains(words.word(at + 1))
                || words.get(at + 1).is_some_and(|token| token.tag.is_some()));
        tagged || KINDS.contains(word) || joins || (word == "research" && noun(words, at + 1).is_some())
    }

    /// Whether the words before a place turn its meaning round: "papers not from 2020", "other than recent studies".
    fn negated(&self, at: usize) -> bool {
        (1..=NEGATION_WORDS).any(|back| {
            let word = self.tokens.before(at, back);
            let other = matches!(word, "other" | "rather") && self.tokens.before(at, back - 1) == "than";
            other || NEGATIONS.contains(word)
        })
    }
}

/// Whether a word is something that itself has a date.
fn is_dated(word: &str) -> bool {
    word.ends_with("ed") || DATED.contains(word)
}

#[cfg(test)]
mod tests;
