//! The cues: word patterns that speak to a language model, with their weights.
//!
//! Chosen by hand on half of the attacks and half of the real text of `tests/injection_real.rs`. A weight of 1 is weak and
//! needs another cue in the same sentence; 2 is enough; 4 stays enough beside a cue against; below 0 are cues against, of
//! which the strongest counts, and only within its own kind. [`super::pattern`] says how a pattern is written.

/// A weight and a pattern.
pub(super) type Weighted = (i8, &'static str);

/// Words that set aside the instructions that a model has.
pub(super) const OVERRIDE: [Weighted; 12] = [
    (4, "DROP ..3 PRIOR ..2 INST"),
    (4, "DROP ..3 INST ..2 BEFORE"),
    (2, "^ DROP ..2 INST"),
    (2, "^ DROP ..3 everything|anything|all|what|whatever ..4 TOLD"),
    (
        4,
        "not|never|don't|stop ..1 follow|obey|following|obeying|heed ..2 your|system|previous|prior|above|original ..1 INST",
    ),
    (
        2,
        "PROMPT ..4 void|overridden|superseded|cancelled|canceled|revoked|suspended",
    ),
    (2, "^ new|updated|revised|real|actual PROMPT :"),
    (
        2,
        "from now on ..1 you ..1 are|will|must|obey|act|answer|respond|reply|only",
    ),
    (1, "from now on"),
    (
        1,
        "^ follow|obey|execute ..2 these|this|following|next|my|new ..1 PROMPT|document",
    ),
    (2, "^ follow|obey ..1 my|only ..1 INST"),
    (1, "^ DROP ..4 PAPER|user|question|context"),
];

/// Words about what a model is, and what its answer must be.
pub(super) const ADDRESSED: [Weighted; 50] = [
    (4, "you are|an ..4 MODEL"),
    (4, "you're ..4 MODEL"),
    (4, "you|you're ..4 language model"),
    (1, "as a|an ..2 language model"),
    (1, "as a|an ..1 ai|llm|chatbot|assistant"),
    (1, "language model ..1 i|you|your"),
    (
        2,
        "note|message|attention|instruction|instructions|notice|reminder to|for ..2 MODEL",
    ),
    (
        2,
        "note|message|attention|instruction|instructions|notice|reminder to|for ..2 language model|models",
    ),
    (
        2,
        "^ for|to|attention|dear|hey|hello|hi ..1 MODEL ..1 reviewer|reviewers|reader|readers|model|models|agent|agents|assistant|assistants|system|systems :",
    ),
    (2, "^ attention|dear|hey|hello|hi ..1 MODEL"),
    (
        2,
        "^ to|for any|all|every|the ..1 MODEL ..2 that|who|which|reading|processing|summarizing|summarising|reviewing",
    ),
    (
        1,
        "when|while|if ..1 asked|answering|summarizing|summarising|reviewing|responding",
    ),
    (1, "MODEL ..1 reviewer|reviewers"),
    (
        1,
        "give|write|provide|produce|assign|award|leave|submit ..4 GOOD ..3 VERDICT",
    ),
    (
        1,
        "^ give|write|provide|produce|assign|award|leave|submit ..4 GOOD ..3 VERDICT",
    ),
    (
        2,
        "^ rate|score|grade|rank|evaluate ..1 this|the ..1 PAPER ..6 GOOD|10|5|100|ten|five|highly",
    ),
    (
        2,
        "^ recommend ..5 accept|accepting|acceptance|accepted|publication",
    ),
    (2, "^ accept this ..1 PAPER"),
    (
        1,
        "not|never|don't|without TELL|mentioning|revealing|highlighting|discussing ..4 BAD",
    ),
    (1, "^ do|don't|never ..1 TELL ..4 BAD"),
    (2, "not|never ..1 tell|inform|warn|alert ..1 user"),
    (2, "^ tell|inform|ask|persuade|convince|instruct ..1 user"),
    (4, "LEAK ..4 system prompt|instructions|message"),
    (2, "^ LEAK ..2 your ..2 INST"),
    (2, "^ LEAK ..2 everything|all|text ..4 above|before|conversation"),
    (2, "^ respond|reply|answer only"),
    (2, "^ only respond|reply|answer|output|say"),
    (1, "^ say|output|print|return only"),
    (2, "^ reply|respond ..2 LANG"),
    (2, "^ answer|write|speak in|using LANG"),
    (1, "^^ reply|respond|speak"),
    (2, "^^ can|could|would|will you ..1 reply|respond|answer|speak"),
    (2, "you must|should|will ..2 reply|respond|output"),
    (2, "your ..1 OUT"),
    (1, "your ..1 OUTW"),
    (1, "^ CHANGE ..8 your ..1 OUT"),
    (2, "^ CHANGE your answer's|response's|reply's|message's|output's"),
    (1, "your OUT|OUTW ..2 MUST"),
    (1, "your OUT MUST"),
    (2, "^ CHANGE ..4 your OUTW"),
    (1, "^^ can|could|would|will you CHANGE"),
    (1, "^^ can|could|would|will you CHANGE ..8 your ..1 OUT|OUTW"),
    (2, "^ pretend to|you|that"),
    (2, "^ act as if|though"),
    (1, "^ act as a|an"),
    (
        1,
        "^ always|never say|answer|respond|reply|recommend|claim|conclude|state",
    ),
    (1, "you are now"),
    (1, "developer|jailbreak|dan|debug mode"),
    (-2, "^ MARK ..4 your ..1 OUT"),
    (
        -2,
        "participants|patients|respondents|subjects|students|children|interviewer|questionnaire|survey|item|items|physicians|parents|women|volunteers",
    ),
];

/// Requests to send secrets, to open addresses, to run commands.
pub(super) const EXFILTRATION: [Weighted; 14] = [
    (2, "^ SEND ..6 KEYED KEY"),
    (2, "^ SEND ..6 SECRET"),
    (2, "^ SEND ..3 conversation|transcript|chat|prompt ..2 to"),
    (2, "^ SEND ..6 environment variables"),
    (
        2,
        "^ SEND|include|list ..6 user|user's|conversation|chat|prompt ..3 to <url>",
    ),
    (2, "^ send|post|upload|transmit|forward|email ..10 to|at <url>"),
    (2, "^ open|fetch|click|browse|navigate|curl|wget ..1 <url>"),
    (1, "^ visit|download|load|access|follow|go|request ..3 <url>"),
    (
        2,
        "^ visit|download|load|access|follow|go|request ..3 <url> ..2 and|then run|execute|install|paste|enter|report|send|submit",
    ),
    (1, "^ click|open ..1 this|the|following ..1 link|url|attachment"),
    (
        2,
        "^ run|execute|eval|paste|type|enter ..4 shell|terminal|command|commands|bash|console|powershell",
    ),
    (2, "^ run|execute|eval ..3 code ..1 BLOCK|below|snippet"),
    (1, "^ run|execute ..3 code|script|program"),
    (-1, "more|further|additional|detailed information|details"),
];

/// Requests that a paper does not make of its readers, and code to put into an answer.
pub(super) const REQUEST: [Weighted; 28] = [
    (
        2,
        "^^ can|could you|we ..2 convert|invert|reverse|translate|encode|encrypt",
    ),
    (2, "^^ tell|show|teach|remind|give|help me"),
    (2, "^^ explain|describe ..4 to me"),
    (1, "^ tell|show|teach|give|explain|help ..1 me"),
    (2, "^^ write|compose|draft LITTLE"),
    (1, "^ MAKE ..3 THING"),
    (1, "^^ MAKE LITTLE"),
    (1, "^^ MAKE ..2 THING"),
    (2, "^ i want|need you to"),
    (1, "^ i want|need|would ..1 to|you"),
    (2, "^^ what is the best way to"),
    (1, "^^ please"),
    (2, "^^ find|search|look ..1 me|for ..1 me"),
    (2, "^ REWORK ..1 NEXT|this ..1 QUOTED"),
    (2, "^ REWORK ..4 NEXT ..1 QUOTED"),
    (2, "^^ how ..1 do|can|should|would|could i"),
    (2, "^^ what ..2 can|should|do i"),
    (2, "^^ how do you say"),
    (2, "^^ what's"),
    (1, "NEXT|this|subsequent code|script"),
    (2, "NEXT code BLOCK"),
    (-1, "^^ the|a|this|in|we|our|listing|as|for|it|figure|table"),
    (1, "^ please|do|don't|ensure|make|let|consider|remember ..5 code"),
    (1, "your ..1 HOST"),
    (1, "the code you"),
    (
        2,
        "^^ can|could|would|will you ..1 help|give|tell|show|explain|write|make|create",
    ),
    (
        -2,
        "your|you|us|me ..2 experience|experiences|feel|feelings|health|child|doctor|pain|think|life",
    ),
    (
        -2,
        "participants|patients|respondents|interview|interviews|questionnaire|interviewer",
    ),
];
