#!/usr/bin/env python3
"""Compares the structure that `pipeline parse` extracts from PDFs with the JATS of the same papers (docs/lab/structure.md).

A PDF that fails counts as all missed, and an invented heading costs precision. Whether a heading of the truth is in a PDF at
all is asked of PDFium's plain text, not of the parser. Exit codes: 0 done; 1 a --min failed or a truth could not be read;
2 an error. Set-up: pip install -r requirements-structure.txt
"""

import argparse
import bisect
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

import jats
from harness import note, table
from scoring import LOW, METRICS, PROBE, Paper, group

# Columns of the two tables by publisher.
STRUCTURE = {
    "F1 soft": "soft_f1", "P": "soft_precision", "R": "soft_recall", "F1 strict": "strict_f1", "order": "section_order",
    "¶ whole": "paragraphs_whole", "¶ section": "paragraphs_right_section", "¶ order": "reading_order", "leak": LOW,
}
METADATA = {
    "title": "title", "first author": "first_author", "authors P": "author_precision", "R": "author_recall", "F1": "author_f1",
    "all right": "authors_exact", "year": "year", "DOI": "doi",
}
# A process that prints the plain text of a PDF: at most so many bytes of memory, seconds of processor time, bytes of text.
TEXT_MEMORY, TEXT_SECONDS, MOST_TEXT = 1 << 30, 60, 64 << 20
PARSE_SECONDS = 600
WORD = re.compile(r"[^\W_]+")


def pairs(folder, only):
    """The PDFs of the folder with the JATS of the same stem, by name. Files without the other are named."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and only in path.stem)
    pdfs = {path.stem: path for path in files if path.suffix.lower() == ".pdf"}
    truths = {path.stem: path for path in files if path.suffix.lower() in (".xml", ".nxml")}
    for stem in sorted(pdfs.keys() ^ truths.keys()):
        note(f"{pdfs.get(stem) or truths[stem]} is not scored: no {'JATS' if stem in pdfs else 'PDF'} beside it")
    if not pdfs.keys() & truths.keys():
        raise OSError(f"{folder} has no paper as NAME.pdf with its JATS as NAME.xml beside it")
    return [(pdfs[stem], truths[stem]) for stem in sorted(pdfs.keys() & truths.keys())]


def is_odd(publisher, seed):
    """Which half a publisher is in. All its names are in one: the first telling word decides ("Acme Publishing Corporation").
    The coin is FNV-1a, then the finaliser of SplitMix64, whose highest bit depends on every byte."""
    words = (word for word in WORD.findall(publisher.lower()) if word not in ("the", "john", "university", "of"))
    mask = (1 << 64) - 1
    hash_ = (0xCBF29CE484222325 ^ seed) & mask
    for byte in next(words, "").encode():
        hash_ = ((hash_ ^ byte) * 0x100000001B3) & mask
    hash_ = ((hash_ ^ hash_ >> 30) * 0xBF58476D1CE4E5B9) & mask
    hash_ = ((hash_ ^ hash_ >> 27) * 0x94D049BB133111EB) & mask
    return bool((hash_ ^ hash_ >> 31) >> 63)


def parse(args, pdf):
    """What `pipeline parse` prints, or None and the reason."""
    command = [args.pipeline, "parse", pdf, "--format", "json", "--quiet"]
    command += [word for setting in args.settings for word in ("--set", setting)]
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=PARSE_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        return None, str(error)
    # 1 is a document without sections.
    if done.returncode in (0, 1) and done.stdout:
        return json.loads(done.stdout), None
    said = done.stderr.decode(errors="replace").strip().removeprefix("error: ") or f"exit code {done.returncode}"
    if not said.startswith(f"{pdf}: "):
        raise OSError(f"{args.pipeline}: {said}")  # it does not run at all
    return None, said.removeprefix(f"{pdf}: ")


def plain_text(pdf):
    """PDFium's text of a PDF, read in a process of its own; None with a note if there is none."""
    command = [sys.executable, "-B", os.path.abspath(__file__), "--plain-text", pdf]
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode == 0:
        return done.stdout[:MOST_TEXT].decode(errors="replace")
    lines = done.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {done.returncode}"]
    note(f"no plain text of {pdf}: {lines[-1]}; no heading of it counts as absent")
    return None


def print_plain_text(pdf):
    """The side of that process. Pages are set apart by form feeds."""
    resource.setrlimit(resource.RLIMIT_AS, (TEXT_MEMORY, TEXT_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (TEXT_SECONDS, TEXT_SECONDS))
    import pypdfium2

    data = pathlib.Path(pdf).read_bytes()
    for page in pypdfium2.PdfDocument(data[max(0, data.find(b"%PDF-")) :]):
        width, height = page.get_size()
        text = page.get_textpage().get_text_bounded(0, 0, width, height)
        sys.stdout.buffer.write(text.encode(errors="replace") + b"\f")


def score(args, found):
    """The papers in the order of their names, and the truths that could not be read with the reason."""
    if importlib.util.find_spec("pypdfium2") is None:
        raise OSError("this Python has no pypdfium2: pip install -r scripts/bench/requirements-structure.txt")
    truths, unreadable = [], {}
    for pdf, xml in found:
        try:
            truth = jats.read(xml.read_bytes())
        except (jats.TruthError, OSError) as error:
            print(f"error: {xml}: {error}", file=sys.stderr)
            unreadable[pdf.stem] = str(error)
            continue
        if args.publishers in (None, "odd" if is_odd(truth.publisher, args.seed) else "even"):
            truths.append((pdf, truth))
    if not truths and not unreadable:
        raise OSError(f"{args.dir} has no paper of this half of the publishers; try the other half or another --seed")

    def paper(pair):
        parsed, failure = parse(args, pair[0])
        return Paper(pair[0].stem, pair[1], parsed, failure, plain_text(pair[0]))

    with concurrent.futures.ThreadPoolExecutor(args.workers) as pool:
        return list(pool.map(paper, truths)), unreadable


def gate(text):
    """METRIC=VALUE of --min."""
    key, _, value = (part.strip() for part in text.partition("="))
    if key not in METRICS:
        raise argparse.ArgumentTypeError(f"there is no metric {key!r}; known: {', '.join(METRICS)}")
    if not re.fullmatch(r"0|1|[01]?\.[0-9]+", value) or float(value) > 1:
        raise argparse.ArgumentTypeError(f"{value!r} is no number from 0 to 1; write METRIC=VALUE")
    return key, float(value)


def faults(gates, metrics):
    """Why gates fail. A metric without a value never passes."""
    for key, bound in gates:
        value = metrics[key]["micro"]
        if value is None:
            yield f"{key} has no value, {bound:.3f} was asked for"
        elif key == LOW and value > bound + 1e-12:
            yield f"{key} is {value:.4f}, at most {bound:.4f} was asked for"
        elif key != LOW and value < bound - 1e-12:
            yield f"{key} is {value:.4f}, at least {bound:.4f} was asked for"


def earlier(path):
    """The metrics of an earlier run."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))["all"]["metrics"]
    except (ValueError, LookupError, TypeError) as error:
        raise OSError(f"{path} is no result of structure.py --format json: {error}") from error


def number(value, form=".3f"):
    return "n/a" if value is None else format(value, form)


def report(papers, unreadable, groups, baseline, markdown):
    """The tables for people: all metrics, then a line for each publisher."""
    everyone = groups["all (micro)"]
    rows = [["metric", "micro", "95 % interval", "macro", "counted", "papers (n/a)"] + ["before", "change"] * bool(baseline)]
    for key, label in METRICS.items():
        m = everyone["metrics"][key]
        ends, counted = f"{number(m['ci_low'])} to {number(m['ci_high'])}", f"{m['hits']}/{m['of']}"
        rows.append([label, number(m["micro"]), ends, number(m["macro"]), counted, f"{m['papers']} ({len(papers) - m['papers']})"])
        if baseline:
            before = baseline.get(key, {}).get("micro")
            change = None if None in (before, m["micro"]) else m["micro"] - before
            rows[-1] += [number(before), number(change, "+.3f")]
    out = [table(rows, markdown)]
    out.append(
        f"{len(papers)} papers, {everyone['failed']} not read (all of their truth counts as missed); "
        f"{everyone['absent_headings']} headings of the truth are not in the PDFs' text and count neither way.\n"
        f"{sum(len(p.missed_authors) for p in papers)} authors of the truth are missed; "
        f"{sum(len(p.wrong_authors) for p in papers)} names given are not among them.\n"
    )
    for columns in (STRUCTURE, METADATA):
        rows = [["publisher", "n", *columns]]
        for name, one in groups.items():
            kind = "macro" if name == "all (macro)" else "micro"
            rows.append([name, one["papers"], *(number(one["metrics"][key][kind]) for key in columns.values())])
        out.append(table(rows, markdown))
    out += [f"not read: {paper.name}: {paper.failure}\n" for paper in papers if paper.failure]
    out += [f"truth not read: {name}: {reason}\n" for name, reason in unreadable.items()]
    return "\n".join(out)


def details(paper):
    """Everything of one paper that did not count as found."""
    out = [f"== {paper.name} ({paper.truth.publisher})"]
    out += [f"not read: {paper.failure}"] if paper.failure else []
    out.append(", ".join(f"{key} {paper.shares[key][0]}/{paper.shares[key][1]}" for key in METRICS))
    out += [f"missed heading: {heading.printed!r} <{heading.of}>" for heading in paper.missed]
    out += [f"invented heading: {heading!r}" for heading in paper.invented]
    out += [f"not in the PDF: {heading.printed!r} <{heading.of}>" for heading in paper.absent]
    for key, truth in (("title", paper.truth.titles), ("year", paper.truth.years), ("doi", paper.truth.doi)):
        if paper.shares[key] == (0, 1):
            out.append(f"{key}: {paper.ours[key]!r}, the truth has {truth!r}")
    if paper.shares["first_author"] == (0, 1):
        out.append(f"first author: {paper.ours['authors'][:1]!r}, the truth has {paper.truth.authors[0]!r}")
    out += [f"missed author: {name!r}" for name in paper.missed_authors]
    out += [f"wrong author: {name!r}" for name in paper.wrong_authors]
    for paragraph, place, right in zip(paper.truth.paragraphs, paper.places, paper.right):
        if not (place and place[2] and right):
            out.append(f"paragraph {paragraph.start!r}: {fate(paper, paragraph, place, right)}")
    out += [f"leaked reference: {reference}" for reference in paper.leaked]
    return "\n  ".join(out) + "\n"


def fate(paper, paragraph, place, right):
    """What became of a paragraph that is not whole in its section, and how far it can be followed."""
    what = "lost" if not place else "whole" if place[2] else "in parts"
    if place and not right:
        under = paragraph.under[0].printed if paragraph.under else ""
        what += f", under {paper.headings[place[0]]!r} instead of {under!r}"
    texts = [paper.texts[place[0]]] if place else paper.texts
    run = next((run for run in paragraph.runs if not any(run in text for text in texts)), None)
    if run is None:
        return what
    # A longer beginning is never found where a shorter one is not.
    missing = lambda length: not any(run[:length] in text for text in texts)
    length = bisect.bisect_left(range(len(run)), True, key=missing) - 1
    text = next(text for text in texts if run[:length] in text) if texts else ""
    at = text.find(run[:length]) + length
    printed = "" if paper.printed is None or run not in paper.printed else "; PDFium's text has it whole"
    follows, wanted = text[at : at + PROBE], run[length : length + PROBE]
    return f"{what}; cut after {length} of {len(run)} letters: {follows!r} follows instead of {wanted!r}{printed}"


def as_json(paper):
    """What the JSON document says of a paper."""
    return {
        "name": paper.name,
        "publisher": paper.truth.publisher,
        "failure": paper.failure,
        "metrics": {key: {"hits": hits, "of": of} for key, (hits, of) in paper.shares.items()},
        "missed_headings": [heading.printed for heading in paper.missed],
        "absent_headings": [heading.printed for heading in paper.absent],
        "invented_headings": paper.invented,
        "missed_authors": paper.missed_authors,
        "wrong_authors": paper.wrong_authors,
    }


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=pathlib.Path, help="a folder of NAME.pdf beside NAME.xml or NAME.nxml")
    parser.add_argument("--only", default="", metavar="TEXT", help="only papers whose name contains this")
    parser.add_argument("--verbose", action="store_true", help="list for each paper what was missed, invented, lost, and why")
    parser.add_argument("--min", dest="gates", type=gate, action="append", default=[], metavar="METRIC=VALUE",
                        help="exit code 1 if a metric over all papers is lower (reference_leak: higher); may be repeated")
    parser.add_argument("--baseline", type=pathlib.Path, metavar="FILE", help="compare with the JSON of an earlier run")
    parser.add_argument("--publishers", choices=("even", "odd"), help="only papers of one half of the publishers")
    parser.add_argument("--seed", type=int, default=20, help="of the intervals and of the halves [default: 20]")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), metavar="N", help="papers at a time [default: all cores]")
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="KEY=VALUE", help="one setting")
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    parser.add_argument("--pipeline", default="target/release/pipeline", metavar="PROGRAM")
    return parser.parse_args()


def main():
    if sys.argv[1:2] == ["--plain-text"]:
        return print_plain_text(sys.argv[2])
    args = arguments()
    baseline = earlier(args.baseline) if args.baseline else None
    papers, unreadable = score(args, pairs(args.dir, args.only))
    everyone = group(papers, args.seed)
    names = sorted({paper.truth.publisher for paper in papers})
    publishers = {name: group([p for p in papers if p.truth.publisher == name], args.seed) for name in names}
    if args.format == "json":
        version = subprocess.check_output([args.pipeline, "--version"], text=True).strip()
        found = {"pipeline": version, "seed": args.seed, "all": everyone, "publishers": publishers}
        found |= {"unreadable_truth": unreadable, "papers": list(map(as_json, papers))}
        print(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        groups = {**publishers, "all (micro)": everyone, "all (macro)": everyone}
        text = report(papers, unreadable, groups, baseline, args.format == "markdown")
        text += "\n" + "\n".join(map(details, papers)) if args.verbose else ""
        # Text from papers may hold control characters, which are printed by their codes.
        print("".join(c if c == "\n" or c.isprintable() else ascii(c)[1:-1] for c in text), end="")
    failed = list(faults(args.gates, everyone["metrics"]))
    for fault in failed:
        print(f"gate: {fault}", file=sys.stderr)
    return 1 if failed or unreadable else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
