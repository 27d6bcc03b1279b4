//! Questions that are asked of every study: "What was the sample size?"

use std::{collections::BTreeSet, sync::LazyLock};
use text::WordList;
use types::{Question, StudyItem};

/// The phrases that ask for an item. The first list that has one decides: "How many weeks did the treatment last?" asks for a
/// duration.
static ITEMS: [(StudyItem, WordList); 10] = [
    (
        StudyItem::AdverseEvents,
        WordList::new("adverse; side effect; side effects; harms"),
    ),
    (
        StudyItem::PrimaryOutcome,
        WordList::new(
            "primary outcome; primary outcomes; primary endpoint; primary endpoints; primary end point; primary end points;
            main outcome; main outcomes; main endpoint; main endpoints; outcome measure; outcome measures",
        ),
    ),
    (
        StudyItem::Limitations,
        WordList::new("limitation; limitations; weakness; weaknesses; shortcoming; shortcomings"),
    ),
    (
        StudyItem::Aim,
        WordList::new("aim; aims; objective; objectives; purpose; goal; goals; research question"),
    ),
    (
        StudyItem::Duration,
        WordList::new(
            "how long; duration; follow up; followup; length of; how many days; how many weeks; how many months; how many years",
        ),
    ),
    (
        StudyItem::SampleSize,
        WordList::new(
            "sample size; sample sizes; how large was the study; how large was the trial; how large was the sample;
            how many participants; how many patients; how many people; how many persons; how many individuals; how many subjects;
            how many adults; how many women; how many men; how many children; how many volunteers; how many animals; how many rats;
            how many mice; how many studies; how many trials; how many took part; how many were; number of participants;
            number of patients; number of people; number of subjects; number of studies; number of trials",
        ),
    ),
    (
        StudyItem::Design,
        WordList::new(
            "design; designs; type of study; type of trial; kind of study; kind of trial; study type; designed",
        ),
    ),
    (
        StudyItem::MainResult,
        WordList::new(
            "main result; main results; main finding; main findings; key result; key results; key finding; key findings;
            principal finding; principal findings; primary result; primary finding; what were the results;
            what are the results; what were the findings; what are the findings; find; found; findings; results; effect of;
            effects of",
        ),
    ),
    (
        StudyItem::Intervention,
        WordList::new("intervention; interventions; treatment; treatments; receive; received; given"),
    ),
    (
        StudyItem::Population,
        WordList::new(
            "population; populations; participants; patients; subjects; animals; who took part; who participated; who was;
            who were studied; who were included",
        ),
    ),
];

/// What such questions say besides: more words would ask for a topic.
static SAID: WordList = WordList::new(
    "study studies trial trials paper papers article report review research investigation experiment authors work publication
    participant participants patient patients subject subjects people persons individuals adults women men children volunteers
    animals animal rats mice population populations sample samples size sizes number many total large include included enrol enrolled enroll recruit recruited randomised randomized took take part
    participate participated analysed analyzed studied enter entered design designs designed type kind
    used use conduct conducted perform performed carried intervention interventions treatment treatments treated
    receive received give given gives compared long last lasted duration length follow followed followup period time days
    weeks months years day week month year primary main key principal major important outcome outcomes endpoint endpoints end
    point points measure measures variable result results finding findings find found show shown limitation limitations
    weakness weaknesses shortcoming shortcomings acknowledge acknowledged report reported reports state stated states mention
    mentioned describe described discuss discussed note noted name aim aims objective objectives purpose goal goals question
    adverse side effect effects event events reaction reactions harms confidence interval overall present",
);

static SAID_STEMS: LazyLock<BTreeSet<String>> = LazyLock::new(|| SAID.iter().map(text::stem).collect());

/// What a question about one source asks for, if it is asked of every study: it has a phrase for the item, and besides words
/// about studies and the name of the source nothing else. `None` also for a question about several sources.
pub fn study_item(question: &Question) -> Option<StudyItem> {
    let filter = &question.filter;
    let one = filter.sources.as_ref().is_some_and(|sources| sources.len() == 1);
    if !one || filter.sections.is_some() || question.other_language() {
        return None;
    }
    let names: BTreeSet<String> =
        question.named_sources.iter().flat_map(|named| text::stems(&named.text)).collect();
    let said = |stem: &String| SAID_STEMS.contains(stem) || names.contains(stem);
    if !question.terms.iter().all(|term| said(&term.stem)) {
        return None;
    }
    let words = crate::analyse::spaced(&question.text);
    let asks = |phrases: &WordList| phrases.iter().any(|phrase| crate::analyse::has(&words, phrase));
    let found = ITEMS.iter().find(|(_, phrases)| asks(phrases));
    found.map(|(item, _)| *item)
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{Filter, Mode, NamedSource};

    fn item(query: &str, sources: &[&str]) -> Option<StudyItem> {
        let filter =
            Filter { sources: Some(sources.iter().map(|id| (*id).into()).collect()), ..Filter::default() };
        let mut question = crate::analyse(query, Vec::new(), Mode::Hybrid, filter);
        question.named_sources.extend(query.contains("Wirz").then(|| NamedSource {
            text: "Wirz".to_owned(),
            surnames: vec!["Wirz".to_owned()],
            year: None,
        }));
        study_item(&question)
    }

    #[test]
    fn questions_for_every_study_are_told_from_those_with_a_topic() {
        use StudyItem::{
            AdverseEvents, Aim, Design, Duration, Intervention, Limitations, MainResult, Population,
            PrimaryOutcome, SampleSize,
        };
        let check = |query: &str, want: Option<StudyItem>| assert_eq!(item(query, &["a"]), want, "{query}");
        for (query, want) in [
            ("What was the study design?", Design),
            ("What type of study is it?", Design),
            ("What population was studied?", Population),
            ("Who took part?", Population),
            ("Which patients were included?", Population),
            ("What was the sample size?", SampleSize),
            ("How many participants were enrolled?", SampleSize),
            ("What was the intervention?", Intervention),
            ("What type of intervention was used?", Intervention),
            ("What did the participants receive?", Intervention),
            ("How long did the intervention or follow-up last?", Duration),
            ("How many weeks did the treatment last?", Duration),
            ("What was the primary outcome?", PrimaryOutcome),
            ("What was the main result with its confidence interval?", MainResult),
            ("What did the study find?", MainResult),
            ("What are the limitations of the study?", Limitations),
            ("What limitations does Wirz acknowledge?", Limitations),
            ("What was the effect of the treatment?", MainResult),
            ("What was the aim of the trial?", Aim),
            ("How many adverse events were reported?", AdverseEvents),
        ] {
            check(query, Some(want));
        }
        for query in [
            "How many participants had a leak?",
            "How many patients completed the trial?",
            "How many groups were compared?",
            "How many patients were in each group?",
            "How large was the effect?",
            "Who are the authors?",
            "What outcomes were measured?",
            "What limitations do epigenetic clocks have?",
            "How long does memory last after walking?",
            "What is the sky?",
            "",
        ] {
            check(query, None);
        }
        assert_eq!(item("What was the sample size?", &["a", "b"]), None);
    }
}
