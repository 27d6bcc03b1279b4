#!/usr/bin/env python3
"""Writes run.trec, qrels.tsv and expected.jsonl beside this file: a seeded run with ties, queries that are not in the
run, queries without a relevant document, grades from -1 to 3, and the figures that trec_eval computes for it.

    python3 crates/eval/tests/trec_eval/make.py
"""

from __future__ import annotations

import json
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[3] / "scripts"))

import compare_trec_eval as trec  # noqa: E402

QUERIES = 24


def main() -> None:
    trec.ensure()
    rng = random.Random(20240229)
    documents = [f"{rng.choice(['MED-', 'med-', 'D'])}{number}" for number in range(160)]
    qrels, run = ["query-id\tcorpus-id\tscore"], []
    for number in range(QUERIES):
        query = f"Q-{number}"
        grades = [-1, 0, 0] if number % 11 == 5 else [-1, 0, 0, 1, 1, 2, 3]
        judged = rng.sample(documents, rng.randint(1, 30))
        qrels += [f"{query}\t{document}\t{rng.choice(grades)}" for document in judged]
        if number % 8 == 3:
            continue  # judged, but not in the run
        others = rng.sample(documents, rng.randint(0, 110))
        returned = list(dict.fromkeys(rng.sample(judged, rng.randint(0, len(judged))) + others))[:100]
        rng.shuffle(returned)
        # Few different scores: many ties. The last two differ only beyond single precision.
        scores = [0.0, 0.125, 0.25, 0.3, 0.5, 0.7000000001, 0.7]
        for rank, document in enumerate(returned, 1):
            run.append(f"{query} Q0 {document} {rank} {rng.choice(scores)} made")
    (HERE / "qrels.tsv").write_text("\n".join(qrels) + "\n", encoding="utf-8")
    (HERE / "run.trec").write_text("\n".join(run) + "\n", encoding="utf-8")
    values = trec.trec_eval(trec.read_qrels(HERE / "qrels.tsv"), trec.read_run(HERE / "run.trec"))
    rows = [json.dumps({"query_id": query} | {name: round(v, 6) for name, v in of.items()}) for query, of in values.items()]
    (HERE / "expected.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
