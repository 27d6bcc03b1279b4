//! Whether a source that a question names is known.

use std::collections::BTreeSet;
use types::{Context, NamedSource, StoredSource};

/// The authors and years of sources in the corpus and the context.
pub(super) struct KnownSources {
    /// Of each source: the words of its authors, of its id and title, and its year.
    sources: Vec<(BTreeSet<String>, Option<u16>)>,
    /// Years of the context's sources whose authors are not known.
    anonymous: Vec<Option<u16>>,
    /// The context's texts, folded and without diacritics.
    texts: Vec<String>,
}

impl KnownSources {
    /// `mentioned` are the sources of the store that may be meant.
    pub(super) fn new(context: &Context, mentioned: &[StoredSource]) -> Self {
        let stored = mentioned.iter().map(|source| &source.meta);
        let all = stored.chain(context.chunks.iter().map(|c| &c.source));
        let of = |meta: &types::SourceMeta| {
            let mut names = words(&meta.authors.join(" "));
            names.extend(words(meta.source_id.as_str()));
            names.extend(words(meta.title.as_deref().unwrap_or_default()));
            names.extend(words(meta.venue.as_deref().unwrap_or_default()));
            (names, meta.year)
        };
        let anonymous = context.chunks.iter().filter(|c| c.source.authors.is_empty()).map(|c| c.source.year);
        Self {
            sources: all.map(|meta| of(meta)).collect(),
            anonymous: anonymous.collect(),
            texts: context.chunks.iter().map(|c| text::plain_letters(&c.chunk.text)).collect(),
        }
    }

    /// Whether a source of the corpus, or a text of the context, has these names and this year.
    pub(super) fn knows(&self, named: &NamedSource) -> bool {
        self.lists(named) || self.texts.iter().any(|t| mentions(t, named))
    }

    /// Whether the index knows a source with these authors and this year.
    fn lists(&self, named: &NamedSource) -> bool {
        let wanted: BTreeSet<String> = named.surnames.iter().flat_map(|s| words(s)).collect();
        let held = |(names, year): &(BTreeSet<String>, Option<u16>)| {
            wanted.is_subset(names) && near(named.year, *year)
        };
        self.sources.iter().any(held)
    }

    /// Whether a paper of unknown authors in the context may be the one that is named.
    pub(super) fn may_be_anonymous(&self, named: &NamedSource) -> bool {
        !self.lists(named) && self.anonymous.iter().any(|year| near(named.year, *year))
    }
}

/// Whether two years may mean the same paper: online and in print they often differ by one.
fn near(a: Option<u16>, b: Option<u16>) -> bool {
    a.zip(b).is_none_or(|(a, b)| a.abs_diff(b) <= 1)
}

/// Whether a folded text names the first surname as a word and, soon after it, the year.
fn mentions(folded: &str, named: &NamedSource) -> bool {
    const NEARBY_BYTES: usize = 80;
    let Some(surname) = named.surnames.first().map(|s| text::plain_letters(s)).filter(|s| !s.is_empty())
    else {
        return false;
    };
    let year = named.year.map(|y| y.to_string());
    folded.match_indices(&surname).any(|(at, _)| {
        let (before, after) = (&folded[..at], &folded[at + surname.len()..]);
        let whole = !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric);
        let mut end = NEARBY_BYTES.min(after.len());
        while !after.is_char_boundary(end) {
            end -= 1;
        }
        whole && year.as_ref().is_none_or(|y| after[..end].contains(y.as_str()))
    })
}

fn words(text: &str) -> BTreeSet<String> {
    text::folded_words(&text::plain_letters(text)).into_iter().collect()
}
