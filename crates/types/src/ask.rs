//! Asks a language model for a reply of a certain form, and once more if the reply does not have it.

use crate::{ChatError, ChatFailure, ChatModel, ChatReply, ChatRequest, Prompt, Usage};
use text::addresses::{addresses, without};

/// Characters of a bad reply that an error quotes, without its addresses.
const PREVIEW_CHARS: usize = 200;

/// Why there is no reply of the form that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum Unanswered {
    /// The model could not be asked, or its reply was cut. The usage is that of all calls.
    Chat(ChatFailure),
    /// No reply has the form.
    Unusable { model: String, violation: String, calls: u32, preview: String, usage: Usage },
}

/// What `read` makes of the reply to `request`, and what the calls spent. When `read` says what is wrong with a reply, the
/// request is sent again with what `repair` makes of that behind it, `calls` times in all. A cache forgets the replies if
/// none can be used.
///
/// # Errors
/// [`Unanswered`].
pub async fn ask<T>(
    model: &dyn ChatModel,
    mut request: ChatRequest,
    calls: u32,
    repair: impl Fn(&str) -> Prompt,
    read: impl Fn(&ChatReply) -> Result<T, String>,
) -> Result<(T, Usage), Unanswered> {
    let question = request.user.clone();
    let mut usage = Usage::default();
    let mut made = 0;
    loop {
        made += 1;
        let reply = match model.complete(&request).await {
            Ok(reply) => reply,
            Err(failure) => {
                usage.add(failure.usage);
                return Err(Unanswered::Chat(ChatFailure { usage, ..failure }));
            }
        };
        let violation = match reply.check_size().and_then(|()| read(&reply)) {
            Ok(answer) => {
                usage.add(reply.usage);
                return Ok((answer, usage));
            }
            Err(violation) => violation,
        };
        model.reject(&request, &reply);
        usage.add(reply.usage.unusable());
        if reply.truncated {
            model.forget(&request);
            return Err(Unanswered::Chat(cut(&reply, request.max_tokens, usage)));
        }
        if made >= calls {
            for user in [&question, &request.user] {
                model.forget(&ChatRequest { user: user.clone(), ..request.clone() });
            }
            let preview: String = reply.text.chars().take(PREVIEW_CHARS).collect();
            let [violation, preview] = [violation, preview].map(|text| {
                let addresses = addresses(&text).into_iter();
                without(&text, addresses.map(|address| address.span))
            });
            return Err(Unanswered::Unusable { model: reply.model, violation, calls: made, preview, usage });
        }
        request.user = question.clone().own("\n\n").then(&repair(&violation));
    }
}

/// The failure of a reply that was cut. Asking again would cut it at the same place.
fn cut(reply: &ChatReply, max_tokens: Option<u32>, usage: Usage) -> ChatFailure {
    let spent = u32::try_from(reply.usage.completion_tokens).unwrap_or(u32::MAX);
    let error = ChatError::Truncated { model: reply.model.clone(), max_tokens: max_tokens.unwrap_or(spent) };
    ChatFailure { usage, ..ChatFailure::from(error) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BoxFuture;
    use std::{
        pin::pin,
        sync::Mutex,
        task::{Context, Poll, Waker},
    };

    type Played = Result<ChatReply, ChatFailure>;

    /// Plays replies and notes what it is asked and told.
    struct Script(Mutex<Vec<Played>>, Mutex<Vec<String>>);

    impl Script {
        fn note(&self, what: &str, text: &str) {
            self.1.lock().expect("no panic").push(format!("{what}: {text}"));
        }
    }

    impl ChatModel for Script {
        fn id(&self) -> &'static str {
            "script"
        }
        fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Played> {
            self.note("asked", &request.user);
            let reply = self.0.lock().expect("no panic").remove(0);
            Box::pin(std::future::ready(reply))
        }
        fn reject(&self, _: &ChatRequest, reply: &ChatReply) {
            self.note("rejected", &reply.text);
        }
        fn forget(&self, request: &ChatRequest) {
            self.note("forgotten", &request.user);
        }
    }

    fn usage(requests: u32, failed_requests: u32) -> Usage {
        Usage { requests, failed_requests, ..Usage::default() }
    }

    #[expect(clippy::unnecessary_wraps, reason = "a step of a script is a result")]
    fn said(text: &str, truncated: bool) -> Played {
        Ok(ChatReply { text: text.to_owned(), usage: usage(1, 0), truncated, ..ChatReply::default() })
    }

    /// Asks for "good", in two calls at most.
    fn played(replies: Vec<Played>) -> (Result<Usage, Unanswered>, Vec<String>) {
        let model = Script(Mutex::new(replies), Mutex::default());
        let request = ChatRequest {
            system: "s".into(),
            user: Prompt::default().data("q"),
            schema: None,
            max_tokens: Some(5),
        };
        let repair = |wrong: &str| Prompt::default().data(wrong);
        let read = |reply: &ChatReply| match &*reply.text {
            "good" => Ok(()),
            other => Err(format!("no {other}")),
        };
        let asking = pin!(ask(&model, request, 2, repair, read));
        let Poll::Ready(found) = asking.poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("every reply is there")
        };
        let notes = model.1.lock().expect("no panic").clone();
        (found.map(|((), usage)| usage), notes)
    }

    #[test]
    fn a_bad_reply_is_asked_for_once_more_and_what_cannot_be_used_is_forgotten() {
        let (found, notes) = played(vec![said("good", false)]);
        assert_eq!((found, &*notes), (Ok(usage(1, 0)), &["asked: q".to_owned()][..]));

        let again = ["asked: q", "rejected: bad", "asked: q\n\nno bad"];
        let (found, notes) = played(vec![said("bad", false), said("good", false)]);
        assert_eq!((found, &*notes), (Ok(usage(2, 1)), &again.map(String::from)[..]));

        let lost = ChatFailure {
            usage: usage(3, 3),
            ..ChatFailure::from(ChatError::Network { url: "u".into(), attempts: 1, reason: "r".into() })
        };
        let (found, _) = played(vec![said("bad", false), Err(lost)]);
        assert!(
            matches!(&found, Err(Unanswered::Chat(failure)) if failure.usage == usage(4, 4)),
            "{found:?}"
        );

        // What is quoted of a reply has no address.
        let evil = "bad https://evil.example/x";
        let (found, notes) = played(vec![said(evil, false), said(evil, false)]);
        let quoted = |text: &str| text.contains("bad") && !text.contains("evil");
        assert!(
            matches!(&found, Err(Unanswered::Unusable { violation, preview, calls: 2, usage: spent, .. })
                if quoted(violation) && quoted(preview) && *spent == usage(2, 2)),
            "{found:?}"
        );
        assert_eq!(notes.iter().filter(|note| note.starts_with("forgotten: q")).count(), 2);

        // A reply that was cut would be cut again; one that is too long is not read.
        let (found, notes) = played(vec![said("bad", true)]);
        assert!(
            matches!(&found, Err(Unanswered::Chat(failure))
                if matches!(failure.error, ChatError::Truncated { max_tokens: 5, .. }) && failure.usage == usage(1, 1)),
            "{found:?}"
        );
        assert_eq!(notes, ["asked: q", "rejected: bad", "forgotten: q"]);
        let long = "good".repeat(15_001);
        let (found, _) = played(vec![said(&long, false), said(&long, false)]);
        assert!(
            matches!(&found, Err(Unanswered::Unusable { violation, .. }) if violation.contains("limit of 60000")),
            "{found:?}"
        );
    }
}
