//! Locked files and scans, as a user meets them.

use crate::common::{Place, root};

const SECRET: &str = "hunter2-of-the-lock";

/// A locked file of the reader's own tests.
fn locked(place: &Place, name: &str) {
    let path = root().join("crates/ingest/tests/data").join(name);
    place.write(&format!("papers/{name}"), &std::fs::read(path).expect("a locked file"));
}

/// A page that holds one picture and no text.
fn scan(place: &Place) {
    let picture = "q 400 0 0 400 72 200 cm BI /W 2 /H 1 /CS /G /BPC 8 ID \u{0}~ EI Q";
    let file = format!(
        "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n\
         3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>\nendobj\n\
         4 0 obj\n<</Length {}>>\nstream\n{picture}\nendstream\nendobj\ntrailer\n<</Root 1 0 R/Size 5>>\n%%EOF\n",
        picture.len()
    );
    place.write("papers/scan.pdf", file.as_bytes());
}

#[test]
fn passwords_may_be_several_and_are_never_repeated() {
    let Some(place) = Place::with_natives() else { return };
    locked(&place, "locked_r4.pdf");
    locked(&place, "locked_r6.pdf");
    place.paper("tandrik_2021_vo2_walkers.pdf");
    place.write("of-r6", "\u{feff}właściciel\r\nnot this line\n".as_bytes());
    let ingest = |passwords: &[&str]| {
        let flags = passwords.iter().flat_map(|p| match *p {
            file if file.starts_with("of-") => ["--password-file", file],
            password => ["--password", password],
        });
        let args: Vec<&str> = ["ingest", "papers"].into_iter().chain(flags).collect();
        let ran = place.run(&args);
        assert!(!format!("{}{}", ran.stdout(), ran.stderr()).contains(SECRET), "{args:?}");
        ran
    };
    let wrong = ingest(&[SECRET]);
    assert_eq!(wrong.code(), 1);
    assert!(wrong.stdout().contains("no given password opens it"), "{}", wrong.stdout());
    assert!(ingest(&[]).stdout().contains("give its password with --password"));
    let right = ingest(&[SECRET, "pässwörd", "of-r6"]);
    assert_eq!(right.code(), 0, "{}{}", right.stdout(), right.stderr());
    // Nor does any file of the index hold it.
    for file in place.files("index") {
        let bytes = std::fs::read(place.path("index").join(&file)).expect("readable");
        assert!(!bytes.windows(SECRET.len()).any(|w| w == SECRET.as_bytes()), "{file}");
    }
}

#[test]
fn a_password_that_cannot_be_read_is_an_error() {
    let place = Place::new(None);
    place.write("long", SECRET.repeat(60).as_bytes());
    let check = |flag: &str, value: &str, parts: &[&str]| {
        let ran = place.run(&["parse", "x.pdf", flag, value]);
        ran.fails_with(2, parts);
        assert!(!ran.stderr().contains("hunter2"), "{}", ran.stderr());
    };
    check("--password-file", "long", &["long is not a password of 1 to 1024 bytes", "hint:"]);
    check("--password-file", "/dev/zero", &["/dev/zero is not a password"]);
    check("--password", "-", &["there is none", "--password-file"]);
}

/// Keys and passwords stay in this program: a worker reads hostile files.
#[cfg(target_os = "linux")]
#[test]
fn workers_see_no_key_of_the_environment() {
    use std::os::unix::fs::PermissionsExt;
    let Some(place) = Place::with_natives() else { return };
    place.paper("tandrik_2021_vo2_walkers.pdf");
    place.write("ocr", b"#!/bin/sh\nenv > seen; echo tesseract 5; echo eng\n");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.path("ocr"), executable).expect("set");
    let mut command =
        place.command(&["ingest", "papers", "--set", "ingest.ocr=auto", "--set", "ingest.ocr_program=./ocr"]);
    for name in ["OPENAI_API_KEY", "PIPELINE_PDF_PASSWORD", "LD_PRELOAD_X", "MY_TOKEN"] {
        command.env(name, SECRET);
    }
    command.env("LC_TIME", "C").env("INGEST_WORKER_FAULT", "hang:tandrik");
    let mut running = command.spawn().expect("runs");
    let parent = format!("\nPPid:\t{}\n", running.id());
    let read = |process: &std::fs::DirEntry, file: &str| {
        std::fs::read(process.path().join(file)).unwrap_or_default()
    };
    let worker = |process: &std::fs::DirEntry| {
        let status = read(process, "status");
        String::from_utf8_lossy(&status).contains(&parent)
            && read(process, "cmdline").ends_with(b"\0worker\0")
    };
    let seen = loop {
        let mut processes = std::fs::read_dir("/proc").expect("there is a /proc").flatten();
        if let Some(found) = processes.find(worker) {
            break read(&found, "environ");
        }
        assert!(running.try_wait().expect("waited for").is_none(), "no worker");
    };
    running.kill().expect("killed");
    running.wait().expect("waited for");
    for seen in [seen, std::fs::read(place.path("seen")).expect("it was asked for its version")] {
        let seen = String::from_utf8_lossy(&seen);
        assert!(seen.contains("PATH=") && seen.contains("LC_TIME=C"), "{seen}");
        assert!(!seen.contains(SECRET) && !seen.contains("PIPELINE_"), "{seen}");
    }
}

#[test]
fn a_scan_is_named_with_the_remedy() {
    let Some(place) = Place::with_natives() else { return };
    scan(&place);
    let (code, document) = place.json(&["parse", "papers/scan.pdf"]);
    assert_eq!(code, 1, "{document}");
    let warnings = document["warnings"].to_string();
    assert!(warnings.contains("page 1 holds only images; OCR is needed: install tesseract"), "{warnings}");
    let absent = ["--set", "ingest.ocr=auto", "--set", "ingest.ocr_program=no-such-tesseract"];
    place.paper("tandrik_2021_vo2_walkers.pdf");
    let ran = place.run(&[&["ingest", "papers"], absent.as_slice()].concat());
    assert_eq!(ran.code(), 0, "a scan is no failure: {}", ran.stderr());
    assert!(ran.stderr().contains("install tesseract"), "{}", ran.stderr());
    assert!(ran.stdout().contains("scan.pdf: no text to index"), "{}", ran.stdout());
    let doctor = place.run(&[&["doctor"], absent.as_slice()].concat());
    assert!(doctor.stdout().contains("no-such-tesseract"), "{}", doctor.stdout());
}
