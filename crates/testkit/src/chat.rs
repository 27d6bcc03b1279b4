//! The fake chat server.

mod formats;
mod request;
mod step;

pub use request::Request;
pub use step::Step;

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Decides what to do with a request.
type Script = dyn Fn(&Request) -> Step + Send + Sync;

/// A server on a free port of 127.0.0.1, one thread a connection. It stops when it is dropped.
pub struct ChatServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    script: Box<Script>,
    requests: Mutex<Vec<Request>>,
    hang_ups: AtomicUsize,
    stopped: AtomicBool,
}

impl ChatServer {
    /// Plays `steps`, one a request, the last one again and again.
    ///
    /// # Panics
    /// When there is no step, or no free port.
    pub fn start(steps: impl IntoIterator<Item = Step>) -> Self {
        let steps: Vec<Step> = steps.into_iter().collect();
        assert!(!steps.is_empty(), "a script needs a step");
        Self::answering(move |request| steps[request.number.min(steps.len() - 1)].clone())
    }

    /// Does with each request what `script` says.
    ///
    /// # Panics
    /// When there is no free port.
    pub fn answering(script: impl Fn(&Request) -> Step + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            script: Box::new(script),
            requests: Mutex::default(),
            hang_ups: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
        });
        let own = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if own.stopped.load(Ordering::SeqCst) {
                    break;
                }
                let own = Arc::clone(&own);
                thread::spawn(move || own.serve(stream));
            }
        });
        Self { address, shared }
    }

    /// The address for `llm.base_url`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The requests so far, in the order of their arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.log().clone()
    }

    /// How many clients went away while they waited for [`Step::Hang`].
    pub fn hang_ups(&self) -> usize {
        self.shared.hang_ups.load(Ordering::SeqCst)
    }

    /// Waits until `ready` holds, at most 30 seconds.
    ///
    /// # Panics
    /// When it never does.
    pub fn wait_until(&self, what: &str, ready: impl Fn(&Self) -> bool) {
        let end = Instant::now() + Duration::from_secs(30);
        while !ready(self) {
            assert!(Instant::now() < end, "waited 30 s for this: {what}");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for ChatServer {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for connections.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn log(&self) -> MutexGuard<'_, Vec<Request>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, mut stream: TcpStream) {
        let Some(mut request) = Request::read(&mut stream) else {
            return;
        };
        {
            let mut log = self.log();
            request.number = log.len();
            log.push(request.clone());
        }
        let step = (self.script)(&request);
        match step {
            Step::Close => {}
            Step::Hang => {
                // Zero bytes read mean that the client has gone.
                while stream.read(&mut [0; 64]).is_ok_and(|n| n > 0) {}
                self.hang_ups.fetch_add(1, Ordering::SeqCst);
            }
            Step::Slow(_, pause) => {
                for byte in step.bytes() {
                    if stream.write_all(&[byte]).is_err() {
                        self.hang_ups.fetch_add(1, Ordering::SeqCst);
                        break;
                    }
                    thread::sleep(Duration::from_millis(pause));
                }
            }
            step => {
                // A client that has gone away is no matter of the server.
                let _ = stream.write_all(&step.bytes());
            }
        }
    }
}

/// The address of a server that refuses connections: a port that was free a moment ago.
///
/// # Panics
/// When there is no free port.
pub fn refusing_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    format!("http://{}/v1", listener.local_addr().expect("an address"))
}
