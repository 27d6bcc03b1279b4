//! Answers in parts, as server-sent events.

use crate::failed::{Failed, REQUEST_ID};
use axum::http::HeaderValue;
use axum::response::{
    IntoResponse, Response,
    sse::{Event, KeepAlive, Sse},
};
use engine::{Pipeline, drafts::DraftPart};
use futures::{Stream, future::BoxFuture, stream};
use serde_json::{Value, json};
use std::{convert::Infallible, future::Future, sync::Arc, time::Duration};
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::JoinHandle,
};
use types::Stop;

/// One event.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) data: Value,
}

/// The pipeline with its stages and drafts sent as parts: `stage` with a name and its milliseconds when it has ended, `draft`
/// with the next words of an answer that is being written and not checked yet, empty where a new one begins.
pub(crate) fn watched(pipeline: &Pipeline, parts: UnboundedSender<Part>) -> Pipeline {
    let drafts = parts.clone();
    let stage = move |stage: &str, milliseconds: f64| {
        let data = json!({"stage": stage, "milliseconds": milliseconds});
        // Nobody may listen any more.
        let _ = parts.send(Part { name: "stage", data });
    };
    let draft = move |part: DraftPart<'_>| {
        let text = match part {
            DraftPart::Begin => "",
            DraftPart::Text(text) => text,
            DraftPart::End => return,
        };
        let data = json!({ "text": text });
        let _ = drafts.send(Part { name: "draft", data });
    };
    pipeline.clone().showing_stages(Arc::new(stage)).showing_drafts(Arc::new(draft))
}

/// Ends the work when nobody listens any more.
struct Parts {
    from: UnboundedReceiver<Part>,
    work: JoinHandle<()>,
    /// Completes when the server waits no longer.
    late: BoxFuture<'static, ()>,
    id: Arc<str>,
}

impl Parts {
    /// The next part; the last one if the work fails or ends too late.
    async fn next(&mut self) -> (Option<Part>, bool) {
        let failed = tokio::select! {
            part = self.from.recv() => match part {
                Some(part) => return (Some(part), false),
                None => match (&mut self.work).await {
                    Ok(()) => return (None, true),
                    Err(error) => Failed::inside(error),
                },
            },
            () = &mut self.late => Failed::busy("stopping", "the server is shutting down", 5),
        };
        let id = Arc::clone(&self.id);
        let data = REQUEST_ID.sync_scope(id, || failed.document());
        (Some(Part { name: "error", data }), true)
    }
}

impl Drop for Parts {
    fn drop(&mut self) {
        self.work.abort();
    }
}

/// An answer of the parts that `work` sends, which has so much time after a request to stop.
pub(crate) fn parts<F>(
    stop: Stop,
    patience: Duration,
    work: impl FnOnce(UnboundedSender<Part>) -> F,
) -> Response
where
    F: Future<Output = ()> + Send + 'static,
{
    let (to, from) = unbounded_channel();
    // The error of an answer has the id of its request, too.
    let id = REQUEST_ID.try_with(Arc::clone).unwrap_or_else(|_| "".into());
    let work = tokio::spawn(REQUEST_ID.scope(Arc::clone(&id), work(to)));
    let late = async move {
        stop.requested().await;
        tokio::time::sleep(patience).await;
    };
    let parts = Parts { from, work, late: Box::pin(late), id };
    let next = |parts: Option<Parts>| async move {
        let mut parts = parts?;
        let (part, last) = parts.next().await;
        let part = part?;
        let event = Event::default().event(part.name).data(part.data.to_string());
        Some((Ok(event), (!last).then_some(parts)))
    };
    events(stream::unfold(Some(parts), next))
}

/// The answer of a stream of events.
pub(crate) fn events(stream: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    let mut response = Sse::new(stream).keep_alive(KeepAlive::default()).into_response();
    // A proxy must pass each event on at once.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;

    /// The text of the events of this work.
    async fn text<F: Future<Output = ()> + Send + 'static>(
        stop: Stop,
        work: impl FnOnce(UnboundedSender<Part>) -> F,
    ) -> String {
        let body = parts(stop, Duration::from_millis(500), work).into_body();
        let bytes = axum::body::to_bytes(body, 1 << 20).await.expect("a body");
        String::from_utf8(bytes.into()).expect("UTF-8")
    }

    #[tokio::test]
    async fn an_answer_that_is_on_its_way_is_sent_although_the_server_stops() {
        let stop = Stop::default();
        let asked = stop.clone();
        let work = |to: UnboundedSender<Part>| async move {
            asked.request();
            tokio::time::sleep(Duration::from_millis(50)).await;
            let _ = to.send(Part { name: "answer", data: json!(1) });
        };
        assert_eq!(text(stop, work).await, "event: answer\ndata: 1\n\n");
    }

    #[tokio::test]
    async fn work_that_takes_too_long_for_a_server_that_stops_ends_with_an_error() {
        let stop = Stop::default();
        stop.request();
        let text = text(stop, |to| async move {
            let _to = to;
            pending::<()>().await;
        });
        let text = text.await;
        assert!(text.starts_with("event: error\n") && text.contains("stopping"), "{text}");
    }

    #[tokio::test]
    async fn work_that_panics_ends_with_an_error() {
        let broken = |_| async { panic!("broken") };
        let text = text(Stop::default(), broken).await;
        assert!(text.starts_with("event: error\n") && text.contains("internal"), "{text}");
        assert!(!text.contains("broken"), "{text}");
    }
}
