//! Questions that are asked of every study: its design, its sample size, its limitations.
//!
//! Such a question shares hardly a word with the sentence that answers it ("A randomised crossover trial ..."), so the sentences
//! are found by how papers state these things (`study/items.toml`), not by the question's words.

use crate::{Form, Measured, SentenceFeatures, form, lead_in, rank::once};
use regex::Regex;
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};
use types::{Chunk, ChunkId, Context, Question, RankedSentence, Ranking, SectionKind, StudyItem};

/// Most chunks of a paper that are brought into the context.
const CHUNKS: usize = 3;
/// The probability of a sentence whose sum is just enough, as a logit, and the logit for each further unit: set by hand, so that
/// cells of high confidence were right more often than others (docs/lab/answers.md).
const LOGIT: f32 = 0.5;
const SLOPE: f32 = 1.2;
/// The highest probability of a sentence whose sum is not enough: such an answer is refused.
const TOO_LITTLE: f32 = 0.3;

/// The file of patterns.
#[derive(Deserialize)]
struct Patterns {
    others: String,
    names: Vec<(String, String)>,
    items: BTreeMap<StudyItem, Cues>,
}

/// What tells that a sentence states an item; the file says how it is summed.
#[derive(Deserialize)]
struct Cues {
    signs: Vec<(String, f32)>,
    doubts: Vec<(String, f32)>,
    must: Option<String>,
    sections: BTreeMap<SectionKind, f32>,
    heading: Option<(String, f32)>,
    #[serde(default)]
    late: f32,
    enough: f32,
}

static PATTERNS: LazyLock<Patterns> =
    LazyLock::new(|| toml::from_str(include_str!("study/items.toml")).expect("a test reads the file"));
static ABOUT_OTHERS: LazyLock<Regex> = LazyLock::new(|| compiled(&PATTERNS.others));

fn compiled(pattern: &str) -> Regex {
    let names = PATTERNS.names.iter().rev();
    let named = names.fold(pattern.to_owned(), |text, (name, value)| {
        text.replace(&format!("{{{name}}}"), value)
    });
    Regex::new(&format!("(?i){named}")).expect("a test compiles the patterns")
}

/// The cues of an item, with compiled patterns.
struct Matcher {
    signs: Vec<(Regex, f32)>,
    doubts: Vec<(Regex, f32)>,
    must: Option<Regex>,
    heading: Option<(Regex, f32)>,
    cues: &'static Cues,
}

impl Matcher {
    /// Compiled at the first use of the item.
    fn of(item: StudyItem) -> Arc<Self> {
        static ALL: Mutex<BTreeMap<StudyItem, Arc<Matcher>>> = Mutex::new(BTreeMap::new());
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let pair = |(pattern, weight): &(String, f32)| (compiled(pattern), *weight);
        let new = || {
            let cues = &PATTERNS.items[&item];
            Arc::new(Self {
                signs: cues.signs.iter().map(pair).collect(),
                doubts: cues.doubts.iter().map(pair).collect(),
                must: cues.must.as_deref().map(compiled),
                heading: cues.heading.as_ref().map(pair),
                cues,
            })
        };
        Arc::clone(all.entry(item).or_insert_with(new))
    }

    /// How plainly a sentence of a chunk states the item: from 0 on, it does.
    fn margin(&self, chunk: &Chunk, sentence: usize) -> Option<f32> {
        const LONG: [(usize, f32); 2] = [(90, 1.5), (55, 0.5)];
        const CITES: f32 = 1.0;
        let text = text::one_line(chunk.sentence(chunk.sentences.get(sentence)?));
        let usable = matches!(form(&text), Form::Usable(_));
        let may = self.must.as_ref().is_none_or(|must| must.is_match(&text));
        if !usable || !may {
            return None;
        }
        let found = |patterns: &[(Regex, f32)]| -> f32 {
            let held = patterns.iter().filter(|(pattern, _)| pattern.is_match(&text));
            held.map(|(_, weight)| *weight).sum()
        };
        let signs = found(&self.signs);
        if signs <= 0.0 {
            return None;
        }
        let cues = self.cues;
        let section = cues.sections.get(&chunk.section).copied().unwrap_or_default();
        let mut sum = signs - found(&self.doubts) + section;
        let heading = self
            .heading
            .as_ref()
            .filter(|(pattern, _)| pattern.is_match(&chunk.heading));
        sum += heading.map_or(0.0, |(_, weight)| *weight);
        if chunk.section == SectionKind::Abstract {
            let place = sentence as f32 / (chunk.sentences.len() - 1).max(1) as f32;
            sum += match place {
                place if place > 0.5 => cues.late,
                place if place < 0.35 => -cues.late,
                _ => 0.0,
            };
        }
        if ABOUT_OTHERS.is_match(&text) {
            sum -= CITES;
        }
        let words = text.split_whitespace().count();
        let long = LONG.iter().find(|(least, _)| words > *least);
        Some(sum - long.map_or(0.0, |(_, weight)| *weight) - cues.enough)
    }
}

/// The chunks of a paper that state an item most plainly, at most three, the plainest first; empty if none does.
pub fn chunks_stating<'a>(item: StudyItem, chunks: impl IntoIterator<Item = &'a Chunk>) -> Vec<ChunkId> {
    let matcher = Matcher::of(item);
    let best = |chunk: &'a Chunk| {
        let margins = (0..chunk.sentences.len()).filter_map(|at| matcher.margin(chunk, at));
        let best = margins.fold(f32::NEG_INFINITY, f32::max);
        (best >= 0.0).then_some((best, chunk))
    };
    let mut found: Vec<(f32, &Chunk)> = chunks.into_iter().filter_map(best).collect();
    found.sort_by(|(a, of), (b, other)| b.total_cmp(a).then_with(|| of.chunk_id.cmp(&other.chunk_id)));
    found.truncate(CHUNKS);
    found
        .into_iter()
        .map(|(_, chunk)| chunk.chunk_id.clone())
        .collect()
}

/// The number by which a sentence states a sample size or a duration, and the range of its unit, which is empty for a count; `None`
/// for other items, and where the sentence has no such number or several.
pub fn stated_number(item: StudyItem, sentence: &str) -> Option<(Range<usize>, Range<usize>)> {
    static COUNT: LazyLock<Regex> =
        LazyLock::new(|| compiled(r"\b({number})() (?:[\pL/-]+ ){0,6}?(?:{living}|{reports})\b"));
    static TIME: LazyLock<Regex> =
        LazyLock::new(|| compiled(r"\b({number}|one)[- ]?((?:hour|day|week|month|year)s?|h|d|wk)\b"));
    let pattern = match item {
        StudyItem::SampleSize => &*COUNT,
        StudyItem::Duration => &*TIME,
        _ => return None,
    };
    let mut all = pattern.captures_iter(sentence);
    let only = all.next().filter(|_| all.next().is_none())?;
    Some((only.get(1)?.range(), only.get(2)?.range()))
}

/// The sentences that may state the item that the question asks for, the plainest first.
pub(crate) fn rank(item: StudyItem, question: &Question, context: &Context) -> Ranking {
    let matcher = Matcher::of(item);
    let mut all: Vec<Measured> = Vec::new();
    for (chunk, sentence) in once(context) {
        let margin = matcher.margin(&context.chunks[chunk].chunk, sentence);
        all.push(Measured {
            chunk,
            sentence,
            features: SentenceFeatures::default(),
            probability: margin.map_or(0.0, probability),
        });
    }
    let best = all
        .iter()
        .map(|measured| measured.probability)
        .fold(0.0, f32::max);
    lead_in::pass_on(question, context, &mut all);
    all.retain(|measured| measured.probability > 0.0);
    all.sort_by(|a, b| {
        b.probability
            .total_cmp(&a.probability)
            .then_with(|| a.place().cmp(&b.place()))
    });
    let ranked = |measured: Measured| RankedSentence {
        chunk: measured.chunk,
        sentence: measured.sentence,
        probability: measured.probability,
    };
    Ranking {
        probability: best,
        answerable: best,
        sentences: all.into_iter().map(ranked).collect(),
    }
}

fn probability(margin: f32) -> f32 {
    if margin < 0.0 {
        return (TOO_LITTLE * (1.0 + margin)).max(0.01);
    }
    1.0 / (1.0 + (-(LOGIT + SLOPE * margin)).exp())
}
