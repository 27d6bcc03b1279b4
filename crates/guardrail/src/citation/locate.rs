//! Which chunk of the context a citation means.

use crate::SuffixMatch;
use std::ops::Range;
use text::quote::find_quote;
use types::{ChunkId, Citation, Context, ContextChunk};

/// The chunk that a citation means.
pub(crate) struct LocatedCitation<'a> {
    pub(crate) chunk: &'a ContextChunk,
    /// Where the quote stands in the chunk's text; empty when it was not looked for.
    pub(crate) parts: Vec<Range<usize>>,
    pub(crate) how: How,
}

/// How it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// By its id.
    Exact,
    /// By the end of its id.
    Suffix,
    /// By the quote alone.
    Elsewhere,
}

/// The chunk in which the quote stands: the one that is cited, then the only one whose id ends like the id
/// that is cited, then the first of the same source, then the first of all. Or why there is none.
pub(crate) fn by_quote<'a>(
    citation: &Citation,
    context: &'a Context,
) -> Result<LocatedCitation<'a>, &'static str> {
    if citation.relevant_quote.trim().is_empty() {
        return Err("it has no quote");
    }
    let exact = exact(&citation.chunk_id, context);
    let by_end = by_end(&citation.chunk_id, context);
    let source = exact.map_or(&citation.source_id, |c| &c.chunk.source_id);
    let same_source = context.chunks.iter().filter(|c| c.chunk.source_id == *source);
    let candidates = (exact.into_iter().map(|c| (c, How::Exact)))
        .chain(by_end.map(|c| (c, How::Suffix)))
        .chain(same_source.chain(&context.chunks).map(|c| (c, How::Elsewhere)));
    let mut tried: Vec<&ChunkId> = Vec::new();
    for (chunk, how) in candidates {
        if tried.contains(&&chunk.chunk.chunk_id) {
            continue;
        }
        tried.push(&chunk.chunk.chunk_id);
        if let Some(found) = find_quote(&chunk.chunk.text, &citation.relevant_quote)
            && !found.parts.is_empty()
        {
            return Ok(LocatedCitation { chunk, parts: found.parts, how });
        }
    }
    Err(if exact.is_some() {
        "its quote is in none of the passages found"
    } else {
        "neither the passage nor the quote is among the passages found"
    })
}

/// The chunk with that id, or the one that its end means.
pub(crate) fn by_id<'a>(
    citation: &Citation,
    context: &'a Context,
    suffix: SuffixMatch,
) -> Result<LocatedCitation<'a>, &'static str> {
    let exact = exact(&citation.chunk_id, context).map(|c| (c, How::Exact));
    let in_part = || match suffix {
        SuffixMatch::Unique => by_end(&citation.chunk_id, context),
        SuffixMatch::First => first_that_ends_so(&citation.chunk_id, context),
    };
    let (chunk, how) =
        exact.or_else(|| in_part().map(|c| (c, How::Suffix))).ok_or("no such passage was found")?;
    Ok(LocatedCitation { chunk, parts: Vec::new(), how })
}

/// The chunk with this id, white space around it aside.
pub(crate) fn exact<'a>(id: &ChunkId, context: &'a Context) -> Option<&'a ContextChunk> {
    context.get(id.as_str().trim())
}

/// The only chunk whose id ends like `id`: one is the end of the other, or both end in the same
/// `section__NNN`. `None` when there are several.
pub(crate) fn by_end<'a>(id: &ChunkId, context: &'a Context) -> Option<&'a ContextChunk> {
    let id = ChunkId::from(id.as_str().trim());
    let only = |fits: &dyn Fn(&ChunkId) -> bool| {
        let mut fitting = context.chunks.iter().filter(|c| fits(&c.chunk.chunk_id));
        fitting.next().filter(|_| fitting.next().is_none())
    };
    let ends = |known: &ChunkId| {
        ends_at_part(known.as_str(), id.as_str()) || ends_at_part(id.as_str(), known.as_str())
    };
    only(&ends).or_else(|| {
        let end = id.suffix()?;
        only(&|known| known.suffix() == Some(end))
    })
}

/// The first chunk whose id ends in `id`, whatever stands before.
fn first_that_ends_so<'a>(id: &ChunkId, context: &'a Context) -> Option<&'a ContextChunk> {
    let end = id.as_str().trim();
    let mut fitting = context.chunks.iter().filter(|c| c.chunk.chunk_id.as_str().ends_with(end));
    fitting.next().filter(|_| !end.is_empty())
}

/// Whether `whole` ends in `end`, and `end` begins where a part of the name begins.
fn ends_at_part(whole: &str, end: &str) -> bool {
    let Some(rest) = whole.strip_suffix(end) else {
        return false;
    };
    !end.is_empty() && (rest.is_empty() || !rest.ends_with(char::is_alphanumeric))
}
