//! Documents as answers.

use crate::{
    app::App,
    extract::Room,
    failed::Failed,
    limits::PART_BYTES,
    operation::JSON,
    state::{Items, jobs},
};
use axum::{
    body::{Body, Bytes},
    http::header,
    response::{IntoResponse, Response},
};
use futures::{Stream, StreamExt as _, TryStreamExt as _, stream};
use rusqlite::Connection;
use serde::Serialize;
use std::{future::ready, mem::replace};

/// A document, printed as the commands print it.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        // As a value first: numbers are printed in one way, whatever type holds them.
        match serde_json::to_value(self.0) {
            Ok(document) => axum::Json(document).into_response(),
            Err(error) => Failed::inside(error).into_response(),
        }
    }
}

/// Streams `document`, whose last field is an empty list, with up to `limit` items, the newest first. Items are read in parts while
/// they are sent, so that the answer takes the memory of one part, for which there is `room`. `read(connection, before, most)`
/// returns the next part.
///
/// # Errors
/// When the document cannot be written as JSON.
pub(crate) fn listed<const BYTES: usize>(
    app: App,
    room: Room<BYTES>,
    document: impl Serialize,
    limit: usize,
    read: impl Fn(&Connection, i64, usize) -> rusqlite::Result<Items> + Clone + Send + 'static,
) -> Result<Response, Failed> {
    let mut head = serde_json::to_value(document).map_err(Failed::inside)?.to_string();
    let end = head.split_off(head.len() - "]}".len());
    let next = move |(before, left)| {
        let (app, read) = (App::clone(&app), read.clone());
        async move {
            if left == 0 {
                return Ok(None);
            }
            let items = app.state.read(move |c| read(c, before, left)).await;
            let items = items.inspect_err(|error| app.error("could not send the list", error))?;
            let next = items.last().map(|(number, _)| (*number, left - items.len()));
            Ok::<_, rusqlite::Error>(next.map(|next| (items, next)))
        }
    };
    let mut comma = "";
    let parts = stream::try_unfold((i64::MAX, limit), next).map_ok(move |items| {
        let _room = &room;
        let items: Vec<String> = items.into_iter().map(|(_, item)| item).collect();
        replace(&mut comma, ",").to_owned() + &items.join(",")
    });
    Ok(streamed(head, parts, end))
}

fn streamed<T: Into<Bytes> + Send + 'static>(
    head: String,
    parts: impl Stream<Item = rusqlite::Result<T>> + Send + 'static,
    end: String,
) -> Response {
    let ends = |text: String| stream::once(ready(Ok(Bytes::from(text))));
    let body = Body::from_stream(ends(head).chain(parts.map_ok(Into::into)).chain(ends(end)));
    ([(header::CONTENT_TYPE, JSON)], body).into_response()
}

/// Streams `document` with the result of a job in the place of its key `result`, which is null. It is read in parts while it is sent.
///
/// # Errors
/// When the document cannot be written as JSON.
pub(crate) fn with_result(
    app: App,
    room: Room<PART_BYTES>,
    document: impl Serialize,
    job: String,
) -> Result<Response, Failed> {
    const KEY: &str = "\"result\":";
    let document = serde_json::to_value(document).map_err(Failed::inside)?;
    let mut head = document.to_string();
    let at = head.find(KEY).map_or(head.len(), |at| at + KEY.len());
    let end = head.split_off(at).replacen("null", "", 1);
    let parts = stream::try_unfold(jobs::ResultRead::default(), move |mut read| {
        let (app, job, _room) = (App::clone(&app), job.clone(), &room);
        async move {
            let next = move |c: &mut Connection| Ok((jobs::result_part(c, &job, &mut read)?, read));
            let next = app.state.read(next).await;
            let (part, read) = next.inspect_err(|error| app.error("could not send the result", error))?;
            Ok((!part.is_empty()).then_some((part, read)))
        }
    });
    Ok(streamed(head, parts, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::testing::app,
        limits::ANSWER_BYTES,
        name::Name,
        state::records::{self, Scores},
    };
    use axum::{body::to_bytes, extract::FromRequestParts as _, http::Request};
    use serde_json::{Value, json};
    use std::sync::{Arc, Mutex};

    #[tokio::test]
    async fn a_long_list_is_whole_and_read_in_parts() {
        let (_folder, app) = app();
        let name: Name = "ac".parse().expect("a name");
        let sizes = [PART_BYTES / 3, 3 * PART_BYTES, 1, 2, PART_BYTES / 2, PART_BYTES / 2, 3, 4];
        for size in sizes {
            let document = |id: &str| json!({"id": id, "text": "a".repeat(size)});
            let add = |c: &mut Connection| records::add(c, &name, &name, &Scores::default(), document);
            app.state.now(add).expect("added");
        }
        let read: Arc<Mutex<Vec<usize>>> = Arc::default();
        let list = async |limit: usize| {
            let (mut parts, ()) = Request::new(()).into_parts();
            let room = Room::<ANSWER_BYTES>::from_request_parts(&mut parts, &app).await;
            let room = room.expect("room");
            let (name, read) = (name.clone(), Arc::clone(&read));
            let part = move |c: &Connection, before, most| {
                let items = records::list(c, &name, &name, before, most)?;
                read.lock().expect("a list").push(items.len());
                Ok(items)
            };
            let head = json!({"total": 8, "records": []});
            listed(App::clone(&app), room, head, limit, part).expect("an answer")
        };
        let free = app.bodies.taken();
        let answer = list(1000).await;
        assert_eq!(app.bodies.taken(), free + (ANSWER_BYTES >> 20));
        assert!(read.lock().expect("a list").is_empty(), "what nobody takes is not read");
        let ids = async |answer: Response| -> Vec<String> {
            let bytes = to_bytes(answer.into_body(), usize::MAX).await.expect("a body");
            let document: Value = serde_json::from_slice(&bytes).expect("JSON");
            assert_eq!(document["total"], 8);
            let records = document["records"].as_array().expect("a list");
            records.iter().map(|record| record["id"].to_string()).collect()
        };
        let all = ids(answer).await;
        assert_eq!(all, [8, 7, 6, 5, 4, 3, 2, 1].map(|id| format!("\"q_00{id}\"")));
        assert_eq!(*read.lock().expect("a list"), [4, 3, 1, 0]);
        assert_eq!(app.bodies.taken(), free);
        assert_eq!(ids(list(5).await).await, all[..5]);
        assert_eq!(read.lock().expect("a list")[4..], [4, 1]);
    }
}
