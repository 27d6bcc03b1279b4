//! Finds changes of meaning in claims that nearly copy a passage: a word replaced by its opposite, two words that changed places, a
//! denial added or removed, or a hedge dropped.
//!
//! Claim and passage are aligned word by word. In a loose paraphrase, the same differences can be correct: they are ignored.

use super::{cues, opposites};
use std::ops::Range;
use text::WordList;

/// Share of the claim's words, without its opening, that a near copy has in common with the passage, in order.
const COPIED: f32 = 0.7;

/// Minimum number of shared words in a near copy; lower for claims that are shorter.
const LEAST: usize = 3;

/// Maximum number of words, on either side, of a gap between shared words that counts as an edit.
const SHORT: usize = 3;

/// Maximum number of words of the gap before the first shared word: "There was no evidence that".
const OPENING: usize = 8;

/// Number of words of a claim or a passage beyond which they are not aligned: the time is proportional to their product.
const LONGEST: usize = 400;

/// Words that join what can change places.
static JOINING: WordList = WordList::new("and or with");
/// Beginnings of words for a relation whose sides can change places.
static MUTUAL: WordList =
    WordList::new("associat correlat related relation interact differ similar equal comparab");

/// Beginnings of verbs that deny what follows.
static PREVENTING: WordList = WordList::new("prevent avoid avert stop keep refrain exclud");

/// The changes of a claim that otherwise repeats the passage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edits {
    /// A word is in the place of its opposite, or a denial was added or removed.
    pub(crate) turned: bool,
    /// Two words are in each other's place: "mice more than rats" for "rats more than mice".
    pub(crate) swapped: bool,
    /// A hedge was removed or replaced.
    pub(crate) hedge_dropped: bool,
}

impl Edits {
    /// Compares a claim with `held`, the best sentences of the passage.
    pub(crate) fn new(claim: &str, held: &str) -> Self {
        let (said, found) = (Word::all(claim), Word::all(held));
        if said.is_empty() || said.len() > LONGEST || found.len() > LONGEST {
            return Self::default();
        }
        let pairs = aligned(&said, &found);
        let opening = pairs.first().map_or(0, |first| first.0);
        let opening = if opening <= OPENING.min(pairs.len()) { opening } else { 0 };
        let body = said.len() - opening;
        if pairs.len() < LEAST.min(said.len()) || (pairs.len() as f32) < COPIED * body as f32 {
            return Self::default();
        }
        let gaps = gaps(&pairs, &said, &found);
        let own = gaps.iter().flat_map(|(ours, _)| &said[ours.clone()]);
        let moved: Vec<&str> = own.filter(|w| w.hedges).map(|w| w.stem.as_str()).collect();
        let swaps = swaps(&gaps, &said, &found);
        let mut edits = Self::default();
        let mut denied = (false, false);
        let mut opposites = 0;
        for (at, (ours, theirs)) in gaps.into_iter().enumerate() {
            let short = if at == 0 { OPENING } else { SHORT };
            let (ours, theirs) = (&said[ours], &found[theirs]);
            // A hedge that was moved is still there.
            let dropped = |w: &Word| w.hedges && !moved.contains(&w.stem.as_str());
            edits.hedge_dropped |= theirs.iter().any(dropped) && !ours.iter().any(|w| w.hedges);
            if ours.len() <= short && theirs.len() <= short {
                let opposite = ours.iter().any(|a| theirs.iter().any(|b| a.is_opposite(b)));
                opposites += usize::from(opposite && !swaps.as_flattened().contains(&at));
                // "Memory, but not naive cells" denies nothing of memory cells.
                let denies = |gap: &[Word]| {
                    gap.iter().any(|w| w.denies) && (at == 0 || gap.iter().all(|w| w.denies || !w.is_content))
                };
                denied.0 |= denies(ours);
                denied.1 |= denies(theirs);
            }
        }
        // "Not" may be in another place, and "so that it does not fall" is "to prevent it from falling".
        let prevents = said.iter().chain(&found).any(|w| w.prevents);
        // "A is higher than B" is "B is lower than A", and of two swaps one can undo the other.
        edits.swapped = swaps.len() % 2 == 1;
        if edits.swapped && opposites == 1 {
            edits.swapped = false;
            opposites = 0;
        }
        edits.turned = opposites > 0 || (denied.0 != denied.1 && !prevents);
        edits
    }
}

/// A word and what it can do to a statement.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a cue of its own")]
struct Word {
    stem: String,
    lower: String,
    /// It is a denial. The "not" of "due to diet, not exercise" does not count: it does not deny "diet".
    denies: bool,
    /// It denies what follows without a "not": "prevent", "avoid".
    prevents: bool,
    /// Not a function word.
    is_content: bool,
    hedges: bool,
    /// A sign or a conjunction before the word begins a clause.
    begins_clause: bool,
}

impl Word {
    fn all(text: &str) -> Vec<Self> {
        let mut end = 0;
        let mut begins = true;
        let mut out = Vec::new();
        for span in text::words(text) {
            let lower = text[span.clone()].to_lowercase();
            let between = &text[end..span.start];
            let contrasts = lower == "not" && between.contains(',');
            begins |= between.contains([',', ';', ':', '.', '(', ')']);
            end = span.end;
            let joins = ["and", "but", "while", "whereas", "although", "that"].contains(&lower.as_str());
            out.push(Self {
                stem: text::stem(&lower),
                denies: (cues::denies(&lower) || text::is_negation(&lower)) && !contrasts,
                prevents: PREVENTING.begins(&lower),
                is_content: !text::is_stop_word(&lower),
                hedges: cues::hedges(&lower),
                begins_clause: begins,
                lower,
            });
            begins = joins;
        }
        out
    }

    fn is_opposite(&self, other: &Self) -> bool {
        let directions = (cues::direction(&self.lower), cues::direction(&other.lower));
        matches!(directions, (Some(a), Some(b)) if a != b)
            || opposites::are_opposites(&self.stem, &other.stem)
    }
}

/// Returns pairs of short gaps, by index, with a content word of each in the place of the other; none where the words are items of a
/// list or sides of a mutual relation, or where one text is in the passive voice.
fn swaps(gaps: &[(Range<usize>, Range<usize>)], said: &[Word], found: &[Word]) -> Vec<[usize; 2]> {
    let has = |gap: &[Word], stem: &str| gap.iter().any(|w| w.stem == stem);
    let moved = |from: &[Word], to: &[Word]| from.iter().any(|w| w.is_content && has(to, &w.stem));
    let in_order = said.iter().any(|w| w.lower == "respectively");
    let is_swap = |first: usize, second: usize| {
        let (a, b) = (&said[gaps[first].0.clone()], &found[gaps[first].1.clone()]);
        let (c, d) = (&said[gaps[second].0.clone()], &found[gaps[second].1.clone()]);
        if !moved(a, d) || !moved(b, c) {
            return false;
        }
        let between = &said[gaps[first].0.end..gaps[second].0.start];
        let joins = |w: &Word| JOINING.contains(&w.lower) || w.begins_clause;
        let is_list =
            between.iter().any(joins) && between.iter().all(|w| joins(w) || !w.is_content) && !in_order;
        let is_mutual = between.iter().any(|w| w.lower == "as" || MUTUAL.begins(&w.lower));
        let is_passive = (has(a, "by") || has(c, "by")) != (has(b, "by") || has(d, "by"));
        !is_list && !is_mutual && !is_passive
    };
    let is_short = |gap: &Range<usize>| (1..=SHORT).contains(&gap.len());
    let mut short: Vec<usize> =
        (0..gaps.len()).filter(|at| is_short(&gaps[*at].0) && is_short(&gaps[*at].1)).collect();
    short.sort_by_key(|at| gaps[*at].0.start);
    let mut out = Vec::new();
    for (at, first) in short.iter().enumerate() {
        let second = short[at + 1..].iter().filter(|second| is_swap(*first, **second));
        out.extend(second.map(|second| [*first, *second]));
    }
    out
}

/// Returns the longest common subsequence of stems, as pairs of places. Among ties, it is the one with most function words, so that
/// words swapped around "than" both count as moved. A word scores 100 and a function word 101: for `LONGEST` words that fits.
fn aligned(said: &[Word], found: &[Word]) -> Vec<(usize, usize)> {
    let width = found.len() + 1;
    let mut scores = vec![0u16; (said.len() + 1) * width];
    for (i, a) in said.iter().enumerate().rev() {
        for (j, b) in found.iter().enumerate().rev() {
            scores[i * width + j] = if a.stem == b.stem {
                scores[(i + 1) * width + j + 1] + 100 + u16::from(!a.is_content)
            } else {
                scores[(i + 1) * width + j].max(scores[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut pairs = Vec::new();
    while i < said.len() && j < found.len() {
        if said[i].stem == found[j].stem {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if scores[(i + 1) * width + j] >= scores[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// Returns the gaps in claim and passage: before the first aligned word, after the last, and between the others. The first two
/// stop where the clause of the passage begins or ends.
fn gaps(pairs: &[(usize, usize)], said: &[Word], found: &[Word]) -> Vec<(Range<usize>, Range<usize>)> {
    let (Some(first), Some(last)) = (pairs.first(), pairs.last()) else {
        return Vec::new();
    };
    let begin = (0..=first.1).rev().find(|at| found[*at].begins_clause);
    let end = (last.1 + 1..found.len()).find(|at| found[*at].begins_clause);
    let mut out = vec![
        (0..first.0, begin.unwrap_or(0)..first.1),
        (last.0 + 1..said.len(), last.1 + 1..end.unwrap_or(found.len())),
    ];
    out.extend(pairs.windows(2).map(|pair| (pair[0].0 + 1..pair[1].0, pair[0].1 + 1..pair[1].1)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_copy_with_one_change() {
        let same = Edits::default();
        let (mut turned, mut hedge) = (same, same);
        (turned.turned, hedge.hedge_dropped) = (true, true);
        let check = |claim: &str, held: &str, want: Edits| {
            assert_eq!(Edits::new(claim, held), want, "{claim:?} {held:?}");
        };
        let held = "Here, walking may have increased bone mass in adults, but weight did not change.";
        check("Walking may have increased bone mass in adults.", held, same);
        check("Walking may have decreased bone mass in adults.", held, turned);
        check("Walking may not have increased bone mass.", held, turned);
        check("Walking has increased bone mass in adults.", held, hedge);
        check("Weight did change.", held, turned);
        check("Weight did not change.", held, same);
        let held = "Rats did gain less fat than mice in the end.";
        check("Mice did gain more fat than rats in the end.", held, same);
        check("Mice did not gain more fat than rats in the end.", held, turned);
        let held = "In this trial, weight did not change.";
        check("There was no evidence that weight did change.", held, same);
        check(
            "There was no evidence that brisk walking lowers body weight in adults.",
            "Brisk walking lowers body weight in adults.",
            turned,
        );
        check("Walking helps adults.", "These results suggest that walking helps adults.", same);
        check("Walking lowers weight.", "It may be that rest raises weight in old mice.", same);
        let twice = "These results suggest that walking may help adults.";
        check("These results suggest that walking helps adults.", twice, hedge);
        check("Walking may help adults, these results suggest.", twice, same);
        check(
            "The response of memory cells enhances production.",
            "The response of memory, but not naive, cells enhances production.",
            same,
        );
        check("If you are unable to delete the file, log in.", "If you can't delete the file, log in.", same);
        check(
            "Move the plastic hawk to prevent the birds from getting used to it.",
            "Move the plastic hawk so that the birds don't get used to it.",
            same,
        );
        check(
            "Weight loss is due to diet, not exercise in the morning.",
            "Weight loss is due to diet and exercise in the morning.",
            same,
        );
        let both = "Walking may help adults, and it may help children.";
        check("Walking may help adults, and it helps children.", both, hedge);
        check("", held, same);
    }

    #[test]
    fn words_that_changed_places() {
        let check = |claim: &str, held: &str, want: bool| {
            assert_eq!(Edits::new(claim, held).swapped, want, "{claim:?} {held:?}");
        };
        let held = "In winter, mice ran more often than rats did.";
        check("Rats ran more often than mice did.", held, true);
        check("Mice ran more often than rats did.", held, false);
        check("Rats ran less often than mice did.", held, false);
        let held = "Pain fell from 6 to 3 in mice, rats and dogs at night.";
        check("Pain fell from 3 to 6 in mice, rats and dogs at night.", held, true);
        check("Pain fell from 6 to 3 in dogs, rats and mice at night.", held, false);
        let held = "Weight fell by 3 kg in the diet group and by 1 kg in the control group.";
        let same = "Weight fell by 1 kg in the control group and by 3 kg in the diet group.";
        check(same, held, false);
        let held = "Women weighed less than men in all of these groups.";
        check("Men weighed less than women in all of these groups.", held, true);
        check("Men weighed more than women in all of these groups.", held, false);
        let held = "Mice gained fat, and rats lost bone and muscle at night.";
        check("Rats gained fat, and mice lost bone and muscle at night.", held, true);
        check("Mice gained fat, and rats lost muscle and bone at night.", held, false);
        let held = "Mice and rats ate 20 and 30 g, respectively.";
        check("Mice and rats ate 30 and 20 g, respectively.", held, true);
        let held = "Zinc strongly inhibits calpain in the liver of old rats.";
        check("Calpain strongly inhibits zinc in the liver of old rats.", held, true);
        check("Calpain is strongly inhibited by zinc in the liver of old rats.", held, false);
        let held = "In these rats, weight was associated with age in all of the years.";
        check("In these rats, age was associated with weight in all of the years.", held, false);
        let held = "Rats gained as much as mice did in all of the years.";
        check("Mice gained as much as rats did in all of the years.", held, false);
    }
}
