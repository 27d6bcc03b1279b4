//! The cues: word patterns that speak to a language model, with their weights, and the word lists that they name.
//!
//! Chosen by hand on half of the attacks and half of the real text of `tests/injection_real.rs`, and cut down to those
//! without which fewer attacks of that file, or of `tests/injection.rs`, are found. A weight of 1 is weak and
//! needs another cue in the same sentence; 2 is enough; 4 stays enough beside a cue against; below 0 are cues against, of
//! which the strongest counts, and only within its own kind. [`super::score`] says how a pattern is written.

use text::WordList;

/// Words that set aside the instructions that a model has.
pub(super) const OVERRIDE: &str = "
    4 DROP ..3 PRIOR ..2 INST
    2 ^ DROP ..2 INST
    2 ^ DROP ..3 everything|anything|all|what|whatever ..4 TOLD
    4 not|never|don't|stop ..1 follow|obey|following|obeying|heed ..2 your|system|previous|prior|above|original ..1 INST
    2 PROMPT ..4 void|overridden|superseded|cancelled|canceled|revoked|suspended
    2 ^ new|updated|revised|real|actual PROMPT :
    2 from now on ..1 you ..1 are|will|must|obey|act|answer|respond|reply|only";

/// Words about what a model is, and what its answer must be.
pub(super) const ADDRESSED: &str = "
    4 you are|an ..4 MODEL
    4 you|you're ..4 language model
    2 note|message|attention|instruction|instructions|notice|reminder to|for ..2 MODEL
    2 ^ to|for any|all|every|the ..1 MODEL ..2 that|who|which|reading|processing|summarizing|summarising|reviewing
    1 when|while|if ..1 asked|answering|summarizing|summarising|reviewing|responding
    2 ^ rate|score|grade|rank|evaluate ..1 this|the ..1 PAPER ..6 GOOD|10|5|100|ten|five|highly
    2 not|never ..1 tell|inform|warn|alert ..1 user
    4 LEAK ..4 system prompt|instructions|message
    2 ^ respond|reply|answer only
    2 ^ reply|respond ..2 LANG
    2 ^^ can|could|would|will you ..1 reply|respond|answer|speak
    2 your ..1 OUT
    2 ^ CHANGE your answer's|response's|reply's|message's|output's
    2 ^ pretend to|you|that
    1 ^ always|never say|answer|respond|reply|recommend|claim|conclude|state
    -2 ^ MARK ..4 your ..1 OUT
    -2 participants|patients|respondents|subjects|students|children|interviewer|questionnaire|survey|item|items|physicians|parents|women|volunteers";

/// Requests to send secrets, to open addresses, to run commands.
pub(super) const EXFILTRATION: &str = "
    2 ^ SEND ..6 environment variables
    2 ^ send|post|upload|transmit|forward|email ..10 to|at <url>
    2 ^ open|fetch|click|browse|navigate|curl|wget ..1 <url>
    2 ^ run|execute|eval|paste|type|enter ..4 shell|terminal|command|commands|bash|console|powershell";

/// Requests that a paper does not make of its readers, and code to put into an answer.
pub(super) const REQUEST: &str = "
    2 ^^ can|could you|we ..2 convert|invert|reverse|translate|encode|encrypt
    2 ^^ tell|show|teach|remind|give|help me
    2 ^^ write|compose|draft LITTLE
    2 ^ REWORK ..4 NEXT ..1 QUOTED
    2 ^^ how ..1 do|can|should|would|could i
    2 ^^ how do you say
    2 ^^ what's
    2 NEXT code BLOCK
    2 ^^ can|could|would|will you ..1 help|give|tell|show|explain|write|make|create
    -2 participants|patients|respondents|interview|interviews|questionnaire|interviewer";

/// The lists of words that the patterns name.
static LISTS: WordList = WordList::new(
    "DROP: ignore disregard forget bypass override overrule overwrite neglect discard;
    PRIOR: previous prior preceding above earlier foregoing original initial system existing past former
        current;
    INST: instruction instructions prompt prompts direction directions directive directives rule rules
        guideline guidelines command commands order orders constraint constraints restriction
        restrictions programming guardrails safeguards;
    PROMPT: instruction instructions prompt prompts directive directives;
    TOLD: above before previous previously prior earlier said told read written learned know;
    MODEL: ai llm llms chatbot chatbots chatgpt gpt gpt4 claude gemini copilot bot assistant agent;
    OUT: answer answers response responses reply replies output outputs completion;
    GOOD: positive favorable favourable good glowing enthusiastic high highest strong perfect excellent
        top outstanding best accept acceptance;
    PAPER: paper manuscript article submission study work document text;
    LEAK: reveal show print repeat output display leak tell disclose share expose;
    CHANGE: add append include insert integrate embed incorporate modify change alter adapt adjust
        enhance enrich augment encode encrypt encipher decode render express convert translate reverse
        invert flip rearrange scramble rewrite rephrase reformulate format begin start end finish
        conclude prefix preface limit keep make write present deliver craft transform replace restrict
        reword phrase state produce provide generate return use substitute ensure infuse weave slip
        work;
    MARK: mark circle tick check select choose indicate explain justify record enter rate place press;
    LITTLE: a an some me us my one two three five ten;
    QUOTED: sentence sentences phrase text paragraph passage tweet review statement message comment word
        words feedback article email;
    REWORK: translate rewrite rephrase paraphrase summarize summarise classify analyze analyse correct
        proofread edit convert reverse decode encode encrypt determine detect;
    BLOCK: block snippet section excerpt segment fragment piece sample;
    NEXT: following subsequent below next given;
    SEND: send post upload transmit forward email exfiltrate leak submit print reveal output dump give
        echo display deliver;
    LANG: english german french spanish italian portuguese russian chinese mandarin japanese korean
        arabic hindi dutch swedish polish turkish latin greek emoji emojis base64 rot13 hex hexadecimal
        binary morse json uppercase lowercase caps rhymes rhyme verse haiku pirate reverse cipher
        leetspeak",
);

/// The words of a list, with white space between them; `None` for no list.
pub(super) fn list(name: &str) -> Option<&'static str> {
    let mut lists = LISTS.iter().filter_map(|list| list.split_once(':'));
    lists.find(|(own, _)| *own == name).map(|(_, words)| words)
}
