//! A web server of a few lines that plays a script: one step for each request, and remembers what it got.

use llm::{Backoff, LlmSettings, OpenAiChat};
use serde_json::{Value, json};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Notify,
};
use types::ChatRequest;

/// What the server does with a request.
#[derive(Clone)]
pub(crate) enum Step {
    /// Answers with a status, more header lines, and a body.
    Answer(u16, &'static str, String),
    /// Promises more bytes than it sends, then closes.
    Cut(String),
    /// Closes without a word.
    Close,
    /// Never answers.
    Hang,
}

/// One request as it came in.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// First line and headers, lower case.
    pub(crate) head: String,
    /// The body.
    pub(crate) body: Value,
}

/// The server.
pub(crate) struct Server {
    pub(crate) base_url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    /// Told whenever a client hangs up on a step that never answers.
    pub(crate) hung_up: Arc<Notify>,
}

impl Server {
    /// Starts a server that plays `steps`, the last one again and again.
    pub(crate) async fn start(steps: Vec<Step>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base_url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let hung_up = Arc::new(Notify::new());
        let (log, bell) = (Arc::clone(&seen), Arc::clone(&hung_up));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, steps.clone(), Arc::clone(&log), Arc::clone(&bell)));
            }
        });
        Self {
            base_url,
            seen,
            hung_up,
        }
    }

    /// The requests so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("no panic in the server").clone()
    }
}

async fn serve(mut stream: TcpStream, steps: Vec<Step>, log: Arc<Mutex<Vec<Seen>>>, hung_up: Arc<Notify>) {
    let Some(request) = receive(&mut stream).await else {
        return;
    };
    let number = {
        let mut log = log.lock().expect("no panic in the server");
        log.push(request);
        log.len() - 1
    };
    let step = steps.get(number).or(steps.last()).cloned().unwrap_or(Step::Close);
    let text = match step {
        Step::Answer(status, headers, body) => {
            let length = body.len();
            format!(
                "HTTP/1.1 {status} X\r\n{headers}connection: close\r\ncontent-length: {length}\r\n\r\n{body}"
            )
        }
        Step::Cut(body) => {
            let length = body.len() + 100;
            format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}")
        }
        Step::Close => return,
        Step::Hang => {
            // Zero bytes read means that the other side has gone.
            while stream.read(&mut [0; 64]).await.is_ok_and(|n| n > 0) {}
            hung_up.notify_one();
            return;
        }
    };
    let _ = stream.write_all(text.as_bytes()).await;
    let _ = stream.shutdown().await;
}

async fn receive(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let n = stream.read(&mut piece).await.ok().filter(|n| *n > 0)?;
        bytes.extend_from_slice(&piece[..n]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let head = head.to_lowercase();
        let length = head
            .lines()
            .find_map(|l| l.strip_prefix("content-length: ")?.parse().ok())
            .unwrap_or(0);
        if body.len() >= length {
            return Some(Seen {
                body: serde_json::from_str(body).unwrap_or(Value::Null),
                head,
            });
        }
    }
}

/// A reply of the model.
pub(crate) fn said(text: &str) -> Step {
    let body = json!({"model": "m-1", "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2}});
    Step::Answer(200, "", body.to_string())
}

/// An error with a message in the usual wrapping.
pub(crate) fn error(status: u16, headers: &'static str, message: &str) -> Step {
    Step::Answer(
        status,
        headers,
        json!({"error": {"message": message}}).to_string(),
    )
}

/// Settings that wait for milliseconds only.
pub(crate) fn settings(base_url: &str) -> LlmSettings {
    LlmSettings {
        base_url: base_url.to_owned(),
        model: "m".to_owned(),
        api_key_env: "TEST_KEY".to_owned(),
        timeout: Duration::from_secs(20),
        max_retries: 2,
        backoff: Backoff {
            base: Duration::from_millis(1),
            cap: Duration::from_millis(4),
            retry_after_cap: Duration::from_millis(30),
        },
        ..LlmSettings::default()
    }
}

/// A client without a key.
pub(crate) fn client(settings: LlmSettings) -> OpenAiChat {
    OpenAiChat::with_keys(settings, |_| None).expect("settings are right")
}

/// A request for text.
pub(crate) fn plain() -> ChatRequest {
    ChatRequest {
        system: "be brief".into(),
        user: "why?".into(),
        schema: None,
        max_tokens: Some(50),
    }
}

/// A request for JSON.
pub(crate) fn structured() -> ChatRequest {
    let schema = types::JsonSchema {
        name: "answer".into(),
        schema: json!({"type": "object"}),
    };
    ChatRequest {
        schema: Some(schema),
        ..plain()
    }
}
