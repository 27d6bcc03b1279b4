//! The page of a report, opened in Chromium where there is one, and the length of the report on the sample papers.

use crate::common::{Place, natives, root};
use serde_json::Value;
use std::{fs, path::PathBuf, process::Command};

/// Names of Chromium.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// The sample papers, the 20 questions on them in both modes, and the folder of the report.
fn sample() -> Option<(Place, PathBuf)> {
    let place = Place::new(Some(natives()?));
    let corpus = root().join("corpus").to_string_lossy().into_owned();
    let set = root().join("queries/eval.jsonl").to_string_lossy().into_owned();
    let (code, done) = place.json(&["ingest", &corpus]);
    assert_eq!(code, 0, "{done}");
    let (code, run) = place.json(&["eval", "--queries", &set, "--limit", "20", "--fresh"]);
    assert_eq!(code, 0, "{run}");
    let id = run["run_id"].as_str().expect("an id");
    let folder = place.path(&format!("logs/reports/{id}"));
    Some((place, folder))
}

fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut all = std::env::split_paths(&path).flat_map(|folder| BROWSERS.map(|name| folder.join(name)));
    let found = all.find(|program| program.is_file());
    if found.is_none() {
        eprintln!("skipped: Chromium is not installed (apt-get install chromium)");
    }
    found
}

/// A document that opens the page in frames of both widths and writes what it finds as JSON.
fn harness(page: &str) -> String {
    let page = serde_json::to_string(page).expect("a string").replace("</", "<\\/");
    let script = r##"
        const found = [];
        async function look(width) {
            const frame = document.createElement("iframe");
            frame.style.width = width + "px";
            frame.style.height = "900px";
            const loaded = new Promise(done => frame.onload = done);
            frame.srcdoc = page;
            document.body.append(frame);
            await loaded;
            const doc = frame.contentDocument;
            const overflow = () => doc.documentElement.scrollWidth - doc.documentElement.clientWidth;
            const closed = overflow();
            doc.querySelectorAll("details").forEach(one => one.open = true);
            const opened = overflow();
            const shown = () => [...doc.querySelectorAll("details.q")].filter(one => one.offsetHeight > 0).length;
            const all = shown();
            const counts = [];
            for (const choice of doc.querySelectorAll("input[name=show]")) {
                choice.checked = true;
                counts.push([choice.parentElement.textContent.trim(), shown()]);
            }
            const ids = [...doc.querySelectorAll("[id]")].map(one => one.id);
            const links = [...doc.querySelectorAll("a")].map(one => one.getAttribute("href"));
            found.push({
                width, closed, opened, all, counts,
                styled: getComputedStyle(doc.querySelector(".verdict")).borderLeftWidth,
                loaded: frame.contentWindow.performance.getEntriesByType("resource").map(one => one.name),
                twice: ids.filter((id, at) => ids.indexOf(id) !== at),
                dead: links.filter(link => !link.startsWith("#") || !doc.getElementById(link.slice(1))),
                untitled: doc.querySelectorAll("table:not(:has(caption)):not(.open table)").length,
            });
            frame.remove();
        }
        (async () => {
            for (const width of [390, 1280]) await look(width);
            document.title = "done";
            document.body.textContent = "FOUND" + JSON.stringify(found) + "END";
        })();
    "##;
    format!("<!DOCTYPE html><meta charset=\"utf-8\"><body><script>const page = {page};{script}</script>")
}

#[test]
fn the_page_opens_in_chromium_and_the_report_is_short() {
    let Some((place, folder)) = sample() else { return };
    fits(&fs::read_to_string(folder.join("report.md")).expect("written"));
    let page = fs::read_to_string(folder.join("report.html")).expect("written");
    for says in ["<blockquote>", "Number of candidates passed to the reranker."] {
        assert!(page.contains(says), "{says:?} is not in the page");
    }
    assert!(!page.contains("<script") && !page.contains(" style=\""), "the policy would refuse both");
    let Some(browser) = browser() else { return };
    place.write("harness.html", harness(&page).as_bytes());
    let profile = format!("--user-data-dir={}", place.path("profile").display());
    let out = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ])
        .args(["--enable-logging=stderr", "--virtual-time-budget=60000", "--dump-dom", &profile])
        .arg(format!("file://{}", place.path("harness.html").display()))
        .output()
        .expect("Chromium starts");
    let said = String::from_utf8_lossy(&out.stderr);
    // Errors of scripts and refusals by the policy are messages of the console.
    let console: Vec<&str> = said.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(console.is_empty(), "{console:?}");
    let dom = String::from_utf8_lossy(&out.stdout);
    let found = dom.split("FOUND").nth(1).and_then(|rest| rest.split("END").next());
    let found = found.unwrap_or_else(|| panic!("the page did not load: {dom:.300} {said}"));
    let found: Value =
        serde_json::from_str(&found.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))
            .expect("JSON");
    let views = found.as_array().expect("a list");
    assert_eq!(views.len(), 2, "{found}");
    for view in views {
        let width = &view["width"];
        assert_eq!((&view["closed"], &view["opened"]), (&0.into(), &0.into()), "overflow at {width}: {view}");
        assert_ne!(view["styled"], "0px", "the policy refused the style sheet");
        for none in ["loaded", "twice", "dead"] {
            assert_eq!(view[none], Value::Array(Vec::new()), "{none} at {width}");
        }
        assert_eq!(view["untitled"], 0, "plots without a title at {width}");
        assert_eq!(view["all"], 20);
        for choice in view["counts"].as_array().expect("a list") {
            let (label, shown) = (choice[0].as_str().expect("a label"), &choice[1]);
            let promised = label.rsplit(' ').next().and_then(|n| n.parse::<u64>().ok());
            assert_eq!(Some(shown.as_u64()), Some(promised), "{label} at {width}");
        }
    }
}

/// Verdict, card, failures and all that is folded, for 20 questions in two modes; no table is wider than a page.
fn fits(markdown: &str) {
    let lines = markdown.lines().count();
    assert!(lines <= 240, "{lines} lines:\n{markdown}");
    for line in markdown.lines() {
        let cells = line.replace("\\|", "").matches('|').count().saturating_sub(1);
        assert!(cells <= 8, "wider than a page: {line}");
    }
}
