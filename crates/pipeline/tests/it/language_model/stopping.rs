//! Ctrl-C while the model hangs.

use crate::common::interrupted;
use crate::language_model::world::{QUESTION, World, rows};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use testkit::{ChatServer, Step, reply};

#[test]
fn ctrl_c_ends_a_question_that_hangs() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::start([Step::Hang]);
    world.settings(&server.base_url(), &[]);
    let asking = || !server.requests().is_empty();
    let (ran, time) = interrupted(world.command(&["ask", QUESTION]), asking);
    ran.fails_with(2, &["stopped"]);
    assert!(time < Duration::from_secs(2), "{time:?}");
    server.wait_until("the client hangs up", |server| server.hang_ups() == 1);
}

#[test]
fn ctrl_c_ends_an_evaluation_that_hangs_and_keeps_its_rows() {
    let Some(world) = World::new() else { return };
    let hang = Arc::new(AtomicBool::new(true));
    let own = Arc::clone(&hang);
    let server = ChatServer::answering(move |request| {
        if own.load(Ordering::SeqCst) && request.user().contains("(3)") {
            Step::Hang
        } else {
            reply::good(request)
        }
    });
    world.settings(&server.base_url(), &["eval.workers = 1"]);
    let args = ["eval", "--mode", "hybrid", "--queries", world.queries(4)];
    let (ran, time) = interrupted(world.command(&args), || server.requests().len() == 3);
    ran.fails_with(2, &[]);
    assert!(time < Duration::from_secs(2), "{time:?}");
    assert!(world.can_resume());
    hang.store(false, Ordering::SeqCst);
    let (code, run, stderr) = world.eval(4);
    assert_eq!((code, rows(&run).len(), server.requests().len()), (0, 4, 3 + 2), "{stderr}");
}
