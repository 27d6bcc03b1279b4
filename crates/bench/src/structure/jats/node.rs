//! Questions to nodes of the tree. Names are compared without their namespace.

use roxmltree::Node;

/// The local name; empty for what is no element.
pub(super) fn name<'a>(node: Node<'a, '_>) -> &'a str {
    if node.is_element() {
        node.tag_name().name()
    } else {
        ""
    }
}

/// The first child element with this name.
pub(super) fn child<'a, 'i>(node: Node<'a, 'i>, wanted: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|c| name(*c) == wanted)
}

/// All elements below with this name, in the order of the file.
pub(super) fn below<'a, 'i>(node: Node<'a, 'i>, wanted: &str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.descendants().filter(move |n| name(*n) == wanted)
}

/// Whether the node lies inside an element with one of these names.
pub(super) fn inside(node: Node<'_, '_>, names: &[&str]) -> bool {
    node.ancestors().skip(1).any(|a| names.contains(&name(a)))
}

/// What floats or is boxed: it is no part of the running text around it.
const FLOATS: [&str; 11] = [
    "caption",
    "fig",
    "fig-group",
    "table-wrap",
    "table-wrap-group",
    "boxed-text",
    "supplementary-material",
    "media",
    "floats-group",
    "def-list",
    "fn",
];

/// Whether the node lies inside a float or an element with one of these names.
pub(super) fn apart(node: Node<'_, '_>, names: &[&str]) -> bool {
    inside(node, &FLOATS) || inside(node, names)
}

/// Whether a node is the raised mark of a reference or a note: no text of its sentence. One that nothing raises is
/// raised by the publisher's style where it follows a word without a blank.
fn is_raised_mark(node: Node<'_, '_>) -> bool {
    let refers =
        |n: Node<'_, '_>| name(n) == "xref" && matches!(n.attribute("ref-type"), Some("bibr" | "fn"));
    let glued = || {
        let before = node.prev_sibling().and_then(|n| n.text()).unwrap_or_default();
        before.ends_with(|c: char| c.is_alphanumeric() || ".)”".contains(c))
    };
    match name(node) {
        "sup" => node.children().any(refers),
        "xref" => refers(node) && (child(node, "sup").is_some() || glued()),
        _ => false,
    }
}

/// The text of a node without raised marks. Elements named in `left_out` give a gap: `None` in the stream of pieces.
pub(super) fn pieces<'a>(node: Node<'a, '_>, left_out: &[&str], mut each: impl FnMut(Option<&'a str>)) {
    walk(node, |step| {
        let Step::Open(at) = step else { return true };
        if at != node && left_out.contains(&name(at)) {
            each(None);
            return false;
        }
        if at != node && is_raised_mark(at) {
            return false;
        }
        if at.is_text() {
            each(at.text());
        } else if name(at) == "break" {
            each(Some(" ")); // sets words apart
        }
        true
    });
}

/// The text of a node without what is not printed in its line: notes, and formulas spelt in TeX.
pub(super) fn text(node: Node<'_, '_>) -> String {
    let mut out = String::new();
    pieces(node, &["fn", "tex-math", "inline-graphic", "graphic"], |piece| {
        out.push_str(piece.unwrap_or(" "));
    });
    super::super::fold::strict(&out)
}

/// How deep elements nest below a node.
pub(super) fn depth(node: Node<'_, '_>) -> usize {
    let (mut now, mut most) = (0_usize, 0);
    walk(node, |step| {
        now = match step {
            Step::Open(_) => now + 1,
            Step::Close => now.saturating_sub(1),
        };
        most = most.max(now);
        true
    });
    most
}

enum Step<'a, 'i> {
    Open(Node<'a, 'i>),
    Close,
}

/// Walks a node and what is below it without recursion, so that no file can exhaust the stack. `visit` says
/// whether to go below what was opened.
fn walk<'a, 'i>(root: Node<'a, 'i>, mut visit: impl FnMut(Step<'a, 'i>) -> bool) {
    let mut at = root;
    loop {
        if visit(Step::Open(at))
            && let Some(first) = at.first_child()
        {
            at = first;
            continue;
        }
        loop {
            visit(Step::Close);
            if at == root {
                return;
            }
            match (at.next_sibling(), at.parent()) {
                (Some(next), _) => {
                    at = next;
                    break;
                }
                (None, Some(parent)) => at = parent,
                (None, None) => return,
            }
        }
    }
}
