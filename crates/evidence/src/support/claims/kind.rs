//! Which sentences of an answer claim something about the world.

use regex::RegexSet;
use std::sync::LazyLock;
use text::WordList;

/// Whether a sentence without a citation claims something about the world. `rest` is the text after it.
pub(super) fn is_claim(sentence: &str, rest: &str) -> bool {
    let words =
        sentence.trim_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '*' | '-' | '•' | '_' | '>'));
    let content = text::terms(words);
    if content.is_empty() || words.ends_with('?') || is_refusal(words) || only_names_passages(words) {
        return false;
    }
    let numbers = !text::numbers::quantities(words).is_empty();
    let count = text::word_count(words);
    // "Both papers agree on three points:" leads in; what it leads to is judged.
    if words.ends_with(':') {
        return numbers && count > 8 && !leads_in(words);
    }
    // A heading: marked as one, or short, on a line of its own and without a full stop.
    let marked = is_marked_heading(sentence);
    let stopped = words.ends_with(['.', '!', ';', ')', '"', '”', '。']);
    // "1. Preheat the grill" tells what to do; "1. Preparation" is a heading.
    let step = is_item(sentence) && text::word_count(without_label(words)) > 2;
    let own_line = !step && (rest.starts_with('\n') || rest.starts_with("\r\n"));
    !(count <= 8 && !numbers && !stopped && (marked || own_line))
}

/// Whether a sentence only says where something is from: `(Passage 2)`, "This is mentioned in passage 2."
fn only_names_passages(sentence: &str) -> bool {
    let (rest, named) = crate::support::features::without_names(sentence, true);
    let tells = |word: &str| {
        let word = word.to_lowercase();
        TELLING.begins(&word) || REFERRING.begins(&word)
    };
    !named.is_empty() && text::terms(&rest).iter().all(|term| tells(&rest[term.span.clone()]))
}

/// Whether a line is a heading in Markdown, or bold as a whole.
pub(super) fn is_marked_heading(line: &str) -> bool {
    line.starts_with('#') || (line.len() > 4 && line.starts_with("**") && line.ends_with("**"))
}

static LEADING: WordList = WordList::new("following; as follows; steps; below");

/// Whether a text that ends in a colon only announces what follows.
fn leads_in(words: &str) -> bool {
    let lower = words.to_lowercase();
    let spaced = ["here is ", "here are ", "here's ", "these "];
    LEADING.occurs_in(&lower) || spaced.iter().any(|cue| lower.contains(cue))
}

/// Refusals in whatever sentence they stand.
static REFUSES: LazyLock<RegexSet> = LazyLock::new(|| {
    set(&[
        r"\bi('m| am)? (do not|don't|cannot|can't|could not|couldn't|unable to|not able to|was unable to) (know|answer|find|determine|say|tell|provide|have|locate|access|help)\b",
        r"^(it|this|the (answer|question|information)) (is not|isn't|was not|wasn't|cannot be|can't be|could not be) (answer(ed|able)|determined|found|specified|mentioned|stated|provided|given|available|known) ?(here|in the \w+)?$",
        r"^not (specified|mentioned|stated|reported|found|available|provided|given|known|answerable|applicable|enough (information|context))$",
        r"^(n/?a|none found|unanswerable|unknown|(cannot|can't) (answer|say|tell|be (answered|determined)))( (this|the|that) question)?$",
        r"^(there (is|was) )?(insufficient|not enough|no|no relevant|not sufficient) (evidence|information|context|data|answers?|results?|passages?|documents?)( (was|were|is|are|could be))?( (found|available|provided|given))?( to answer\b.*)?$",
        r"\bich wei(ß|ss) (es |das )?nicht\b|\bnicht (beantwortet|bestimmt|gesagt|ermittelt) werden\b|\bnicht beantworten\b",
        r"\b(keine|keinerlei|nicht genügend|nicht genug) (angaben?|informationen?|antwort|hinweise)\b|\bgeht\b.*\bnicht hervor\b",
        r"\bje ne sais pas\b|\bpas de (répondre|déterminer|savoir)\b|\baucune (information|mention|réponse)\b|\bimpossible de (répondre|déterminer|savoir)\b",
        r"^no (lo )?sé\b|\bno (se )?(puede|puedo|es posible) (responder|determinar|contestar|saber)\b|\binformación insuficiente\b",
        r"\bno (hay|se encontró|contienen?|dispongo de|proporcionan?) (información|respuesta|datos)\b|\bnão (sei|é possível (responder|determinar)|há informaç)",
        r"\bhindi (ko alam|masasagot|nabanggit)\b|\bwalang (impormasyon|sagot)\b",
        r"(无法|不能)(回答|确定|得知|判断)|(没有|未)(提及|提到|找到|给出|说明)|不知道|信息不足",
        r"(分|わ)かりません|回答できません|記載(されてい)?(ない|ません|がありません)|情報(が|は)ありません",
    ])
});
/// Refusals where the text is named: "It is not possible to determine causality" may be a finding.
static REFUSES_OF_TEXT: LazyLock<RegexSet> = LazyLock::new(|| {
    set(&[
        r"\bno (mention|information|details?|data|reference|answer|indication)\b",
        r"\b(not possible|impossible|unable|not able|cannot|can't)( to| be)* (determined?|say|said|tell|told|answer(ed)?|know|known|found)\b",
    ])
});
static OF_TEXT: LazyLock<RegexSet> =
    LazyLock::new(|| set(&[r"\b(context|texts?|passages?|excerpts?|documents?|sources?|papers|corpus)\b"]));

fn set(patterns: &[&str]) -> RegexSet {
    RegexSet::new(patterns).expect("the patterns are valid")
}

/// Whether a sentence says no more than that there is no answer: "I don't know.", "N/A", "There is no mention of lifespan in the
/// text provided."
pub(crate) fn is_refusal(sentence: &str) -> bool {
    let folded = sentence.to_lowercase().replace(['’', '‘'], "'");
    let bare = folded.trim_matches(|c: char| !c.is_alphanumeric());
    REFUSES.is_match(bare) || REFUSES_OF_TEXT.is_match(bare) && OF_TEXT.is_match(bare) || is_absence(sentence)
}

/// Whether a sentence says that the papers do not say something.
fn is_absence(sentence: &str) -> bool {
    let words: Vec<String> = text::words(sentence).into_iter().map(|s| sentence[s].to_lowercase()).collect();
    // The place must be the subject, near the start, and the denial must deny the telling.
    let place = |w: &String| PLACES.contains(w);
    let telling = |w: &String| TELLING.begins(w);
    let denies =
        |w: &String| text::is_negation(w) || matches!(w.as_str(), "unable" | "unclear" | "insufficient");
    let Some(subject) = words.iter().take(8).position(place) else {
        return false;
    };
    let denial = words.iter().position(denies);
    denial.is_some_and(|at| at < subject + 8 && words[at + 1..].iter().take(5).any(telling))
}

static PLACES: WordList = WordList::new(
    "corpus excerpt excerpts source sources passage passages context papers documents chunks literature text
    texts",
);
static TELLING: WordList = WordList::new(
    "report mention contain includ provid discuss describ address say state find found evidence information
    appear cover speak answer specif explicit",
);

/// Words that point to a passage without saying what it says, beside [`TELLING`].
static REFERRING: WordList = WordList::new("accord refer cite citation support see");

static LABELS: WordList = WordList::new(
    "summary; short answer; answer; conclusion; in short; overall; key finding; bottom line; note; in summary",
);

/// Returns the sentence without a list marker, without a known label before a colon, and without the reply that it begins with.
pub(super) fn without_label(sentence: &str) -> &str {
    let blank = |c: char| c.is_whitespace() || matches!(c, '*' | '#' | '-' | '•');
    let plain = without_number(sentence.trim_start_matches(blank)).trim_start_matches(blank);
    let Some((label, rest)) = plain.split_once(':') else {
        return without_reply(plain.trim());
    };
    let known = LABELS.contains(&label.trim_matches(['*', ' ']).to_lowercase());
    let rest = rest.trim_start_matches(['*', ' ']);
    without_reply(if known && !rest.is_empty() { rest.trim() } else { plain.trim() })
}

/// Returns the claim without the "Yes," or "No," that it begins with: no passage says that.
fn without_reply(claim: &str) -> &str {
    let at = claim.find([',', '.', ':', ';', '—', '–']).unwrap_or(0);
    let (word, rest) = claim.split_at(at);
    let mark = rest.chars().next();
    let rest = rest.trim_start_matches(|c: char| Some(c) == mark || c.is_whitespace());
    let is_reply = matches!(word.trim().to_lowercase().as_str(), "yes" | "no");
    // "No. 5" is a number.
    let goes_on = if mark == Some('.') { rest.starts_with(char::is_alphabetic) } else { !rest.is_empty() };
    if is_reply && goes_on { rest } else { claim }
}

/// Returns the text without the number of a list item (`1. `, `2) `, `(3) `); unchanged if nothing would be left.
fn without_number(text: &str) -> &str {
    let open = text.strip_prefix('(').unwrap_or(text);
    let rest = open.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = open.len() - rest.len();
    let item = rest.strip_prefix(['.', ')']).filter(|item| item.starts_with(' ') && !item.trim().is_empty());
    match item {
        Some(item) if (1..=2).contains(&digits) => item.trim_start(),
        _ => text,
    }
}

/// Whether a line begins an item of a list.
pub(super) fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("- ") || line.starts_with("* ") || line.starts_with("• ") || without_number(line) != line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_lose_their_markers_labels_and_replies() {
        let check = |line: &str, want: &str| assert_eq!(without_label(line), want, "{line:?}");
        check("1. Preheat the grill", "Preheat the grill");
        check("(2) Mice ran.", "Mice ran.");
        check("- **Summary:** Mice ran.", "Mice ran.");
        check("1.5 mg was given.", "1.5 mg was given.");
        check("2021. ", "2021.");
        check("Answer: Yes, walking helps.", "walking helps.");
        check("No — it fell, by 3 %.", "it fell, by 3 %.");
        check("No, 12 weeks did not help.", "12 weeks did not help.");
        check("No difference was seen, in mice.", "No difference was seen, in mice.");
        check("No. 5 was lost.", "No. 5 was lost.");
        assert!(is_item("  * Mice ran") && is_item("3) Mice ran") && !is_item("3.5 mice ran"));
    }
}
