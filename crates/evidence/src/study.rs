//! Questions that are asked of every study: its design, its sample size, its limitations.
//!
//! Such a question shares hardly a word with the sentence that answers it ("A randomised crossover trial ..."), so the sentences
//! are found by how papers state these things: a logistic regression for each item, over the words, pairs of words and place of a
//! sentence (`study/weights.json`, fitted by `fit/study.py` on sentences that were marked in 172 papers).

use crate::trees::{fixed, logistic};
use crate::{Form, Measured, SentenceFeatures, features::once, form, lead_in};
use regex::{Captures, Regex};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Range,
    sync::LazyLock,
};
use text::WordList;
use types::{Chunk, ChunkId, Context, RankedSentence, Ranking, StudyItem};

/// Maximum number of chunks of a paper that are added to the context.
const CHUNKS: usize = 3;
/// Minimum probability for a chunk to count as stating an item. The answer is checked against `guardrail.refuse_below`.
const STATES_FROM: f32 = 0.45;

static PEOPLE: WordList = WordList::new(
    "patients participants subjects adults women men children adolescents preadolescents infants newborns neonates volunteers
    individuals people respondents athletes students mothers pregnancies persons girls boys families households nurses physicians
    caregivers residents veterans players runners users survivors outpatients inpatients smokers workers employees teachers providers
    donors rats mice animals birds broilers chicks pigs piglets rabbits dogs cats sheep cows sharks fish zebrafish monkeys hamsters
    pandas horses goats larvae flies worms",
);
static REPORTS: WordList = WordList::new("studies trials articles papers publications rcts");
static NUMBERS: WordList = WordList::new(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty
    thirty forty fifty sixty seventy eighty ninety hundred thousand",
);
static TIMES: WordList = WordList::new("hour hours day days week weeks month months year years");
static DOSES: WordList = WordList::new("mg g ml mcg iu kg kcal mmol");
static DESIGNS: WordList = WordList::new(
    "randomised randomized experimental blind blinded controlled label crossover cross parallel cohort sectional prospective
    retrospective longitudinal observational multicentre multicenter pilot feasibility qualitative systematic scoping narrative vitro
    inferiority",
);

/// Matches sentences about other papers.
static ABOUT_OTHERS: LazyLock<Regex> = LazyLock::new(|| {
    let cited =
        r"\[\d[\d,–\- ]*\]|\bet al\b|\((?:(?-i:[A-Z])\w+.{0,40})?(?:19|20)\d\d[a-z]?\)|, (?:19|20)\d\d\)";
    let told = r"\bpreviously (?:published|reported|described)";
    let others = r"\b(?:previous|prior|earlier|other|recent|several) (?:stud|report|work|research|trial)";
    regex(&format!("{cited}|{told}|{others}"))
});

/// The placeholder for a word of a class: numbers, people and animals, reports, times, doses, designs.
fn kind(word: &str) -> Option<&'static str> {
    const KINDS: [(&WordList, &str); 6] = [
        (&NUMBERS, "0"),
        (&PEOPLE, "LIVING"),
        (&REPORTS, "REPORTS"),
        (&TIMES, "TIME"),
        (&DOSES, "DOSE"),
        (&DESIGNS, "DESIGN"),
    ];
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        return Some("0");
    }
    KINDS.into_iter().find(|(words, _)| words.contains(word)).map(|(_, kind)| kind)
}

/// The stems of a text, with placeholders for words of a class, and the punctuation that is common in results and doses.
fn stems(text: &str) -> Vec<String> {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| regex(r"\pL+|\d[\d.,]*\d|\d|[%=<>±\[\]:;]"));
    let folded = text::fold::fold(text);
    let mut out: Vec<String> = Vec::new();
    for word in WORDS.find_iter(folded.text()) {
        let word = word.as_str();
        let stem = kind(word).map_or_else(|| text::stem(word), str::to_owned);
        if stem != "0" || out.last().is_none_or(|last| last != "0") {
            out.push(stem);
        }
    }
    out
}

/// The features of a sentence of a chunk: its stems and pairs of stems, its first words, the words of its heading, its section, its
/// place in the paper and its length. `None` if it is no usable sentence.
pub fn study_cues(chunk: &Chunk, sentence: usize) -> Option<BTreeSet<String>> {
    let span = chunk.sentences.get(sentence)?;
    let text = text::one_line(chunk.sentence(span));
    if !matches!(form(&text), Form::Usable(_)) {
        return None;
    }
    let stems_of = stems(&text);
    let mut cues: BTreeSet<String> =
        stems(&chunk.heading).iter().map(|stem| format!("heading:{stem}")).collect();
    for length in 1..=3.min(stems_of.len()) {
        cues.insert(format!("^{}", stems_of[..length].join(" ")));
    }
    cues.extend(stems_of.windows(2).map(|pair| pair.join(" ")));
    cues.extend(stems_of);
    cues.insert(format!("section:{}", chunk.section));
    match text.split_whitespace().count() {
        ..8 => cues.insert("length:short".to_owned()),
        8..=40 => false,
        _ => cues.insert("length:long".to_owned()),
    };
    // Counted from the beginning of the paper, in powers of two.
    cues.insert(format!("place:{}", (span.number + 1).ilog2()));
    if ABOUT_OTHERS.is_match(&text) {
        cues.insert("cites".to_owned());
    }
    Some(cues)
}

/// The regression of an item.
#[derive(Deserialize)]
struct Weights {
    bias: f32,
    cues: HashMap<String, f32>,
}

impl Weights {
    fn of(item: StudyItem) -> &'static Self {
        static ALL: LazyLock<BTreeMap<StudyItem, Weights>> =
            LazyLock::new(|| fixed(include_str!("study/weights.json")));
        &ALL[&item]
    }

    /// The probability that a sentence of a chunk states the item, from 0 to 1; calibrated for the best sentence of a paper.
    fn probability(&self, chunk: &Chunk, sentence: usize) -> f32 {
        let Some(cues) = study_cues(chunk, sentence) else {
            return 0.0;
        };
        let sum: f32 = cues.iter().filter_map(|cue| self.cues.get(cue)).sum();
        logistic(self.bias + sum)
    }
}

/// The chunks of a paper that state an item, the likeliest first, at most three.
pub fn chunks_stating<'a>(item: StudyItem, chunks: impl IntoIterator<Item = &'a Chunk>) -> Vec<ChunkId> {
    let weights = Weights::of(item);
    let best = |chunk: &'a Chunk| {
        let all = (0..chunk.sentences.len()).map(|at| weights.probability(chunk, at));
        let best = all.fold(0.0, f32::max);
        (best >= STATES_FROM).then_some((best, chunk))
    };
    let mut found: Vec<(f32, &Chunk)> = chunks.into_iter().filter_map(best).collect();
    found.sort_by(|(a, of), (b, other)| b.total_cmp(a).then_with(|| of.chunk_id.cmp(&other.chunk_id)));
    found.truncate(CHUNKS);
    found.into_iter().map(|(_, chunk)| chunk.chunk_id.clone()).collect()
}

/// The number by which a sentence states a sample size or a duration, and the range of its unit, which is empty for a count; `None`
/// for other items, and where the sentence has no such number or several. Ages, years and counts of a part are no such numbers, nor is
/// what brackets hold.
pub fn stated_number(item: StudyItem, sentence: &str) -> Option<(Range<usize>, Range<usize>)> {
    static COUNT: LazyLock<Regex> = LazyLock::new(|| {
        let counted = [alternatives(&PEOPLE), alternatives(&REPORTS)].join("|");
        let done = "were (?:randomi[sz]ed|enrolled|included|recruited|allocated|assigned|analy[sz]ed)";
        after_number("", &format!(r" (?:((?:[\pL/-]+ ){{0,6}}?)(?:{counted})|{done})()"))
    });
    static TIME: LazyLock<Regex> =
        LazyLock::new(|| after_number("|one", "()[- ]?((?:hour|day|week|month|year)s?|h|wk)"));
    // What stands before a number that is another.
    static OTHER: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?:\d[.,·]?|[-–.]|\d |\b(?:type|phase|grade|stage|screened|invited|excluded) |\bage[ds]?\b(?:\W|\d|\b(?:of|between|from|was|to|and)\b)*)$",
        )
    });
    // What follows an age, or the count of a part.
    static PART: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^[- ](?:old|of age|and above|per|in each|each|(?:who |that )?(?:were |was )?(?:excluded|invited|screened|withdr[ae]w|dropped))\b",
        )
    });
    let pattern = match item {
        StudyItem::SampleSize => &*COUNT,
        StudyItem::Duration => &*TIME,
        _ => return None,
    };
    let in_brackets =
        |at: usize| sentence[..at].matches(['(', '[']).count() > sentence[..at].matches([')', ']']).count();
    let is_other =
        |word: &str| TIMES.contains(word) || DOSES.contains(word) || ["in", "at", "of"].contains(&word);
    let is_meant = |found: &Captures<'_>| {
        let place = found.get_match();
        let year = found[1].parse().is_ok_and(|year: u16| (1900..2100).contains(&year));
        let between = found.get(2).map_or("", |words| words.as_str());
        !year
            && !in_brackets(place.start())
            && !OTHER.is_match(&sentence[..place.start()])
            && !PART.is_match(&sentence[place.end()..])
            && !between.split_whitespace().any(is_other)
    };
    let mut all = pattern.captures_iter(sentence).filter(is_meant);
    let only = all.next().filter(|_| all.next().is_none())?;
    Some((only.get(1)?.range(), only.get(3)?.range()))
}

fn regex(pattern: &str) -> Regex {
    Regex::new(&format!("(?i){pattern}")).expect("a fixed pattern")
}

fn alternatives(words: &WordList) -> String {
    words.iter().collect::<Vec<_>>().join("|")
}

/// A pattern of a number in digits or words, or the alternatives in `more` (each after a `|`), and of what follows it.
fn after_number(more: &str, after: &str) -> Regex {
    let spelt = alternatives(&NUMBERS);
    let words = format!("(?:(?:one|an?) )?(?:{spelt})(?:[- ](?:and )?(?:{spelt}|one))*");
    regex(&format!(r"\b(\d+(?:[,.]\d+)*|{words}{more}){after}\b"))
}

/// The sentences that may state the item that the question asks for, the likeliest first.
pub(crate) fn rank(item: StudyItem, context: &Context) -> Ranking {
    let weights = Weights::of(item);
    let measured = |(chunk, sentence): (usize, usize)| Measured {
        chunk,
        sentence,
        features: SentenceFeatures::default(),
        probability: weights.probability(&context.chunks[chunk].chunk, sentence),
    };
    let mut all: Vec<Measured> = once(context).into_iter().map(measured).collect();
    let best = all.iter().map(|measured| measured.probability).fold(0.0, f32::max);
    if item == StudyItem::Limitations {
        lead_in::pass_on(context, &mut all);
    }
    all.retain(|measured| measured.probability > 0.0);
    all.sort_by(|a, b| b.probability.total_cmp(&a.probability).then_with(|| a.place().cmp(&b.place())));
    let ranked = |measured: Measured| RankedSentence {
        chunk: measured.chunk,
        sentence: measured.sentence,
        probability: measured.probability,
    };
    Ranking { probability: best, answerable: best, sentences: all.into_iter().map(ranked).collect() }
}
