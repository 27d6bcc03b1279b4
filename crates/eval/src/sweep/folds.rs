//! Divides questions into folds that share no paper.

use crate::Query;
use crate::linked::linked;
use crate::stats::Draws;
use std::collections::BTreeMap;

/// A question, as far as folds and statistics need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Its id.
    pub id: String,
    /// Whether a refusal is expected.
    pub unanswerable: bool,
    /// The papers that should answer it.
    pub papers: Vec<String>,
    /// What it shares its chance with: [`Query::cluster`].
    pub cluster: String,
}

impl Asked {
    /// The questions of a set.
    pub fn of(queries: &[Query]) -> Vec<Self> {
        let one = |query: &Query| Self {
            id: query.id.clone(),
            unanswerable: query.expected_no_evidence,
            papers: query.target_papers.iter().map(ToString::to_string).collect(),
            cluster: query.cluster(),
        };
        queries.iter().map(one).collect()
    }
}

/// The fold of each question, from 0 to less than `count`, or to less than the number of groups if that is smaller.
/// Questions that share a paper form a group, also over others (A with B, B with C), and a group stays in one fold. Groups
/// are dealt by seed, the largest first, each to the fold that it unbalances least, answerable and unanswerable questions
/// counted apart.
pub fn folds(questions: &[Asked], count: usize, seed: u64) -> Vec<usize> {
    let groups = groups(questions);
    let count = count.min(groups.len()).max(1);
    let unanswerable = |members: &[usize]| members.iter().filter(|at| questions[**at].unanswerable).count();
    let totals = [
        questions.iter().filter(|question| !question.unanswerable).count(),
        questions.iter().filter(|question| question.unanswerable).count(),
    ];
    let mut order: Vec<usize> = (0..groups.len()).collect();
    let mut draws = Draws::new(seed);
    for last in (1..order.len()).rev() {
        order.swap(last, draws.below(last + 1));
    }
    order.sort_by_key(|group| std::cmp::Reverse(groups[*group].len()));
    let mut held = vec![[0_usize; 2]; count];
    let mut out = vec![0; questions.len()];
    for group in order {
        let members = &groups[group];
        let refused = unanswerable(members);
        let own = [members.len() - refused, refused];
        // How much the squares of the shares grow if the fold takes the group.
        let cost = |fold: &[usize; 2]| -> f64 {
            let part = |kind: usize| {
                let (have, add, of) = (fold[kind] as f64, own[kind] as f64, totals[kind].max(1) as f64);
                ((have + add).powi(2) - have.powi(2)) / (of * of)
            };
            part(0) + part(1)
        };
        let empty = |fold: &[usize; 2]| fold[0] + fold[1] > 0;
        let best = (0..count).min_by(|a, b| {
            let (a, b) = (&held[*a], &held[*b]);
            cost(a).total_cmp(&cost(b)).then(empty(a).cmp(&empty(b)))
        });
        let best = best.unwrap_or_default();
        held[best] = [held[best][0] + own[0], held[best][1] + own[1]];
        for at in members {
            out[*at] = best;
        }
    }
    numbered(out)
}

/// The same folds without gaps, in the order in which questions meet them.
fn numbered(folds: Vec<usize>) -> Vec<usize> {
    let mut names: BTreeMap<usize, usize> = BTreeMap::new();
    let name = |fold: usize| {
        let next = names.len();
        *names.entry(fold).or_insert(next)
    };
    folds.into_iter().map(name).collect()
}

/// The places of the questions of each group, groups in the order of their first question.
pub(super) fn groups(questions: &[Asked]) -> Vec<Vec<usize>> {
    let mut out: Vec<Vec<usize>> = Vec::new();
    for (at, group) in linked(questions.len(), |at| questions[at].papers.iter()).into_iter().enumerate() {
        out.resize(out.len().max(group + 1), Vec::new());
        out[group].push(at);
    }
    out
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn asked(id: usize, unanswerable: bool, papers: &[&str]) -> Asked {
        Asked {
            id: format!("q{id}"),
            unanswerable,
            papers: papers.iter().map(|paper| (*paper).to_owned()).collect(),
            cluster: papers.first().map_or_else(|| format!("q{id}"), |paper| (*paper).to_owned()),
        }
    }

    #[test]
    fn papers_link_questions() {
        let questions = [
            asked(0, false, &["a"]),
            asked(1, false, &["c"]),
            asked(2, false, &["a", "b"]),
            asked(3, true, &[]),
            asked(4, true, &["b"]),
            asked(5, true, &[]),
        ];
        assert_eq!(groups(&questions), [vec![0, 2, 4], vec![1], vec![3], vec![5]]);
        let folds = folds(&questions, 9, 1);
        assert_eq!((folds[0], folds[2]), (folds[4], folds[4]));
        assert_eq!(folds.iter().max(), Some(&3), "no more folds than groups");
    }

    #[test]
    fn both_kinds_are_in_every_fold() {
        let questions: Vec<Asked> = (0..50).map(|n| asked(n, n % 5 == 0, &[])).collect();
        let folds = folds(&questions, 5, 7);
        for fold in 0..5 {
            let of = |unanswerable| {
                let same = |(own, question): &(&usize, &Asked)| {
                    **own == fold && question.unanswerable == unanswerable
                };
                folds.iter().zip(&questions).filter(same).count()
            };
            assert_eq!((of(false), of(true)), (8, 2));
        }
    }

    proptest! {
        #[test]
        fn folds_divide_the_questions_and_split_no_paper(
            papers in prop::collection::vec((any::<bool>(), prop::collection::vec(0usize..12, 0..3)), 1..60),
            count in 2usize..8,
            seed: u64,
        ) {
            let questions: Vec<Asked> = papers.iter().enumerate().map(|(id, (unanswerable, papers))| Asked {
                id: id.to_string(),
                unanswerable: *unanswerable,
                papers: papers.iter().map(usize::to_string).collect(),
                cluster: String::new(),
            }).collect();
            let folds = folds(&questions, count, seed);
            prop_assert_eq!(folds.len(), questions.len());
            let used: std::collections::BTreeSet<usize> = folds.iter().copied().collect();
            let wanted = count.min(groups(&questions).len());
            prop_assert_eq!(used.into_iter().collect::<Vec<_>>(), (0..wanted).collect::<Vec<_>>());
            for (a, one) in questions.iter().zip(&folds) {
                for (b, other) in questions.iter().zip(&folds) {
                    let shared = a.papers.iter().any(|paper| b.papers.contains(paper));
                    prop_assert!(!shared || one == other);
                }
            }
            prop_assert_eq!(super::folds(&questions, count, seed), folds);
        }
    }
}
