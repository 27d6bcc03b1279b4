//! Headings of ours against headings of the truth.

use super::jats::{Heading, Pardon};
use super::ours::Section;
use super::share::Share;

/// What became of the headings of a paper.
#[derive(Debug, Default)]
pub(super) struct Headings {
    /// Pairs of positions: a section of ours, a heading of the truth with the same soft form.
    pub(super) pairs: Vec<(usize, usize)>,
    /// Headings of the truth that were not found.
    pub(super) missed: Vec<usize>,
    /// Of those not found, the ones that do not stand in the PDF's text: they count neither way.
    pub(super) absent: Vec<usize>,
    /// Sections of ours whose heading the truth does not have.
    pub(super) invented: Vec<usize>,
    /// Pairs whose texts are equal, too.
    pub(super) strict: usize,
}

/// Pairs of one table may cost this much; more headings are paired as they come.
const MOST_CELLS: usize = 4_000_000;

/// Compares. `printed` is the PDF's own text folded to letters; `None` when it could not be read, and then nothing is
/// taken to be absent.
pub(super) fn compare(
    ours: &[Section],
    truth: &[Heading],
    pardons: &[Pardon],
    printed: Option<&str>,
) -> Headings {
    let headed: Vec<usize> = (0..ours.len())
        .filter(|i| !ours[*i].heading.trim().is_empty())
        .collect();
    let pairs = pair(ours, &headed, truth);
    let strict = pairs
        .iter()
        .filter(|(o, t)| truth[*t].strict.contains(&ours[*o].strict))
        .count();
    let mut out = Headings {
        strict,
        ..Headings::default()
    };
    for (at, heading) in truth.iter().enumerate() {
        if pairs.iter().any(|(_, t)| *t == at) {
            continue;
        }
        if printed.is_some_and(|text| !text.contains(&heading.soft)) {
            out.absent.push(at);
        } else {
            out.missed.push(at);
        }
    }
    let mut pardons: Vec<&Pardon> = pardons.iter().collect();
    for at in headed {
        if pairs.iter().any(|(o, _)| *o == at) {
            continue;
        }
        let pardon = pardons.iter().position(|p| p.names.contains(&ours[at].soft));
        match pardon {
            Some(used) => {
                pardons.remove(used);
            }
            None => out.invented.push(at),
        }
    }
    out.pairs = pairs;
    out
}

impl Headings {
    /// Precision, recall and F1 where `hits` of the pairs count as found.
    fn rates(&self, hits: usize) -> [Share; 3] {
        let found = self.pairs.len() + self.invented.len();
        let wanted = self.pairs.len() + self.missed.len();
        [
            Share::new(hits, found),
            Share::new(hits, wanted),
            Share::new(2 * hits, found + wanted),
        ]
    }

    /// Soft precision, recall, F1.
    pub(super) fn soft(&self) -> [Share; 3] {
        self.rates(self.pairs.len())
    }

    /// Strict precision, recall, F1.
    pub(super) fn strict(&self) -> [Share; 3] {
        self.rates(self.strict)
    }

    /// Of the pairs next to each other in our order, how many stand in the order of the truth.
    pub(super) fn order(&self) -> Share {
        let right = self.pairs.windows(2).filter(|w| w[0].1 < w[1].1).count();
        Share::new(right, self.pairs.len().saturating_sub(1))
    }
}

/// Pairs headings of the same soft form, each at most once: first those that keep the order on both sides (a longest
/// common subsequence), then what is left, as it comes. Papers say "Methods" in the abstract and again in the body:
/// pairing by name alone would call one of them misplaced when the other was missed. In our order.
fn pair(ours: &[Section], headed: &[usize], truth: &[Heading]) -> Vec<(usize, usize)> {
    let mut pairs = if headed.len().saturating_mul(truth.len()) <= MOST_CELLS {
        in_order(ours, headed, truth)
    } else {
        Vec::new()
    };
    let mut free: Vec<bool> = vec![true; truth.len()];
    for (_, t) in &pairs {
        free[*t] = false;
    }
    for &o in headed {
        if pairs.iter().any(|(paired, _)| *paired == o) {
            continue;
        }
        if let Some(t) = (0..truth.len()).find(|t| free[*t] && truth[*t].soft == ours[o].soft) {
            free[t] = false;
            pairs.push((o, t));
        }
    }
    pairs.sort_unstable();
    pairs
}

fn in_order(ours: &[Section], headed: &[usize], truth: &[Heading]) -> Vec<(usize, usize)> {
    let (rows, columns) = (headed.len(), truth.len());
    let width = columns + 1;
    // best[i][j]: pairs to be had of ours from i on and the truth from j on.
    let mut best = vec![0_u32; (rows + 1) * width];
    for i in (0..rows).rev() {
        for j in (0..columns).rev() {
            let same = ours[headed[i]].soft == truth[j].soft;
            best[i * width + j] = if same {
                best[(i + 1) * width + j + 1] + 1
            } else {
                best[(i + 1) * width + j].max(best[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < rows && j < columns {
        if ours[headed[i]].soft == truth[j].soft {
            pairs.push((headed[i], j));
            (i, j) = (i + 1, j + 1);
        } else if best[(i + 1) * width + j] >= best[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}
