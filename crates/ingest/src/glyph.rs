//! Characters as they stand on a page, turned upright, before they become text.

/// A printed character. Coordinates are in points; `y` grows downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Glyph {
    pub(crate) ch: char,
    /// Left edge.
    pub(crate) x0: f32,
    /// Right edge: where the next character would start.
    pub(crate) x1: f32,
    /// Baseline.
    pub(crate) y: f32,
    /// Size of the type as printed.
    pub(crate) size: f32,
    /// Index into the document's fonts.
    pub(crate) font: u16,
    /// Whether the page's text says that a space stands before it.
    pub(crate) spaced: bool,
}

/// A font, as far as layout cares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Font {
    pub(crate) name: String,
    pub(crate) bold: bool,
    pub(crate) italic: bool,
}

impl Font {
    /// Reads weight and slope from the name, as makers of fonts write them; `heavy` is what the font's own
    /// record says of its weight, which many producers fill with nonsense: the name wins where it speaks.
    pub(crate) fn from_name(name: &str, heavy: bool, slanted: bool) -> Self {
        // "ABCDEF+" marks a subset.
        let plain = match name.split_once('+') {
            Some((tag, rest)) if tag.len() == 6 && tag.bytes().all(|b| b.is_ascii_uppercase()) => rest,
            _ => name,
        };
        // "AdvOT1deab444.I+fb" holds more characters of "AdvOT1deab444.I".
        let plain = match plain.rsplit_once('+') {
            Some((rest, more)) if more.len() == 2 && more.bytes().all(|b| b.is_ascii_hexdigit()) => rest,
            _ => plain,
        };
        let lower = plain.to_lowercase();
        let tail = plain.rsplit(['-', '.', ',', '_']).next().unwrap_or_default();
        let styled = plain.len() > tail.len();
        let has = |words: &str| words.split('|').any(|w| lower.contains(w));
        let ends = |tails: &str| styled && tails.split('|').any(|t| t == tail);
        // "GulliverIT", "AdvPTimesB": capitals behind a small letter.
        let mark = plain.trim_start_matches(|c: char| !c.is_ascii_lowercase());
        let mark = mark.rsplit(|c: char| !c.is_ascii_uppercase()).next().unwrap_or_default();
        let named_bold = has("bold|black|heavy|demi|cmbx|cmssbx|sfbx")
            || ends("B|BI|Bd|BdIt|BdCn|Medi|MediItal|Blk|Hv|Semibd|SB|Sb")
            || matches!(mark, "B" | "BI" | "BD" | "BL");
        let named_plain = mark == "RM" || has("regular|roman|light|book") || ends("R|Rm|Lt|I|It|Ital|Regu");
        let named_italic = matches!(mark, "I" | "IT" | "BI")
            || has("italic|oblique|slanted|cmti|cmsl|cmmi")
            || ends("I|BI|Obl")
            || styled && (tail.ends_with("It") || tail.ends_with("Ital"));
        Self {
            name: plain.to_owned(),
            bold: named_bold || heavy && !named_plain,
            italic: named_italic || slanted,
        }
    }
}

/// Characters that share a direction of writing, turned so that it runs from left to right.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Layer {
    /// Quarter turns anticlockwise by which the text stands on the page, 0 to 3.
    pub(crate) turn: u8,
    /// Characters in the order of the page's content.
    pub(crate) glyphs: Vec<Glyph>,
    /// Width of the page as turned.
    pub(crate) width: f32,
    /// Height of the page as turned.
    pub(crate) height: f32,
    /// From its coordinates to those of the page as it was before it was turned.
    pub(crate) to_page: Affine,
}

/// A map of points: `x` becomes `ax + cy + e`, and `y` becomes `bx + dy + f`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Affine(pub(crate) [f32; 6]);

impl Default for Affine {
    fn default() -> Self {
        Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    }
}

impl Affine {
    /// From a page that was turned clockwise by `quarters` to the page of this width and height as it was.
    pub(crate) fn turned_back(quarters: u8, width: f32, height: f32) -> Self {
        Self(match quarters % 4 {
            0 => [1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
            1 => [0.0, -1.0, 1.0, 0.0, 0.0, height],
            2 => [-1.0, 0.0, 0.0, -1.0, width, height],
            _ => [0.0, 1.0, -1.0, 0.0, width, 0.0],
        })
    }

    /// This map, then another.
    pub(crate) fn then(self, next: Self) -> Self {
        let (m, n) = (self.0, next.0);
        let turned = |x: f32, y: f32| (n[0] * x + n[2] * y, n[1] * x + n[3] * y);
        let (along, down, from) = (turned(m[0], m[1]), turned(m[2], m[3]), next.of(m[4], m[5]));
        Self([along.0, along.1, down.0, down.1, from.0, from.1])
    }

    /// Where a point comes to lie.
    pub(crate) fn of(self, x: f32, y: f32) -> (f32, f32) {
        let m = self.0;
        (m[0] * x + m[2] * y + m[4], m[1] * x + m[3] * y + m[5])
    }
}

/// Stands for a printed sign of which the file does not say what it is.
pub(crate) const UNREADABLE: char = char::REPLACEMENT_CHARACTER;

/// Whether a character that takes room says nothing of what is printed: a control code or a private one.
pub(crate) fn is_unreadable(c: char) -> bool {
    c.is_control() || matches!(c, UNREADABLE | '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFD}')
}

/// What Adobe's Symbol encoding prints, from code 0x20 on and from code 0xA1 on.
const SYMBOL: [(u32, &str); 2] = [
    (
        0xF020,
        " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼",
    ),
    (0xF0A1, "ϒ′≤⁄∞ƒ•♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√·¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑"),
];
/// Windows-1252 from code 0x91 on, controls in Unicode, which some tables leave as they are.
const WINDOWS: (u32, &str) = (0x91, "‘’“”•–—˜™");

/// What a raw character value of PDFium stands for; `None` for what is itself or prints nothing.
///
/// Symbol fonts without a mapping to Unicode put their code into the private area from U+F000. Other fonts have signs
/// of their own there, few of which are letters, digits or brackets of ASCII.
pub(crate) fn printed(value: u32, symbol_font: bool) -> Option<&'static str> {
    let of = |(first, signs): (u32, &'static str)| {
        let at = usize::try_from(value.checked_sub(first)?).ok()?;
        let (from, c) = signs.char_indices().nth(at)?;
        signs.get(from..from + c.len_utf8())
    };
    Some(match value {
        0xFB00 => "ff",
        0xFB01 => "fi",
        0xFB02 => "fl",
        0xFB03 => "ffi",
        0xFB04 => "ffl",
        0xFB05 | 0xFB06 => "st",
        // PDFium's mark for a hyphen at the end of a line, and the soft hyphen.
        0x02 | 0xAD | 0xFFFE => "\u{AD}",
        // A hyphen that must not break: some producers print every hyphen so, at ends of lines too.
        0x2011 => "-",
        // The prime of some mathematical fonts.
        0xF_8020 => "′",
        0x6D if symbol_font => "μ",
        0x91..=0x99 => of(WINDOWS)?,
        _ => {
            let sign = SYMBOL.into_iter().find_map(of)?;
            let plain = sign.starts_with(|c: char| c.is_ascii_alphanumeric() || c.is_ascii_punctuation());
            return (symbol_font || !plain || "<=>+".contains(sign)).then_some(sign);
        }
    })
}

/// The combining mark of an accent that some producers print as a sign of its own, over its letter.
pub(crate) fn combining(accent: char) -> Option<char> {
    const MARKS: &str =
        "\u{301}\u{300}\u{308}\u{302}\u{303}\u{327}\u{30A}\u{30C}\u{304}\u{306}\u{307}\u{30B}";
    let at = "´`¨ˆ˜¸˚ˇ¯˘˙˝".chars().position(|sign| sign == accent)?;
    MARKS.chars().nth(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_symbol_fonts_are_signs() {
        let check = |value: u32, symbol: bool, want: Option<&str>| {
            assert_eq!(printed(value, symbol), want, "{value:x}");
        };
        check(0xF06D, false, Some("μ"));
        check(0xF061, false, Some("α"));
        check(0xF07E, false, Some("∼"));
        check(0xF0A3, false, Some("≤"));
        check(0xF0B1, false, Some("±"));
        check(0xF0B7, false, Some("•"));
        check(0xF0E5, false, Some("∑"));
        check(0xF03C, false, Some("<"));
        check(0xF035, true, Some("5"));
        check(0xF035, false, None);
        check(0xF0FF, true, None);
        check(0x96, false, Some("–"));
        check(0x61, true, None);
    }

    #[test]
    fn names_tell_weight_and_slope() {
        let check = |name: &str, heavy: bool, bold: bool, italic: bool| {
            let font = Font::from_name(name, heavy, false);
            assert_eq!((font.bold, font.italic), (bold, italic), "{name}");
        };
        check("Times-Roman", true, false, false);
        check("ABCDEF+TimesNewRomanPS-BoldItalicMT", false, true, true);
        check("NimbusRomNo9L-Medi", false, true, false);
        check("CMBX12", false, true, false);
        check("AdvOT46dcae81.B", false, true, false);
        check("AdvOT46dcae81.I", false, false, true);
        check("MyriadPro-SemiboldIt", false, true, true);
        check("Unknown", true, true, false);
        check("MinionPro-It", false, false, true);
        check("AdvOT1deab444.I+fb", false, false, true);
        check("AdvOT66af078c.B+20", false, true, false);
        check("ABCDEF+GulliverIT", false, false, true);
        check("GulliverRM", true, false, false);
        check("AdvPTimesBI", false, true, true);
        check("ArialMT", false, false, false);
        check("STIX", false, false, false);
        check("AdvP4C4E51", false, false, false);
    }
}
