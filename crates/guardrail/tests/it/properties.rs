//! What holds after the guardrails, whatever was generated.

use crate::common::{answer, cite, context, verify};
use evidence::support::LexicalSupport;
use guardrail::{GuardrailSettings, Uncited};
use proptest::prelude::*;
use types::{Citation, Confidence, RagResponse};

/// Ids: right ones, half ones, wrong ones.
fn id() -> impl Strategy<Value = String> {
    let known = prop::sample::select(
        "tandrik_2021__results__000|tandrik_2021__results__001|moro_2019__results__000|\
        results__001|moro__results__000|ghost__methods__007|"
            .split('|')
            .collect::<Vec<_>>(),
    );
    prop_oneof![8 => known.prop_map(str::to_owned), 1 => "[a-z_0-9(),]{0,12}"]
}

/// Quotes: slices of the context, damaged slices, anything.
fn quote() -> impl Strategy<Value = String> {
    let all: String = context().chunks.iter().map(|c| c.chunk.text.clone()).collect::<Vec<_>>().join(" ");
    let words: Vec<String> = all.split(' ').map(str::to_owned).collect();
    let slice =
        (0..words.len(), 1_usize..60).prop_map(move |(at, n)| words[at..words.len().min(at + n)].join(" "));
    prop_oneof![
        6 => slice.clone(),
        2 => (slice.clone(), slice.clone()).prop_map(|(a, b)| format!("{a} ... {b}")),
        1 => slice.prop_map(|s| s.to_uppercase()),
        1 => "\\PC{0,30}",
    ]
}

fn sentence() -> impl Strategy<Value = String> {
    let text = prop::sample::select(
        "Walking raised VO2max by 12 %|Body weight did not change|They also slept|\
        NHANES agrees with that|Moqri et al. report a gain of 99 kg|\
        The corpus does not report Zhang et al|Two effects:\n\n- fat fell|AMPK/FOXO3 rose|\
        It costs 5 min/day|\n\nSummary|3. Each mechanism counts"
            .split('|')
            .collect::<Vec<_>>(),
    );
    let mark = (id(), id()).prop_map(|(s, c)| format!("({s}, {c})"));
    (text, prop::collection::vec(mark, 0..3), any::<bool>()).prop_map(|(text, marks, before)| {
        let marks = marks.join(" ");
        if before { format!("{text} {marks}.") } else { format!("{text}. {marks}") }
    })
}

fn response() -> impl Strategy<Value = RagResponse> {
    let citation = (id(), id(), quote()).prop_map(|(s, c, q)| cite(&s, &c, &q));
    let text = prop_oneof![
        9 => prop::collection::vec(sentence(), 0..7).prop_map(|s| s.join(" ")),
        1 => "\\PC{0,80}",
    ];
    let confidence = prop::sample::select(vec![Confidence::Low, Confidence::Medium, Confidence::High]);
    (text, prop::collection::vec(citation, 0..5), confidence, any::<bool>()).prop_map(
        |(text, citations, confidence, none)| RagResponse {
            confidence,
            no_evidence: none,
            ..answer(&text, citations)
        },
    )
}

fn settings() -> impl Strategy<Value = GuardrailSettings> {
    (any::<[bool; 2]>(), 0.0_f32..1.0, 1_usize..41).prop_map(
        |([refuse, support_check], min_survival, max_quote_words)| GuardrailSettings {
            uncited: if refuse { Uncited::Refuse } else { Uncited::Flag },
            min_survival,
            max_quote_words,
            support_check,
            ..GuardrailSettings::default()
        },
    )
}

fn stands(c: &Citation, max_words: usize) -> bool {
    context().get(c.chunk_id.as_str()).is_some_and(|known| {
        known.chunk.source_id == c.source_id
            && text::quote::find_quote(&known.chunk.text, &c.relevant_quote).is_some()
            && text::word_count(&c.relevant_quote) <= max_words
            && c.section.is_some()
            && c.page_start <= c.page_end
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_comes_out_stands(given in response(), settings in settings()) {
        let once = verify("What did Zhang et al. find on walking?", given.clone(), &context(), &settings, &LexicalSupport::new());
        for c in &once.response.citations {
            prop_assert!(stands(c, settings.max_quote_words), "{c:?}");
        }
        prop_assert_eq!(once.response.validate(), Ok(()));
        for mark in evidence::support::marks(&once.response.answer) {
            prop_assert!(context().get(mark.chunk.trim()).is_some(), "{:?}", mark);
        }
        prop_assert!(!once.response.answer.trim().is_empty());
        prop_assert!(once.response.confidence <= given.confidence);
        // Every action is told to the reader.
        let told = !once.response.caveats.is_empty() || once.response.refusal.is_some();
        prop_assert!(once.actions.is_empty() || told);
        prop_assert_eq!(once.response.refusal.is_some(), once.response.no_evidence);
    }

    #[test]
    fn twice_is_once(given in response(), settings in settings()) {
        let query = "What did Zhang et al. find on walking?";
        let once = verify(query, given, &context(), &settings, &LexicalSupport::new());
        let twice = verify(query, once.response.clone(), &context(), &settings, &LexicalSupport::new());
        prop_assert_eq!(twice.response, once.response);
    }

    #[test]
    fn sentences_go_whole_or_stay_whole(given in response()) {
        // An open bracket makes one sentence of several.
        if evidence::support::strip_marks(&given.answer).contains(['(', ')', '[', ']']) {
            return Ok(());
        }
        let stripped = verify("", given.clone(), &context(), &GuardrailSettings::default(), &LexicalSupport::new());
        if !stripped.response.no_evidence {
            // Marks and punctuation around them may change; the words of every sentence that is left stood
            // together before.
            let words = |text: &str| {
                let text = evidence::support::strip_marks(text);
                let words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
                format!(" {} ", words.collect::<Vec<_>>().join(" "))
            };
            let before = words(&given.answer);
            for span in text::sentences(&stripped.response.answer) {
                // A list marker may have come from a sentence of the same item that is gone.
                let sentence = words(&stripped.response.answer[span]);
                let sentence = sentence.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
                prop_assert!(before.contains(sentence), "{:?} does not stand in {:?}", sentence, before);
            }
            // And of a sentence that is gone nothing is left: the entities that were not borne out.
            for action in stripped.actions.iter().filter(|a| a.action == "stripped" && a.reason.starts_with("not in")) {
                let whole = words(&action.subject);
                let times = |text: &str| text.matches(&whole).count();
                prop_assert!(times(&words(&stripped.response.answer)) < times(&before).max(1), "{:?}", whole);
            }
        }
    }
}
