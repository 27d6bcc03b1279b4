//! Which sentences make the answer, and which a model may choose from.

use crate::{ExtractiveSettings, settings::POOL};
use evidence::{ASKED_FOR, AskedTerms, Form, announces, form, points_back};
use std::collections::BTreeSet;
use types::{
    ComparedPaper, Context, ContextChunk, RankedSentence, Ranking, SentenceSpan, SourceId, words::distinct,
};

/// From this likeness on, a sentence says the same as one already picked.
const SAME: f32 = 0.95;
/// Share of the best sentence's probability that a further sentence needs.
const FURTHER: f32 = 0.2;
/// Share of the best sentence's probability from which a sentence that reports something goes before one that announces
/// an aim.
const REPORTS: f32 = 0.25;
/// When several papers are asked for: share of the best sentence's probability that the best sentence of another paper
/// needs.
const OTHER_PAPER: f32 = 0.3;

/// A sentence that is quoted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picked<'a> {
    /// Its chunk.
    pub(crate) place: &'a ContextChunk,
    /// Its index in the chunk.
    pub(crate) index: usize,
    /// Its span and number.
    pub(crate) sentence: SentenceSpan,
    /// The probability that it answers.
    pub(crate) probability: f32,
}

impl<'a> Picked<'a> {
    /// Its text.
    pub(crate) fn text(&self) -> &'a str {
        self.place.chunk.sentence(&self.sentence)
    }

    /// The paper.
    pub(crate) fn source(&self) -> &'a SourceId {
        &self.place.chunk.source_id
    }

    /// Its unit vector, if it has one.
    fn vector(&self) -> Option<&'a [f32]> {
        self.place.sentences.vector(self.index)
    }

    fn stems(&self) -> Option<&'a BTreeSet<String>> {
        self.place.sentence_stems().get(self.index)
    }

    /// The sentence of its chunk that follows it in the paper, or with -1 the one before it. Its probability is set to 0.
    fn beside(&self, step: isize) -> Option<Self> {
        let index = self.index.checked_add_signed(step)?;
        let sentence = *self.place.chunk.sentences.get(index)?;
        let follows = i64::from(sentence.number) == i64::from(self.sentence.number) + step as i64;
        follows.then_some(Picked { index, sentence, probability: 0.0, ..*self })
    }

    /// Whether it is the same sentence, perhaps in another chunk.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        self.source() == other.source() && self.sentence.number == other.sentence.number
    }
}

/// Words of a passage that is shown because no sentence is sure to answer.
const PASSAGE_WORDS: usize = 100;
/// Sentences of it on each side of the likeliest.
const BESIDE: usize = 2;
/// Such passages.
const PASSAGES: usize = 2;
/// Sentences of each paper that a question compares.
const OF_EACH: usize = 2;

/// The passage around the most likely sentence, and the one around the most likely sentence elsewhere, each in reading order: whole
/// sentences that follow each other in a chunk. A row of a table stands alone.
pub(super) fn passages<'a>(
    ranking: &Ranking,
    context: &'a Context,
    asked: &AskedTerms,
) -> Vec<Vec<Picked<'a>>> {
    let mut out: Vec<Vec<Picked<'a>>> = Vec::new();
    for best in reports_first(pool(ranking, context), asked) {
        if out.len() >= PASSAGES {
            break;
        }
        if out.iter().flatten().all(|shown| likeness(shown, &best) < SAME) {
            out.push(around(best, &out));
        }
    }
    out
}

/// A sentence with those around it, up to those of earlier passages.
fn around<'a>(best: Picked<'a>, earlier: &[Vec<Picked<'a>>]) -> Vec<Picked<'a>> {
    let words = |picked: &Picked<'a>| text::length_in_words(picked.text());
    let is_row = |picked: &Picked<'a>| picked.place.chunk.table_row(picked.index).is_some();
    let (mut out, mut room) = (vec![best], PASSAGE_WORDS.saturating_sub(words(&best)));
    let mut add = |out: &mut Vec<Picked<'a>>, beside: Option<Picked<'a>>, at: usize| {
        let new = beside.filter(|new| {
            let known = earlier.iter().flatten().any(|known| known.same_as(new));
            !known && !is_row(new) && matches!(form(new.text()), Form::Usable(_)) && words(new) <= room
        });
        if let Some(new) = new {
            room -= words(&new);
            out.insert(at, new);
        }
    };
    for _ in 0..if is_row(&best) { 0 } else { BESIDE } {
        let before = out.first().and_then(|first| first.beside(-1));
        add(&mut out, before, 0);
        let (after, end) = (out.last().and_then(|last| last.beside(1)), out.len());
        add(&mut out, after, end);
    }
    out
}

/// The most likely sentences of each paper that is compared, in the order of the question: of each at most two, the likelier first, and
/// those that they point back to. A paper that does not answer has none.
pub(super) fn by_paper<'a>(
    papers: &[ComparedPaper],
    ranking: &Ranking,
    context: &'a Context,
    asked: &AskedTerms,
) -> Vec<Vec<Picked<'a>>> {
    let of = |paper: &ComparedPaper| {
        let is_own = |ranked: &RankedSentence| {
            let place = context.chunks.get(ranked.chunk);
            paper.answers && place.is_some_and(|place| place.chunk.source_id == paper.source_id)
        };
        let own = Ranking {
            sentences: ranking.sentences.iter().copied().filter(is_own).collect(),
            ..Ranking::default()
        };
        let mut chosen: Vec<Picked<'a>> = Vec::new();
        for candidate in reports_first(pool(&own, context), asked) {
            let least = chosen.first().map_or(0.0, |best| OTHER_PAPER * best.probability);
            let new = chosen.iter().all(|picked| likeness(picked, &candidate) < SAME);
            if chosen.len() < OF_EACH && new && candidate.probability >= least {
                chosen.push(candidate);
            }
        }
        let mut out = Vec::new();
        let mut room = OF_EACH;
        for picked in &chosen {
            push(*picked, &chosen, &mut room, &mut out);
        }
        out
    };
    papers.iter().map(of).collect()
}

/// The sentences of the answer in the order in which they are read: the most likely one first, then the others of its
/// paper, then the other papers. A sentence that points back comes after the one that it points to. Empty if no
/// sentence can be quoted.
pub(super) fn select<'a>(
    ranking: &Ranking,
    context: &'a Context,
    asked: &AskedTerms,
    settings: &ExtractiveSettings,
) -> Vec<Picked<'a>> {
    let pool = reports_first(pool(ranking, context), asked);
    let most = if asked.across { settings.max_sentences_across } else { settings.max_sentences }.max(1);
    let Some(best) = pool.first() else {
        return Vec::new();
    };
    let mut chosen = vec![*best];
    if asked.across {
        other_papers(&pool, asked, most, &mut chosen);
    }
    let mut missed = chosen.iter().map(|picked| 1.0 - picked.probability).product::<f32>();
    for candidate in &pool {
        let more = missed > 1.0 - settings.enough || candidate.probability >= settings.likely;
        let near = candidate.probability >= FURTHER * best.probability;
        if chosen.len() >= most || !more || !near {
            break;
        }
        if chosen.iter().all(|picked| likeness(picked, candidate) < SAME) {
            missed *= 1.0 - candidate.probability;
            chosen.push(*candidate);
        }
    }
    in_order(chosen, most)
}

/// Sentences of a passage that a model chooses from.
const OF_A_PASSAGE: usize = 6;

/// The `most` most likely sentences that can be quoted, each of which says something else, and a few of each passage; at least one
/// if there is any.
pub(crate) fn shown<'a>(ranking: &Ranking, context: &'a Context, most: usize) -> Vec<Picked<'a>> {
    let mut out: Vec<Picked<'a>> = Vec::new();
    for candidate in pool(ranking, context) {
        if out.len() >= most.max(1) {
            break;
        }
        let own = out.iter().filter(|picked| std::ptr::eq(picked.place, candidate.place));
        let room = own.count() < OF_A_PASSAGE;
        if room && out.iter().all(|picked| likeness(picked, &candidate) < SAME) {
            out.push(candidate);
        }
    }
    out
}

/// The most likely sentences that can be quoted.
fn pool<'a>(ranking: &Ranking, context: &'a Context) -> Vec<Picked<'a>> {
    let picked = |ranked: &types::RankedSentence| {
        let place = context.chunks.get(ranked.chunk)?;
        let sentence = *place.chunk.sentences.get(ranked.sentence)?;
        let fits = match form(place.chunk.sentence(&sentence)) {
            Form::Usable(_) => true,
            // The header of a table says nothing by itself.
            Form::TableRow => place.chunk.table_row(ranked.sentence).is_some(),
            Form::Title => ranked.probability >= ASKED_FOR,
            Form::Unfit => false,
        };
        fits.then_some(Picked { place, index: ranked.sentence, sentence, probability: ranked.probability })
    };
    ranking.sentences.iter().filter_map(picked).take(POOL).collect()
}

/// Drops sentences that announce an aim or a gap, unless the question asks for one, or the best one announces and nothing
/// else is nearly as likely.
fn reports_first<'a>(pool: Vec<Picked<'a>>, asked: &AskedTerms) -> Vec<Picked<'a>> {
    let Some(best) = pool.first().copied().filter(|_| !asked.aim) else {
        return pool;
    };
    let mut reports: Vec<Picked<'a>> = pool.into_iter().filter(|picked| !announces(picked.text())).collect();
    let near = |first: &Picked<'a>| first.probability >= REPORTS * best.probability;
    if !reports.first().is_some_and(near) {
        reports.insert(0, best);
    }
    reports
}

/// Adds the best sentence of each paper that the question names, or of each other paper if it names none.
fn other_papers<'a>(pool: &[Picked<'a>], asked: &AskedTerms, most: usize, chosen: &mut Vec<Picked<'a>>) {
    let least = chosen.first().map_or(0.0, |best| OTHER_PAPER * best.probability);
    for candidate in pool {
        if chosen.len() >= most {
            return;
        }
        let named = asked.named.contains(candidate.source());
        let wanted = named || (asked.named.is_empty() && candidate.probability >= least);
        let new = chosen.iter().all(|picked| picked.source() != candidate.source());
        if wanted && new && chosen.iter().all(|picked| likeness(picked, candidate) < SAME) {
            chosen.push(*candidate);
        }
    }
}

/// How far two sentences say the same, 0 to 1: cosine of their vectors, or the overlap of their stems where that is
/// higher (or there are no vectors).
fn likeness(a: &Picked<'_>, b: &Picked<'_>) -> f32 {
    if a.same_as(b) {
        return 1.0;
    }
    let cosine = match (a.vector(), b.vector()) {
        (Some(x), Some(y)) if x.len() == y.len() => x.iter().zip(y).map(|(x, y)| x * y).sum::<f32>(),
        _ => 0.0,
    };
    let (Some(x), Some(y)) = (a.stems(), b.stems()) else {
        return 0.0;
    };
    let shared = x.intersection(y).count();
    let all = x.len() + y.len() - shared;
    let overlap = if all == 0 { 0.0 } else { shared as f32 / all as f32 };
    if cosine.is_finite() { cosine.max(overlap).clamp(0.0, 1.0) } else { overlap }
}

/// Groups the sentences by paper, in the order in which they were picked, and puts those of a paper into reading order;
/// only the best one of all stays first.
fn in_order(chosen: Vec<Picked<'_>>, most: usize) -> Vec<Picked<'_>> {
    let papers: Vec<&SourceId> = distinct(chosen.iter().map(Picked::source));
    let mut all = chosen;
    let best = all.remove(0);
    let paper = |picked: &Picked<'_>| papers.iter().position(|paper| *paper == picked.source());
    all.sort_by_key(|picked| (paper(picked), picked.sentence.number));
    all.insert(0, best);
    let mut room = most.saturating_sub(all.len());
    let mut out: Vec<Picked<'_>> = Vec::new();
    for picked in &all {
        push(*picked, &all, &mut room, &mut out);
    }
    out
}

/// Adds a chosen sentence after the one that it points back to, if there is room for that or it was chosen itself.
fn push<'a>(picked: Picked<'a>, all: &[Picked<'a>], room: &mut usize, out: &mut Vec<Picked<'a>>) {
    if out.iter().any(|other| other.same_as(&picked)) {
        return;
    }
    if let Some(before) = before(&picked) {
        let there = out.iter().any(|other| other.same_as(&before));
        if let Some(chosen) = all.iter().find(|other| other.same_as(&before)) {
            push(*chosen, all, room, out);
        } else if *room > 0 && !there {
            *room -= 1;
            out.push(before);
        }
    }
    out.push(picked);
}

/// The sentence that this one points back to: the one before it, if it can be quoted.
pub(crate) fn before<'a>(picked: &Picked<'a>) -> Option<Picked<'a>> {
    if !points_back(picked.text()) {
        return None;
    }
    let index = picked.index.checked_sub(1)?;
    let sentence = *picked.place.chunk.sentences.get(index)?;
    let text = picked.place.chunk.sentence(&sentence);
    // A damaged index may number sentences in any way.
    let earlier = sentence.number < picked.sentence.number;
    (earlier && matches!(form(text), Form::Usable(_))).then_some(Picked { index, sentence, ..*picked })
}
