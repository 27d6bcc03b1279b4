//! The connecting phrase before a sentence. A model wrote it, so it is used only if it cannot say anything wrong.
//!
//! Every word must be on one of the lists below, or be the surname of an author of the sentence's own source. The lists
//! hold no word that denies, hedges, counts or compares. Some words also say something about the sentence ("the same
//! trial"), which must be true. A verb says only that the sentence stands in the paper; one that calls it a finding needs
//! a section that reports findings.

use crate::extractive::select::Picked;
use text::WordList;
use types::{SectionKind, SourceId, surname};

/// Words of a phrase at most.
const WORDS: usize = 8;

/// Fill a phrase; none of them makes one.
static FILLERS: WordList = WordList::new("a al. an and at by et in of on that the to");
/// Link the sentence to the one before it.
static LINKS: WordList = WordList::new(
    "addition additionally also contrast conversely further furthermore hand however likewise moreover similarly
    turn",
);
/// Say that the sentence is of the same paper as the one before it.
static SAME: WordList = WordList::new("it its same their these they this");
/// Say that it is of a paper that was not quoted yet.
static OTHER: WordList = WordList::new("another different other");
/// Name a paper or who wrote it.
static PAPERS: WordList =
    WordList::new("article author authors colleagues paper publication report researchers study");
/// Name a kind of study, which its title or the passage must name too.
static KINDS: WordList = WordList::new("cohort experiment protocol review survey trial");
/// Say that the sentence stands in the paper.
static VERBS: WordList = WordList::new(
    "add adds describe described describes mention mentions note noted notes reported reports say says state
    stated states write writes",
);
/// Call the sentence a finding of the paper.
static FINDS: WordList = WordList::new("find finds found observed show showed shows");
/// Surnames that would be read as another word.
static NO_NAMES: WordList = WordList::new(
    "all any best both each every few good half high large least less little long low many more most much never
    no none not only small",
);

/// The phrase as it stands in front of the sentence `picked`, with its comma or colon; `None` if it is empty or not
/// accepted. `before` are the sources of the sentences before it.
pub(super) fn accepted(lead: &str, picked: &Picked<'_>, before: &[&SourceId]) -> Option<String> {
    let lead = lead.trim().trim_end_matches([',', ':', ' ']);
    let mut words: Vec<&str> = lead.split_whitespace().collect();
    // "The authors report that": a whole sentence follows.
    words.pop_if(|last| *last == "that");
    if words.len() > WORDS {
        return None;
    }
    let (mut links, mut clause) = (false, false);
    for (at, word) in words.iter().enumerate() {
        match role(word.strip_suffix(',').unwrap_or(word), at == 0, picked, before)? {
            Role::Filler => {}
            Role::Link => links = true,
            Role::Clause => clause = true,
        }
    }
    // What names a paper reads as a sentence of its own.
    let end = match (links, clause) {
        (_, true) => ':',
        (true, false) => ',',
        (false, false) => return None,
    };
    let text = words.join(" ");
    let text = text.trim_end_matches(',');
    let mut letters = text.chars();
    let first = letters.next()?;
    Some(format!("{}{}{end}", first.to_uppercase(), letters.as_str()))
}

/// What an accepted word does.
enum Role {
    Filler,
    Link,
    /// Names a paper or a person, or is a verb.
    Clause,
}

/// `None` if the word is not accepted. Only the first word of a phrase may begin with a capital letter, or a name.
fn role(word: &str, first: bool, picked: &Picked<'_>, before: &[&SourceId]) -> Option<Role> {
    let own = picked.source();
    let lower = if first { uncapitalised(word) } else { word.to_owned() };
    let is = |list: &WordList| list.contains(&lower);
    let accepted = if is(&FILLERS) {
        return Some(Role::Filler);
    } else if is(&LINKS) {
        return (!before.is_empty()).then_some(Role::Link);
    } else if is(&SAME) {
        before.last() == Some(&own)
    } else if is(&OTHER) {
        !before.is_empty() && !before.contains(&own)
    } else if is(&KINDS) {
        is_named(&lower, picked)
    } else if is(&FINDS) {
        reports_findings(picked.place.chunk.section)
    } else {
        is(&PAPERS) || is(&VERBS) || is_author(word, picked)
    };
    accepted.then_some(Role::Clause)
}

fn uncapitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_lowercase().collect::<String>() + letters.as_str())
        .unwrap_or_default()
}

/// Whether the title or the passage calls the work so.
fn is_named(kind: &str, picked: &Picked<'_>) -> bool {
    let place = picked.place;
    let title = place.source.title.as_deref().unwrap_or_default();
    [title, &place.chunk.text]
        .iter()
        .flat_map(|text| text.split(|c: char| !c.is_alphanumeric()))
        .any(|word| word.eq_ignore_ascii_case(kind))
}

fn reports_findings(section: SectionKind) -> bool {
    matches!(section, SectionKind::Abstract | SectionKind::Results | SectionKind::Conclusion)
}

/// Whether the word is the surname of an author of the source, and cannot be read as anything else.
fn is_author(word: &str, picked: &Picked<'_>) -> bool {
    let plain = word.chars().all(|c| c.is_alphabetic() || c == '-');
    let name = plain && word.starts_with(char::is_uppercase) && !NO_NAMES.contains(&uncapitalised(word));
    let authors = &picked.place.source.authors;
    name && authors.iter().any(|author| surname(author) == Some(word))
}
