//! Why a paper scored as it did.

use super::paper::{METRICS, Paper, leaks};
use super::paragraphs::{Found, stretch};
use std::fmt::Write;

/// Everything about one paper that did not count as found.
pub(super) fn paper(paper: &Paper) -> String {
    let mut out = format!("== {} ({})\n", paper.name, paper.truth.publisher);
    if let Some(reason) = &paper.failure {
        let _ = writeln!(out, "  not read: {reason}");
    }
    let values = METRICS.iter().filter_map(|m| {
        let share = paper.shares.get(m.key)?;
        Some(format!("{} {}/{}", m.key, share.hits, share.of))
    });
    let _ = writeln!(out, "  {}", values.collect::<Vec<_>>().join(", "));
    headings(paper, &mut out);
    front(paper, &mut out);
    for (at, outcome) in paper.paragraphs.iter().enumerate() {
        if !matches!(outcome.found, Found::Whole(_)) || !outcome.right_section {
            let _ = writeln!(out, "  {}", paragraph(paper, at));
        }
    }
    for reference in paper.truth.references.iter().filter(|r| leaks(r, &paper.ours)) {
        let _ = writeln!(out, "  leaked reference: {reference}");
    }
    out
}

fn headings(paper: &Paper, out: &mut String) {
    let truth = &paper.truth.headings;
    for at in &paper.headings.missed {
        let _ = writeln!(
            out,
            "  missed heading: {:?} <{}>",
            truth[*at].printed, truth[*at].of
        );
    }
    for at in &paper.headings.invented {
        let section = &paper.ours.sections[*at];
        let _ = writeln!(out, "  invented heading: {:?}", section.heading);
    }
    for at in &paper.headings.absent {
        let _ = writeln!(
            out,
            "  not in the PDF: {:?} <{}>",
            truth[*at].printed, truth[*at].of
        );
    }
}

fn front(paper: &Paper, out: &mut String) {
    let (truth, ours) = (&paper.truth.front, &paper.ours);
    let year = ours.year.map_or_else(String::new, |y| y.to_string());
    let asked = [
        ("title", format!("{:?}", truth.titles), &ours.title),
        ("year", format!("{:?}", truth.years), &year),
        ("doi", format!("{:?}", truth.doi), &ours.doi),
    ];
    for (key, wanted, got) in asked {
        if paper.shares.get(key).and_then(|s| s.value()) == Some(0.0) {
            let _ = writeln!(out, "  {key}: {got:?}, the truth has {wanted}");
        }
    }
    if paper.shares.get("first_author").and_then(|s| s.value()) == Some(0.0) {
        let first = ours.authors.first().map_or("", String::as_str);
        let _ = writeln!(
            out,
            "  first author: {first:?}, the truth has {:?}",
            truth.authors.first()
        );
    }
    for name in &paper.authors.missed {
        let _ = writeln!(out, "  missed author: {name:?}");
    }
    for name in &paper.authors.wrong {
        let _ = writeln!(out, "  wrong author: {name:?}");
    }
}

fn paragraph(paper: &Paper, at: usize) -> String {
    let (truth, outcome) = (&paper.truth.paragraphs[at], &paper.paragraphs[at]);
    let section = |n: usize| paper.ours.sections.get(n).map_or("", |s| s.heading.as_str());
    let under = truth.under.first().map_or("", |h| h.printed.as_str());
    let what = match outcome.found {
        Found::Whole(place) => format!(
            "whole, but under {:?} instead of {under:?}",
            section(place.section)
        ),
        Found::Parts(place) if outcome.right_section => {
            format!("in parts, {}", cut(paper, at, place.section))
        }
        Found::Parts(place) => {
            let place = place.section;
            format!(
                "in parts, under {:?} instead of {under:?}, {}",
                section(place),
                cut(paper, at, place)
            )
        }
        Found::Lost => format!("lost, {}", cut(paper, at, usize::MAX)),
    };
    format!("paragraph {:?}: {what}", truth.start)
}

/// How far the paragraph can be followed, from its first run that is not found, and what stands there in our text. Looks
/// in `section` first.
fn cut(paper: &Paper, at: usize, section: usize) -> String {
    let runs = &paper.truth.paragraphs[at].runs;
    let sections = &paper.ours.sections;
    let everywhere = |run: &str| sections.iter().any(|s| s.letters.contains(run));
    let Some(run) = runs.iter().find(|run| match sections.get(section) {
        Some(s) => !s.letters.contains(run.as_str()),
        None => !everywhere(run),
    }) else {
        return "all of its parts are there, apart from each other or in another order".to_owned();
    };
    let chars = run.chars().count();
    let order = sections.get(section).into_iter().chain(sections);
    // How long a beginning is found can be halved down: a longer one is never found where a shorter one is not.
    let best = order
        .map(|s| (longest_start(&s.letters, run), s))
        .reduce(|a, b| if b.0 > a.0 { b } else { a });
    let in_print = paper.printed.as_deref().map(|all| all.contains(run.as_str()));
    let printed = match in_print {
        Some(true) => "; PDFium's text has it whole",
        Some(false) => "; PDFium's text has it no better whole",
        None => "",
    };
    match best {
        Some((found, s)) if found >= 10 => {
            let begin: String = run.chars().take(found).collect();
            let behind = s.letters.find(&begin).map_or(0, |i| i + begin.len());
            let follows = stretch(&s.letters[behind..], 0);
            let wanted = stretch(run, found);
            format!(
                "cut after {found} of {chars} letters under {:?}: {follows:?} follows instead of {wanted:?}{printed}",
                s.heading
            )
        }
        _ => format!("its beginning {:?} is nowhere{printed}", stretch(run, 0)),
    }
}

/// How many characters of `run` from its beginning stand somewhere in `text`.
fn longest_start(text: &str, run: &str) -> usize {
    let ends: Vec<usize> = run.char_indices().map(|(i, _)| i).chain([run.len()]).collect();
    ends.partition_point(|end| text.contains(&run[..*end]))
        .saturating_sub(1)
}
