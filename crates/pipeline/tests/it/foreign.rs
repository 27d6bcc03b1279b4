//! Files that are not ours: behind links in an index or a folder of papers, beside our own, in the way of an output.

use crate::common::Place;
use std::{fs, os::unix::fs::symlink, path::PathBuf};

const NOTES: &str = "# Sleep of garden snails\n\n## Methods\n\nWe watched twelve snails at night.\n";

/// Every file below a folder, with what it holds.
fn contents(place: &Place, folder: &str) -> Vec<(String, Vec<u8>)> {
    let read = |name: String| {
        let path = place.path(folder).join(&name);
        (name, fs::read(path).expect("reads"))
    };
    place.files(folder).into_iter().map(read).collect()
}

#[test]
fn no_link_in_an_index_is_followed_and_no_file_of_another_name_removed() {
    let Some((place, model)) = Place::fast() else { return };
    place.write("papers/notes.md", NOTES.as_bytes());
    let ingest = ["ingest", "papers", "--set", &model];
    let compact = ["index", "compact", "--all"];
    assert_eq!(place.run(&ingest).code(), 0);
    let key = format!("ab{}", "0".repeat(62));
    place.write("victim/thesis.txt", b"thesis");
    place.write(&format!("victim/ab/{key}"), b"letter");
    place.write(&format!("victim/{key}"), b"letter");
    let before = contents(&place, "victim");
    let victim = |name: &str| place.path("victim").join(name);
    let (kept, index) = (place.path("kept"), place.path("index"));
    for (name, target) in [
        ("writer.lock", "thesis.txt"),
        ("cache", ""),
        ("cache.sqlite", "thesis.txt"),
        ("segments", ""),
        ("generations/9.building", ""),
    ] {
        let link = index.join(name);
        let moved = fs::rename(&link, &kept).is_ok();
        fs::create_dir_all(link.parent().expect("has one")).expect("made");
        symlink(victim(target), &link).expect("linked");
        for args in [&ingest[..], &compact] {
            place.run(args).fails_with(2, &[name, "is a symbolic link", "remove"]);
        }
        fs::remove_file(&link).expect("removed");
        if moved {
            fs::rename(&kept, &link).expect("renamed");
        }
    }
    // Names that are replaced and not followed; a lock that has another name elsewhere; files with names of others.
    for name in ["CURRENT.new", "PIPELINE_INDEX.new"] {
        symlink(victim("thesis.txt"), index.join(name)).expect("linked");
    }
    place.write("index/PIPELINE_INDEX", b"of another version");
    fs::remove_file(index.join("writer.lock")).expect("removed");
    fs::hard_link(victim("thesis.txt"), index.join("writer.lock")).expect("linked");
    let foreign = ["cache/vectors/ab/letter", "cache/documents/thesis.txt", "segments/mine.building/x"];
    for name in foreign {
        place.write(&format!("index/{name}"), b"mine");
    }
    place.write("papers/more.md", NOTES.replace("twelve", "nine").as_bytes());
    for args in [&ingest[..], &compact] {
        place.passes(args);
    }
    assert_eq!(contents(&place, "victim"), before);
    assert!(foreign.iter().all(|name| index.join(name).exists()));
}

#[test]
fn links_lead_out_of_a_folder_only_when_told() {
    let Some((place, model)) = Place::fast() else { return };
    for (at, name) in
        ["papers/a.md", "papers/sub/b.md", "private/deep/c.md", "private/d.md"].into_iter().enumerate()
    {
        let text = NOTES.replace("twelve", &(at + 20).to_string());
        place.write(name, text.as_bytes());
    }
    place.write("private/manifest.csv", b"source_id,title\na,Private\n");
    place.write("private/own.bib", b"@article{x, title={Sleep of garden snails}, journal={Private}}\n");
    let link = |target: PathBuf, name: &str| symlink(target, place.path(name)).expect("linked");
    link("../private".into(), "papers/data");
    link("../private/d.md".into(), "papers/one.md");
    link("../hop".into(), "papers/chain");
    link("private".into(), "hop");
    link("..".into(), "papers/up");
    link("sub".into(), "papers/inside");
    link("../private/manifest.csv".into(), "papers/manifest.csv");
    link("../private/own.bib".into(), "papers/own.bib");
    link("papers".into(), "linked");
    for root in ["papers", "linked"] {
        let index = format!("index-{root}");
        let (code, done) = place.json(&["ingest", root, "--set", &model, "--index", &index]);
        assert_eq!((code, &done["added"]), (0, &2.into()), "{done}");
        let named: Vec<&str> = done["skipped"]
            .as_array()
            .expect("a list")
            .iter()
            .filter(|left| left["reason"].as_str().is_some_and(|why| why.contains("--follow-links")))
            .map(|left| left["path"].as_str().and_then(|path| path.rsplit('/').next()).expect("a name"))
            .collect();
        assert_eq!(named, ["one.md", "chain", "data", "up"], "{done}");
        let warnings = done["warnings"].to_string();
        for name in ["manifest.csv", "own.bib"] {
            assert!(warnings.contains(&format!("{name}: not used: a link")), "{name}: {warnings}");
        }
        let sources = place.json(&["papers", "--index", &index]).1;
        assert!(!sources.to_string().contains("Private"), "{sources}");
    }
    let text = place.run(&["ingest", "papers", "--dry-run"]).stdout();
    assert!(text.contains("4 files: a link that leads out of the folder"), "{text}");
    let (_, plan) = place.json(&["ingest", "papers", "--dry-run", "--follow-links"]);
    assert_eq!(plan["counts"]["add"], 4, "{plan}");
}

#[test]
fn an_output_replaces_only_what_we_wrote() {
    let place = Place::new(None);
    place.write(
        "rows.jsonl",
        br#"{"user_input": "When?", "response": "In May.", "retrieved_contexts": ["It began in May."]}"#,
    );
    for (option, file) in [("--output", "out.json"), ("--junit", "out.xml")] {
        let args = ["score", "rows.jsonl", option, file];
        for _ in 0..2 {
            assert_eq!(place.run(&args).code(), 0);
        }
        place.write(file, b"");
        assert_eq!(place.run(&args).code(), 0, "an empty file holds nothing");
        for foreign in [&b"my thesis"[..], b"{\"results\": [1]}", b"<testsuites/>"] {
            place.write(file, foreign);
            place.run(&args).fails_with(2, &[file, "was not written by pipeline", "name another file"]);
            assert_eq!(fs::read(place.path(file)).expect("reads"), foreign);
        }
    }
    assert_eq!(place.run(&["man", "--out", "man"]).code(), 0);
    assert_eq!(place.run(&["man", "--out", "man"]).code(), 0);
    place.write("man/pipeline-ask.1", b"mine");
    place.run(&["man", "--out", "man"]).fails_with(2, &["pipeline-ask.1", "not written by pipeline"]);
}

#[test]
fn answers_that_were_saved_are_no_papers() {
    let Some((place, model)) = Place::fast() else { return };
    place.write("papers/notes.md", NOTES.as_bytes());
    assert_eq!(place.run(&["ingest", "papers", "--set", &model]).code(), 0);
    let refuses = "guardrail.refuse_below=1";
    let forms: [&[&str]; 5] =
        [&[], &["--include-context"], &["--set", refuses], &["--format", "markdown"], &["--format", "json"]];
    for (at, form) in forms.iter().enumerate() {
        let args = [&["ask", "How many snails were watched?", "--set", &model], *form].concat();
        let answer = place.run(&args).stdout();
        place.write(&format!("saved/{at}.txt"), answer.as_bytes());
        place.write(&format!("saved/{at}.md"), format!("\u{feff}{answer}").replace('\n', "\r\n").as_bytes());
    }
    // Notes about answers are papers.
    place.write(
        "saved/notes.md",
        b"# Notes\n\nWritten by pipeline engineers.\n\nSee <!-- written by pipeline -->.\n",
    );
    let (_, plan) = place.json(&["ingest", "saved", "--dry-run"]);
    let counts = (&plan["counts"]["add"], &plan["counts"]["skipped"]);
    assert_eq!(counts, (&1.into(), &10.into()), "{plan}");
}
