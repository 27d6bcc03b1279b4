#!/usr/bin/env python3
"""Scores the answers of a RAG system with `pipeline score` and fails if a metric is too low.

    python3 docs/examples/evaluate_answers.py --min faithfulness=0.85

Replace `answer` by your own system. Needs Python 3.9 and the program `pipeline`; no index and no packages.
"""

import argparse
import json
import subprocess
import sys

QUESTIONS = [
    ("How does walking affect blood pressure?", "Walking lowered blood pressure by 6 mmHg."),
    ("How long did the mice sleep?", "The mice slept for nine hours."),
]
PAPERS = [
    "In both arms of the trial, walking lowered blood pressure by 6 mmHg.",
    "The mice in the second study slept for nine hours a day.",
]


def answer(question):
    """Stands for your system: returns an answer and the passages that it was written from."""
    words = {word.strip("?.,").lower() for word in question.split()}
    best = max(PAPERS, key=lambda text: len(words & set(text.lower().split())))
    return best, [best]


def evaluate(rows, program="pipeline", options=()):
    """Sends rows to the program and returns the document that `pipeline schema evaluate` describes, and the exit code.

    Code 1 means that a gate failed or a row has no score; the document is complete. An error is an exception.
    """
    command = [program, "score", "-", "--format", "json", *options]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout), done.returncode


def main():
    arguments = argparse.ArgumentParser(description="Scores answers with `pipeline score`.")
    arguments.add_argument("--pipeline", default="pipeline", metavar="PROGRAM", help="the program")
    arguments.add_argument("--min", action="append", default=[], metavar="METRIC=VALUE", help="least value; repeatable")
    given = arguments.parse_args()

    rows = []
    for question, reference in QUESTIONS:
        text, passages = answer(question)
        rows.append(
            {"user_input": question, "response": text, "retrieved_contexts": passages, "reference": reference}
        )
    options = [option for gate in given.min for option in ("--min", gate)]
    try:
        document, code = evaluate(rows, given.pipeline, options)
    except (OSError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 2

    print(f"{'metric':<28}{'mean':>6}  {'95 % interval':<16}rows")
    for name, metric in document["metrics"]["metrics"].items():
        if metric["mean"] is None:
            continue
        interval = "" if metric["ci_low"] is None else f"[{metric['ci_low']:.2f}, {metric['ci_high']:.2f}]"
        print(f"{name:<28}{metric['mean']:>6.2f}  {interval:<16}{metric['n']:>4}")
    for name, row in document["results"].items():
        for reason in row["failure_reasons"]:
            print(f"row {name} fails: {reason}")
    for gate in document["gates"]:
        print(f"{'passed' if gate['passed'] else 'failed'}: {gate['gate']}")
    return code


if __name__ == "__main__":
    sys.exit(main())
