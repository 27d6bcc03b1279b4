#!/usr/bin/env python3
"""Check the measures of `pipeline bench beir` against trec_eval, query by query.

    scripts/compare_trec_eval.py QRELS.tsv RUN.trec                             print trec_eval's figures, one JSON object a line
    scripts/compare_trec_eval.py QRELS.tsv RUN.trec --per-query FILE.jsonl      compare FILE with them to four digits
                                 [--mode MODE]                                  only the lines of this mode

QRELS.tsv is a split of a BEIR folder, RUN.trec what --output wrote, FILE.jsonl what --per-query wrote. trec_eval's own
code computes the figures (pytrec_eval-terrier, installed into target/trec-venv at a pinned version). Queries that FILE
does not have are not compared; a query without documents scores 0.

Exit code 0 when all agree, 1 when one differs, 2 on an error.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import struct
import subprocess
import sys
import venv
from typing import NoReturn

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOME = ROOT / "target" / "trec-venv"
PINS = ["pytrec_eval-terrier==0.5.11", "numpy==2.4.6", "scipy==1.17.1"]
RESTARTED = "TREC_EVAL_RESTARTED"
# Our names, and trec_eval's.
MEASURES = {
    "ndcg@10": "ndcg_cut_10",
    "recall@10": "recall_10",
    "recall@100": "recall_100",
    "map": "map",
    "precision@10": "P_10",
}


def fail(message: str) -> NoReturn:
    """End with exit code 2."""
    print(f"error: {message}", file=sys.stderr)
    raise SystemExit(2)


def ensure() -> None:
    """Return when trec_eval can be imported; otherwise run this script again in a private environment, and exit."""
    try:
        import pytrec_eval  # noqa: F401

        return
    except ImportError:
        pass
    if os.environ.get(RESTARTED):
        fail(f"pytrec_eval cannot be imported\nhint: pip install {' '.join(PINS)}")
    python = HOME / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        venv.create(HOME, with_pip=True)
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:", *PINS]
    if subprocess.run(command, check=False).returncode != 0:
        fail(f"pip could not install {' '.join(PINS)}\nhint: install them by hand, then run this again")
    done = subprocess.run([python, *sys.argv], env={**os.environ, RESTARTED: "1"}, check=False)
    raise SystemExit(done.returncode)


def read_qrels(path: pathlib.Path) -> dict[str, dict[str, int]]:
    """Grades by query and document."""
    out: dict[str, dict[str, int]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines()):
        if not line.strip() or (number == 0 and line.rstrip().endswith("score")):
            continue
        query, document, grade = (field.strip() for field in line.split("\t"))
        out.setdefault(query, {})[document] = int(grade)
    return out


def read_run(path: pathlib.Path) -> dict[str, dict[str, float]]:
    """Scores by query and document."""
    out: dict[str, dict[str, float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, document, _, score, _ = line.split()
        out.setdefault(query, {})[document] = float(score)
    return out


def head(documents: dict[str, float], count: int) -> dict[str, float]:
    """The first documents in trec_eval's order: single-precision score, then document id, both descending."""
    single = {name: struct.unpack("f", struct.pack("f", score))[0] for name, score in documents.items()}
    first = sorted(single.items(), key=lambda pair: (pair[1], pair[0].encode()), reverse=True)[:count]
    return dict(first)


def trec_eval(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """Every measure of every query that has a relevant document, by our names."""
    import pytrec_eval

    measures = {"ndcg_cut.10", "recall.10,100", "map", "P.10"}
    whole = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    heads = {query: head(documents, 10) for query, documents in run.items()}
    first = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(heads)
    out = {}
    for query, grades in qrels.items():
        if all(grade <= 0 for grade in grades.values()):
            continue
        found = whole.get(query, {})
        out[query] = {ours: found.get(theirs, 0.0) for ours, theirs in MEASURES.items()}
        out[query]["mrr@10"] = first.get(query, {}).get("recip_rank", 0.0)
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels", type=pathlib.Path)
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("--per-query", type=pathlib.Path)
    parser.add_argument("--mode")
    args = parser.parse_args()
    ensure()
    try:
        theirs = trec_eval(read_qrels(args.qrels), read_run(args.run))
        if args.per_query is None:
            for query, values in sorted(theirs.items()):
                print(json.dumps({"query_id": query} | values))
            return 0
        rows = [json.loads(line) for line in args.per_query.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        fail(str(error))
    measures = [*MEASURES, "mrr@10"]
    for number, row in enumerate(rows, start=1):
        missing = [name for name in ["query_id", "mode", *measures] if name not in row]
        if missing:
            fail(f"line {number} of {args.per_query} has no {missing[0]}")
    wanted = [row for row in rows if args.mode in (None, row["mode"])]
    ours = {row["query_id"]: row for row in wanted}
    if not ours or len(ours) < len(wanted):
        fail("no line of that mode, or lines of several modes; name one with --mode")
    unknown = [query for query in ours if query not in theirs]
    if unknown:
        fail(f"{args.qrels} has no relevant document for {unknown[0]} ({len(unknown)} queries); is it the same split?")
    differ = 0
    for query, row in ours.items():
        for measure, value in theirs[query].items():
            if abs(row[measure] - value) >= 0.5e-4:
                differ += 1
                print(f"{query} {measure}: {row[measure]:.6f}, trec_eval {value:.6f}")
    count = len(ours)
    for measure in measures:
        mean = [sum(of[query][measure] for query in ours) / count for of in (ours, theirs)]
        print(f"{measure:<13} {mean[0]:.4f}  trec_eval {mean[1]:.4f}")
    print(f"{count} queries, {differ} values differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
