//! Raised characters of the pieces: exponents get their sign, the marks of references and notes leave the text.

use super::piece::Piece;
use crate::raised::{self, Raised};

/// Whether a document refers to its references by raised numbers.
pub(crate) fn are_cited<'a>(pieces: impl Iterator<Item = &'a Piece>) -> bool {
    const ENOUGH: usize = 3;
    let cites = |p: &&Piece| {
        let ranges = joined(p);
        let mut ranges = ranges.iter();
        ranges.any(|(from, to)| raised::cites(&p.text[..*from], &p.text[*from..*to], &p.text[*to..]))
    };
    pieces.filter(cites).take(ENOUGH).count() >= ENOUGH
}

/// Rewrites the raised characters of a region's pieces. A mark leaves an empty stretch in [`Piece::raised`]. Returns how
/// many characters left the text.
pub(crate) fn rewrite(pieces: &mut [Piece], cited: bool) -> usize {
    let mut dropped = 0;
    // Whether the line before ends inside a list of marks.
    let mut open = false;
    for piece in pieces {
        let ranges = joined(piece);
        let raised: usize = ranges.iter().map(|(from, to)| to - from).sum();
        // Where most of a long piece is raised, what is not is a large sign of a formula.
        if ranges.is_empty() || raised > 12 && raised * 2 > piece.text.len() {
            open = false;
            continue;
        }
        let old = std::mem::take(&mut piece.text);
        let mut text = String::with_capacity(old.len() + 4);
        let mut leads = [piece.lead_bold, piece.lead_italic];
        let mut moved = leads;
        let mut at = 0;
        piece.raised.clear();
        for (i, (from, to)) in ranges.iter().copied().enumerate() {
            text.push_str(&old[at..from]);
            let (inside, after) = (&old[from..to], &old[to..]);
            let listed = from == 0 && (open || inside.starts_with([',', ';', '–']));
            let what = match raised::what_is(&text, inside, Some(after), cited) {
                Raised::Joined if listed => Raised::Mark,
                what => what,
            };
            raised::push(&mut text, inside, what);
            let start = text.len();
            if what == Raised::Mark {
                dropped += inside.chars().filter(|c| !c.is_whitespace()).count();
                piece.raised.push((start, start));
                if after.starts_with(char::is_alphanumeric) && !text.is_empty() {
                    text.push(' ');
                }
            } else {
                piece.raised.push((start - inside.len().min(start), start));
            }
            at = to;
            open = i + 1 == ranges.len()
                && what == Raised::Mark
                && after.trim().is_empty()
                && inside.trim_end().ends_with([',', ';', '-', '–', '—', '−']);
            for (lead, moved) in leads.iter_mut().zip(&mut moved) {
                if *lead >= to {
                    *moved = text.len() + (*lead - to);
                } else if *lead > from {
                    (*lead, *moved) = (0, text.len());
                }
            }
        }
        text.push_str(&old[at..]);
        [piece.lead_bold, piece.lead_italic] = moved.map(|lead| text.floor_char_boundary(lead));
        piece.text = text;
    }
    dropped
}

/// The raised stretches of a piece, those that only blanks part as one.
fn joined(piece: &Piece) -> Vec<(usize, usize)> {
    let mut out: Vec<(usize, usize)> = Vec::with_capacity(piece.raised.len());
    for (from, to) in piece.raised.iter().copied() {
        match out.last_mut() {
            // An accent that was put on its letter may have moved what it ends.
            _ if piece.text.get(from..to).is_none() => {}
            Some(last) if piece.text[last.1..from].trim().is_empty() => last.1 = to,
            _ => out.push((from, to)),
        }
    }
    out
}
