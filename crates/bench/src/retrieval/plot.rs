//! Lines on logarithmic axes, as SVG.

use std::fmt::Write;

/// One line.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) name: &'static str,
    /// Above 0.
    pub(super) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 320.0;
/// Room for labels: left of a panel, right of it, above and below.
const LEFT: f64 = 60.0;
const RIGHT: f64 = 130.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 40.0;
const COLOURS: [&str; 5] = ["#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#b8860b"];

/// Whole powers of ten around some values.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axis {
    from: i32,
    to: i32,
}

impl Axis {
    fn around(values: impl Iterator<Item = f64>) -> Self {
        let logs: Vec<f64> = values.filter(|v| *v > 0.0).map(f64::log10).collect();
        let low = logs.iter().copied().fold(f64::INFINITY, f64::min);
        let high = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if logs.is_empty() {
            return Self { from: 0, to: 1 };
        }
        let from = low.floor() as i32;
        Self {
            from,
            to: (high.ceil() as i32).max(from + 1),
        }
    }

    /// Where a value lies, from 0 to 1.
    fn place(self, value: f64) -> f64 {
        (value.log10() - f64::from(self.from)) / f64::from(self.to - self.from)
    }

    fn ticks(self) -> impl Iterator<Item = f64> {
        (self.from..=self.to).map(|power| 10_f64.powi(power))
    }
}

/// Draws one panel for each list of lines, side by side; the horizontal axis counts chunks.
pub(super) fn draw(panels: &[Vec<Line>]) -> String {
    let panel_width = LEFT + WIDTH + RIGHT;
    let (width, height) = (panel_width * panels.len() as f64, TOP + HEIGHT + BOTTOM);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (at, lines) in panels.iter().enumerate() {
        let _ = writeln!(
            svg,
            "<g transform=\"translate({},{TOP})\">",
            at as f64 * panel_width + LEFT
        );
        panel(&mut svg, lines);
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

fn panel(svg: &mut String, lines: &[Line]) {
    let points = || lines.iter().flat_map(|line| line.points.iter());
    let (across, up) = (
        Axis::around(points().map(|point| point.0)),
        Axis::around(points().map(|point| point.1)),
    );
    for tick in up.ticks() {
        let y = HEIGHT * (1.0 - up.place(tick));
        let _ = writeln!(svg, "<path d=\"M0 {y:.1}H{WIDTH}\" stroke=\"#ddd\"/>");
        let _ = writeln!(
            svg,
            "<text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">{tick}</text>",
            y + 4.0
        );
    }
    for tick in across.ticks() {
        let x = WIDTH * across.place(tick);
        let _ = writeln!(svg, "<path d=\"M{x:.1} 0V{HEIGHT}\" stroke=\"#ddd\"/>");
        let y = HEIGHT + 16.0;
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{tick}</text>"
        );
    }
    let (x, y) = (WIDTH / 2.0, HEIGHT + 32.0);
    let _ = writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">chunks</text>"
    );
    let place = |(x, y): &(f64, f64)| (WIDTH * across.place(*x), HEIGHT * (1.0 - up.place(*y)));
    for (line, colour) in lines.iter().zip(COLOURS.into_iter().cycle()) {
        let drawn: Vec<(f64, f64)> = line
            .points
            .iter()
            .filter(|point| point.1 > 0.0)
            .map(place)
            .collect();
        let path: Vec<String> = drawn.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            path.join(" ")
        );
        for (x, y) in &drawn {
            let _ = writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>"
            );
        }
        if let Some((x, y)) = drawn.last() {
            let (x, y) = (x + 8.0, y + 4.0);
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{colour}\">{}</text>",
                line.name
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_hold_all_values() {
        assert_eq!(Axis::around([10.0, 2000.0].into_iter()), Axis { from: 1, to: 4 });
        assert_eq!(Axis::around([0.002].into_iter()), Axis { from: -3, to: -2 });
        assert_eq!(Axis::around([0.0].into_iter()), Axis { from: 0, to: 1 });
        let axis = Axis { from: 1, to: 3 };
        assert!((axis.place(100.0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn each_line_is_drawn_with_its_name() {
        let line = |name| Line {
            name,
            points: vec![(10.0, 1.0), (100.0, 10.0)],
        };
        let svg = draw(&[vec![line("one"), line("two")], vec![line("three")]]);
        assert_eq!(svg.matches("<polyline").count(), 3);
        assert!(
            ["one", "two", "three"]
                .iter()
                .all(|name| svg.contains(&format!(">{name}<")))
        );
        assert!(svg.contains("points=\"0.0,320.0 480.0,0.0\""), "{svg}");
    }
}
