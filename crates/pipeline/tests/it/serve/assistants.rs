//! Assistants over HTTP: the same tools behind the same keys.

use super::{
    client::{Answer, Server, animals},
    tenants::key,
};
use serde_json::{Value, json};

const ACCEPT: &str = "Accept: application/json, text/event-stream";

fn post(server: &Server, headers: &[&str], body: &Value) -> Answer {
    let own = ["Content-Type: application/json", ACCEPT];
    server.send("POST", "/mcp", &[&own, headers].concat(), body.to_string().as_bytes())
}

fn call(name: &str, arguments: &Value, meta: &Value) -> Value {
    let mut params = json!({"name": name, "arguments": arguments});
    if !meta.is_null() {
        params["_meta"] = meta.clone();
    }
    json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})
}

const OLD: &str = "MCP-Protocol-Version: 2025-11-25";

#[test]
fn both_revisions_are_answered_without_a_session() {
    let Some(place) = animals() else { return };
    let server = Server::start(&place, &["--nc"]);
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    let answer = post(&server, &[], &hello);
    assert_eq!(answer.ok(200)["result"]["protocolVersion"], "2025-11-25");
    assert!(!answer.headers.contains_key("mcp-session-id"), "{answer:?}");
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(&server, &[OLD], &ready).status, 202);

    let search =
        |meta: &Value| call("search", &json!({"query": "How long did the badgers sleep?", "limit": 1}), meta);
    let found = post(&server, &[OLD], &search(&Value::Null)).ok(200);
    let url = found["result"]["structuredContent"]["results"][0]["url"].as_str().expect("a link");
    // The page of this server, which exists.
    let path = url.strip_prefix(&format!("http://{}", server.address)).expect("this server");
    let page = server.get(path);
    assert_eq!(page.status, 200, "{path}: {page:?}");
    assert!(page.body.contains("The badgers slept"), "{page:?}");
    assert_eq!(server.get("/v1/history").ok(200)["questions"][0]["route"], "/mcp search");

    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"sampling": {}},
    });
    let new = ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: search"];
    let found = post(&server, &new, &search(&meta)).ok(200);
    assert_eq!(found["result"]["resultType"], "complete", "{found}");
    let wrong = ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: fetch"];
    assert_eq!(post(&server, &wrong, &search(&meta)).status, 400);
    // Without a connection back to the client, no model of it is asked.
    let answer =
        call("nc_semantic_search_answer", &json!({"query": "How long did the otters sleep?"}), &Value::Null);
    let answer = post(&server, &[OLD], &answer).ok(200);
    assert_eq!(answer["result"]["structuredContent"]["model_used"], "extractive", "{answer}");

    assert_eq!(server.get("/mcp").status, 405);
    let strange = ["Host: papers.example.org"];
    assert_eq!(post(&server, &strange, &hello).status, 403);
    assert_eq!(post(&server, &["Origin: https://example.org"], &hello).status, 403);
    assert_eq!(server.post("/mcp", &hello).status, 406);
    let long = json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "x".repeat(2 << 20)}});
    assert_eq!(post(&server, &[], &long).status, 413);
}

#[test]
fn a_key_opens_the_papers_of_its_tenant() {
    let Some(place) = animals() else { return };
    let [ours, theirs] =
        ["default", "theirs"].map(|tenant| format!("Authorization: Bearer {}", key(&place, tenant, "read")));
    let server = Server::start(&place, &[]);
    let list = call("list_sources", &json!({}), &Value::Null);
    let refused = post(&server, &[OLD], &list);
    refused.fails(401, "no_key");
    assert_eq!(refused.headers["www-authenticate"], "Bearer");
    let found = post(&server, &[OLD, &ours], &list).ok(200);
    assert_eq!(found["result"]["structuredContent"]["total"], 8, "{found}");
    let found = post(&server, &[OLD, &theirs], &list).ok(200);
    assert_eq!(found["result"]["isError"], true, "{found}");
    let said = found["result"]["content"][0]["text"].as_str().expect("text");
    assert!(said.starts_with("there are no papers yet"), "{said}");
    for path in ["paper://badgers_2020", "paper://badgers_2020/page/1"] {
        let read = json!({"jsonrpc": "2.0", "id": 7, "method": "resources/read", "params": {"uri": path}});
        let found = post(&server, &[OLD, &theirs], &read).ok(200);
        assert!(found["error"].is_object(), "{found}");
        let found = post(&server, &[OLD, &ours], &read).ok(200);
        assert!(found["result"]["contents"][0]["text"].is_string(), "{found}");
    }
}
