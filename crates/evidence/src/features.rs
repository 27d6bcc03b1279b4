//! Features of a sentence for a question.

use crate::{AskedTerms, Form, form, form::announces_folded};
use std::collections::{BTreeMap, BTreeSet};
use text::WordList;
use text::{fold::fold, numbers::quantities};
use types::{Context, ContextChunk, Origin, Question, SectionKind, SourceId};

crate::trees::features! {
    /// The features of a sentence. Shares and similarities are in `0..=1`, flags are 0 or 1, "behind" means how far
    /// below the best sentence of the context.
    SentenceFeatures, FEATURES:
    /// Cosine with the question, at least 0.
    cosine,
    /// How far the cosine is behind.
    cosine_behind,
    /// Share of the question's terms that the sentence contains, weighted by rarity.
    coverage,
    /// How far the coverage is behind.
    coverage_behind,
    /// Half the sum of cosine and coverage, and how far that is behind.
    mix,
    /// How far the mix is behind.
    mix_behind,
    /// Share of the question's terms that it contains, weighted by their rarity among the sentences of the context.
    local_coverage,
    /// How far that is behind.
    local_behind,
    /// Its place by cosine among the sentences of the context, from 0, at most 50.
    cosine_rank,
    /// Its place by mix, from 0, at most 50.
    mix_rank,
    /// Share of the question's terms in the longest run of content words that question and sentence share.
    run,
    /// Share of the question's terms that stand in the title or heading above the sentence, but not in it.
    above,
    /// Share of the question's terms that stand in the heading alone.
    heading,
    /// Share of the question's terms in the sentence and the two beside it.
    around,
    /// Cosine of the sentence before it.
    cosine_before,
    /// Cosine of the sentence after it.
    cosine_after,
    /// Share of the question's pairs of neighbouring terms that are neighbours in the sentence too.
    pairs,
    /// Whether it contains the rarest term of the question.
    rarest,
    /// How many terms of the question it contains.
    matched,
    /// Share of the question's symbols and names that it contains; 1 if there are none.
    entities,
    /// Share of its content words that are not in the question.
    new_words,
    /// Its length in words.
    words,
    /// Terms of the question.
    question_terms,
    /// The reranker's score of its chunk, 0 to 1; 0 for a neighbour.
    rerank,
    /// The place of its chunk in the context, from 0.
    chunk_rank,
    /// Whether its chunk is a neighbour of one that was found.
    expanded,
    /// Place of its paper among those of the context, from 0.
    paper_rank,
    /// Share of the context's chunks that are from its paper.
    paper_share,
    /// How far the best cosine of its paper is behind.
    paper_behind,
    /// Whether the question names its paper.
    named_paper,
    /// Whether it is in the section that the question names; 0.5 if it names none.
    named_section,
    /// Whether it is in the abstract.
    in_abstract,
    /// Whether it is in the introduction or background.
    in_introduction,
    /// Whether it is in the methods.
    in_methods,
    /// Whether it is in the results.
    in_results,
    /// Whether it is in the discussion or conclusion.
    in_discussion,
    /// Its place in the chunk, 0 to 1.
    position,
    /// Whether it is the row of a table.
    table_row,
    /// How well formed it is: 1, less for a fragment or a sentence that points back, 0 for what is never quoted.
    well_formed,
    /// Whether it announces an aim or a gap instead of reporting something.
    announces,
    /// How many quantities it contains, at most 6.
    quantities,
    /// Whether it reports a test: a p value, an interval, "significant".
    tested,
    /// Whether it compares: "higher than", "reduced", "compared with".
    compares,
    /// Whether it gives a cause: "because", "due to", "leads to".
    causes,
    /// Whether it defines: "is a", "defined as", "refers to".
    defines,
    /// Whether it contains a percentage.
    percent,
    /// Whether it contains a year or the name of a month.
    dated,
    /// Whether it contains a name, apart from its first word.
    names,
    /// Whether the question asks for a number.
    asks_number,
    /// Whether it asks for a share, rate or frequency.
    asks_share,
    /// Whether it asks for an aim.
    asks_aim,
    /// Whether it asks "why", or for a cause.
    asks_cause,
    /// Whether it asks "when".
    asks_time,
    /// Whether it asks "who" or "where".
    asks_name,
    /// Whether it asks what something is, in at most three terms.
    asks_definition,
    /// Whether it can be answered by yes or no.
    asks_yes_no,
    /// Whether it asks for a difference or an effect.
    asks_effect,
    /// Share of the question's terms in the label of the row and the line that names its group; 0 if it is no row.
    row_label,
    /// The largest share of the question's terms that the header of one of its columns adds to that.
    column_label,
    /// Share of the question's terms that the sentence contains, of those that the title of its paper does not: what is asked
    /// about the subject of the paper. `coverage` if the title contains all of them.
    asked_of_paper,
    /// How far that is behind.
    asked_of_paper_behind,
    /// Cosine of question and sentence after the mean vector of the paper's sentences is subtracted from both, at least 0.
    centred,
    /// How far that is behind.
    centred_behind,
    /// Its place by that among the sentences of the context, from 0, at most 50.
    centred_rank,
    /// Whether it contains a number of what the question counts: "27 hours" for "how many hours".
    counted,
    /// Whether it announces an aim or a gap that the question does not ask for.
    announces_unasked,
    /// What the reader says of it: a logit; -8 for what it did not read, 0 without a reader.
    reader,
    /// How far that is behind the best one.
    reader_behind,
    /// What the reader says of the sentences that it read together with this one, as above.
    reader_window,
}

static PERCENT: WordList = WordList::new("%; percent; per cent");
static TESTED: WordList =
    WordList::new("p <; p<; p =; p=; p >; p>; 95%; 95 %; confidence interval; significan");
static COMPARES: WordList =
    WordList::new("compared versus higher lower increas decreas reduc improv differ similar greater fewer");
static CAUSES: WordList = WordList::new(
    "because; due to; caused; causes; leads to; led to; result in; results in; resulted in; result of; owing to;
    thus; therefore; attributed",
);
static DEFINES: WordList = WordList::new("defined as; refers to; known as; called");

/// What the sentence says by itself, whatever stands around it.
pub(crate) fn of_text(text: &str, out: &mut SentenceFeatures) {
    let folded = fold(text);
    let folded = folded.text();
    out.words = text::word_count(text) as f32;
    (out.well_formed, out.table_row) = match form(text) {
        Form::Usable(factor) => (factor, 0.0),
        Form::TableRow => (1.0, 1.0),
        Form::Title | Form::Unfit => (0.0, 0.0),
    };
    out.announces = flag(announces_folded(folded));
    out.quantities = quantities(text).len().min(6) as f32;
    out.percent = flag(PERCENT.occurs_in(folded));
    out.tested = flag(TESTED.occurs_in(folded));
    let compares =
        COMPARES.occurs_in(folded) || [" than ", " vs", "more ", "less "].iter().any(|p| folded.contains(p));
    out.compares = flag(compares);
    out.causes = flag(CAUSES.occurs_in(folded));
    let is = [" is a ", " is an ", " are a ", "is the "];
    out.defines = flag(DEFINES.occurs_in(folded) || is.iter().any(|phrase| folded.contains(phrase)));
    out.dated = flag(dated(folded));
    out.names = flag(text.split_whitespace().skip(1).any(|word| word.starts_with(char::is_uppercase)));
}

/// What the place of the sentence says: its chunk and its section.
pub(crate) fn of_place(asked: &AskedTerms, place: &ContextChunk, out: &mut SentenceFeatures) {
    let section = place.chunk.section;
    out.in_abstract = flag(section == SectionKind::Abstract);
    out.in_introduction = flag(matches!(section, SectionKind::Introduction | SectionKind::Background));
    out.in_methods = flag(section == SectionKind::Methods);
    out.in_results = flag(section == SectionKind::Results);
    out.in_discussion = flag(matches!(section, SectionKind::Discussion | SectionKind::Conclusion));
    out.named_section = asked.section.map_or(0.5, |asked| flag(asked == section));
    out.named_paper = flag(asked.named.contains(&place.chunk.source_id));
    out.rerank = finite(place.rerank_score.unwrap_or(0.0) / 10.0);
    out.expanded = flag(place.origin == types::Origin::Expanded);
}

/// What the stems of the sentence share with the question. `sequence` are its stems in order.
pub(crate) fn of_terms(
    question: &Question,
    asked: &AskedTerms,
    stems: &BTreeSet<String>,
    sequence: &[String],
    out: &mut SentenceFeatures,
) {
    out.coverage = asked.coverage(stems);
    out.matched = asked.terms.iter().filter(|term| term.is_in(stems)).count() as f32;
    let rarest = asked.terms.iter().max_by(|a, b| a.weight.total_cmp(&b.weight));
    out.rarest = flag(rarest.is_some_and(|term| term.is_in(stems)));
    out.question_terms = asked.terms.len() as f32;
    out.pairs = pairs(asked, sequence);
    out.run = run(asked, sequence);
    let held = |entity: &&types::QuestionEntity| entity.stems.iter().all(|stem| stems.contains(stem));
    let entities = question.entities.len();
    out.entities = match entities {
        0 => 1.0,
        all => question.entities.iter().filter(held).count() as f32 / all as f32,
    };
    let of_question = |stem: &&String| asked.terms.iter().any(|term| term.stems.contains(stem));
    let known = stems.iter().filter(of_question).count();
    out.new_words = match stems.len() {
        0 => 0.0,
        all => (all - known) as f32 / all as f32,
    };
}

/// Length of the longest run of content words that stand in the same order in question and sentence, as a share of the
/// question's terms.
fn run(asked: &AskedTerms, sequence: &[String]) -> f32 {
    // The longest common substring of two short lists, row by row.
    let mut best = 0;
    let mut above = vec![0_usize; sequence.len() + 1];
    for term in &asked.terms {
        let mut row = vec![0; sequence.len() + 1];
        for (at, stem) in sequence.iter().enumerate() {
            if term.stems.contains(stem) {
                row[at + 1] = above[at] + 1;
                best = best.max(row[at + 1]);
            }
        }
        above = row;
    }
    best as f32 / asked.terms.len().max(1) as f32
}

/// Share of the pairs of neighbouring terms of the question that stand within two words of each other in the sentence.
fn pairs(asked: &AskedTerms, sequence: &[String]) -> f32 {
    const NEAR: usize = 2;
    let mut wanted = asked.terms.windows(2).peekable();
    if wanted.peek().is_none() {
        return 0.0;
    }
    let places = |stems: &[String]| -> Vec<usize> {
        let at = sequence.iter().enumerate();
        at.filter(|(_, stem)| stems.contains(stem)).map(|(at, _)| at).collect()
    };
    let all = asked.terms.len() - 1;
    let near = wanted
        .filter(|pair| {
            let second = places(&pair[1].stems);
            places(&pair[0].stems).iter().any(|a| second.iter().any(|b| a.abs_diff(*b) <= NEAR))
        })
        .count();
    near as f32 / all as f32
}

static SHARE: WordList =
    WordList::new("percent percentage proportion rate rates share fraction prevalence incidence");
static CAUSE: WordList = WordList::new("why cause causes caused reason reasons");
static TIME: WordList = WordList::new("when year date");
static NAME: WordList = WordList::new("who whom where country countries");
static YES_NO: WordList = WordList::new("is are was were do does did can could has have had");
static EFFECT: WordList = WordList::new(
    "effect effects affect affects affected compared different difference change changed increase decrease reduce
    improve higher lower impact influence versus",
);

/// What the question asks for, as flags for every sentence.
#[expect(clippy::struct_excessive_bools, reason = "each is a feature of its own")]
pub(crate) struct Wanted {
    share: bool,
    cause: bool,
    time: bool,
    name: bool,
    definition: bool,
    yes_no: bool,
    effect: bool,
    /// Stems of what it counts.
    counted: Vec<String>,
}

/// Units of a length of time.
static TIMES: WordList = WordList::new("second minute hour day week month year");
/// Most words between a number and what it counts.
const COUNTED_WITHIN: usize = 3;

impl Wanted {
    pub(crate) fn new(question: &Question, asked: &AskedTerms) -> Self {
        let words: Vec<&str> = question.words.iter().map(|word| word.folded.as_str()).collect();
        let first = words.first().copied().unwrap_or_default();
        let has = |list: &WordList| words.iter().any(|word| list.contains(word));
        let definition = first == "what" && matches!(words.get(1), Some(&("is" | "are")));
        Self {
            share: has(&SHARE),
            cause: has(&CAUSE),
            time: has(&TIME),
            name: has(&NAME),
            definition: definition && asked.terms.len() <= 3,
            yes_no: YES_NO.contains(first),
            effect: has(&EFFECT),
            counted: counted(&words),
        }
    }

    /// Whether a sentence has a number of what the question counts.
    pub(crate) fn counts(&self, sentence: &str) -> bool {
        if self.counted.is_empty() {
            return false;
        }
        let words: Vec<String> = text::folded_words(sentence);
        let number = |word: &String| word.bytes().any(|b| b.is_ascii_digit());
        words.iter().enumerate().any(|(at, word)| {
            let next = words.iter().skip(at + 1).take(COUNTED_WITHIN);
            number(word) && next.map(|word| text::stem(word)).any(|stem| self.counted.contains(&stem))
        })
    }

    pub(crate) fn set(&self, asked: &AskedTerms, out: &mut SentenceFeatures) {
        out.asks_number = flag(asked.number);
        out.asks_share = flag(self.share);
        out.asks_aim = flag(asked.aim);
        out.asks_cause = flag(self.cause);
        out.asks_time = flag(self.time);
        out.asks_name = flag(self.name);
        out.asks_definition = flag(self.definition);
        out.asks_yes_no = flag(self.yes_no);
        out.asks_effect = flag(self.effect);
    }
}

/// Stems of what follows "how many", at most two; the units of time for "how long" and "how old".
fn counted(words: &[&str]) -> Vec<String> {
    let times = || TIMES.iter().map(text::stem).collect();
    for (at, pair) in words.windows(2).enumerate() {
        match pair {
            ["how", "many"] => {
                let next = words.iter().skip(at + 2).take(2);
                return next.filter(|word| !text::is_stop_word(word)).map(|word| text::stem(word)).collect();
            }
            ["how", "long" | "old"] => return times(),
            _ => {}
        }
    }
    Vec::new()
}

/// A year from 1800 to 2099, or the name of a month.
fn dated(folded: &str) -> bool {
    static MONTHS: WordList =
        WordList::new("january february april june july august september october november december");
    folded.split(|c: char| !c.is_alphanumeric()).any(|word| {
        let year = word.len() == 4
            && word.bytes().all(|b| b.is_ascii_digit())
            && (word.starts_with("18") || word.starts_with("19") || word.starts_with("20"));
        year || MONTHS.contains(word)
    })
}

pub(crate) fn flag(value: bool) -> f32 {
    f32::from(u8::from(value))
}

/// A score that is not a number counts as 0.
pub(crate) fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}
/// The places of all sentences, in the order of the context.
pub(crate) fn once(context: &Context) -> Vec<(usize, usize)> {
    let mut place_of: BTreeMap<(&SourceId, u32), (usize, usize)> = BTreeMap::new();
    for (at, place) in context.chunks.iter().enumerate() {
        let stems = place.sentence_stems().len();
        for (index, sentence) in place.chunk.sentences.iter().enumerate().take(stems) {
            let key = (&place.chunk.source_id, sentence.number);
            let found = |chunk: usize| context.chunks[chunk].origin == Origin::Reranked;
            match place_of.get(&key) {
                Some((old, _)) if found(*old) || !found(at) => {}
                _ => {
                    place_of.insert(key, (at, index));
                }
            }
        }
    }
    let mut places: Vec<(usize, usize)> = place_of.into_values().collect();
    places.sort_unstable();
    places
}
