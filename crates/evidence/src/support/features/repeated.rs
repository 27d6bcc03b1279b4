//! Whether a passage states the words of a claim, or only contains them.
//!
//! "There was no evidence that walking helped" contains "walking helped" and does not state it.

use super::prepared::PreparedPassage;
use text::WordList;

/// How a passage repeats a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Repeated {
    /// The claim is a clause or a run of clauses of the passage, word for word.
    pub(crate) verbatim: bool,
    /// The passage has the words of the claim after a denial or a supposition in the same clause.
    pub(crate) denied: bool,
}

impl Repeated {
    /// Looks for the words of the claim in the passage.
    pub(crate) fn new(claim: &str, passage: &PreparedPassage) -> Self {
        let found = text::quote::find_quote(&passage.text, claim);
        let Some([part]) = found.as_ref().map(|found| found.parts.as_slice()) else {
            return Self::default();
        };
        let first = passage.sentences.iter().find(|s| s.span.end > part.start);
        let last = passage.sentences.iter().find(|s| s.span.end >= part.end);
        let start = first.map_or(part.start, |s| s.span.start.min(part.start));
        let end = last.map_or(part.end, |s| s.span.end.max(part.end));
        let before = &passage.text[start..part.start];
        let after = &passage.text[part.end..end];
        let clause = before.rsplit(CLAUSE_ENDS).next().unwrap_or_default();
        Self {
            verbatim: begins_clause(before) && ends_clause(after),
            denied: denies(clause) && !denies(claim),
        }
    }
}

const CLAUSE_ENDS: [char; 4] = [',', ';', ':', '.'];
static CONJUNCTIONS: WordList =
    WordList::new("and but while whereas although though yet so however moreover thus or");

/// Whether a clause begins after this beginning of a sentence.
fn begins_clause(before: &str) -> bool {
    let before = before.trim_end_matches(|c: char| {
        c.is_whitespace() || matches!(c, '(' | '[' | '"' | '“' | '*' | '-' | '•')
    });
    let word = text::words(before).pop().map(|span| before[span].to_lowercase());
    before.is_empty()
        || before.ends_with(CLAUSE_ENDS)
        || word.is_some_and(|word| before.to_lowercase().ends_with(&word) && CONJUNCTIONS.contains(&word))
}

/// Whether a clause ends before this rest of a sentence. A bracket, as of a mark or a p value, ends it, too.
fn ends_clause(after: &str) -> bool {
    let after = after.trim_start();
    let sign = after.chars().next().filter(|c| !c.is_alphanumeric());
    let word = text::words(after).into_iter().next();
    let word = word.filter(|span| span.start == 0).map(|span| after[span].to_lowercase());
    after.is_empty() || sign.is_some() || word.is_some_and(|word| CONJUNCTIONS.contains(&word))
}

/// Whether a text has a denial or a supposition.
fn denies(text: &str) -> bool {
    static SUPPOSED: WordList =
        WordList::new("whether if hypothesis hypothesised hypothesized failed fails fail unlikely");
    text::words(text).into_iter().any(|span| {
        let word = &text[span];
        text::is_negation(word) || SUPPOSED.contains(&word.to_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_another_statement_are_not_verbatim() {
        let check = |claim: &str, passage: &str, verbatim: bool, denied: bool| {
            let passage = PreparedPassage::new(passage, None).expect("no model takes part");
            let want = Repeated { verbatim, denied };
            assert_eq!(Repeated::new(claim, &passage), want, "{claim:?} in {:?}", passage.text);
        };
        check("Walking helped.", "We saw it. Walking helped. So did rest.", true, false);
        check("Walking helped.", "In this trial, walking helped.", true, false);
        check("Walking helped.", "Rest did not help, but walking helped (p < 0.05).", true, false);
        check("Walking helped. Rest did not.", "Walking helped. Rest did not.", true, false);
        check("Walking helped 12 of 20 mice", "Walking helped 12 of 20 mice, and rest did not.", true, false);
        check("Walking helped.", "There was no evidence that walking helped.", false, true);
        check("Walking helped.", "The trial failed to show that walking helped.", false, true);
        check("Serious events were reported.", "No serious events were reported.", false, true);
        check(
            "Walking causes cancer.",
            "Some claim that walking causes cancer, which is wrong.",
            false,
            false,
        );
        check(
            "Mortality was reduced.",
            "Mortality was reduced neither by rest nor by walking.",
            false,
            false,
        );
        check("Rats flew.", "Walking helped.", false, false);
    }
}
