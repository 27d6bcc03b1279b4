//! Whether a sentence is well-formed enough to quote, and whether it reports something.
//!
//! Papers contain much that is not a statement: headings, captions, reference entries, rows of tables, questions,
//! licence lines, and what a page break left of a sentence. What is unfit is never quoted; what is awkward (it
//! leans on the sentence before, or has lost its end) is quoted only when nothing better is there.
//!
//! Sentences on the aim of a study, and on what nobody has studied yet, share most words with a question and
//! answer none of them. They rank lower unless the question asks for an aim or a gap.

use std::ops::RangeInclusive;
use text::WordList;

/// What the form of a sentence allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// Usable; its relevance is multiplied by this factor, at most 1.
    Usable(f32),
    /// One row of a table: of use where a number is asked for.
    TableRow,
    /// A caption that is only a title: quoted where its figure is asked for.
    Title,
    /// Never quoted.
    Unfit,
}

/// Words of a sentence that can be quoted: longer ones are tables or columns read as prose.
const WORDS: RangeInclusive<usize> = 5..=120;
/// A sentence that begins by pointing back.
const LEANING: f32 = 0.9;
/// A sentence without an end, or an item of a list that goes on what stands above the list.
const BROKEN: f32 = 0.8;
/// Words outside brackets from which a sentence says something, however much it cites.
const STATEMENT_WORDS: usize = 8;
/// Longest heading, in words: a longer line without a full stop is a statement that lost it.
const HEADING_WORDS: usize = 12;

/// Judges the form of a sentence.
pub fn form(sentence: &str) -> Form {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let length = text::length_in_words(sentence);
    if !WORDS.contains(&length) || looks_like_mark(sentence) {
        return Form::Unfit;
    }
    if is_reference(sentence, &words) || is_boilerplate(sentence) {
        return Form::Unfit;
    }
    if is_caption(&words) {
        return if states(&words) { Form::Usable(BROKEN) } else { Form::Title };
    }
    if sentence.contains(" | ") {
        return if is_torn(sentence) { Form::Unfit } else { Form::TableRow };
    }
    // A fragment is no statement, and behind another sentence it reads, and is judged, as a part of that.
    if wordless(&words) || mostly_in_brackets(sentence) || words.first().is_some_and(|w| lost_beginning(w)) {
        return Form::Unfit;
    }
    match end_of(sentence) {
        Some('?') => Form::Unfit,
        Some(_) => Form::Usable(beginning(&words)),
        None if length <= HEADING_WORDS || titled(&words) => Form::Unfit,
        None => Form::Usable(BROKEN * beginning(&words)),
    }
}

/// Whether a line only looks like a row: prose of two page columns side by side, or one printed line of a row whose cells wrap.
fn is_torn(row: &str) -> bool {
    const PROSE: usize = 6;
    let cells: Vec<&str> = row.split(" | ").map(str::trim).collect();
    let is_prose = |cell: &&str| cell.split_whitespace().count() >= PROSE;
    let goes_on = |cell: &&str| cell.starts_with(char::is_lowercase);
    cells.len() == 2 && cells.iter().all(is_prose) && cells.iter().any(goes_on)
        || cells.iter().any(|cell| cell.ends_with(','))
}

/// Whether the sentence begins with a word that stands for something in the sentence before it: "They walked", but not
/// "This trial", nor "This was a randomised trial", which means the paper itself.
pub fn points_back(sentence: &str) -> bool {
    const NEAR: usize = 12;
    static STUDIES: WordList = WordList::new(
        "study trial rct review overview survey analysis protocol experiment report paper article",
    );
    static PRONOUNS: WordList = WordList::new("they it he she these those this both such");
    static VERBS: WordList = WordList::new(
        "is are was were has have had can could may might will would did does do also then showed suggests
        indicates means",
    );
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let mut words = sentence.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
    let first = words.next().map(bare).unwrap_or_default();
    let second = words.next().map(bare).unwrap_or_default();
    let third = words.clone().next().map(bare).unwrap_or_default();
    let is_a = matches!(second.as_str(), "is" | "was") && matches!(third.as_str(), "a" | "an");
    match first.as_str() {
        "this" if is_a && words.map(bare).take(NEAR).any(|word| STUDIES.contains(&word)) => false,
        "they" | "he" | "she" => true,
        first => PRONOUNS.contains(first) && VERBS.contains(&second),
    }
}

/// The mark that ends the sentence, looked for behind closing quotes, brackets and raised citation numbers.
fn end_of(sentence: &str) -> Option<char> {
    let closing = |c: char| {
        c.is_ascii_digit()
            || c.is_whitespace()
            || matches!(c, ')' | ']' | '"' | '\'' | '”' | '’' | ',' | '–' | '-' | '*')
    };
    let bare = sentence.trim_end_matches(closing);
    bare.chars().next_back().filter(|c| matches!(c, '.' | '!' | '?' | ';' | ':' | '…' | '。' | '？' | '！'))
}

/// The first word; bullets and dashes before it are no beginning.
fn first_word<'a>(words: &[&'a str]) -> &'a str {
    let word = words.iter().copied().find(|w| w.contains(char::is_alphanumeric));
    word.unwrap_or_default()
}

/// Whether a sentence that begins with this word has lost its beginning: "mTOR rises" has one, "tion of the" has
/// not.
fn lost_beginning(first: &str) -> bool {
    let mut letters = first.chars();
    letters.next().is_some_and(char::is_lowercase)
        && letters.all(|c| !c.is_uppercase() && !c.is_ascii_digit())
}

fn beginning(words: &[&str]) -> f32 {
    static POINTING: WordList = WordList::new(
        "they this these those it its such he she his her their however furthermore moreover therefore thus hence
        additionally similarly conversely likewise consequently nevertheless",
    );
    let first = first_word(words);
    // An item of a list may begin so; a sentence may not.
    if lost_beginning(first) {
        return BROKEN;
    }
    let bare = first.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    if POINTING.contains(&bare) { LEANING } else { 1.0 }
}

/// Half of the words have a capital: titles, author lists and addresses.
fn titled(words: &[&str]) -> bool {
    let capitals = words.iter().filter(|w| w.starts_with(char::is_uppercase)).count();
    capitals * 2 >= words.len()
}

/// "Figure 2. Mean change", but not "Figure 2 shows the mean change".
fn is_caption(words: &[&str]) -> bool {
    static LABELS: WordList = WordList::new("fig figs figure table scheme box panel plate");
    let bare = |w: &str| w.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let mut rest = words.iter().copied().peekable();
    if rest.peek().is_some_and(|w| matches!(bare(w).as_str(), "supplementary" | "supplemental" | "extended"))
    {
        rest.next();
    }
    let labelled = rest.next().is_some_and(|w| LABELS.contains(&bare(w)));
    let Some(number) = rest.next().filter(|_| labelled) else {
        return false;
    };
    let numeral = bare(number);
    let counts = numeral.len() <= 5
        && (numeral.contains(|c: char| c.is_ascii_digit())
            || numeral.chars().all(|c| matches!(c, 'i' | 'v' | 'x')));
    counts
        && (number.ends_with(['.', ':', '|'])
            || rest.next().is_none_or(|next| next.starts_with(|c: char| !c.is_lowercase())))
}

/// Whether a caption says more than what is shown: "Figure 1. Flow of participants: 61 adults were screened".
fn states(words: &[&str]) -> bool {
    static VERBS: WordList =
        WordList::new("was were is are had has have did showed shows increased decreased rose fell improved");
    let bare = |w: &&str| w.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    words.iter().skip(2).any(|word| VERBS.contains(&bare(word)))
}

/// An entry of a reference list that was taken for text, or a line that only gives an address.
fn is_reference(sentence: &str, words: &[&str]) -> bool {
    const PROSE: usize = 4;
    let lower = sentence.to_lowercase();
    if lower.contains("doi.org/") || lower.contains("doi:") {
        let prose = |w: &&&str| w.len() > 1 && w.chars().all(char::is_lowercase);
        return words.iter().filter(prose).count() < PROSE || titled(words);
    }
    lower.matches("et al").count() >= 2
        && years(sentence) >= 3
        && words_outside_brackets(sentence) < STATEMENT_WORDS
}

fn years(sentence: &str) -> usize {
    sentence
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| w.len() >= 4 && (w.starts_with("19") || w.starts_with("20")))
        .filter(|w| w.as_bytes()[2..4].iter().all(u8::is_ascii_digit) && w.len() <= 5)
        .count()
}

fn is_boilerplate(sentence: &str) -> bool {
    static PHRASES: WordList = WordList::new(
        "creative commons; open access article; all rights reserved; copyright; corresponding author; how to cite; e-mail; @;
        correspondence to",
    );
    let lower = sentence.to_lowercase();
    PHRASES.occurs_in(&lower)
}

/// Fewer than half of the words are words: formulas, axis labels, rows of numbers.
fn wordless(words: &[&str]) -> bool {
    let is_word = |w: &&&str| {
        let letters = w.chars().filter(|c| c.is_alphabetic()).count();
        letters >= 1 && letters * 2 > w.chars().count()
    };
    words.iter().filter(is_word).count() * 2 < words.len()
}

/// More than half of it stands in brackets: a list of citations with a few words between them.
fn mostly_in_brackets(sentence: &str) -> bool {
    let (mut depth, mut inside, mut all) = (0_usize, 0_usize, 0_usize);
    for c in sentence.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {
                all += 1;
                inside += usize::from(depth > 0);
            }
        }
    }
    inside * 2 > all && words_outside_brackets(sentence) < STATEMENT_WORDS
}

/// Words that do not stand in brackets.
fn words_outside_brackets(sentence: &str) -> usize {
    let mut depth = 0_usize;
    let outside: String = sentence
        .chars()
        .map(|c| {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth = depth.saturating_sub(1),
                _ if depth == 0 => return c,
                _ => {}
            }
            ' '
        })
        .collect();
    outside.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// Text that would read as an inline mark of ours: a paper must not cite on our behalf.
fn looks_like_mark(sentence: &str) -> bool {
    sentence.contains('(') && sentence.contains("__")
}

/// Wording of aims, in folded text.
static AIMS: WordList = WordList::new(
    "aim of; aims of; aimed to; aimed at; aim was; purpose of; objective; goal of; hypothesi; conducted to;
    designed to; study was to; study investigat; study examin; we investigated; we examined;
    to determine whether; to investigate; examining whether; in this paper we",
);

/// Wording of gaps, in folded text.
static GAPS: WordList = WordList::new(
    "no study; no studies; no previous stud; few studies; further stud; further research; future stud;
    future research; more research; more studies; remains unclear; remain unclear; remains unknown;
    remains to be; little is known; not well understood",
);

/// What follows "To" in the objective of a structured abstract: "To find out whether …".
static OBJECTIVES: WordList = WordList::new(
    "find assess evaluate determine examine investigate compare test explore study describe identify estimate
    measure establish see",
);

/// Whether a sentence announces an aim or a gap instead of reporting something.
pub fn announces(sentence: &str) -> bool {
    let folded = text::fold::fold(sentence);
    announces_folded(folded.text()) || is_objective(folded.text())
}

/// Whether the sentence consists of an infinitive of purpose.
fn is_objective(folded: &str) -> bool {
    let mut words = folded.split_whitespace();
    // "To test this, we …" goes on with a statement.
    words.next() == Some("to")
        && words.next().is_some_and(|verb| OBJECTIVES.contains(verb))
        && !folded.contains(", we ")
}

/// Whether folded text has one of these wordings; a feature of the fitted models.
pub(crate) fn announces_folded(folded: &str) -> bool {
    AIMS.occurs_in(folded) || GAPS.occurs_in(folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_decides_what_may_be_quoted() {
        let check = |sentence: &str, want: Form| assert_eq!(form(sentence), want, "{sentence:?}");
        let (fine, unfit) = (Form::Usable(1.0), Form::Unfit);
        check("Brisk walking raised VO2max by 9.1 % within twelve weeks.", fine);
        check("Walking helped most of the older adults here.12,13", fine);
        check("Participants called it \"a very good thing to do.\"", fine);
        check("mTOR activity rose after each of the sessions.", fine);
        check("Table 2 shows that adherence was higher in walkers.", fine);
        check("Sleep improved in both of the groups (p < 0.05).", fine);
        check("They walked for an hour on most days.", Form::Usable(LEANING));
        check("针刺组的睡眠时间增加了42分钟，对照组增加了5分钟。", fine);
        check("睡眠质量的影响", unfit);
        check("However, sleep did not change in either group.", Form::Usable(LEANING));
        check("tion of the older adults walked every day.", Form::Unfit);
        check("VO2max | 32.1 | 35.4 | 0.02 | yes", Form::TableRow);
        check("Smoking, current or former | 21 (3.5) | 35 (4.1) | 0.2", Form::TableRow);
        check(
            "in both groups of patients. Similarly the risk of | shown that patients with bleeding stayed for longer",
            unfit,
        );
        check("Randomised, controlled, | 60 adults | Leaves + | 300 mg a day", unfit);
        check("Oestrogen receptor of tumours | ER + | ER −", Form::TableRow);
        check("sleep duration in the trial | (not reported)", Form::TableRow);
        check("", unfit);
        check("Too short here.", unfit);
        check("Effects of brisk walking on sleep", unfit);
        check("Does brisk walking improve sleep in adults?", unfit);
        check("Figure 2. Mean change of sleep in both groups.", Form::Title);
        check("Fig. 3 Mean change of sleep in both groups.", Form::Title);
        check("Table S1: Baseline data of all the participants.", Form::Title);
        check("Supplementary Table 4. Baseline data of participants.", Form::Title);
        check(
            "Figure 1. Flow of participants: 61 adults were screened and 44 were enrolled.",
            Form::Usable(BROKEN),
        );
        check(
            "The sequences are available from a public archive (https://doi.org/10.99999/x) under number P1.",
            fine,
        );
        check("The authors declare no conflict of interest.", fine);
        check("Orvella T. Walking and sleep. J Walk. 2020;3:1-9. doi:10.99999/x", unfit);
        check("As known (Orvella et al., 2001; Tandrik et al., 2002; Brin et al., 2003).", unfit);
        check("Reviewed before (Orvella, Tandrik, Brin, Long, Ng, Sol and others, in detail).", unfit);
        check("This is an open access article under a licence.", unfit);
        check("Write to the first author (orvella@walk.example) for data.", unfit);
        check("• examine whether the walkers kept their gains.", Form::Usable(BROKEN));
        let title = "Research Article Walking and Sleep in the Old Town Orvella Tandrik,1 Maro Brin,2 Department of Walks";
        check(title, unfit);
        check("y = 3.1 x + 0.2 , r = 0.9 , n = 40 .", unfit);
        check("Text with a mark (a, a__results__001) of its own.", unfit);
        check(&"word ".repeat(121), unfit);
        check(&"word ".repeat(20), Form::Unfit);
        check(&format!("Walking {}", "word ".repeat(19)), Form::Usable(BROKEN));
    }

    #[test]
    fn announcements_are_told_from_reports() {
        for sentence in [
            "the aim of this trial was to test brisk walking.",
            "we hypothesised that walking helps.",
            "further studies are needed in older adults.",
            "there was no study on the first dose.",
            "To find out whether walking helps.",
        ] {
            assert!(announces(sentence), "{sentence}");
        }
        for sentence in [
            "walking lowered blood pressure by 6 mmhg.",
            "no difference between the groups was found.",
            "To test this, we measured the pulse.",
            "",
        ] {
            assert!(!announces(sentence), "{sentence}");
        }
    }
}
