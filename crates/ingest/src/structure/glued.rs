//! Words of a title that the file sets without a space between them ("Ocimumsanctum"), told by the same words elsewhere in
//! the paper.

use std::collections::BTreeMap;

/// What the paper shows of a word of its title.
#[derive(Default)]
struct Seen {
    /// How often it occurs outside the title.
    whole: usize,
    /// Bytes of the first of the two words that give it together.
    at: usize,
    /// What speaks for the two: 2 for each place where they name something, 1 where one is a small word.
    points: usize,
}

/// The title with spaces in the words that the paper's text prints as two.
pub(crate) fn parted<'a>(title: &str, lines: impl Iterator<Item = &'a str>) -> String {
    let folded = |word: &str| bare(word).to_lowercase();
    let words = || title.split(' ');
    let mut seen: BTreeMap<String, Seen> = words().map(|w| (folded(w), Seen::default())).collect();
    for line in lines.filter(|line| !title.contains(line.trim())) {
        let words: Vec<&str> = line.split_whitespace().collect();
        for (i, word) in words.iter().enumerate() {
            if let Some(seen) = seen.get_mut(&folded(word)) {
                seen.whole += 1;
            }
            let next = words.get(i + 1).map_or("", |next| bare(next));
            // A compound may be written either way ("health care"): a name is not, and no small word is part of one.
            let inside = i > 0 && !words[i - 1].ends_with(['.', ':', '?', '!']);
            let capital = inside && word.starts_with(char::is_uppercase) && word.len() >= 3;
            let named = capital && next.len() >= 3 && next.chars().all(char::is_lowercase);
            if (named || is_small(word) || is_small(next))
                && let Some(seen) = seen.get_mut(&format!("{word}{next}").to_lowercase())
            {
                seen.at = word.len();
                seen.points += if named { 2 } else { 1 };
            }
        }
    }
    let part = |word: &str| -> Option<String> {
        let found = seen.get(&folded(word))?;
        let (first, second) = bare(word).split_at_checked(found.at)?;
        let apart = !first.is_empty() && found.points >= 2 && found.points > 2 * found.whole;
        apart.then(|| word.replacen(bare(word), &format!("{first} {second}"), 1))
    };
    let words = words().map(|w| part(w).unwrap_or_else(|| w.to_owned()));
    words.collect::<Vec<_>>().join(" ")
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn is_small(word: &str) -> bool {
    const SMALL: &str = "an|and|as|at|by|for|from|in|of|on|or|the|to|with|und|der|die|et|de|la";
    SMALL.split('|').any(|s| s == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(title: &str, text: &[&str], want: &str) {
        let own = [title];
        let lines = text.iter().chain(&own).copied();
        assert_eq!(parted(title, lines), want);
    }

    #[test]
    fn words_part_where_the_text_parts_them() {
        let text = [
            "leaves of Ocimum sanctum and",
            "with Ocimum sanctum, the",
            "sleep and growth, sleep and",
            "rest",
        ];
        check(
            "Extracts of Ocimumsanctum (L.)",
            &text,
            "Extracts of Ocimum sanctum (L.)",
        );
        check("Sleepand rest", &text, "Sleep and rest");
        check("(Ocimumsanctum): rest", &text, "(Ocimum sanctum): rest");
    }

    #[test]
    fn compounds_and_words_of_the_paper_stay() {
        check(
            "Healthcare in gardens",
            &["our health care and", "the health care of"],
            "Healthcare in gardens",
        );
        check(
            "Within gardens",
            &["within a year", "with in the", "with in the"],
            "Within gardens",
        );
        check("Ocimumsanctum", &["Ocimum sanctum leaf"], "Ocimumsanctum");
        check("Therapy", &["therap y of", "therap y"], "Therapy");
        check("Émigréés of the", &["an É migréés of the"], "Émigréés of the");
        check("", &[""], "");
    }
}
