//! What a server repeats of a prompt.

/// Characters of a prompt in a row that are taken for a repetition of it.
const RUN: usize = 16;
/// Characters of an answer that are looked at; messages show fewer.
const SEEN: usize = 4000;

/// A text without what it repeats of a prompt, so that no question and no paper gets into a message or a log.
pub(crate) fn without_echo(said: &str, prompt: &str) -> String {
    let said: Vec<char> = said.chars().take(SEEN).collect();
    let mut repeated = vec![false; said.len()];
    for (at, run) in said.windows(RUN).enumerate() {
        if prompt.contains(&String::from_iter(run)) {
            repeated[at..at + RUN].fill(true);
        }
    }
    let mut out = String::new();
    for (c, repeated) in said.into_iter().zip(repeated) {
        if !repeated {
            out.push(c);
        } else if !out.ends_with('…') {
            out.push('…');
        }
    }
    out
}
