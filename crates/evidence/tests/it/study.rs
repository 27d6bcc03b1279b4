//! Sentences that state what is asked of every study.

use crate::corpus::{chunk, question, rank, source, statistics};
use std::sync::Arc;
use types::{Context, ContextChunk, Question, SectionKind, StudyItem};

/// The default of `guardrail.refuse_below`.
const ANSWERED: f32 = 0.4;
const NOTHING: &str = "Energy intake was estimated from food records of four days.";

fn passage(section: SectionKind, first: u32, sentences: &[&str]) -> ContextChunk {
    let paper = source("orvella_2021", "A trial", &["Ada Orvella"], 2021);
    let sentences: Vec<(&str, f32)> = sentences.iter().map(|sentence| (*sentence, 0.1)).collect();
    let mut place = chunk(&paper, first, &sentences);
    let chunk = Arc::make_mut(&mut place.chunk);
    chunk.section = section;
    chunk.chunk_id = format!("orvella_2021__{section}__{first:03}").into();
    place
}

fn asking(item: StudyItem, query: &str) -> Question {
    Question { study_item: Some(item), ..question(query) }
}

#[test]
fn what_papers_state_of_themselves_is_found() {
    use SectionKind::{Abstract, Discussion, Methods};
    let check = |item: StudyItem, section: SectionKind, other: &str, stated: &str| {
        let place = passage(section, 0, &[NOTHING, other, stated]);
        let found = evidence::chunks_stating(item, [&*place.chunk]);
        assert_eq!(found.first(), Some(&place.chunk.chunk_id), "{stated}");
        let context = Context { chunks: vec![place.clone()] };
        let ranking = rank(&asking(item, "What is it?"), &context, &statistics(&[]));
        let best = ranking.sentences.first().map(|ranked| ranked.sentence);
        assert_eq!(best, Some(2), "{stated}: {ranking:?}");
        assert!(ranking.answerable >= ANSWERED, "{ranking:?}");
        // Without it there is nothing to answer with.
        let without = passage(section, 0, &[NOTHING, other, NOTHING]);
        assert!(evidence::chunks_stating(item, [&*without.chunk]).is_empty(), "{other}");
        let context = Context { chunks: vec![without] };
        let ranking = rank(&asking(item, "What is it?"), &context, &statistics(&[]));
        assert!(ranking.answerable < ANSWERED, "{other}: {ranking:?}");
    };
    check(
        StudyItem::Design,
        Methods,
        "The funders had no role in study design or in the decision to publish.",
        "We conducted a randomised crossover trial at two clinics.",
    );
    check(
        StudyItem::Population,
        Methods,
        "Written informed consent was obtained from all patients.",
        "Adults aged 60 to 79 years with frailty were recruited through a newspaper.",
    );
    check(
        StudyItem::SampleSize,
        Methods,
        "The sample size was calculated with a power of 90 percent.",
        "A total of 524 patients with bleeding were included in this study.",
    );
    check(
        StudyItem::Intervention,
        Methods,
        "Patients in the control group will not be given any supplement.",
        "The intervention group received capsules with 20 mg of zinc twice a day.",
    );
    check(
        StudyItem::Duration,
        Methods,
        "Cells were incubated for 24 hours at 37 °C and washed.",
        "The participants took the capsules daily for 12 weeks, and were followed for as long.",
    );
    check(
        StudyItem::PrimaryOutcome,
        Methods,
        "Two-sided p values below 0.05 were regarded as significant for the primary outcome.",
        "The primary outcome was usual gait speed over four metres.",
    );
    check(
        StudyItem::MainResult,
        Abstract,
        "We aimed to test whether walking improved gait speed in adults.",
        "In conclusion, we found that walking significantly improved gait speed compared with rest.",
    );
    check(
        StudyItem::Limitations,
        Discussion,
        "A strength of our study is the long period over which adults were followed.",
        "A limitation of our study is the small sample of one clinic.",
    );
    check(
        StudyItem::Aim,
        Abstract,
        "Walking is known to be good for the health of adults.",
        "The aim of this study was to compare walking with rest.",
    );
    check(
        StudyItem::AdverseEvents,
        Abstract,
        "Adverse events will be recorded by the nurses at each visit.",
        "No serious adverse events were reported in either group of participants.",
    );
}

#[test]
fn the_likeliest_passages_come_first_and_at_most_three() {
    let size = |count: usize| format!("A total of {count} patients were included in this study.");
    let sizes: Vec<String> = (50..54).map(size).collect();
    let vague = passage(SectionKind::Results, 0, &["Patients were included at two clinics.", NOTHING]);
    let places: Vec<ContextChunk> = (1..5_u32)
        .zip(&sizes)
        .map(|(at, text)| passage(SectionKind::Results, at, &[text.as_str(), NOTHING]))
        .collect();
    let all = || places.iter().chain([&vague]).map(|place| &*place.chunk);
    let found = evidence::chunks_stating(StudyItem::SampleSize, all());
    assert_eq!(found.len(), 3);
    assert!(!found.contains(&vague.chunk.chunk_id), "{found:?}");
    let best = |id: &types::ChunkId| {
        let chunks = places.iter().filter(|place| place.chunk.chunk_id == *id);
        let context = Context { chunks: chunks.cloned().collect() };
        rank(&asking(StudyItem::SampleSize, "How many?"), &context, &statistics(&[])).answerable
    };
    assert!(found.windows(2).all(|pair| best(&pair[0]) >= best(&pair[1])), "{found:?}");
}

#[test]
fn what_other_papers_did_is_not_stated_of_this_one() {
    let own = "A total of 524 patients were included in this study.";
    let others = "In an earlier study, Wirz et al. included a total of 524 patients.";
    let place = |text: &str| passage(SectionKind::Discussion, 0, &[text, NOTHING]);
    let states =
        |text: &str| !evidence::chunks_stating(StudyItem::SampleSize, [&*place(text).chunk]).is_empty();
    assert!(states(own) && !states(others));
}

#[test]
fn the_list_of_limitations_comes_before_the_sentence_that_announces_it() {
    let place = passage(
        SectionKind::Discussion,
        0,
        &[
            "This study has several limitations.",
            "First, energy intake was not weighed.",
            "Second, the staff knew the groups.",
        ],
    );
    let context = Context { chunks: vec![place] };
    let limitations = asking(StudyItem::Limitations, "What are the limitations?");
    let ranking = rank(&limitations, &context, &statistics(&[]));
    let order: Vec<usize> = ranking.sentences.iter().map(|ranked| ranked.sentence).collect();
    assert_eq!(order, [1, 2, 0]);
}

#[test]
fn a_number_is_stated_if_it_is_the_only_one_of_its_kind() {
    use StudyItem::{Duration, SampleSize};
    let check = |item: StudyItem, sentence: &str, expected: Option<(&str, &str)>| {
        let found = evidence::stated_number(item, sentence);
        let found = found.map(|(number, unit)| (&sentence[number], &sentence[unit]));
        assert_eq!(found, expected, "{sentence}");
    };
    let count = |number| Some((number, ""));
    check(SampleSize, "A total of 1,204 patients were included.", count("1,204"));
    check(
        SampleSize,
        "One hundred and sixty employees took part, 80 participants per group.",
        count("One hundred and sixty"),
    );
    check(SampleSize, "In all, 22 participants were excluded.", None);
    check(SampleSize, "There were 40 women and 38 men.", None);
    check(Duration, "The intervention lasted twelve weeks.", Some(("twelve", "weeks")));
    check(Duration, "We randomised students aged 11 to 14 years.", None);
    check(Duration, "Adults of 60 years of age were followed for 2.5 years.", Some(("2.5", "years")));
    check(Duration, "Mice 12-week-old were bought.", None);
    check(Duration, "The programme took 8-12 weeks.", None);
    check(SampleSize, "Fifty type 2 diabetes patients were seen.", None);
    check(SampleSize, "After 12 weeks of exercise in adults, pain was less.", None);
    check(SampleSize, "We included 100 patients (50 men and 50 women).", count("100"));
    check(SampleSize, "In 2019 patients were enrolled at 5 hospitals in Lund.", None);
    check(SampleSize, "Of 412 people screened, 186 were randomised (62 per arm).", count("186"));
    check(Duration, "The trial ran for 20.5 weeks.", Some(("20.5", "weeks")));
    check(SampleSize, "We screened 377 women at two clinics.", None);
    check(SampleSize, "The 12 patients who were excluded had fever.", None);
}
