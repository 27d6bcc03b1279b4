use super::*;
use proptest::prelude::*;
use types::{Chunk, Hit, SectionKind, SourceId, SourceMeta};

/// Sources with one section of so many chunks each. A hit carries all other chunks of its source.
struct Library(Vec<Arc<Chunk>>);

impl Library {
    fn new(sources: &[(&str, u32)]) -> Self {
        let chunk = |source: &str, n: u32| {
            Arc::new(Chunk {
                chunk_id: ChunkId::from_parts(&SourceId::from(source), SectionKind::Results, n as usize),
                source_id: SourceId::from(source),
                section: SectionKind::Results,
                heading: String::new(),
                ordinal: n,
                page_start: 1,
                page_end: 1,
                span: types::Span::default(),
                prefix: String::new(),
                text: format!("{source} {n}"),
                tokens: 2,
                sentences: Vec::new(),
                table_head: Vec::new(),
            })
        };
        Self(sources.iter().flat_map(|(s, n)| (0..*n).map(move |i| chunk(s, i))).collect())
    }

    /// `a2` is the third chunk of source `a`.
    fn ranked(&self, name: &str, vector_score: f32) -> Ranked {
        let (source, number) = name.split_at(1);
        let number: u32 = number.parse().expect("a number follows the letter");
        let is = |c: &&Arc<Chunk>| c.source_id.as_str() == source && c.ordinal == number;
        let chunk = self.0.iter().find(is).expect("the library holds it");
        let others = self.0.iter().filter(|c| c.source_id == chunk.source_id && c.ordinal != number);
        let hit = Hit {
            passage: Passage { neighbours: others.map(passage).collect(), ..passage(chunk) },
            vector_score,
            bm25_score: 2.0,
            combined_score: 0.5,
        };
        Ranked { hit, rerank_score: 10.0 * vector_score }
    }
}

/// A passage without neighbours; nothing is known of source `z`.
fn passage(chunk: &Arc<Chunk>) -> Passage {
    let id = &chunk.source_id;
    let source = SourceMeta {
        source_id: id.clone(),
        title: (id.as_str() != "z").then(|| "T".to_owned()),
        ..SourceMeta::default()
    };
    Passage {
        chunk: Arc::clone(chunk),
        source: Arc::new(source),
        sentences: Arc::default(),
        neighbours: Vec::new(),
    }
}

/// The context as `a2` for a reranked and `(a1)` for an expanded chunk.
fn names(context: &Context) -> Vec<String> {
    let name = |c: &ContextChunk| match c.origin {
        Origin::Reranked => format!("{}{}", c.chunk.source_id, c.chunk.ordinal),
        Origin::Expanded => format!("({}{})", c.chunk.source_id, c.chunk.ordinal),
    };
    context.chunks.iter().map(name).collect()
}

#[test]
fn neighbours_fill_what_the_cap_leaves() {
    let library = Library::new(&[("a", 6), ("b", 3), ("z", 1)]);
    let check = |ranked: &[(&str, f32)], reach: usize, cap: usize, want: &[&str]| {
        let ranked: Vec<Ranked> = ranked.iter().map(|(n, s)| library.ranked(n, *s)).collect();
        let settings = ExpandSettings { reach, max_chunks: cap, ..ExpandSettings::default() };
        assert_eq!(names(&expand(&ranked, &settings)), want, "{ranked:?} reach {reach} cap {cap}");
    };
    // Plain: both sides, in reading order, behind the parent.
    check(&[("a2", 0.9)], 1, 10, &["a2", "(a1)", "(a3)"]);
    check(&[("a2", 0.9), ("b1", 0.5)], 1, 10, &["a2", "(a1)", "(a3)", "b1", "(b0)", "(b2)"]);
    check(&[("a2", 0.9)], 2, 10, &["a2", "(a0)", "(a1)", "(a3)", "(a4)"]);
    // Off, nothing kept, and the edge of a section.
    check(&[("a2", 0.9)], 0, 10, &["a2"]);
    check(&[], 1, 10, &[]);
    check(&[("a0", 0.9)], 1, 10, &["a0", "(a1)"]);
    check(&[("z0", 0.9)], 1, 10, &["z0"]);
    // Both reranked and a neighbour: stays reranked. A neighbour of two follows the better parent.
    check(&[("a1", 0.9), ("a2", 0.5)], 1, 10, &["a1", "(a0)", "a2", "(a3)"]);
    check(&[("a1", 0.5), ("a3", 0.9)], 1, 10, &["a1", "(a0)", "a3", "(a2)", "(a4)"]);
    check(&[("a1", 0.5), ("a3", 0.5)], 1, 10, &["a1", "(a0)", "(a2)", "a3", "(a4)"]);
    // The cap: better score first, then the smaller id, though its parent stands later.
    check(&[("b1", 0.5), ("a2", 0.9)], 1, 4, &["b1", "a2", "(a1)", "(a3)"]);
    check(&[("b1", 0.5), ("a2", 0.5)], 1, 3, &["b1", "a2", "(a1)"]);
    // More reranked chunks than the cap: cut from the end, and no neighbour enters.
    check(&[("a0", 0.9), ("b0", 0.8), ("a3", 0.7)], 1, 2, &["a0", "b0"]);
    check(&[("a0", 0.9)], 1, 0, &[]);
    // The same chunk twice stands once.
    check(&[("b1", 0.9), ("b1", 0.9)], 0, 10, &["b1"]);
}

#[test]
fn the_earlier_order_puts_neighbours_behind_all_reranked_chunks() {
    let library = Library::new(&[("a", 6), ("b", 3)]);
    let check = |ranked: &[(&str, f32)], cap: usize, want: &[&str]| {
        let ranked: Vec<Ranked> = ranked.iter().map(|(n, s)| library.ranked(n, *s)).collect();
        let settings = ExpandSettings { max_chunks: cap, order: Order::End, ..ExpandSettings::default() };
        let context = expand(&ranked, &settings);
        assert_eq!(names(&context), want, "{ranked:?} cap {cap}");
    };
    check(&[("a2", 0.5), ("b1", 0.9)], 10, &["a2", "b1", "(a1)", "(a3)", "(b0)", "(b2)"]);
    // The cap cuts from the end, whatever the scores.
    check(&[("a2", 0.5), ("b1", 0.9)], 5, &["a2", "b1", "(a1)", "(a3)", "(b0)"]);
    check(&[("a1", 0.5), ("a3", 0.9)], 10, &["a1", "a3", "(a0)", "(a2)", "(a4)"]);
    let settings = ExpandSettings { order: Order::End, ..ExpandSettings::default() };
    let context = expand(&[library.ranked("b0", 0.5)], &settings);
    let scores = context.chunks.last().map(|c| (c.vector_score, c.bm25_score, c.combined_score));
    assert_eq!(scores, Some((0.4, 0.0, 0.4)), "0.8 of 0.5 and of 0.5");
}

#[test]
fn a_neighbour_carries_the_discounted_score_and_its_source() {
    let library = Library::new(&[("a", 2), ("z", 2)]);
    let context =
        expand(&[library.ranked("a0", 0.5), library.ranked("z0", f32::NAN)], &ExpandSettings::default());
    let [a0, a1, z0, z1] = context.chunks.as_slice() else { panic!("four chunks: {context:?}") };
    assert!((a1.vector_score - 0.4).abs() < 1e-6, "{a1:?}");
    assert_eq!((a1.bm25_score, a1.combined_score, a1.rerank_score), (0.0, 0.0, None));
    assert_eq!((a0.bm25_score, a0.rerank_score), (2.0, Some(5.0)));
    assert_eq!(a1.source.title.as_deref(), Some("T"));
    assert_eq!((z0.vector_score, z0.rerank_score, z1.vector_score), (0.0, Some(0.0), 0.0));
    assert_eq!((z0.source.source_id.as_str(), z0.source.title.as_ref()), ("z", None));
}

proptest! {
    #[test]
    fn what_holds_for_every_context(
        picks in prop::collection::vec((0_u32..5, prop::sample::select(vec!["a", "b", "z"]), 0.0_f32..1.0), 0..12),
        reach in 0_usize..4,
        cap in 0_usize..14,
    ) {
        let library = Library::new(&[("a", 5), ("b", 5), ("z", 5)]);
        let ranked: Vec<Ranked> = picks.iter().map(|(n, s, v)| library.ranked(&format!("{s}{n}"), *v)).collect();
        let settings = ExpandSettings { reach, max_chunks: cap, ..ExpandSettings::default() };
        let context = expand(&ranked, &settings);
        prop_assert!(context.chunks.len() <= cap);
        let mut ids: Vec<_> = context.chunks.iter().map(|c| c.chunk.chunk_id.clone()).collect();
        ids.sort();
        ids.dedup();
        prop_assert_eq!(ids.len(), context.chunks.len());
        let kept: Vec<&ChunkId> = kept(&ranked, cap).into_iter().map(|r| &r.hit.chunk().chunk_id).collect();
        let order: Vec<&ChunkId> =
            context.chunks.iter().filter(|c| c.origin == Origin::Reranked).map(|c| &c.chunk.chunk_id).collect();
        prop_assert_eq!(order, kept);
        let mut parent: Option<&ContextChunk> = None;
        for c in &context.chunks {
            match (c.origin, parent) {
                (Origin::Reranked, _) => parent = Some(c),
                (Origin::Expanded, Some(p)) => {
                    prop_assert!(c.chunk.source_id == p.chunk.source_id);
                    prop_assert!(c.chunk.ordinal.abs_diff(p.chunk.ordinal) as usize <= reach);
                    prop_assert!((c.vector_score - 0.8 * p.vector_score).abs() < 1e-6);
                }
                (Origin::Expanded, None) => prop_assert!(false, "a neighbour without a parent"),
            }
        }
        prop_assert_eq!(names(&expand(&ranked, &settings)), names(&context));
    }
}
