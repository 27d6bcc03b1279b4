//! The reader, as set-up makes it.

use crate::common;
use models::{ModelSettings, ModelSpec, OnnxReader};
use types::{ReadPassage, Reader, Reading};

/// What it says of the sentences; `None`, with a word on it, where it is not there.
fn read(test: &str, question: &str, sentences: &[&str]) -> Option<Vec<Reading>> {
    let (runtime, natives) = common::runtime(test)?;
    let spec =
        ModelSpec::from_dir(&natives.join("reader"), &ModelSettings::default()).expect("a model folder");
    let reader = OnnxReader::new(spec, "digest", runtime, 2, || Ok(()));
    let passage = ReadPassage {
        title: "Brisk walking and blood pressure: a randomised trial".to_owned(),
        sentences: sentences.iter().map(|&sentence| sentence.to_owned()).collect(),
    };
    let mut read = reader.read(question, &[passage]).expect("reads");
    read.pop()
}

const TRIAL: [&str; 4] = [
    "Sixty adults were randomised to brisk walking or to stretching for twelve weeks.",
    "Blood pressure was measured with an automatic cuff after five minutes of rest.",
    "Systolic blood pressure fell by 6 mmHg with walking and by 1 mmHg with stretching (p = 0.01).",
    "Adherence was recorded in diaries.",
];

#[test]
fn the_sentence_that_answers_comes_first() {
    for (question, best) in [
        ("How much did walking lower systolic blood pressure?", 2),
        ("How was blood pressure measured?", 1),
        ("how many grown-ups were put into one of the two by chance", 0),
    ] {
        let Some(readings) = read("the_sentence_that_answers_comes_first", question, &TRIAL) else {
            return;
        };
        let found = (0..TRIAL.len()).max_by(|&a, &b| readings[a].sentence.total_cmp(&readings[b].sentence));
        assert_eq!(found, Some(best), "{question}: {readings:?}");
    }
}

#[test]
fn sentences_that_do_not_answer_are_told_apart() {
    let test = "sentences_that_do_not_answer_are_told_apart";
    let of = |question: &str| read(test, question, &TRIAL).map(|readings| readings[0].window);
    let (Some(answered), Some(not)) = (
        of("How much did walking lower systolic blood pressure?"),
        of("How many women withdrew because of knee pain?"),
    ) else {
        return;
    };
    assert!(answered > not + 1.0, "{answered} {not}");
}

#[test]
fn many_and_long_sentences_are_read_in_several_passes() {
    let test = "many_and_long_sentences_are_read_in_several_passes";
    let long = "Walking lowered blood pressure in most of them. ".repeat(40);
    let sentences: Vec<&str> = TRIAL.iter().copied().cycle().take(30).chain([long.as_str(), ""]).collect();
    let Some(readings) = read(test, "How was blood pressure measured?", &sentences) else {
        return;
    };
    assert_eq!(readings.len(), sentences.len());
    let passes: std::collections::BTreeSet<u32> = readings.iter().map(|r| r.window.to_bits()).collect();
    assert!(passes.len() > 1, "{readings:?}");
    assert_eq!(read(test, "Why?", &[]), Some(Vec::new()));
}
