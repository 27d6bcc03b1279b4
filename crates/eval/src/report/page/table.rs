//! Tables.

use super::super::Grid;
use maud::{Markup, html};

/// A cell with more characters keeps a width in which it can be read: the table scrolls instead.
const LONG: usize = 40;

/// A table that scrolls sideways where the window is narrow; the first column heads its rows.
pub(super) fn table(grid: &Grid, caption: &str) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(caption) {
            table {
                caption { (caption) }
                thead { tr { @for header in &grid.headers { th scope="col" { (header) } } } }
                tbody {
                    @for row in &grid.rows {
                        tr {
                            @for (at, cell) in row.iter().enumerate() {
                                @if at == 0 { th scope="row" { (cell) } }
                                @else { td class=[(cell.chars().count() > LONG).then_some("long")] { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The numbers behind a plot, folded.
pub(super) fn behind(grid: &Grid, caption: &str) -> Markup {
    html! {
        details class="data" {
            summary { "Numbers as a table" }
            (table(grid, caption))
        }
    }
}
