//! Looking entities up in the text that should hold them.

use super::{Entity, EntityKind};
use crate::fold::fold;
use crate::numbers::{Quantity, quantities};
use crate::{stem, terms::words};
use std::collections::HashSet;

/// A text prepared for looking up entities: built once in linear time, queried often.
#[derive(Clone, Debug, Default)]
pub struct Ground {
    /// Stems of all words, and of the parts of symbols.
    stems: HashSet<String>,
    quantities: Vec<Quantity>,
    /// The folded text without spaces and hyphens, for symbols that a PDF split ("VO 2 max").
    squeezed: String,
}

impl Ground {
    /// Prepares `haystack`.
    pub fn new(haystack: &str) -> Self {
        let mut ground = Self::default();
        ground.add(haystack);
        ground
    }

    /// Adds another text: an entity is found if any of the texts contains it.
    pub fn add(&mut self, haystack: &str) {
        self.stems.extend(lookup_stems(haystack));
        self.quantities.extend(quantities(haystack));
        self.squeezed.push('\n');
        self.squeezed.push_str(&squeeze(haystack));
    }

    /// Whether every part of the entity occurs in the text: numbers by value, and by unit where both have
    /// one; symbols as whole words whatever their hyphens, singular or plural; names word by word, whatever
    /// their diacritics.
    pub fn holds(&self, entity: &Entity) -> bool {
        match entity.kind {
            EntityKind::Number => {
                let wanted = quantities(&entity.text);
                wanted.iter().all(|w| self.quantities.iter().any(|q| q.agrees(w)))
            }
            EntityKind::Symbol => symbols(&entity.text).iter().all(|s| self.holds_symbol(s)),
            EntityKind::Name => self.holds_name(&entity.text),
        }
    }

    fn holds_symbol(&self, symbol: &str) -> bool {
        if symbol_forms(symbol).iter().any(|form| self.stems.contains(form)) {
            return true;
        }
        let squeezed = squeeze(symbol);
        let torn = squeezed.chars().count() >= 4 && squeezed.contains(|c: char| c.is_ascii_digit());
        torn && self.squeezed.match_indices(&squeezed).any(|(at, found)| {
            let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
            let rest = &self.squeezed[at + found.len()..];
            !(digit(squeezed.chars().next_back()) && digit(rest.chars().next()))
        })
    }

    fn holds_name(&self, name: &str) -> bool {
        name_stems(name).iter().all(|stem| self.stems.contains(stem))
    }
}

/// The stems by which the words of a text can be looked up: of all words, and of the parts of hyphenated ones.
pub fn lookup_stems(text: &str) -> HashSet<String> {
    let mut stems = HashSet::new();
    for span in words(text) {
        let word = &text[span];
        stems.insert(stem(word));
        for part in word.split(['-', ' ']).filter(|p| !p.is_empty()) {
            stems.insert(stem(part));
        }
    }
    stems
}

/// What [`Ground::holds`] looks for in [`lookup_stems`]: for each part of the entity, its forms, one of which must
/// occur there. Nothing for a number. A symbol that a PDF split with spaces or hyphens is found only by [`Ground`].
pub fn stem_forms(entity: &Entity) -> Vec<Vec<String>> {
    match entity.kind {
        EntityKind::Number => Vec::new(),
        EntityKind::Symbol => symbols(&entity.text).into_iter().map(symbol_forms).collect(),
        EntityKind::Name => name_stems(&entity.text).into_iter().map(|stem| vec![stem]).collect(),
    }
}

/// The stem of a symbol, and those of its singular and plural.
fn symbol_forms(symbol: &str) -> Vec<String> {
    let singular = symbol.strip_suffix('s').filter(|s| s.ends_with(char::is_uppercase)).map(stem);
    let plural = symbol.ends_with(char::is_uppercase).then(|| stem(&format!("{symbol}s")));
    std::iter::once(stem(symbol)).chain(singular).chain(plural).collect()
}

/// The stems of the words of a name; initials are left out.
fn name_stems(name: &str) -> Vec<String> {
    let words = words(name).into_iter().map(|span| &name[span]);
    words
        .map(|word| word.strip_suffix("'s").or(word.strip_suffix("’s")).unwrap_or(word))
        .filter(|word| word.chars().count() > 1)
        .map(stem)
        .collect()
}

/// The words of a symbol.
fn symbols(text: &str) -> Vec<&str> {
    let trim = |w: &'_ str| -> usize { w.strip_suffix("'s").or(w.strip_suffix("’s")).unwrap_or(w).len() };
    words(text).into_iter().map(|span| &text[span]).map(|w| &w[..trim(w)]).collect()
}

fn squeeze(text: &str) -> String {
    fold(text).text().chars().filter(|c| !matches!(c, ' ' | '-')).collect()
}
