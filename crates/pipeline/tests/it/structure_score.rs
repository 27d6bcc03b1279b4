//! `scripts/bench/structure.py`, which scores `pipeline parse` against JATS.

use crate::common::root;
use std::process::{Command, Output};

/// A Python with the packages of the benchmarks, where scripts/bench.sh has made one; else any.
fn python() -> Command {
    let own = root().join("target/bench-venv/bin/python");
    let mut command =
        Command::new(if own.is_file() { own.into() } else { std::ffi::OsString::from("python3") });
    command.arg("-B").current_dir(root().join("scripts/bench"));
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_tests_of_the_script_pass() {
    let output = python().args(["-m", "unittest", "test_structure"]).output().expect("Python runs");
    assert!(output.status.success() && said(&output).contains("OK"), "{}", said(&output));
}
