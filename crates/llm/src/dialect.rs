//! What a server takes, learnt from what it rejects: the table of complaints and adaptations.

use crate::{
    LlmSettings, SchemaMode,
    complaint::{place, says},
};
use serde_json::Value;

/// What is done.
#[derive(Clone, Copy)]
enum Cure {
    /// The next way to ask for a schema.
    NextWay,
    /// The part, so described, is left out.
    LeaveOut(&'static str),
    /// The part is sent under another name.
    Rename(&'static str),
    /// The instructions go before the user's text.
    Join,
    /// The reply is asked for as a whole.
    Whole,
}

/// A row of [`TABLE`].
type Row = (&'static str, &'static [&'static str], &'static str, Cure);

/// The table: where a part is in a request, what servers call it in a rejection ([`crate::complaint::folded`]), further
/// names that count only beside one of [`OUTRIGHT`], and what is then done.
///
/// Of several parts that a rejection names, the one that it names first is changed; parts that the request does not have are
/// no candidates. A row is used once and a way to ask for a schema is left once, so that it ends.
const TABLE: [Row; 11] = [
    ("/response_format", &[FORMAT], KEYWORDS, Cure::NextWay),
    ("/tools", &[FORMAT, TOOLS], KEYWORDS, Cure::NextWay),
    ("/format", &[FORMAT, "format"], KEYWORDS, Cure::NextWay),
    ("/temperature", &["temperature"], NONE, NO_TEMPERATURE),
    ("/options/temperature", &["temperature"], NONE, NO_TEMPERATURE),
    ("/max_tokens", &[], MAX_TOKENS, OTHER_LIMIT),
    ("/max_completion_tokens", &[], MAX_TOKENS, NO_LIMIT),
    ("/options/num_predict", &[], "num predict", NO_LIMIT),
    ("/stream_options", &["stream options"], NONE, NO_OPTIONS),
    ("/stream", &[], "stream", Cure::Whole),
    ("/messages", &[SYSTEM], "system |developer ", Cure::Join),
];

/// Occurs nowhere.
const NONE: &str = "\0";
const NO_TEMPERATURE: Cure =
    Cure::LeaveOut("a temperature, so none is sent; answers may differ between runs");
const OTHER_LIMIT: Cure = Cure::Rename("max_completion_tokens");
const NO_OPTIONS: Cure = Cure::LeaveOut("stream_options, so none are sent");
const NO_LIMIT: Cure = Cure::LeaveOut("a limit of tokens, so none is sent");
const MAX_TOKENS: &str = "max tokens|max completion tokens";
/// Structured output, and a model that the server could not make follow it.
const FORMAT: &str = "response format|response schema|response mime type|response json|schema|json object|json mode|\
     json output|structured|guided|constrained|grammar|xgrammar|strict |keyword|json validate failed|\
     generate json|validate json|valid json|requested parameters";
/// Keywords of schemas.
const KEYWORDS: &str = "additional properties|additionalproperties|properties|required |ref |defs |definitions|enum |\
     const |any of |anyof|one of |oneof|all of |allof|min length|max length|minlength|maxlength|\
     min items|max items|minitems|maxitems|minimum |maximum |pattern|nullable";
/// Calls of tools.
const TOOLS: &str = "tool|function call|call a function|functions|input schema";
/// Instructions apart from the user's text.
const SYSTEM: &str = "role|system role|system message|system prompt|system instruction|developer instruction|\
     developer message";
/// The part is not taken, whatever its value: a value out of range is another matter.
const OUTRIGHT: &str = "support|unsupport|not allow|not accept|not permit|not enabled|not available|not implemented|\
     not recogni|not one of|disabled|deprecated|unrecogni|unknown|unexpected|extra |instead|cannot |\
     invalid|forbidden|reserved|may only be";

/// What is sent to a server at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// How a schema is asked for; never [`SchemaMode::Auto`].
    pub(crate) schema: SchemaMode,
    /// Whether replies are asked for as a whole, and never as they are written.
    pub(crate) whole: bool,
    /// The rows of the table that were used, a bit each.
    cured: u16,
}

impl Dialect {
    /// The dialect to begin with. A way to ask for a schema that the format does not have is replaced by its best one:
    /// `ways` has the best one first.
    pub(crate) fn new(settings: &LlmSettings, ways: &[SchemaMode]) -> Self {
        let own = ways.iter().find(|way| **way == settings.schema_mode);
        Self { schema: own.or(ways.first()).copied().unwrap_or(SchemaMode::Prompt), whole: false, cured: 0 }
    }

    /// What to write instead of `body` after it was rejected with a `complaint` (folded), and a sentence on it; `None` when
    /// nothing that can be changed is to blame. The way to ask for a schema changes only with `auto`.
    pub(crate) fn after(
        self,
        body: &Value,
        complaint: &str,
        auto: bool,
        ways: &[SchemaMode],
    ) -> Option<(Self, String)> {
        let outright = says(complaint, OUTRIGHT);
        let mut next = ways.iter().skip_while(|way| **way != self.schema).skip(1);
        let next = next.next().filter(|_| auto);
        let named = |(at, (part, words, common, cure)): (usize, &Row)| {
            let usable = match cure {
                Cure::NextWay => next.is_some(),
                Cure::Join => join(&mut body.clone()).is_some(),
                Cure::Whole => body["stream"] == true && !self.whole,
                Cure::LeaveOut(_) | Cure::Rename(_) => true,
            };
            let common = place(complaint, common).filter(|_| outright);
            let places = words.iter().filter_map(|words| place(complaint, words));
            let first = places.chain(common).min()?;
            (usable && self.cured & (1 << at) == 0 && body.pointer(part).is_some()).then_some((first, at))
        };
        let (_, at) = TABLE.iter().enumerate().filter_map(named).min()?;
        let cured = self.cured | (1 << at);
        let what = match TABLE[at].3 {
            Cure::NextWay => {
                let (schema, own) = (*next?, self.schema.as_str());
                let what = format!(
                    "does not accept a schema as {own}; {} is used instead, and replies may not follow the schema",
                    schema.as_str()
                );
                return Some((Self { schema, ..self }, what));
            }
            Cure::Whole => return Some(self.unstreamed()),
            Cure::LeaveOut(what) => format!("does not accept {what}"),
            Cure::Rename(to) => format!("takes {to} instead of {}", &TABLE[at].0[1..]),
            Cure::Join => {
                "takes no instructions apart from the question, so they are sent before it".to_owned()
            }
        };
        Some((Self { cured, ..self }, what))
    }

    /// Without streams, and a sentence on it.
    pub(crate) fn unstreamed(self) -> (Self, String) {
        let what = "gives no usable reply while it writes it, so whole replies are asked for";
        (Self { whole: true, ..self }, what.to_owned())
    }

    /// Changes a body as the rows that were used say.
    pub(crate) fn apply(self, body: &mut Value) {
        for (at, (part, _, _, cure)) in TABLE.iter().enumerate() {
            let (parent, key) = part.rsplit_once('/').unwrap_or_default();
            let parent = body.pointer_mut(parent).and_then(Value::as_object_mut);
            match (cure, parent) {
                _ if self.cured & (1 << at) == 0 => {}
                (Cure::Join, _) => drop(join(body)),
                (cure, Some(parent)) => {
                    if let (Some(value), Cure::Rename(to)) = (parent.shift_remove(key), cure) {
                        parent.insert((*to).to_owned(), value);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Puts the instructions of a body before the user's text; `None` if it has none.
fn join(body: &mut Value) -> Option<()> {
    let own = body.as_object_mut()?.shift_remove("system");
    let messages = body["messages"].as_array_mut()?;
    let first = messages.first().is_some_and(|message| message["role"] == "system");
    let system = own.or_else(|| first.then(|| messages.remove(0)["content"].take()))?;
    let user = &mut messages.last_mut()?["content"];
    *user = format!("{}\n\n{}", system.as_str()?, user.as_str()?).into();
    Some(())
}

#[cfg(test)]
mod tests;
