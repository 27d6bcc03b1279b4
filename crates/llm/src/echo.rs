//! What a server repeats of a prompt.

use std::collections::HashSet;

/// Characters of a prompt in a row that are taken for a repetition of it.
const RUN: usize = 16;
/// Characters of a shorter line at least, such as a question, which is looked for as a whole.
const LEAST: usize = 4;
/// Characters of an answer that are looked at; messages show fewer.
const SEEN: usize = 4000;

/// A text without what it repeats of prompts, so that no question and no paper gets into a message or a log. Takes the time of one
/// pass over each prompt, which may have megabytes.
pub(crate) fn without_echo(said: &str, prompts: &[impl AsRef<str>]) -> String {
    let said: Vec<char> = said.chars().take(SEEN).collect();
    let mut repeated = vec![false; said.len()];
    let runs: HashSet<&[char]> = (LEAST..=RUN).flat_map(|length| said.windows(length)).collect();
    let mut found: HashSet<&[char]> = HashSet::new();
    for prompt in prompts {
        for line in prompt.as_ref().lines() {
            let line: Vec<char> = line.trim().chars().take(RUN).collect();
            found.extend((line.len() < RUN).then(|| runs.get(&line[..])).flatten());
        }
        let prompt: Vec<char> = prompt.as_ref().chars().collect();
        found.extend(prompt.windows(RUN).filter_map(|run| runs.get(run)));
    }
    for length in LEAST..=RUN {
        for (at, run) in said.windows(length).enumerate() {
            if found.contains(run) {
                repeated[at..at + length].fill(true);
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_repeated_is_hidden() {
        let check = |said: &str, prompt: &str, want: &str| {
            assert_eq!(without_echo(said, &["other", prompt]), want);
        };
        let long = "How long did they sleep?";
        check("bad: How long did they sleep?!", long, "bad: …!");
        check("bad: How far? (400)", "Go\n How far?\nd", "bad: … (400)");
        // Megabytes, which are looked through once.
        let (prompt, said) = ("They walked. ".repeat(200_000) + long, "x".repeat(3000));
        check(&format!("{said}{long}"), &prompt, &format!("{said}…"));
    }
}
