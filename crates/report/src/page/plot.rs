//! Plots of shares with their intervals, a line for each label. A page draws them as SVG; positions are percents of the width
//! and sizes are pixels, so that a plot fits every width and its text keeps its size. All else shows the numbers as a table.

use super::Table;
use crate::clean::clean_line;
use crate::words::NONE;
use eval::MetricSummary;
use maud::{Markup, html};

/// A share with its interval.
#[derive(Clone, Debug, Default)]
pub struct Mark {
    /// The share, 0 to 1.
    pub value: f64,
    /// Its interval.
    pub interval: (f64, f64),
    /// The same in figures.
    pub text: String,
}

impl Mark {
    /// A share, and what is said behind it and its interval.
    pub fn new(value: f64, (low, high): (f64, f64), more: &str) -> Self {
        Self { value, interval: (low, high), text: format!("{value:.3} [{low:.2}, {high:.2}]{more}") }
    }

    /// A mean, if there is one.
    pub fn mean(metric: &MetricSummary) -> Option<Self> {
        Some(Self::new(metric.mean?, (metric.ci_low?, metric.ci_high?), ""))
    }
}

/// A line of a plot.
#[derive(Clone, Debug, Default)]
pub struct PlotRow {
    /// What its values are of.
    pub label: String,
    /// One for each series.
    pub marks: Vec<Option<Mark>>,
    /// Figures under [`Plot::more`].
    pub more: Vec<String>,
}

/// Shares of one or more series.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// What it shows.
    pub caption: String,
    /// The series, such as the modes.
    pub series: Vec<String>,
    /// Titles of further figures, which are not drawn.
    pub more: Vec<String>,
    /// Its lines.
    pub rows: Vec<PlotRow>,
}

/// Pixels between two marks of a line.
const LANE: usize = 16;
/// What stands below the lines.
const TICKS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

impl Plot {
    /// A plot without lines.
    pub fn new<'a>(caption: impl Into<String>, series: impl Iterator<Item = &'a str>) -> Self {
        Self { caption: caption.into(), series: series.map(str::to_owned).collect(), ..Self::default() }
    }

    /// Adds a line, unless it has no value.
    pub fn row(
        &mut self,
        label: impl Into<String>,
        marks: impl Iterator<Item = Option<Mark>>,
        more: Vec<String>,
    ) {
        let (label, marks) = (label.into(), marks.collect::<Vec<_>>());
        if marks.iter().any(Option::is_some) {
            self.rows.push(PlotRow { label, marks, more });
        }
    }

    /// Its numbers.
    pub(super) fn table(&self) -> Table {
        let blank = String::new();
        let heads = [&blank].into_iter().chain(&self.series).chain(&self.more);
        let row = |row: &PlotRow| {
            let text =
                |mark: &Option<Mark>| mark.as_ref().map_or_else(|| NONE.to_owned(), |mark| mark.text.clone());
            let texts = row.marks.iter().map(text).chain(row.more.iter().cloned());
            std::iter::once(row.label.clone()).chain(texts).collect()
        };
        Table {
            caption: self.caption.clone(),
            headers: heads.cloned().collect(),
            rows: self.rows.iter().map(row).collect(),
        }
    }

    /// Drawn, with the numbers beside.
    pub(super) fn svg(&self) -> Markup {
        html! {
            figure {
                figcaption { (clean_line(&self.caption)) }
                p class="legend" {
                    @for (at, name) in self.series.iter().enumerate() {
                        span class=(series(at)) { svg width="14" height="12" aria-hidden="true" { (shape(at, "7", 6)) } " " (clean_line(name)) } " "
                    }
                }
                div class="rows" {
                    @for row in &self.rows { (self.line(row)) }
                    div class="row" {
                        span {}
                        svg class="axis" width="100%" height="16" aria-hidden="true" {
                            @for tick in TICKS {
                                @let anchor = if tick <= 0.0 { "start" } else if tick >= 1.0 { "end" } else { "middle" };
                                text x=(x(tick)) y="12" text-anchor=(anchor) { (tick) }
                            }
                        }
                        span {}
                    }
                }
            }
        }
    }

    fn line(&self, row: &PlotRow) -> Markup {
        let marks = row.marks.iter().enumerate().filter_map(|(at, mark)| Some((at, mark.as_ref()?)));
        let marks: Vec<(usize, &Mark)> = marks.collect();
        let named = |at: usize| self.series.get(at).map_or("", String::as_str);
        let mut texts: Vec<String> =
            marks.iter().map(|(at, mark)| format!("{} {}", named(*at), mark.text)).collect();
        let more = self.more.iter().zip(&row.more).filter(|(_, text)| !text.is_empty());
        let more: Vec<String> = more.map(|(title, text)| format!("{title} {text}")).collect();
        texts.extend((!more.is_empty()).then(|| more.join("; ")));
        let texts: Vec<String> = texts.iter().map(|text| clean_line(text)).collect();
        let label = clean_line(&format!("{}: {}", row.label, texts.join("; ")));
        html! {
            div class="row" {
                span class="label" { (clean_line(&row.label)) }
                svg class="strip" width="100%" height=(LANE * marks.len() + 4) role="img" aria-label=(label) {
                    title { (label) }
                    @for tick in TICKS { line class="grid" x1=(x(tick)) x2=(x(tick)) y1="0" y2="100%" {} }
                    @for (lane, (at, mark)) in marks.iter().enumerate() {
                        @let y = LANE * lane + LANE / 2 + 2;
                        g class=(series(*at)) {
                            line class="whisker" x1=(x(mark.interval.0)) x2=(x(mark.interval.1)) y1=(y) y2=(y) {}
                            (shape(*at, &x(mark.value), y))
                        }
                    }
                }
                span class="number" { @for text in &texts { span { (text) } } }
            }
        }
    }
}

/// The place of a share; values outside are put at the edge.
fn x(value: f64) -> String {
    format!("{:.2}%", (100.0 * value).clamp(0.0, 100.0))
}

/// The class of a series; a third one has the colour of the first.
fn series(at: usize) -> &'static str {
    if at.is_multiple_of(2) { "s0" } else { "s1" }
}

/// A circle or a square: series differ without colour too.
fn shape(at: usize, x: &str, y: usize) -> Markup {
    html! {
        svg x=(x) y=(y) overflow="visible" width="1" height="1" {
            @if at.is_multiple_of(2) { circle class="dot" cx="0" cy="0" r="4.5" {} }
            @else { rect class="dot" x="-4" y="-4" width="8" height="8" {} }
        }
    }
}
