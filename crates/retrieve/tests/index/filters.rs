//! What may be found, and in which text.

use crate::common::{at_cosine, axis, folder, names, source, write};
use retrieve::{Filter, Index, IndexError, SearchSettings};
use types::{
    Mode,
    SectionKind::{Methods, Results},
};

type Outcome = Result<(), IndexError>;

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
                .search("walking", Some(&axis()), mode, &settings, Some(&filter))
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
fn headings_are_searched_when_asked_for() -> Outcome {
    let dir = folder();
    let entry = || source("a", &[(Methods, "walking", axis())]);
    let settings = SearchSettings::default();
    let found = write(dir.path(), [entry()])?.search("heading", None, Mode::Bm25, &settings, None)?;
    assert_eq!(found.hits.len(), 0);
    let wide = retrieve::WriterSettings {
        fields: retrieve::LexicalFields::HeadingAndText,
        ..crate::common::settings()
    };
    let mut writer = retrieve::IndexWriter::open(dir.path(), wide)?;
    let mut generation = writer.begin()?;
    generation.keep(&"a".into())?;
    generation.commit(None)?;
    let index = Index::open(dir.path())?;
    let (found, why) = index.explain("heading", None, Mode::Bm25, &settings, None)?;
    assert!(found.hits[0].bm25_score > 0.0);
    assert!((why[0].terms[0].contribution - found.hits[0].bm25_score).abs() < 1e-6);
    Ok(())
}
