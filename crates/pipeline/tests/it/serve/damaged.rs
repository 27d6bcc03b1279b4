//! A state that another program changed or locks.

use super::client::Server;
use crate::common::{Place, natives};
use serde_json::{Value, json};

#[test]
fn a_flipped_bit_in_the_state_is_told() {
    let place = Place::new(natives());
    let server = Server::start(&place, &[]);
    let record =
        json!({"company_id": "ac", "question": "q", "answer": "Two miles.", "contexts": ["Two miles."]});
    server.post("/collections/c/rag/evaluate", &record).ok(200);
    assert_eq!(server.signal("TERM"), Some(0));
    let found = || -> Value {
        let (_, health) = place.json(&["doctor", "--offline"]);
        let findings = health["findings"].as_array().expect("a list");
        let own = findings.iter().find(|finding| finding["name"] == "state of the server");
        own.expect("it is checked").clone()
    };
    assert_eq!(found()["health"], "ok");
    let file = place.path("server-data/state.sqlite");
    let mut bytes = std::fs::read(&file).expect("a state");
    let at = bytes.windows(9).position(|part| part == b"Two miles").expect("the record");
    bytes[at] ^= 1;
    std::fs::write(&file, bytes).expect("written");
    let told = found();
    assert_eq!(told["health"], "problem", "{told}");
    assert_eq!(told["detail"], "record 1 of ac/c");
}
