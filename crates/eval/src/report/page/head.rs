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
            meta http-equiv="Content-Security-Policy" content=(policy);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="referrer" content="no-referrer";
            meta name="color-scheme" content="light dark";
            title { "Evaluation report " (run_id) }
            style { (PreEscaped(STYLE)) }
        }
    }
}
