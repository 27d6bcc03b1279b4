//! What must not keep a server from answering, or from ending.

use super::client::{Server, animals};
use crate::common::{Place, natives};
use std::{process::Stdio, thread::sleep, time::Duration};

#[test]
fn a_server_that_has_just_started_ends_when_it_is_asked_to() {
    let Some(place) = animals() else { return };
    for pause in [0, 40, 150] {
        let server = Server::start(&place, &[]);
        sleep(Duration::from_millis(pause));
        assert_eq!(server.signal("TERM"), Some(0), "after {pause} ms");
    }
}

#[test]
fn a_log_that_nobody_reads_stops_no_request() {
    let place = Place::new(natives());
    let server = Server::start_logging(&place, &[], Stdio::piped());
    // More lines than a pipe holds.
    for _ in 0..600 {
        server.get("/healthz").ok(200);
    }
    assert_eq!(server.signal("TERM"), Some(0));
}
