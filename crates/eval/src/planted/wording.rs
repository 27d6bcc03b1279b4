//! Says the same in other words.

use super::alter::{place, replaced};

/// Words, each with another that means the same in research reports.
const SAME: [(&str, &str); 30] = [
    ("in comparison with", "relative to"),
    ("compared with", "relative to"),
    ("compared to", "relative to"),
    ("associated with", "linked to"),
    ("participants", "people taking part"),
    ("demonstrated", "showed"),
    ("investigated", "studied"),
    ("approximately", "about"),
    ("performed", "carried out"),
    ("conducted", "carried out"),
    ("observed", "seen"),
    ("obtained", "acquired"),
    ("previously", "before"),
    ("previous", "earlier"),
    ("several", "a number of"),
    ("using", "by means of"),
    ("because", "since"),
    ("treatment", "therapy"),
    ("individuals", "people"),
    ("subjects", "people"),
    ("reduction", "decrease"),
    ("improvement", "gain"),
    ("effects", "influence"),
    ("effect", "influence"),
    ("important", "relevant"),
    ("required", "needed"),
    ("contains", "holds"),
    ("percent", "per cent"),
    ("during", "in the course of"),
    ("whereas", "while"),
];

/// Numbers that are also written as words before a unit of time.
const SPELLED: [(&str, &str); 8] = [
    ("2 ", "two "),
    ("3 ", "three "),
    ("4 ", "four "),
    ("6 ", "six "),
    ("8 ", "eight "),
    ("10 ", "ten "),
    ("12 ", "twelve "),
    ("24 ", "twenty-four "),
];
const TIMES: [&str; 5] = ["weeks", "months", "years", "days", "hours"];

/// Rewords the sentence: with synonyms, with numbers before a unit of time as words, and with a phrase of time or place
/// moved to the other end. Returns `None` if none of these applies.
pub fn reword(sentence: &str) -> Option<String> {
    let mut out = sentence.to_owned();
    for (words, same) in SAME {
        // "Because of" is not "since of".
        let found = place(&out, words).filter(|at| !out[at.end..].starts_with(" of "));
        if let Some(changed) = found.and_then(|at| replaced(&out, &at, same)) {
            out = changed;
        }
    }
    for (digits, word) in SPELLED {
        for time in TIMES {
            // Not the end of "5.2 years" or "10-12 weeks".
            let found = place(&out, &format!("{digits}{time}"))
                .filter(|at| out[..at.start].is_empty() || out[..at.start].ends_with(' '));
            let number = found.map(|at| at.start..at.start + digits.len());
            if let Some(changed) = number.and_then(|at| replaced(&out, &at, word)) {
                out = changed;
            }
        }
    }
    out = moved(&out).unwrap_or(out);
    (out != sentence).then_some(out)
}

/// Turns "After 12 weeks, weight fell." into "Weight fell after 12 weeks."
fn moved(sentence: &str) -> Option<String> {
    const OPENINGS: [&str; 4] = ["In ", "After ", "During ", "At "];
    let (phrase, rest) = sentence.split_once(", ")?;
    let statement = rest.strip_suffix('.')?;
    let short = phrase.split_whitespace().count() <= 5;
    // A phrase behind a second clause would belong to that one.
    let simple = !statement.contains([',', ';', ':', '(']) && !statement.contains(" and ");
    if !OPENINGS.iter().any(|opening| phrase.starts_with(opening)) || !short || !simple {
        return None;
    }
    // "mRNA" and "p53" keep their letters.
    if !statement
        .chars()
        .nth(1)
        .is_some_and(|c| c.is_lowercase() || c == ' ')
    {
        return None;
    }
    let mut first = statement.chars();
    let upper: String = first.next()?.to_uppercase().chain(first).collect();
    let mut phrase = phrase.chars();
    let lower: String = phrase.next()?.to_lowercase().chain(phrase).collect();
    Some(format!("{upper} {lower}."))
}
