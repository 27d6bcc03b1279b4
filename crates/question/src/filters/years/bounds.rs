//! Prepositions of time, and the years that they ask for.

use crate::filters::{
    time::{Form, Time},
    tokens::Tokens,
};

/// How a preposition bounds a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Within,
    Between,
    From,
    After,
    Before,
    To,
}

/// Prepositions of time, the longer ones before those that they begin with.
const PREPOSITIONS: [(&str, Bound); 34] = [
    ("no earlier than", Bound::From),
    ("not earlier than", Bound::From),
    ("no later than", Bound::To),
    ("not later than", Bound::To),
    ("more recent than", Bound::After),
    ("later than", Bound::After),
    ("newer than", Bound::After),
    ("earlier than", Bound::Before),
    ("older than", Bound::Before),
    ("prior to", Bound::Before),
    ("not before", Bound::From),
    ("not after", Bound::To),
    ("starting in", Bound::From),
    ("starting from", Bound::From),
    ("as of", Bound::From),
    ("up to", Bound::To),
    ("up until", Bound::To),
    ("ever since", Bound::From),
    ("since", Bound::From),
    ("after", Bound::After),
    ("before", Bound::Before),
    ("until", Bound::To),
    ("till", Bound::To),
    ("through", Bound::To),
    ("by", Bound::To),
    ("between", Bound::Between),
    ("from", Bound::Within),
    ("in", Bound::Within),
    ("during", Bound::Within),
    ("over", Bound::Within),
    ("within", Bound::Within),
    ("across", Bound::Within),
    ("of", Bound::Within),
    ("for", Bound::Within),
];

impl Bound {
    /// The preposition at a place, and the place after it.
    pub(super) fn at(tokens: &Tokens, place: usize) -> Option<(usize, Self)> {
        PREPOSITIONS
            .iter()
            .find_map(|(phrase, bound)| Some((tokens.phrase(place, phrase)?, *bound)))
    }

    /// The first and last year that the preposition asks for with a time; `None` if they do not fit.
    pub(super) fn years(self, time: Time) -> Option<(Option<u16>, Option<u16>)> {
        // "Since" needs one year, "between" two.
        let fits = match (self, time.form) {
            (Self::Between, form) => matches!(form, Form::Range | Form::List),
            (Self::Within, _) => !time.sparse,
            (_, form) => matches!(form, Form::Year | Form::Relative),
        };
        if !fits {
            return None;
        }
        let open = time.from.is_none() || time.to.is_none();
        match self {
            Self::Within | Self::Between => Some((time.from, time.to)),
            _ if open => None,
            Self::From => Some((time.from, None)),
            Self::After => Some((time.to.map(|year| year.saturating_add(1)), None)),
            Self::Before => Some((None, time.from.map(|year| year.saturating_sub(1)))),
            Self::To => Some((None, time.to)),
        }
    }
}
