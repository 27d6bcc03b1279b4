use super::*;

fn at(width: usize) -> Terminal {
    Terminal { width: Some(width), ..Terminal::default() }
}

use unicode_width::UnicodeWidthStr;

fn page(add: impl FnOnce(&mut Page)) -> Page {
    let mut page = Page::new();
    add(&mut page);
    page
}

#[test]
fn lines_are_wrapped_at_words() {
    let check = |line: Line, width: usize, want: &str| {
        assert_eq!(page(|page| page.line(line)).text(at(width)), want);
    };
    check(Line::from("one two  three\tfour"), 9, "one two\nthree\nfour\n");
    check(Line::new(), 9, "\n");
    // Words that touch stay together, whatever their style.
    check(Line::from("see (").strong("bold").text(") there"), 10, "see (bold)\nthere\n");
    check(Line::from("abcdefghij"), 4, "abcd\nefgh\nij\n");
    check(
        Line::link("at", Some(Target { path: "a long/path.pdf#page=2".to_owned(), address: String::new() })),
        8,
        "at:\na long/path.pdf#page=2\n",
    );
    // Columns, not characters; accents take none.
    check(
        Line::from("体重 增加 e\u{301}e\u{301}e\u{301}e\u{301} x"),
        6,
        "体重\n增加\ne\u{301}e\u{301}e\u{301}e\u{301} x\n",
    );
    check(Line::from("体重增加体重"), 6, "体重增\n加体重\n");
}

#[test]
fn styles_come_from_us_alone() {
    let page = page(|page| page.line(Line::from("a ").strong("b\u{1b}[31m").dim(" c\u{202e}")));
    assert_eq!(page.text(at(80)), "a b�[31m c\n");
    assert_eq!(
        page.text(Terminal { styled: true, ..at(80) }),
        "a \u{1b}[1mb�[31m\u{1b}[0m \u{1b}[2mc\u{1b}[0m\n"
    );
}

#[test]
fn no_row_is_wider_than_asked() {
    let text =
        "Quantities of 2.9 mL/kg/min (95% CI 2.2 to 3.6), or 体重増加を示した結果, were found. ".repeat(20);
    for width in [1, 2, 7, 20, 60, 100] {
        let out = page(|page| page.line(Line::from(text.clone()).strong("and more"))).text(at(width));
        let fits = out.lines().all(|row| row.width() <= width.max(2));
        assert!(fits, "{width}: {out}");
        let joined: String = out.split_whitespace().collect();
        let all: String = format!("{text}and more").split_whitespace().collect();
        assert_eq!(joined, all, "nothing is lost at {width}");
    }
}

fn blocks() -> Page {
    page(|page| {
        page.gap();
        page.heading("Run *a*");
        page.line("word ".repeat(30));
        page.item("one | two");
        page.item("three");
        page.quote("First <b>line</b>\n\n# second");
        page.fact("size", "3");
        page.fact("nothing", "");
        page.table(["a", "n", "b"], [vec!["x|y".to_owned(), "10".to_owned(), "1\n2 words ".repeat(20)]]);
    })
}

#[test]
fn text_is_wrapped_and_columns_line_up() {
    let text = blocks().text(at(100));
    assert!(text.lines().all(|line| line.width() <= 100), "{text}");
    let want = "- one | two\n- three\n  First <b>line</b>\n  # second\nsize     3\na     n  b\nx|y  10  1 2 words 1 2";
    assert!(text.starts_with("Run *a*\nword") && text.contains(want), "{text}");
    assert!(blocks().text(Terminal::default()).lines().any(|line| line.len() > 140), "not broken");
}

#[test]
fn markdown_is_escaped() {
    let text = blocks().markdown();
    assert!(text.starts_with("## Run \\*a\\*\n\n"), "{text}");
    let want = "- one \\| two\n- three\n\n> First \\<b>line\\</b>\n>\n> \\# second\n\n- size: 3\n\n| a | n | b |\n|---|---|---|\n| x\\|y | 10 | 1 2 words";
    assert!(text.contains(want), "{text}");
}

#[test]
fn folded_parts_are_named_on_a_terminal_and_shown_elsewhere() {
    let mut body = Page::new();
    body.line("inside <b>");
    let mut whole = Page::new();
    whole.line("first");
    whole.folded("Part <i>", body.clone());
    whole.folded_on_page("Long part", body);
    assert_eq!(whole.text(at(80)), "first\n\nWith --verbose: Part <i>.\n");
    let unfolded = whole.text(Terminal { unfolded: true, ..at(80) });
    assert_eq!(unfolded, "first\n\nPart <i>\ninside <b>\n");
    let markdown = whole.markdown();
    assert!(markdown.contains("<details><summary>Part &lt;i&gt;</summary>\n\ninside \\<b>\n"), "{markdown}");
    assert!(!markdown.contains("Long part"), "{markdown}");
    let html = whole.html("t");
    assert!(
        html.contains(
            "<details class=\"fold\" id=\"s2\"><summary>Long part</summary><p>inside &lt;b&gt;</p>"
        ),
        "{html}"
    );
    assert!(html.contains("<a href=\"#s1\">Part &lt;i&gt;</a>") && html.contains("id=\"s1\""), "{html}");
}

#[test]
fn questions_are_filtered_on_a_page_and_listed_elsewhere() {
    let question = |id: &str, failed: &str, filters: &[&str]| Question {
        id: id.to_owned(),
        text: "How | much?".to_owned(),
        failed: failed.to_owned(),
        filters: filters.iter().map(|key| (*key).to_owned()).collect(),
        answers: vec![("a".to_owned(), Line::new().decision("wrong", Some(false)), vec!["0.5".to_owned()])],
        ..Question::default()
    };
    let mut page = Page::new();
    page.questions(Questions {
        figures: vec!["F".to_owned()],
        filters: vec![
            ("one_miss".to_owned(), "one miss".to_owned()),
            ("x{}<".to_owned(), "no key".to_owned()),
        ],
        questions: vec![question("Q1", "a: lost", &["one_miss", "x{}<"]), question("Q2", "", &[])],
        elsewhere: "Elsewhere.".to_owned(),
    });
    let markdown = page.markdown();
    assert!(
        markdown
            .contains("| Q1 | How \\| much? | a: lost |\n\n1 of 2 questions failed in a mode. Elsewhere."),
        "{markdown}"
    );
    assert!(!markdown.contains("Q2"));
    let html = page.html("t");
    for says in [
        "body:has(#show-failing:checked) .q:not(.failing){display:none}",
        "body:has(#show-one_miss:checked) .q:not(.one_miss){display:none}",
        "<details class=\"q failing one_miss\">",
        "<details class=\"q\">",
        "<span class=\"outcome wrong\">✗ wrong</span>",
    ] {
        assert!(html.contains(says), "{says}: {html}");
    }
    assert!(!html.contains("x{}"), "a key that is no word chooses nothing");
}

/// The colours of each theme: light, dark, print.
fn themes() -> Vec<std::collections::BTreeMap<&'static str, [f64; 3]>> {
    let style = include_str!("style.css");
    let rgb = |hex: &str| {
        let wide: String =
            if hex.len() == 3 { hex.chars().flat_map(|c| [c, c]).collect() } else { hex.to_owned() };
        [0, 2, 4].map(|at| f64::from(u8::from_str_radix(&wide[at..at + 2], 16).expect("a colour")) / 255.0)
    };
    let blocks = style.split(":root{").skip(1).map(|rest| rest.split('}').next().unwrap_or_default());
    let colours = |block: &'static str| {
        let pairs =
            block.split([';', '\n']).filter_map(|pair| pair.trim().strip_prefix("--")?.split_once(":#"));
        pairs.map(|(name, hex)| (name, rgb(hex))).collect()
    };
    blocks.map(colours).collect()
}

#[test]
fn text_has_the_contrast_that_wcag_aa_asks_for() {
    let luminance = |colour: [f64; 3]| {
        let [r, g, b] =
            colour.map(|c| if c <= 0.039_28 { c / 12.92 } else { ((c + 0.055) / 1.055_f64).powf(2.4) });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    };
    let themes = themes();
    assert_eq!(themes.len(), 3);
    let text = [
        ("fg", "bg"),
        ("soft", "bg"),
        ("link", "bg"),
        ("a", "bg"),
        ("fg", "panel"),
        ("good-fg", "good"),
        ("bad-fg", "bad"),
    ];
    for theme in &themes {
        for (front, back) in text {
            let (a, b) = (luminance(theme[front]), luminance(theme[back]));
            let found = (a.max(b) + 0.05) / (a.min(b) + 0.05);
            assert!(found >= 4.5, "{front} on {back}: {found:.2} in {theme:?}");
        }
    }
}
