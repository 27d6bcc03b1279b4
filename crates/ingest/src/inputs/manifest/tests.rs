use super::*;
use proptest::prelude::*;

#[test]
fn rows_say_what_they_say_and_no_more() {
    let text = "Source_ID, title,authors,year,venue,doi,type,tags\n\
        Barry 2014,\"A title, with a comma\",Barry RJ; De Blasio F ;,2014,,https://doi.org/10.1000/ABC,review,eeg; arousal\n\
        lee_2020,,,,,,,\n\
        \n\
        ,nobody,,,,,,\n\
        short,row\n\
        barry_2014,again,,,,,,\n\
        wong_2019,W,,20x9,J,n/a,,\n\
        \"multi\nline\",M,,,,,,\n\
        last,L,,12,,,,\n";
    let manifest = rows(text).expect("a manifest");
    let ids: Vec<&str> = manifest.rows.iter().map(|r| r.source_id.as_str()).collect();
    assert_eq!(ids, ["barry_2014", "lee_2020", "wong_2019", "multi_line", "last"]);
    let first = &manifest.rows[0];
    assert_eq!(first.title.as_deref(), Some("A title, with a comma"));
    assert_eq!(first.authors, ["Barry RJ", "De Blasio F"]);
    assert_eq!((first.year, first.doi.as_deref()), (Some(2014), Some("10.1000/abc")));
    assert_eq!(first.tags, ["eeg", "arousal"]);
    assert!(manifest.rows[1].is_empty() && !first.is_empty());
    let notes = manifest.notes.join("\n");
    for part in [
        "columns not used: type",
        "line 5: no source_id",
        "line 6: 2 cells in place of 8",
        "line 7: barry_2014 is already on line 2",
        "line 8: \"20x9\" is no year",
        "line 8: \"n/a\" is no DOI",
        "line 11: \"12\" is no year",
    ] {
        assert!(notes.contains(part), "{part:?} is not in:\n{notes}");
    }
    assert_eq!(manifest.notes.len(), 7, "{notes}");
}

#[test]
fn what_is_too_large_is_not_used() {
    let long = "x".repeat(300_000);
    let text = format!("source_id,title\na,{long}\nb,t\n{}", "odd\n".repeat(60));
    let manifest = rows(&text).expect("a manifest");
    assert_eq!(manifest.rows.len(), 1);
    assert_eq!(manifest.notes[0], "line 2: 300001 bytes, more than the limit of 262144; the row is not used");
    assert_eq!(manifest.notes[MAX_NOTES..], ["11 further remarks are left out"]);
    assert!(rows(&format!("source_id,{long}\n")).is_err_and(|error| error.contains("300009 bytes")));
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join(FILE);
    std::fs::write(&path, "a\n".repeat(2_000_000)).expect("written");
    assert!(read(&path).is_err_and(|error| error.contains("more than 512 MiB of memory")));
}

#[test]
fn empty_cells_leave_what_was_guessed() {
    let guessed = SourceMeta {
        title: Some("guessed".to_owned()),
        authors: vec!["G. Uess".to_owned()],
        year: Some(1999),
        ..SourceMeta::default()
    };
    let mut meta = guessed.clone();
    Row::default().apply(&mut meta);
    assert_eq!(meta, guessed);
    let row = Row { title: Some("known".to_owned()), tags: vec!["t".to_owned()], ..Row::default() };
    row.apply(&mut meta);
    assert_eq!(meta.title.as_deref(), Some("known"));
    assert_eq!((meta.authors.len(), meta.year, meta.tags.len()), (1, Some(1999), 1));
    assert_ne!(row.digest(), Row::default().digest());
    assert_eq!(row.digest(), Row { line: 9, ..row.clone() }.digest());
}

#[test]
fn fictional_papers_are_marked() {
    let text = "source_id,fictional\na,yes\nb,No\nc,\nd,perhaps\n";
    let manifest = rows(text).expect("a manifest");
    let marks: Vec<Option<bool>> = manifest.rows.iter().map(|r| r.fictional).collect();
    assert_eq!(marks, [Some(true), Some(false), None, None]);
    assert_eq!(
        manifest.notes,
        ["line 5: \"perhaps\" in column fictional is neither yes nor no; the cell is not used"]
    );
    let mut meta = SourceMeta::default();
    manifest.rows[0].apply(&mut meta);
    assert!(meta.fictional && !manifest.rows[0].is_empty());
    manifest.rows[2].apply(&mut meta);
    assert!(meta.fictional, "an empty cell changes nothing");
    manifest.rows[1].apply(&mut meta);
    assert!(!meta.fictional);
    let unmarked = serde_json::to_string(&Row::default()).expect("serialises");
    assert!(!unmarked.contains("fictional"), "rows of older manifests keep their digest");
}

#[test]
fn a_column_takes_a_url_or_a_doi() {
    let text = "source_id,url_or_doi,doi,relevance_note\n\
        a,https://www.example.org/articles/10.99999/x.1/full,,Shows  the effect\n\
        b,https://example.org/paper/7,,\n\
        c,10.99999/x.3,10.99999/own,\n\
        d,no idea,,\n";
    let manifest = rows(text).expect("a manifest");
    let seen: Vec<_> = manifest.rows.iter().map(|r| (r.doi.as_deref(), r.url.as_deref())).collect();
    let want = [
        (Some("10.99999/x.1"), None),
        (None, Some("https://example.org/paper/7")),
        (Some("10.99999/own"), None),
        (None, None),
    ];
    assert_eq!(seen, want);
    assert_eq!(manifest.rows[0].relevance_note.as_deref(), Some("Shows  the effect"));
    assert_eq!(manifest.notes, ["line 5: \"no idea\" is neither a URL nor a DOI; the cell is not used"]);
    let mut meta = SourceMeta::default();
    manifest.rows[1].apply(&mut meta);
    assert_eq!(meta.url.as_deref(), Some("https://example.org/paper/7"));
}

#[test]
fn a_row_fills_what_another_leaves_empty() {
    let row = |title: Option<&str>, year| Row { title: title.map(str::to_owned), year, ..Row::default() };
    let merged = row(Some("corrected"), None).or(&row(Some("exported"), Some(2019)));
    assert_eq!((merged.title.as_deref(), merged.year), (Some("corrected"), Some(2019)));
}

#[test]
fn what_is_written_is_read_back() {
    let meta = SourceMeta {
        source_id: "lee_2020".into(),
        title: Some("=A title, with \"quotes\"".to_owned()),
        authors: vec!["+Lee, Ann".to_owned(), "B; C".to_owned()],
        year: Some(2020),
        venue: Some("'@Journal".to_owned()),
        doi: Some("10.99999/x".to_owned()),
        url: None,
        relevance_note: Some("a note\non two lines".to_owned()),
        tags: vec!["t".to_owned()],
        fictional: true,
        printed: types::Printed::default(),
    };
    let bare = SourceMeta {
        source_id: "kim".into(),
        url: Some("https://example.org/7".to_owned()),
        ..SourceMeta::default()
    };
    let text = write([&meta, &bare]);
    assert!(text.contains("\nlee_2020,\"'=A title") && text.contains(",''@Journal,"), "{text}");
    let manifest = rows(&text).expect("a manifest");
    assert!(manifest.notes.is_empty(), "{:?}", manifest.notes);
    let mut back = SourceMeta { source_id: "lee_2020".into(), ..SourceMeta::default() };
    manifest.rows[0].apply(&mut back);
    // A semicolon separates names.
    let meta = SourceMeta { authors: vec!["+Lee, Ann".to_owned(), "B, C".to_owned()], ..meta };
    assert_eq!(back, meta);
    let mut back = SourceMeta { source_id: "kim".into(), ..SourceMeta::default() };
    manifest.rows[1].apply(&mut back);
    assert_eq!(back, bare);
}

#[test]
fn manifests_are_read_as_spreadsheets_write_them() {
    for text in [
        "source_id;title;authors\r\na;One, two;\"Lee, A; Kim, B\"\r\nb\r\n",
        "sep=;\nsource_id;title;authors\na;One, two;\"Lee, A; Kim, B\"\n",
        "source_id\ttitle\tauthors\na\tOne, two\tLee, A; Kim, B\n",
    ] {
        let manifest = rows(text).expect(text);
        let row = &manifest.rows[0];
        assert_eq!((row.title.as_deref(), row.authors.len()), (Some("One, two"), 2), "{text}");
    }
}

#[test]
fn a_cell_is_changed_and_nothing_else() {
    let check = |old: &str, ids: &[&str], cells: &[(&'static str, &str)], want: Result<&str, &str>| {
        let ids: Vec<SourceId> = ids.iter().map(|id| (*id).into()).collect();
        let cells: Vec<_> = cells.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let new = edit(old.as_bytes(), &ids, &cells).map(|new| String::from_utf8(new).expect("UTF-8"));
        match want {
            Ok(want) => assert_eq!(new.as_deref(), Ok(want), "{old}"),
            Err(want) => assert!(new.as_ref().is_err_and(|why| why.contains(want)), "{old}: {new:?}"),
        }
    };
    // Comments, empty lines, rows that cannot be used, columns of others and the ends of lines stay.
    let old =
        "\u{feff}Source_ID;My note;title\r\n# by hand\r\n\r\nb;\"x; y\";B\r\na; '=1 ;A\r\na;again;A2\r\n";
    let new = "\u{feff}Source_ID;My note;title\r\n# by hand\r\n\r\nb;\"x; y\";B\r\na;'=1;\"New; one\"\r\na;again;A2\r\n";
    check(old, &["a"], &[("title", "New; one")], Ok(new));
    // A new column is added to all rows, a new row at the end, whether or not that ends its line.
    check("source_id,title\na,A", &["a"], &[("year", "2020")], Ok("source_id,title,year\na,A,2020"));
    check("source_id,title\na,A", &["b"], &[("title", "=B")], Ok("source_id,title\na,A\nb,'=B\n"));
    check("sep=;\nsource_id;year\nx;1999\n", &["x"], &[("year", "")], Ok("sep=;\nsource_id;year\nx;\n"));
    // The whole id before the name of the file.
    check(
        "source_id,title\np,A\np-1,B\n",
        &["p-1", "p"],
        &[("title", "C")],
        Ok("source_id,title\np,A\np-1,C\n"),
    );
    check("source_id,title\np,A\n", &["p-1", "p"], &[("title", "C")], Ok("source_id,title\np,C\n"));
    let made = "source_id,title,authors,year,venue,doi,url_or_doi,tags,relevance_note,fictional\nn,,\"A; B\",,,,,,,\n";
    check("", &["n"], &[("authors", "A; B")], Ok(made));
    // What would change another row is refused.
    check("id,title\na,A\n", &["a"], &[("title", "C")], Err("no column source_id"));
    check("source_id,title\na,A\nb,\"open", &["a"], &[("year", "2020")], Err("would change other cells"));
    let used = |column, value: &str| super::check(&"a".into(), &[(column, value.to_owned())]);
    assert_eq!(used("year", "20x9"), Err("\"20x9\" is no year".to_owned()));
    assert!(
        used("title", "a\u{0}b").is_err() && used("title", "a\tb").is_err(),
        "files with them cannot be read again"
    );
    assert!(used("doi", "none").is_err() && used("doi", "doi:10.1000/X").is_ok() && used("year", "").is_ok());
    let latin = edit(b"source_id,title\na,Gr\xf6\xdfe\n", &["a".into()], &[("year", "2020".to_owned())]);
    assert_eq!(latin.expect("edited"), "\u{feff}source_id,title,year\na,Größe,2020\n".as_bytes());
}

#[test]
fn what_is_no_manifest_says_so() {
    let check = |text: &str, want: &str| {
        let error = rows(text).expect_err("no manifest");
        assert!(error.contains(want), "{error}");
    };
    check("id,title\na,b\n", "no column source_id, only \"id, title\"");
    check("", "no column source_id");
}

#[test]
fn years() {
    assert_eq!(year_in("12 May 2003"), Some(2003));
    assert_eq!(year_in("2003-05-12"), Some(2003));
    assert_eq!(year_in("99"), None);
}

proptest! {
    #[test]
    fn no_text_breaks_it(text in "(source_id,year\n)?([a-c0-9,;\"\n\r \u{e9}\u{0}]){0,60}") {
        let read = rows(&text);
        let _ = year_in(&text);
        // What an edit writes has all rows of the others.
        if let (Ok(read), Ok(new)) = (read, edit(text.as_bytes(), &["a".into()], &[("title", "T".to_owned())])) {
            let new = rows(std::str::from_utf8(&new).expect("UTF-8").trim_start_matches('\u{feff}')).expect("a manifest");
            let others = |all: &Manifest| all.rows.iter().filter(|row| row.source_id.as_str() != "a").map(Row::digest).collect::<Vec<_>>();
            prop_assert_eq!(others(&read), others(&new));
        }
    }
}
