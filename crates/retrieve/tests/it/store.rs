//! What later stages read from an index.

use crate::common::{at_cosine, axis, folder, plain, source, write};
use retrieve::{Index, IndexError};
use types::{
    SectionKind::{Methods, Results},
    SentenceSpan, Span,
};

type Outcome = Result<(), IndexError>;

#[test]
fn neighbours_are_adjacent_numbers_of_the_same_section() -> Outcome {
    let dir = folder();
    let part = |section, text| (section, text, axis());
    let index = write(
        dir.path(),
        [
            source(
                "a",
                &[
                    part(Methods, "m0"),
                    part(Methods, "m1"),
                    part(Results, "r0"),
                    part(Methods, "m2"),
                    part(Results, "r1"),
                ],
            ),
            source("b", &[part(Methods, "other")]),
        ],
    )?;
    let check = |id: &str, reach, wanted: &[&str]| {
        let found = index.neighbours(&id.into(), reach).expect("reads");
        let texts: Vec<&str> = found.iter().map(|chunk| chunk.text.as_str()).collect();
        assert_eq!(texts, wanted, "{id} ±{reach}");
    };
    check("a__methods__001", 1, &["m0", "m2"]);
    check("a__methods__000", 1, &["m1"]);
    check("a__methods__000", 9, &["m1", "m2"]);
    check("a__methods__002", usize::MAX, &["m0", "m1"]);
    check("a__results__000", 1, &["r1"]);
    check("a__methods__001", 0, &[]);
    check("b__methods__000", 3, &[]);
    check("a__methods__003", 1, &[]);
    check("", 1, &[]);
    Ok(())
}

#[test]
fn every_chunk_is_found_by_its_id() -> Outcome {
    let dir = folder();
    let texts: Vec<String> = (0..1200).map(|n| format!("text {n}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    // Above 999 the order of ids is no longer the order of ordinals.
    let index = write(
        dir.path(),
        [
            plain("a", 1, &texts),
            plain("a.b", 2, &["x"]),
            plain("ab", 3, &["y"]),
        ],
    )?;
    for chunk in index.chunks() {
        let chunk = chunk?;
        assert_eq!(index.chunk(&chunk.chunk_id), Some(chunk));
    }
    for absent in [
        "a__body__1200",
        "a__body__0",
        "a__body",
        "",
        "zz",
        "a__body__000 ",
    ] {
        assert!(index.chunk(&absent.into()).is_none(), "{absent:?}");
    }
    Ok(())
}

#[test]
fn sources_come_in_the_order_of_their_ids() -> Outcome {
    let dir = folder();
    let index = write(
        dir.path(),
        [plain("b", 1, &["x"]), plain("a", 2, &["y"]), plain("c", 3, &[])],
    )?;
    let names: Vec<String> = index
        .sources()
        .iter()
        .map(|meta| meta.source_id.to_string())
        .collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!(
        index.source(&"b".into()).and_then(|meta| meta.title.clone()),
        Some("On b".to_owned())
    );
    assert!(index.source(&"d".into()).is_none());
    Ok(())
}

#[test]
fn sentences_have_the_cosines_of_their_vectors() -> Outcome {
    let dir = folder();
    let cosines = [1.0, 0.5, 0.0, -0.75];
    let mut entry = plain("b", 1, &["One. Two. Three. Four."]);
    entry.sentence_vectors = (0..)
        .zip(cosines)
        .map(|(turn, cosine)| at_cosine(cosine, turn))
        .collect();
    entry.chunks[0].sentences = (0..4)
        .map(|n| SentenceSpan {
            span: Span::new(0, 4),
            number: 3 - n,
            page: 1,
        })
        .collect();
    // Another source in front, so that numbers and rows differ.
    let index = write(dir.path(), [plain("a", 2, &["x", "y"]), entry])?;
    let chunk = index.chunk(&"b__body__000".into()).expect("there");
    let check = |index: &Index, query: &[f32], wanted: &[f32]| {
        let found = index.sentence_similarities(&chunk, query);
        assert_eq!(found.len(), wanted.len());
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found - wanted).abs() < 0.005, "{found} is not {wanted}");
        }
    };
    check(&index, &axis(), &[-0.75, 0.0, 0.5, 1.0]);
    // A question twice as long is no nearer.
    check(
        &index,
        &at_cosine(1.0, 0).iter().map(|v| v * 2.0).collect::<Vec<_>>(),
        &[-0.75, 0.0, 0.5, 1.0],
    );
    check(&index, &[1.0], &[0.0; 4]);
    check(&index, &vec![0.0; 64], &[0.0; 4]);
    let vector = index.sentence_vector(&"b".into(), 1).expect("there");
    let length: f32 = vector.iter().map(|v| v * v).sum();
    assert!((length - 1.0).abs() < 1e-4 && (vector[0] - 0.5).abs() < 0.005);
    assert!(index.sentence_vector(&"b".into(), 4).is_none());
    assert!(index.sentence_vector(&"nobody".into(), 0).is_none());
    let mut stranger = (*chunk).clone();
    stranger.source_id = "nobody".into();
    assert_eq!(index.sentence_similarities(&stranger, &axis()), [0.0; 4]);
    Ok(())
}
