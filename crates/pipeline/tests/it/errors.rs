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
        &["ask", "q", "--set", "retrieve.treshold=1"],
        &["retrieve.treshold", "in --set; did you mean \"retrieve.threshold\""],
    );
    check(&["ask", "q", "--set", "retrieve.threshold=2"], &["retrieve.threshold", "from 0 to 1", "2"]);
    check(&["ask", "q", "--config", "none.toml"], &["none.toml", "phase2"]);
    check(&["ask", "q", "--mode", "sparse"], &["sparse", "hybrid, vector, bm25"]);
    check(&["ask", "q"], &["pipeline ingest"]);
    check(&["ask", "q", "--set", "rerank.keep=-1"], &["rerank.keep", "-1", "at least 0"]);
    check(&["ask", "q", "--set", "llm.base_url=http://me:hunter2@host/v1"], &["llm.base_url"]);
    check(&["eval", "--queries", "none.jsonl"], &["none.jsonl"]);
    check(&["report", "--log", "none.jsonl"], &["none.jsonl"]);
    check(&["parse", "none.pdf"], &["none.pdf", "does not exist"]);
    check(&["frobnicate"], &["frobnicate"]);
    check(&["aks", "q"], &["did you mean 'ask'?"]);
    check(&["ask", "What", "is", "CRP"], &["'is'", "put the question in quotes"]);
    check(&["search", "What", "is", "CRP"], &["'is'", "put the question in quotes"]);
    check(&["ask", "q", "--per-paper"], &["one a line: --per-paper --file columns.txt"]);
    check(
        &["search", "q", "--year-from", "2024", "--year-to", "2020"],
        &["--year-from 2024 is later than --year-to 2020"],
    );
    check(&["doctor", "--format", "markdown"], &["Markdown", "--format json"]);
    check(&["search", "q", "-k", "0"], &["0", "at least 1"]);
}

#[test]
fn no_file_is_read_without_end() {
    let place = Place::new(None);
    let long = "x".repeat(70_000);
    let write = |name: &str, row: serde_json::Value| place.write(name, row.to_string().as_bytes());
    let row =
        |question: &str, answer: &str| json!({"question": question, "answer": answer, "contexts": ["c"]});
    write("rows.jsonl", row("q", "a"));
    write("answer.jsonl", row("q", &long));
    write("question.jsonl", row(&long, "a"));
    write(
        "query.jsonl",
        json!({"id": "a", "type": "direct", "query": long, "target_papers": [], "expected_no_evidence": true}),
    );
    write("judge.jsonl", json!({"id": 1, "context": "c", "response": long}));
    write("item.jsonl", json!({"id": 1, "context": "c", "response": "c"}));
    let check = |args: &[&str], parts: &[&str]| place.run(args).fails_with(2, parts);
    for (path, kind) in [("/dev/zero", "a device"), (".", "a folder")] {
        let what = &[path, kind];
        check(&["ask", "q", "--config", path], what);
        check(&["eval", "--queries", path], what);
        check(&["queries", "check", path], what);
        check(&["report", "--log", path], what);
        check(&["runs", "--log", path], what);
        check(&["evaluate", path], what);
        check(&["evaluate", "rows.jsonl", "--qrels", path], what);
        check(&["judge", "--input", path, "--output", "out.jsonl"], what);
    }
    let output = ["judge", "--input", "item.jsonl", "--output", "/dev/zero"];
    check(&output, &["/dev/zero", "a device"]);
    check(
        &["queries", "check", "query.jsonl"],
        &["line 1: the query has 70000 characters, more than the limit of 10000"],
    );
    let limit = "has 70000 characters, more than the limit of 60000";
    check(&["evaluate", "answer.jsonl"], &["line 1", "answer", limit]);
    check(&["evaluate", "question.jsonl"], &["line 1", "question", limit]);
    check(&["judge", "--input", "judge.jsonl", "--output", "out.jsonl"], &["line 1", "response", limit]);
}

#[test]
fn what_may_be_a_key_is_never_repeated() {
    let place = Place::new(None);
    for set in [
        "llm.base_url=http://me:hunter2@host/v1",
        "llm.api_key_env=sk-hunter2",
        "llm.base_url=http://h/v1?key=hunter2",
    ] {
        let ran = place.run(&["config", "show", "--set", set]);
        assert_eq!(ran.code(), 2, "{set}");
        assert!(!format!("{}{}", ran.stdout(), ran.stderr()).contains("hunter2"), "{set}: {}", ran.stderr());
    }
}

#[test]
fn file_names_do_not_reach_the_terminal_raw() {
    let place = Place::new(None);
    let odd = "a\u{1b}[2J\u{9b}1m\u{202e}b\u{200b}.pdf";
    let check = |args: &[&str], code: i32, shown: &str| {
        let ran = place.run(args);
        assert_eq!(ran.code(), code, "{args:?}: {}", ran.stderr());
        let both = format!("{}{}", ran.stdout(), ran.stderr());
        assert!(both.contains(shown), "{args:?}: {both:?}");
        let raw = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202e}' | '\u{200b}');
        assert!(!both.contains(raw), "{args:?}: {both:?}");
    };
    // An error of ours, one of the argument parser (a pattern that the shell expanded), and a result.
    check(&["parse", odd], 2, "a�[2J�1mb.pdf");
    check(&["parse", "a.pdf", odd], 2, "�1mb.pdf");
    check(&["parse", "a.pdf", odd, "--color", "always"], 2, "�1mb.pdf");
    place.write(&format!("papers/{odd}"), b"%PDF-1.4");
    check(&["ingest", "papers", "--dry-run"], 0, "a�[2J�1mb.pdf");
    // JSON escapes what it must not show and keeps the name.
    let ran = place.run(&["ingest", "papers", "--dry-run", "--format", "json"]);
    let raw = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!ran.stdout().contains(raw), "{:?}", ran.stdout());
    let plan: serde_json::Value = serde_json::from_str(&ran.stdout()).expect("JSON");
    let path = plan["entries"][0]["path"].as_str().expect("a path");
    assert!(path.ends_with(odd), "{path:?}");
}

#[cfg(unix)]
#[test]
fn a_foreign_variable_that_is_not_text_is_no_business_of_ours() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new(None);
    let odd = std::ffi::OsStr::from_bytes(b"\xff\xfe");
    let show =
        |name: &str| place.command(&["config", "show"]).env(name, odd).output().expect("runs").status.code();
    assert_eq!((show("SOMETHING"), show("PIPELINE__EXPAND__CAP")), (Some(0), Some(2)));
}

#[test]
fn a_machine_without_natives_is_told_what_to_run() {
    let place = Place::new(None);
    place.write("papers/a.pdf", b"%PDF-1.4");
    place.run(&["ingest", "papers"]).fails_with(
        2,
        &["PIPELINE_NATIVES names", "no-natives, which is not an existing folder; run `pipeline setup`"],
    );
    let (code, found) = place.json(&["doctor"]);
    assert_eq!((code, &found["ok"]), (1, &serde_json::json!(false)), "{found}");
    let hints = found["findings"].to_string();
    assert!(hints.contains("pipeline setup"), "{hints}");
}

#[test]
fn settings_are_shown_with_their_origin() {
    let place = Place::new(None);
    place.write("my.toml", b"[expand]\ncap = 8\n");
    let (code, shown) = place.json(&["config", "show", "--config", "my.toml", "--set", "rerank.keep=5"]);
    assert_eq!(code, 0);
    let of = |key: &str| (shown["settings"][key]["value"].clone(), shown["settings"][key]["origin"].clone());
    assert_eq!(of("expand.cap"), (8.into(), "my.toml".into()));
    assert_eq!(of("rerank.keep"), (5.into(), "flag".into()));
    assert_eq!(of("chunk.max_tokens"), (768.into(), "default".into()));
    place.write("bad.toml", b"[expand]\ncapp = 8\n");
    place
        .run(&["config", "show", "--config", "bad.toml"])
        .fails_with(2, &["expand.capp", "expand.cap", "bad.toml"]);
}

#[test]
fn the_settings_that_matter_are_shown_and_the_others_on_request() {
    let place = Place::new(None);
    let show = |more: &[&str]| {
        let ran = place.run(&[&["config", "show", "--set", "expand.reach=0"], more].concat());
        assert_eq!(ran.code(), 0, "{}", ran.stderr());
        ran.stdout()
    };
    let settings = |text: &str| text.lines().filter(|line| line.contains(" = ")).count();
    let main = show(&[]);
    assert_eq!(settings(&main), 25, "{main}");
    assert!(main.contains("(1 changed); show them with --all, --changed"), "{main}");
    let all = show(&["--all"]);
    assert!((26..=100).contains(&settings(&all)), "{all}");
    let changed = show(&["--changed"]);
    assert!(settings(&changed) == 1 && changed.contains("reach = 0"), "{changed}");
    // What is shown is a settings file.
    place.write("all.toml", all.as_bytes());
    assert_eq!(settings(&show(&["--all", "--config", "all.toml"])), settings(&all));

    let one = show(&["expand.reach"]);
    let one = one.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["neighbouring chunks", "default 1", "value 0 (flag)"] {
        assert!(one.contains(part), "{part}: {one}");
    }
    let section = show(&["expand"]);
    assert!(section.contains("reach = 0") && settings(&section) == 2, "{section}");
    assert!(show(&["llm.cache"]).contains("one of \"on\", \"off\", \"replay\""));
    assert!(show(&["llm.small.model"]).contains("Name of the model"));
    place.run(&["config", "show", "expand.raech"]).fails_with(2, &["did you mean \"expand.reach\"?"]);
}

#[test]
fn settings_before_and_after_the_command_are_joined() {
    let place = Place::new(None);
    let args = ["--set", "expand.cap=8", "config", "--set", "rerank.keep=5", "show"];
    let (_, shown) = place.json(&args);
    for (key, value) in [("expand.cap", 8), ("rerank.keep", 5)] {
        assert_eq!(shown["settings"][key]["value"], value, "{key}");
    }
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

#[test]
fn completions_name_the_commands() {
    let place = Place::new(None);
    for shell in ["bash", "zsh", "fish"] {
        let ran = place.run(&["completions", shell]);
        assert_eq!(ran.code(), 0, "{shell}: {}", ran.stderr());
        assert!(ran.stdout().contains("ingest"), "{shell}");
    }
}
