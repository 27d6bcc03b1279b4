//! Wrong input: exit code 2, the value, and the way out. Nothing here needs natives.

use crate::common::Place;
use serde_json::json;
use std::{io::Read, process::Stdio};

#[test]
fn wrong_input_says_what_was_wrong_and_what_to_do() {
    let place = Place::new(None);
    let check = |args: &[&str], parts: &[&str]| place.run(args).fails_with(2, parts);
    check(&["ingest", "nowhere"], &["nowhere", "does not exist"]);
    check(
        &["ask", "q", "--set", "retrieve.min_similarty=1"],
        &["retrieve.min_similarty", "in --set; did you mean \"retrieve.min_similarity\""],
    );
    check(&["ask", "q", "--config", "none.toml"], &["none.toml", "phase2"]);
    check(&["ask", "q"], &["pipeline ingest"]);
    check(&["aks", "q"], &["did you mean 'ask'?"]);
    check(&["ask", "What", "is", "CRP"], &["'is'", "put the question in quotes"]);
    check(&["ask", "q", "--per-paper"], &["one a line: --per-paper --file columns.txt"]);
    check(
        &["search", "q", "--year-from", "2024", "--year-to", "2020"],
        &["--year-from 2024 is later than --year-to 2020"],
    );
    check(&["doctor", "--format", "markdown"], &["Markdown", "--format json"]);
    check(&["search", "q", "-k", "0"], &["0", "at least 1"]);
    check(&["-v", "-q", "doctor"], &["--quiet", "--verbose"]);
    // What may be a key is never repeated.
    for set in ["llm.base_url=http://me:hunter2@host/v1", "llm.api_key_env=sk-hunter2"] {
        let ran = place.run(&["config", "show", "--set", set]);
        assert_eq!(ran.code(), 2, "{set}");
        assert!(!format!("{}{}", ran.stdout(), ran.stderr()).contains("hunter2"), "{set}: {}", ran.stderr());
    }
    place.write("papers/a.pdf", b"%PDF-1.4");
    check(
        &["ingest", "papers"],
        &["PIPELINE_NATIVES names", "no-natives, which is not an existing folder; run `pipeline setup`"],
    );
    let (code, found) = place.json(&["doctor"]);
    assert_eq!((code, &found["ok"]), (1, &json!(false)), "{found}");
    assert!(found["findings"].to_string().contains("pipeline setup"), "{found}");
}

#[test]
fn no_file_is_read_without_end() {
    let place = Place::new(None);
    let check = |args: &[&str], parts: &[&str]| place.run(args).fails_with(2, parts);
    for (path, kind) in [("/dev/zero", "a device"), (".", "a folder")] {
        let what = &[path, kind];
        check(&["ask", "q", "--config", path], what);
        check(&["eval", "--queries", path], what);
        check(&["report", "--log", path], what);
        check(&["score", path], what);
        check(&["judge", path, "--output", "out.jsonl"], what);
    }
    let long = "x".repeat(70_000);
    let rows = [
        (
            "query",
            json!({"id": "a", "type": "direct", "query": long, "target_papers": [], "expected_no_evidence": true}),
        ),
        ("answer", json!({"question": "q", "answer": long, "contexts": ["c"]})),
        ("judge", json!({"id": 1, "context": "c", "response": long})),
    ];
    for (name, row) in rows {
        place.write(&format!("{name}.jsonl"), row.to_string().as_bytes());
    }
    let limit = "has 70000 characters, more than the limit of 60000";
    check(&["queries", "check", "query.jsonl"], &["line 1: the query has 70000 characters"]);
    check(&["score", "answer.jsonl"], &["line 1", "answer", limit]);
    check(&["judge", "judge.jsonl", "--output", "out.jsonl"], &["line 1", "response", limit]);
}

#[test]
fn file_names_do_not_reach_the_terminal_raw() {
    let place = Place::new(None);
    let odd = "a\u{1b}[2J\u{9b}1m\u{202e}b\u{200b}.pdf";
    let check = |args: &[&str], shown: &str| {
        let ran = place.run(args);
        assert_eq!(ran.code(), 2, "{args:?}: {}", ran.stderr());
        let both = format!("{}{}", ran.stdout(), ran.stderr());
        assert!(both.contains(shown), "{args:?}: {both:?}");
        let raw = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202e}' | '\u{200b}');
        assert!(!both.contains(raw), "{args:?}: {both:?}");
    };
    // An error of ours, and one of the argument parser (a pattern that the shell expanded).
    check(&["parse", odd], "a�[2J�1mb.pdf");
    check(&["parse", "a.pdf", odd], "�1mb.pdf");
}

#[cfg(unix)]
#[test]
fn a_foreign_variable_that_is_not_text_is_no_business_of_ours() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new(None);
    let odd = std::ffi::OsStr::from_bytes(b"\xff\xfe");
    let show =
        |name: &str| place.command(&["config", "show"]).env(name, odd).output().expect("runs").status.code();
    assert_eq!((show("SOMETHING"), show("PIPELINE__EXPAND__MAX_CHUNKS")), (Some(0), Some(2)));
}

#[test]
fn settings_are_shown_with_their_origin() {
    let place = Place::new(None);
    place.write("my.toml", b"[expand]\ncap = 8\n");
    let args =
        ["--set", "expand.reach=0", "config", "show", "--config", "my.toml", "--set", "rerank.top_n=5"];
    let (code, shown) = place.json(&args);
    assert_eq!(code, 0);
    let of = |key: &str| (shown["settings"][key]["value"].clone(), shown["settings"][key]["origin"].clone());
    assert_eq!(of("expand.max_chunks"), (8.into(), "my.toml".into()));
    assert_eq!(of("rerank.top_n"), (5.into(), "flag".into()));
    assert_eq!(of("expand.reach"), (0.into(), "flag".into()), "an option before the command counts too");
    assert_eq!(of("chunk.max_tokens"), (768.into(), "default".into()));

    let show = |more: &[&str]| {
        let ran = place.passes(&[&["config", "show", "--set", "expand.reach=0"], more].concat());
        ran.stdout()
    };
    let settings = |text: &str| text.lines().filter(|line| line.contains(" = ")).count();
    let main = show(&[]);
    assert!(main.contains("(1 changed); show them with --all, --changed"), "{main}");
    let all = show(&["--all"]);
    assert!(settings(&main) < settings(&all), "{all}");
    let changed = show(&["--changed"]);
    assert!(settings(&changed) == 1 && changed.contains("reach = 0"), "{changed}");
    // What is shown is a settings file.
    place.write("all.toml", all.as_bytes());
    assert_eq!(settings(&show(&["--all", "--config", "all.toml"])), settings(&all));
    let one = show(&["expand.reach"]).split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["neighbouring chunks", "default 1", "value 0 (flag)"] {
        assert!(one.contains(part), "{part}: {one}");
    }
    place.run(&["config", "show", "expand.raech"]).fails_with(2, &["did you mean \"expand.reach\"?"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new(None);
    let mut child = place.command(&["config", "show"]).stdout(Stdio::piped()).spawn().expect("runs");
    let mut first = [0_u8; 1];
    let mut pipe = child.stdout.take().expect("piped");
    pipe.read_exact(&mut first).expect("some output");
    drop(pipe);
    assert_eq!(child.wait().expect("ends").code(), Some(0));
}
