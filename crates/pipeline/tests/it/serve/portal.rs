//! The web pages, as a browser without scripts uses them.

use super::{
    client::{Answer, Server, animals},
    tenants::key,
};
use crate::common::{Place, natives};

/// As a part of a form.
fn encoded(text: &str) -> String {
    let bytes: Vec<String> = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
    bytes.concat()
}

/// A page in a browser that is logged in or not.
pub(super) struct Browser<'s> {
    pub(super) server: &'s Server,
    pub(super) cookie: String,
}

impl Browser<'_> {
    pub(super) fn get(&self, path: &str) -> Answer {
        self.server.send("GET", path, &[&format!("Cookie: {}", self.cookie)], b"")
    }

    /// The page, which must be one.
    #[track_caller]
    pub(super) fn page(&self, path: &str) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        let policy = &answer.headers["content-security-policy"];
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        answer.body
    }

    /// Sends a form with the token of the page with the question.
    pub(super) fn send(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let page = self.page("/");
        let token = page.split("name=\"token\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
        self.forged(path, &[fields, &[("token", token.expect("a token"))]].concat())
    }

    pub(super) fn forged(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let body: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        let cookie = format!("Cookie: {}", self.cookie);
        let headers = ["Content-Type: application/x-www-form-urlencoded", &cookie];
        self.server.send("POST", path, &headers, body.join("&").as_bytes())
    }

    /// Asks, and the address of the answer.
    #[track_caller]
    pub(super) fn ask(&self, question: &str) -> String {
        let asked = self.send("/ask", &[("question", question)]);
        assert_eq!(asked.status, 303, "{asked:?}");
        asked.headers["location"].clone()
    }
}

#[test]
fn an_answer_is_read_checked_graded_kept_and_exported_without_scripts() {
    let Some(place) = animals() else { return };
    let title = "Badgers <script>alert(1)</script> \u{202e}sleep";
    let manifest = format!("source_id,title,year\nbadgers_2020,\"{title}\",2020\n");
    place.write("papers/manifest.csv", manifest.as_bytes());
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    let server = Server::start(&place, &[]);
    let browser = Browser { server: &server, cookie: String::new() };
    assert_eq!(browser.forged("/ask", &[("question", "How long did the badgers sleep?")]).status, 403);

    let answer = browser.ask("How long did the badgers sleep?");
    let page = browser.page(&answer);
    assert!(page.contains("class=\"mark\"") && page.contains("<blockquote"), "{page}");
    assert!(page.contains("3 hours") && page.contains("Confidence: "), "{page}");
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script>alert"), "{page}");
    assert!(
        browser.get(&format!("{answer}/json")).json()["ask"]["citations"][0]["relevant_quote"].is_string()
    );
    // Its paper is Markdown: the text stands beside the answer.
    let beside = browser.page(&format!("{answer}?cite=1"));
    assert!(
        beside.contains("class=\"plain\"") && beside.contains("Only the text of this page is shown"),
        "{beside}"
    );

    let grade = browser.send(&format!("{answer}/grade"), &[("grade", "4"), ("note", "as printed")]);
    assert_eq!(grade.status, 303, "{grade:?}");
    assert_eq!(browser.send(&format!("{answer}/grade"), &[("grade", "5")]).status, 422);
    let rows = browser.get("/evaluation/grades");
    let row: serde_json::Value = serde_json::from_str(rows.body.trim()).expect("one row");
    assert_eq!(
        (&row["grade"], &row["supported"], &row["note"]),
        (&4.into(), &true.into(), &"as printed".into())
    );
    place.write("grades.jsonl", rows.body.as_bytes());
    let scored = place.json(&["score", "grades.jsonl"]).1;
    assert_eq!(scored["results"][row["id"].as_str().expect("an id")]["answer"], row["response"]);

    let id = answer.rsplit('/').next().expect("an id");
    for _ in 0..2 {
        let kept = browser.send("/evidence", &[("answer", id), ("cite", "1"), ("table", "Sleep")]);
        assert_eq!((kept.status, kept.headers["location"].as_str()), (303, "/evidence?table=Sleep"));
    }
    let marked =
        browser.send("/evidence/1", &[("claim", "=They sleep"), ("note", "n"), ("verdict", "agree")]);
    assert_eq!(marked.status, 303, "{marked:?}");
    let table = browser.page("/evidence?table=Sleep&verdict=agree");
    assert_eq!(table.matches("<tr id=").count(), 1, "a quote is kept once: {table}");
    let csv = browser.get("/evidence/export/csv?table=Sleep");
    assert!(csv.body.starts_with("\u{feff}Table,") && csv.body.contains(",'=They sleep,"), "{csv:?}");
    for (format, part) in
        [("bibtex", "@misc{badgers_2020"), ("ris", "ID  - badgers_2020"), ("csl", "\"id\": \"badgers_2020\"")]
    {
        for path in [format!("{answer}/export/{format}"), format!("/evidence/export/{format}")] {
            let file = browser.get(&path);
            assert!(file.status == 200 && file.body.contains(part), "{path}: {file:?}");
        }
    }
    for path in [format!("{answer}/export/docx"), "/evidence/export/docx?table=Sleep".to_owned()] {
        let file = browser.get(&path);
        assert!(file.status == 200 && file.bytes.starts_with(b"PK"), "{path}: {file:?}");
    }
    assert!(browser.get(&format!("{answer}/export/md")).body.contains("How long did the badgers sleep?"));
    assert_eq!(browser.send("/evidence/1", &[("remove", "1")]).headers["location"], "/evidence");
    assert!(browser.page("/evidence").contains("Nothing is kept yet"));

    let refused = browser.ask("Who paid for the telescope on the moon?");
    let page = browser.page(&refused);
    assert!(
        page.contains("The papers do not answer this.") && page.contains(" passages compared; "),
        "{page}"
    );
    assert!(browser.page("/gaps").contains("telescope"));
    let history = browser.page("/history?words=BADGERS");
    assert!(history.contains("4 of 4") && !history.contains("telescope"), "{history}");
    let library = browser.page("/library");
    assert!(library.contains("badgers_2020") && library.contains("&lt;script&gt;"), "{library}");
    let chosen = browser.send("/library/ask", &[("paper", "badgers_2020"), ("paper", "otters_2020")]);
    assert!(chosen.body.contains("badgers_2020\notters_2020</textarea>"), "{chosen:?}");
    let only =
        browser.send("/ask", &[("question", "How long did the badgers sleep?"), ("papers", "otters_2020")]);
    let only = browser.get(&format!("{}/json", only.headers["location"])).json();
    assert_eq!(only["ask"]["filters"]["sources"], serde_json::json!(["otters_2020"]), "{only}");
    let id = refused.rsplit('/').next().expect("an id");
    assert_eq!(browser.send("/history/delete", &[("answer", id)]).status, 303);
    assert_eq!(browser.get(&refused).status, 404);
    let gone = browser.get("/answer/none");
    assert!(
        gone.status == 404 && gone.body.contains("there is no such answer") && gone.body.contains("<main"),
        "{gone:?}"
    );
}

#[test]
fn a_key_logs_in_and_sees_nothing_of_another_tenant() {
    let Some(place) = animals() else { return };
    let (own, other) = (key(&place, "default", "read"), key(&place, "ac", "write"));
    let server = Server::start(&place, &[]);
    let stranger = Browser { server: &server, cookie: String::new() };
    for path in ["/", "/answer/x", "/library", "/evidence"] {
        let page = stranger.get(path);
        assert!(page.status == 401 && page.body.contains("type=\"password\""), "{path}: {page:?}");
    }
    let wrong = stranger.forged("/login", &[("key", "pk_1_wrong")]);
    assert!(wrong.status == 403 && wrong.body.contains("This key is not valid."), "{wrong:?}");
    let cookie = |key: &str| {
        let answer = stranger.forged("/login", &[("key", key)]);
        let cookie = answer.headers["set-cookie"].clone();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
        cookie.split(';').next().expect("a cookie").to_owned()
    };
    let (reader, tenant) = (
        Browser { server: &server, cookie: cookie(&own) },
        Browser { server: &server, cookie: cookie(&other) },
    );
    let answer = reader.ask("How long did the badgers sleep?");
    assert!(reader.page(&answer).contains("3 hours"));
    assert_eq!(tenant.get(&answer).status, 404, "it is another tenant's");
    let id = answer.rsplit('/').next().expect("an id");
    let kept = reader.send("/evidence", &[("answer", id), ("cite", "1")]);
    assert!(kept.status == 403 && kept.body.contains("Something went wrong"), "its key only reads: {kept:?}");
    // The cookie opens pages and nothing else.
    reader.get("/v1/history").fails(401, "no_key");
    assert_eq!(reader.send("/logout", &[]).status, 303);
    assert_eq!(reader.get("/").status, 401, "the session is over");
    let back = stranger.forged("/login", &[("key", &own), ("back", "//evil.example")]);
    assert_eq!(back.headers["location"], "/");
    let back = stranger.forged("/login", &[("key", &own), ("back", &answer)]);
    assert_eq!(back.headers["location"], answer);
}

#[test]
fn a_server_without_papers_says_so() {
    let place = Place::new(natives());
    let server = Server::start(&place, &["--set", "embedding.model=nothing"]);
    let browser = Browser { server: &server, cookie: String::new() };
    let page = browser.page("/");
    assert!(page.contains("There are no papers yet.") && page.contains("<textarea"), "{page}");
    assert!(browser.page("/library").contains("Add papers"));
    assert!(browser.page("/gaps").contains("Nothing was asked yet."));
}
