//! Accepts connections, each with limits that no client can lengthen, and shuts them down gracefully.

use crate::limits::{CONNECTIONS, HEADER_BYTES, HEADER_TIME, HEADERS};
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use std::{sync::Arc, time::Duration};
use tokio::{
    net::TcpListener,
    sync::Semaphore,
    time::{sleep, timeout},
};
use types::Stop;

/// The time that answers have to end once the server is asked to stop.
const PATIENCE: Duration = Duration::from_secs(10);
/// The same for the work of a stream of events, so that there is time to send why it ends.
pub(crate) const STREAM_PATIENCE: Duration = Duration::from_secs(9);

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
