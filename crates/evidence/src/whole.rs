//! Questions about a paper as a whole: "What did Barry et al. conclude?" has no topic that a sentence could match.

use crate::Asked;
use types::{Context, RankedSentence, SectionKind};

/// The probability that is stated for such an answer: nothing was measured, so it is a partial one.
pub(crate) const PROBABILITY: f32 = 0.3;

/// Whether the question names a paper of the context and has no topic, and the context has a section that answers it. Its
/// verb is no term any more: `question::part_asked_for` has made a section of it.
pub(crate) fn is_whole(asked: &Asked, context: &Context) -> bool {
    let wanted = wanted(asked);
    let says = |place: &types::ContextChunk| {
        asked.named.contains(&place.chunk.source_id) && wanted.contains(&place.chunk.section)
    };
    asked.terms.is_empty() && context.chunks.iter().any(says)
}

/// Orders the sentences of the named papers by where authors sum up: the conclusion, the end of the abstract, the
/// discussion. Other sentences come last. Probabilities fall from 0.5, because nothing was measured.
pub(crate) fn order(sentences: &mut [RankedSentence], asked: &Asked, context: &Context) {
    let wanted = wanted(asked);
    let place = |ranked: &RankedSentence| {
        let chunk = &context.chunks[ranked.chunk].chunk;
        let named = asked.named.contains(&chunk.source_id);
        let section = wanted.iter().position(|section| *section == chunk.section);
        // The last sentences of an abstract sum up.
        let from_end = chunk.sentences.len() - ranked.sentence;
        (!named, section.unwrap_or(wanted.len()), from_end, ranked.chunk)
    };
    sentences.sort_by_key(place);
    for (at, ranked) in sentences.iter_mut().enumerate() {
        ranked.probability = 0.5 / (1 + at) as f32;
    }
}

/// The sections in which to look, the best first: the one that the question asks for, then those that sum up.
fn wanted(asked: &Asked) -> Vec<SectionKind> {
    let sums_up = [
        SectionKind::Conclusion,
        SectionKind::Abstract,
        SectionKind::Discussion,
    ];
    let others = sums_up
        .into_iter()
        .filter(|section| Some(*section) != asked.section);
    asked.section.into_iter().chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_that_is_asked_for_comes_first() {
        use SectionKind::{Abstract, Conclusion, Discussion, Results};
        let asked = |section| Asked {
            section,
            ..Asked::default()
        };
        assert_eq!(wanted(&asked(None)), [Conclusion, Abstract, Discussion]);
        assert_eq!(
            wanted(&asked(Some(Results))),
            [Results, Conclusion, Abstract, Discussion]
        );
        assert_eq!(wanted(&asked(Some(Abstract))), [Abstract, Conclusion, Discussion]);
    }
}
