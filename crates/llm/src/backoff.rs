//! How long to wait before the next try.

use jiff::{Timestamp, fmt::rfc2822};
use reqwest::header::HeaderMap;
use std::time::Duration;

/// Waiting times between tries: `base × 2^n`, at most `cap`, of which a part between one half and the whole
/// is waited, so that workers that failed together do not come back together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// Wait before the first retry.
    pub base: Duration,
    /// Longest wait that is chosen here.
    pub cap: Duration,
    /// Longest wait that a server's `Retry-After` may ask for; longer ones are cut to it.
    pub retry_after_cap: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            base: Duration::from_millis(500),
            cap: Duration::from_secs(20),
            retry_after_cap: Duration::from_mins(1),
        }
    }
}

impl Backoff {
    /// The wait before retry `n` (from 0). `asked` is the server's own word; `seed` stands for the request.
    pub(crate) fn wait(&self, n: u32, asked: Option<Duration>, seed: u64) -> Duration {
        if let Some(asked) = asked {
            return asked.min(self.retry_after_cap);
        }
        let whole = self.base.saturating_mul(2_u32.saturating_pow(n)).min(self.cap);
        // 53 bits make a fraction in 0..1 exactly.
        let fraction = (mix(seed ^ u64::from(n)) >> 11) as f64 / (1_u64 << 53) as f64;
        whole.mul_f64(0.5 + fraction / 2.0)
    }
}

/// A number that stands for a request: FNV-1a over its bytes, the same on every machine.
pub(crate) fn seed_of(parts: &[&str]) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    parts.iter().flat_map(|part| part.bytes().chain([0])).fold(0xcbf2_9ce4_8422_2325, step)
}

/// What the server asks for: `retry-after-ms`, or `Retry-After` in seconds or as a date.
pub(crate) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim);
    let number = |s: &str| s.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
    if let Some(ms) = text("retry-after-ms").and_then(number) {
        return Duration::try_from_secs_f64(ms / 1000.0).ok();
    }
    let value = text("retry-after")?;
    if let Some(seconds) = number(value) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = rfc2822::DateTimeParser::new().parse_timestamp(value).ok()?;
    let seconds = date.as_second().saturating_sub(now.as_second());
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
}

/// The finaliser of SplitMix64: spreads neighbouring seeds over all 64 bits.
fn mix(seed: u64) -> u64 {
    let z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn retry_after_is_read_in_all_its_forms() {
        let now: Timestamp = "2026-01-02T03:04:05Z".parse().expect("a time stamp");
        let check = |name: &'static str, value: &'static str, want: Option<u64>| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().expect("a header"));
            assert_eq!(retry_after(&headers, now), want.map(Duration::from_millis), "{name}: {value}");
        };
        check("retry-after", "2", Some(2000));
        check("retry-after", " 0.25 ", Some(250));
        check("retry-after-ms", "120", Some(120));
        check("retry-after", "Fri, 02 Jan 2026 03:04:35 GMT", Some(30_000));
        check("retry-after", "Fri, 02 Jan 2026 03:00:00 GMT", Some(0));
        check("retry-after", "soon", None);
        check("retry-after", "-3", None);
        check("retry-after", "inf", None);
        check("retry-after", "1e300", None);
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }

    #[test]
    fn waits_follow_the_request_and_the_server() {
        let backoff = Backoff::default();
        let (a, b) = (seed_of(&["model", "question a"]), seed_of(&["model", "question b"]));
        assert_eq!(backoff.wait(1, None, a), backoff.wait(1, None, a));
        assert_ne!(backoff.wait(1, None, a), backoff.wait(1, None, b));
        assert_eq!(backoff.wait(5, Some(Duration::from_secs(3)), a), Duration::from_secs(3));
        assert_eq!(backoff.wait(0, Some(Duration::from_mins(150)), a), backoff.retry_after_cap);
    }

    proptest! {
        #[test]
        fn a_wait_lies_between_half_and_the_whole(n in 0_u32..200, seed in any::<u64>()) {
            let backoff = Backoff::default();
            let whole = backoff.base.saturating_mul(2_u32.saturating_pow(n)).min(backoff.cap);
            let wait = backoff.wait(n, None, seed);
            prop_assert!(wait >= whole / 2 && wait <= whole, "{wait:?} of {whole:?}");
        }
    }
}
