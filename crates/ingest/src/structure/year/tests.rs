//! Years of made-up pages.

use super::*;

/// The year of a page with these lines at these heights, of 100, and this stamp in its margin.
fn stamped(stamp: &str, lines: &[(f32, &str)], doi: Option<&str>) -> Option<u16> {
    let line = |(y, text): &(f32, &str)| Line {
        page: 1,
        text: (*text).to_owned(),
        y: *y,
        size: 1.0,
        page_height: 100.0,
        ..Line::default()
    };
    let lines: Vec<Line> = lines.iter().map(line).collect();
    year(&lines, &[], &[(1, stamp.to_owned())], doi)
}

fn of(lines: &[(f32, &str)], doi: Option<&str>) -> Option<u16> {
    stamped("", lines, doi)
}

#[track_caller]
fn check(lines: &[(f32, &str)], want: Option<u16>) {
    assert_eq!(of(lines, None), want, "{lines:?}");
}

#[test]
fn the_year_is_that_of_publication() {
    check(
        &[(30.0, "Received: 3 May 2018 / Accepted: 2 June 2018 / Published online: 7 January 2019")],
        Some(2019),
    );
    check(
        &[(30.0, "received 3 May 2017; accepted 2 June 2018; published online 7 January 2019")],
        Some(2019),
    );
    check(&[(30.0, "Received 3 May 2017"), (31.0, "© 2018 The Authors")], Some(2018));
    check(&[(30.0, "Received 3 May 2017")], None);
    check(&[(30.0, "Received 3 May 2017; accepted 2 June 2018")], Some(2018));
    check(&[(30.0, "Received 3 May 2017; accepted 2 December 2018")], None);
    check(&[(3.0, "J Slime (2017) 12:345–350"), (30.0, "Received 3 May 2016")], Some(2017));
    check(&[(3.0, "Slime 220 (2017) 1161–1167")], Some(2017));
    check(&[(97.0, "J Slime 2004;13:447")], Some(2004));
    check(&[(30.0, "Published:"), (32.0, "4 October 2022")], Some(2022));
    check(&[(3.0, "Downloaded from snails.org on 3 May 2024"), (97.0, "© Snails 2011")], Some(2011));
    check(&[(50.0, "In all trials that were published in 2010 the snails slept badly, as we know.")], None);
    check(&[(50.0, "The census of 2001 counted the snails of all of the gardens.")], None);
    check(&[(30.0, "Accepted 2 June 2018"), (97.0, "© 2012 Slime Press")], Some(2018));
}

#[test]
fn the_citation_and_the_doi_name_the_year() {
    let cited =
        [(40.0, "Citation: Berg, A.; Ash, T. Snails of"), (41.0, "the garden. Slime 2022, 14, 4849.")];
    assert_eq!(of(&cited, None), Some(2022));
    assert_eq!(of(&[(50.0, "Snails")], Some("10.1000/j.slime.2015.07.004")), Some(2015));
    assert_eq!(of(&[(97.0, "© 2016 A. Berg")], Some("10.1000/j.slime.2015.07.004")), Some(2016));
    assert_eq!(of(&[(50.0, "Snails")], Some("10.1000/20151234")), None);
}

#[test]
fn a_preprint_has_the_date_of_its_stamp() {
    let stamped = |stamp: &str, lines: &[(f32, &str)]| stamped(stamp, lines, None);
    let arxiv = "arXiv:2501.10120v1 [cs.IR] 17 Jan 2025";
    assert_eq!(stamped(arxiv, &[(50.0, "Snails")]), Some(2025));
    assert_eq!(stamped("arXiv:hep-th/9901001v3 24 Jul 1999", &[(50.0, "Snails")]), Some(1999));
    assert_eq!(stamped("arXiv:2501.10120v1[cs.IR]17Jan2025", &[(50.0, "Snails")]), Some(2025));
    // Better: where the paper was published.
    assert_eq!(stamped(arxiv, &[(97.0, "© 2024 Slime Press")]), Some(2024));
    // Worse: a year at the foot of the page.
    assert_eq!(stamped(arxiv, &[(97.0, "Snail Conference 2023, Lower Wood")]), Some(2025));
    assert_eq!(stamped("Published on 1 June 2014. Downloaded on 10/05/2016", &[(50.0, "S")]), Some(2014));
    assert_eq!(stamped("1990 2000 2010", &[(50.0, "Snails")]), None);
    check(&[(3.0, arxiv)], Some(2025));
    check(&[(97.0, "Preprint arXiv:1901.03003, 2019")], None);
    let posted = "bioRxiv preprint doi: https://doi.org/10.1101/2023.12.05.5; this version posted January 5, 2024. The \
                  copyright holder for this preprint is the author";
    check(&[(3.0, posted)], Some(2024));
    check(&[(20.0, "Posted Date: 4 January 2024")], Some(2024));
    check(&[(20.0, "Date Written: March 1, 2019"), (21.0, "Last revised: 3 May 2021")], Some(2019));
    check(&[(30.0, "January 17, 2025")], Some(2025));
    check(&[(30.0, "(Dated: January 17, 2025)")], Some(2025));
}

#[test]
fn a_printed_issue_comes_before_received_and_accepted() {
    let received = (60.0, "Received 3 May 2017; accepted 2 June 2018");
    check(&[(4.0, "SLIME TRANSACTIONS, VOL. 12, NO. 3, MARCH 2019"), received], Some(2019));
    check(&[(4.0, "Vol. 12, No. 3, September/October 2019"), received], Some(2019));
    check(&[(18.0, "Volume 12, Issue 3 (2019)"), received], Some(2019));
    check(&[(97.0, "June 2019 | Volume 9 | Article 123"), received], Some(2019));
    check(&[(4.0, "Spring 2019"), received], Some(2019));
    check(&[(4.0, "July–August 2019"), received], Some(2019));
    check(&[(4.0, "Snails, Vol. 12, pp. 1980–1990, 2019")], Some(2019));
    check(&[(97.0, "Published: 2019-03-12")], Some(2019));
    check(&[(97.0, "© 1999–2019 Slime Press")], Some(2019));
}

#[test]
fn other_works_have_other_years() {
    let refs =
        [(30.0, "References"), (40.0, "Berg A. Snails. Slime 2004;13:447."), (97.0, "J Slime 45 (1999) 123")];
    check(&refs, None);
    check(&[(97.0, "Data: UK Biobank, release of 2017")], None);
    check(&[(97.0, "Snail Conference 2017")], Some(2017));
    check(&[(97.0, "https://2023.snails.org/committees/")], None);
    check(&[(97.0, "we took the counts of the garden census 2019 and")], None);
    check(&[(97.0, "This is open. © 2016 The Authors. Open access under the CC BY license")], Some(2016));
    check(&[(50.0, "He received in 2010 what others published in 2012 at the edge of the wood")], None);
    check(
        &[(30.0, "References"), (60.0, "Received 3 May 2017; accepted 2 June 2018; published 3 May 2019")],
        Some(2019),
    );
}
