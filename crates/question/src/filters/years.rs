//! Years of publication: where an expression of time modifies publications.

mod bounds;
mod words;

use super::{
    AskedYears,
    publications::{Noun, is_indefinite, is_kind, is_published, noun},
    time::{Form, RECENT, Time, number, time},
    tokens::Tokens,
};
use bounds::Bound;
use types::Span;
use words::{happens, is_pronoun, is_statement};

/// Words between a noun and its time in "papers on vitamin D in older adults from 2020".
const TOPIC_WORDS: usize = 8;
/// Words between a noun and "published".
const PUBLISHED_WORDS: usize = 16;
/// How far a negation reaches.
const NEGATION_WORDS: usize = 4;

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
        span: Span::new(
            one.span.start.min(other.span.start),
            one.span.end.max(other.span.end),
        ),
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
        if recent(before) || (words.word(before) == "recently" && is_published(words.word(start))) {
            let from = before - usize::from(matches!(words.before(before, 1), "most" | "more"));
            let owned = from
                .checked_sub(1)
                .and_then(|owner| words.get(owner))
                .is_some_and(|owner| owner.possessive || is_pronoun(&owner.text));
            let fits = noun == Noun::Many && !owned && words.before(from, 1) != "how" && !self.negated(from);
            let years = AskedYears {
                from: Some(self.this_year.saturating_sub(RECENT)),
                to: Some(self.this_year),
                span: words.span(from, at + 1),
            };
            return fits.then_some(years);
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
                Noun::Document => self.indefinite(from),
                Noun::Event => false,
            },
        };
        let lead = words.before(from, 1);
        // "After the 2023 trials" is a time, and "of 2020 papers" a number.
        let other = matches!(
            lead,
            "after"
                | "before"
                | "since"
                | "until"
                | "during"
                | "of"
                | "total"
                | "all"
                | "included"
                | "identified"
                | "screened"
                | "reviewed"
                | "retrieved"
                | "found"
                | "these"
                | "those"
        );
        // "From 2018 to 2020 studies".
        let from = from - usize::from(matches!(lead, "from" | "between"));
        (fits && !other && !self.negated(from)).then(|| AskedYears {
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
        let mut place = self.skip_clause(at + 1);
        if is_published(words.word(place)) || words.word(place) == "recently" {
            return self.published(at, place);
        }
        if let Some(years) = self.direct(at, place, noun) {
            return Some(years);
        }
        // "Papers on sleep from 2020", and "trials of walking published in 2020".
        let topic = matches!(
            words.word(place),
            "on" | "about" | "regarding" | "concerning" | "into" | "dealing" | "related" | "addressing"
        );
        let mut told = false;
        place += 1;
        for gap in 1..=PUBLISHED_WORDS {
            if words
                .get(place)
                .is_none_or(|token| !token.word && token.text != ",")
            {
                return None;
            }
            if is_published(words.word(place)) {
                return (!told).then(|| self.published(place, place))?;
            }
            if matches!(words.word(place), "from" | "since")
                && topic
                && gap <= TOPIC_WORDS
                && !told
                && !happens(words.before(place, 1))
            {
                return self.direct(place, place, noun);
            }
            // A new clause, or another thing that is published.
            told |= matches!(
                words.word(place),
                "that" | "whether" | "how" | "if" | "guidelines" | "data"
            ) && !is_published(words.word(self.skip_clause(place)));
            place += 1;
        }
        None
    }

    /// Whether the word at a place is "published" without a noun, as in "what has been published".
    fn is_all_that_is_published(&self, at: usize) -> bool {
        let words = self.tokens;
        let mut start = at;
        while start > 0
            && matches!(
                words.before(start, 1),
                "has" | "have" | "been" | "was" | "were" | "is" | "are"
            )
        {
            start -= 1;
        }
        let subject = words.before(start, 1);
        words.word(at) == "published"
            && (at == 0
                || matches!(
                    subject,
                    "what" | "whatever" | "anything" | "everything" | "something" | "nothing"
                ))
    }

    /// Passes "that were", "which have been", "are", "only".
    fn skip_clause(&self, at: usize) -> usize {
        let mut place = at;
        while matches!(
            self.tokens.word(place),
            "that"
                | "which"
                | "were"
                | "was"
                | "are"
                | "is"
                | "been"
                | "have"
                | "has"
                | "had"
                | "only"
                | "mainly"
        ) {
            place += 1;
        }
        place
    }

    /// A time behind "published" or "recently", which stands at `place`; the phrase begins at `noun`.
    fn published(&self, noun: usize, place: usize) -> Option<AskedYears> {
        let words = self.tokens;
        let recently = |end| AskedYears {
            from: Some(self.this_year.saturating_sub(RECENT)),
            to: Some(self.this_year),
            span: words.span(noun, end),
        };
        if self.negated(place) {
            return None;
        }
        if words.word(place) == "recently" {
            return is_published(words.word(place + 1)).then(|| recently(place + 2));
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
        // "Studies of 2020" is a number, and "trials of 2020" hardly a year.
        let vague = matches!(
            self.tokens.word(place),
            "of" | "for" | "over" | "across" | "by" | "through"
        );
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
        let lead = ["no older than", "not older than", "less than", "younger than"];
        let start = lead.iter().find_map(|phrase| words.phrase(place, phrase))?;
        let (count, end) = number(words, start)?;
        (words.word(end) == "years").then(|| AskedYears {
            from: Some(self.this_year.saturating_sub(count)),
            to: Some(self.this_year),
            span: words.span(noun, end + 1 + usize::from(words.word(end + 1) == "old")),
        })
    }

    /// The years of a time behind a preposition, unless what follows shows that it is something else.
    fn asked(&self, noun: usize, time: Time, bound: Bound) -> Option<AskedYears> {
        if time.form != Form::Relative && !self.closes(time.end) {
            return None;
        }
        let (from, to) = bound.years(time)?;
        Some(AskedYears {
            from,
            to,
            span: self.tokens.span(noun, time.end),
        })
    }

    /// Whether a year ends its phrase: a noun behind it makes it a number ("in 2010 patients") or a name ("the 2009
    /// pandemic").
    fn closes(&self, at: usize) -> bool {
        let word = self.tokens.word(at);
        self.tokens.ends(at)
            || text::is_stop_word(word)
            || text::is_negation(word)
            || is_published(word)
            || word.ends_with("ing")
            || word.ends_with("ed")
            || is_statement(word)
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
            && (is_kind(words.word(at + 1)) || words.get(at + 1).is_some_and(|token| token.tag.is_some()));
        tagged || is_kind(word) || joins || (word == "research" && noun(words, at + 1).is_some())
    }

    /// Whether an indefinite word stands before the phrase at `at`.
    fn indefinite(&self, at: usize) -> bool {
        is_indefinite(self.tokens.before(at, 1))
    }

    /// Whether the words before a place turn its meaning round: "papers not from 2020", "other than recent studies".
    fn negated(&self, at: usize) -> bool {
        (1..=NEGATION_WORDS).any(|back| {
            let word = self.tokens.before(at, back);
            let other = matches!(word, "other" | "rather") && self.tokens.before(at, back - 1) == "than";
            other
                || matches!(
                    word,
                    "not" | "without" | "except" | "excluding" | "exclude" | "ignoring" | "ignore" | "unlike"
                )
        })
    }
}

#[cfg(test)]
mod tests;
