//! The head of the page: its policy, its title, its style.

use base64::{Engine, engine::general_purpose::STANDARD};
use maud::{Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

/// The style sheet. It is the only resource that the policy allows, by its hash.
const STYLE: &str = include_str!("style.css");

/// The head.
pub(super) fn head(run_id: &str) -> Markup {
    let hash = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
    let policy =
        format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'");
    html! {
        head {
            meta charset="utf-8";
            meta name="generator" content="pipeline";
            meta http-equiv="Content-Security-Policy" content=(policy);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="referrer" content="no-referrer";
            meta name="color-scheme" content="light dark";
            title { "Evaluation report " (run_id) }
            style { (PreEscaped(STYLE)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FailureMode;
    use std::collections::BTreeMap;

    /// The colours of each theme: light, dark, print.
    fn themes() -> Vec<BTreeMap<&'static str, [f64; 3]>> {
        let blocks = STYLE
            .split(":root{")
            .skip(1)
            .map(|rest| rest.split('}').next().unwrap_or_default());
        let colours = |block: &'static str| {
            let pairs = block
                .split([';', '\n'])
                .filter_map(|pair| pair.trim().strip_prefix("--")?.split_once(":#"));
            pairs.map(|(name, hex)| (name, rgb(hex))).collect()
        };
        blocks.map(colours).collect()
    }

    fn rgb(hex: &str) -> [f64; 3] {
        let wide: String = if hex.len() == 3 {
            hex.chars().flat_map(|c| [c, c]).collect()
        } else {
            hex.to_owned()
        };
        [0, 2, 4].map(|at| f64::from(u8::from_str_radix(&wide[at..at + 2], 16).expect("a colour")) / 255.0)
    }

    /// The contrast ratio of WCAG 2.
    fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
        let luminance = |colour: [f64; 3]| {
            let [r, g, b] = colour.map(|c| {
                if c <= 0.039_28 {
                    c / 12.92
                } else {
                    ((c + 0.055) / 1.055).powf(2.4)
                }
            });
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_has_the_contrast_that_wcag_aa_asks_for() {
        let themes = themes();
        assert_eq!(themes.len(), 3);
        let text = [
            ("fg", "bg"),
            ("soft", "bg"),
            ("link", "bg"),
            ("a", "bg"),
            ("b", "bg"),
            ("fg", "panel"),
            ("soft", "panel"),
            ("link", "panel"),
            ("good-fg", "good"),
            ("bad-fg", "bad"),
            ("bad-fg", "bg"),
            ("fg", "mid"),
            ("fg", "quote"),
            ("fg", "gold"),
        ];
        for theme in &themes {
            for (front, back) in text {
                let found = contrast(theme[front], theme[back]);
                assert!(found >= 4.5, "{front} on {back}: {found:.2} in {theme:?}");
            }
        }
    }

    #[test]
    fn every_failure_mode_has_its_filter() {
        for mode in FailureMode::ALL {
            let rule = format!("body:has(#show-{0}:checked) .q:not(.{0})", mode.key());
            assert!(STYLE.contains(&rule), "{rule}");
        }
        assert!(
            !STYLE.contains("url(") && !STYLE.contains("@import"),
            "the style loads nothing"
        );
    }
}
