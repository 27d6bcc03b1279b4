use super::*;
use proptest::prelude::*;

#[test]
fn tex_becomes_text_and_macros_are_expanded() {
    let text = r#"
        @string{jib = "Journal of Invented Biology"}
        @comment{x}
        @Article{m1, author = {M{\"u}ller, J{\'o}zsef and others}, title = "{DNA} \& sleep", journal = jib, date = {2020-05-01},
          url = {https://doi.org/10.99999/jib.9}}
    "#;
    let (entries, notes) = entries(text).expect("read");
    assert!(notes.is_empty(), "{notes:?}");
    let row = &entries[0].row;
    assert_eq!(row.authors, ["József Müller"]);
    assert_eq!(row.title.as_deref(), Some("DNA & sleep"));
    assert_eq!(row.venue.as_deref(), Some("Journal of Invented Biology"));
    assert_eq!((row.year, row.doi.as_deref()), (Some(2020), Some("10.99999/jib.9")));
}

#[test]
fn a_bad_entry_costs_itself() {
    let text =
        "@article{good, title = {One}}\n@article{bad, title = {Two\n\n@article{also, title = {Three}}\n";
    let (entries, notes) = entries(text).expect("read");
    let keys: Vec<&str> = entries.iter().map(|e| e.key.as_str()).collect();
    assert_eq!(keys, ["good", "also"]);
    assert_eq!(notes, ["1 entry cannot be read: bad (a brace is not closed, or more than 50 are open)"]);
}

#[test]
fn odd_entries_cost_no_other_one() {
    let good = "@book{good, title = {Good}}\n";
    let check = |odd: &str, want: &[&str], note: Option<&str>| {
        for text in [format!("{odd}\n{good}"), format!("{good}{odd}\n{good}").replacen("good", "first", 1)] {
            let (entries, notes) = entries(&text).expect("read");
            let titles: Vec<&str> =
                entries.iter().filter(|e| e.key != "first").filter_map(|e| e.row.title.as_deref()).collect();
            assert_eq!(titles, [want, &["Good"]].concat(), "{text}");
            assert_eq!(notes.len(), usize::from(note.is_some()), "{text}: {notes:?}");
            assert!(note.is_none_or(|note| notes[0].contains(note)), "{text}: {notes:?}");
        }
    };
    let unread = Some("1 entry cannot be read: k (");
    check("Notes of a@b.org and me@site{x}, 5 % of all.", &[], None);
    check("% @book{k, title = {No", &[], None);
    check("@comment{jabref: @book{k, title = {No}};}\n@preamble{\"\\newcommand{\\x}[1]{}\"}", &[], None);
    check("@comment\n@COMMENT{open", &[], None);
    check("@Book { k ,\r\n TITLE=\"Quoted\",\r\n year = 2001 }", &["Quoted"], None);
    check("@book{k, title = jan # { } # undefined # \" x\" # 7}", &["jan undefined x7"], None);
    check("@book{k, title = {A \\{ brace}}", &["A { brace"], None);
    check("@book{k, title = {Twice}}\n@book{k, title = {Again}}", &["Twice", "Again"], None);
    check("@book{k, title = {Paid}, abstract = {It costs $5}}", &["Paid"], None);
    check(
        "@book{k, title = {\u{feff}日本}} @book{l, title = {Same line}}",
        &["\u{feff}日本", "Same line"],
        None,
    );
    check("@string{a = a # a}@book{k, title = A}", &["aa"], None);
    check("@book(k, title = {Round (1)}, year = 2001)", &[], unread);
    check("@book{k title = {No} comma = {x} year = 2001}", &[], unread);
    check("@book{k, title = {Open, year = 2001}", &[], unread);
    check("@book{k, title = \"Open, year = 2001}", &[], unread);
    check("@book{k, title = {Open, year = 2001} @book{l, title = {Same line}}", &["Same line"], unread);
    check("@book{k, title = {Early} more}, year = 2001}", &[], unread);
    let long = format!("@book{{k, title = {{{}}}}}", "x".repeat(300_000));
    check(&long, &[], Some("cannot be read: k (300001 bytes, more than the limit of 262144)"));
    let double = |i: usize| format!("@string{{s{i} = s{} # s{}}}\n", i - 1, i - 1);
    let doubled = (1..40).map(double).collect::<Vec<_>>().concat();
    check(
        &format!("@string{{s0 = \"lol\"}}\n{doubled}@book{{k, title = s3}}"),
        &["lollollollollollollollol"],
        Some("cannot be read: s10"),
    );
}

#[test]
fn tex_is_read_as_text() {
    for (tex, want) in [
        (
            r"Nguy{\~\^e}n, Xu{\^a}n Gro{\ss}wend {\O}ystein L{\o}ken {\AA}s",
            "Nguyễn, Xuân Großwend Øystein Løken Ås",
        ),
        (r#"R{\"o}glin M\"uller na{\"\i}ve {\v{S}}im{\r{u}}nek"#, "Röglin Müller naïve Šimůnek"),
        (
            r"Magnesium $>$ starch, $p \leq 0.05$, {TNF}-$\alpha$, CO$_2$, m$^{2}$",
            "Magnesium > starch, p ≤0.05, TNF-α, CO2, m2",
        ),
        (r"A~B -- C --- D\&E, ``so'', \emph{y}", "A B – C — D&E, “so”, y"),
    ] {
        let (entries, notes) = entries(&format!("@book{{k, title = {{{tex}}}}}")).expect("read");
        assert_eq!(entries[0].row.title.as_deref(), Some(want), "{notes:?}");
    }
}

#[test]
fn authors_are_named_given_name_first() {
    for (tex, want) in [
        (
            "van der Berg, J. P. and de la Cruz, Mar{\\'i}a\nand {Sleep and Rest Group} and O'Neil, Jr., Pat and others",
            &["J. P. van der Berg", "María de la Cruz", "Sleep and Rest Group", "Pat O'Neil Jr."][..],
        ),
        ("{{The SLEEP Consortium, and Partners}}", &["The SLEEP Consortium, and Partners"]),
        ("Jane Doe and", &["Jane Doe and"]),
        ("others", &[]),
    ] {
        let (entries, notes) = entries(&format!("@book{{k, author = {{{tex}}}}}")).expect("read");
        assert_eq!(entries[0].row.authors, want, "{notes:?}");
    }
}

#[test]
fn no_file_takes_long() {
    for (text, count) in [
        ("@article{k, title = {".repeat(1_000), 0),
        ("@book{k, title = \"x\"".to_owned() + &" # \"x\"".repeat(30_000) + "}", 0),
        ("@book{k, title = {".to_owned() + &"{x}".repeat(10_000) + "}}", 1),
        ("@book{k, title = {".to_owned() + &"\\'{".repeat(10_000) + &"}".repeat(10_000) + "}}", 0),
        // Links that form circles, and one that names its entry again and again.
        ("@book{a, crossref = {b}, title={a}}\n@book{b, crossref = {a}}\n@book{c, crossref = {c}, xdata = {c, a, a}}".to_owned(), 3),
    ] {
        assert_eq!(entries(&text).expect("read").0.len(), count, "{}", &text[..40]);
    }
}

#[test]
fn an_entry_takes_what_it_lacks_from_the_one_that_it_names() {
    let text = "@inproceedings{p, title = {Snails}, crossref = {all}}\n@proceedings{all, title = {Talks}, year = 2020}";
    for bad in ["", "\n@book{bad, title = {"] {
        let (entries, _) = entries(&format!("{text}{bad}")).expect("read");
        let row = &entries[0].row;
        assert_eq!((row.title.as_deref(), row.venue.as_deref()), (Some("Snails"), Some("Talks")));
    }
}

proptest! {
    #[test]
    fn no_text_breaks_it(text in "[@a-c{}=,\"\\\\\n #0-9\u{e9}]{0,80}") {
        let _ = entries(&text);
    }
}
