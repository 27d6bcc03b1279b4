//! Plots as SVG. Positions are percents of the width, sizes are pixels: a plot fits every width, and its text keeps its size.

use maud::{Markup, html};

/// The values that an axis shows.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    ticks: Vec<(f64, String)>,
    /// A value that is drawn as a line across, such as no difference.
    reference: Option<f64>,
}

impl Scale {
    /// Shares, 0 to 1.
    pub(super) fn shares() -> Self {
        let ticks = [0.0, 0.25, 0.5, 0.75, 1.0];
        Self {
            low: 0.0,
            high: 1.0,
            ticks: ticks.map(|tick| (tick, format!("{tick}"))).to_vec(),
            reference: None,
        }
    }

    /// Differences, as far out as the largest of `values`, with zero in the middle.
    pub(super) fn differences(values: impl Iterator<Item = f64>) -> Self {
        let reach = values
            .filter(|v| v.is_finite())
            .fold(0.0_f64, |most, v| most.max(v.abs()));
        let reach = [0.1, 0.2, 0.5, 1.0, 2.0, 3.0]
            .into_iter()
            .find(|step| reach <= *step)
            .unwrap_or(reach);
        let signed = |v: f64| if v > 0.0 { format!("+{v}") } else { format!("{v}") };
        Self {
            low: -reach,
            high: reach,
            ticks: [-reach, -reach / 2.0, 0.0, reach / 2.0, reach]
                .map(|v| (v, signed(v)))
                .to_vec(),
            reference: Some(0.0),
        }
    }

    /// From zero to at least `most`, with round numbers.
    pub(super) fn from_zero(most: f64) -> Self {
        let power = if most > 0.0 {
            10.0_f64.powf(most.log10().floor())
        } else {
            1.0
        };
        let step = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0]
            .into_iter()
            .find(|step| most <= step * power)
            .unwrap_or(10.0);
        let high = step * power;
        Self {
            low: 0.0,
            high,
            ticks: [0.0, high / 2.0, high].map(|v| (v, format!("{v}"))).to_vec(),
            reference: None,
        }
    }

    /// The place of a value, as a percent; values outside are put at the edge.
    fn at(&self, value: f64) -> f64 {
        if self.high <= self.low {
            return 0.0;
        }
        (100.0 * (value - self.low) / (self.high - self.low)).clamp(0.0, 100.0)
    }

    fn x(&self, value: f64) -> String {
        format!("{:.2}%", self.at(value))
    }

    fn y(&self, value: f64) -> String {
        format!("{:.2}%", 100.0 - self.at(value))
    }
}

/// A value with its interval, in the colour and shape of a series.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    /// The series: the mode, by its place.
    pub(super) series: usize,
    /// The value.
    pub(super) value: f64,
    /// The interval.
    pub(super) interval: Option<(f64, f64)>,
    /// Whether it is a bar from the left edge.
    pub(super) bar: bool,
}

/// Pixels between two marks of a strip.
const LANE: usize = 16;

/// Marks in lanes of one line; `label` says in words what it shows.
pub(super) fn strip(scale: &Scale, marks: &[Mark], label: &str) -> Markup {
    let height = LANE * marks.len().max(1) + 4;
    html! {
        svg class="strip" width="100%" height=(height) role="img" aria-label=(label) {
            title { (label) }
            @for (tick, _) in &scale.ticks {
                line class="grid" x1=(scale.x(*tick)) x2=(scale.x(*tick)) y1="0" y2="100%" {}
            }
            @if let Some(reference) = scale.reference {
                line class="zero" x1=(scale.x(reference)) x2=(scale.x(reference)) y1="0" y2="100%" {}
            }
            @for (lane, mark) in marks.iter().enumerate() {
                (drawn(scale, mark, LANE * lane + LANE / 2 + 2))
            }
        }
    }
}

fn drawn(scale: &Scale, mark: &Mark, y: usize) -> Markup {
    html! {
        g class=(series(mark.series)) {
            @if mark.bar {
                rect class="bar" x="0" y=(y - 5) height="10" width=(scale.x(mark.value)) {}
            }
            @if let Some((low, high)) = mark.interval {
                line class="whisker" x1=(scale.x(low)) x2=(scale.x(high)) y1=(y) y2=(y) {}
            }
            @if !mark.bar {
                svg x=(scale.x(mark.value)) y=(y) overflow="visible" width="1" height="1" { (shape(mark.series)) }
            }
        }
    }
}

/// The class of a series; a third mode has the colour of the first.
pub(super) fn series(at: usize) -> &'static str {
    if at.is_multiple_of(2) { "s0" } else { "s1" }
}

/// A filled circle, or an open square: series differ without colour too.
fn shape(at: usize) -> Markup {
    html! {
        @if at.is_multiple_of(2) { circle class="dot" cx="0" cy="0" r="4.5" {} }
        @else { rect class="dot open" x="-4" y="-4" width="8" height="8" {} }
    }
}

/// Which shape is which mode.
pub(super) fn legend<'a>(modes: impl Iterator<Item = &'a str>) -> Markup {
    html! {
        p class="legend" {
            @for (at, mode) in modes.enumerate() {
                span class=(series(at)) {
                    svg width="14" height="12" aria-hidden="true" {
                        svg x="7" y="6" overflow="visible" width="1" height="1" { (shape(at)) }
                    }
                    " " (mode)
                } " "
            }
        }
    }
}

/// The numbers below strips.
pub(super) fn axis(scale: &Scale) -> Markup {
    let last = scale.ticks.len().saturating_sub(1);
    html! {
        svg class="axis" width="100%" height="16" aria-hidden="true" {
            @for (at, (tick, text)) in scale.ticks.iter().enumerate() {
                @let anchor = if at == 0 { "start" } else if at == last { "end" } else { "middle" };
                text x=(scale.x(*tick)) y="12" text-anchor=(anchor) { (text) }
            }
        }
    }
}

/// Axes of a plot of one share against another, around `body`, whose positions are those of [`point`], [`step`] and
/// [`diagonal`].
pub(super) fn square(label: &str, x_title: &str, y_title: &str, body: &Markup) -> Markup {
    let scale = Scale::shares();
    html! {
        svg class="square" width="100%" height="250" role="img" aria-label=(label) {
            title { (label) }
            text class="axis-title" x="0" y="12" { (y_title) }
            svg x="10%" y="24" width="84%" height="176" overflow="visible" {
                @for (tick, text) in &scale.ticks {
                    line class="grid" x1="0" x2="100%" y1=(scale.y(*tick)) y2=(scale.y(*tick)) {}
                    text x="-6" y=(scale.y(*tick)) dy="4" text-anchor="end" { (text) }
                    text x=(scale.x(*tick)) y="100%" dy="18" text-anchor="middle" { (text) }
                }
                (body)
            }
            text class="axis-title" x="94%" y="240" text-anchor="end" { (x_title) }
        }
    }
}

/// A point with its vertical interval.
pub(super) fn point(at: usize, x: f64, y: f64, interval: Option<(f64, f64)>, label: &str) -> Markup {
    let scale = Scale::shares();
    html! {
        g class=(series(at)) {
            @if let Some((low, high)) = interval {
                line class="whisker" x1=(scale.x(x)) x2=(scale.x(x)) y1=(scale.y(low)) y2=(scale.y(high)) {}
            }
            svg x=(scale.x(x)) y=(scale.y(y)) overflow="visible" width="1" height="1" { (shape(at)) title { (label) } }
        }
    }
}

/// A line from one point to another.
pub(super) fn step(at: usize, from: (f64, f64), to: (f64, f64)) -> Markup {
    let scale = Scale::shares();
    html! {
        g class=(series(at)) {
            line class="curve" x1=(scale.x(from.0)) y1=(scale.y(from.1)) x2=(scale.x(to.0)) y2=(scale.y(to.1)) {}
        }
    }
}

/// Where the two shares are equal.
pub(super) fn diagonal() -> Markup {
    html! { line class="zero" x1="0" y1="100%" x2="100%" y2="0" {} }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_where_the_scale_says() {
        let check = |scale: &Scale, value: f64, want: &str| assert_eq!(scale.x(value), want, "{value}");
        check(&Scale::shares(), 0.25, "25.00%");
        check(&Scale::shares(), 7.0, "100.00%");
        let differences = Scale::differences([0.03, -0.15, f64::NAN].into_iter());
        check(&differences, 0.0, "50.00%");
        check(&differences, -0.15, "12.50%");
        check(&Scale::from_zero(37.0), 20.0, "50.00%");
        check(&Scale::from_zero(0.0), 0.0, "0.00%");
        assert_eq!(Scale::shares().y(0.25), "75.00%");
    }
}
