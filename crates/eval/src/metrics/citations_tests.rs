use super::*;
use crate::metrics::testing::passage;

fn row(answer: &str) -> Sample {
    Sample {
        answer: Some(answer.to_owned()),
        passages: Some(vec![passage("a.pdf", "Mice ran 5 km."), passage("b", "Rats slept for 9 h.")]),
        ..Sample::default()
    }
}

#[test]
fn marks_of_several_styles_are_read_and_removed() {
    let check = |answer: &str, text: &str, cited: &[(&str, Option<(u32, u32)>)]| {
        let reading = Reading::new(&row(answer));
        assert_eq!(reading.text, text, "{answer}");
        let found: Vec<(&str, Option<(u32, u32)>)> =
            reading.references.iter().map(|c| (c.document.as_deref().unwrap_or_default(), c.pages)).collect();
        assert_eq!(found, cited, "{answer}");
    };
    check("Mice ran [a.pdf:3].", "Mice ran.", &[("a.pdf", Some((3, 3)))]);
    check("Mice ran [a.pdf, pp. 3-4].", "Mice ran.", &[("a.pdf", Some((3, 4)))]);
    check("Mice ran [2].", "Mice ran.", &[("b", None)]);
    check("Mice ran [1, 2].", "Mice ran.", &[("a.pdf", None), ("b", None)]);
    check("Mice ran (b).", "Mice ran.", &[("b", None)]);
    check("Mice ran [other.pdf].", "Mice ran.", &[("other.pdf", None)]);
    check("Mice ran (a, a__x__001).", "Mice ran.", &[("a", None)]);
    // OpenAI, footnotes, LaTeX, RAGFlow, Pandoc, PaperQA, links.
    for (mark, cited) in [
        ("【4:0†a.pdf】", &[("a.pdf", None)][..]),
        ("【4:0†source】", &[]),
        ("[^2]", &[("b", None)]),
        (" [^9]", &[]),
        (r" \cite{b}", &[("b", None)]),
        (r" \citep[p.~3]{a, zed}", &[("a", None), ("zed", None)]),
        (" ##1$$", &[("b", None)]),
        (" [ID:0]", &[("a.pdf", None)]),
        (" [@a, p. 3; @b]", &[("a", Some((3, 3))), ("b", None)]),
        (" [see @b]", &[("b", None)]),
        (" (a pages 3-4, b pages 5-5)", &[("a", Some((3, 4))), ("b", Some((5, 5)))]),
        (" ([a.pdf](http://x/a.pdf#page=3))", &[("a.pdf", Some((3, 3)))]),
        (" [here](http://x/a.pdf#page=3)", &[("a.pdf", Some((3, 3)))]),
        (" [2](http://x/y)", &[("b", None)]),
    ] {
        check(&format!("Mice ran{mark}."), "Mice ran.", cited);
    }
    for around in ["【(a, a__x__001)】", " [(a, a__x__001)](http://x/a.pdf)"] {
        assert_eq!(Reading::new(&row(&format!("Mice ran{around}."))).text, "Mice ran.", "{around}");
    }
    for plain in [
        "Mice ran [9].",
        "Mice ran (Orvel, 2019).",
        "Mice ran (5 km.",
        "Mice (n = 2) ran.",
        "Mice ran ([home](http://x/)).",
    ] {
        check(plain, plain, &[]);
    }
}

#[test]
fn ids_of_passages_are_read_alone_and_after_their_document() {
    let mut row = row("Mice ran (a.pdf, a.pdf::0001). Rats slept [b::2; a.pdf::0001]. Two (2) ate (1).");
    let passages = row.passages.as_mut().expect("given");
    passages[0].id = Some("a.pdf::0001".to_owned());
    passages[1].id = Some("b::2".to_owned());
    let read = |row: &Sample| {
        let reading = Reading::new(row);
        let found: Vec<(Option<String>, Option<String>)> =
            reading.references.iter().map(|c| (c.document.clone(), c.passage.clone())).collect();
        (reading.text, found)
    };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        read(&row),
        (
            "Mice ran. Rats slept. Two (2) ate (1).".to_owned(),
            vec![(text("a.pdf"), text("a.pdf::0001")), (None, text("b::2")), (None, text("a.pdf::0001"))]
        )
    );
    // A number is no id of a passage in parentheses.
    row.passages.as_mut().expect("given")[0].id = Some("1".to_owned());
    assert!(read(&row).0.ends_with("Two (2) ate (1)."));
}

#[test]
fn a_claim_knows_its_own_marks() {
    let reading = Reading::new(&row("Mice ran [1]. Rats slept [b:2]. Cats ate."));
    let cited: Vec<Vec<&str>> =
        reading.claims.iter().map(|claim| claim.cited.iter().map(ChunkId::as_str).collect()).collect();
    assert_eq!(cited, [vec!["1"], vec!["2"], vec![]], "passages by their place");
    // Without marks every claim cites the list; what names no passage keeps its name.
    let mut listed = row("Mice ran. Rats slept.");
    let name = |document: &str| Cited { document: Some(document.to_owned()), ..Cited::default() };
    listed.citations = Some(vec![name("b.txt"), name("z")]);
    for claim in Reading::new(&listed).claims {
        let cited: Vec<&str> = claim.cited.iter().map(ChunkId::as_str).collect();
        assert_eq!(cited, ["2", "z"]);
    }
}

#[test]
fn right_citations_name_what_was_retrieved_and_quote_what_stands_there() {
    let cited = |document: Option<&str>, quote: Option<&str>| Cited {
        document: document.map(str::to_owned),
        quote: quote.map(str::to_owned),
        ..Cited::default()
    };
    let row = row("x");
    let check = |cited: Cited, want: Option<bool>| assert_eq!(is_right(&cited, &row), want, "{cited:?}");
    check(cited(Some("A"), None), Some(true));
    check(cited(Some("a"), Some("mice ran 5 km")), Some(true));
    check(cited(Some("a"), Some("mice ran 6 km")), Some(false));
    check(cited(Some("c"), None), Some(false));
    check(cited(None, Some("rats slept")), Some(true));
    check(cited(None, Some("cats slept")), Some(false));
    check(cited(None, None), None);
    let only_ids = Sample { retrieved: Some(vec!["a".to_owned()]), ..Sample::default() };
    assert_eq!(is_right(&cited(Some("a"), None), &only_ids), Some(true));
    assert_eq!(is_right(&cited(Some("a"), Some("x y")), &only_ids), None, "no text to look in");
    assert_eq!(is_right(&cited(Some("b"), None), &only_ids), Some(false));
}
