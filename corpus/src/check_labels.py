#!/usr/bin/env python3
"""Check the manifest and the query sets against the text of the PDFs, as an independent reader gives it.

    python3 corpus/src/check_labels.py [queries/FILE.jsonl ...]      all files under queries/ when left out

For each gold quote (and each `nearest` of an unanswerable question): it stands on the named page of its paper,
and in the named section, once both sides are folded (NFKC, ligatures, dashes, line-end hyphens, white space).
For each `absent` pattern: it occurs in no paper. Ids are unique, types known, targets and quotes consistent.
Exit code 0 when all holds, 1 otherwise.
"""

from __future__ import annotations

import csv
import json
import pathlib
import re
import sys
import unicodedata

import environment

SRC = pathlib.Path(__file__).resolve().parent
CORPUS = SRC.parent
QUERIES = CORPUS.parent / "queries"
NOTICE = "Fictional study written as sample data"
TYPES = {"direct": "D", "synthesis": "S", "edge": "E"}
COLUMNS = ["source_id", "title", "authors", "year", "venue", "doi", "type", "tags", "fictional"]
MAX_QUOTE_WORDS = 40
ABSTRACT = "Abstract"  # what stands before the first heading
NUMBERING = re.compile(r"^\d+(?:\.\d+)*\.?(?=\D)")

# PDFium marks a line-end hyphen that it would drop with U+FFFE; U+00AD is a soft hyphen.
LINE_END_HYPHEN = re.compile(r"[\u00ad\ufffe]\s*|(?<=\w)-\s*[\r\n]+\s*(?=[a-z])")
DASHES = str.maketrans({c: "-" for c in "‐‑‒–—−"} | {"’": "'", "‘": "'", "“": '"', "”": '"', "µ": "μ"})


def fold(text: str) -> str:
    """What two readers of one page should agree on: no white space, one dash, no line-end hyphens."""
    text = LINE_END_HYPHEN.sub("", text)
    text = unicodedata.normalize("NFKC", text).translate(DASHES)
    return re.sub(r"\s+", "", text)


def loose(text: str) -> str:
    """`fold` without hyphens: a word broken at its own hyphen cannot be told from one that was hyphenated."""
    return fold(text).replace("-", "")


class Paper:
    def __init__(self, path: pathlib.Path) -> None:
        import pypdfium2

        document = pypdfium2.PdfDocument(path)
        self.raw = [page.get_textpage().get_text_range() for page in document]
        self.pages = [loose(text) for text in self.raw]
        source = SRC / "papers" / f"{path.stem}.typ"
        self.sections = self.find_sections(source_headings(source.read_text(encoding="utf-8")))

    def pages_with(self, quote: str) -> list[int]:
        wanted = loose(quote)
        return [n for n, text in enumerate(self.pages, 1) if wanted in text]

    def section_before(self, quote: str, page: int) -> str:
        """The last heading, in reading order, before the quote (not for floats, see `in`)."""
        return self.section_at(sum(map(len, self.pages[: page - 1])) + self.pages[page - 1].index(loose(quote)))

    def section_at(self, offset: int) -> str:
        return next((name for start, name in reversed(self.sections) if start <= offset), ABSTRACT)

    def sections_that_mention(self, label: str) -> set[str]:
        """The sections whose text refers to a float by its label ("Table 2"); a caption opens its line and does not count."""
        wanted = re.compile(re.escape(loose(label)) + r"(?!\d)")
        found = wanted.finditer("".join(self.pages))
        return {self.section_at(m.start()) for m in found if m.start() not in self.line_starts} - {ABSTRACT}

    def find_sections(self, headings: list[str]) -> list[tuple[int, str]]:
        """Where each heading of the source opens a line, in order: offsets into the joined, folded pages."""
        lines, offset = [], 0
        for raw in self.raw:
            start = offset
            for line in raw.splitlines(keepends=True):
                lines.append((start, loose(line).casefold()))
                start += len(loose(line))
            offset += len(loose(raw))
        self.line_starts = {start for start, _ in lines}
        found, position = [], 0
        for heading in headings:
            wanted = loose(heading).casefold()
            for n in range(position, len(lines)):
                if opens(wanted, [line for _, line in lines[n : n + 3]]):
                    found.append((lines[n][0], heading))
                    position = n + 1
                    break
        return found


def opens(heading: str, lines: list[str]) -> bool:
    """Whether the heading fills the first one, two or three lines, or is run into the paragraph they begin."""
    text = ""
    for line in lines:
        text = text + line if text else NUMBERING.sub("", line)
        if text == heading or text.startswith(heading + "."):
            return True
        if not text or not heading.startswith(text):
            return False
    return False


def source_headings(source: str) -> list[str]:
    """The headings of a paper's source as printed, in order: emphasis marks and scripts dropped."""
    found = re.findall(r"^=+ (.+?)\s*$|^#unnumbered\[(.+?)\]$", source, re.M)
    scripts = re.compile(r"#(?:sub|super|emph)\[([^\]]*)\]")
    return [scripts.sub(r"\1", a or b).replace("_", "").replace("*", "") for a, b in found]


def check_manifest(papers: dict[str, Paper]) -> list[str]:
    faults = []
    with (CORPUS / "manifest.csv").open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
        if reader.fieldnames != COLUMNS:
            faults.append(f"manifest: columns are {reader.fieldnames}, expected {COLUMNS}")
    ids = [row["source_id"] for row in rows]
    for missing in sorted(set(papers) - set(ids)):
        faults.append(f"manifest: no row for {missing}.pdf")
    for stray in sorted(set(ids) - set(papers)):
        faults.append(f"manifest: {stray} has no PDF")
    if len(set(ids)) != len(ids):
        faults.append("manifest: a source_id occurs twice")
    for row in rows:
        paper = papers.get(row["source_id"])
        if paper is None:
            continue
        if row["fictional"] != "yes":
            faults.append(f"manifest: {row['source_id']} is not marked as fictional")
        first = paper.pages[0].lower()
        for wanted in [row["title"], row["doi"], row["year"], *row["authors"].split("; ")]:
            if loose(wanted).lower() not in first:
                faults.append(f"manifest: {row['source_id']}: {wanted!r} is not on the first page")
    for source, paper in papers.items():
        for number, text in enumerate(paper.pages, 1):
            if loose(NOTICE) not in text:
                faults.append(f"{source}: page {number} lacks the notice")
    return faults


def check_quote(papers: dict[str, Paper], item: dict) -> list[str]:
    source, quote = item.get("source_id", ""), item.get("quote", "")
    paper = papers.get(source)
    if paper is None:
        return [f"no such paper: {source!r}"]
    if not quote.strip():
        return ["empty quote"]
    if len(quote.split()) > MAX_QUOTE_WORDS:
        return [f"quote of {len(quote.split())} words, at most {MAX_QUOTE_WORDS}: {quote[:60]!r}"]
    pages = paper.pages_with(quote)
    if not pages:
        return [f"{source}: quote not found on any one page: {quote[:80]!r}"]
    if item.get("page") not in pages:
        return [f"{source}: quote is on page {pages}, not {item.get('page')}: {quote[:60]!r}"]
    faults = []
    if "section" not in item:
        faults.append(f"{source}: no section for {quote[:60]!r}")
    elif "in" in item:
        mentioned = paper.sections_that_mention(item["in"])
        if item["section"] not in mentioned:
            faults.append(f"{source}: {item['in']} is mentioned in {sorted(mentioned)}, not in {item['section']!r}")
    else:
        found = paper.section_before(quote, item["page"])
        if found != item["section"]:
            faults.append(f"{source}: quote stands under {found!r}, not {item['section']!r}: {quote[:60]!r}")
    return faults


def check_row(papers: dict[str, Paper], row: dict) -> list[str]:
    faults = []
    if not TYPES.get(row.get("type", "")):
        faults.append(f"unknown type {row.get('type')!r}")
    for field in ("id", "query", "target_papers", "expected_no_evidence", "tags"):
        if field not in row:
            faults.append(f"field {field} is missing")
    for target in row.get("target_papers", []):
        if target not in papers:
            faults.append(f"target {target!r} is not in the corpus")
    evidence = row.get("gold_evidence", [])
    if row.get("expected_no_evidence"):
        if evidence:
            faults.append("an unanswerable question has gold evidence (use `nearest`)")
        if row.get("reference_answer"):
            faults.append("an unanswerable question has a reference answer")
        if not row.get("absent"):
            faults.append("an unanswerable question needs an `absent` pattern")
    else:
        if not evidence:
            faults.append("an answerable question needs gold evidence")
        if not row.get("reference_answer"):
            faults.append("an answerable question needs a reference answer")
        if {e.get("source_id") for e in evidence} != set(row.get("target_papers", [])):
            faults.append("the sources of the gold evidence are not the target papers")
    for item in [*evidence, *row.get("nearest", [])]:
        faults += check_quote(papers, item)
    for pattern in row.get("absent", []):
        for source, paper in papers.items():
            flat = re.sub(r"\s+", " ", LINE_END_HYPHEN.sub("", " ".join(paper.raw)))
            if hit := re.search(pattern, flat, re.I):
                faults.append(f"absent pattern {pattern!r} occurs in {source}: {hit.group(0)!r}")
    return faults


def main() -> int:
    files = [pathlib.Path(name) for name in sys.argv[1:]] or sorted(QUERIES.glob("*.jsonl"))
    papers = {path.stem: Paper(path) for path in sorted(CORPUS.glob("*.pdf"))}
    faults = check_manifest(papers)
    seen: set[str] = set()
    total = quotes = unanswerable = 0
    targeted = set()
    for file in files:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            where = f"{file.name}:{number}"
            try:
                row = json.loads(line)
            except ValueError as error:
                faults.append(f"{where}: not JSON: {error}")
                continue
            if row.get("id") in seen:
                faults.append(f"{where}: id {row.get('id')} occurs twice")
            seen.add(row.get("id"))
            faults += [f"{where} {row.get('id')}: {fault}" for fault in check_row(papers, row)]
            total += 1
            quotes += len(row.get("gold_evidence", [])) + len(row.get("nearest", []))
            unanswerable += bool(row.get("expected_no_evidence"))
            if row.get("type") == "direct" and not row.get("expected_no_evidence"):
                targeted.update(row["target_papers"])
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(papers)} papers, {total} queries ({unanswerable} unanswerable), {quotes} quotes, {len(faults)} faults")
    if untargeted := sorted(set(papers) - targeted):
        print(f"note: without a direct query: {', '.join(untargeted)}")
    return 1 if faults else 0


if __name__ == "__main__":
    environment.ensure(__file__)
    raise SystemExit(main())
