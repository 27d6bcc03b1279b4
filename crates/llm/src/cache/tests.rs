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
        let usage = Usage { requests: 1, prompt_tokens: 5, ..Usage::default() };
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
    ChatRequest { system: "s".into(), user: Prompt::default().data(user), schema: None, max_tokens: None }
}

fn cached(folder: &Path, identity: &str, mode: CacheMode) -> Cached<Counter> {
    let store = Arc::new(ReplyStore::new(folder, 1 << 20));
    Cached::new(Counter::default(), identity.to_owned(), store, mode, Arc::default())
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
    assert_eq!((&again.text, &again.model, &again.notes), (&first.text, &first.model, &first.notes));
    assert_eq!(again.usage, Usage::default(), "a kept reply costs nothing");
    assert!(Price::default().of(again.usage).abs() < 1e-12);
    for other in [
        request("r"),
        ChatRequest { system: "t".into(), ..request("q") },
        ChatRequest { max_tokens: Some(7), ..request("q") },
    ] {
        assert!(!model.complete(&other).await.expect("a reply").cached, "{other:?}");
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

/// The files of the kept replies.
fn kept(folder: &Path) -> Vec<std::path::PathBuf> {
    let inner = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    inner(folder).flat_map(|folder| inner(&folder.path())).map(|file| file.path()).collect()
}

#[tokio::test]
async fn replay_sends_nothing() {
    let folder = folder("replay");
    let writer = cached(&folder, "a", CacheMode::Use);
    writer.complete(&request("q")).await.expect("a reply");
    let replay = cached(&folder, "a", CacheMode::Replay);
    assert!(replay.complete(&request("q")).await.expect("kept").cached);
    let missing = replay.complete(&request("new")).await.expect_err("not kept");
    assert!(missing.to_string().contains("counter"), "{missing}");
    assert_eq!(replay.model.0.load(Ordering::Relaxed), 0);
    let _ = fs::remove_dir_all(&folder);
}

#[tokio::test]
async fn a_damaged_reply_is_named_and_asked_for_again() {
    let folder = folder("damaged");
    let model = cached(&folder, "a", CacheMode::Use);
    let replay = cached(&folder, "a", CacheMode::Replay);
    model.complete(&request("q")).await.expect("a reply");
    let file = kept(&folder).remove(0);
    let whole = fs::read(&file).expect("reads");
    let mut damaged: Vec<Vec<u8>> = (0..whole.len() * 8)
        .map(|bit| {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            bytes
        })
        .collect();
    damaged.extend([Vec::new(), whole[..whole.len() / 2].to_vec(), vec![0; whole.len()]]);
    for bytes in damaged {
        fs::write(&file, &bytes).expect("writes");
        let error = replay.complete(&request("q")).await.expect_err("damaged");
        assert!(error.to_string().contains(&file.display().to_string()), "{error}");
        let reply = model.complete(&request("q")).await.expect("a reply");
        let named = reply.notes.iter().any(|note| note.contains(&file.display().to_string()));
        assert!(!reply.cached && named, "{reply:?}");
        // It is kept anew, without the note of the damage.
        let again = model.complete(&request("q")).await.expect("a reply");
        assert_eq!((again.cached, again.notes), (true, vec!["a note".to_owned()]));
    }

    // A reply under the key of another request.
    let whole = fs::read(&file).expect("reads");
    model.forget(&request("q"));
    model.complete(&request("r")).await.expect("a reply");
    fs::write(&kept(&folder)[0], &whole).expect("writes");
    assert!(!model.complete(&request("r")).await.expect("a reply").cached);

    // Earlier versions wrote no checksum.
    let text = String::from_utf8(whole).expect("UTF-8");
    let unsealed = text.split(",\"crc32\"").next().expect("a beginning").to_owned() + "}";
    model.complete(&request("q")).await.expect("a reply");
    for target in kept(&folder) {
        fs::write(&target, &unsealed).expect("writes");
    }
    assert!(model.complete(&request("q")).await.expect("a reply").cached);
    let _ = fs::remove_dir_all(&folder);
}

#[tokio::test]
async fn files_of_others_stay_and_no_link_is_followed() {
    let folder = folder("foreign");
    let key = "0".repeat(62);
    let foreign =
        ["project/results.json", "ab/results.json", &format!("abc/{key}.json"), &format!("ab/{key}.txt")];
    for name in foreign {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("has one")).expect("made");
        fs::write(path, "x".repeat(5_000)).expect("written");
    }
    fs::write(folder.join("ab").join(format!("{key}.json")), "x".repeat(5_000)).expect("written");
    let store = Arc::new(ReplyStore::new(&folder, 2_000));
    let model = Cached::new(Counter::default(), "a".to_owned(), store, CacheMode::Use, Arc::default());
    model.complete(&request("q")).await.expect("a reply");
    assert!(foreign.iter().all(|name| folder.join(name).exists()));
    assert!(!folder.join("ab").join(format!("{key}.json")).exists(), "the oldest reply");
    assert!(model.complete(&request("q")).await.expect("a reply").cached);
    // The folder of the reply is a link to a folder of somebody.
    let own = |name: &std::ffi::OsStr| name.len() == 2 && name != "ab";
    let shards = fs::read_dir(&folder).expect("listed").flatten();
    let shard = shards.map(|entry| entry.path()).find(|path| path.file_name().is_some_and(own)).expect("one");
    fs::rename(&shard, folder.join("elsewhere")).expect("moved");
    std::os::unix::fs::symlink(folder.join("elsewhere"), &shard).expect("linked");
    model.forget(&request("q"));
    assert!(!model.complete(&request("q")).await.expect("a reply").cached);
    assert_eq!(fs::read_dir(folder.join("elsewhere")).expect("listed").count(), 1);
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
    let model = Cached::new(Counter::default(), "a".to_owned(), store, CacheMode::Use, Arc::default());
    for number in 0..40 {
        model.complete(&request(&number.to_string())).await.expect("a reply");
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
