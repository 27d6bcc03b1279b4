#!/usr/bin/env python3
"""The share of the printed words that `pipeline parse` keeps, of the lines that `pdftotext -raw` sees (docs/lab/structure.md).

    scripts/bench/words.py FOLDER... [--pipeline BINARY] [--min SHARE]

Left out: lines that stand on three pages or more (running heads), lines that are there twice, and the list of references.
Exit codes: 0 done; 1 the share over all papers is below --min; 2 a paper could not be read.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WORD = re.compile(r"[^\W_]{2,}")
REFERENCES = re.compile(r"\W*(\d+\W+)?(references?( and notes)?|bibliography|literature cited|works cited)\W*", re.I)
BEHIND = re.compile(
    r"\W*(appendix( \w+)?|(supplementary|supporting) (material|information|data)s?|extended data|figure legends?|acknowledge?ments?|"
    r"authors?.? contributions?|funding|(conflicts?|competing).*interests?|data availability.*|(star|online) methods|methods|"
    r"publisher.s note|submit your .*|(figure|table|fig\.) \w+[.:|].*)\W*", re.I)


def words(text):
    return WORD.findall(text.lower().replace("ﬁ", "fi").replace("ﬂ", "fl"))


def printed(path):
    """The words of a PDF outside running heads and references; a word that a line's end breaks is whole."""
    raw = subprocess.run(["pdftotext", "-raw", path, "-"], capture_output=True, text=True, check=True).stdout
    pages = [[line.strip() for line in page.split("\n") if line.strip()] for page in raw.split("\f")]
    shape = lambda line: re.sub(r"\d+", "#", line)
    seen = collections.Counter(line for page in pages for line in {shape(line) for line in page})
    lines = [line for page in pages for line in page if seen[shape(line)] < 3]
    # Some files hold a page's text twice, once to be searched.
    lines = list(dict.fromkeys(line if len(line) > 20 else (line, at) for at, line in enumerate(lines)))
    lines = [line if isinstance(line, str) else line[0] for line in lines]
    kept, inside = [], False
    for line in lines:
        if REFERENCES.fullmatch(line):
            inside = True
        elif inside and BEHIND.fullmatch(line):
            inside = False
        elif not inside:
            kept.append(line)
    out = []
    for line, after in zip(kept, kept[1:] + [""]):
        own = words(line)
        if line.endswith(("-", "\u00ad", "‐")) and own and words(after):
            head = own.pop()
            out.append(head + words(after)[0])
        out.extend(own)
    return out


def kept(pipeline, path):
    done = subprocess.run([pipeline, "parse", "--format", "json", path], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"error: {path}: {done.stderr.strip()}")
    paper = json.loads(done.stdout)
    texts = [paper.get("title") or "", " ".join(paper.get("authors") or [])]
    for section in paper["sections"]:
        texts += [section["heading"]] + [block["text"] for block in section["blocks"]]
    return words(" ".join(texts))


def count(wanted, ours):
    """How many of the words we have: beside two neighbours that they have in print, or at least as often."""
    triples = lambda all_: list(zip(all_, all_[1:], all_[2:]))
    known, left = set(triples(ours)), collections.Counter(ours)
    beside = [False] * len(wanted)
    for at, triple in enumerate(triples(wanted)):
        if triple in known:
            beside[at:at + 3] = [True] * 3
    joined = "".join(f" {word}" for word in ours)
    found = sum(beside)
    left.subtract(word for word, own in zip(wanted, beside) if own)
    for word in (word for word, own in zip(wanted, beside) if not own):
        # A word that a line's end breaks for us is part of another.
        if left[word] > 0 or len(word) > 8 and word in joined:
            left[word] -= 1
            found += 1
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="+", type=pathlib.Path)
    parser.add_argument("--pipeline", default=ROOT / "target/release/pipeline")
    parser.add_argument("--min", type=float, default=0.0)
    args = parser.parse_args()
    whole = [0, 0]
    for folder in args.folder:
        of, above, papers = [0, 0], 0, sorted(folder.glob("*.pdf"))
        for path in papers:
            wanted, ours = printed(path), kept(args.pipeline, path)
            total, found = len(wanted), count(wanted, ours)
            share = found / max(total, 1)
            above += share >= 0.97
            of = [of[0] + found, of[1] + total]
            print(f"{share:.3f}  {found:6} of {total:6}  {path.name}")
        print(f"{of[0] / max(of[1], 1):.3f}  {folder}: {of[0]} of {of[1]} words, {above} of {len(papers)} papers at 0.97 or more\n")
        whole = [whole[0] + of[0], whole[1] + of[1]]
    return int(whole[0] / max(whole[1], 1) < args.min)


if __name__ == "__main__":
    sys.exit(main())
