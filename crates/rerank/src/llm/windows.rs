//! What the language model reads: the candidates, cut into as many messages as they need.

use super::{LlmRerankSettings, reply};
use crate::Candidates;
use text::{
    prompt_data::attribute,
    tokens::{estimate, start},
};
use types::{Hit, Prompt};

/// Tokens of a message beside its text, and of the tags around an excerpt or the question.
const TOKENS_OF_TAGS: usize = 24;
/// Tokens of a grade in a reply, with room for a reply that is written widely.
const TOKENS_OF_A_GRADE: usize = 32;
/// Tokens for excerpts, at least: a long question does not push them all out.
const LEAST_ROOM: usize = 200;

/// One call.
pub(super) struct Window {
    /// The message: excerpts numbered from 1, and the question.
    pub(super) user: Prompt,
    /// How many excerpts it has.
    pub(super) excerpts: usize,
}

/// All calls for one question.
pub(super) struct Plan {
    /// The candidates in the order in which retrieval gave them, each in one window.
    pub(super) windows: Vec<Window>,
    /// Candidates that were cut at `max_chars`.
    pub(super) over_max_chars: usize,
    /// Candidates that were cut because they do not fit a window alone.
    pub(super) over_window: usize,
}

/// Fills one window after the other. `system` is the text of the instructions, which each call has too.
pub(super) fn plan(candidates: Candidates<'_>, system: &str, settings: &LlmRerankSettings) -> Plan {
    let question = Prompt::new("<question>\n").data(&candidates.question.text).own("\n</question>\n");
    let schema = reply::schema().schema.to_string();
    let fixed = estimate(system) + estimate(&schema) + estimate(&question) + TOKENS_OF_TAGS;
    let room = settings.window_tokens.saturating_sub(fixed).max(LEAST_ROOM);
    let most = settings.max_tokens.map_or(usize::MAX, |tokens| (tokens as usize / TOKENS_OF_A_GRADE).max(1));
    let mut plan = Plan { windows: Vec::new(), over_max_chars: 0, over_window: 0 };
    let mut open = Window { user: Prompt::default(), excerpts: 0 };
    let mut used = 0;
    let close = |window: &mut Window| Window {
        user: std::mem::take(&mut window.user).then(&question),
        excerpts: std::mem::take(&mut window.excerpts),
    };
    for hit in candidates.hits {
        let (text, over) = shown(hit, settings);
        plan.over_max_chars += usize::from(over);
        let fits = start(&text, room.saturating_sub(TOKENS_OF_TAGS));
        plan.over_window += usize::from(fits.len() < text.len());
        let tokens = estimate(fits) + TOKENS_OF_TAGS;
        if open.excerpts > 0 && (used + tokens > room || open.excerpts >= most) {
            plan.windows.push(close(&mut open));
            used = 0;
        }
        open.excerpts += 1;
        used += tokens;
        let header = std::mem::take(&mut open.user).own("<excerpt");
        let header = header.attribute("number", &open.excerpts.to_string());
        open.user = header.own(">\n").data(fits).own("\n</excerpt>\n\n");
    }
    if open.excerpts > 0 {
        plan.windows.push(close(&mut open));
    }
    plan
}

/// What the model reads of a candidate, and whether its text was cut at `max_chars`.
fn shown(hit: &Hit, settings: &LlmRerankSettings) -> (String, bool) {
    let chunk = hit.chunk();
    let shown =
        if settings.show_prefix { format!("{}\n{}", chunk.prefix, chunk.text) } else { chunk.text.clone() };
    let cut_at = settings.max_chars.and_then(|max| shown.char_indices().nth(max.get()));
    let end = cut_at.map_or(shown.len(), |(end, _)| end);
    let source = attribute(&format!("{}{}", chunk.source_id, known_of(&hit.passage.source)));
    let body = format!("Source: {source}\nSection: {}\n\n{}", chunk.section, &shown[..end]);
    (body, end < shown.len())
}

/// `; title; authors; year`, without what is unknown.
fn known_of(meta: &types::SourceMeta) -> String {
    let mut parts: Vec<String> = meta.title.iter().cloned().collect();
    if !meta.authors.is_empty() {
        parts.push(meta.authors.join(", "));
    }
    parts.extend(meta.year.map(|y| y.to_string()));
    parts.iter().fold(String::new(), |all, part| all + "; " + part)
}
