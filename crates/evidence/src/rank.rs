//! Orders the sentences of a context by how likely they answer the question.

use crate::{
    AskedTerms, Measured, SentenceFeatures,
    answer::AnswerFeatures,
    features::{Wanted, finite, flag, of_place, of_terms, of_text, once},
    figure, fitted, model, study,
};
use std::collections::{BTreeMap, BTreeSet};
use text::WordList;
use types::{
    Context, ContextChunk, ModelError, Question, RankedSentence, Ranking, ReadPassage, Reader, SectionKind,
    SourceId, TermStatistics, words::distinct,
};

/// Every sentence of the context, the most likely answer first; equal ones in the order of the context. A sentence that
/// stands in two chunks is ranked once, in a chunk that was found rather than in a neighbour.
///
/// # Errors
/// When the reader fails.
pub fn rank(
    question: &Question,
    context: &Context,
    statistics: &TermStatistics,
    reader: Option<&dyn Reader>,
) -> Result<Ranking, ModelError> {
    if let Some(item) = question.study_item {
        return Ok(study::rank(item, context));
    }
    let reader = reader.filter(|_| is_read(question));
    let measured = measure(question, context, statistics, reader)?;
    let answer = AnswerFeatures::new(question, context, statistics, &measured);
    let mut sentences: Vec<RankedSentence> = measured
        .iter()
        .map(|measured| RankedSentence {
            chunk: measured.chunk,
            sentence: measured.sentence,
            probability: measured.probability,
        })
        .collect();
    sentences.sort_by(|a, b| {
        (b.probability.total_cmp(&a.probability))
            .then_with(|| (a.chunk, a.sentence).cmp(&(b.chunk, b.sentence)))
    });
    if let Some(label) = figure::asked_for(&question.text)
        && figure::first(&label, &mut sentences, context)
    {
        return Ok(Ranking { probability: figure::PROBABILITY, answerable: 1.0, sentences });
    }
    let fitted = &fitted::of(&question.embedder).with(reader).answer;
    let known = |probability: f32| if sentences.is_empty() { 0.0 } else { probability };
    Ok(Ranking {
        probability: known(answer.right(fitted)),
        answerable: known(answer.answerable(fitted)),
        sentences,
    })
}

/// Whether a reader can read the question: it knows English.
fn is_read(question: &Question) -> bool {
    !question.other_language()
}

/// The features and the probability of every sentence, in the order of the context, each sentence once. A reader reads
/// those that may answer, if the question is in English.
///
/// # Errors
/// When the reader fails.
pub fn measure(
    question: &Question,
    context: &Context,
    statistics: &TermStatistics,
    reader: Option<&dyn Reader>,
) -> Result<Vec<Measured>, ModelError> {
    let asked = AskedTerms::new(question, context, statistics);
    let wanted = Wanted::new(question, &asked);
    let papers = Papers::new(context);
    let title = |place: &ContextChunk| text::stems(place.source.title.as_deref().unwrap_or_default());
    let titles = context.chunks.iter().map(|place| (&place.chunk.source_id, title(place)));
    let titles: BTreeMap<&SourceId, BTreeSet<String>> = titles.collect();
    let mut out = Vec::new();
    for (chunk, sentence) in once(context) {
        let place = &context.chunks[chunk];
        let mut features = SentenceFeatures { chunk_rank: chunk as f32, ..SentenceFeatures::default() };
        let text = place.chunk.sentence(&place.chunk.sentences[sentence]);
        of_text(text, &mut features);
        of_place(&asked, place, &mut features);
        wanted.set(&asked, &mut features);
        papers.set(&place.chunk.source_id, &mut features);
        features.announces_unasked = features.announces * (1.0 - features.asks_aim);
        features.counted = flag(wanted.counts(text));
        let stems = &place.sentence_stems()[sentence];
        let title = &titles[&place.chunk.source_id];
        if let Some(row) = place.chunk.table_row(sentence) {
            // What stands above a row counts half as much as the row: all rows of a table share it.
            let sequence = sequence(&row.with_context());
            let all: BTreeSet<String> = sequence.iter().cloned().collect();
            of_terms(question, &asked, &all, &sequence, &mut features);
            features.coverage = 0.5 * (features.coverage + asked.coverage(stems));
            features.asked_of_paper = 0.5 * (of_paper(&asked, title, &all) + of_paper(&asked, title, stems));
            let mut label = text::stems(row.cells.first().copied().unwrap_or_default());
            label.extend(text::stems(row.group));
            features.row_label = asked.coverage(&label);
            let adds = |column: &String| {
                let column = text::stems(column);
                asked.share(|term| term.is_in(&column) && !term.is_in(&label))
            };
            features.column_label = row.columns.iter().map(adds).fold(0.0, f32::max);
        } else {
            of_terms(question, &asked, stems, &sequence(text), &mut features);
            features.asked_of_paper = of_paper(&asked, title, stems);
            if features.table_row > 0.0 {
                // The header of a table.
                features.well_formed = 0.0;
            }
        }
        of_neighbours(&asked, place, sentence, title, &mut features);
        out.push(Measured { chunk, sentence, features, probability: 0.0 });
    }
    local(&asked, context, &mut out);
    centred(&question.vector, context, &mut out);
    behind(&mut out);
    places(&mut out);
    let fitted = fitted::of(&question.embedder);
    for measured in &mut out {
        measured.probability = model::probability(&fitted.plain.sentences, &measured.features);
    }
    if let Some(reader) = reader.filter(|_| is_read(question)) {
        read(question, context, reader, &mut out)?;
        let sentences = &fitted.with(Some(reader)).sentences;
        for measured in &mut out {
            measured.probability = model::probability(sentences, &measured.features);
        }
    }
    // Statements on funding, conflicts of interest or data answer what asks for them: the models were fitted without them.
    if !question.words.iter().any(|word| NOTICES.contains(&word.folded)) {
        for measured in &mut out {
            if context.chunks[measured.chunk].chunk.section == SectionKind::Supplementary {
                measured.probability *= NOTICE;
            }
        }
    }
    Ok(out)
}

/// What is left of the probability of a sentence of the back matter, where the question does not ask for such.
const NOTICE: f32 = 0.4;
/// What the back matter of papers tells.
static NOTICES: WordList = WordList::new(
    "abbreviation abbreviations accession acknowledge acknowledged affiliated affiliation affiliations appendix approval approved archive available
    availability code committee competing conflict conflicts consent contributed contribution contributions data dataset datasets deposited disclose
    disclosed disclosure disclosures email ethical ethics finance financed financial financially fund funded funder funders funding funds grant
    grants interest interests licence license money paid pay pays register registered registration registry repository software sponsor sponsored
    sponsors stand stands supplement supplementary thank thanked university",
);

/// Has the reader read the sentences that are most likely by their words, and those whose meaning is most like the question's, each
/// in its passage; and sets what follows from it.
fn read(
    question: &Question,
    context: &Context,
    reader: &dyn Reader,
    all: &mut [Measured],
) -> Result<(), ModelError> {
    const LIKELY: usize = 12;
    // With 120, at twice the time, the best sentence answers .317 of everyday questions instead of .303, one of three as many.
    const ALIKE: usize = 64;
    const UNREAD: f32 = -8.0;
    let quotable: Vec<usize> = (0..all.len()).filter(|&at| all[at].features.well_formed > 0.0).collect();
    let best = |most: usize, value: &dyn Fn(&Measured) -> f32| {
        let mut order = quotable.clone();
        order.sort_by(|&a, &b| value(&all[b]).total_cmp(&value(&all[a])));
        order.truncate(most);
        order
    };
    let likely = best(LIKELY, &|measured| measured.probability);
    let alike = best(ALIKE, &|measured| measured.features.cosine);
    let chosen: BTreeSet<usize> = likely.into_iter().chain(alike).collect();
    let (mut passages, mut last): (Vec<ReadPassage>, _) = (Vec::new(), None);
    for &at in &chosen {
        let place = &context.chunks[all[at].chunk];
        if last.replace(all[at].chunk) != Some(all[at].chunk) {
            passages.push(ReadPassage {
                title: place.source.title.clone().unwrap_or_default(),
                sentences: Vec::new(),
            });
        }
        if let Some(passage) = passages.last_mut() {
            passage.sentences.push(all[at].text(context));
        }
    }
    let sentences = passages.iter().flat_map(|passage| &passage.sentences);
    let readings = reader.read(&as_spelt(question, sentences), &passages)?;
    let mut best = UNREAD;
    for Measured { features, .. } in all.iter_mut() {
        (features.reader, features.reader_window) = (UNREAD, UNREAD);
    }
    for (at, reading) in chosen.into_iter().zip(readings.into_iter().flatten()) {
        best = best.max(reading.sentence);
        let features = &mut all[at].features;
        (features.reader, features.reader_window) = (reading.sentence, reading.window);
    }
    for measured in all {
        measured.features.reader_behind = best - measured.features.reader;
    }
    Ok(())
}

/// The question with its symbols in the spelling of the sentences: a reader does not know that `TNFa` is `TNF-α`.
fn as_spelt<'a>(question: &Question, sentences: impl Iterator<Item = &'a String>) -> String {
    let bare = |word: &str| word.trim_matches(|c: char| ".,;:?!()".contains(c)).to_owned();
    let stems = |word: &str| -> String { text::terms(word).into_iter().map(|term| term.stem).collect() };
    let is_symbol = |word: &str| word.contains(|c: char| c.is_ascii_digit() || !c.is_ascii());
    let (mut spelt, mut all) = (BTreeMap::new(), BTreeSet::new());
    for word in sentences.flat_map(|sentence| sentence.split_whitespace()).map(bare) {
        all.insert(word.clone());
        spelt.entry(stems(&word)).or_insert(word);
    }
    // Stop words and marks have no stem.
    spelt.remove("");
    let in_sentences = |word: &str| {
        let asked = bare(word);
        let spellings = question.understood.spellings.iter();
        let also = spellings.filter(|spelling| spelling.word == asked).flat_map(|spelling| &spelling.also);
        let found = [&stems(&asked)].into_iter().chain(also).find_map(|stem| spelt.get(stem));
        match found {
            Some(found) if !all.contains(&asked) && (is_symbol(&asked) || is_symbol(found)) => {
                word.replacen(&asked, found, 1)
            }
            _ => word.to_owned(),
        }
    };
    let mut asked = question.text.clone();
    for span in text::words(&question.text).into_iter().rev() {
        // "TNF alpha" is one word.
        let parted = Some(&question.text[span.clone()]).filter(|word| word.contains(char::is_whitespace));
        if let Some(printed) = parted.and_then(text::as_printed) {
            asked.replace_range(span, &printed);
        }
    }
    let words: Vec<String> = asked.split_whitespace().map(in_sentences).collect();
    words.join(" ")
}

/// The stems of a text in order.
fn sequence(text: &str) -> Vec<String> {
    text::terms(text).into_iter().map(|term| term.stem).collect()
}

fn cosine(place: &ContextChunk, sentence: usize) -> f32 {
    let similarity = place.sentences.similarities.get(sentence).copied();
    finite(similarity.unwrap_or(0.0)).clamp(0.0, 1.0)
}

/// Share of the question's terms that these stems contain, of those that the title does not.
fn of_paper(asked: &AskedTerms, title: &BTreeSet<String>, stems: &BTreeSet<String>) -> f32 {
    let all = asked.share(|term| !term.is_in(title));
    if all <= 0.0 {
        return asked.coverage(stems);
    }
    asked.share(|term| !term.is_in(title) && term.is_in(stems)) / all
}

/// Cosines with the question after the mean vector of the paper's sentences is subtracted from both.
fn centred(question: &[f32], context: &Context, all: &mut [Measured]) {
    let vector = |m: &Measured| {
        let place = &context.chunks[m.chunk];
        let vector = place.sentences.vector(m.sentence);
        vector.filter(|vector| vector.len() == question.len()).map(|vector| (&place.chunk.source_id, vector))
    };
    let mut sums: BTreeMap<&SourceId, (Vec<f32>, f32)> = BTreeMap::new();
    for (id, vector) in all.iter().filter_map(vector) {
        let (sum, count) = sums.entry(id).or_insert_with(|| (vec![0.0; vector.len()], 0.0));
        sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
        *count += 1.0;
    }
    for measured in all.iter_mut() {
        let Some((id, vector)) = vector(measured) else {
            continue;
        };
        let Some((sum, count)) = sums.get(id) else {
            continue;
        };
        let (mut product, mut own, mut asked) = (0.0, 0.0, 0.0);
        for ((x, q), sum) in vector.iter().zip(question).zip(sum) {
            let (x, q) = (x - sum / count, q - sum / count);
            product += x * q;
            own += x * x;
            asked += q * q;
        }
        measured.features.centred = finite(product / (own * asked).sqrt()).clamp(0.0, 1.0);
    }
}

/// What stands beside and above the sentence; `title` are the stems of the title.
fn of_neighbours(
    asked: &AskedTerms,
    place: &ContextChunk,
    sentence: usize,
    title: &BTreeSet<String>,
    out: &mut SentenceFeatures,
) {
    let stems = place.sentence_stems();
    let last = stems.len().saturating_sub(1);
    let (before, after) = (sentence.checked_sub(1), Some(sentence + 1).filter(|at| *at <= last));
    out.cosine = cosine(place, sentence);
    out.cosine_before = before.map_or(0.0, |at| cosine(place, at));
    out.cosine_after = after.map_or(0.0, |at| cosine(place, at));
    let near: Vec<&BTreeSet<String>> =
        [before, Some(sentence), after].into_iter().flatten().map(|at| &stems[at]).collect();
    out.around = asked.share(|term| near.iter().any(|stems| term.is_in(stems)));
    out.position = if last == 0 { 0.0 } else { sentence as f32 / last as f32 };
    let heading = text::stems(&place.chunk.heading);
    let own = &stems[sentence];
    out.heading = asked.share(|term| term.is_in(&heading));
    out.above = asked.share(|term| !term.is_in(own) && (term.is_in(&heading) || term.is_in(title)));
}

/// Coverage by rarity among the sentences of this context: a term of the title of the only paper says little.
fn local(asked: &AskedTerms, context: &Context, all: &mut [Measured]) {
    let stems = |m: &Measured| &context.chunks[m.chunk].sentence_stems()[m.sentence];
    let count = all.len() as f32;
    let weight = |term: &crate::AskedTerm| {
        let holding = all.iter().filter(|m| term.is_in(stems(m))).count() as f32;
        (1.0 + (count - holding + 0.5) / (holding + 0.5)).ln()
    };
    let weights: Vec<f32> = asked.terms.iter().map(weight).collect();
    let total: f32 = weights.iter().sum();
    if total <= 0.0 {
        return;
    }
    for measured in all {
        let own = &context.chunks[measured.chunk].sentence_stems()[measured.sentence];
        let held = asked.terms.iter().zip(&weights).filter(|(term, _)| term.is_in(own));
        measured.features.local_coverage = held.map(|(_, weight)| weight / total).sum();
    }
}

/// The places of all sentences by cosine and by mix.
fn places(all: &mut [Measured]) {
    const LAST: usize = 50;
    let ranks = |value: &dyn Fn(&SentenceFeatures) -> f32| -> Vec<usize> {
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by(|a, b| value(&all[*b].features).total_cmp(&value(&all[*a].features)));
        let mut rank = vec![0; all.len()];
        for (place, at) in order.into_iter().enumerate() {
            rank[at] = place.min(LAST);
        }
        rank
    };
    let (by_cosine, by_mix) = (ranks(&|f| f.cosine), ranks(&|f| f.mix));
    let by_centred = ranks(&|f| f.centred);
    for (at, measured) in all.iter_mut().enumerate() {
        measured.features.cosine_rank = by_cosine[at] as f32;
        measured.features.mix_rank = by_mix[at] as f32;
        measured.features.centred_rank = by_centred[at] as f32;
    }
}

/// How far each sentence is behind the best one.
fn behind(all: &mut [Measured]) {
    let mut best = SentenceFeatures::default();
    for Measured { features, .. } in all.iter_mut() {
        features.mix = 0.5 * (features.cosine + features.coverage);
        best.cosine = best.cosine.max(features.cosine);
        best.coverage = best.coverage.max(features.coverage);
        best.mix = best.mix.max(features.mix);
        best.local_coverage = best.local_coverage.max(features.local_coverage);
        best.centred = best.centred.max(features.centred);
        best.asked_of_paper = best.asked_of_paper.max(features.asked_of_paper);
    }
    for Measured { features, .. } in all {
        features.cosine_behind = best.cosine - features.cosine;
        features.coverage_behind = best.coverage - features.coverage;
        features.mix_behind = best.mix - features.mix;
        features.local_behind = best.local_coverage - features.local_coverage;
        features.centred_behind = best.centred - features.centred;
        features.asked_of_paper_behind = best.asked_of_paper - features.asked_of_paper;
    }
}

/// The papers of a context.
struct Papers<'a> {
    /// Each with its rank, its share of the chunks, and how far its best cosine is behind.
    of: BTreeMap<&'a SourceId, (f32, f32, f32)>,
}

impl<'a> Papers<'a> {
    fn new(context: &'a Context) -> Self {
        let order = distinct(context.chunks.iter().map(|place| &place.chunk.source_id));
        let mut chunks: BTreeMap<&SourceId, (usize, f32)> = BTreeMap::new();
        for place in &context.chunks {
            let id = &place.chunk.source_id;
            let (count, best) = chunks.entry(id).or_default();
            *count += 1;
            let cosines = (0..place.chunk.sentences.len()).map(|at| cosine(place, at));
            *best = cosines.fold(*best, f32::max);
        }
        let best = chunks.values().map(|(_, best)| *best).fold(0.0, f32::max);
        let all = context.chunks.len().max(1) as f32;
        let of = order.iter().enumerate().map(|(rank, id)| {
            let (count, own) = chunks.get(id).copied().unwrap_or_default();
            (*id, (rank as f32, count as f32 / all, best - own))
        });
        Self { of: of.collect() }
    }

    fn set(&self, id: &SourceId, out: &mut SentenceFeatures) {
        let known = self.of.get(id).copied();
        (out.paper_rank, out.paper_share, out.paper_behind) = known.unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_spelt_as_in_the_sentences() {
        let sentences =
            ["H₂O₂ rose with TNF-α.", "Binding of 5\u{2011}HT2A receptors fell.", "– IL1b doubled."]
                .map(str::to_owned);
        for (question, expected) in [
            ("Did TNFa or tnf-alpha rise?", "Did TNF-α or TNF-α rise?"),
            ("Was H2O2 raised?", "Was H₂O₂ raised?"),
            ("Did 5HT2A receptors fall?", "Did 5\u{2011}HT2A receptors fall?"),
            ("What did IL1b and Rising do?", "What did IL1b and Rising do?"),
            // A word without a stem is no other such word, and a part of a word is no word.
            ("Was it in XH2O2 or H2O2?", "Was it in XH2O2 or H₂O₂?"),
            ("Did TNF rise with TNFa?", "Did TNF rise with TNF-α?"),
            ("Did TNF alpha rise in TNF cells?", "Did TNF-α rise in TNF cells?"),
        ] {
            let question = Question { text: question.to_owned(), ..Question::default() };
            assert_eq!(as_spelt(&question, sentences.iter()), expected);
        }
    }
}
