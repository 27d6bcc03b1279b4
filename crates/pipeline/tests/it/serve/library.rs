//! The library of the web pages: metadata, uploads, failed files, duplicates, as a browser without scripts uses them.

use super::{
    client::{Server, animals},
    portal::Browser,
    tenants::key,
};
use serde_json::json;

/// The id of the job that a page leads to.
#[track_caller]
fn job_of(answer: &super::client::Answer) -> serde_json::Value {
    assert_eq!(answer.status, 303, "{answer:?}");
    let id = answer.headers["location"].strip_prefix("/library?job=");
    json!(id.expect("a job"))
}

#[test]
fn metadata_is_corrected_in_the_manifest_which_keeps_all_else() {
    let Some(place) = animals() else { return };
    let old = "# ours\nsource_id;shelf;title\notters_2020;A 3;\n\nbadgers_2020;B 1;Badgers\nlost;C;\n";
    // The first line names the columns.
    let old = old.strip_prefix("# ours\n").expect("a comment").replace("lost;C;", "# lost");
    place.write("papers/manifest.csv", old.as_bytes());
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    let server = Server::start(&place, &[]);
    let browser = Browser { server: &server, cookie: String::new() };
    let form = browser.page("/library/paper/badgers_2020");
    assert!(form.contains("papers/manifest.csv") && form.contains(">Badgers</textarea>"), "{form}");

    let hostile = "=<b>Badgers</b>; \u{202e}asleep";
    let save = |fields: &[(&str, &str)]| browser.send("/library/paper/badgers_2020", fields);
    let fields =
        [("title", hostile), ("authors", "Lee, A.\nKim, B."), ("year", "1999"), ("tags", "sleep; night")];
    let done = server.ended(&job_of(&save(&fields)));
    assert_eq!((&done["status"], &done["result"]["changed"]), (&json!("done"), &json!(1)), "{done}");
    let read = || std::fs::read_to_string(place.path("papers/manifest.csv")).expect("a manifest");
    let new = format!(
        "source_id;shelf;title;authors;year;tags\notters_2020;A 3;;;;\n\nbadgers_2020;B 1;\"'{hostile}\";\"Lee, A.; Kim, B.\";1999;\"sleep; night\"\n# lost;;;\n"
    );
    assert_eq!(read(), new);
    let paper = server.get("/v1/papers/badgers_2020").ok(200);
    assert_eq!((&paper["title"], &paper["year"]), (&json!(hostile), &json!(1999)), "{paper}");
    assert_eq!(paper["authors"], json!(["Lee, A.", "Kim, B."]));
    let list = browser.page("/library?tag=night&author=kim&year_to=2000");
    assert!(
        list.contains("&lt;b&gt;Badgers") && !list.contains("<b>Badgers") && list.contains("1 of 8"),
        "{list}"
    );
    assert!(browser.page("/library?tag=none").contains("0 of 8"));

    // What cannot be used changes nothing, and is typed once only.
    for (name, value) in [("year", "20x9"), ("year", "3000"), ("doi", "none")] {
        let refused = save(&[("title", "Kept words"), (name, value)]);
        assert!(refused.status == 422 && refused.body.contains("Kept words"), "{refused:?}");
    }
    assert_eq!(read(), new);
    assert_eq!(browser.forged("/library/paper/badgers_2020", &[("title", "x")]).status, 403);
    // Over the API only what is given changes; an empty field is read from the paper again.
    let change = |body: serde_json::Value| {
        let headers = ["Content-Type: application/json"];
        server.send("PATCH", "/v1/papers/badgers_2020", &headers, body.to_string().as_bytes())
    };
    server.ended(&change(json!({"year": 0, "tags": []})).ok(202)["id"]);
    let paper = server.get("/v1/papers/badgers_2020").ok(200);
    assert_eq!((&paper["title"], &paper["tags"]), (&json!(hostile), &json!([])), "{paper}");
    assert_ne!(paper["year"], 1999);
    change(json!({"year": 12})).fails(422, "bad_metadata");
    let before = read();
    change(json!({"title": "a\u{0}b"})).fails(422, "bad_metadata");
    assert_eq!(read(), before);
    // What the form showed and the reader left is not written: another reader has changed it since.
    let done =
        server.ended(&job_of(&save(&[("title", "Badgers"), ("was_title", "Badgers"), ("year", "2001")])));
    assert_eq!(done["status"], "done");
    let paper = server.get("/v1/papers/badgers_2020").ok(200);
    assert_eq!((&paper["title"], &paper["year"]), (&json!(hostile), &json!(2001)), "{paper}");
    // A paper of the folder is still one of the folder.
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    assert_eq!(server.get("/v1/papers").ok(200)["sources"].as_array().map(Vec::len), Some(8));
    // The chosen papers are seen beside the answer.
    assert!(browser.send("/library/ask", &[("author", "nobody")]).body.contains("no paper matches"));
    let asked = browser.send("/library/ask", &[("author", "KIM")]);
    assert!(asked.body.contains("badgers_2020</textarea>"), "{asked:?}");
    let asked = browser
        .send("/ask", &[("question", "How long did they sleep?"), ("tags", "night"), ("year_from", "1990")]);
    let answer = browser.page(&asked.headers["location"]);
    assert!(
        answer.contains("Asked of papers with the tag <bdi>night</bdi>, published in 1990 or later"),
        "{answer}"
    );
    // What was opened last comes first.
    browser.page("/paper/otters_2020/page/1");
    browser.page("/paper/badgers_2020/page/1");
    let list = browser.page("/library?sort=opened&view=tiles");
    let place_of = |id: &str| list.find(&format!("/paper/{id}/page/1/image")).expect("a tile");
    assert!(place_of("badgers_2020") < place_of("otters_2020"), "{list}");
    assert_eq!(list.matches("<img").count(), 8);
    // Without its file there is nothing to correct.
    std::fs::remove_file(place.path("papers/badgers_2020.md")).expect("removed");
    change(json!({"year": 2001})).fails(409, "paper_gone");
    assert!(browser.page("/library/paper/badgers_2020").contains("is not where it was ingested from"));
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_tried_again() {
    let Some(place) = animals() else { return };
    let (own, other) = (key(&place, "default", "write"), key(&place, "ac", "write"));
    let server = Server::start(&place, &[]);
    let headers = [format!("Authorization: Bearer {own}")];
    let headers = [headers[0].as_str()];
    let refused = server.upload("/v1/ingest", &[("notes.odt", b"PK\x03\x04")], &headers);
    refused.fails(415, "file_type");
    assert!(refused.body.contains("type .odt"), "{refused:?}");
    let damaged = server.upload("/v1/ingest", &[("torn.pdf", b"%PDF-1.4\ntorn")], &headers).ok(202);
    let done = server.ended_of(&own, &damaged);
    assert_eq!(done["result"]["failed"].as_array().map(Vec::len), Some(1), "{done}");
    assert_eq!(
        done["progress"]["files"],
        json!([{"file": "torn.pdf", "stage": "failed", "count": 0}]),
        "{done}"
    );

    let none = json!(null);
    let remarks = server.with_key(&own, "GET", "/v1/remarks", &none).ok(200);
    let file = &remarks["unread"][0];
    assert_eq!(file["file"], "torn.pdf", "{remarks}");
    let cookie = |key: &str| {
        let login = Browser { server: &server, cookie: String::new() }.forged("/login", &[("key", key)]);
        login.headers["set-cookie"].split(';').next().expect("a cookie").to_owned()
    };
    let browser = Browser { server: &server, cookie: cookie(&own) };
    let page = browser.page("/library");
    assert!(page.contains("1 file could not be read") && page.contains(">torn.pdf</bdi>"), "{page}");
    let id = file["id"].as_str().expect("an id");
    // Another tenant has no such file.
    let stranger = Browser { server: &server, cookie: cookie(&other) };
    assert_eq!(stranger.send("/library/retry", &[("file", id)]).status, 404);
    let path = place.path("server-data/companies/default/default/papers/torn.pdf");
    let whole =
        std::fs::read(crate::common::root().join("corpus/tandrik_2021_vo2_walkers.pdf")).expect("a paper");
    let retry =
        || server.ended_of(&own, &json!({"id": job_of(&browser.send("/library/retry", &[("file", id)]))}));
    assert_eq!(retry()["result"]["failed"].as_array().map(Vec::len), Some(1), "it is tried, and fails again");
    std::fs::write(path, whole).expect("mended");
    let done = retry();
    assert_eq!(done["result"]["added"], 1, "{done}");
    let file = &done["progress"]["files"][0];
    assert!(file["stage"] == "embedded" && file["count"].as_u64() > Some(1), "{done}");
    let page = browser.page(&format!("/library?job={}", done["id"].as_str().expect("an id")));
    assert!(page.contains("Indexed: 1 added") && !page.contains("could not be read"), "{page}");
    assert_eq!(browser.send("/library/retry", &[("file", id)]).status, 404);
    // A paper that was uploaded can be deleted, one of the folder cannot; so can a file that cannot be read.
    let uploaded = "/library/paper/torn/remove";
    assert_eq!(stranger.send(uploaded, &[]).status, 404);
    let done = server.ended_of(&own, &json!({"id": job_of(&browser.send(uploaded, &[]))}));
    assert_eq!(done["status"], "done", "{done}");
    assert!(!browser.page("/library").contains("/paper/torn/"));
    let refused = browser.send("/library/paper/badgers_2020/remove", &[]);
    assert!(refused.status == 422 && refused.body.contains("was not uploaded"), "{refused:?}");
    let damaged = server.upload("/v1/ingest", &[("torn.pdf", b"%PDF-1.4\ntorn")], &headers).ok(202);
    server.ended_of(&own, &damaged);
    let discard = [("file", id), ("what", "remove")];
    assert_eq!(stranger.send("/library/retry", &discard).status, 404);
    server.ended_of(&own, &json!({"id": job_of(&browser.send("/library/retry", &discard))}));
    assert!(!browser.page("/library").contains("could not be read"));
}

#[test]
fn papers_that_are_one_are_named_and_a_bibliography_is_read() {
    let Some(place) = animals() else { return };
    let bib = "@article{x, title={How badgers sleep}, author={Lee, Ann}, year={2017}, doi={10.1000/b1}}\n";
    let manifest = "source_id,doi\nbadgers_2020,10.1000/b1\notters_2020,10.1000/B1\n";
    place.write("papers/refs.bib", bib.as_bytes());
    place.write("papers/manifest.csv", manifest.as_bytes());
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    let server = Server::start(&place, &[]);
    let browser = Browser { server: &server, cookie: String::new() };
    let page = browser.page("/library?sort=-year");
    assert!(page.contains("How badgers sleep") && page.contains("2017") && page.contains("Lee"), "{page}");
    assert!(page.contains("aria-sort=\"descending\"") && page.contains("sort=year\">Year"), "{page}");
    let remarks = browser.page("/library/remarks");
    assert!(
        remarks.contains("the same DOI, 10.1000/b1") && remarks.contains("/paper/otters_2020/page/1"),
        "{remarks}"
    );
    let same = &server.get("/v1/remarks").ok(200)["same"][0]["papers"];
    assert_eq!(*same, json!(["badgers_2020", "otters_2020"]));
}

#[test]
fn metadata_are_filled_in_from_zotero_and_saved_when_the_reader_says_so() {
    let Some(place) = animals() else { return };
    let Ok(zotero) = std::net::TcpListener::bind("127.0.0.1:23119") else {
        eprintln!("skipped: the port of Zotero is in use");
        return;
    };
    place.write("papers/manifest.csv", b"source_id,title,tags\nbadgers_2020,Badgers,night\n");
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    let server = Server::start(&place, &[]);
    let browser = Browser { server: &server, cookie: String::new() };
    let entry = |kind: &str, title: &str| {
        json!({"key": "K", "data": {"itemType": kind, "title": title, "date": "March 1998", "publicationTitle": "Journal of <i>Setts</i>",
            "creators": [{"creatorType": "editor", "lastName": "No"}, {"creatorType": "author", "firstName": "Ann", "lastName": "Lee"},
                {"creatorType": "author", "name": "The Sett Group"}], "tags": [{"tag": "sleep"}, {"tag": "night"}]}})
    };
    let answers = [
        ("403 Forbidden", "Local API is not enabled".to_owned()),
        ("200 OK", json!([entry("journalArticle", "Badgers of another sett")]).to_string()),
        ("200 OK", json!([entry("attachment", "Badgers"), entry("journalArticle", "BADGERS.")]).to_string()),
    ];
    let asked = std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        let reply = |(status, body): (&str, String)| {
            let (mut stream, _) = zotero.accept().expect("a request");
            let mut head = [0; 4096];
            let read = stream.read(&mut head).expect("read");
            let head = String::from_utf8_lossy(&head[..read]).into_owned();
            let answer = format!(
                "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            stream.write_all(answer.as_bytes()).expect("written");
            head.lines().next().expect("a line").to_owned()
        };
        answers.map(reply)
    });
    let form = browser.page("/library/paper/badgers_2020");
    assert!(form.contains("Fill in from Zotero"), "{form}");
    let fill =
        || browser.send("/library/paper/badgers_2020/zotero", &[("title", "Badgers"), ("venue", "typed")]);
    let refused = fill();
    assert!(
        refused.body.contains("lets no other program read") && refused.body.contains(">typed</textarea>"),
        "{refused:?}"
    );
    assert!(fill().body.contains("there is no such entry in Zotero"), "another title");
    let filled = fill();
    assert_eq!(filled.status, 200);
    for value in
        ["BADGERS.", "Ann Lee\nThe Sett Group", "1998", "Journal of &lt;i&gt;Setts&lt;/i&gt;", "night; sleep"]
    {
        assert!(filled.body.contains(&format!(">{value}</textarea>")), "{value}: {filled:?}");
    }
    assert!(
        browser.page("/library/paper/badgers_2020").contains(">Badgers</textarea>"),
        "nothing is saved yet"
    );
    let asked = asked.join().expect("answered");
    assert!(asked.iter().all(|line| line.starts_with("GET /api/users/0/items?q=Badgers&")), "{asked:?}");
    assert!(fill().body.contains("Zotero does not run"), "nobody listens any more");
}
