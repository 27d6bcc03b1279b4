//! Where the results come from, and every setting with what it means.

use super::super::{Evaluation, Setting, closing::provenance_grid};
use super::table;
use crate::Ordered;
use maud::{Markup, html};

/// The section.
pub(super) fn body(evaluation: &Evaluation) -> Markup {
    let help = &evaluation.help;
    let mut by_section: Ordered<Vec<&Setting>> = Ordered::default();
    for setting in &evaluation.provenance.architecture {
        by_section.entry(&setting.section).push(setting);
    }
    let explained = !help.0.is_empty();
    let changed: usize = by_section
        .iter()
        .flat_map(|(_, settings)| settings)
        .filter(|setting| help.is_changed(setting))
        .count();
    html! {
        (table::table(&provenance_grid(evaluation), "Where the results come from"))
        @if by_section.is_empty() { p { "The settings of this run are not known." } }
        @else if explained {
            p {
                @match changed {
                    0 => "Every setting has its default value.",
                    1 => "One setting differs from its default; it is marked.",
                    n => { (n) " settings differ from their defaults; they are marked." }
                }
            }
        }
        @for (section, settings) in by_section.iter() {
            details class="settings" open[explained && settings.iter().any(|setting| help.is_changed(setting))] {
                summary { code { "[" (section) "]" } " " span class="n" { (settings.len()) " settings" } }
                dl { @for setting in settings { (entry(evaluation, setting, explained)) } }
            }
        }
    }
}

fn entry(evaluation: &Evaluation, setting: &Setting, explained: bool) -> Markup {
    let help = evaluation.help.of(setting);
    let changed = explained && evaluation.help.is_changed(setting);
    html! {
        dt class=[changed.then_some("changed")] {
            code { (setting.key) " = " (setting.value) }
            @if changed {
                strong { " changed" }
                @match help { Some(help) => { " (default " code { (help.default) } ")" } None => " (not a setting of this version)" }
            }
        }
        @if let Some(help) = help { dd { (help.text) } }
    }
}
