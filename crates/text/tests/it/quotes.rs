//! Quotes as they come from models and PDFs.

use proptest::prelude::*;
use text::quote::{WindowTerms, best_window, find_quote};

#[test]
fn quotes_are_found_where_they_stand() {
    let check = |haystack: &str, quote: &str, want: Option<&[&str]>| {
        let found = find_quote(haystack, quote);
        let parts: Option<Vec<&str>> = found.map(|m| m.parts.into_iter().map(|p| &haystack[p]).collect());
        assert_eq!(parts.as_deref(), want, "{quote:?} in {haystack:?}");
    };
    let text = "Endurance exercise improved the ﬁtness of mice. It did not change their weight (0.5 mg). A long-\nterm effect was seen.";
    check(text, "improved the fitness", Some(&["improved the ﬁtness"]));
    check(text, "“Improved the fitness of mice.”", Some(&["improved the ﬁtness of mice."]));
    check(text, "the fitness of mice,", Some(&["the ﬁtness of mice"]));
    check(text, "A long-term effect", Some(&["A long-\nterm effect"]));
    check(text, "A longterm effect", Some(&["A long-\nterm effect"]));
    check(text, "improved ... did not change", Some(&["improved", "did not change"]));
    let powers = "It rose to 3.1 × 10^8 cells per m^2 from 250 cells.";
    for quote in ["3.1 × 10⁸ cells per m²", "3.1 x 10^8 cells per m2", "3.1 × 108 cells"] {
        let found = find_quote(powers, quote);
        assert!(found.is_some(), "{quote}");
        assert!(find_quote("to 3.1 × 10⁸ cells per m²", quote).is_some(), "{quote}");
    }
    for quote in ["8 cells", "3.1 × 10", "2508 cells"] {
        check(powers, quote, None);
    }
    check("about 10^6 cells", "106 cells", None);
    check(text, "improved […] did not change […]", Some(&["improved", "did not change"]));
    check(text, "... improved the fitness…", Some(&["improved the ﬁtness"]));
    check(text, "did not change ... improved", None);
    check(text, "improved the fatness", None);
    check(text, "prove", None);
    check(text, "5 mg", None);
    check(text, "0.5 mg", Some(&["0.5 mg"]));
    check(text, "", None);
    check(text, " “...” ", None);
    check("", "word", None);
    check("exer-\ncise", "exercise", Some(&["exer-\ncise"]));
    check("exercise", "exer-\ncise", Some(&["exercise"]));
    check("exer- cise", "exercise", Some(&["exer- cise"]));
    check("well-known", "wellknown", Some(&["well-known"]));
    check("from 5-10 mg", "from 510 mg", None);
    check("a change of −5 kg", "a change of 5 kg", None);
    check("the “so-called” effect", "the 'so-called' effect", Some(&["the “so-called” effect"]));
    check("sleep – not food – helps", "sleep—not food—helps", Some(&["sleep – not food – helps"]));
    check("He waited... and left", "waited... and left", Some(&["waited... and left"]));
    check("小鼠跑了。大鼠没有。", "大鼠没有", Some(&["大鼠没有"]));
    check("seen in controls12 and others", "seen in controls", Some(&["seen in controls"]));
    check("heart and art", "art", Some(&["art"]));
    check("5 μg/mL", "5 µg/mL", Some(&["5 μg/mL"]));
}

#[test]
fn windows_hold_the_most_stems() {
    let check = |sentence: &str, stems: &[&str], words: usize, want: &str| {
        let wanted = WindowTerms::stems(stems.iter().map(ToString::to_string));
        assert_eq!(&sentence[best_window(sentence, &wanted, words)], want, "{sentence:?} {wanted:?} {words}");
    };
    check("  short enough  ", &[], 5, "short enough");
    check("a b c d e f", &[], 3, "a b c");
    check("one fish two bird three cat four", &["cat", "bird"], 3, "bird three cat");
    check("one fish two bird three cat four", &["cat", "bird"], 4, "bird three cat four");
    check("cat cat cat dog bird", &["cat", "dog"], 2, "cat dog");
    check("", &["x"], 4, "");
    check("some words", &["x"], 0, "");
}

#[test]
fn windows_show_what_is_asked_for_and_some_words_around_it() {
    let check = |sentence: &str, stems: &[(&str, f32)], numbers: bool, words: usize, want: &str| {
        let stems = stems.iter().map(|(stem, weight)| ((*stem).to_owned(), *weight)).collect();
        let wanted = WindowTerms { stems, numbers };
        assert_eq!(&sentence[best_window(sentence, &wanted, words)], want, "{wanted:?}");
    };
    let trial = "In the spring of 2019, after the ethics board of the town had agreed to it, walkers were enrolled by \
        the two sites, which gave a total of 148 adults, while nobody from the hills took part in it at all";
    // The number that is asked for, not only the words before it; a year is none.
    check(
        trial,
        &[("enrol", 0.5), ("walker", 0.5)],
        true,
        18,
        "agreed to it, walkers were enrolled by the two sites, which gave a total of 148 adults, while",
    );
    // Without a question for a number: words on both sides of what is wanted, and an end at a comma.
    check(
        trial,
        &[("enrol", 0.5), ("walker", 0.5)],
        false,
        10,
        "agreed to it, walkers were enrolled by the two sites,",
    );
    // A rare word counts for more than two common ones.
    check(
        "fish one two three four five six seven eel and ray",
        &[("fish", 3.0), ("eel", 1.0), ("ray", 1.0)],
        false,
        4,
        "fish one two three",
    );
    // Nothing wanted: the beginning.
    check("a b, c d e f", &[], true, 3, "a b, c");
    check("a b c d e f", &[("x", 1.0), ("y", f32::NAN)], false, 3, "a b c");
}

proptest! {
    #[test]
    fn a_slice_between_words_is_found(words in proptest::collection::vec("[a-zé]{1,6}|[0-9]{1,3}|ﬁ[a-z]|x-\ny|“q”", 1..30), a in 0usize..30, b in 1usize..30) {
        let text = words.join(" ");
        let from = a % words.len();
        let to = (from + b).min(words.len());
        let quote = words[from..to].join(" ");
        let found = find_quote(&text, &quote);
        prop_assert!(found.is_some(), "{:?} in {:?}", quote, text);
    }
}
