//! The running text of an element, as it is printed.

use super::tree::{Child, Element};

/// What gathers while text is read.
#[derive(Debug, Default)]
pub(super) struct Inline<'t> {
    /// The text, white space closed up.
    text: String,
    /// Figures and tables that were referred to, in order.
    pub(super) floats: Vec<&'t str>,
    /// Notes inside the text.
    pub(super) notes: Vec<Element<'t>>,
}

/// The text of an element: markup, notes and what is not printed left out.
pub(super) fn text_of(el: Element<'_>) -> String {
    let mut inline = Inline::default();
    inline.read(el);
    inline.take()
}

impl<'t> Inline<'t> {
    /// Adds the text of what stands in `el`.
    pub(super) fn read(&mut self, el: Element<'t>) {
        for child in el.children() {
            self.child(child);
        }
    }

    /// Adds one text or element.
    pub(super) fn child(&mut self, child: Child<'t>) {
        match child {
            Child::Text(text) => self.push(text),
            Child::Element(el) => self.element(el),
        }
    }

    /// The text so far; the next one begins empty.
    pub(super) fn take(&mut self) -> String {
        let text = std::mem::take(&mut self.text);
        text.trim_end().to_owned()
    }

    fn element(&mut self, el: Element<'t>) {
        match el.name() {
            "fn" => self.notes.push(el),
            "break" => self.push(" "),
            "xref" => {
                if matches!(el.attribute("ref-type"), Some("fig" | "table"))
                    && let Some(ids) = el.attribute("rid")
                {
                    self.floats.extend(ids.split_whitespace());
                }
                if el.attribute("ref-type") == Some("bibr") && el.elements().any(|e| e.name() == "sup") {
                    self.ensure_space();
                }
                self.read(el);
            }
            // A raised citation is no part of the word before it.
            "sup" => {
                if el.all("xref").any(|x| x.attribute("ref-type") == Some("bibr")) {
                    self.ensure_space();
                }
                self.read(el);
            }
            "tex-math" => self.push(formula(&text_of_all(el))),
            "alternatives" => {
                let best = ["math", "tex-math", "textual-form"]
                    .iter()
                    .find_map(|name| el.child(name));
                match best {
                    Some(best) => self.element(best),
                    None => self.read(el),
                }
            }
            "inline-formula" | "disp-formula" if el.child("math").is_some() => {
                for math in el.all("math") {
                    self.element(math);
                }
            }
            "graphic"
            | "inline-graphic"
            | "media"
            | "alt-text"
            | "long-desc"
            | "object-id"
            | "index-term"
            | "permissions"
            | "annotation"
            | "annotation-xml"
            | "inline-supplementary-material"
            | "processing-meta" => {}
            "p" | "title" | "td" | "th" | "list-item" | "def" | "term" | "label" | "sec" | "name"
            | "disp-quote" | "string-name" | "person-group" | "article-title" | "source" | "year"
            | "volume" | "fpage" | "pub-id" | "collab" | "publisher-name" | "given-names" | "suffix" => {
                self.push_gap();
                self.read(el);
                self.push_gap();
            }
            _ => self.read(el),
        }
    }

    fn push(&mut self, text: &str) {
        for c in text.chars() {
            if c.is_whitespace() {
                self.push_gap();
            } else if !c.is_control() {
                self.text.push(c);
            }
        }
    }

    fn push_gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(' ') {
            self.text.push(' ');
        }
    }

    /// Makes sure that what follows is separated by a space.
    fn ensure_space(&mut self) {
        if !self.text.ends_with(['(', '[', '–', '-', ',']) {
            self.push_gap();
        }
    }
}

/// Every text below, markup or not.
fn text_of_all(el: Element<'_>) -> String {
    let mut out = String::new();
    for child in el.children() {
        match child {
            Child::Text(text) => out.push_str(text),
            Child::Element(el) => out.push_str(&text_of_all(el)),
        }
    }
    out
}

/// What is printed of a LaTeX document that holds one formula.
fn formula(tex: &str) -> &str {
    let body = tex.split_once("\\begin{document}").map_or(tex, |(_, body)| body);
    let body = body.split_once("\\end{document}").map_or(body, |(body, _)| body);
    body.trim().trim_matches('$').trim()
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::*;

    #[test]
    fn text_reads_as_printed() {
        let check = |xml: &str, want: &str| {
            let tree = Tree::parse(&format!("<p>{xml}</p>")).expect("a tree");
            assert_eq!(text_of(tree.root()), want, "{xml}");
        };
        check("  one\n <italic>two</italic>three ", "one twothree");
        check(
            "found<sup><xref ref-type='bibr' rid='r1'>1</xref></sup>.",
            "found 1.",
        );
        check(
            "found<xref ref-type='bibr' rid='r1'><sup>1</sup></xref>.",
            "found 1.",
        );
        check("see [<xref ref-type='bibr' rid='r1'>1</xref>]", "see [1]");
        check("10<sup>−3</sup> m<sup>2</sup>, CO<sub>2</sub>", "10−3 m2, CO2");
        check("a<fn><p>note</p></fn> b<break/>c", "a b c");
        check(
            "x <inline-formula><alternatives><tex-math>\\documentclass{a}\\begin{document}$$\\alpha$$\\end{document}</tex-math>\
             <mml:math><mml:mi>α</mml:mi></mml:math></alternatives></inline-formula>",
            "x α",
        );
        check(
            "<tex-math>\\begin{document}$a = b$\\end{document}</tex-math>",
            "a = b",
        );
        check("<inline-graphic/>", "");
    }
}
