//! Tables over papers, answers then and now, and stored runs, as a browser without scripts uses them.

use super::{
    client::{Server, animals},
    portal::Browser,
    tenants::key,
};
use serde_json::json;
use std::{thread::sleep, time::Duration};

/// The table once every cell is asked.
#[track_caller]
fn asked(browser: &Browser<'_>, table: &str) -> String {
    for _ in 0..1200 {
        if browser.page(&format!("{table}/progress")).contains("All cells are asked") {
            return browser.page(table);
        }
        sleep(Duration::from_millis(50));
    }
    panic!("{}", browser.page(table))
}

#[test]
fn questions_are_asked_of_every_paper_and_the_answers_kept() {
    let Some(place) = animals() else { return };
    let server = Server::start(&place, &[]);
    let browser = Browser { server: &server, cookie: String::new() };
    let questions = "Sleep: How long did the badgers sleep?\nWho paid for the telescope on the moon?";
    assert_eq!(browser.send("/table", &[("name", " "), ("questions", questions)]).status, 422);
    let named = format!("{}: Why?", "n".repeat(101));
    assert_eq!(browser.send("/table", &[("name", "T"), ("questions", &named)]).status, 422);
    let unknown = json!({"name": "T", "questions": ["Why?"], "papers": ["badgers_2020", "none"]});
    server.post("/v1/tables", &unknown).fails(422, "filter");
    let made = browser.send("/table", &[("name", "Facts <script>"), ("questions", questions)]);
    assert_eq!(made.status, 303, "{made:?}");
    let table = made.headers["location"].clone();
    let page = asked(&browser, &table);
    assert!(page.contains("Facts &lt;script&gt;") && page.contains("3 hours"), "{page}");
    assert!(
        page.contains("/paper/badgers_2020/page/1?quote=") && page.contains("data-card=\"card-"),
        "{page}"
    );
    assert!(page.contains("<span class=\"absent\">not found</span>"), "{page}");
    // A column more: only its cells are asked. One less: its answers go.
    let rows = page.matches("<th scope=\"row\">").count();
    assert_eq!(browser.send(&table, &[("question", "How far did the otters swim?")]).status, 303);
    assert_eq!(asked(&browser, &table).matches("<td data-column=").count(), 3 * rows);
    assert_eq!(browser.send(&table, &[("column", "2")]).status, 303);
    let page = browser.page(&table);
    assert_eq!(page.matches("<td data-column=").count(), 2 * rows, "{page}");
    assert!(!page.contains("telescope"), "{page}");
    let filtered = browser.page(&format!("{table}?words=3%20HOURS&sort=1"));
    assert!(filtered.matches("<th scope=\"row\">").count() < rows && filtered.contains("badgers_2020"));

    let csv = browser.get(&format!("{table}/export/csv")).body;
    assert!(csv.starts_with("\u{feff}source_id,paper,year,Sleep,Sleep: value"), "{csv}");
    for (format, part) in [
        ("md", "| Sleep |"),
        ("html", "<table"),
        ("json", "\"status\":\"stated\""),
        ("bibtex", "@misc{badgers_2020"),
        ("ris", "ID  - badgers_2020"),
        ("csl", "\"id\": \"badgers_2020\""),
    ] {
        let file = browser.get(&format!("{table}/export/{format}"));
        assert!(file.status == 200 && file.body.contains(part), "{format}: {file:?}");
    }
    let id = table.rsplit('/').next().expect("an id");
    let document = server.get(&format!("/v1/tables/{id}")).ok(200);
    assert_eq!(document["columns"][0]["name"], "Sleep");
    assert!(browser.page("/table").contains("Facts &lt;script&gt;"));
    assert_eq!(browser.send(&table, &[("what", "delete")]).headers["location"], "/table");
    assert_eq!(browser.get(&table).status, 404);
}

#[test]
fn a_table_goes_on_after_a_stop_and_after_the_end_of_the_server() {
    let Some(place) = animals() else { return };
    let mut server = Server::start(&place, &[]);
    let questions: Vec<String> =
        (0..20).map(|at| format!("How long did the badgers sleep in year {at}?")).collect();
    let started = server.post("/v1/tables", &json!({"name": "Long", "questions": questions})).ok(202);
    let path = format!("/v1/tables/{}", started["table"].as_str().expect("an id"));
    let table = format!("/table/{}", started["table"].as_str().expect("an id"));
    assert_eq!(server.signal("TERM"), Some(0));
    server = Server::start(&place, &[]);
    let browser = Browser { server: &server, cookie: String::new() };
    assert_eq!(browser.send(&table, &[("what", "stop")]).status, 303);
    server.get(&format!("/v1/jobs/{}", started["job"].as_str().expect("an id"))).fails(404, "not_found");
    assert_eq!(browser.send(&table, &[("what", "ask")]).status, 303);
    asked(&browser, &table);
    let document = server.get(&path).ok(200);
    let rows = document["papers"].as_array().expect("rows");
    for row in rows {
        let cells = row["cells"].as_array().expect("cells");
        assert!(cells.len() == 20 && cells.iter().all(|cell| cell["status"] != "not_asked"), "{row}");
    }
    server.send("DELETE", &path, &[], b"").ok(200);
    server.get(&path).fails(404, "not_found");
    let short = json!({"name": "Short", "questions": ["How far did the otters swim?"]});
    let started = server.post("/v1/tables", &short).ok(202);
    asked(&browser, &format!("/table/{}", started["table"].as_str().expect("an id")));
    let job = server.get(&format!("/v1/jobs/{}", started["job"].as_str().expect("an id"))).ok(200);
    assert_eq!(job["result"]["asked"], rows.len(), "{job}");
}

#[test]
fn a_question_asked_again_shows_what_changed_and_old_answers_say_what_they_cited() {
    let Some(place) = animals() else { return };
    let server = Server::start(&place, &[]);
    let browser = Browser { server: &server, cookie: String::new() };
    let then = browser.ask("How long did the badgers sleep?");
    assert!(!browser.page(&then).contains("Cited was the version of"));
    let text = std::fs::read_to_string(place.path("papers/badgers_2020.md")).expect("a paper");
    place.write("papers/badgers_2020.md", text.replace("3 hours", "5 hours").as_bytes());
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    let again = || {
        let again = browser.send(&format!("{then}/again"), &[]);
        assert_eq!(again.status, 303, "{again:?}");
        browser.page(&again.headers["location"])
    };
    let compared = (0..100).map(|_| again()).find(|page| {
        sleep(Duration::from_millis(100));
        page.contains("1 paper changed:")
    });
    let compared = compared.expect("the new index is seen");
    for part in ["Then: ", "Now: ", ">gone</span>", ">new</span>", "3 hours", "5 hours"] {
        assert!(compared.contains(part), "{part}: {compared}");
    }
    let old = browser.page(&format!("{then}?cite=1"));
    assert_eq!(old.matches("Cited was the version of").count(), 2, "beside the quote and on the page: {old}");
    assert!(old.contains("the paper has changed since"), "{old}");
    assert_eq!(place.run(&["papers", "remove", "badgers_2020"]).code(), 0);
    let gone = (0..100).map(|_| browser.page(&format!("{then}?cite=1"))).find(|page| {
        sleep(Duration::from_millis(100));
        page.contains("no longer in the library")
    });
    assert!(gone.expect("seen").contains("3 hours"), "the answer is there");
}

#[test]
fn roles_tenants_cookies_and_the_public_address() {
    let Some(place) = animals() else { return };
    let (own, other) = (key(&place, "default", "read"), key(&place, "ac", "write"));
    let server = Server::start(&place, &["--origin", "https://papers.example.org"]);
    let host = "Host: papers.example.org";
    let form = "Content-Type: application/x-www-form-urlencoded";
    let log_in = |headers: &[&str], key: &str| {
        let answer = server.send("POST", "/login", headers, format!("key={key}").as_bytes());
        answer.headers["set-cookie"].clone()
    };
    // Behind a proxy the host is that of its address, and then the cookie stays on HTTPS.
    assert!(log_in(&[form, host, "Origin: https://papers.example.org"], &own).contains("; Secure"));
    let cookie = log_in(&[form], &own);
    assert!(!cookie.contains("Secure"), "{cookie}");
    server.send("GET", "/healthz", &["Host: papers.example.org.evil.org"], b"").fails(403, "other_host");
    server.send("GET", "/healthz", &["Host: example.org"], b"").fails(403, "other_host");
    let name = |cookie: &str| cookie.split('=').next().expect("a name").to_owned();
    // Cookies do not tell the ports of a host apart.
    let second = Server::start(&place, &["--data", "other-data"]);
    let made = place
        .json(&["serve", "keys", "add", "--data", "other-data", "--tenant", "default", "--role", "read"])
        .1;
    let sent = format!("key={}", made["key"].as_str().expect("a key"));
    let theirs = second.send("POST", "/login", &[form], sent.as_bytes()).headers["set-cookie"].clone();
    assert_ne!(name(&cookie), name(&theirs));

    let reader = Browser { server: &server, cookie: cookie.split(';').next().expect("a cookie").to_owned() };
    assert!(name(&cookie).starts_with("pipeline_session_"), "{cookie}");
    let answer = reader.ask("How long did the badgers sleep?");
    assert_eq!(reader.send(&format!("{answer}/grade"), &[("grade", "2"), ("note", "half")]).status, 303);
    assert!(reader.page(&answer).contains("value=\"half\""));
    assert_eq!(reader.send("/table", &[("name", "T"), ("questions", "Why?")]).status, 403);
    let session = log_in(&[form], &other);
    let tenant = Browser { server: &server, cookie: session.split(';').next().expect("a cookie").to_owned() };
    assert_eq!(
        tenant.get(&format!("{answer}/since/{}", answer.rsplit('/').next().expect("an id"))).status,
        404
    );
    let sent = json!({"name": "T", "questions": ["How long did the badgers sleep?"]});
    let writer = key(&place, "default", "write");
    let started = server.with_key(&writer, "POST", "/v1/tables", &sent).ok(202);
    let path = format!("/v1/tables/{}", started["table"].as_str().expect("an id"));
    server.with_key(&other, "GET", &path, &json!(null)).fails(404, "not_found");
    server.with_key(&own, "DELETE", &path, &json!(null)).fails(403, "role");
    assert!(!tenant.page("/table").contains("/table/"), "it is another tenant's");
}

#[test]
fn a_question_of_a_run_is_shown_through_all_stages() {
    let Some(place) = animals() else { return };
    // The result is negative where a question failed.
    let ran = place.run(&["eval", "--mode", "hybrid", "--queries", "mine.jsonl", "--name", "base"]);
    assert!([0, 1].contains(&ran.code()), "{}", ran.code());
    let server = Server::start(&place, &[]);
    let browser = Browser { server: &server, cookie: String::new() };
    assert!(browser.page("/evaluation").contains("/evaluation/run/"));
    let rows = browser.page("/evaluation/run/base");
    assert!(rows.contains("/Q00\"") && rows.contains("/N0\""), "{rows}");
    let refused = browser.page("/evaluation/run/base?outcome=refused");
    assert!(!refused.contains("/Q00\"") && refused.contains("/N0\""), "{refused}");
    let question = browser.page("/evaluation/run/base/Q00");
    for part in ["BM25", "Reranked", "gold", "Gold evidence", "Reference answer", "read"] {
        assert!(question.contains(part), "{part}: {question}");
    }
    assert_eq!(server.get("/v1/runs/base/Q00").ok(200)["answers"][0]["row"]["query_id"], "Q00");
    assert_eq!(server.get("/v1/runs/base").ok(200)["rows"].as_array().map(Vec::len), Some(8));
    server.get("/v1/runs/none").fails(404, "not_found");
    server.get("/v1/runs/base/Q9").fails(404, "not_found");
}
