//! Sentences that only announce limitations: "This study has some limitations." What states them stands in the sentences after them.

use crate::{Form, Measured, form};
use std::collections::BTreeMap;
use text::WordList;
use types::{Context, SourceId};

/// How many sentences after an announcement may belong to its list. There may be remarks between them.
const LISTED: u32 = 8;
/// Factor for each further sentence of a list.
const NEXT: f32 = 0.97;
/// Factor for the announcement itself.
const ANNOUNCEMENT: f32 = 0.5;

/// What is announced.
static LISTS: WordList = WordList::new(
    "limitation limitations strengths weaknesses drawbacks shortcomings caveats constraints challenges",
);
/// What an announcement may say besides; stop words, too.
static SAYS: WordList = WordList::new(
    "study studies trial review paper article work research analysis investigation report experiment results findings data
    present current several number main major important potential possible certain following considered noted acknowledged
    mentioned discussed addressed recognized recognised interpreted interpreting interpretation account light taken worth
    methodological however nevertheless despite affected subject acknowledge there need must should could also like point contained contains notable",
);
/// How a further sentence of a list begins.
static FURTHER: WordList = WordList::new(
    "first firstly second secondly third thirdly fourth fourthly fifth finally lastly last also another additionally
    furthermore moreover",
);

/// Ranks the sentences of a list before the sentence that announces it, from which they take the probability.
pub(crate) fn pass_on(context: &Context, all: &mut [Measured]) {
    // A sentence may be in another chunk than the one before it.
    let place = |measured: &Measured| {
        let chunk = &context.chunks[measured.chunk].chunk;
        (&chunk.source_id, chunk.sentences[measured.sentence].number)
    };
    let places: BTreeMap<(&SourceId, u32), usize> =
        all.iter().enumerate().map(|(at, measured)| (place(measured), at)).collect();
    for at in 0..all.len() {
        if !announces_list(&all[at].text(context)) {
            continue;
        }
        let (source, number) = place(&all[at]);
        let section = |measured: &Measured| {
            let chunk = &context.chunks[measured.chunk].chunk;
            (chunk.section, &chunk.heading)
        };
        let mut probability = all[at].probability;
        // The list may be elsewhere; this alone states nothing.
        all[at].probability *= ANNOUNCEMENT;
        for next in 1..=LISTED {
            let Some(&listed) = places.get(&(source, number + next)) else {
                break;
            };
            if section(&all[listed]) != section(&all[at]) {
                break;
            }
            let text = all[listed].text(context);
            if !matches!(form(&text), Form::Usable(_)) || next > 1 && !goes_on(&text) {
                continue;
            }
            probability *= NEXT;
            all[listed].probability = all[listed].probability.max(probability);
            all[at].probability = all[at].probability.min(ANNOUNCEMENT * probability);
        }
    }
}

/// Whether a sentence only says that there is a list. "These limitations" were listed before.
fn announces_list(sentence: &str) -> bool {
    let words = text::folded_words(sentence);
    let says_no_more =
        |word: &String| LISTS.contains(word) || SAYS.contains(word) || text::is_stop_word(word);
    let points_back = words.iter().any(|word| word == "these" || word == "those");
    let last = words.iter().rfind(|word| LISTS.contains(word));
    last.is_some_and(|word| word != "strengths") && !points_back && words.iter().all(says_no_more)
}

fn goes_on(sentence: &str) -> bool {
    let words = text::folded_words(sentence);
    match words.as_slice() {
        [first, second, ..] => FURTHER.contains(first) || (first == "in" && second == "addition"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_announcement_says_nothing_else() {
        for sentence in [
            "This study has some limitations.",
            "Several limitations should be considered when interpreting our results.",
            "There are a number of strengths and limitations of this review.",
            "However, our study is not without limitations.",
        ] {
            assert!(announces_list(sentence), "{sentence}");
        }
        for sentence in [
            "The limitations of this study include the small sample size.",
            "This study has a small sample.",
            "Limitations were the short duration and missing data on energy intake.",
            "Our results should be interpreted in light of these limitations.",
            "Despite several limitations, our study has important strengths.",
        ] {
            assert!(!announces_list(sentence), "{sentence}");
        }
        assert!(goes_on("Secondly, energy intake was not measured."));
        assert!(goes_on("In addition, it was short."));
        assert!(!goes_on("In conclusion, it works."));
    }
}
