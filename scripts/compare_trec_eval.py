#!/usr/bin/env python3
"""Check the measures of `pipeline bench beir` against trec_eval.

    scripts/compare_trec_eval.py QRELS.tsv RUN.trec                      print trec_eval's figures, one JSON object a line
    scripts/compare_trec_eval.py QRELS.tsv RUN.trec --bench FILE.json    compare FILE with their means to four digits

QRELS.tsv is a split of a BEIR folder, RUN.trec what --output wrote, FILE.json what --format json printed for one mode. trec_eval's
own code computes the figures (pytrec_eval-terrier, installed into target/trec-venv at a pinned version). A query without documents
scores 0.

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
    parser.add_argument("--bench", type=pathlib.Path)
    args = parser.parse_args()
    ensure()
    try:
        theirs = trec_eval(read_qrels(args.qrels), read_run(args.run))
        if args.bench is None:
            for query, values in sorted(theirs.items()):
                print(json.dumps({"query_id": query} | values))
            return 0
        bench = json.loads(args.bench.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        fail(str(error))
    if bench.get("queries") != len(theirs):
        fail(f"{args.bench} is of {bench.get('queries')} queries, {args.qrels} has a relevant document for {len(theirs)}; name all of one mode")
    differ = 0
    for measure in [*MEASURES, "mrr@10"]:
        mean = sum(values[measure] for values in theirs.values()) / len(theirs)
        ours = bench["measures"][measure]["mean"]
        differ += abs(ours - mean) >= 0.5e-4
        print(f"{measure:<13} {ours:.4f}  trec_eval {mean:.4f}")
    print(f"{len(theirs)} queries, {differ} means differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
