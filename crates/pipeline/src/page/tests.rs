use super::*;
use unicode_width::UnicodeWidthStr;

fn page(add: impl FnOnce(&mut Page)) -> Page {
    let mut page = Page::new();
    add(&mut page);
    page
}

#[test]
fn lines_are_wrapped_at_words() {
    let check = |line: Line, width: usize, want: &str| {
        assert_eq!(page(|page| page.line(line)).text(Some(width), false), want);
    };
    check(Line::from("one two  three\tfour"), 9, "one two\nthree\nfour\n");
    check(Line::new(), 9, "\n");
    // Words that touch stay together, whatever their style.
    check(
        Line::from("see (").strong("bold").text(") there"),
        10,
        "see (bold)\nthere\n",
    );
    check(Line::from("abcdefghij"), 4, "abcd\nefgh\nij\n");
    check(
        Line::link(
            "at",
            Some(Target {
                path: "a long/path.pdf#page=2".to_owned(),
                address: String::new(),
            }),
        ),
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
    assert_eq!(page.text(Some(80), false), "a b�[31m c\n");
    assert_eq!(
        page.text(Some(80), true),
        "a \u{1b}[1mb�[31m\u{1b}[0m \u{1b}[2mc\u{1b}[0m\n"
    );
}

#[test]
fn no_row_is_wider_than_asked() {
    let text =
        "Quantities of 2.9 mL/kg/min (95% CI 2.2 to 3.6), or 体重増加を示した結果, were found. ".repeat(20);
    for width in [1, 2, 7, 20, 60, 100] {
        let out =
            page(|page| page.line(Line::from(text.clone()).strong("and more"))).text(Some(width), false);
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
        page.table(
            ["a", "n", "b"],
            [vec!["x|y".to_owned(), "10".to_owned(), "1\n2 words ".repeat(20)]],
        );
    })
}

#[test]
fn text_is_wrapped_and_columns_line_up() {
    let text = blocks().text(Some(100), false);
    assert!(text.lines().all(|line| line.width() <= 100), "{text}");
    let want = "- one | two\n- three\n  First <b>line</b>\n  # second\nsize     3\na     n  b\nx|y  10  1 2 words 1 2";
    assert!(text.starts_with("Run *a*\nword") && text.contains(want), "{text}");
    assert!(
        blocks().text(None, false).lines().any(|line| line.len() > 140),
        "not broken"
    );
}

#[test]
fn markdown_is_escaped() {
    let text = blocks().markdown();
    assert!(text.starts_with("## Run \\*a\\*\n\n"), "{text}");
    let want = "- one \\| two\n- three\n\n> First \\<b>line\\</b>\n>\n> \\# second\n\n- size: 3\n\n| a | n | b |\n|---|---|---|\n| x\\|y | 10 | 1 2 words";
    assert!(text.contains(want), "{text}");
}
