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
        let has = |words: &[&str]| words.iter().any(|w| lower.contains(w));
        let named_bold = has(&["bold", "black", "heavy", "demi", "cmbx", "cmssbx", "sfbx"])
            || styled
                && matches!(
                    tail,
                    "B" | "BI"
                        | "Bd"
                        | "BdIt"
                        | "BdCn"
                        | "Medi"
                        | "MediItal"
                        | "Blk"
                        | "Hv"
                        | "Semibd"
                        | "SB"
                        | "Sb"
                );
        // "GulliverIT", "AdvPTimesB": capitals behind a small letter.
        let mark = plain.trim_start_matches(|c: char| !c.is_ascii_lowercase());
        let mark = mark
            .rsplit(|c: char| !c.is_ascii_uppercase())
            .next()
            .unwrap_or_default();
        let named_bold = named_bold || matches!(mark, "B" | "BI" | "BD" | "BL");
        let named_plain = mark == "RM"
            || has(&["regular", "roman", "light", "book"])
            || styled && matches!(tail, "R" | "Rm" | "Lt" | "I" | "It" | "Ital" | "Regu");
        let named_italic = matches!(mark, "I" | "IT" | "BI")
            || has(&["italic", "oblique", "slanted", "cmti", "cmsl", "cmmi"])
            || styled
                && (matches!(tail, "I" | "BI" | "Obl") || tail.ends_with("It") || tail.ends_with("Ital"));
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
}

/// What a raw character value of PDFium stands for; `None` for what prints nothing.
///
/// Symbol fonts without a mapping to Unicode put their code into the private area from U+F000: the Greek
/// letters and signs that papers use are taken from Adobe's Symbol encoding.
pub(crate) fn printed(value: u32, symbol_font: bool) -> Option<&'static str> {
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
        0xF0B7 | 0xF0A7 => "•",
        0xF061 => "α",
        0xF062 => "β",
        0xF063 => "χ",
        0xF064 => "δ",
        0xF065 => "ε",
        0xF067 => "γ",
        0xF068 => "η",
        0xF06B => "κ",
        0xF06C => "λ",
        0xF06D => "μ",
        0xF06E => "ν",
        0xF070 => "π",
        0xF071 => "θ",
        0xF072 => "ρ",
        0xF073 => "σ",
        0xF074 => "τ",
        0xF077 => "ω",
        0xF044 => "Δ",
        0xF053 => "Σ",
        0xF057 => "Ω",
        0xF0A3 => "≤",
        0xF0B0 => "°",
        0xF0B1 => "±",
        0xF0B3 => "≥",
        0xF0B4 => "×",
        0xF0A5 => "∞",
        0xF0BB => "≈",
        0xF0AE => "→",
        0xF02D => "−",
        0xF03C => "<",
        0xF03D => "=",
        0xF03E => ">",
        0xF02B => "+",
        0xF028..=0xF02A | 0xF02C | 0xF02E..=0xF03B | 0xF05B | 0xF05D if symbol_font => {
            const PLAIN: &str = "()∗+,−./0123456789:;";
            match value {
                0xF05B => "[",
                0xF05D => "]",
                _ => PLAIN
                    .char_indices()
                    .nth(value as usize - 0xF028)
                    .map(|(i, c)| &PLAIN[i..i + c.len_utf8()])?,
            }
        }
        0xF047 => "Γ",
        0xF046 => "Φ",
        0xF059 => "Ψ",
        0xF066 => "φ",
        0xF078 => "ξ",
        0xF079 => "ψ",
        0xF07A => "ζ",
        0xF07E => "∼",
        0xF0A2 => "′",
        0xF0B2 => "″",
        0xF0B9 => "≠",
        0xF0D2 | 0xF0E2 => "®",
        0xF0D4 | 0xF0E4 => "™",
        0xF0D7 => "·",
        0x6D if symbol_font => "μ",
        // Controls of Windows-1252, which some tables to Unicode leave as they are.
        0x80 => "€",
        0x91 => "‘",
        0x92 => "’",
        0x93 => "“",
        0x94 => "”",
        0x95 => "•",
        0x96 => "–",
        0x97 => "—",
        0x99 => "™",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
