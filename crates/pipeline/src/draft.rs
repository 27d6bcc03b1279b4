//! Shows an answer on standard error while a language model writes it.

use crate::{args::Stream, clean::clean};
use engine::drafts::{DraftPart, DraftSink};
use std::{
    io::{IsTerminal as _, Write as _, stderr},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Where drafts are shown, if they are: with `auto` only on a terminal, and not with `--quiet`.
pub(crate) fn sink(when: Stream, quiet: bool, text: bool) -> Option<DraftSink> {
    let shown = match when {
        Stream::Auto => !quiet && text && stderr().is_terminal(),
        Stream::Always => true,
        Stream::Never => false,
    };
    let (began, wrote) = (AtomicBool::new(false), AtomicBool::new(false));
    shown.then(|| -> DraftSink {
        Arc::new(move |part| {
            let mut out = stderr().lock();
            // A draft that cannot be shown is no reason to stop.
            let _ = match part {
                // The title comes with the first words: a reply that is no answer has none.
                DraftPart::Begin => {
                    began.store(true, Ordering::Relaxed);
                    if wrote.swap(false, Ordering::Relaxed) { writeln!(out) } else { Ok(()) }
                }
                DraftPart::Text(text) => {
                    let title =
                        if began.swap(false, Ordering::Relaxed) { "Draft, not checked yet: " } else { "" };
                    wrote.store(true, Ordering::Relaxed);
                    write!(out, "{title}{}", clean(text))
                }
                DraftPart::End if wrote.swap(false, Ordering::Relaxed) => writeln!(out, "\n"),
                DraftPart::End => Ok(()),
            };
            let _ = out.flush();
        })
    })
}
