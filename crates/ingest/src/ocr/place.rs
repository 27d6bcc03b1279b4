//! Recognised words as characters on a page.

use super::hocr::Line;
use crate::glyph::Glyph;
use crate::script::runs_leftwards;

/// Below this confidence a word without a letter or digit is a speck or a line of a drawing.
const SPECK: f32 = 0.6;
/// Lines whose sizes differ by less than this share from what most of them have are set in one size: the program
/// measures, it does not know.
const ONE_SIZE: f32 = 0.15;

/// Places the words of the lines, `scale` points to a pixel. Letters of a word share its width evenly. A page that
/// was scanned askew is turned upright.
pub(super) fn glyphs(lines: &[Line], scale: f32, font: u16) -> Vec<Glyph> {
    let sizes = sizes(lines);
    let skew = median(lines.iter(), |l| l.slope);
    let mut out = Vec::new();
    for (line, size) in lines.iter().zip(sizes) {
        // For such small angles the turn is a shift along either axis.
        let baseline = line.baseline - skew * line.left;
        let shift = skew * line.baseline;
        for word in &line.words {
            let lettered = word.text.chars().any(char::is_alphanumeric);
            if !lettered && word.confidence < SPECK {
                continue;
            }
            let letters = word.text.chars().count();
            let width = (word.right - word.left) / letters.max(1) as f32;
            let leftwards = word.text.chars().any(runs_leftwards);
            for (i, ch) in word.text.chars().enumerate() {
                let at = if leftwards { letters - 1 - i } else { i };
                let left = word.left + shift + width * at as f32;
                out.push(Glyph {
                    ch,
                    x0: left * scale,
                    x1: (left + width) * scale,
                    y: baseline * scale,
                    size: (size * scale).max(1.0),
                    font,
                    spaced: i == 0,
                });
            }
        }
    }
    out
}

/// The size of each line: that of most letters for all lines near it, and again for those that are left.
fn sizes(lines: &[Line]) -> Vec<f32> {
    let mut sizes: Vec<Option<f32>> = vec![None; lines.len()];
    // A page has few sizes; what is left after so many rounds keeps its own.
    for _ in 0..8 {
        let left = || (0..lines.len()).filter(|i| sizes[*i].is_none());
        if left().next().is_none() {
            break;
        }
        let usual = median(left().map(|i| &lines[i]), |l| l.size);
        let near: Vec<usize> =
            left().filter(|i| (lines[*i].size - usual).abs() <= ONE_SIZE * usual).collect();
        for i in near {
            sizes[i] = Some(usual);
        }
    }
    let own = sizes.iter().zip(lines).map(|(size, line)| size.unwrap_or(line.size));
    own.collect()
}

/// The value of most letters: the median over them.
fn median<'a>(lines: impl Iterator<Item = &'a Line>, value: impl Fn(&Line) -> f32) -> f32 {
    let letters = |l: &Line| l.words.iter().map(|w| w.text.len()).sum::<usize>();
    let mut values: Vec<(f32, usize)> = lines.map(|l| (value(l), letters(l))).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = values.iter().map(|(_, n)| n).sum::<usize>() / 2;
    let mut seen = 0;
    let middle = values.iter().find(|(_, n)| {
        seen += n;
        seen > half
    });
    middle.map_or(0.0, |(value, _)| *value)
}

#[cfg(test)]
mod tests {
    use super::super::hocr::Word;
    use super::*;

    fn line(size: f32, baseline: f32, words: &[(&str, f32)]) -> Line {
        let word = |(i, (text, confidence)): (usize, &(&str, f32))| Word {
            text: (*text).to_owned(),
            left: i as f32 * 100.0,
            right: i as f32 * 100.0 + 80.0,
            confidence: *confidence,
        };
        Line {
            left: 0.0,
            baseline,
            slope: 0.0,
            size,
            upright: true,
            words: words.iter().enumerate().map(word).collect(),
        }
    }

    #[test]
    fn words_become_letters_in_their_places() {
        let lines = [
            line(40.0, 100.0, &[("ab", 0.9), ("|", 0.2), ("c.", 0.9)]),
            line(43.0, 150.0, &[("defgh", 0.9)]),
            line(80.0, 30.0, &[("T", 0.9)]),
        ];
        let glyphs = glyphs(&lines, 0.25, 7);
        let text: String = glyphs.iter().map(|g| g.ch).collect();
        assert_eq!(text, "abc.defghT");
        let b = glyphs[1];
        assert_eq!((b.x0, b.x1, b.y, b.font, b.spaced), (10.0, 20.0, 25.0, 7, false));
        assert!(glyphs[2].spaced);
        // One size for what is nearly one size, another for what is not.
        assert!((glyphs[0].size - glyphs[4].size).abs() < 0.01);
        assert!((glyphs[9].size - 20.0).abs() < 0.01);
    }

    #[test]
    fn words_that_run_leftwards_start_at_their_right_end() {
        let lines = [line(40.0, 100.0, &[("עולם", 0.9), ("שלום", 0.9)])];
        let mut layers = [crate::glyph::Layer {
            glyphs: glyphs(&lines, 1.0, 0),
            width: 300.0,
            height: 300.0,
            ..crate::glyph::Layer::default()
        }];
        crate::script::unify(&mut layers);
        let text: String = layers[0].glyphs.iter().map(|g| g.ch).collect();
        assert_eq!(text, "שלוםעולם");
    }

    #[test]
    fn pages_scanned_askew_are_turned_upright() {
        // Two columns, each row two pixels lower at the right.
        let row = |at: f32, left: f32| {
            let mut row = line(40.0, at + left * 0.01, &[("abcd", 0.9)]);
            (row.left, row.slope) = (left, 0.01);
            (row.words[0].left, row.words[0].right) = (left, left + 80.0);
            row
        };
        let lines = [row(100.0, 0.0), row(100.0, 400.0), row(900.0, 0.0)];
        let glyphs = glyphs(&lines, 1.0, 0);
        assert!((glyphs[0].y - glyphs[4].y).abs() < 0.01, "one row");
        assert!((glyphs[8].x0 - glyphs[0].x0 - 8.0).abs() < 0.01, "one left edge");
    }
}
