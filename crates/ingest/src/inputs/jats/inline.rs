//! The running text of an element, as it is printed.

use super::tree::{Child, Element};
use crate::raised::{self, Raised};

/// What gathers while text is read.
#[derive(Debug, Default)]
pub(super) struct Inline<'t> {
    /// The text, white space closed up.
    text: String,
    /// Figures and tables that were referred to, in order.
    pub(super) floats: Vec<&'t str>,
    /// Notes inside the text.
    pub(super) notes: Vec<Element<'t>>,
    /// Whether the mark of a reference was the last to be left out.
    marked: bool,
}

/// The text of an element: markup, notes and what is not printed left out.
pub(in crate::inputs) fn text_of(el: Element<'_>) -> String {
    let mut inline = Inline::default();
    inline.read(el);
    inline.take()
}

impl<'t> Inline<'t> {
    /// Adds the text of what stands in `el`.
    pub(super) fn read(&mut self, el: Element<'t>) {
        let mut children = el.children().peekable();
        while let Some(child) = children.next() {
            self.child(child, children.peek());
        }
    }

    /// Adds one text or element, before what comes `next` in its parent.
    pub(super) fn child(&mut self, child: Child<'t>, next: Option<&Child<'t>>) {
        // What parts two marks goes with them.
        let parts = |c: char| c.is_whitespace() || ",;–—-".contains(c);
        let before_mark = || matches!(next, Some(Child::Element(next)) if is_mark(*next));
        match child {
            Child::Text(text) if self.marked && text.chars().all(parts) && before_mark() => {}
            Child::Text(text) => self.push(text),
            Child::Element(el) => self.element(el, next),
        }
    }

    /// The text so far; the next one begins empty.
    pub(super) fn take(&mut self) -> String {
        let text = std::mem::take(&mut self.text);
        text.trim_end().to_owned()
    }

    fn element(&mut self, el: Element<'t>, next: Option<&Child<'t>>) {
        match el.name() {
            "fn" => self.notes.push(el),
            "break" => self.push(" "),
            "xref" => {
                if matches!(el.attribute("ref-type"), Some("fig" | "table"))
                    && let Some(ids) = el.attribute("rid")
                {
                    self.floats.extend(ids.split_whitespace());
                }
                // In brackets, or set apart, it reads as text: "[3]", "see reference 3".
                let open = self.text.ends_with(|c: char| c.is_whitespace() || "([–-,;".contains(c));
                let raised = el.elements().any(|e| e.name() == "sup");
                if is_mark(el) && !self.text.is_empty() && (raised || !open || self.marked) {
                    self.mark();
                } else {
                    self.read(el);
                }
            }
            "sup" if is_mark(el) => self.mark(),
            "sup" | "msup" => {
                let mut base = el.elements();
                let exponent = if el.name() == "msup" {
                    base.next().into_iter().for_each(|base| self.element(base, None));
                    base.next().map(text_of).unwrap_or_default()
                } else {
                    text_of(el)
                };
                let after = match next {
                    Some(Child::Text(text)) => Some(*text),
                    Some(Child::Element(_)) => None,
                    None => Some(""),
                };
                let what = match el.name() {
                    "msup" if exponent.chars().any(char::is_alphanumeric) => Raised::Power,
                    "msup" => Raised::Joined,
                    _ => raised::what_is(&self.text, &exponent, after, false),
                };
                if what == Raised::Mark {
                    self.mark();
                } else {
                    raised::push(&mut self.text, &exponent, what);
                    self.marked = false;
                }
            }
            "mfrac" => {
                for (i, part) in el.elements().enumerate() {
                    self.push(if i > 0 { "/" } else { "" });
                    self.element(part, None);
                }
            }
            "tex-math" => self.push(formula(&el.verbatim())),
            "alternatives" => {
                let best = ["math", "tex-math", "textual-form"].iter().find_map(|name| el.child(name));
                match best {
                    Some(best) => self.element(best, None),
                    None => self.read(el),
                }
            }
            "inline-formula" | "disp-formula" if el.child("math").is_some() => {
                for math in el.all("math") {
                    self.element(math, None);
                }
            }
            _ if el.is_one_of(NOT_PRINTED) => {}
            _ if el.is_one_of(APART) => {
                self.push_gap();
                self.read(el);
                self.push_gap();
            }
            _ => self.read(el),
        }
    }

    /// Leaves the mark of a reference or a note out.
    fn mark(&mut self) {
        raised::push(&mut self.text, "", Raised::Mark);
        self.marked = true;
    }

    fn push(&mut self, text: &str) {
        if self.marked && text.starts_with(char::is_alphanumeric) {
            self.push_gap();
        }
        self.marked &= text.is_empty();
        for c in text.chars() {
            if c.is_whitespace() {
                self.push_gap();
            } else if !c.is_control() && !INVISIBLE.contains(&c) {
                self.text.push(c);
            }
        }
    }

    fn push_gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(' ') {
            self.text.push(' ');
        }
    }
}

/// Operators of formulas that nobody sees: applied, times, comma, plus.
const INVISIBLE: std::ops::RangeInclusive<char> = '\u{2061}'..='\u{2064}';
/// Elements that are not printed.
const NOT_PRINTED: &str = "graphic inline-graphic media alt-text long-desc object-id index-term permissions annotation \
    annotation-xml inline-supplementary-material processing-meta";
/// Elements whose text stands apart from that around them.
const APART: &str = "p title td th list-item def term label sec name disp-quote string-name person-group article-title \
    source year volume fpage pub-id collab publisher-name given-names suffix";

/// Whether an element holds nothing but marks of references or notes: numbers, letters and signs.
fn is_mark(el: Element<'_>) -> bool {
    let refers = |x: Element<'_>| {
        x.name() == "xref"
            && matches!(
                x.attribute("ref-type"),
                Some("bibr" | "fn" | "table-fn" | "aff" | "corresp" | "author-notes" | "other")
            )
    };
    let text = || el.verbatim();
    match el.name() {
        "xref" => refers(el) && raised::is_mark(&text()),
        "sup" => el.all("xref").any(refers) && raised::is_mark(&text()),
        _ => false,
    }
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
        check("found<sup><xref ref-type='bibr' rid='r1'>1</xref></sup>.", "found.");
        check("found<xref ref-type='bibr' rid='r1'><sup>1</sup></xref>.", "found.");
        check("see [<xref ref-type='bibr' rid='r1'>1</xref>]", "see [1]");
        check("10<sup>−3</sup> m<sup>2</sup>, CO<sub>2</sub>, 250<sup>9</sup> K", "10^-3 m^2, CO2, 250 K");
        check("<sup>a</sup>AG: Agadir. <sup>b</sup>BM", "a AG: Agadir. b BM");
        check(
            "rose.<sup>[ <xref ref-type='bibr'>3c</xref> , <xref ref-type='bibr'>4</xref> ]</sup> In",
            "rose. In",
        );
        check("with <sup>13</sup>C and Ca<sup>2+</sup>", "with 13C and Ca2+");
        check(
            "rose<xref ref-type='bibr' rid='r1'>1</xref>,<xref ref-type='bibr' rid='r3'>3</xref>, and",
            "rose, and",
        );
        check(
            "rose<sup><xref ref-type='bibr' rid='r1'>1</xref></sup>–<sup><xref ref-type='bibr' rid='r3'>3</xref></sup> and",
            "rose and",
        );
        check(
            "see <xref ref-type='bibr' rid='r1'>Doe 2010</xref>, ref. <xref ref-type='bibr' rid='r1'>2</xref>",
            "see Doe 2010, ref. 2",
        );
        check("Title<xref ref-type='fn' rid='f1'>*</xref>", "Title");
        check("<msup><mi>x</mi><mn>2</mn></msup> <mfrac><mn>1</mn><mn>2</mn></mfrac>", "x^2 1/2");
        check("a<fn><p>note</p></fn> b<break/>c", "a b c");
        check(
            "x <inline-formula><alternatives><tex-math>\\documentclass{a}\\begin{document}$$\\alpha$$\\end{document}</tex-math>\
             <mml:math><mml:mi>α</mml:mi></mml:math></alternatives></inline-formula>",
            "x α",
        );
        check("<tex-math>\\begin{document}$a = b$\\end{document}</tex-math>", "a = b");
        check("<inline-graphic/>", "");
    }
}
