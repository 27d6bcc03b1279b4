//! Which native code is loaded: where it is looked for, and that it is what set-up installs.

use crate::common::{Place, Ran, natives};
use serde_json::Value;
use std::{
    fs,
    os::unix::fs::{chown, symlink},
    path::{Path, PathBuf},
    process::Command,
};

const MODEL: &str = "all-MiniLM-L6-v2-w8a8";
const ORT: &str = "libonnxruntime.so";

/// A copy of the natives that may be changed.
fn copied(natives: &Path, to: &Path) {
    fs::create_dir_all(to.join(MODEL)).expect("made");
    let model = ["model.onnx", "tokenizer.json"].map(|file| format!("{MODEL}/{file}"));
    for file in [ORT.to_owned(), "libpdfium.so".to_owned()].iter().chain(&model) {
        fs::copy(natives.join(file), to.join(file)).expect("copied");
    }
}

/// A natives folder without one right file.
fn planted(place: &Place, folder: &str) {
    for file in [ORT, "libpdfium.so", &format!("{MODEL}/model.onnx"), &format!("{MODEL}/tokenizer.json")] {
        place.write(&format!("{folder}/{file}"), b"planted");
    }
}

fn finding(ran: &Ran, name: &str) -> (bool, String) {
    let health: Value = serde_json::from_str(&ran.stdout()).expect("JSON");
    let findings = health["findings"].as_array().expect("a list");
    let found = findings.iter().find(|finding| finding["name"] == name).expect("listed");
    (found["health"] == "ok", found["detail"].to_string())
}

#[test]
fn the_working_directory_is_no_place_for_native_code() {
    let Some(natives) = natives() else { return };
    let place = Place::new(None);
    for folder in
        ["", ".natives", "papers/.natives", "papers/pipeline/natives", "papers/.local/share/pipeline/natives"]
    {
        planted(&place, folder);
        planted(&place, &format!("papers/{folder}"));
    }
    let (program, link) = (place.path("other/bin/pipeline"), place.path("papers/link"));
    fs::create_dir_all(place.path("other/bin")).expect("made");
    fs::create_dir_all(place.path("home/.local/share/pipeline")).expect("made");
    fs::copy(env!("CARGO_BIN_EXE_pipeline"), &program).expect("copied");
    symlink(&program, &link).expect("linked");
    let own = place.path("home/.local/share/pipeline/natives");
    symlink(&natives, &own).expect("linked");
    let doctor = |program: &Path, environment: &[(&str, &str)]| {
        let mut command = Command::new(program);
        command.args(["doctor", "--offline", "--format", "json"]).current_dir(place.path("papers"));
        command.env_clear().envs(environment.iter().copied());
        Ran(command.output().expect("it runs"))
    };
    let home = place.path("home");
    let home = home.to_str().expect("UTF-8");
    let check = |program: &Path, environment: &[(&str, &str)], want: Option<&Path>| {
        let ran = doctor(program, environment);
        let (ok, folder) = finding(&ran, "natives folder");
        let works = ["PDFium", "ONNX Runtime", "embedding model"].map(|name| finding(&ran, name).0);
        let shown = want.map_or("no folder".to_owned(), |path| path.display().to_string());
        assert!(folder.contains(&shown) && ok == want.is_some(), "{environment:?}: {folder}");
        assert_eq!(works, [want.is_some(); 3], "{environment:?}: {}", ran.stdout());
    };
    check(&program, &[("HOME", home)], Some(&own));
    check(&link, &[("HOME", home)], Some(&own));
    check(&program, &[("HOME", home), ("XDG_DATA_HOME", ".")], Some(&own));
    check(&program, &[("HOME", "."), ("XDG_DATA_HOME", ".local/share")], None);
    // Without it, the home of the user counts, where natives may be.
    let (_, folder) = finding(&doctor(&program, &[("HOME", "")]), "natives folder");
    let below = place.path("papers").display().to_string();
    assert!(!folder.contains(&below), "{folder}");

    let beside = place.path("other/bin/.natives");
    copied(&natives, &beside);
    check(&program, &[("HOME", home)], Some(&beside));
    if chown(&beside, Some(4242), None).is_err() {
        eprintln!("skipped: a folder of another user, which only root can make");
        return;
    }
    check(&program, &[("HOME", home)], Some(&own));
}

#[test]
fn only_the_pinned_files_are_loaded_or_the_users_own() {
    let Some(natives) = natives() else { return };
    let place = Place::new(Some(natives.clone()));
    let folder = place.path("natives");
    copied(&natives, &folder);
    place.write("papers/a.md", b"# A study\n\nWalking lowered the blood pressure of sailors by 12 mmHg.\n");
    place.paper("ibberwyck_2020_protein_frail.pdf");
    let run = |args: &[&str], set: &[String]| {
        let mut command = place.command(args);
        command.args(set.iter().flat_map(|set| ["--set", set]));
        command.env("PIPELINE_NATIVES", "natives").env("XDG_CACHE_HOME", place.path("cache"));
        Ran(command.output().expect("it runs"))
    };
    let doctor = |set: &[String]| run(&["doctor", "--offline", "--format", "json"], set);
    // The dependencies of the library are not taken from its folder.
    place.write("natives/librt.so.1", b"planted");
    let sound = doctor(&[]);
    for name in ["PDFium", "ONNX Runtime", "embedding model"] {
        assert!(finding(&sound, name).0, "{}", sound.stdout());
    }

    let check = |file: &str, change: &dyn Fn(&Path), names: &[&str], parts: &[&str]| {
        let path = folder.join(file);
        change(&path);
        let ran = doctor(&[]);
        for name in names {
            let (ok, detail) = finding(&ran, name);
            assert!(!ok && parts.iter().all(|part| detail.contains(part)), "{detail}");
        }
        run(&["ingest", "papers"], &[]).fails_with(2, parts);
        fs::copy(natives.join(file), &path).expect("restored");
    };
    let cut = |path: &Path| {
        let file = fs::OpenOptions::new().write(true).open(path).expect("opened");
        file.set_len(file.metadata().expect("read").len() / 2).expect("cut");
    };
    // Neither size nor time tell.
    let patched = |path: &Path| {
        let before = fs::metadata(path).expect("read").modified().expect("a time");
        let mut bytes = fs::read(path).expect("read");
        bytes[5000] ^= 1;
        fs::write(path, bytes).expect("written");
        let file = fs::OpenOptions::new().write(true).open(path).expect("opened");
        file.set_modified(before).expect("set");
    };
    let refused = ["libonnxruntime.so has SHA-256", "expected fc44112f"];
    check(ORT, &cut, &["ONNX Runtime", "embedding model"], &refused);
    check(ORT, &patched, &["ONNX Runtime", "embedding model"], &refused);
    check("libpdfium.so", &patched, &["PDFium"], &["libpdfium.so has SHA-256", "expected c76dc0f7"]);
    let model = format!("{MODEL}/model.onnx");
    check(&model, &patched, &["embedding model"], &["model.onnx has SHA-256", "expected f2c37867"]);

    // A library that a setting names is the user's own, if it is whole.
    let own = |file: &str| [format!("natives.onnxruntime=own/{file}")];
    fs::create_dir(place.path("own")).expect("made");
    let other = |name: &str| -> PathBuf {
        fs::copy(natives.join(ORT), place.path("own").join(name)).expect("copied");
        place.path("own").join(name)
    };
    let mut longer = fs::read(other("longer.so")).expect("read");
    longer.push(0);
    fs::write(place.path("own/longer.so"), longer).expect("written");
    let (ok, detail) = finding(&doctor(&own("longer.so")), "ONNX Runtime");
    assert!(ok && detail.contains("your own file"), "{detail}");
    cut(&other("half.so"));
    let (ok, detail) = finding(&doctor(&own("half.so")), "ONNX Runtime");
    assert!(!ok && detail.contains("has 14676100 bytes, expected at least 29352200"), "{detail}");
}
