//! Answers in parts, as server-sent events.

use axum::response::{
    IntoResponse, Response,
    sse::{Event, KeepAlive, Sse},
};
use engine::{Pipeline, drafts::DraftPart};
use futures::{Stream, stream};
use serde_json::{Value, json};
use std::{convert::Infallible, future::Future, sync::Arc};
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

impl Part {
    pub(crate) fn new(name: &'static str, data: serde_json::Result<Value>) -> Self {
        // Documents are printed as JSON everywhere.
        let data = data.unwrap_or_default();
        Self { name, data }
    }
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
    pipeline
        .clone()
        .showing_stages(Arc::new(stage))
        .showing_drafts(Arc::new(draft))
}

/// Ends the work when nobody listens any more.
struct Parts {
    from: UnboundedReceiver<Part>,
    work: JoinHandle<()>,
    stop: Stop,
}

impl Drop for Parts {
    fn drop(&mut self) {
        self.work.abort();
    }
}

/// An answer of the parts that `work` sends.
pub(crate) fn parts<F>(stop: Stop, work: impl FnOnce(UnboundedSender<Part>) -> F) -> Response
where
    F: Future<Output = ()> + Send + 'static,
{
    let (to, from) = unbounded_channel();
    // The error of an answer has the id of its request, too.
    let id = crate::failed::REQUEST_ID
        .try_with(Arc::clone)
        .unwrap_or_else(|_| "".into());
    let work = tokio::spawn(crate::failed::REQUEST_ID.scope(id, work(to)));
    let parts = Parts { from, work, stop };
    let next = |mut parts: Parts| async move {
        let stop = parts.stop.clone();
        let part = tokio::select! {
            part = parts.from.recv() => part?,
            () = stop.requested() => return None,
        };
        let event = Event::default().event(part.name).data(part.data.to_string());
        Some((Ok(event), parts))
    };
    events(stream::unfold(parts, next))
}

/// The answer of a stream of events.
pub(crate) fn events(stream: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    Sse::new(stream).keep_alive(KeepAlive::default()).into_response()
}
