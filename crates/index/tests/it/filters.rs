//! What may be found, and in which text.

use crate::common::{Failed, TextSearch as _, at_cosine, axis, folder, names, source, write};
use retrieve::SearchSettings;
use types::Filter;
use types::{
    Mode,
    SectionKind::{Methods, Results},
};

type Outcome = Result<(), Failed>;

#[test]
fn filters_act_before_the_cut() -> Outcome {
    let dir = folder();
    let make = |id: &str, year: Option<u16>, tags: &[&str], cosine: f32| {
        let part = |section, turn| (section, "walking helps", at_cosine(cosine, turn));
        let mut entry = source(id, &[part(Methods, 1), part(Results, 2)]);
        entry.meta.year = year;
        entry.meta.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        entry
    };
    let index = write(
        dir.path(),
        [
            make("a", Some(2019), &["rct"], 0.9),
            make("b", Some(2021), &["rct", "mouse"], 0.7),
            make("c", None, &[], 0.5),
        ],
    )?;
    let check = |filter: Filter, wanted: &[&str]| {
        for mode in [Mode::Hybrid, Mode::Vector, Mode::Bm25] {
            // A depth and a cut that hold no more than what is wanted.
            let n = wanted.len().max(1);
            let settings = SearchSettings {
                depth: n,
                candidates: n,
                ..SearchSettings::default()
            };
            let found = index
                .search_text("walking", Some(&axis()), mode, &settings, Some(&filter))
                .expect("searches");
            let mut names = names(&found);
            names.sort_unstable();
            assert_eq!(names, wanted, "{mode} {filter:?}");
        }
    };
    let (am, ar, bm, br) = (
        "a__methods__000",
        "a__results__000",
        "b__methods__000",
        "b__results__000",
    );
    let (cm, cr) = ("c__methods__000", "c__results__000");
    check(Filter::default(), &[am, ar, bm, br, cm, cr]);
    check(
        Filter {
            sources: Some(vec!["c".into(), "nobody".into()]),
            ..Filter::default()
        },
        &[cm, cr],
    );
    check(
        Filter {
            sections: Some(vec![Results]),
            ..Filter::default()
        },
        &[ar, br, cr],
    );
    check(
        Filter {
            year_from: Some(2020),
            ..Filter::default()
        },
        &[bm, br],
    );
    check(
        Filter {
            year_to: Some(2020),
            ..Filter::default()
        },
        &[am, ar],
    );
    check(
        Filter {
            year_from: Some(2019),
            year_to: Some(2021),
            ..Filter::default()
        },
        &[am, ar, bm, br],
    );
    check(
        Filter {
            tags: Some(vec!["mouse".to_owned()]),
            ..Filter::default()
        },
        &[bm, br],
    );
    check(
        Filter {
            tags: Some(vec!["rct".to_owned()]),
            sections: Some(vec![Methods]),
            ..Filter::default()
        },
        &[am, bm],
    );
    check(
        Filter {
            sources: Some(vec![]),
            ..Filter::default()
        },
        &[],
    );
    check(
        Filter {
            year_from: Some(2022),
            ..Filter::default()
        },
        &[],
    );
    Ok(())
}

#[test]
fn headings_are_not_searched() -> Outcome {
    let dir = folder();
    let index = write(dir.path(), [source("a", &[(Methods, "walking", axis())])])?;
    let settings = SearchSettings::default();
    for (query, hits) in [("heading", 0), ("walking", 1)] {
        let found = index.search_text(query, None, Mode::Bm25, &settings, None)?;
        assert_eq!(found.hits.len(), hits, "{query}");
    }
    Ok(())
}
