//! A question for results, answered from a paper that reports none: a study protocol.

use crate::{
    GuardrailSettings, Uncited,
    action_log::{ActionLog, short},
    schema::refuse,
};
use std::{collections::BTreeSet, sync::LazyLock};
use text::{WordList, fold::fold, folded_words};
use types::{
    Confidence, Context, GuardrailKind, RagResponse, RefusalReason, SectionKind, SourceId, SourceMeta,
};

/// Where the question asks for a result: refuses an answer that cites nothing but study protocols. Where it may ask for one, or
/// other papers are cited too, adds a caveat for each protocol that is cited.
pub(crate) fn check(
    query: &str,
    response: &mut RagResponse,
    context: &Context,
    settings: &GuardrailSettings,
    log: &mut ActionLog,
) {
    let asked = asks(query);
    if response.no_evidence || asked == Asks::Other {
        return;
    }
    let cited: BTreeSet<SourceId> = response.citations.iter().map(|c| c.source_id.clone()).collect();
    let protocol = |source: &SourceId| {
        let place = context.chunks.iter().find(|c| c.chunk.source_id == *source)?;
        is_protocol(&place.source, source, context).then(|| (source.clone(), name(&place.source)))
    };
    let protocols: Vec<(SourceId, String)> = cited.iter().filter_map(protocol).collect();
    let reason = "it is a study protocol, and the question asks for results";
    let no_other = !protocols.is_empty() && protocols.len() == cited.len();
    // None of its citations can report a result.
    if settings.uncited == Uncited::Refuse && no_other && asked == Asks::Result {
        let names: Vec<&str> = protocols.iter().map(|(_, name)| name.as_str()).collect();
        let detail = match names.as_slice() {
            [one] => format!("{one} is a study protocol, which reports no results"),
            all => format!("{} are study protocols, which report no results", all.join(" and ")),
        };
        log.act(GuardrailKind::Topic, "refused", response.answer.clone(), reason);
        let answer = format!("No answer found in your papers: {detail}.");
        refuse(response, answer, RefusalReason::NotInPassages, &detail);
        return;
    }
    for (source, name) in protocols {
        let caveat = format!("{name} is a study protocol: it reports no results.");
        log.note(GuardrailKind::Topic, "flagged", source.as_str(), reason, caveat);
    }
    if settings.check_confidence && no_other {
        response.confidence = Confidence::Low;
    }
}

/// Words that ask what was found, and words that ask for the plan.
static RESULTS: WordList =
    WordList::new("result results finding findings found effect effects effective efficacy effectiveness");
static PLAN: WordList = WordList::new(
    "protocol plan plans planned will aim aims design designed intend intended method methods hypothesis target targets
    eligible eligibility expected assumed sample power measure measured assess assessed record recorded approval consent
    registered randomised randomized enrolled recruited included motivated earlier previous",
);
/// What was found, or how something changed, after "did".
static CHANGED: WordList = WordList::new(
    "find show increase raise improve reduce lower decrease shrink fall rise change gain lose grow drop differ worsen recover",
);
/// What happened to how many.
static HAPPENED: WordList = WordList::new(
    "had developed died experienced suffered relapsed achieved reached survived responded improved recovered completed dropped",
);

/// What a question asks of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    /// A result, which a protocol cannot have.
    Result,
    /// Perhaps a result: "Did the trial ..." may ask about its plan.
    PerhapsResult,
    Other,
}

fn asks(query: &str) -> Asks {
    let words = folded_words(query);
    let any = |list: &WordList| words.iter().any(|word| list.contains(word));
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    let counts = |pair: &[String]| pair[0] == "how" && (pair[1] == "many" || pair[1] == "often");
    if any(&PLAN) {
        Asks::Other
    } else if has("did") && any(&CHANGED) || words.windows(2).any(counts) && any(&HAPPENED) {
        Asks::Result
    } else if words.first().is_some_and(|word| word == "did") || any(&RESULTS) {
        Asks::PerhapsResult
    } else {
        Asks::Other
    }
}

/// Whether the title says so, and what was retrieved of the paper is written in the future and from no results
/// section. All of it must hold: "a staining protocol" names a method, whose paper reports results.
fn is_protocol(meta: &SourceMeta, source: &SourceId, context: &Context) -> bool {
    const FEWEST: usize = 2;
    let titled = folded_words(meta.title.as_deref().unwrap_or_default()).iter().any(|w| w == "protocol");
    let chunks = || context.chunks.iter().filter(|c| c.chunk.source_id == *source);
    if !titled || chunks().any(|c| c.chunk.section == SectionKind::Results) {
        return false;
    }
    let text: Vec<String> = chunks().map(|c| fold(&c.chunk.text).text().to_owned()).collect();
    let count = |pattern: &regex::Regex| text.iter().map(|t| pattern.find_iter(t).count()).sum::<usize>();
    let planned = count(&FUTURE);
    planned >= FEWEST && planned > count(&REPORTED)
}

static FUTURE: LazyLock<regex::Regex> = LazyLock::new(|| {
    regex::Regex::new(r"\bwill (?:be|have|also|then|not|\p{L}+)\b").expect("the pattern is valid")
});
/// Findings: what was found, and statistics of it.
static REPORTED: LazyLock<regex::Regex> = LazyLock::new(|| {
    regex::Regex::new(r"\b(?:we found|was found|were found|showed that|significantly)\b|\bp\s?[<=>]\s?0?\.\d")
        .expect("the pattern is valid")
});

/// Authors and year, else the title, else the id.
fn name(meta: &SourceMeta) -> String {
    let year = meta.year.map(|y| format!(" {y}")).unwrap_or_default();
    match (meta.authors.as_slice(), &meta.title) {
        ([], Some(title)) => format!("\"{}\"", short(title)),
        ([], None) => meta.source_id.to_string(),
        ([one], _) => format!("{one}{year}"),
        ([one, two], _) => format!("{one} and {two}{year}"),
        ([first, ..], _) => format!("{first} et al.{year}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_ask_for_results_or_for_plans() {
        let check = |query: &str, want: Asks| assert_eq!(asks(query), want, "{query}");
        check("What did the trial find on blood pressure?", Asks::Result);
        check("Did walking lower blood pressure?", Asks::Result);
        check("How much did walking lower blood pressure?", Asks::Result);
        check("How many adults had a fall or an injury?", Asks::Result);
        check("What were the results of the walking trial?", Asks::PerhapsResult);
        check("What is the effect of walking on sleep?", Asks::PerhapsResult);
        check("Did the adults walk in groups?", Asks::PerhapsResult);
        for plan in [
            "What effects will be measured?",
            "Which results does the protocol plan to report?",
            "How many adults took part?",
            "How many adults had to be randomised?",
            "What daily dose did the patients receive?",
            "How much is walking expected to lower blood pressure?",
            "How is effectiveness measured?",
            "How are adverse effects recorded?",
            "What effect size is the sample size based on?",
            "Did the trial get ethics approval?",
            "Which findings of earlier studies motivated the trial?",
            "",
        ] {
            check(plan, Asks::Other);
        }
    }
}
