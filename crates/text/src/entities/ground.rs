//! Looking entities up in the text that should hold them.

use super::{Entity, EntityKind};
use crate::fold::fold;
use crate::numbers::{Quantity, quantities};
use crate::{stem, terms::words};
use std::collections::HashSet;

/// A text prepared for looking up entities: made once in linear time, asked often.
#[derive(Clone, Debug, Default)]
pub struct Ground {
    /// Stems of all words, and of the parts of symbols.
    stems: HashSet<String>,
    quantities: Vec<Quantity>,
    /// The folded text without spaces and hyphens, for symbols that a PDF tore apart ("VO 2 max").
    squeezed: String,
}

impl Ground {
    /// Prepares `haystack`.
    pub fn new(haystack: &str) -> Self {
        let mut ground = Self::default();
        ground.add(haystack);
        ground
    }

    /// Adds another text: an entity is held when any of the texts holds it.
    pub fn add(&mut self, haystack: &str) {
        for span in words(haystack) {
            let word = &haystack[span];
            self.stems.insert(stem(word));
            for part in word.split('-').filter(|p| !p.is_empty()) {
                self.stems.insert(stem(part));
            }
        }
        self.quantities.extend(quantities(haystack));
        self.squeezed.push('\n');
        self.squeezed.push_str(&squeeze(haystack));
    }

    /// Whether every part of the entity stands in the text: numbers by value, and by unit where both have
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
        let folded = stem(symbol);
        let singular = symbol
            .strip_suffix('s')
            .filter(|s| s.ends_with(char::is_uppercase))
            .map(stem);
        let plural = symbol
            .ends_with(char::is_uppercase)
            .then(|| stem(&format!("{symbol}s")));
        let forms = [Some(folded), singular, plural];
        if forms.iter().flatten().any(|form| self.stems.contains(form)) {
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
        words(name).into_iter().map(|span| &name[span]).all(|word| {
            let word = word
                .strip_suffix("'s")
                .or(word.strip_suffix("’s"))
                .unwrap_or(word);
            let initial = word.chars().count() == 1;
            initial || self.stems.contains(&stem(word))
        })
    }
}

/// The words of a symbol.
fn symbols(text: &str) -> Vec<&str> {
    let trim = |w: &'_ str| -> usize { w.strip_suffix("'s").or(w.strip_suffix("’s")).unwrap_or(w).len() };
    words(text)
        .into_iter()
        .map(|span| &text[span])
        .map(|w| &w[..trim(w)])
        .collect()
}

fn squeeze(text: &str) -> String {
    fold(text)
        .text()
        .chars()
        .filter(|c| !matches!(c, ' ' | '-'))
        .collect()
}
