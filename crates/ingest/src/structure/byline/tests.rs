//! Bylines of made-up pages.

use super::*;
use crate::layout::line::Cell;

/// A line at this height in this size; "^" stands for a raised mark, "|" for a wide gap.
fn line(y: f32, size: f32, text: &str) -> Line {
    let mut raised = Vec::new();
    let mut plain = String::new();
    for c in text.chars() {
        match c {
            '^' => {
                raised.push((plain.len(), plain.len() + 1));
                plain.push('a');
            }
            '|' => plain.push(' '),
            c => plain.push(c),
        }
    }
    let cell = |text: &str| Cell { x0: 0.0, x1: 0.0, text: text.replace('^', "a") };
    Line {
        page: 1,
        region: 1,
        cells: if text.contains('|') { text.split('|').map(cell).collect() } else { Vec::new() },
        text: plain,
        raised,
        y,
        size,
        page_height: 800.0,
        ..Line::default()
    }
}

const TITLE: &str = "Sleep and the growth of garden snails";

/// The authors of a page with a title at the height 100 and these lines, in the order of reading.
fn read(lines: &[Line], author_field: Option<&str>) -> Vec<String> {
    let title = Part {
        text: TITLE.to_owned(),
        page: 1,
        region: 1,
        top: 100.0,
        bottom: 100.0,
        size: 18.0,
        ..Part::default()
    };
    let mut all: Vec<Line> = lines.to_vec();
    let at = all.iter().position(|l| l.y > 100.0).unwrap_or(all.len());
    all.insert(at, line(100.0, 18.0, TITLE));
    authors(&Front { lines: &all, running: &[], title: &[title], author_field })
}

fn check(lines: &[(f32, f32, &str)], want: &[&str]) {
    let lines: Vec<Line> = lines.iter().map(|(y, size, text)| line(*y, *size, text)).collect();
    assert_eq!(read(&lines, None), want, "{lines:?}");
}

#[test]
fn marks_of_affiliations_support_a_byline() {
    check(
        &[
            (120.0, 11.0, "Jane A. Lam^^, Li Wu^ and"),
            (134.0, 11.0, "Óscar de la Cruz^"),
            (150.0, 9.0, "Lower Wood"),
        ],
        &["Jane A. Lam", "Li Wu", "Óscar de la Cruz"],
    );
}

#[test]
fn an_institution_or_an_address_supports_a_byline() {
    check(&[(120.0, 11.0, "Anna Berg"), (134.0, 9.0, "University of Nowhere, Lower Wood")], &["Anna Berg"]);
    check(
        &[
            (120.0, 11.0, "Anna Berg, Tom Ash"),
            (134.0, 9.0, "Lower Wood"),
            (700.0, 8.0, "E-mail: a.berg@snail.org"),
        ],
        &["Anna Berg", "Tom Ash"],
    );
    check(&[(120.0, 11.0, "Anna Berg"), (700.0, 8.0, "Copyright 2016 Anna Berg et al.")], &["Anna Berg"]);
}

#[test]
fn names_without_support_are_no_authors() {
    check(&[(120.0, 14.0, "Radio Checkboxes")], &[]);
    check(&[(120.0, 14.0, "Evenings in Lower Wood")], &[]);
    check(
        &[(120.0, 11.0, "THIS DAY."), (140.0, 10.0, "so that on this day the snails of the day slept")],
        &[],
    );
    check(
        &[
            (120.0, 14.0, "Garden Sleep"),
            (134.0, 9.0, "University of Nowhere"),
            (150.0, 9.0, "the garden where they sleep"),
        ],
        &[],
    );
    check(&[(120.0, 11.0, "In April 2023 the snails of all of the gardens were asleep again")], &[]);
}

#[test]
fn each_author_may_stand_above_an_institution() {
    check(
        &[
            (120.0, 11.0, "Anna Berg"),
            (134.0, 9.0, "University of Nowhere"),
            (160.0, 11.0, "Tom Ash"),
            (174.0, 9.0, "Institute of Slime"),
            (200.0, 11.0, "Abstract"),
            (214.0, 11.0, "Lower Wood"),
        ],
        &["Anna Berg", "Tom Ash"],
    );
    check(
        &[(120.0, 11.0, "Anna Berg|Tom Ash|Jo Falk"), (134.0, 9.0, "University of Nowhere")],
        &["Anna Berg", "Tom Ash", "Jo Falk"],
    );
}

#[test]
fn authors_may_stand_above_the_title() {
    check(
        &[
            (60.0, 11.0, "Anna Berg · Tom Ash · Jo Falk"),
            (74.0, 11.0, "Kim Oster · Li Wu"),
            (700.0, 8.0, "A. Berg · T. Ash (*)"),
            (710.0, 8.0, "Institute of Slime, e-mail: ash@snail.org"),
        ],
        &["Anna Berg", "Tom Ash", "Jo Falk", "Kim Oster", "Li Wu"],
    );
}

#[test]
fn metadata_completes_or_replaces_what_is_printed() {
    let lines =
        [line(120.0, 11.0, "Anna Berg^, Tom A$h^, Jo Falk^"), line(700.0, 8.0, "Tom Ash wrote this.")];
    assert_eq!(read(&lines, None), ["Anna Berg", "Jo Falk"]);
    assert_eq!(read(&lines, Some("Anna Berg; Tom Ash; Jo Falk")), ["Anna Berg", "Tom Ash", "Jo Falk"]);
    assert_eq!(
        read(&lines, Some("Anna Berg; Kim Oster; Jo Falk; Tom Ash")),
        ["Anna Berg", "Jo Falk", "Tom Ash"]
    );
    let lines = [line(400.0, 8.0, "by ANNA BERG of Lower Wood")];
    assert_eq!(read(&lines, Some("Berg, Anna")), ["Anna Berg"]);
    assert_eq!(read(&lines, Some("Acrobat User")), [""; 0]);
}

/// A column of a grid: authors with their institution and mail, at these heights.
fn grid_column(region: u32, x0: f32, names: &[(f32, &str)], size: f32) -> Vec<Line> {
    let below = |y: f32, text: &str| (y, 9.0, text.to_owned());
    let lines = names.iter().flat_map(|(y, name)| {
        let mail = format!("{}@snail.org", name.rsplit(' ').next().unwrap_or_default().to_lowercase());
        let name = (*y, size, (*name).to_owned());
        [name, below(y + 11.0, "Institute of Slime"), below(y + 20.0, "Lower Wood"), below(y + 29.0, &mail)]
    });
    let placed = |(y, size, text): (f32, f32, String)| Line { region, x0, ..line(y, size, &text) };
    lines.map(placed).collect()
}

#[test]
fn a_grid_of_authors_is_read_row_by_row() {
    for size in [11.0, 9.0] {
        let mut lines = grid_column(2, 50.0, &[(120.0, "Anna Berg"), (170.0, "Kim Oster")], size);
        lines.push(line(220.0, 11.0, "Abstract"));
        lines.push(line(232.0, 9.0, "Lower Wood"));
        let mut right = grid_column(3, 300.0, &[(120.0, "Tom Ash"), (170.0, "Jo Falk")], size);
        right.push(line(232.0, size, "Garden Sleep"));
        // A column with few lines below it looks like a margin.
        for line in &mut right {
            line.margin = true;
        }
        lines.extend(right);
        assert_eq!(read(&lines, None), ["Anna Berg", "Tom Ash", "Kim Oster", "Jo Falk"], "{size}");
    }
}

#[test]
fn a_grid_is_no_text_behind_the_first_heading() {
    let part = |region: u32, y: f32, text: &str| Part {
        text: text.to_owned(),
        page: 1,
        region,
        top: y,
        bottom: y,
        ..Part::default()
    };
    let prose = "Snails that sleep long grow faster than snails that sleep little, as we show here.";
    let mut parts = vec![
        part(1, 100.0, TITLE),
        part(2, 120.0, "Anna Berg"),
        part(2, 220.0, "Abstract"),
        part(3, 120.0, "Tom Ash"),
        part(3, 131.0, "Institute of Slime, Lower Wood"),
        part(3, 150.0, prose),
        part(3, 232.0, "Tom Ash"),
        part(4, 131.0, "Garden Sleep"),
    ];
    let authors = ["Anna Berg".to_owned(), "Tom Ash".to_owned()];
    assert_eq!(clear(&mut parts, &(0..1), &authors), (1, 8 + 6 + 26));
    let kept: Vec<&str> = parts.iter().filter(|p| p.kind == Kind::Text).map(|p| p.text.as_str()).collect();
    assert_eq!(kept, [TITLE, "Abstract", prose, "Tom Ash", "Garden Sleep"]);
}

#[test]
fn a_team_below_the_names_is_an_author() {
    let mut lines = vec![
        line(120.0, 11.0, "Anna Berg^, Tom Ash^"),
        line(134.0, 9.0, "on behalf of the SLEEP Study Group"),
        line(150.0, 9.0, "University of Nowhere"),
    ];
    assert_eq!(read(&lines, None), ["Anna Berg", "Tom Ash", "SLEEP Study Group"]);
    lines[1] = line(134.0, 9.0, "Slime Publishing Group");
    assert_eq!(read(&lines, None), ["Anna Berg", "Tom Ash"]);
}
