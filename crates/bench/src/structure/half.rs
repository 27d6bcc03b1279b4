//! Halves of the publishers: a rule is made with the papers of one half and checked on the other's.

use clap::ValueEnum;

/// One of two halves. The papers of a publisher are never split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Half {
    Even,
    Odd,
}

impl Half {
    /// Whether the publisher belongs to this half; the seed draws the halves.
    pub(super) fn holds(self, publisher: &str, seed: u64) -> bool {
        let odd = draw(&house(publisher), seed);
        odd == (self == Self::Odd)
    }
}

/// The first word that says something: publishers go by several names ("Acme", "Acme Publishing Corporation").
fn house(publisher: &str) -> String {
    let lower = publisher.to_lowercase();
    let mut words = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty());
    let known = words.find(|w| !matches!(*w, "the" | "john" | "university" | "of"));
    known.unwrap_or_default().to_owned()
}

/// A coin that falls the same way for the same word and seed (FNV-1a, then the finaliser of SplitMix64, whose high bit
/// depends on every byte).
fn draw(word: &str, seed: u64) -> bool {
    let start = 0xcbf2_9ce4_8422_2325 ^ seed;
    let hash = word
        .bytes()
        .fold(start, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) >> 63 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_publisher_is_in_one_half_under_all_its_names() {
        for seed in 0..20 {
            for name in ["Acme", "Nowhere University Press", "", "Österreichischer Verlag"] {
                assert_ne!(
                    Half::Even.holds(name, seed),
                    Half::Odd.holds(name, seed),
                    "{name}"
                );
            }
            let half = Half::Even.holds("Acme", seed);
            assert_eq!(Half::Even.holds("ACME Publishing Corporation", seed), half);
            assert_eq!(Half::Even.holds("The Acme Press, Inc.", seed), half);
        }
    }

    #[test]
    fn the_halves_are_about_equal_and_change_with_the_seed() {
        let names: Vec<String> = (0..1000).map(|i| format!("house{i}")).collect();
        let odd = |seed: u64| -> Vec<bool> { names.iter().map(|n| Half::Odd.holds(n, seed)).collect() };
        let count = odd(1).iter().filter(|o| **o).count();
        assert!((450..550).contains(&count), "{count}");
        let changed = odd(1).iter().zip(odd(2)).filter(|(a, b)| **a != *b).count();
        assert!((400..600).contains(&changed), "{changed}");
    }
}
