//! Bits flipped in kept replies and in logged rows.

use crate::language_model::world::{QUESTION, World, rows};
use serde_json::Value;
use std::fs;
use testkit::{ChatServer, reply};

/// One bit in each of `count` bytes, spread over the whole.
fn flipped(whole: &[u8], count: usize) -> impl Iterator<Item = Vec<u8>> {
    (0..count).map(move |at| {
        let mut bytes = whole.to_vec();
        bytes[(at * whole.len() + whole.len() / 2) / count] ^= 1 << (at % 8);
        bytes
    })
}

#[test]
fn a_damaged_reply_is_named_and_asked_for_again() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(reply::good);
    let settings = |cache: &str| world.settings(&server.base_url(), &[&format!("llm.cache = {cache:?}")]);
    settings("on");
    let (_, first, _) = world.json(&["ask", QUESTION]);
    let files = world.place.files("logs/llm_cache");
    assert_eq!(files.len(), 1, "{files:?}");
    let file = world.place.path("logs/llm_cache").join(&files[0]);
    let whole = fs::read(&file).expect("reads");
    for (asked, bytes) in (2..).zip(flipped(&whole, 8)) {
        fs::write(&file, bytes).expect("writes");
        settings("replay");
        world.run(&["ask", QUESTION]).fails_with(2, &[&files[0], "is damaged", "llm.cache"]);
        settings("on");
        let (code, again, stderr) = world.json(&["ask", QUESTION]);
        assert_eq!((code, &again["answer"]), (0, &first["answer"]), "{again}");
        assert!(format!("{again}{stderr}").contains(&files[0]), "{again}\n{stderr}");
        assert_eq!(server.requests().len(), asked);
        assert_eq!(fs::read(&file).expect("reads"), whole, "it is kept anew");
    }
}

#[test]
fn a_damaged_row_is_named_by_every_command_and_asked_again() {
    let Some(world) = World::new() else { return };
    // The third question has no answer, so that the run can go on.
    let server = ChatServer::answering(|request| {
        if request.user().contains("(3)") { testkit::Step::error(400, "no") } else { reply::good(request) }
    });
    world.settings(&server.base_url(), &["eval.retries = 0", "eval.workers = 1"]);
    let (_, first, _) = world.eval(3);
    let log = world.place.path("logs/run_log.jsonl");
    let whole = fs::read_to_string(&log).expect("reads");
    let exported = world.run(&["runs", "export", "latest", "--format", "csv"]).stdout();
    for (line, id) in [(1, "D01"), (2, "D02"), (3, "D03")] {
        let bytes = whole.lines().nth(line - 1).expect("a line").as_bytes();
        for damaged in flipped(bytes, 6) {
            let damaged = [&damaged[..], b"\n"].concat();
            let lines = whole.split_inclusive('\n').enumerate();
            let text = lines.flat_map(|(at, own)| if at + 1 == line { &damaged } else { own.as_bytes() });
            fs::write(&log, text.copied().collect::<Vec<u8>>()).expect("writes");
            let name = format!("line {line}: ");
            for args in [
                &["runs"][..],
                &["runs", "show", "latest"],
                &["runs", "export", "latest", "--format", "csv"],
                &["report"],
            ] {
                let ran = world.run(args);
                assert!(
                    ran.stderr().contains("run_log.jsonl") && ran.stderr().contains(&name),
                    "{args:?}: {}",
                    ran.stderr()
                );
                let cell = format!(",{id},hybrid,");
                let exports = args.contains(&"export");
                assert!(!exports || exported.contains(&cell) && !ran.stdout().contains(&cell));
            }
        }
    }
    // The damaged second row is asked again, the intact first one is not.
    let mut text = whole.clone();
    let second = whole.find('\n').expect("two lines");
    let place = second + whole[second..].find("medium").expect("a confidence");
    text.replace_range(place..=place, "n");
    fs::write(&log, text).expect("writes");
    let (_, listed, _) = world.json(&["runs"]);
    let run = &listed["runs"][0];
    assert_eq!((&run["rows"], &run["damaged"]), (&3.into(), &1.into()), "{run}");
    let before = server.requests().len();
    let (_, second, stderr) = world.eval(3);
    assert_eq!(server.requests().len() - before, 2, "{stderr}");
    assert!(stderr.contains("line 2: ") && stderr.contains("asked again: 1"), "{stderr}");
    let answers =
        |document: &Value| rows(document).iter().map(|row| row["answer"].clone()).collect::<Vec<_>>();
    assert_eq!(answers(&second), answers(&first));
    let (_, listed, _) = world.json(&["runs"]);
    let run = &listed["runs"][0];
    assert_eq!((&run["rows"], &run["damaged"]), (&3.into(), &0.into()), "{run}");
}
