use super::*;

fn fact(source: &str, author: &str, sentence: &str) -> Fact {
    Fact {
        sentence: sentence.to_owned(),
        passage: format!("{sentence} Adherence was high in both groups."),
        chunk_id: format!("{source}__results__000").as_str().into(),
        source_id: source.into(),
        author: author.to_owned(),
    }
}

fn facts() -> [Fact; 2] {
    [
        fact(
            "tandrik_2021",
            "Tandrik",
            "In the trial, AMPK activity increased by 12 mg during 6 weeks, which suggests that it was not lost.",
        ),
        fact(
            "orvella_2019",
            "Orvella",
            "Body mass was reduced in the mice of the cold group.",
        ),
    ]
}

fn decoy() -> Fact {
    fact(
        "ulvik_2018",
        "Ulvik",
        "Height was measured in the women of the warm group.",
    )
}

fn foreign() -> Fact {
    fact(
        "brin_2020",
        "Brin",
        "SIRT1 was silenced in all of the animals that lived on the coast.",
    )
}

/// The first sentence of an answer with this error.
fn wrong(kind: ErrorKind) -> (PlantedAnswer, String) {
    let answer = plant(&facts(), &decoy(), &foreign(), Some(kind), false, 7).expect("can be planted");
    assert_eq!(answer.wrong, Some(0), "{kind:?}");
    let sentence = answer.sentences[0].clone();
    (answer, sentence)
}

#[test]
fn a_correct_answer_repeats_the_facts() {
    let answer = plant(&facts(), &decoy(), &foreign(), None, false, 7).expect("an answer");
    assert_eq!(answer.wrong, None);
    assert_eq!(answer.sentences, facts().map(|fact| fact.sentence));
    assert!(
        answer.response.answer.ends_with(
            "Body mass was reduced in the mice of the cold group (orvella_2019, orvella_2019__results__000)."
        ),
        "{}",
        answer.response.answer
    );
    for (citation, fact) in answer.response.citations.iter().zip(facts()) {
        assert_eq!(
            (&citation.chunk_id, &citation.relevant_quote),
            (&fact.chunk_id, &fact.sentence)
        );
    }
}

#[test]
fn each_kind_changes_what_it_says() {
    let right = facts()[0].sentence.clone();
    let check = |kind: ErrorKind, has: &str| {
        let (_, sentence) = wrong(kind);
        assert!(
            sentence.contains(has) && sentence != right,
            "{kind:?}: {sentence}"
        );
    };
    check(ErrorKind::Unit, "12 g during");
    check(ErrorKind::Direction, "AMPK activity decreased by");
    check(ErrorKind::Negation, "it was lost");
    check(ErrorKind::Entity, "SIRT1 activity increased");
    check(ErrorKind::Hedging, "which proves that");
    check(ErrorKind::Author, "Brin et al. report that in the trial");
    check(
        ErrorKind::Merged,
        "not lost, and height was measured in the women",
    );

    let (_, sentence) = wrong(ErrorKind::Number);
    assert!(
        sentence != right && !sentence.contains("12 mg during 6 weeks"),
        "{sentence}"
    );
    let (answer, sentence) = wrong(ErrorKind::Source);
    assert_eq!(
        (sentence, answer.cited[0].as_str()),
        (right.clone(), "ulvik_2018__results__000")
    );
    let (answer, sentence) = wrong(ErrorKind::Quote);
    assert_eq!(sentence, right);
    assert!(
        !facts()[0]
            .passage
            .contains(&answer.response.citations[0].relevant_quote)
    );
}

#[test]
fn authors_are_named_in_right_answers_of_that_kind_too() {
    let (answer, _) = wrong(ErrorKind::Author);
    assert!(
        answer.sentences[1].starts_with("Orvella et al. report that body mass"),
        "{answer:?}"
    );
}

#[test]
fn what_cannot_be_planted_is_not() {
    let plain = [
        fact("a_2020", "Aster", "Weight fell."),
        fact("b_2020", "Bell", "Height rose again."),
    ];
    for kind in [
        ErrorKind::Number,
        ErrorKind::Unit,
        ErrorKind::Hedging,
        ErrorKind::Negation,
        ErrorKind::Quote,
    ] {
        assert!(
            plant(&plain, &decoy(), &foreign(), Some(kind), false, 1).is_none(),
            "{kind:?}"
        );
    }
}

#[test]
fn other_words_say_the_same() {
    let check =
        |sentence: &str, want: Option<&str>| assert_eq!(reword(sentence).as_deref(), want, "{sentence}");
    check(
        "After 12 weeks, weight fell.",
        Some("Weight fell after twelve weeks."),
    );
    check(
        "The effect was observed in participants.",
        Some("The influence was seen in people taking part."),
    );
    check("Weight fell.", None);
    check("They were followed for 5.2 years because of it.", None);
    check("After rest, p53 was lower.", None);
    // Two clauses: the phrase would belong to the second one.
    check("After rest, weight fell and height rose.", None);
}

#[test]
fn the_same_seed_plants_the_same() {
    let planted = |seed| {
        plant(
            &facts(),
            &decoy(),
            &foreign(),
            Some(ErrorKind::Number),
            true,
            seed,
        )
        .map(|a| a.response.answer)
    };
    assert_eq!(planted(3), planted(3));
}
