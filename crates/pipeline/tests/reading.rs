//! Locked files and scans, as a user meets them.

mod common;

use common::{Place, natives, root};

const SECRET: &str = "hunter2-of-the-lock";

/// A locked file of the reader's own tests.
fn locked(place: &Place, name: &str) {
    let path = root().join("crates/ingest/tests/data").join(name);
    place.write(
        &format!("papers/{name}"),
        &std::fs::read(path).expect("a locked file"),
    );
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
    let Some(natives) = natives() else { return };
    let place = Place::new(Some(natives));
    locked(&place, "locked_r4.pdf");
    locked(&place, "locked_r6.pdf");
    place.paper("tandrik_2021_vo2_walkers.pdf");
    let ingest = |passwords: &[&str]| {
        let flags = passwords.iter().flat_map(|p| ["--password", p]);
        let args: Vec<&str> = ["ingest", "papers"].into_iter().chain(flags).collect();
        let ran = place.run(&args);
        assert!(
            !format!("{}{}", ran.stdout(), ran.stderr()).contains(SECRET),
            "{args:?}"
        );
        ran
    };
    let wrong = ingest(&[SECRET]);
    assert_eq!(wrong.code(), 1);
    assert!(
        wrong.stdout().contains("no given password opens it"),
        "{}",
        wrong.stdout()
    );
    assert!(ingest(&[]).stdout().contains("give its password with --password"));
    let right = ingest(&[SECRET, "pässwörd", "właściciel"]);
    assert_eq!(right.code(), 0, "{}{}", right.stdout(), right.stderr());
    // Nor does any file of the index hold it.
    let mut folders = vec![place.path("index")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let bytes = std::fs::read(entry.path()).expect("readable");
            let held = bytes.windows(SECRET.len()).any(|w| w == SECRET.as_bytes());
            assert!(!held, "{}", entry.path().display());
        }
    }
}

#[test]
fn a_scan_is_named_with_the_remedy() {
    let Some(natives) = natives() else { return };
    let place = Place::new(Some(natives));
    scan(&place);
    let (code, document) = place.json(&["parse", "papers/scan.pdf"]);
    assert_eq!(code, 1, "{document}");
    let warnings = document["warnings"].to_string();
    assert!(
        warnings.contains("page 1 holds only images; OCR is needed: install tesseract"),
        "{warnings}"
    );
    let absent = [
        "--set",
        "ingest.ocr=auto",
        "--set",
        "ingest.ocr_program=no-such-tesseract",
    ];
    let (_, document) = place.json(&[&["parse", "papers/scan.pdf"], absent.as_slice()].concat());
    let warnings = document["warnings"].to_string();
    assert!(
        warnings.contains("no-such-tesseract: cannot be started"),
        "{warnings}"
    );

    place.paper("tandrik_2021_vo2_walkers.pdf");
    let ran = place.run(&[&["ingest", "papers"], absent.as_slice()].concat());
    assert_eq!(ran.code(), 0, "a scan is no failure: {}", ran.stderr());
    assert!(ran.stderr().contains("install tesseract"), "{}", ran.stderr());
    assert!(
        ran.stdout().contains("scan.pdf: no text to index"),
        "{}",
        ran.stdout()
    );
    assert!(
        ran.stdout().contains("page 1 holds only images"),
        "{}",
        ran.stdout()
    );
    let doctor = place.run(&[&["doctor"], absent.as_slice()].concat());
    assert!(
        doctor.stdout().contains("no-such-tesseract"),
        "{}",
        doctor.stdout()
    );
    place
        .run(&["parse", "papers/scan.pdf", "--set", "ingest.ocr_dpi=9"])
        .fails_with(2, &["ingest.ocr_dpi", "72..=600"]);
    place
        .run(&["parse", "papers/scan.pdf", "--set", "ingest.ocr_languages=../x"])
        .fails_with(2, &["ingest.ocr_languages", "eng"]);
}
