//! JSON objects with a checksum of their own, so that damage in a stored one is seen when it is read.
//!
//! The last key of a sealed object is `crc32`: the CRC-32 of what the object belongs to, and of all bytes before that key.
//! Programs that do not know the key read the object as before.

use crate::digest::crc32;
use serde::Serialize;
use std::fmt::Write as _;

/// What a reader says of a damaged object.
pub const DAMAGED: &str = "its checksum does not match: it is damaged, or was changed after it was written";

/// The bytes of the key and its value, which has eight digits.
const LENGTH: usize = 20;
const NAME: &[u8] = b"crc32";

/// What the checksum of an object says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    /// It is what was written.
    Intact,
    /// It is not.
    Damaged,
    /// It has no checksum: an earlier version wrote it, or another program.
    Missing,
}

/// An object with at least one key, as compact JSON with its checksum. `about` is what it belongs to, and is not written.
///
/// # Errors
/// When it cannot be written as JSON.
pub fn seal(about: &[u8], object: &impl Serialize) -> serde_json::Result<String> {
    let mut text = serde_json::to_string(object)?;
    text.pop();
    let sum = crc32(&[about, text.as_bytes()]);
    // Writing to a string cannot fail.
    let _ = write!(text, ",\"crc32\":\"{sum:08x}\"}}");
    Ok(text)
}

/// Compares an object with its checksum. White space behind it does not count.
pub fn check(about: &[u8], text: &[u8]) -> Seal {
    let text = text.trim_ascii_end();
    let Some(at) = text.len().checked_sub(LENGTH) else {
        return Seal::Missing;
    };
    let (body, end) = text.split_at(at);
    let sum = crc32(&[about, body]);
    if end == format!(",\"crc32\":\"{sum:08x}\"}}").as_bytes() {
        return Seal::Intact;
    }
    // The key itself may be damaged.
    let same = end[2..].iter().zip(NAME).filter(|(byte, wanted)| byte == wanted);
    if same.count() * 2 > NAME.len() { Seal::Damaged } else { Seal::Missing }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn every_flipped_bit_is_seen() {
        let object = json!({"text": "Walking \u{2713}", "n": 0.1});
        let text = seal(b"key", &object).expect("JSON");
        let read: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!((&read["n"], text.matches("crc32").count()), (&object["n"], 1));
        for whole in [text.clone(), format!("{text}\r\n")] {
            assert_eq!(check(b"key", whole.as_bytes()), Seal::Intact);
        }
        assert_eq!(check(b"other", text.as_bytes()), Seal::Damaged);
        for bit in 0..text.len() * 8 {
            let mut bytes = text.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(check(b"key", &bytes), Seal::Damaged, "bit {bit}");
        }
    }

    #[test]
    fn objects_of_others_have_no_checksum() {
        for text in ["", "{}", r#"{"query":"q","model":"12345678"}"#, r#"{"crc32": "00000000"}"#] {
            assert_eq!(check(b"", text.as_bytes()), Seal::Missing, "{text}");
        }
    }
}
