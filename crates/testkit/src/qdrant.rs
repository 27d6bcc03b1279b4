//! A Qdrant server for tests: that of `QDRANT_URL`, or the stand-in `scripts/qdrant_shim.py`, which runs the engine of such
//! a server without what makes many machines one.

use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};
use tempfile::TempDir;

/// A server. Dropping it ends it, if it is a stand-in.
pub struct QdrantServer {
    /// Its address.
    pub url: String,
    /// The stand-in; `None` for a server that was there.
    pub process: Option<Child>,
}

impl QdrantServer {
    /// A folder for a stand-in: in memory where the system has one there, because the engine flushes each change to its disk.
    pub fn folder() -> TempDir {
        let memory = Path::new("/dev/shm");
        let made = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
        made.expect("a folder")
    }

    /// The server of `QDRANT_URL`, or a stand-in that keeps what it holds in a folder.
    pub fn any(folder: &Path) -> Self {
        match std::env::var("QDRANT_URL") {
            Ok(url) => Self { url, process: None },
            Err(_) => Self::stand_in(folder, 0, &[]),
        }
    }

    /// A stand-in at a port, any with 0, with further arguments. It ends when this process does.
    ///
    /// # Panics
    /// When its packages are missing: scripts/test.sh installs them.
    pub fn stand_in(folder: &Path, port: u16, arguments: &[&str]) -> Self {
        let mut process = Command::new(python())
            .arg(root().join("scripts/qdrant_shim.py"))
            .arg(folder)
            .args(["--port", &port.to_string(), "--until-stdin-closes"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the stand-in for a Qdrant server starts");
        let mut line = String::new();
        let output = process.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("the stand-in says where it listens");
        let url = line.trim().rsplit(' ').next().filter(|url| url.starts_with("http"));
        let url = url.unwrap_or_else(|| panic!("the stand-in does not start: {line:?}")).to_owned();
        Self { url, process: Some(process) }
    }

    /// Kills a stand-in at once, as a machine that fails.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// The port of its address.
    pub fn port(&self) -> u16 {
        self.url.rsplit(':').next().and_then(|port| port.parse().ok()).expect("an address with a port")
    }
}

impl Drop for QdrantServer {
    fn drop(&mut self) {
        self.kill();
    }
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The Python with the packages of the stand-in.
fn python() -> PathBuf {
    if let Some(own) = std::env::var_os("QDRANT_PYTHON") {
        return own.into();
    }
    let packages = std::fs::read(root().join("scripts/qdrant_shim.txt")).expect("the list of packages");
    let name = format!("qdrant-tools-{}", &types::digest::sha256(&packages)[..12]);
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let python = [target, root().join("target")].map(|target| target.join(&name).join("bin/python"));
    let [first, second] = &python;
    let found = [first, second].into_iter().find(|python| python.is_file());
    found.cloned().unwrap_or_else(|| {
        panic!(
            "there is no {}: run scripts/test.sh, which installs scripts/qdrant_shim.txt there; or set QDRANT_PYTHON to a \
             Python that has these packages, or QDRANT_URL to a Qdrant server",
            second.display()
        )
    })
}
