//! Words that reverse a claim: the passage has the opposite of a word of the claim in its place.

use super::piece::{Piece, Term};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use text::WordList;
use types::words::distinct;

/// Pairs of opposites. Exchanging them reverses a statement.
static PAIRS: WordList = WordList::new(
    "high/low higher/lower highest/lowest early/late earlier/later short/long shorter/longer small/large
    smaller/larger minimum/maximum minimal/maximal positive/negative increase/decrease increased/reduced
    raised/lowered above/below more/less positively/negatively gain/loss gain/lose rise/fall
    activate/inhibit activation/inhibition promote/inhibit promote/suppress enhance/impair enhance/reduce
    improve/worsen upregulate/downregulate agonist/antagonist presence/absence present/absent men/women
    male/female young/old younger/older child/adult common/rare sensitive/resistant acute/chronic
    benign/malignant upper/lower left/right first/last win/lose won/lost major/minor safe/dangerous
    safe/harmful better/worse best/worst similar/different simple/complex easy/difficult allow/prevent
    accept/reject success/failure succeed/fail internal/external rich/poor good/poor hot/cold strong/weak
    stronger/weaker fast/slow faster/slower begin/end begin/cease open/close single/multiple global/local
    beneficial/harmful benefit/harm protective/harmful birth/death alive/dead survive/die north/south
    east/west deny/confirm public/private true/false active/inactive possible/impossible
    sufficient/insufficient direct/indirect complete/incomplete dependent/independent effective/ineffective
    mature/immature accurate/inaccurate consistent/inconsistent visible/invisible tolerant/intolerant
    soluble/insoluble appropriate/inappropriate adequate/inadequate stable/instable activate/inactivate
    activate/deactivate agree/disagree similar/dissimilar appear/disappear advantage/disadvantage
    normal/abnormal inflammatory/antiinflammatory",
);

/// The opposites of each stem.
static OPPOSITES: LazyLock<BTreeMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut map: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (a, b) in PAIRS.pairs() {
        let (a, b) = (text::stem(a), text::stem(b));
        map.entry(a.clone()).or_default().push(b.clone());
        map.entry(b).or_default().push(a);
    }
    map
});

/// Whether two stems are listed as opposites.
pub(crate) fn are_opposites(a: &str, b: &str) -> bool {
    OPPOSITES.get(a).is_some_and(|of| of.iter().any(|stem| stem == b))
}

/// Prefixes that deny what they stand before. Others ("in", "dis", "anti") also begin words of their own ("inform", "antibody"):
/// pairs with them are listed above.
static NEGATING: WordList = WordList::new("un non ir il");

/// Returns the words of the claim that the window lacks and replaces with an opposite that the claim lacks; as printed,
/// each once.
pub(crate) fn exchanged(claim: &Piece, near: &[f32], window: &[Piece]) -> Vec<String> {
    let held: BTreeSet<&str> = window.iter().flat_map(|s| &s.terms).map(|t| t.stem.as_str()).collect();
    let said: BTreeSet<&str> = claim.terms.iter().map(|t| t.stem.as_str()).collect();
    let turned = |term: &Term| {
        let by_list = OPPOSITES.get(&term.stem).into_iter().flatten();
        let by_list = by_list.map(String::as_str).any(|o| held.contains(o) && !said.contains(o));
        let long = |stem: &str| stem.len() >= 4;
        let by_prefix = || {
            NEGATING.iter().any(|prefix| {
                let bare = term.stem.strip_prefix(prefix).filter(|bare| long(bare));
                let bare = bare.is_some_and(|bare| held.contains(bare) && !said.contains(bare));
                let with = format!("{prefix}{}", term.stem);
                bare || (long(&term.stem) && held.contains(with.as_str()) && !said.contains(with.as_str()))
            })
        };
        by_list || by_prefix()
    };
    let absent = claim.terms.iter().zip(near).filter(|(_, credit)| **credit < 1.0);
    distinct(absent.filter(|(term, _)| turned(term)).map(|(term, _)| term.printed.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opposite_in_the_place_of_a_word() {
        let check = |claim: &str, passage: &str, want: &[&str]| {
            let claim = Piece::new(claim, 0..claim.len());
            let held = [Piece::new(passage, 0..passage.len())];
            let near = super::super::words::compare(&claim, &held).near;
            assert_eq!(exchanged(&claim, &near, &held), want);
        };
        check("High doses were safe.", "Low doses were safe.", &["High"]);
        check("The growth was independent.", "The growth was dependent.", &["independent"]);
        check("High doses were safe.", "High and low doses were safe.", &[]);
        check("Mice ran.", "Mice ran.", &[]);
    }
}
