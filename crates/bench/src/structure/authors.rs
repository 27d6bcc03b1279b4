//! Authors: which of the truth's names ours has, and which of ours are nobody's.

use super::fold::unaccented;
use super::jats::Name;
use super::share::Share;

/// How our names compare with the truth's.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Authors {
    /// Names found, and how many there are on each side.
    found: usize,
    ours: usize,
    truth: usize,
    /// Names of the truth that ours lacks.
    pub(super) missed: Vec<String>,
    /// Names of ours that the truth lacks.
    pub(super) wrong: Vec<String>,
}

impl Authors {
    pub(super) fn precision(&self) -> Share {
        Share::new(self.found, if self.truth > 0 { self.ours } else { 0 })
    }

    pub(super) fn recall(&self) -> Share {
        Share::new(self.found, self.truth)
    }

    pub(super) fn f1(&self) -> Share {
        if self.truth == 0 {
            return Share::default();
        }
        Share::new(2 * self.found, self.ours + self.truth)
    }

    /// Whether ours has all names and no other.
    pub(super) fn exact(&self) -> Share {
        if self.truth == 0 {
            return Share::default();
        }
        Share::flag(self.missed.is_empty() && self.wrong.is_empty())
    }
}

/// Pairs the names one to one, in any order.
pub(super) fn compare(ours: &[String], truth: &[Name]) -> Authors {
    let mut left: Vec<&String> = ours.iter().collect();
    let mut missed = Vec::new();
    for name in truth {
        match left.iter().position(|author| is(author, name)) {
            Some(at) => drop(left.remove(at)),
            None => missed.push(format!("{} {}", name.given, name.surname).trim().to_owned()),
        }
    }
    Authors {
        found: truth.len() - missed.len(),
        ours: ours.len(),
        truth: truth.len(),
        missed,
        wrong: left.into_iter().cloned().collect(),
    }
}

/// Whether the author's words end with the surname's words (or begin with them, family name first), and the first of
/// the others has the initial of the given names. A letter too many at the end of the surname makes it another name.
pub(super) fn is(author: &str, name: &Name) -> bool {
    let (author, surname, given) = (words(author), words(&name.surname), words(&name.given));
    let Some(rest) = author
        .len()
        .checked_sub(surname.len())
        .filter(|_| !surname.is_empty())
    else {
        return false;
    };
    let initial = |word: Option<&String>| word.and_then(|w| w.chars().next());
    let fits = |found: &[String], others: &[String]| {
        let same = initial(others.first()) == initial(given.first());
        found == surname && (given.is_empty() && others.is_empty() || !given.is_empty() && same)
    };
    let (front, back) = author.split_at(rest);
    let (first, others) = author.split_at(surname.len());
    fits(back, front) || fits(first, others)
}

/// The words of a name, folded, without an article.
fn words(text: &str) -> Vec<String> {
    let apart = |c: char| c.is_whitespace() || matches!(c, '-' | ',' | '.' | '\u{2010}' | '\u{2011}' | '–');
    text.split(apart)
        .map(unaccented)
        .filter(|w| !w.is_empty() && w != "the")
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(given: &str, surname: &str) -> Name {
        Name {
            surname: surname.to_owned(),
            given: given.to_owned(),
        }
    }

    #[test]
    fn a_name_is_its_surname_and_first_initial() {
        let check = |author: &str, given: &str, surname: &str, want: bool| {
            assert_eq!(
                is(author, &name(given, surname)),
                want,
                "{author} / {given} {surname}"
            );
        };
        check("Jane A. Smith", "Jane A.", "Smith", true);
        check("J. A. Smith", "Jane A.", "Smith", true);
        check("SMITH Jane", "Jane", "Smith", true);
        check("Jane A. Smitha", "Jane A.", "Smith", false);
        check("Jane A. Smith b", "Jane A.", "Smith", false);
        check("Peter Smith", "Jane A.", "Smith", false);
        check("Smith", "Jane", "Smith", false);
        check("Óscar de la Cruz", "Oscar", "de la Cruz", true);
        check("Oscar Cruz", "Oscar", "de la Cruz", false);
        check("Anne-Lise Sørensen", "AL", "Sorensen", true);
        check("Snail Study Group", "", "The Snail Study Group", true);
        check("Jane Snail Study Group", "", "Snail Study Group", false);
        check("", "", "", false);
    }

    #[test]
    fn each_name_counts_once_and_what_is_left_over_is_named() {
        let truth = [name("Jane", "Smith"), name("Li", "Wei"), name("John", "Smith")];
        let ours = ["Li Wei", "Jane Smith", "Highlights Box"].map(str::to_owned);
        let found = compare(&ours, &truth);
        assert_eq!(found.missed, ["John Smith"]);
        assert_eq!(found.wrong, ["Highlights Box"]);
        assert_eq!(
            (found.precision(), found.recall()),
            (Share::new(2, 3), Share::new(2, 3))
        );
        assert_eq!((found.f1(), found.exact()), (Share::new(4, 6), Share::new(0, 1)));
        let none = compare(&ours, &[]);
        assert_eq!((none.precision(), none.f1(), none.exact()), Default::default());
    }
}
