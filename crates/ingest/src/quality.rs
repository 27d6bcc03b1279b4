//! Whether the characters of a page are text.
//!
//! A file may show letters and yet map them to wrong characters or to none: its fonts number their shapes, and the table
//! from numbers to Unicode is missing or broken. Such text looks like "7KH UHVXOWV". What can be repaired for certain is
//! repaired; of the rest the document warns.

use crate::glyph::{self, Font, Glyph, Layer};

/// The quality of a page's characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quality {
    /// As far as can be told, text.
    Text,
    /// Most characters have no Unicode meaning, or a wrong one.
    Garbled,
}

/// With fewer characters a page is not judged.
const ENOUGH: usize = 12;
/// Distance of shape numbers below ASCII in the fonts that most producers embed.
const SHIFT: u32 = 29;

/// Repairs what can be repaired, and judges the rest. `seen` is the number of characters that the page shows, those
/// included that have no meaning.
pub(crate) fn repair_and_judge(layers: &mut [Layer], fonts: &[Font], seen: usize) -> Quality {
    for layer in layers.iter_mut() {
        swap_bytes(layer);
        restore_signs(layer);
        restore_operators(layer, fonts);
    }
    let kept: usize = layers.iter().map(|l| l.glyphs.len()).sum();
    let chars = || layers.iter().flat_map(|l| &l.glyphs).map(|g| g.ch);
    let meaningless = chars().filter(|c| glyph::is_unreadable(*c)).count();
    // Blanks between words and lines are about a fifth of any text: three quarters lost are none of those.
    let lost = seen >= 2 * ENOUGH && (kept - meaningless) * 4 < seen;
    if lost || kept >= ENOUGH && meaningless * 2 > kept || is_shifted(chars()) {
        Quality::Garbled
    } else {
        Quality::Text
    }
}

/// Some producers write the table to Unicode with the two bytes of each character swapped: every Latin letter
/// becomes a Chinese sign whose number ends in two zeros, and nothing else does.
fn swap_bytes(layer: &mut Layer) {
    let swapped = |c: char| {
        let value = c as u32;
        (value.is_multiple_of(0x100) && (0x2100..0x7F00).contains(&value))
            .then(|| char::from_u32(value >> 8))
            .flatten()
    };
    if layer.glyphs.len() < ENOUGH || !layer.glyphs.iter().all(|g| swapped(g.ch).is_some()) {
        return;
    }
    for i in 0..layer.glyphs.len() {
        let next = layer.glyphs.get(i + 1).copied();
        let glyph = &mut layer.glyphs[i];
        glyph.ch = swapped(glyph.ch).unwrap_or(glyph.ch);
        // Their widths belong to other characters: within a word each reaches to the next.
        if let Some(next) = next.filter(|n| !n.spaced && (n.y - glyph.y).abs() < 0.01 && n.x0 > glyph.x0) {
            glyph.x1 = next.x0;
        }
    }
}

/// Characters that journals' fonts of mathematical signs give, and what they print. Each row is of one script.
const SIGNS: [(&str, &str); 4] = [
    ("␣␤␥␦⑀␨␩␪␫␬␭␮␯␰␲␳␴␶␷␸␹␺␻⌬⌺⍀", "αβγδεζηθικλμνξπρστυφχψωΔΣΩ"),
    ("ϩϪϫϭϮϳϷϱϽϾ", "+−×=±~≈∞<>"),
    ("ՅՆ", "≤≥"),
    ("ЈЉЊ", "′″°"),
];

/// Puts the signs that a page prints in place of the letters and pictures that its fonts name, where no other letter of
/// their script is on the page.
fn restore_signs(layer: &mut Layer) {
    let scripts = [0x2400..=0x243F, 0x3E2..=0x3FF, 0x530..=0x58F, 0x400..=0x4FF];
    for ((named, printed), script) in SIGNS.into_iter().zip(scripts) {
        let of_script = |c: char| script.contains(&(c as u32));
        let all = || layer.glyphs.iter().map(|g| g.ch);
        // A lone "␣" is the mark of a blank.
        let pictures = named.starts_with('␣')
            && all().any(|c| c == '␣')
            && !all().any(|c| c != '␣' && named.contains(c));
        if pictures || all().any(|c| of_script(c) && !named.contains(c)) {
            continue;
        }
        for glyph in &mut layer.glyphs {
            let sign = named.chars().zip(printed.chars()).find(|(from, _)| *from == glyph.ch);
            glyph.ch = sign.map_or(glyph.ch, |(_, to)| to);
        }
    }
}

/// Some fonts of mathematical signs name their signs after digits, so that "4.16 × 10" reads "4.16 3 10". A digit that stands
/// alone between two numbers of one other font is such a sign: before a power of ten "×", elsewhere not to be read.
fn restore_operators(layer: &mut Layer, fonts: &[Font]) {
    const BLANK: f32 = 0.6;
    let styled = |font: u16| fonts.get(usize::from(font)).is_some_and(|f| f.bold || f.italic);
    let at = |i: usize| layer.glyphs.get(i).copied();
    let sign = |i: usize| {
        let (before, sign, next) = (at(i - 1)?, at(i)?, at(i + 1)?);
        let beside = |a: Glyph, b: Glyph| {
            let gap = (b.x0 - a.x1) / a.size.max(0.1);
            (a.y - b.y).abs() < 0.1 * a.size && (0.05..BLANK).contains(&gap)
        };
        let alone = sign.ch.is_ascii_digit()
            && before.font == next.font
            && sign.font != next.font
            && !styled(sign.font)
            && (before.ch.is_ascii_digit() || matches!(before.ch, ')' | '%'))
            && next.ch.is_ascii_digit()
            && beside(before, sign)
            && beside(sign, next);
        let raised = |g: Glyph| g.y < next.y - 0.1 * next.size && g.size < next.size;
        let power = next.ch == '1' && at(i + 2)?.ch == '0' && at(i + 3).is_some_and(raised);
        alone.then_some(if power { '×' } else { glyph::UNREADABLE })
    };
    let signs = (1..layer.glyphs.len()).filter_map(|i| Some((i, sign(i)?)));
    for (i, ch) in signs.collect::<Vec<_>>() {
        layer.glyphs[i].ch = ch;
    }
}

/// Whether the letters are numbers of shapes: hardly a vowel among them, and vowels as in any language once the
/// usual distance is added.
fn is_shifted(chars: impl Iterator<Item = char>) -> bool {
    let (mut letters, mut vowels, mut moved_letters, mut moved_vowels) = (0_usize, 0_usize, 0_usize, 0_usize);
    for c in chars.filter(char::is_ascii) {
        if c.is_ascii_alphabetic() {
            letters += 1;
            vowels += usize::from(is_vowel(c));
        }
        if let Some(moved) = char::from_u32(c as u32 + SHIFT).filter(char::is_ascii_alphabetic) {
            moved_letters += 1;
            moved_vowels += usize::from(is_vowel(moved));
        }
    }
    // A few letters must speak clearly: a protein's sequence has few vowels as well, and gains some.
    let clearly = if letters < 5 * ENOUGH { 30 } else { 15 };
    letters >= ENOUGH
        && moved_letters >= ENOUGH
        && vowels * 4 <= letters
        && moved_vowels * 100 >= moved_letters * 22
        && moved_vowels * letters * 10 >= vowels * moved_letters * clearly
}

fn is_vowel(c: char) -> bool {
    matches!(c.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(text: &str) -> Layer {
        let glyph = |ch| Glyph { ch, x0: 0.0, x1: 5.0, y: 0.0, size: 10.0, font: 0, spaced: false };
        Layer { glyphs: text.chars().filter(|c| !c.is_whitespace()).map(glyph).collect(), ..Layer::default() }
    }

    #[test]
    fn signs_are_those_that_the_page_prints() {
        let check = |text: &str, want: &str| {
            let mut layers = [layer(text)];
            repair_and_judge(&mut layers, &[], text.chars().count());
            let read: String = layers[0].glyphs.iter().map(|g| g.ch).collect();
            assert_eq!(read, want);
        };
        check("5␮g,TNF-␣,12Ϯ3,pϽ0.05,Ն7,37ЊC,⌬G", "5μg,TNF-α,12±3,p<0.05,≥7,37°C,ΔG");
        check("a␣b", "a␣b");
        check("Њега", "Њега");
        check("ՆԱՅ", "ՆԱՅ");
    }

    #[test]
    fn a_digit_of_a_font_of_signs_is_an_operator() {
        let set = |numbers: &str| {
            let mut x = 0.0;
            let mut glyphs = Vec::new();
            for word in numbers.split(' ') {
                let other = word.starts_with('_');
                for ch in word.trim_start_matches('_').chars().filter(|c| *c != '^') {
                    let raised = word.contains('^') && glyphs.last().is_some_and(|g: &Glyph| g.ch == '0');
                    glyphs.push(Glyph {
                        ch,
                        x0: x,
                        x1: x + 5.0,
                        y: if raised { 6.0 } else { 10.0 },
                        size: if raised { 6.0 } else { 10.0 },
                        font: u16::from(other),
                        spaced: false,
                    });
                    x += 5.0;
                }
                x += 2.5;
            }
            let mut layers = [Layer { glyphs, ..Layer::default() }];
            repair_and_judge(&mut layers, &[Font::default(), Font::default()], 20);
            layers[0].glyphs.iter().map(|g| g.ch).collect::<String>()
        };
        assert_eq!(set("4.16 _3 10^5"), "4.16×105");
        assert_eq!(set("4.16 3 10^5"), "4.163105");
        assert_eq!(set("5.6 _6 0.3"), "5.6\u{FFFD}0.3");
        assert_eq!(set("in _6 days"), "in6days");
    }

    #[test]
    fn garbled_pages_are_told_from_text() {
        let check = |text: &str, want: Quality| {
            let mut layers = [layer(text)];
            assert_eq!(repair_and_judge(&mut layers, &[], text.chars().count()), want, "{text}");
        };
        check("The results of the trial are shown in Table 2.", Quality::Text);
        check("THE RESULTS OF THE TRIAL ARE SHOWN IN TABLE 2", Quality::Text);
        let sentence =
            "The results of the trial are shown, and so is what nobody had thought of before it began";
        let shifted = |c: char| char::from_u32((c as u32).saturating_sub(SHIFT)).unwrap_or(c);
        check(sentence, Quality::Text);
        check(&sentence.chars().map(shifted).collect::<String>(), Quality::Garbled);
        check("3HQČåQtSURVWĜHGN\\QD~þWHFK", Quality::Garbled);
        check("GATTACAGATTACAGATTACACCGGTTAACCGG", Quality::Text);
        let haemoglobin =
            "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALS";
        check(haemoglobin, Quality::Text);
        check(&haemoglobin[..34], Quality::Text);
        check("x = 3 + 4y, f(x) = g(h(k))", Quality::Text);
        check("وعليه، فإن الحكومة المصرية تضع", Quality::Text);
        check(&"\u{E012}\u{E044}".repeat(10), Quality::Garbled);
        check("Abc \u{E012}", Quality::Text);
        check("", Quality::Text);
    }

    #[test]
    fn lost_characters_count() {
        let check = |kept: &str, seen: usize, want: Quality| {
            assert_eq!(repair_and_judge(&mut [layer(kept)], &[], seen), want, "{kept} of {seen}");
        };
        check("", 400, Quality::Garbled);
        check("a few words", 100, Quality::Garbled);
        check("a few words", 20, Quality::Text);
        check("", 3, Quality::Text);
    }

    #[test]
    fn swapped_bytes_are_put_right() {
        let check = |text: &str, want: &str| {
            let mut layers = [layer(text)];
            repair_and_judge(&mut layers, &[], text.chars().count());
            let got: String = layers[0].glyphs.iter().map(|g| g.ch).collect();
            assert_eq!(got, want);
        };
        let swapped: String =
            "MulticolorBlack".chars().filter_map(|c| char::from_u32((c as u32) << 8)).collect();
        check(&swapped, "MulticolorBlack");
        check("有機交流電燈のひとつの青い照明です", "有機交流電燈のひとつの青い照明です");
        check("一一", "一一");
    }
}
