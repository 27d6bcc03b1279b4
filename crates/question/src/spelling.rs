//! Words of a question that may be misspelt, and how they are read.

use std::collections::BTreeSet;
use text::fold::fold;
use types::{Neighbour, Question, QuestionTerm, Span, Spelling};

/// Letters of the shortest word that is looked up.
const SHORTEST: usize = 4;
/// How many words may stand for one.
const READINGS: usize = 3;
/// How many times as common as another a word must be to stand alone.
const CLEARLY: usize = 10;

/// The distinct words of a question that may be misspelt: ordinary words in lower case. Symbols, numbers, names and
/// short words are left out, and so is a question that is not in English.
pub fn may_be_misspelt(question: &Question) -> Vec<String> {
    if question.other_language() {
        return Vec::new();
    }
    let named: BTreeSet<String> = question
        .named_sources
        .iter()
        .flat_map(|named| &named.surnames)
        .map(|surname| fold(surname).text().to_owned())
        .collect();
    let in_entity = |term: &QuestionTerm| {
        let within =
            |span: &std::ops::Range<usize>| span.start <= term.span.start && term.span.end <= span.end;
        question.entities.iter().any(|entity| within(&entity.entity.span))
    };
    let mut seen = BTreeSet::new();
    let ordinary = |term: &&QuestionTerm| {
        let mut letters = term.word.chars();
        // A capital is a name, except at the start.
        let first = letters.next().is_some_and(|c| c.is_lowercase() || term.span.start == 0);
        first
            && letters.all(char::is_lowercase)
            && term.word.chars().count() >= SHORTEST
            && !term.after_how
            && !named.contains(fold(&term.word).text())
            && !in_entity(term)
    };
    let words = question.terms.iter().filter(ordinary).map(|term| term.word.clone());
    words.filter(|word| seen.insert(word.clone())).collect()
}

/// Reads misspelt words of a question as those that the store holds: their terms are replaced, and
/// [`types::Understood::spellings`] says so. `neighbours` has an entry for each of `words`.
pub fn with_spellings(question: &mut Question, words: &[String], neighbours: &[Vec<Neighbour>]) {
    for (word, neighbours) in words.iter().zip(neighbours) {
        let read = readings(neighbours);
        if read.is_empty() {
            continue;
        }
        let terms = std::mem::take(&mut question.terms);
        for term in terms {
            if term.word != *word {
                question.terms.push(term);
                continue;
            }
            // A stop word is no term.
            let content = read.iter().filter(|neighbour| !neighbour.is_stop_word);
            question.terms.extend(content.map(|neighbour| QuestionTerm {
                stem: text::stem(&neighbour.word),
                word: neighbour.word.clone(),
                ..term.clone()
            }));
        }
        question.understood.spellings.push(Spelling {
            word: word.clone(),
            also: read.iter().map(|neighbour| neighbour.word.clone()).collect(),
        });
    }
}

/// The nearest words: one of them if it is far more common than the others, and one of each stem.
fn readings(neighbours: &[Neighbour]) -> Vec<&Neighbour> {
    let Some(nearest) = neighbours.first() else {
        return Vec::new();
    };
    let near = neighbours.iter().filter(|n| n.distance == nearest.distance);
    let content: Vec<&Neighbour> = near.filter(|n| !n.is_stop_word).collect();
    let common = content.first().map_or(0, |n| n.chunks);
    if nearest.is_stop_word && nearest.chunks >= CLEARLY * common {
        return vec![nearest];
    }
    let mut stems = BTreeSet::new();
    let likely = content.into_iter().filter(|n| n.chunks * CLEARLY > common);
    likely.filter(|n| stems.insert(text::stem(&n.word))).take(READINGS).collect()
}

/// The question with its misspelt words replaced by their first readings, its symbols as papers print them, and the first long form of each abbreviation in
/// brackets behind it: as it is embedded.
pub fn respelt(question: &Question) -> String {
    let mut out = String::new();
    let mut from = 0;
    let words = text::words(&question.text);
    for span in words {
        if span.start < from {
            continue;
        }
        let mut long = question.other_forms.iter().filter(|form| form.is_long);
        if let Some(form) = long.find(|form| form.span.start == span.start) {
            let until = form.span.end;
            out.push_str(&question.text[from..until]);
            out.extend([" (", &form.text, ")"]);
            from = until;
            continue;
        }
        let word = &question.text[span.clone()];
        let spelling = question.understood.spellings.iter().find(|spelling| spelling.word == word);
        let read = spelling.and_then(|spelling| spelling.also.first());
        let printed = text::as_printed(read.map_or(word, String::as_str));
        if let Some(read) = printed.as_ref().or(read) {
            out.push_str(&question.text[from..span.start]);
            out.push_str(read);
            from = span.end;
        }
    }
    out.push_str(&question.text[from..]);
    out
}

/// Leaves out the terms in these parts of the question, unless no other is left.
pub fn without_terms(question: &mut Question, parts: &[Span]) {
    let stays = |term: &QuestionTerm| {
        parts.iter().all(|part| term.span.end <= part.start || part.end <= term.span.start)
    };
    if question.terms.iter().any(stays) {
        question.terms.retain(stays);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{Filter, Mode};

    fn asked(query: &str) -> Question {
        crate::analyse(query, Vec::new(), Mode::Hybrid, Filter::default())
    }

    #[test]
    fn ordinary_words_are_looked_up() {
        let check = |query: &str, want: &[&str]| assert_eq!(may_be_misspelt(&asked(query)), want, "{query}");
        check(
            "metfromin efect on PGC1a mRNA afer frist session",
            &["metfromin", "efect", "afer", "frist", "session"],
        );
        check("Runing mice and runing rats", &["Runing", "mice", "runing", "rats"]);
        check("the vo2peak of Wexcombe in 75-year-old men", &["year"]);
        check("what did wirz et al. find on sleep", &["sleep"]);
        check("a fit cat", &[]);
        check("¿Cuál es el efecto de la caminata en los adultos?", &[]);
    }

    fn near(word: &str, distance: usize, chunks: usize) -> Neighbour {
        Neighbour { word: word.to_owned(), distance, chunks, is_stop_word: text::is_stop_word(word) }
    }

    #[test]
    fn the_likely_neighbours_are_read() {
        let check = |neighbours: &[Neighbour], want: &[&str]| {
            let read: Vec<&str> = readings(neighbours).iter().map(|n| n.word.as_str()).collect();
            assert_eq!(read, want);
        };
        check(&[], &[]);
        check(&[near("increase", 1, 30), near("increased", 2, 60)], &["increase"]);
        check(&[near("wheel", 1, 9), near("week", 1, 8)], &["wheel", "week"]);
        check(&[near("week", 1, 100), near("wheel", 1, 9)], &["week"]);
        check(&[near("after", 1, 200), near("safer", 1, 2)], &["after"]);
        check(&[near("well", 1, 20), near("wheel", 1, 9)], &["wheel"]);
        check(&[near("walks", 1, 9), near("walk", 1, 8), near("wale", 1, 7)], &["walks", "wale"]);
    }

    #[test]
    fn a_misspelt_question_is_read_as_meant() {
        let mut question = asked("runing weel afer runing?");
        let words = may_be_misspelt(&question);
        let neighbours = [
            vec![near("running", 1, 9)],
            vec![near("wheel", 1, 9), near("week", 1, 8)],
            vec![near("after", 1, 200)],
        ];
        with_spellings(&mut question, &words, &neighbours);
        let terms: Vec<&str> = question.terms.iter().map(|term| term.word.as_str()).collect();
        assert_eq!(terms, ["running", "wheel", "week", "running"]);
        assert_eq!(question.terms[1].span, question.terms[2].span);
        assert_eq!(respelt(&question), "running wheel after running?");
        assert_eq!(respelt(&asked("Did TNFalpha fall?")), "Did TNF-α fall?");
        let said: Vec<String> = question.understood.spellings.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "\"running\" (for \"runing\")",
                "\"wheel\", \"week\" (for \"weel\")",
                "\"after\" (for \"afer\")"
            ]
        );
    }

    #[test]
    fn words_of_a_filter_are_no_terms() {
        let check = |query: &str, part: std::ops::Range<usize>, want: &[&str]| {
            let mut question = asked(query);
            without_terms(&mut question, &[Span::new(part.start, part.end)]);
            let terms: Vec<&str> = question.terms.iter().map(|term| term.word.as_str()).collect();
            assert_eq!(terms, want, "{query}");
        };
        check("theses from 2023 on rice", 0..16, &["rice"]);
        check("theses from 2023", 0..16, &["theses", "2023"]);
    }
}
