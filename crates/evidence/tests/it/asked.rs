//! What a question asks of a context.

use crate::corpus::{chunk, question, source, statistics};
use evidence::AskedTerms;
use std::collections::BTreeSet;
use types::{Context, QuestionTerm, SectionKind};

fn context() -> Context {
    let first = source("orvella_2021", "Walking", &["Ada Orvella"], 2021);
    let second = source("tandrik_2019", "Sleep", &["Bram Tandrik"], 2019);
    Context {
        chunks: vec![
            chunk(&second, 0, &[("Sleep helped the adults.", 0.5)]),
            chunk(&first, 0, &[("Walking helped the adults.", 0.5)]),
        ],
    }
}

fn stems(asked: &AskedTerms) -> Vec<Vec<&str>> {
    asked.terms.iter().map(|term| term.stems.iter().map(String::as_str).collect()).collect()
}

#[test]
fn weights_are_shares_by_rarity() {
    let statistics = statistics(&[("walking", 60), ("insulin", 3)]);
    let asked = AskedTerms::new(&question("Does walking vaping insulin?"), &context(), &statistics);
    assert_eq!(stems(&asked), [["walk"], ["vape"], ["insulin"]]);
    let sum: f32 = asked.terms.iter().map(|term| term.weight).sum();
    assert!((sum - 1.0).abs() < 1e-5, "{asked:?}");
    let weight = |at: usize| asked.terms[at].weight;
    assert!(weight(0) < weight(2) && weight(2) < weight(1), "{asked:?}");
    let set = |stems: &[&str]| -> BTreeSet<String> { stems.iter().map(|s| (*s).to_owned()).collect() };
    assert!((asked.coverage(&set(&["walk", "insulin", "other"])) - (weight(0) + weight(2))).abs() < 1e-6);
    assert!(asked.coverage(&set(&[])).to_bits() == 0, "not -0");
}

#[test]
fn an_everyday_word_that_no_paper_contains_is_not_asked_for() {
    let asking = question("Which pressure went down most in the unpleasant sauna?");
    let asked = AskedTerms::new(&asking, &context(), &statistics(&[("pressure", 3)]));
    assert_eq!(stems(&asked), [["pressur"], ["sauna"]]);
    let asked = AskedTerms::new(&asking, &context(), &statistics(&[("pressure", 3), ("went", 2)]));
    assert_eq!(stems(&asked), [["pressur"], ["went"], ["sauna"]]);
}

#[test]
fn spellings_of_one_word_are_one_term() {
    let statistics = statistics(&[("tumour", 4), ("tumor", 40)]);
    let mut asking = question("Does walking vaping the tumour?");
    let written = asking.terms.last().expect("a term").clone();
    assert_eq!(written.stem, text::stem("tumour"));
    asking.terms.push(QuestionTerm { stem: text::stem("tumor"), ..written });
    let asked = AskedTerms::new(&asking, &context(), &statistics);
    assert_eq!(asked.terms.len(), 3, "{asked:?}");
    assert_eq!(asked.terms[2].stems, [text::stem("tumour"), text::stem("tumor")]);
    // It is as common as its most common spelling.
    assert!(asked.terms[2].weight < asked.terms[0].weight, "{asked:?}");
    let only = BTreeSet::from([text::stem("tumor")]);
    assert!((asked.coverage(&only) - asked.terms[2].weight).abs() < 1e-6);
}

#[test]
fn a_word_that_stands_twice_is_one_term() {
    let asked =
        AskedTerms::new(&question("Is walking better than walking uphill?"), &context(), &statistics(&[]));
    let walks = stems(&asked).iter().filter(|stems| stems[0] == "walk").count();
    assert_eq!(walks, 1, "{asked:?}");
}

#[test]
fn names_of_papers_are_no_terms() {
    let none = statistics(&[]);
    let asked =
        AskedTerms::new(&question("What did Orvella et al. (2021) find on walking?"), &context(), &none);
    assert_eq!(stems(&asked), [["walk"]]);
    assert_eq!(asked.named, ["orvella_2021".into()]);
    assert!(!asked.across);
    let both = AskedTerms::new(
        &question("What did Orvella (2021) and Tandrik (2019) find on walking?"),
        &context(),
        &none,
    );
    assert_eq!(both.named, ["orvella_2021".into(), "tandrik_2019".into()], "by id");
    assert!(both.across);
}

#[test]
fn the_kind_of_question_is_kept() {
    let none = statistics(&[]);
    let of = |query: &str| AskedTerms::new(&question(query), &context(), &none);
    assert!(of("How long did the adults sleep?").number);
    assert!(
        !stems(&of("How long did the adults sleep?")).contains(&vec!["long"]),
        "what follows \"how\" need not be in the answer"
    );
    assert!(of("What was the aim of the trial?").aim);
    assert!(of("What is known across studies on walking?").across);
    assert_eq!(of("What is in the methods on walking?").section, Some(SectionKind::Methods));
    assert_eq!(of("").terms, []);
}

#[test]
fn without_any_weight_terms_count_alike() {
    let query = question("walking sleep");
    let asked = AskedTerms::new(&query, &context(), &types::TermStatistics::default());
    for term in &asked.terms {
        assert!((term.weight - 0.5).abs() < 1e-6, "{asked:?}");
    }
}
