//! The message to the model: the passages that claims cite, and the claims.

use types::{CheckedClaim, Context, ContextChunk, Prompt};

/// One message.
#[derive(Debug)]
pub(super) struct Message<'a> {
    /// Passages and claims.
    pub(super) user: Prompt,
    /// The claims, by number from 1.
    pub(super) claims: Vec<&'a str>,
}

/// The claims that are judged together, and the passages that they cite.
#[derive(Default)]
struct Group<'a> {
    claims: Vec<(&'a CheckedClaim, Vec<&'a ContextChunk>)>,
    passages: Vec<&'a ContextChunk>,
    chars: usize,
}

/// The messages about all claims that cite a passage of the context. A message has passages of at most `max_chars`
/// characters, or those of a single claim.
pub(super) fn build<'a>(
    claims: &'a [CheckedClaim],
    context: &'a Context,
    max_chars: usize,
) -> Vec<Message<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for claim in claims {
        let cited = claim.cited.iter();
        let passages: Vec<&ContextChunk> = cited.filter_map(|id| context.get(id.as_str().trim())).collect();
        if passages.is_empty() {
            continue;
        }
        let new = |group: &Group<'a>| -> usize {
            let known = |passage: &&&ContextChunk| group.passages.iter().any(|own| same(own, passage));
            let new = passages.iter().filter(|passage| !known(passage));
            new.map(|passage| passage.chunk.with_table_head().chars().count()).sum()
        };
        let fits = groups.iter().position(|group| group.chars + new(group) <= max_chars);
        let at = fits.unwrap_or_else(|| {
            groups.push(Group::default());
            groups.len() - 1
        });
        let group = &mut groups[at];
        group.chars += new(group);
        for passage in &passages {
            if !group.passages.iter().any(|own| same(own, passage)) {
                group.passages.push(passage);
            }
        }
        group.claims.push((claim, passages));
    }
    groups.iter().map(written).collect()
}

fn same(a: &ContextChunk, b: &ContextChunk) -> bool {
    a.chunk.chunk_id == b.chunk.chunk_id
}

fn written<'a>(group: &Group<'a>) -> Message<'a> {
    let mut user = Prompt::default();
    for (at, passage) in group.passages.iter().enumerate() {
        let source = &passage.source;
        let line = evidence::support::source_line(source.title.as_deref(), &source.authors, source.year);
        let text = evidence::support::passage(&line, &passage.chunk.with_table_head());
        let header = user.own("<excerpt").attribute("number", &(at + 1).to_string());
        user = header.own(">\n").data(&text).own("\n</excerpt>\n\n");
    }
    for (at, (claim, cited)) in group.claims.iter().enumerate() {
        let numbers: Vec<String> = (group.passages.iter().enumerate())
            .filter(|(_, passage)| cited.iter().any(|own| same(own, passage)))
            .map(|(at, _)| (at + 1).to_string())
            .collect();
        let header = user.own("<claim").attribute("number", &(at + 1).to_string());
        let header = header.attribute("cites", &numbers.join(", "));
        user = header.own(">\n").data(&claim.claim).own("\n</claim>\n");
    }
    Message { user, claims: group.claims.iter().map(|(claim, _)| claim.claim.as_str()).collect() }
}
