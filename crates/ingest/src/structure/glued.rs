//! Words of a title that the file sets without a space between them ("Ocimumsanctum"), told by the same words elsewhere in
//! the paper.

use std::collections::BTreeMap;

/// What the paper shows of a word of its title.
#[derive(Default)]
struct Seen {
    /// How often it occurs outside the title.
    whole: usize,
    /// Where two words part that give it together, and how much speaks for it: twice as much where they name something.
    parted: BTreeMap<usize, usize>,
}

/// The title with spaces in the words that the paper's text prints as two.
pub(crate) fn parted<'a>(title: &str, lines: impl Iterator<Item = &'a str>) -> String {
    let mut seen: BTreeMap<&str, Seen> = title
        .split(' ')
        .map(bare)
        .filter(|w| w.len() >= 5)
        .map(|w| (w, Seen::default()))
        .collect();
    let by_folded: BTreeMap<String, &str> = seen.keys().map(|w| (w.to_lowercase(), *w)).collect();
    let longest = by_folded.keys().map(String::len).max().unwrap_or_default();
    for line in lines.filter(|line| !title.contains(line.trim())) {
        let words: Vec<&str> = line.split_whitespace().collect();
        for (i, word) in words.iter().enumerate() {
            let whole = bare(word).to_lowercase();
            if let Some(seen) = by_folded.get(&whole).and_then(|w| seen.get_mut(w)) {
                seen.whole += 1;
            }
            let Some(next) = words
                .get(i + 1)
                .map(|n| bare(n))
                .filter(|n| word.len() + n.len() <= longest)
            else {
                continue;
            };
            // A compound may be written either way ("health care"): a name is not, and no small word is part of one.
            let inside = i > 0 && !words[i - 1].ends_with(['.', ':', '?', '!']);
            let named =
                inside && word.starts_with(char::is_uppercase) && next.chars().all(char::is_lowercase);
            if !named && !is_small(word) && !is_small(next) {
                continue;
            }
            let pair = format!("{word}{next}").to_lowercase();
            if let Some(seen) = by_folded.get(&pair).and_then(|w| seen.get_mut(w)) {
                *seen.parted.entry(word.len()).or_default() += if named { 2 } else { 1 };
            }
        }
    }
    let part = |word: &str| -> Option<String> {
        let bare = bare(word);
        let found = seen.get(bare).filter(|s| s.whole == 0)?;
        let (at, _) = found
            .parted
            .iter()
            .filter(|(_, n)| **n >= 2)
            .max_by_key(|(_, n)| **n)?;
        let (first, second) = bare.split_at_checked(*at)?;
        Some(word.replacen(bare, &format!("{first} {second}"), 1))
    };
    let words = title.split(' ').map(|w| part(w).unwrap_or_else(|| w.to_owned()));
    words.collect::<Vec<_>>().join(" ")
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn is_small(word: &str) -> bool {
    const SMALL: &str = "a|an|and|as|at|by|for|from|in|of|on|or|the|to|with|und|der|die|et|de|la|y";
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
        check(
            "Émigréés of the",
            &["É migréés of", "an É migréés of the"],
            "Émigréés of the",
        );
        check("", &[""], "");
    }
}
