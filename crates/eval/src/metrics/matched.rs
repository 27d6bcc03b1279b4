//! Is the answer right?

use super::view::lacks;
use super::{Metric, Need, Spec, View, wording};
use crate::Score;
use crate::judge::Compared;
use std::collections::{BTreeMap, BTreeSet};
use text::numbers::{Quantity, quantities_in};

/// The share of a fact's content words that a sentence must have.
const WORDS: f64 = 0.8;

/// Words that a text needs to show its language.
const SHORT: usize = 6;

/// Does the answer state the gold fact?
pub(super) static MATCHED: Metric = Metric::new(
    Spec {
        key: "matched",
        title: "Matched",
        needs: &[Need::Answer],
        needs_one_of: &[Need::GoldEvidence, Need::ReferenceAnswer],
        in_runs: true,
        ..Spec::PASS
    },
    |sample| Ok(f64::from(compared(sample)?.is_some_and(|compared| compared.same_facts))),
)
.explained(|sample| {
    let Some(compared) = compared(sample).ok()? else {
        return Some("nothing was answered".to_owned());
    };
    Some(match compared.differences.first() {
        None => compared.reason,
        Some(lacking) => format!("the answer does not state: {lacking}"),
    })
});

/// Compares the answer with the gold facts by its content; `None` if nothing was answered.
///
/// # Errors
/// The score where nothing can be compared.
pub(crate) fn compared(sample: &View<'_>) -> Result<Option<Compared>, Score> {
    let quotes = sample.sample.gold_quotes.as_deref().unwrap_or_default();
    let reference = sample.reference();
    if quotes.is_empty() && reference.is_err() {
        return Err(lacks(Need::ReferenceAnswer));
    }
    let found = |same_facts, reason: &str, differences| {
        Some(Compared { same_facts, by: "content".to_owned(), reason: reason.to_owned(), differences })
    };
    let Some(reading) = sample.owed()? else {
        return Ok(None);
    };
    let asked = sample.question().ok().and_then(text::language);
    let answer = Answer { sentences: sentences_of(&reading.text, asked) };
    let reference = reference.ok();
    let gold = reference.into_iter().chain(quotes.iter().map(|gold| gold.quote.as_str()));
    let shown = |text: &str| text::language(text).filter(|_| !is_short(text) && is_prose(text));
    let language = shown(&reading.text);
    if language.is_some() && gold.clone().all(|fact| shown(fact).is_some_and(|own| Some(own) != language)) {
        return Err(Score::n_a("the answer and what is known of it are in different languages"));
    }
    let facts = reference.map(|text| sentences_of(text, asked)).unwrap_or_default();
    if facts.iter().any(|fact| !fact.quantities.is_empty()) {
        let held: Vec<Quantity> = quotes
            .iter()
            .flat_map(|gold| quantities_in(&gold.quote, language_of(&gold.quote, asked)))
            .collect();
        let missing = answer.missing(&facts, &held);
        let said = if missing.is_empty() { "the answer states the numbers of the reference" } else { "" };
        return Ok(found(missing.is_empty(), said, missing));
    }
    if answer.states_all(&facts) {
        return Ok(found(true, "the answer states the reference", Vec::new()));
    }
    let mut by_document: BTreeMap<Option<&str>, Vec<&str>> = BTreeMap::new();
    for gold in quotes {
        by_document.entry(gold.document.as_deref()).or_default().push(&gold.quote);
    }
    let lacking = by_document
        .values()
        .filter(|copies| !copies.iter().any(|copy| answer.states_all(&sentences_of(copy, asked))));
    let mut differences: Vec<String> = lacking.map(|copies| (*copies[0]).to_owned()).collect();
    if by_document.is_empty() {
        differences.extend(reference.map(str::to_owned));
    }
    let same = differences.is_empty();
    Ok(found(same, if same { "the answer states a gold quote of each document" } else { "" }, differences))
}

/// An answer, taken apart.
struct Answer<'a> {
    sentences: Vec<Sentence<'a>>,
}

struct Sentence<'a> {
    text: &'a str,
    stems: BTreeSet<String>,
    /// Outside brackets, unless there are none.
    quantities: Vec<Quantity>,
    all: Vec<Quantity>,
    denies: bool,
}

impl Answer<'_> {
    /// Whether the answer states every sentence of a fact: where it has numbers, those with numbers.
    fn states_all(&self, fact: &[Sentence<'_>]) -> bool {
        if fact.iter().any(|own| !own.quantities.is_empty()) {
            return self.missing(fact, &[]).is_empty();
        }
        let mut worded = fact.iter().filter(|own| !own.stems.is_empty()).peekable();
        worded.peek().is_some() && worded.all(|own| self.states_words(own))
    }

    /// The quantities of a fact that the answer does not state, as printed: of those that `held` has too, if it has any.
    fn missing(&self, fact: &[Sentence<'_>], held: &[Quantity]) -> Vec<String> {
        let each = || fact.iter().flat_map(|own| own.quantities.iter().map(move |quantity| (own, quantity)));
        let is_held = |quantity: &Quantity| held.iter().any(|one| one.agrees(quantity));
        let some = each().any(|(_, quantity)| is_held(quantity));
        each()
            .filter(|(_, quantity)| !some || is_held(quantity))
            .filter(|(own, quantity)| !self.states(own, quantity))
            .map(|(own, quantity)| own.text.get(quantity.span.clone()).unwrap_or(own.text).to_owned())
            .collect()
    }

    /// Whether a sentence of the answer has the quantity of the fact and does not say the opposite. A small whole number without
    /// a unit must share a word with the fact.
    fn states(&self, fact: &Sentence<'_>, quantity: &Quantity) -> bool {
        self.sentences.iter().any(|own| {
            let amount = |one: &Quantity| {
                // The unit of a cell stands in the label of its row.
                let named = |unit: &str| {
                    let parts = own.text.split(|c: char| c.is_whitespace() || "()[],;:".contains(c));
                    let is_unit = |part: &str| {
                        let read = quantities_in(&format!("1 {part}"), None);
                        read.first().is_some_and(|one| one.unit.as_deref() == Some(unit))
                    };
                    parts.filter(|part| !part.is_empty()).any(is_unit)
                };
                one.agrees(quantity) && (one.unit.is_some() || quantity.unit.as_deref().is_none_or(named))
            };
            // A small whole number without a unit stands in many sentences.
            let telling = quantity.unit.is_some() || quantity.value >= 100.0 || quantity.value.fract() != 0.0;
            let about = || telling || fact.stems.is_empty() || !own.stems.is_disjoint(&fact.stems);
            own.all.iter().any(amount) && about() && !own.turns(fact)
        })
    }

    fn states_words(&self, fact: &Sentence<'_>) -> bool {
        let denied = |own: &Sentence<'_>| own.denies && !fact.denies;
        let stated = |own: &Sentence<'_>| {
            wording::share(&fact.stems, &own.stems) >= WORDS && !denied(own) && !own.turns(fact)
        };
        self.sentences.iter().any(stated)
    }
}

impl<'a> Sentence<'a> {
    fn new(text: &'a str, language: Option<&str>) -> Self {
        let outside = outside_brackets(text);
        let (own, all) = (quantities_in(&outside, language), quantities_in(text, language));
        let words = text::words(text).into_iter();
        Self {
            text,
            // Numbers are compared as quantities.
            stems: wording::stems(text)
                .into_iter()
                .filter(|stem| stem.chars().any(char::is_alphabetic))
                .collect(),
            quantities: if own.is_empty() { all.clone() } else { own },
            all,
            denies: words.map(|span| &text[span]).any(text::is_negation),
        }
    }

    /// Whether it has the opposite direction of the fact: what falls in one rises in the other.
    fn turns(&self, fact: &Sentence<'_>) -> bool {
        evidence::support::opposite_direction(self.text, fact.text)
    }
}

fn sentences_of<'a>(text: &'a str, asked: Option<&str>) -> Vec<Sentence<'a>> {
    let language = language_of(text, asked);
    let spans = text::sentences(text).into_iter();
    spans.map(|span| Sentence::new(&text[span], language)).collect()
}

fn is_short(text: &str) -> bool {
    text::word_count(text) < SHORT
}

/// Whether a text is mostly letters: rows of tables are of no language.
fn is_prose(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let all = text.chars().filter(|c| !c.is_whitespace()).count();
    4 * letters >= 3 * all
}

/// The language by which the numbers of a text are read: that of the question where it is too short to show its own, as
/// "2,9 mmHg" is. The comma of "1,024 adults" says nothing of the question's language.
fn language_of<'a>(text: &str, asked: Option<&'a str>) -> Option<&'a str> {
    let digits = |part: &str| part.bytes().take_while(u8::is_ascii_digit).count();
    let mut behind = text.split(',').skip(1).map(digits);
    let decimals = is_short(text) && behind.any(|digits| digits > 0 && digits != 3);
    asked.filter(|_| decimals).or_else(|| text::language(text))
}

/// A text with what stands in round brackets, intervals and shares, blanked: a right answer need not repeat them.
fn outside_brackets(text: &str) -> String {
    let mut depth = 0usize;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let inside = depth > 0 || c == '(';
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        // As many bytes as before, so that places stay.
        if inside || c == ')' {
            out.extend(std::iter::repeat_n(' ', c.len_utf8()));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GoldQuote;
    use crate::metrics::testing::{check, check_n_a, row};

    fn asked(answer: &str, reference: Option<&str>, quotes: &[(&str, &str)]) -> crate::Sample {
        let mut row = row("q", answer, &[("a", "x")]);
        row.reference = reference.map(str::to_owned);
        let gold = |(document, quote): &(&str, &str)| GoldQuote {
            document: Some((*document).to_owned()),
            quote: (*quote).to_owned(),
        };
        row.gold_quotes = Some(quotes.iter().map(gold).collect());
        row
    }

    #[test]
    fn a_fact_with_numbers_needs_each_of_them_with_unit_and_direction() {
        let quote =
            [("a", "At 24 weeks VO2peak had risen by 2.9 mL/kg/min (95% CI 2.2 to 3.6) in the walking arm.")];
        let reference = Some("It rose by 2.9 mL/kg/min (95% CI 2.2 to 3.6).");
        for (answer, want) in [
            ("VO2peak rose by 2.9 mL/kg/min.", 1.0),
            ("In the walking arm VO2peak increased by 2.9 mL/kg/min at 24 weeks [a].", 1.0),
            ("VO2peak rose by 2.9 mmHg.", 0.0),
            ("VO2peak rose by 2.8 mL/kg/min.", 0.0),
            ("VO2peak fell by 2.9 mL/kg/min.", 0.0),
            ("VO2peak rose in the walking arm.", 0.0),
            ("", 0.0),
        ] {
            check(&MATCHED, &asked(answer, reference, &quote), want);
        }
        // Numbers as words, and small counts without a unit in a sentence about something else.
        let both = Some("Forty were randomised, 20 to each group.");
        check(
            &MATCHED,
            &asked("Of 40 persons who were randomised, twenty came to each group.", both, &[]),
            1.0,
        );
        check(&MATCHED, &asked("See chapter 40 on page 20.", both, &[]), 0.0);
    }

    #[test]
    fn a_short_reference_has_the_language_of_its_question() {
        let mut row = asked("La presión arterial bajó 2,9 mmHg en el grupo.", Some("2,9 mmHg"), &[]);
        row.question = Some("¿Cuánto bajó la presión arterial en el grupo de los que caminaron?".to_owned());
        check(&MATCHED, &row, 1.0);
        row.answer = Some("La presión arterial bajó 9 mmHg en el grupo en 2 semanas.".to_owned());
        check(&MATCHED, &row, 0.0);
    }

    #[test]
    fn a_short_text_is_of_no_language_and_its_thousands_stay() {
        let es = "¿Cuánto tiempo caminaron los adultos del grupo en el ensayo de la presión?";
        let en = "How long did the adults of the walking group walk in the trial?";
        for (question, answer, reference, want) in [
            (es, "They walked for 12 weeks in the trial.", "12 weeks", 1.0),
            (es, "They walked for 9 weeks in the trial.", "12 weeks", 0.0),
            (es, "12 weeks", "They walked for 12 weeks in the trial.", 1.0),
            (en, "Caminaron 12 semanas en el ensayo.", "12 semanas", 1.0),
            (en, "Caminaron 9 semanas en el ensayo.", "12 semanas", 0.0),
            (es, "About 1,024 adults", "1024 adults", 1.0),
            (es, "About 1,024 adults", "1.024 adults", 0.0),
            (en, "About 1,024 adults", "1024 adults", 1.0),
            (
                en,
                "ALT (U/L): HC 118 ± 17; HC + OS 61 ± 8 (Table 4, Group). (mg/g feces), Total cholesterol: HC 48.0 ± 2.3; HC + OS 44.6 ± 3.4 (Table 3, Group).",
                "118 ± 17 U/L on the diet alone and 61 ± 8 U/L with the extract.",
                1.0,
            ),
        ] {
            let mut row = asked(answer, Some(reference), &[]);
            row.question = Some(question.to_owned());
            check(&MATCHED, &row, want);
        }
    }

    #[test]
    fn a_fact_without_numbers_needs_most_of_its_words_and_no_denial() {
        let reference = Some("Walking improved the sleep of older women.");
        for (answer, want) in [
            ("Older women's sleep improved with walking.", 1.0),
            ("Walking did not improve the sleep of older women.", 0.0),
            ("Walking was safe. Sleep was measured in older women.", 0.0),
        ] {
            check(&MATCHED, &asked(answer, reference, &[]), want);
        }
    }

    #[test]
    fn any_copy_of_a_document_and_one_of_each_document() {
        let copies = [("a", "Intake fell by 12 g."), ("a", "The reduction was 12 g/day in 30 men.")];
        check(&MATCHED, &asked("Intake fell by 12 g.", None, &copies), 1.0);
        let two = [("a", "Intake fell by 12 g."), ("b", "Weight fell by 3 kg.")];
        check(&MATCHED, &asked("Intake fell by 12 g.", None, &two), 0.0);
        check(&MATCHED, &asked("Intake fell by 12 g and weight by 3 kg.", None, &two), 1.0);
    }

    #[test]
    fn refusals_and_what_nobody_knows() {
        let mut row = asked("Nothing is known.", Some("May 2023."), &[]);
        row.refused = Some(true);
        check(&MATCHED, &row, 0.0);
        row.expected_refusal = Some(true);
        check_n_a(&MATCHED, &row, "a refusal is expected");
        row.reference = None;
        check_n_a(&MATCHED, &row, "`reference`");
        let german = "Das Gehen verbesserte den Schlaf der älteren Frauen in der Studie deutlich.";
        let english = Some("Walking improved the sleep of the older women in the study.");
        check_n_a(&MATCHED, &asked(german, english, &[]), "different languages");
    }
}
