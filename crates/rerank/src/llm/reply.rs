//! What the language model is asked to reply, and how the reply is read.

use serde::Deserialize;
use serde_json::json;
use types::{ChatReply, JsonSchema};

/// One grade for each excerpt.
pub(super) fn schema() -> JsonSchema {
    let grade = json!({ "excerpt": { "type": "integer" }, "relevance": { "type": "number" } });
    let grades = json!({ "type": "array", "items": JsonSchema::of_object(grade) });
    JsonSchema::object("relevance", json!({ "scores": grades }))
}

#[derive(Deserialize)]
struct Reply {
    scores: Vec<Grade>,
}

#[derive(Deserialize)]
struct Grade {
    excerpt: i64,
    relevance: f64,
}

/// The grades of excerpts, and what was wrong with them.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Grades {
    /// In the order of the excerpts, `0..=10`; `None` for an excerpt without a grade.
    by_excerpt: Vec<Option<f64>>,
    /// Grades for excerpts that do not exist.
    unknown: usize,
    /// Further grades of a graded excerpt.
    twice: usize,
    /// Grades out of range.
    outside: usize,
}

impl Grades {
    /// Adds the grades of the next window.
    pub(super) fn extend(&mut self, next: Self) {
        self.by_excerpt.extend(next.by_excerpt);
        self.unknown += next.unknown;
        self.twice += next.twice;
        self.outside += next.outside;
    }

    /// One score for each excerpt. A missing one counts as 0.
    pub(super) fn values(&self) -> Vec<f32> {
        self.by_excerpt.iter().map(|g| g.unwrap_or(0.0) as f32).collect()
    }

    /// What was wrong, each kind of fault once.
    pub(super) fn warnings(&self, model: &str) -> Vec<String> {
        let count = self.by_excerpt.len();
        let missing = self.by_excerpt.iter().filter(|g| g.is_none()).count();
        let faults = [
            (missing, "excerpts without a grade, which count as 0"),
            (self.outside, "grades outside 0 to 10, which were moved inside"),
            (self.twice, "further grades of a graded excerpt, which do not count"),
            (self.unknown, "grades of excerpts that do not exist, which were left out"),
        ];
        let said = faults.iter().filter(|(n, _)| *n > 0);
        said.map(|(n, what)| format!("{model} was given {count} excerpts to grade; {what}: {n}")).collect()
    }
}

/// The grades of `count` excerpts, numbered from 1. Of two grades of an excerpt the first counts, a grade out of range is
/// moved inside, one for an excerpt that does not exist is left out.
///
/// # Errors
/// What is wrong, as a part of a sentence: the reply was cut, is not the JSON asked for, or has no usable grade.
pub(super) fn read(reply: &ChatReply, count: usize) -> Result<Grades, String> {
    if reply.truncated {
        return Err("it was cut at the token limit".to_owned());
    }
    let parsed: Reply = serde_json::from_str(reply.text.trim())
        .map_err(|error| format!("it is not the JSON asked for ({error})"))?;
    let mut out = Grades { by_excerpt: vec![None; count], ..Grades::default() };
    for Grade { excerpt, relevance } in parsed.scores {
        let slot = usize::try_from(excerpt)
            .ok()
            .and_then(|n| n.checked_sub(1))
            .and_then(|n| out.by_excerpt.get_mut(n));
        match slot {
            None => out.unknown += 1,
            Some(Some(_)) => out.twice += 1,
            Some(slot) => {
                out.outside += usize::from(!(0.0..=10.0).contains(&relevance));
                *slot = Some(relevance.clamp(0.0, 10.0));
            }
        }
    }
    if out.by_excerpt.iter().all(Option::is_none) {
        return Err(format!("it grades none of the {count} excerpts"));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(text: &str, truncated: bool) -> ChatReply {
        ChatReply { text: text.to_owned(), model: "m".to_owned(), truncated, ..ChatReply::default() }
    }

    fn all(grades: &[(i64, f64)]) -> String {
        let grade = |(e, r): &(i64, f64)| json!({ "excerpt": e, "relevance": r });
        json!({ "scores": grades.iter().map(grade).collect::<Vec<_>>() }).to_string()
    }

    #[test]
    fn replies_are_read_and_their_faults_are_said() {
        let check = |grades: &[(i64, f64)], want: &[f32], says: &[&str]| {
            let got = read(&reply(&all(grades), false), 3).expect("grades");
            let warnings = got.warnings("m");
            assert_eq!((got.values().as_slice(), warnings.len()), (want, says.len()), "{grades:?}");
            for (warning, says) in warnings.iter().zip(says) {
                assert!(warning.contains(says), "{warning}");
            }
        };
        check(&[(1, 3.0), (2, 9.5), (3, 0.0)], &[3.0, 9.5, 0.0], &[]);
        check(&[(3, 1.0), (1, 2.0), (2, 3.0)], &[2.0, 3.0, 1.0], &[]);
        check(
            &[(1, 3.0), (2, 4.0)],
            &[3.0, 4.0, 0.0],
            &["3 excerpts to grade; excerpts without a grade, which count as 0: 1"],
        );
        check(&[(1, -3.0), (2, 11.0), (3, 1.0)], &[0.0, 10.0, 1.0], &["moved inside: 2"]);
        check(&[(1, 3.0), (1, 4.0), (2, 1.0), (3, 1.0)], &[3.0, 1.0, 1.0], &["which do not count: 1"]);
        check(
            &[(0, 3.0), (4, 4.0), (-1, 1.0), (3, 1.0)],
            &[0.0, 0.0, 1.0],
            &["which count as 0: 2", "left out: 3"],
        );
    }

    #[test]
    fn replies_that_cannot_be_used_say_why() {
        let check = |text: &str, truncated: bool, says: &str| {
            let wrong = read(&reply(text, truncated), 3).expect_err(text);
            assert!(wrong.contains(says), "{text}: {wrong}");
        };
        check(&all(&[]), false, "none of the 3");
        check(&all(&[(9, 1.0)]), false, "none of the 3");
        check(&all(&[(1, 1.0)]), true, "cut at the token limit");
        for text in ["", "I would say 7.", r#"{"scores": [{"excerpt": 1, "relevance": null}]}"#] {
            check(text, false, "not the JSON asked for");
        }
    }

    #[test]
    fn faults_of_windows_are_added_up() {
        let mut both = read(&reply(&all(&[(1, 3.0), (1, 4.0)]), false), 2).expect("grades");
        both.extend(read(&reply(&all(&[(2, 12.0)]), false), 2).expect("grades"));
        assert_eq!(both.values(), [3.0, 0.0, 0.0, 10.0]);
        let said = both.warnings("m");
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(
            said[0].contains("4 excerpts to grade; excerpts without a grade, which count as 0: 2"),
            "{said:?}"
        );
    }
}
