//! What the elements of a page are in an article: by their names, their roles, and the classes of LaTeXML, PubMed Central and Pandoc.

use super::text_of;
use crate::structure::names;
use scraper::ElementRef;
use text::Pattern;
use types::SectionKind;

/// What an element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A heading of this level, 1 to 6.
    Heading(u8),
    /// It stands apart from the text around it, and is an element of an article.
    Block(&'static str),
    /// It stands in the text. Without a name, it is nothing of its own.
    Inline(&'static str),
    /// It stands apart and is nothing of its own.
    Container,
    /// An item of a list.
    Item,
    /// The abstract or the list of references; of this name if it has no heading.
    Part(&'static str),
}

const MATHML: &str = "http://www.w3.org/1998/Math/MathML";
const LEFT_OUT: &str = "script style template noscript head nav footer button input select textarea iframe object embed svg canvas audio \
    video dialog img source track annotation annotation-xml";
const LEFT_OUT_ROLES: &str =
    "navigation banner contentinfo search complementary dialog alertdialog menu menubar toolbar doc-backlink";
const LEFT_OUT_CLASSES: &str = "ltx_page_header ltx_page_footer ltx_TOC ltx_pagination ltx_authors ltx_dates ltx_note_mark ltx_note_type \
    ltx_tag_note front-matter visually-hidden sr-only usa-sr-only skip-link footnote-back reference-backlink mw-editsection navbox \
    breadcrumb breadcrumbs";

/// Whether an element is no part of the paper, or not shown.
pub(super) fn is_left_out(el: ElementRef<'_>, headed: bool) -> bool {
    static HIDDEN: Pattern = Pattern::new(r"(?i)display\s*:\s*none|visibility\s*:\s*hidden");
    static NOTICE: Pattern = Pattern::new(r"(?i)\b(?:cookies?|onetrust|gdpr)\b");
    static LINKS: Pattern = Pattern::new(
        r"(?i)^\s*(?:open (?:table )?in a new tab|download (?:figure|powerpoint)|view (?:large|in article))\s*$",
    );
    let name = el.value().name();
    let is = |names: &str, name: &str| names.split_ascii_whitespace().any(|one| one == name);
    let role = el.attr("role").unwrap_or_default();
    let marked = |attribute: &str| {
        el.attr(attribute).is_some_and(|value| NOTICE.is_match(&value.replace(['-', '_'], " ")))
    };
    is(LEFT_OUT, name)
        || is(LEFT_OUT_ROLES, role)
        || name == "header" && !headed
        // Pandoc's, below the title.
        || name == "p" && has_one(el, "author date subtitle")
        || name == "aside" && !role.starts_with("doc-")
        || el.attr("hidden").is_some()
        // People see it; only what is there twice or an icon is hidden so.
        || el.attr("aria-hidden") == Some("true") && !is("figcaption figure table section p", name)
        || el.attr("style").is_some_and(|style| HIDDEN.is_match(style))
        || el.value().classes().any(|class| is(LEFT_OUT_CLASSES, class))
        || marked("id")
        || marked("class")
        || name == "a" && LINKS.is_match(&el.text().take(4).collect::<String>())
}

/// Whether an element has this class.
pub(super) fn has_class(el: ElementRef<'_>, class: &str) -> bool {
    el.value().classes().any(|own| own == class)
}

fn has_one(el: ElementRef<'_>, classes: &str) -> bool {
    classes.split_ascii_whitespace().any(|class| has_class(el, class))
}

/// The level of a heading, `None` for all else. LaTeXML gives abstracts and acknowledgements the lowest, whatever they stand beside.
pub(super) fn heading_level(el: ElementRef<'_>) -> Option<u8> {
    let level = match el.value().name() {
        "h1" => 1,
        "h2" => 2,
        "h3" => 3,
        "h4" => 4,
        "h5" => 5,
        "h6" => 6,
        // Pandoc.
        "div" if has_class(el, "abstract-title") => 1,
        _ => return None,
    };
    let top = "ltx_title_abstract ltx_title_bibliography ltx_title_appendix ltx_title_acknowledgements";
    // "Theorem 1." in front of its text.
    let runs_in = has_one(el, "ltx_title_theorem ltx_title_proof");
    let is_part = || {
        let around = el.ancestors().take(6).filter_map(ElementRef::wrap);
        { around }.any(is_abstract) && names::kind_of(&text_of(el)) != SectionKind::Abstract
    };
    (!runs_in).then(|| match () {
        () if has_one(el, top) => 2,
        () if is_part() => DEEPEST,
        () => level,
    })
}

/// The level of the headings within an abstract, whatever its own is.
const DEEPEST: u8 = 9;

fn is_abstract(el: ElementRef<'_>) -> bool {
    matches!(el.value().name(), "div" | "section") && has_one(el, "abstract ltx_abstract")
}

/// What an element is by itself.
pub(super) fn kind_of(el: ElementRef<'_>) -> Kind {
    if let Some(level) = heading_level(el) {
        return Kind::Heading(level);
    }
    let role = el.attr("role").unwrap_or_default();
    match el.value().name() {
        "table" if has_one(el, "ltx_equation ltx_equationgroup ltx_eqn_table") => Kind::Block("disp-formula"),
        "table" if matches!(role, "presentation" | "none") => Kind::Container,
        "table" => Kind::Block("table"),
        "thead" => Kind::Block("thead"),
        "tbody" | "tfoot" => Kind::Block("tbody"),
        "tr" => Kind::Block("tr"),
        "td" => Kind::Block("td"),
        "th" => Kind::Block("th"),
        "caption" | "figcaption" => Kind::Block("caption"),
        "figure" => Kind::Block("fig-group"),
        "pre" => Kind::Block("preformat"),
        "ul" | "ol" | "dl" => Kind::Block("list"),
        "li" | "dt" | "dd" => Kind::Item,
        "sup" => Kind::Inline("sup"),
        "br" => Kind::Inline("break"),
        "math" => Kind::Inline("math"),
        "msup" => Kind::Inline("msup"),
        "mfrac" => Kind::Inline("mfrac"),
        // A power and a fraction have each part in an element of its own.
        _ if &*el.value().name.ns == MATHML => Kind::Inline("mrow"),
        "a" if el.attr("href").is_some_and(|to| to.contains('#')) => Kind::Inline("xref"),
        // The mark of an item.
        "span" if has_one(el, "ltx_tag_item ltx_tag_bibitem label") => Kind::Block("label"),
        "span" if has_class(el, "ltx_note") => Kind::Inline("fn"),
        _ if has_one(el, "footnotes") || role == "doc-endnotes" => Kind::Block("fn-group"),
        _ if has_one(el, "ltx_bibliography references ref-list reflist") || role == "doc-bibliography" => {
            Kind::Part("References")
        }
        _ if is_abstract(el) => Kind::Part("Abstract"),
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Kind::Block("p"),
        "div" | "section" if has_one(el, "tw table-wrap") => Kind::Block("fig-group"),
        "div" if has_class(el, "caption") => Kind::Block("caption"),
        "html" | "body" | "div" | "section" | "article" | "main" | "header" | "aside" | "blockquote"
        | "center" | "address" | "details" | "summary" | "fieldset" | "form" | "hgroup" | "hr" => {
            Kind::Container
        }
        _ => Kind::Inline(""),
    }
}
