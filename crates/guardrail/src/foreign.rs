//! What a language model must not bring into an answer: addresses, requests for secrets and commands that no cited passage holds,
//! and our own instructions.

use crate::{missing::says_missing, sentences::blanked};
use evidence::support::marks;
use regex::Regex;
use std::{collections::HashSet, ops::Range, sync::LazyLock};
use text::{
    addresses::{Address, KnownAddresses, addresses, without},
    fold::fold,
    words,
};
use types::{Context, RagResponse};

/// What asks the reader for a secret, or to run a command.
static ASKS: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    let secret = "password|passphrase|passcode|pin code|pin number|api key|access token|credentials|credit card|debit card|\
        card number|social security|private key|seed phrase|login details|bank account";
    let give = "enter|type|send|give|provide|share|submit|confirm|tell|supply|reply with|e-?mail|paste|disclose|reveal";
    // Not "leg curls", "the type of prompt" or "ran a script".
    let run = r"(?:run|execute|paste|type|enter|launch)\b[^.;]{0,30}\b(?:(?:this|these|the following) (?:commands?|scripts?|code)|in (?:a|the|your) (?:terminal|shell|console|command line|powershell))\b";
    let code = r"\b(?:sudo \w|(?:curl|wget) (?:-|https?:)|chmod [0-7+]|rm -[rf]+|pip3? install |npm i(?:nstall)? |bash -c|sh -c)\S*";
    [
        format!(r"(?i)\b(?:{give})\b[^.;]{{0,25}}\byour\b[^.;]{{0,20}}\b(?:{secret})\b"),
        format!(r"(?i)\b{run}|{code}"),
    ]
    .map(|pattern| Regex::new(&pattern).expect("the pattern is fixed and valid"))
});

/// Words of the instructions in a row that are a copy of them.
const COPIED: usize = 12;

/// What an answer may take from.
pub(crate) struct Foreign {
    cited: KnownAddresses,
    /// The cited text, folded.
    text: String,
    asked: KnownAddresses,
    /// All runs of [`COPIED`] words of the instructions.
    instructions: HashSet<String>,
}

impl Foreign {
    /// For a response with verified citations: the passages that it cites and what is known of their sources, the question,
    /// and the instructions of the model.
    pub(crate) fn new(query: &str, response: &RagResponse, context: &Context, instructions: &[&str]) -> Self {
        let (mut cited, mut asked) = (KnownAddresses::default(), KnownAddresses::default());
        let mut passages = String::new();
        asked.add(query);
        let ids: HashSet<&str> = response.citations.iter().map(|c| c.chunk_id.as_str()).collect();
        for place in context.chunks.iter().filter(|place| ids.contains(place.chunk.chunk_id.as_str())) {
            let source = &place.source;
            let known = [&source.title, &source.venue, &source.doi, &source.url];
            for text in known.into_iter().flatten().chain(&source.authors) {
                cited.add(text);
            }
            cited.add(&place.chunk.heading);
            cited.add(&place.chunk.text);
            passages.push_str(fold(&place.chunk.text).text());
        }
        let runs = instructions.iter().flat_map(|text| runs(text));
        Self { cited, text: passages, asked, instructions: runs.map(|(_, run)| run).collect() }
    }

    /// Where a text, marks aside, has such things, in order, and what each is.
    pub(crate) fn find(&self, text: &str) -> Vec<(Range<usize>, &'static str)> {
        let text = &*blanked(text, &marks(text));
        // A sentence that says that an address is missing may name one of the question.
        let missing = |at: usize| {
            let sentence = text::sentences(text).into_iter().find(|sentence| sentence.contains(&at));
            sentence.is_some_and(|sentence| says_missing(&text[sentence]))
        };
        let known =
            |own: &Address| self.cited.holds(own) || (self.asked.holds(own) && missing(own.span.start));
        let mut copied: Vec<Range<usize>> = Vec::new();
        for (span, _) in runs(text).into_iter().filter(|(_, run)| self.instructions.contains(run)) {
            match copied.last_mut() {
                Some(last) if span.start < last.end => last.end = span.end,
                _ => copied.push(span),
            }
        }
        let unknown = addresses(text).into_iter().filter(|own| !known(own));
        let mut out: Vec<_> = unknown.map(|own| (own.span, "an address")).collect();
        out.extend(copied.into_iter().map(|span| (span, "instructions to the language model")));
        for (pattern, what) in ASKS.iter().zip(["a request for a secret", "a command to run"]) {
            let new = pattern.find_iter(text).filter(|own| !self.text.contains(fold(own.as_str()).text()));
            out.extend(new.map(|own| (own.range(), what)));
        }
        out.sort_by_key(|(span, _)| span.start);
        out
    }

    /// The text without them.
    pub(crate) fn cut(&self, text: &str) -> String {
        without(text, self.find(text).into_iter().map(|(span, _)| span))
    }
}

/// Each run of [`COPIED`] words, folded, and where it stands.
fn runs(text: &str) -> Vec<(Range<usize>, String)> {
    let spans = words(text);
    let folded: Vec<String> = spans.iter().map(|span| fold(&text[span.clone()]).text().to_owned()).collect();
    let run = |(at, run): (usize, &[String])| (spans[at].start..spans[at + COPIED - 1].end, run.join(" "));
    folded.windows(COPIED).enumerate().map(run).collect()
}
