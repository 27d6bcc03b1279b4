//! Ctrl-C while the model hangs.

use crate::language_model::world::{QUESTION, World, rows};
use std::{
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use testkit::{ChatServer, Step, reply};

/// Starts the command, waits until the server hangs, interrupts, and gives exit code, standard error and the time.
fn interrupted(world: &World, args: &[&str], hangs: impl Fn() -> bool) -> (Option<i32>, String, Duration) {
    let child = world
        .command(args)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    let end = Instant::now() + Duration::from_mins(1);
    while !hangs() {
        assert!(Instant::now() < end, "the model was not asked");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(200));
    let sent = Instant::now();
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.expect("kill runs").success());
    let out = child.wait_with_output().expect("ends");
    (
        out.status.code(),
        String::from_utf8_lossy(&out.stderr).into_owned(),
        sent.elapsed(),
    )
}

#[test]
fn ctrl_c_ends_a_question_that_hangs() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::start([Step::Hang]);
    world.settings(&server.base_url(), &[]);
    let (code, stderr, time) = interrupted(&world, &["ask", QUESTION], || !server.requests().is_empty());
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("stopped"), "{stderr}");
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
    let (code, stderr, time) = interrupted(&world, &args, || server.requests().len() == 3);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(time < Duration::from_secs(2), "{time:?}");
    assert!(world.can_resume());
    hang.store(false, Ordering::SeqCst);
    let (code, run, stderr) = world.eval(4);
    assert_eq!(
        (code, rows(&run).len(), server.requests().len()),
        (0, 4, 3 + 2),
        "{stderr}"
    );
}
