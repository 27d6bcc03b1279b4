//! Downloads from a hub on loopback.

use engine::natives::hub::{Downloaded, Hub, HubError};
use std::{
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};
use testkit::{ChatServer, Request, Step, refusing_address};
use types::{Explain as _, digest::sha256};

const CONTENT: &str = "some weights";
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

async fn download(endpoint: &str, commit: &str, target: &Path) -> Result<Downloaded, HubError> {
    let told = AtomicU64::new(0);
    let hub = Hub::new(Some(endpoint))?;
    let progress = |bytes, total: Option<u64>| {
        assert!(total.is_some_and(|total| total >= bytes));
        told.store(bytes, Ordering::Relaxed);
    };
    let done = hub.download("some/model", "onnx/model.onnx", commit, target, &progress).await?;
    assert_eq!(told.into_inner(), done.bytes);
    Ok(done)
}

/// Runs a download that the script answers, and says whether there is a file.
async fn fails(script: impl Fn(&Request) -> Step + Send + Sync + 'static, code: &str, part: &str) {
    let server = ChatServer::answering(script);
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("model.onnx");
    let error = download(&server.base_url(), "", &target).await.expect_err("it fails");
    assert_eq!(error.code(), code, "{error}");
    assert!(error.to_string().contains(part), "{part} in {error}");
    assert!(!target.exists());
    error.explain();
}

#[tokio::test]
async fn a_file_comes_through_redirects_and_is_checked() {
    let server = ChatServer::answering(|request| match request.number {
        0 => Step::answer(302, "")
            .with_header("location", "/elsewhere?signature=1")
            .with_header("x-repo-commit", COMMIT)
            .with_header("x-linked-etag", &format!("\"{}\"", sha256(CONTENT.as_bytes()))),
        // What the last server calls the file does not count.
        1 => Step::answer(200, CONTENT).with_header("x-linked-etag", &"0".repeat(64)),
        _ => Step::answer(200, CONTENT),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("model.onnx");
    let done = download(&server.base_url(), "", &target).await.expect("downloads");
    assert_eq!((done.commit.as_str(), done.bytes), (COMMIT, CONTENT.len() as u64));
    assert_eq!(done.sha256, sha256(CONTENT.as_bytes()));
    assert_eq!(std::fs::read_to_string(&target).expect("reads"), CONTENT);
    download(&server.base_url(), COMMIT, &target).await.expect("downloads");
    let asked: Vec<String> = server.requests().iter().map(|request| request.head.clone()).collect();
    assert!(asked[0].starts_with("GET /v1/some/model/resolve/main/onnx/model.onnx "), "{asked:?}");
    assert!(asked[1].starts_with("GET /elsewhere?signature=1 "), "{asked:?}");
    let pinned = format!("GET /v1/some/model/resolve/{COMMIT}/onnx/model.onnx ");
    assert!(asked[2].starts_with(&pinned), "{asked:?}");
}

#[tokio::test]
async fn a_download_that_is_cut_off_goes_on_where_it_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("model.onnx");
    let (head, tail) = CONTENT.split_at(5);
    let part = |from: usize| {
        let range = format!("bytes {from}-{}/{}", CONTENT.len() - 1, CONTENT.len());
        Step::answer(206, &CONTENT.as_bytes()[from..]).with_header("content-range", &range)
    };
    let server = ChatServer::start([Step::Cut(head.into()), part(5)]);
    let done = download(&server.base_url(), "", &target).await.expect("downloads");
    assert_eq!(done.sha256, sha256(CONTENT.as_bytes()));
    assert_eq!(std::fs::read_to_string(&target).expect("reads"), [head, tail].concat());
    let ranges: Vec<_> = server.requests().iter().map(|r| r.header("range").map(str::to_owned)).collect();
    assert_eq!(ranges, [None, Some("bytes=5-".to_owned())]);

    // A server that knows no ranges sends it all again.
    let server = ChatServer::start([Step::Cut(head.into()), Step::answer(200, CONTENT)]);
    let done = download(&server.base_url(), "", &target).await.expect("downloads");
    assert_eq!((done.sha256, done.bytes), (sha256(CONTENT.as_bytes()), CONTENT.len() as u64));
    // Another part than the next is no part of the file.
    let server = ChatServer::start([Step::Cut(head.into()), part(4)]);
    let error = download(&server.base_url(), "", &target).await.expect_err("it fails");
    assert!(error.to_string().contains("instead of byte 5"), "{error}");
    assert!(!target.exists());
}

#[tokio::test]
async fn what_is_not_the_whole_file_is_not_kept() {
    fails(|_| Step::Cut(CONTENT.into()), "hub_cut_off", "after 12 bytes").await;
    fails(|_| Step::answer(404, "no"), "hub_refused", "HTTP 404 for some/model/onnx/model.onnx").await;
    fails(|_| Step::answer(302, ""), "hub_refused", "HTTP 302").await;
    let other = |_: &Request| Step::answer(200, "SOME WEIGHTS").with_header("x-linked-etag", &"0".repeat(64));
    fails(other, "hub_other_content", "the hub announced 000").await;
    let round = |_: &Request| Step::answer(302, "").with_header("location", "/again");
    fails(round, "hub_reply", "more than 10 redirects").await;
    let nowhere = |_: &Request| Step::answer(302, "").with_header("location", "http://[");
    fails(nowhere, "hub_reply", "no address").await;
}

#[tokio::test]
async fn an_address_that_leads_nowhere_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("model.onnx");
    let error = download(&refusing_address(), "", &target).await.expect_err("it fails").to_string();
    assert!(error.contains("cannot reach the model hub at 127.0.0.1:"), "{error}");
    assert!(error.contains("HF_ENDPOINT") && error.contains("without a network"), "{error}");
    assert!(!target.exists());
    let refused = |endpoint: &str| Hub::new(Some(endpoint)).expect_err("refused").to_string();
    assert!(refused("nonsense").contains("\"nonsense\""));
    assert!(refused("ftp://a").contains("neither http nor https"));
    assert!(!refused("ftp://me:hush@a").contains("hush"));
    assert!(Hub::new(Some(" ")).is_ok() && Hub::new(None).is_ok());
}
