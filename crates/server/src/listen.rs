//! Accepts connections, each with limits that no client can lengthen, and shuts them down gracefully.

use crate::limits::{CONNECTIONS, HEADER_BYTES, HEADER_TIME, HEADERS, PART_TIME};
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpListener,
    sync::Semaphore,
    time::{Sleep, sleep, timeout},
};
use types::Stop;

/// The time that answers have to end once the server is asked to stop.
const PATIENCE: Duration = Duration::from_secs(10);
/// The same for the work of a stream of events, so that there is time to send why it ends.
pub(crate) const STREAM_PATIENCE: Duration = Duration::from_secs(9);

/// A connection that breaks off when its client takes nothing of an answer for too long.
struct Taken<S> {
    stream: S,
    /// Runs while nothing can be sent.
    late: Option<Pin<Box<Sleep>>>,
}

impl<S> Taken<S> {
    fn in_time(&mut self, sent: Poll<io::Result<usize>>, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if sent.is_ready() {
            self.late = None;
            return sent;
        }
        let late = self.late.get_or_insert_with(|| Box::pin(sleep(PART_TIME)));
        ready!(late.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Taken<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, to)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Taken<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, part: &[u8]) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write(cx, part);
        self.in_time(sent, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.in_time(sent, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// Serves until `stop` is requested, then lets running requests finish.
pub(crate) async fn serve(listener: TcpListener, router: Router, stop: Stop) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_buf_size(HEADER_BYTES)
        .max_headers(HEADERS);
    let graceful = GracefulShutdown::new();
    let free = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let accepted = async {
            // The semaphore is never closed.
            let place = Arc::clone(&free).acquire_owned().await.ok();
            (listener.accept().await, place)
        };
        let (stream, place) = tokio::select! {
            (stream, place) = accepted => {
                let Ok((stream, _)) = stream else {
                    // Out of file descriptors, or the client was gone already.
                    sleep(Duration::from_millis(20)).await;
                    continue;
                };
                (stream, place)
            }
            () = stop.requested() => break,
        };
        // Events are small, and must not wait for more.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let stream = Taken { stream, late: None };
        let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            // A client that breaks off or sends nonsense harms only itself.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    let _ = timeout(PATIENCE, graceful.shutdown()).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::testing::app,
        extract::raw,
        limits::{BODY_TIME, UPLOAD_TIME},
        streamed,
    };
    use axum::{
        extract::Request,
        response::sse::Event,
        routing::{get, post},
    };
    use futures::stream;
    use std::convert::Infallible;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _, duplex},
        join,
        net::TcpStream,
        sync::Notify,
        time::Instant,
    };

    /// A client of a server with these routes, both on a clock that goes on when all wait.
    async fn client(router: Router) -> TcpStream {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(serve(listener, router, Stop::default()));
        TcpStream::connect(address).await.expect("connects")
    }

    /// Sends `first` and then an `a` every second; the answer, and after how many seconds the connection was closed.
    async fn drip(first: &str, router: Router) -> (String, u64) {
        let started = Instant::now();
        let (mut from, mut to) = client(router).await.into_split();
        to.write_all(first.as_bytes()).await.expect("sent");
        let slow = async {
            while to.write_all(b"a").await.is_ok() {
                sleep(Duration::from_secs(1)).await;
            }
        };
        let mut answer = Vec::new();
        tokio::select! {
            // A connection may be reset.
            _ = from.read_to_end(&mut answer) => {}
            () = slow => {}
        }
        (String::from_utf8(answer).expect("UTF-8"), started.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_comes_byte_by_byte_is_left() {
        let (answer, seconds) = drip("GET / HTTP/1.1\r\nHost: ", Router::new()).await;
        assert!(!answer.contains(" 200 "), "{answer}");
        let allowed = HEADER_TIME.as_secs();
        assert!((allowed..allowed + 3).contains(&seconds), "{seconds}");
        let read = post(async |request: Request| raw(request).await.map(|_| ""));
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n";
        let (answer, seconds) = drip(head, Router::new().route("/", read)).await;
        assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains("slow_body"), "{answer}");
        let allowed = BODY_TIME.as_secs();
        assert!((allowed..allowed + 3).contains(&seconds), "{seconds}");
    }

    #[tokio::test(start_paused = true)]
    async fn an_upload_that_stalls_is_left() {
        let (folder, app) = app();
        let mut client = client(crate::router(&app)).await;
        let head = "POST /v1/ingest HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\
                    Content-Type: multipart/form-data; boundary=cut\r\n\r\n--cut\r\n\
                    Content-Disposition: form-data; name=\"file\"; filename=\"a.md\"\r\n\r\n";
        client.write_all(head.as_bytes()).await.expect("sent");
        // However long it takes, while some of it comes.
        for _ in 0..4 {
            sleep(PART_TIME * 5 / 6).await;
            client.write_all(&[b'a'; 100]).await.expect("sent");
        }
        let stalled = Instant::now();
        let mut answer = Vec::new();
        // The connection may be reset.
        let _ = client.read_to_end(&mut answer).await;
        let answer = String::from_utf8(answer).expect("UTF-8");
        assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains("slow_body"), "{answer}");
        let (seconds, allowed) = (stalled.elapsed().as_secs(), PART_TIME.as_secs());
        assert!((allowed..allowed + 3).contains(&seconds), "{seconds}");
        let papers = folder.path().join("companies/default/default/papers");
        assert_eq!(std::fs::read_dir(papers).expect("begun").count(), 0);
    }

    /// Says when it is dropped.
    struct Work(Arc<Notify>);

    impl Drop for Work {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_of_events_that_nobody_reads_ends() {
        let ended = Arc::new(Notify::new());
        let own = Arc::clone(&ended);
        let endless = move || {
            let work = Work(Arc::clone(&own));
            let next = |work| async move {
                let event = Event::default().data("a".repeat(1 << 16));
                Some((Ok::<_, Infallible>(event), work))
            };
            async move { streamed::events(stream::unfold(work, next)) }
        };
        let mut client = client(Router::new().route("/", get(endless))).await;
        let request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
        client.write_all(request).await.expect("sent");
        client.read_exact(&mut vec![0; 1 << 18]).await.expect("sent");
        let soon = timeout(PART_TIME / 2, ended.notified()).await;
        assert!(soon.is_err(), "it ended too soon");
        timeout(PART_TIME, ended.notified()).await.expect("it never ended");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_some_of_it_now_and_then_is_waited_for() {
        let (near, mut far) = duplex(64);
        let mut near = Taken { stream: near, late: None };
        let started = Instant::now();
        let take = async {
            for _ in 0..5 {
                sleep(Duration::from_secs(20)).await;
                far.read_exact(&mut [0; 64]).await.expect("sent");
            }
            sleep(UPLOAD_TIME).await;
        };
        let send = async {
            let sent = near.write_all(&[0; 1024]).await;
            (sent, started.elapsed())
        };
        let both = async { join!(send, take) };
        let both = timeout(2 * UPLOAD_TIME, both).await;
        let ((sent, took), ()) = both.expect("it ends");
        assert_eq!(sent.expect_err("left").kind(), io::ErrorKind::TimedOut);
        assert_eq!(took, Duration::from_secs(100) + PART_TIME);
    }
}
