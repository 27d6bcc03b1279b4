"""The same rows through Ragas and through `pipeline score`, where the metric of Ragas needs no language model.

rag.py FOLDER QUERIES.jsonl MODEL_DIR > rows.jsonl
ragas_scores.py rows.jsonl QUERIES.jsonl [--pipeline PROGRAM] > table.md

Labels come from the query set: gold quotes are `reference_contexts`, target papers `reference_context_ids`. Rows without the
labels of a metric are left out on both sides, and so are rows of unanswerable questions. For each pair of metrics, the table shows
both means over the rows that both score, in how many rows the values are equal (to 0.005), and Kendall's tau-b of the two.
Set-up: pip install -r requirements-ragas.txt
"""

import argparse
import asyncio
import json
import math
import pathlib
import subprocess

from ragas.dataset_schema import SingleTurnSample
from ragas.metrics import (
    BleuScore,
    ExactMatch,
    IDBasedContextPrecision,
    IDBasedContextRecall,
    NonLLMContextPrecisionWithReference,
    NonLLMContextRecall,
    NonLLMStringSimilarity,
    RougeScore,
    StringPresence,
)

PAIRS = [
    ("IDBasedContextRecall", IDBasedContextRecall(), "context_recall_documents"),
    ("IDBasedContextPrecision", IDBasedContextPrecision(), "context_average_precision"),
    ("NonLLMContextRecall", NonLLMContextRecall(), "gold_recall_context"),
    ("NonLLMContextPrecisionWithReference", NonLLMContextPrecisionWithReference(), "context_average_precision"),
    ("ExactMatch", ExactMatch(), "matched"),
    ("StringPresence", StringPresence(), "matched"),
    ("RougeScore(rouge_type='rouge1')", RougeScore(rouge_type="rouge1"), "token_f1"),
    ("RougeScore", RougeScore(), "token_f1"),
    ("BleuScore", BleuScore(), "token_f1"),
    ("NonLLMStringSimilarity", NonLLMStringSimilarity(), "token_f1"),
]


def ragas_rows(rows, queries):
    """Rows with the keys of Ragas, labels included; answerable questions only."""
    for row in rows:
        query = queries.get(row["id"])
        if query is None or query.get("expected_no_evidence"):
            continue
        passages = row["retrieved_contexts"]
        made = {
            "id": row["id"],
            "user_input": row["user_input"],
            "response": row["response"],
            "retrieved_contexts": [passage["text"] for passage in passages],
            "retrieved_context_ids": list(dict.fromkeys(pathlib.PurePath(p["doc_id"]).stem for p in passages)),
        }
        if row.get("reference"):
            made["reference"] = row["reference"]
        if query.get("target_papers"):
            made["reference_context_ids"] = query["target_papers"]
        if query.get("gold_evidence"):
            made["reference_contexts"] = [gold["quote"] for gold in query["gold_evidence"]]
        yield made


def ours(rows, program):
    """Our scores by row id and metric."""
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    command = [program, "score", "-", "--format", "json", "--quiet"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    return {name: row["metrics"] for name, row in json.loads(done.stdout)["results"].items()}


async def theirs(rows, metric):
    """The scores of Ragas by row id; a row that lacks a field, or whose score is NaN, has none."""
    scores, nan = {}, 0
    for row in rows:
        fields = {key: value for key, value in row.items() if key != "id"}
        needed = {key.split(":")[0] for key in metric.required_columns.get("SINGLE_TURN", ())}
        if not needed <= fields.keys():
            continue
        value = float(await metric.single_turn_ascore(SingleTurnSample(**fields)))
        if math.isnan(value):
            nan += 1
        else:
            scores[row["id"]] = value
    return scores, nan


def tau_b(pairs):
    """Kendall's tau-b; None if one side is constant."""
    agree, first, second = 0, 0, 0
    for at, (a, b) in enumerate(pairs):
        for c, d in pairs[:at]:
            x, y = (a > c) - (a < c), (b > d) - (b < d)
            agree += x * y
            first += x * x
            second += y * y
    return agree / math.sqrt(first * second) if first and second else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=pathlib.Path)
    parser.add_argument("queries", type=pathlib.Path)
    parser.add_argument("--pipeline", default="pipeline")
    args = parser.parse_args()

    def lines(path):
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]

    queries = {query["id"]: query for query in lines(args.queries)}
    rows = list(ragas_rows(lines(args.rows), queries))
    own = ours(rows, args.pipeline)
    print("| Ragas | mean | ours | mean | rows | equal | tau-b |")
    print("|---|---|---|---|---|---|---|")
    for name, metric, key in PAIRS:
        scores, nan = asyncio.run(theirs(rows, metric))
        pairs = [(value, own[row][key]) for row, value in scores.items()]
        pairs = [(a, b) for a, b in pairs if not isinstance(b, dict)]
        if not pairs:
            print(f"| `{name}` | – | `{key}` | – | 0 | – | – |")
            continue
        means = [sum(side) / len(pairs) for side in zip(*pairs)]
        equal = sum(abs(a - b) < 0.005 for a, b in pairs)
        tau = tau_b(pairs)
        dropped = f" ({nan} more are NaN)" if nan else ""
        print(
            f"| `{name}` | {means[0]:.3f} | `{key}` | {means[1]:.3f} | {len(pairs)}{dropped} | {equal} "
            f"| {'–' if tau is None else f'{tau:.2f}'} |"
        )


if __name__ == "__main__":
    main()
