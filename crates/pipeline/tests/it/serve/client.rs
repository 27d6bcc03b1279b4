//! Starts a server and talks to it.

use crate::common::{Place, animals::world, root};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

/// A server, which ends with the value.
pub(super) struct Server {
    child: Child,
    pub(super) address: String,
}

/// An answer.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: BTreeMap<String, String>,
    /// As text; empty where it is none.
    pub(super) body: String,
    pub(super) bytes: Vec<u8>,
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("no JSON: {error}: {self:?}"))
    }

    /// The document of an answer with this status.
    #[track_caller]
    pub(super) fn ok(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        self.json()
    }

    /// Holds status and code of an error, and that it is complete.
    #[track_caller]
    pub(super) fn fails(&self, status: u16, code: &str) -> Value {
        let body = self.ok(status);
        assert_eq!(body["code"], code, "{self:?}");
        assert_eq!(body["request_id"], self.headers["x-request-id"].as_str(), "{self:?}");
        assert!(body["message"].as_str().is_some_and(|text| !text.is_empty()), "{self:?}");
        body
    }

    /// The names and data of server-sent events.
    pub(super) fn events(&self) -> Vec<(String, Value)> {
        let part = |event: &str, name: &str| {
            let mut lines = event.lines().filter_map(|line| line.split_once(": "));
            lines.find(|(own, _)| *own == name).map(|(_, value)| value.to_owned())
        };
        let event = |event: &str| {
            let data = part(event, "data")?;
            Some((part(event, "event")?, serde_json::from_str(&data).expect("JSON")))
        };
        self.body.split("\n\n").filter_map(event).collect()
    }
}

impl Server {
    /// Starts a server in this place, over the index `index` and with further options.
    pub(super) fn start(place: &Place, options: &[&str]) -> Self {
        let log = File::options().create(true).append(true).open(place.path("server.log")).expect("a log");
        let mut command = place.command(&[&["serve", "--listen", "127.0.0.1:0"], options].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().expect("starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("piped");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening on http://");
        let log = || std::fs::read_to_string(place.path("server.log")).unwrap_or_default();
        let address = address.unwrap_or_else(|| panic!("{line:?}: {}", log())).to_owned();
        Self { child, address }
    }

    /// Its process.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("connects");
        // Longer than the server gives an answer: then it says so itself.
        stream.set_read_timeout(Some(Duration::from_mins(2))).expect("set");
        stream
    }

    /// One request on a connection of its own.
    pub(super) fn send(&self, method: &str, path: &str, headers: &[&str], body: &[u8]) -> Answer {
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|header| header.starts_with("Host:")) {
            head.extend(["Host: ", &self.address, "\r\n"]);
        }
        for header in headers {
            head += header;
            head += "\r\n";
        }
        let mut stream = self.connect();
        // A server that refuses may close before it has read all.
        let _ = stream.write_all(&[head.as_bytes(), b"\r\n", body].concat());
        receive(stream)
    }

    pub(super) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    pub(super) fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, &["Content-Type: application/json"], body.to_string().as_bytes())
    }

    /// The same with a key.
    pub(super) fn with_key(&self, key: &str, method: &str, path: &str, body: &Value) -> Answer {
        let key = format!("Authorization: Bearer {key}");
        let body = if method == "GET" { String::new() } else { body.to_string() };
        self.send(method, path, &["Content-Type: application/json", &key], body.as_bytes())
    }

    /// Uploads files and returns the answer.
    pub(super) fn upload(&self, path: &str, files: &[(&str, &[u8])], headers: &[&str]) -> Answer {
        let mut body = Vec::new();
        for (name, bytes) in files {
            let head = format!(
                "--cut\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
                 Content-Type: application/octet-stream\r\n\r\n"
            );
            body.extend_from_slice(&[head.as_bytes(), bytes, b"\r\n"].concat());
        }
        body.extend_from_slice(b"--cut--\r\n");
        let kind = "Content-Type: multipart/form-data; boundary=cut";
        self.send("POST", path, &[&[kind], headers].concat(), &body)
    }

    /// The job once it has ended.
    pub(super) fn ended(&self, id: &Value) -> Value {
        let path = format!("/v1/jobs/{}", id.as_str().expect("an id"));
        self.until(&path, |job| job["status"] == "done" || job["status"] == "failed")
    }

    /// The job of a tenant once it has ended.
    pub(super) fn ended_of(&self, key: &str, job: &Value) -> Value {
        let path = format!("/v1/jobs/{}", job["id"].as_str().expect("an id"));
        loop {
            let job = self.with_key(key, "GET", &path, &Value::Null).ok(200);
            if !job["finished"].is_null() {
                return job;
            }
            sleep(Duration::from_millis(50));
        }
    }

    /// What a route answers once that is so; other answers than 200 are waited out.
    #[track_caller]
    pub(super) fn until(&self, path: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let started = Instant::now();
        loop {
            let answer = self.get(path);
            if answer.status == 200 && holds(&answer.json()) {
                return answer.json();
            }
            assert!(started.elapsed() < Duration::from_mins(1), "{path}: {answer:?}");
            sleep(Duration::from_millis(50));
        }
    }

    /// Sends a signal by its name, and returns the exit code that follows.
    pub(super) fn signal(self, name: &str) -> Option<i32> {
        send_signal(name, self.id());
        self.wait()
    }

    /// The exit code once it has ended.
    pub(super) fn wait(mut self) -> Option<i32> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("ends") {
                return status.code();
            }
            assert!(started.elapsed() < Duration::from_mins(1), "it does not end");
            sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal by its name to a process.
pub(super) fn send_signal(name: &str, id: u32) {
    let sent = Command::new("kill").args(["-s", name, &id.to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

/// Reads an answer to the end of its connection.
pub(super) fn receive(mut stream: TcpStream) -> Answer {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let at = bytes.windows(4).position(|part| part == b"\r\n\r\n");
    let at = at.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(&bytes)));
    let head = String::from_utf8_lossy(&bytes[..at]).into_owned();
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok());
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let body = &bytes[at + 4..];
    let body = if headers.get("transfer-encoding").is_some_and(|of| of == "chunked") {
        unchunked(body)
    } else {
        body.to_vec()
    };
    Answer {
        status: status.expect("a status"),
        headers,
        body: String::from_utf8(body.clone()).unwrap_or_default(),
        bytes: body,
    }
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some(at) = body.windows(2).position(|part| part == b"\r\n") {
        let size =
            std::str::from_utf8(&body[..at]).ok().and_then(|text| usize::from_str_radix(text, 16).ok());
        let size = size.unwrap_or_default().min(body.len() - at - 2);
        out.extend_from_slice(&body[at + 2..at + 2 + size]);
        body = body.get(at + 4 + size..).unwrap_or_default();
        if size == 0 {
            break;
        }
    }
    out
}

/// A place with an index of papers about animals.
pub(super) fn animals() -> Option<Place> {
    world(2)
}

/// The guide to the server.
pub(super) fn guide() -> String {
    std::fs::read_to_string(root().join("docs/server.md")).expect("a guide")
}
