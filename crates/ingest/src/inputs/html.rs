//! HTML: pages of publishers, of PubMed Central, and of arXiv (LaTeXML), read as browsers do. What is no part of the paper is left
//! out: navigation, scripts, forms, what is hidden.
//!
//! The page becomes an [`Article`]: its headings are the sections, whatever stands around them. A formula is read from its MathML,
//! as in JATS, and from its `alttext` where that is all there is.

mod kinds;
mod meta;
#[cfg(test)]
mod tests;

use super::article::Article;
use crate::structure::names;
use crate::{Limits, ParseError};
use ego_tree::NodeId;
use kinds::{Kind, has_class, is_left_out, kind_of};
use scraper::{ElementRef, Html, Node};
use std::collections::HashSet;
use text::Pattern;
use types::Document;

/// Pages with fewer words are most often a notice in place of a paper.
const FEW_WORDS: usize = 120;

/// Reads a page.
///
/// # Errors
/// [`ParseError::Damaged`] when it is nested too deep or too large; [`ParseError::TooMuchText`].
pub(super) fn read(text: &str, limits: &Limits) -> Result<Document, ParseError> {
    check_depth(text)?;
    let html = Html::parse_document(&with_ends(text));
    let mut meta = meta::read(&html);
    let root = content(&html);
    let window = meta::title_of_window(&html);
    let page = Page::new(root, meta.title.as_deref().or(window.as_deref()));
    meta.title = meta.title.or_else(|| page.title.map(text_of).filter(|title| !title.is_empty())).or(window);
    let article = page.read(root).map_err(|error| match error {
        ParseError::Damaged { detail } => ParseError::Damaged { detail: detail.replace("XML", "HTML") },
        other => other,
    })?;
    let mut document = article.finish(meta, Vec::new(), limits)?;
    let words = document.text.split_whitespace().count();
    if words < FEW_WORDS {
        document.warnings.push(format!(
            "the page holds {words} words: if this is a log-in page or an abstract, save the full text"
        ));
    }
    Ok(document)
}

/// The encoding that a page names in its first bytes: `<meta charset>`, `<meta http-equiv>` or its XML declaration.
pub(super) fn named_encoding(bytes: &[u8]) -> Option<String> {
    static NAMED: Pattern = Pattern::new(r#"(?i)(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{2,40})"#);
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
    Some(NAMED.captures(&head)?[1].to_owned())
}

/// Refuses a page that is nested so deep that a browser's rules, which look through what is open, would take minutes. Elements whose
/// end may be left away are not counted.
fn check_depth(text: &str) -> Result<(), ParseError> {
    const MOST: usize = 2_000;
    static TAG: Pattern = Pattern::new(
        r"(?i)<(/?)(?:article|b|big|blockquote|center|code|div|dl|em|font|form|i|main|math|mrow|mstyle|ms(?:qrt|u[bp])|mfrac|ol|pre|s|section|small|span|strong|su[bp]|svg|table|tt|u|ul)\b",
    );
    let mut open = 0_usize;
    for tag in TAG.captures_iter(text) {
        open = if tag[1].is_empty() { open + 1 } else { open.saturating_sub(1) };
        if open > MOST {
            return Err(ParseError::Damaged { detail: format!("HTML nested deeper than {MOST} elements") });
        }
    }
    Ok(())
}

/// XHTML with an end tag for each element that ends in its own tag, which HTML knows only for elements that are always empty.
fn with_ends(text: &str) -> std::borrow::Cow<'_, str> {
    static EMPTY: Pattern = Pattern::new(
        r"<((?:a|b|div|em|h[1-6]|i|iframe|li|noscript|p|script|section|span|strong|style|sub|sup|t[dhr]|textarea|title|ul|ol)\b[^<>]*)/>",
    );
    static NAME: Pattern = Pattern::new(r"^\w+");
    let is_xml =
        text.trim_start().starts_with("<?xml") || text[..text.floor_char_boundary(600)].contains("XHTML");
    if !is_xml {
        return text.into();
    }
    EMPTY.replace_all(text, |found: &regex::Captures<'_>| {
        let name = NAME.find(&found[1]).map_or("", |name| name.as_str());
        format!("<{}></{name}>", &found[1])
    })
}

/// The part of the page that is the paper: the longest `<article>` or `<main>` if it has most of the text, else all of it.
fn content(html: &Html) -> ElementRef<'_> {
    /// Elements that are compared.
    const MOST: usize = 20;
    let root = html.root_element();
    let length = |of: ElementRef<'_>| {
        let seen = of.descendants().filter_map(|node| {
            let parent = ElementRef::wrap(node.parent()?)?.value().name();
            node.value().as_text().filter(|_| !matches!(parent, "script" | "style"))
        });
        seen.map(|text| text.trim().len()).sum::<usize>()
    };
    let whole = length(root);
    let longest = |is_one: &dyn Fn(ElementRef<'_>) -> bool| {
        let all = root.descendent_elements().filter(|el| is_one(*el)).take(MOST);
        all.map(|el| (length(el), el)).filter(|(own, _)| own * 2 >= whole).max_by_key(|(own, _)| *own)
    };
    let found = longest(&|el| el.value().name() == "article")
        .or_else(|| longest(&|el| el.value().name() == "main" || el.attr("role") == Some("main")));
    found.map_or(root, |(_, el)| el)
}

/// The text of an element, white space closed up.
fn text_of(el: ElementRef<'_>) -> String {
    crate::draft::clean(&el.text().collect::<String>())
}

/// A page on its way into an article.
struct Page<'p> {
    article: Article,
    /// What is open within the section at hand, from the outside in.
    open: Vec<&'static str>,
    title: Option<ElementRef<'p>>,
    /// Elements with a heading, and with a table in them.
    headed: HashSet<NodeId>,
    tabled: HashSet<NodeId>,
}

impl<'p> Page<'p> {
    fn new(root: ElementRef<'p>, title: Option<&str>) -> Self {
        let headings = || root.descendent_elements().filter(|el| kinds::heading_level(*el).is_some());
        let told = title.map(names::fold);
        let is_title = |el: &ElementRef<'_>| {
            has_class(*el, "ltx_title_document") || told.as_ref() == Some(&names::fold(&text_of(*el)))
        };
        let mut highest = headings().filter(|el| el.value().name() == "h1");
        let only = (highest.next(), highest.next());
        let only = only.0.filter(|el| only.1.is_none() || has_class(*el, "title"));
        Self {
            article: Article::default(),
            open: Vec::new(),
            title: { headings() }.take(10).find(is_title).or(only),
            headed: around(headings()),
            tabled: around(root.descendent_elements().filter(|el| el.value().name() == "table")),
        }
    }

    /// Goes through the page in its order, without recursion: pages are nested as deep as they like.
    fn read(mut self, root: ElementRef<'p>) -> Result<Article, ParseError> {
        // Of each element that is open: how much was open in the article around it.
        let mut around: Vec<usize> = Vec::new();
        let mut node = *root;
        loop {
            let entered = match node.value() {
                Node::Element(_) => match ElementRef::wrap(node) {
                    Some(el) => self.enter(el)?,
                    None => None,
                },
                Node::Text(text) => {
                    self.text(text)?;
                    None
                }
                _ => None,
            };
            if let Some(depth) = entered {
                around.push(depth);
                if let Some(child) = node.first_child() {
                    node = child;
                    continue;
                }
                self.close_to(around.pop().unwrap_or_default());
            }
            while node.next_sibling().is_none() || node == *root {
                let Some(depth) = around.pop() else {
                    return Ok(self.article);
                };
                self.close_to(depth);
                node = node.parent().unwrap_or(*root);
            }
            node = node.next_sibling().unwrap_or(*root);
        }
    }

    /// Opens what an element is in the article; returns how much was open before, or nothing for an element that is left out.
    fn enter(&mut self, el: ElementRef<'p>) -> Result<Option<usize>, ParseError> {
        if self.title == Some(el) || is_left_out(el, self.headed.contains(&el.id())) {
            return Ok(None);
        }
        let kind = self.kind(el);
        match kind {
            Kind::Inline("") => return Ok(Some(self.open.len())),
            Kind::Inline(_) => drop(self.begin_text()?),
            _ => self.end_paragraph(),
        }
        let before = self.open.len();
        match kind {
            Kind::Heading(level) if self.open.is_empty() => {
                self.article.heading(level)?;
                self.open.push("title");
            }
            Kind::Heading(_) if self.open.last() == Some(&"fig-group") => self.put("label")?,
            Kind::Heading(_) => self.put("p")?,
            Kind::Part(title) => {
                if self.open.is_empty() {
                    self.article.section(title)?;
                }
            }
            Kind::Container => {}
            Kind::Item => {
                while matches!(self.open.last(), Some(&("p" | "list-item"))) {
                    self.close();
                }
                let before = self.open.len();
                match self.open.last() {
                    Some(&"list") => self.put("list-item")?,
                    Some(&"fn-group") => self.put("fn")?,
                    _ => {}
                }
                return Ok(Some(before));
            }
            Kind::Block(name @ ("thead" | "tbody" | "tr")) if self.open.last() == Some(&"table-wrap") => {
                self.put("table")?;
                let before = self.open.len();
                self.put(name)?;
                return Ok(Some(before));
            }
            Kind::Block("table") => self.put("table-wrap")?,
            Kind::Block(name) | Kind::Inline(name) => {
                self.put(name)?;
                for attribute in ["colspan", "rowspan"] {
                    el.attr(attribute).into_iter().for_each(|value| self.article.attribute(attribute, value));
                }
                if name == "xref" {
                    self.article.attribute("ref-type", "bibr");
                }
                if name == "math" && text_of(el).is_empty() {
                    self.article.text(el.attr("alttext").unwrap_or_default())?;
                }
                if name == "break" {
                    self.article.text(if self.open.contains(&"preformat") { "\n" } else { "" })?;
                }
            }
        }
        Ok(Some(before))
    }

    /// What an element is where it stands.
    fn kind(&self, el: ElementRef<'p>) -> Kind {
        let (headed, tabled) = (self.headed.contains(&el.id()), self.tabled.contains(&el.id()));
        let last = self.open.last().copied().unwrap_or_default();
        match kind_of(el) {
            Kind::Part(_) if headed => Kind::Container,
            // A list of sections, a table for the layout.
            Kind::Block("list") if headed || last == "fn-group" => Kind::Container,
            Kind::Block("table") if headed || tabled => Kind::Container,
            Kind::Block("tr" | "thead" | "tbody")
                if !matches!(last, "table-wrap" | "table" | "thead" | "tbody") =>
            {
                Kind::Container
            }
            Kind::Block("label") if last != "list-item" => Kind::Inline(""),
            Kind::Block("td" | "th") if last != "tr" => Kind::Container,
            Kind::Block("caption") if !matches!(last, "fig-group" | "table-wrap") => Kind::Container,
            kind => kind,
        }
    }

    fn text(&mut self, text: &str) -> Result<(), ParseError> {
        let starts = || !text.trim().is_empty();
        let inside = self.open.last().is_some_and(|last| !HOLDERS.contains(last));
        if inside || starts() && self.begin_text()? {
            self.article.text(text)?;
        }
        Ok(())
    }

    /// Opens a paragraph where text cannot stand; whether text can stand then.
    fn begin_text(&mut self) -> Result<bool, ParseError> {
        match self.open.last().copied() {
            Some("table" | "thead" | "tbody" | "tr" | "table-wrap" | "fn-group") => return Ok(false),
            Some("list") => {
                self.put("list-item")?;
                self.put("p")?;
            }
            None | Some("list-item" | "fig-group") => self.put("p")?,
            Some(_) => {}
        }
        Ok(true)
    }

    fn end_paragraph(&mut self) {
        if self.open.last() == Some(&"p") {
            self.close();
        }
    }

    fn put(&mut self, name: &'static str) -> Result<(), ParseError> {
        self.open.push(name);
        self.article.open(name)
    }

    fn close(&mut self) {
        self.open.pop();
        self.article.close();
    }

    fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            self.close();
        }
    }
}

/// Elements of an article in which no text stands.
const HOLDERS: [&str; 9] =
    ["list", "list-item", "fig-group", "fn-group", "table-wrap", "table", "thead", "tbody", "tr"];

/// The elements around these, up to the outermost.
fn around<'p>(elements: impl Iterator<Item = ElementRef<'p>>) -> HashSet<NodeId> {
    let mut all = HashSet::new();
    for el in elements {
        // Above an element that is known, all are.
        let _ = el.ancestors().find(|node| !all.insert(node.id()));
    }
    all
}
