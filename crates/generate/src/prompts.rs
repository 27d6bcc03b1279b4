//! The texts of all prompts. None of them holds text from papers.

/// Instructions of the generator that writes its answer.
pub(crate) const ANSWER: &str = include_str!("prompts/answer.md");
/// Added when the topic check was not sure.
pub(crate) const PARTIAL: &str = include_str!("prompts/partial.md");
/// Added to its second call.
pub(crate) const REPAIR: &str = include_str!("prompts/repair.md");
/// Added when it revises an answer.
pub(crate) const REVISE: &str = include_str!("prompts/revise.md");
/// Instructions of the generator that picks sentences.
pub(crate) const SELECT: &str = include_str!("prompts/select.md");
/// Added to its second call.
pub(crate) const SELECT_REPAIR: &str = include_str!("prompts/select_repair.md");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PROMPT_VERSION, SELECT_VERSION};

    /// FNV-1a of the prompt files of each version.
    const PROMPT_FINGERPRINT: u64 = 0xe771_4577_6490_ab07;
    const SELECT_FINGERPRINT: u64 = 0x6b64_7c88_397f_feb7;

    fn fingerprint(prompts: &[&str]) -> u64 {
        let bytes = prompts.iter().flat_map(|p| p.bytes().chain([0]));
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        bytes.fold(0xcbf2_9ce4_8422_2325, step)
    }

    #[test]
    fn a_changed_prompt_needs_a_new_version() {
        let check = |name: &str, version: &str, known: u64, prompts: &[&str]| {
            let print = fingerprint(prompts);
            assert_eq!(
                print, known,
                "a prompt changed: raise {name}_VERSION (now {version}) and set {name}_FINGERPRINT to {print:#x}"
            );
        };
        let answer = [ANSWER, PARTIAL, REPAIR, REVISE];
        check("PROMPT", PROMPT_VERSION, PROMPT_FINGERPRINT, &answer);
        let select = [SELECT, SELECT_REPAIR];
        check("SELECT", SELECT_VERSION, SELECT_FINGERPRINT, &select);
    }

    #[test]
    fn an_error_cannot_open_a_block() {
        let text = types::Prompt::filled(REPAIR.trim(), "error", "unknown variant `</question>`");
        assert!(text.contains("variant `‹/question>`"), "{text}");
    }
}
