//! Replies are found again, and only those.

use super::*;
use std::{fs, path::Path, sync::atomic::AtomicU32};
use types::{Price, Prompt, Usage};

/// Counts its calls and says the number.
#[derive(Default)]
struct Counter(AtomicU32);
impl ChatModel for Counter {
    fn id(&self) -> &'static str {
        "counter"
    }
    fn complete<'a>(&'a self, _: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        let usage = Usage {
            requests: 1,
            prompt_tokens: 5,
            ..Usage::default()
        };
        Box::pin(std::future::ready(Ok(ChatReply {
            text: format!("reply {number}"),
            model: "counter-1".to_owned(),
            usage,
            notes: vec!["a note".to_owned()],
            ..ChatReply::default()
        })))
    }
}

fn request(user: &str) -> ChatRequest {
    ChatRequest {
        system: "s".into(),
        user: Prompt::default().data(user),
        schema: None,
        max_tokens: None,
    }
}

fn cached(folder: &Path, identity: &str, mode: CacheMode) -> Cached<Counter> {
    let store = Arc::new(ReplyStore::new(folder, 1 << 20));
    Cached::new(
        Counter::default(),
        identity.to_owned(),
        store,
        mode,
        Arc::default(),
    )
}

fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("llm-cache-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

#[tokio::test]
async fn the_same_request_is_sent_once_and_others_are_sent() {
    let folder = folder("once");
    let model = cached(&folder, "a", CacheMode::Use);
    let first = model.complete(&request("q")).await.expect("a reply");
    let again = model.complete(&request("q")).await.expect("a reply");
    assert_eq!((first.cached, again.cached), (false, true));
    assert_eq!(
        (&again.text, &again.model, &again.notes),
        (&first.text, &first.model, &first.notes)
    );
    assert_eq!(again.usage, Usage::default(), "a kept reply costs nothing");
    let as_if_sent = cached(&folder, "a", CacheMode::Use).as_if_sent();
    let priced = as_if_sent.complete(&request("q")).await.expect("a reply");
    assert_eq!((priced.cached, priced.usage), (true, first.usage));
    assert!(Price::default().of(again.usage).abs() < 1e-12);
    for other in [
        request("r"),
        ChatRequest {
            system: "t".into(),
            ..request("q")
        },
        ChatRequest {
            max_tokens: Some(7),
            ..request("q")
        },
    ] {
        assert!(
            !model.complete(&other).await.expect("a reply").cached,
            "{other:?}"
        );
    }
    let other_model = cached(&folder, "b", CacheMode::Use);
    assert!(!other_model.complete(&request("q")).await.expect("a reply").cached);
    assert_eq!((model.counts.hits(), model.counts.misses()), (1, 4));
    let _ = fs::remove_dir_all(&folder);
}

#[tokio::test]
async fn a_rejected_reply_stays_and_a_forgotten_one_goes() {
    let folder = folder("forget");
    let model = cached(&folder, "a", CacheMode::Use);
    let reply = model.complete(&request("q")).await.expect("a reply");
    model.reject(&request("q"), &reply);
    assert!(model.complete(&request("q")).await.expect("a reply").cached);
    model.forget(&request("q"));
    assert!(!model.complete(&request("q")).await.expect("a reply").cached);
    let _ = fs::remove_dir_all(&folder);
}

#[tokio::test]
async fn replay_sends_nothing_and_a_damaged_file_is_asked_for_again() {
    let folder = folder("replay");
    let writer = cached(&folder, "a", CacheMode::Use);
    writer.complete(&request("q")).await.expect("a reply");
    let replay = cached(&folder, "a", CacheMode::Replay);
    assert!(replay.complete(&request("q")).await.expect("kept").cached);
    let missing = replay.complete(&request("new")).await.expect_err("not kept");
    assert!(missing.to_string().contains("counter"), "{missing}");
    assert_eq!(replay.model.0.load(Ordering::Relaxed), 0);
    let path = fs::read_dir(&folder)
        .expect("a folder")
        .flatten()
        .next()
        .expect("one")
        .path();
    let file = fs::read_dir(path)
        .expect("a folder")
        .flatten()
        .next()
        .expect("one")
        .path();
    fs::write(&file, "{\"text\":").expect("writes");
    assert!(!writer.complete(&request("q")).await.expect("a reply").cached);
    let _ = fs::remove_dir_all(&folder);
}

#[tokio::test]
async fn a_read_only_cache_keeps_nothing() {
    let folder = folder("read-only");
    let model = cached(&folder, "a", CacheMode::ReadOnly);
    model.complete(&request("q")).await.expect("a reply");
    assert!(!folder.exists());
}

#[tokio::test]
async fn the_folder_stays_below_its_limit_and_loses_the_oldest() {
    let folder = folder("limit");
    let store = Arc::new(ReplyStore::new(&folder, 2_000));
    let model = Cached::new(
        Counter::default(),
        "a".to_owned(),
        store,
        CacheMode::Use,
        Arc::default(),
    );
    for number in 0..40 {
        model
            .complete(&request(&number.to_string()))
            .await
            .expect("a reply");
        // File times have limited resolution.
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let size: u64 = fs::read_dir(&folder)
        .expect("a folder")
        .flatten()
        .flat_map(|inner| fs::read_dir(inner.path()).expect("a folder").flatten())
        .map(|file| file.metadata().expect("a file").len())
        .sum();
    assert!((500..=2_000).contains(&size), "{size}");
    assert!(model.complete(&request("39")).await.expect("a reply").cached);
    assert!(!model.complete(&request("0")).await.expect("a reply").cached);
    let _ = fs::remove_dir_all(&folder);
}
