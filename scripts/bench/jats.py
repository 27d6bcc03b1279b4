"""The ground truth: what the publisher's JATS says of a paper.

It shares no code with the JATS input of the pipeline, deliberately: a mistake that both made could not be seen.
"""

import collections
from xml.parsers import expat

from fold import letters, soft, strict

MOST_BYTES = 64 << 20

# What floats or is boxed is no part of the running text around it.
FLOATS = set((
    "caption fig fig-group table-wrap table-wrap-group boxed-text supplementary-material media floats-group def-list "
    "fn"
).split())
# Elements whose title heads a section, and elements in which titles belong to another text.
HEADED = set("sec ack ref-list app app-group abstract trans-abstract glossary fn-group notes bio".split())
OTHER_TEXTS = {"sub-article", "response", "list", "statement", "author-notes"}
# What interrupts a paragraph, and where a paragraph is not running text of the body.
GAPS = FLOATS | set((
    "disp-formula disp-formula-group inline-formula tex-math math list disp-quote graphic inline-graphic code "
    "preformat array statement p"
).split())
NOT_RUNNING = {"fn-group", "glossary", "ref-list", "ack"}
# The soft names under which an element without a title is commonly printed.
USUAL_NAMES = {
    "abstract": ("abstract", "summary"),
    "abstract graphical": ("graphicalabstract",),
    "kwd-group": ("keywords", "keyword"),
    "kwd-group abbreviations": ("abbreviations",),
    "ref-list": ("references", "reference", "bibliography", "literaturecited", "literature"),
    "ack": ("acknowledgments", "acknowledgements", "acknowledgment", "acknowledgement"),
    "glossary": ("abbreviations", "listofabbreviations", "glossary", "nomenclature"),
}
# Folded characters: shorter paragraphs, runs and parts of references may be anywhere by chance.
SHORTEST_PARAGRAPH, SHORTEST_RUN, STRETCH = 80, 20, 30


class TruthError(Exception):
    """The file is not a JATS article that can be read."""


class Node:
    """An element: its children are elements and strings. Names are without their namespace."""

    def __init__(self, name, attributes, parent):
        self.name, self.attributes, self.parent, self.children = name.rpartition(":")[2], attributes, parent, []

    def elements(self, *names):
        """The children that are elements with one of the names (all without names)."""
        found = (child for child in self.children if isinstance(child, Node))
        return (child for child in found if not names or child.name in names)

    def child(self, name):
        return next(self.elements(name), None)

    def text_of(self, name):
        """The text of the first child with this name; empty without one."""
        return (self.child(name) or EMPTY).text()

    def below(self, *names):
        """This element and those below it that have one of the names (all without names), in the order of the file."""
        if not names or self.name in names:
            yield self
        for child in self.elements():
            yield from child.below(*names)

    def above(self):
        """The elements around this one, nearest first."""
        at = self.parent
        while at:
            yield at
            at = at.parent

    def inside(self, names):
        return any(node.name in names for node in self.above())

    def pieces(self, left_out):
        """The strings below without raised marks; None where an element named in `left_out` was."""
        before = ""
        for child in self.children:
            if isinstance(child, str):
                yield child
            elif child.name in left_out:
                yield None
            elif not child.is_raised_mark(before):
                if child.name == "break":
                    yield " "
                yield from child.pieces(left_out)
            before = child

    def is_raised_mark(self, before):
        """Whether this is the raised mark of a reference or a note. One that nothing raises is raised by the publisher's
        style where it follows a word without a space."""
        if self.name == "sup":
            return any(child.refers() for child in self.elements())
        if not self.refers():
            return False
        while isinstance(before, Node):
            before = before.children[0] if before.children else ""
        return self.child("sup") is not None or before[-1:].isalnum() or before.endswith((".", ")", "”"))

    def refers(self):
        return self.name == "xref" and self.attributes.get("ref-type") in ("bibr", "fn")

    def text(self):
        """The text without what is not printed in its line: notes, and formulas in TeX."""
        left_out = {"fn", "tex-math", "inline-graphic", "graphic"}
        return strict("".join(" " if piece is None else piece for piece in self.pieces(left_out)))


EMPTY = Node("", {}, None)
# `printed` begins with the label; `strict` are the forms that count as equal, with the label and without; `of` is the element.
Heading = collections.namedtuple("Heading", "printed strict soft of")
# `runs` are folded stretches between what interrupts the paragraph; `under` are its headings, nearest first.
Paragraph = collections.namedtuple("Paragraph", "runs start under")
# What a paper should read as. Authors are (given names, surname); a group is a surname. For each of `pardons`, a set of soft
# names, one extracted heading counts neither way. `references` are folded stretches of those that are long enough.
Truth = collections.namedtuple("Truth", "publisher titles authors years doi headings pardons paragraphs references")


def tree(data):
    """The root element of an XML document. External files are never read."""
    at = top = Node("", {}, None)

    def start(name, attributes):
        nonlocal at
        at.children.append(Node(name, attributes, at))
        at = at.children[-1]

    def end(_):
        nonlocal at
        at = at.parent

    def skipped(name, _):
        raise TruthError(f"not readable as XML: the entity &{name}; is defined in a file that is not read")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.SkippedEntityHandler = start, end, skipped
    parser.CharacterDataHandler = lambda text: at.children.append(text)
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise TruthError(f"not readable as XML: {error}") from error
    return top.children[0]


def read(data):
    """Reads the bytes of a JATS file."""
    if len(data) > MOST_BYTES:
        raise TruthError(f"larger than {MOST_BYTES >> 20} MiB")
    article = tree(data)
    if article.name != "article":
        raise TruthError(f"its root is <{article.name}>, not a JATS <article>")
    try:
        return truth(article)
    except RecursionError as error:
        raise TruthError("elements nest too deep") from error


def truth(article):
    front, body, back = (article.child(name) or EMPTY for name in ("front", "body", "back"))
    journal, meta = (front.child(name) or EMPTY for name in ("journal-meta", "article-meta"))
    dois = [n.text().lower() for n in meta.elements("article-id") if n.attributes.get("pub-id-type") == "doi"]
    publishers = [node.text() for node in journal.below("publisher-name")]
    paragraphs = [paragraph(p) for p in body.below("p") if not p.inside(FLOATS | NOT_RUNNING)]
    return Truth(
        publisher=publishers[0] if publishers else "(no publisher named)",
        titles=titles(meta),
        authors=authors(meta),
        years=years(meta),
        doi=dois[0] if dois else "",
        headings=list(filter(None, map(heading, article.below("title")))),
        pardons=list(filter(None, map(pardon, article.below()))),
        paragraphs=list(filter(None, paragraphs)),
        references=list(filter(None, map(stretch, back.below("ref")))),
    )


def titles(meta):
    """The title with its subtitle and the title alone: either is right."""
    group = meta.child("title-group") or EMPTY
    title, subtitle = group.text_of("article-title"), group.text_of("subtitle")
    return [found for found in (f"{title} {subtitle}" if subtitle else "", title) if found]


def years(meta):
    """Years of publication, in print, online or of the collection; those of an archive are left out."""
    dates = meta.elements("pub-date")
    dates = (d for d in dates if not any(d.attributes.get(k, "").startswith("pmc") for k in ("pub-type", "date-type")))
    return [int(year) for date in dates if (year := date.text_of("year")).isdecimal() and len(year) < 5]


def authors(meta):
    """Authors in the order of the file, without editors. Members of a group are inside its element and are left out."""
    found = []
    for contributor in (c for group in meta.elements("contrib-group") for c in group.below("contrib")):
        kind = contributor.attributes.get("contrib-type", "author")
        if kind != "author" or contributor.inside({"collab", "contrib"}):
            continue
        group, surname = contributor.child("collab"), next(contributor.below("surname"), None)
        if group:
            name = ("", strict("".join(piece or " " for piece in group.pieces({"contrib-group"}))))
        elif surname:
            name = (surname.parent.text_of("given-names"), surname.text())
        else:
            # A name without its parts: the last word is taken for the surname.
            whole = next(contributor.below("string-name"), EMPTY).text()
            name = whole.rpartition(" ")[::2]
        if name[1]:
            found.append(name)
    return found


def heading(title):
    """The heading that a `title` element is, or None if it heads no section of the article."""
    if title.parent.name not in HEADED or title.inside(FLOATS | OTHER_TEXTS):
        return None
    words, form = title.text(), soft(title.text())
    printed = strict(f"{title.parent.text_of('label')} {words}")
    return Heading(printed, (printed, words), form, title.parent.name) if form else None


def pardon(node):
    """The soft names under which an element without a title may be printed, or None."""
    first = lead_in(node)
    if first:
        return (first,)
    # A list of keywords has no text of its own: its label is never required.
    if node.name != "kwd-group" and soft(node.text_of("title")) or node.inside(FLOATS | OTHER_TEXTS):
        return None
    # A list inside a list is a part of it, without a heading of its own.
    if node.name == "ref-list" and node.inside({"ref-list"}):
        return None
    kind = node.attributes.get("abstract-type") or node.attributes.get("kwd-group-type")
    return USUAL_NAMES.get(f"{node.name} {kind}") or USUAL_NAMES.get(node.name)


def lead_in(node):
    """The soft form of the bold words that begin a note at the end of an article ("Competing interests"); JATS has no title
    for them."""
    if node.name != "fn" or not (node.inside({"fn-group"}) and node.inside({"back"})):
        return None
    if node.inside({"table-wrap", "fig", "sub-article", "response"}):
        return None
    first = next((c for c in (node.child("p") or EMPTY).children if isinstance(c, Node) or c.strip()), "")
    return soft(first.text()) if isinstance(first, Node) and first.name == "bold" else None


def paragraph(p):
    """The paragraph, or None if it is too short to be searched."""
    raw = "".join("\0" if piece is None else piece for piece in p.pieces(GAPS)).split("\0")  # XML has no such character
    folded = [letters(run) for run in raw]
    runs = [run for run in folded if len(run) >= SHORTEST_RUN]
    if sum(map(len, folded)) < SHORTEST_PARAGRAPH or not runs:
        return None
    titles_above = (above.child("title") for above in p.above())
    under = [found for title in titles_above if title and (found := heading(title))]
    return Paragraph(runs, strict(" ".join(raw))[:80], under)


def stretch(reference):
    """Folded text of a reference that is hardly elsewhere: the beginning of the cited title if that is long enough, else from
    the middle of the entry; None if both are short."""
    for title in (*reference.below("article-title"), *reference.below("source")):
        if len(form := letters(title.text())) >= STRETCH:
            return form[: 2 * STRETCH]
    cited = next(reference.below("mixed-citation", "citation", "nlm-citation"), None)
    whole = letters(cited.text()) if cited else ""
    middle = (len(whole) - STRETCH) // 2
    return whole[middle : middle + STRETCH] if len(whole) >= 2 * STRETCH else None
