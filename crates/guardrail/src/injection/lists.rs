//! The word lists that cues name.

/// The words of a list, separated by spaces; `None` for no list.
pub(super) fn list(name: &str) -> Option<&'static str> {
    let words = match name {
        // To set aside.
        "DROP" => "ignore disregard forget bypass override overrule overwrite neglect discard",
        // Earlier, or one's own.
        "PRIOR" => {
            "previous prior preceding above earlier foregoing original initial system existing past \
             former current"
        }
        // What a model follows, and people too.
        "INST" => {
            "instruction instructions prompt prompts direction directions directive directives rule \
             rules guideline guidelines command commands order orders constraint constraints \
             restriction restrictions programming guardrails safeguards"
        }
        // What a model follows.
        "PROMPT" => "instruction instructions prompt prompts directive directives",
        // Where instructions stand.
        "BEFORE" => "above before previous previously prior earlier so given",
        // What was said before.
        "TOLD" => "above before previous previously prior earlier said told read written learned know",
        // What a model is called, in one word.
        "MODEL" => {
            "ai llm llms chatbot chatbots chatgpt gpt gpt4 claude gemini copilot bot assistant \
             agent"
        }
        // What a model returns.
        "OUT" => "answer answers response responses reply replies output outputs completion",
        // What a model, or its reader, writes.
        "OUTW" => {
            "message summary review translation text solution code codebase implementation program \
             script algorithm conversation report rating explanation software"
        }
        // To say, or not to say.
        "TELL" => {
            "mention reveal disclose highlight point criticize criticise discuss list cite tell say \
             admit refer report show include warn"
        }
        // Praise.
        "GOOD" => {
            "positive favorable favourable good glowing enthusiastic high highest strong perfect \
             excellent top outstanding best accept acceptance"
        }
        // What a reviewer gives.
        "VERDICT" => {
            "review reviews rating score scores recommendation evaluation assessment mark marks \
             grade feedback"
        }
        // What is read.
        "PAPER" => "paper manuscript article submission study work document text",
        // What is not to be said.
        "BAD" => {
            "negative negatives weakness weaknesses limitation limitations flaw flaws user \
             instruction instructions system prompt shortcomings drawbacks criticism"
        }
        // To show what is not shown.
        "LEAK" => "reveal show print repeat output display leak tell disclose share expose",
        // Duty.
        "MUST" => "must should shall will cannot",
        // What is done to an answer.
        "CHANGE" => {
            "add append include insert integrate embed incorporate modify change alter adapt adjust \
             enhance enrich augment encode encrypt encipher decode render express convert translate \
             reverse invert flip rearrange scramble rewrite rephrase reformulate format begin start \
             end finish conclude prefix preface limit keep make write present deliver craft \
             transform replace restrict reword phrase state produce provide generate return use \
             substitute ensure infuse weave slip work"
        }
        // What a questionnaire has people do with an answer.
        "MARK" => {
            "mark circle tick check select choose indicate explain justify record enter rate place \
             press"
        }
        // To make something new.
        "MAKE" => {
            "write compose draft create generate produce develop design build make code implement \
             craft prepare suggest recommend give provide"
        }
        // What models are asked to write.
        "THING" => {
            "script program function poem poems story essay email letter tweet blog haiku song \
             lyrics joke jokes recipe slogan advertisement headline headlines website webpage \
             paragraph dialogue dialog caption speech itinerary playlist resume newsletter app code \
             post outline summary title riddle"
        }
        // What follows "write" in a request.
        "LITTLE" => "a an some me us my one two three five ten",
        // A text that is given.
        "QUOTED" => {
            "sentence sentences phrase text paragraph passage tweet review statement message \
             comment word words feedback article email"
        }
        // What is done to a given text.
        "REWORK" => {
            "translate rewrite rephrase paraphrase summarize summarise classify analyze analyse \
             correct proofread edit convert reverse decode encode encrypt determine detect"
        }
        // A piece of code.
        "BLOCK" => "block snippet section excerpt segment fragment piece sample",
        // Here it comes.
        "NEXT" => "following subsequent below next given",
        // Where code goes.
        "HOST" => {
            "code solution implementation codebase response program project software application \
             algorithm"
        }
        // What must not be sent.
        "SECRET" => "password passwords credential credentials secret secrets cookie cookies",
        // Before a key.
        "KEYED" => "api access auth private secret ssh encryption session",
        // A key.
        "KEY" => "key keys token tokens variables",
        // To give away.
        "SEND" => {
            "send post upload transmit forward email exfiltrate leak submit print reveal output \
             dump give echo display deliver"
        }
        // In which language or encoding.
        "LANG" => {
            "english german french spanish italian portuguese russian chinese mandarin japanese \
             korean arabic hindi dutch swedish polish turkish latin greek emoji emojis base64 rot13 \
             hex hexadecimal binary morse json uppercase lowercase caps rhymes rhyme verse haiku \
             pirate reverse cipher leetspeak"
        }
        // Whom studies ask, and what with.
        "PEOPLE" => {
            "participants patients respondents subjects students children physicians parents women men volunteers \
             interview interviews interviewer interviewers questionnaire survey item items form"
        }
        _ => return None,
    };
    Some(words)
}
