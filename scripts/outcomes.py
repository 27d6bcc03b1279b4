#!/usr/bin/env python3
"""Compares an evaluation with the outcomes of an earlier one, question by question, and lists every change.

    pipeline eval --queries mine.jsonl --format json > eval.json
    scripts/outcomes.py OUTCOMES.json eval.json [--renew]

An outcome is the rank of each gold quote among the candidates, the share of the gold evidence in the context and in the
answer, and the decision. Exit code 1: by one of these measures, losses exceed gains by more than 4 questions in a mode
(by one in five in a set of fewer than 20), or something cannot be compared. --renew writes the outcomes to the file.
One file holds several query sets.
"""
import argparse
import json
import pathlib
import sys

TOLERANCE = 4
DECISIONS = {"answered": "answered", "partial": "partial", "none": "refused", None: "error"}


def outcome(row):
    def share(key):
        value = row["scores"].get(key)
        # Four places: the same text on every machine.
        return round(value, 4) if isinstance(value, (int, float)) else None

    decision = "error" if row["error"] else DECISIONS[row["outcome"]]
    return {"rank": row.get("gold_ranks", []), "context": share("gold_recall_context"),
            "answer": share("gold_recall_answer"), "decision": decision}


def said(found):
    if found is None:
        return "not there"
    ranks = " ".join("none" if rank is None else str(rank) for rank in found["rank"])
    shares = [f", {name} {found[name]:.2f}" for name in ("context", "answer") if found[name] is not None]
    return found["decision"] + (f", rank {ranks}" if ranks else "") + "".join(shares)


def reciprocal_rank(found):
    ranks = found["rank"]
    return sum(1 / rank for rank in ranks if rank) / len(ranks) if ranks else None


def right(found, refusal):
    return None if refusal is None else float(found["decision"] != "error" and (found["decision"] == "refused") == refusal)


MEASURES = {
    "the reciprocal rank of the gold evidence": lambda found, _: reciprocal_rank(found),
    "gold evidence in the context": lambda found, _: found["context"],
    "gold evidence in the answer": lambda found, _: found["answer"],
    "the share of right decisions": right,
}


def drops(old, rows):
    """By mode and measure: where losses exceed gains by more than the tolerance."""
    tolerance = min(TOLERANCE, len(old) // 5)
    for mode in dict.fromkeys(row["mode"] for row in rows):
        for name, measure in MEASURES.items():
            losses = gains = 0
            for row in (row for row in rows if row["mode"] == mode):
                before = old.get(row["query_id"], {}).get(mode)
                refusal = row["expected_no_evidence"]
                before = before and measure(before, refusal)
                if before is not None:
                    # A row that failed has no evidence to measure: what it had is lost.
                    now = measure(outcome(row), refusal) or 0.0
                    losses, gains = losses + (now < before), gains + (now > before)
            if losses > gains + tolerance:
                yield f"mode {mode}: {name} fell in {losses} questions and rose in {gains}, more than {tolerance} apart"


def text(sets):
    """One line for each question and mode, so that a change is a line of a diff."""
    def line(indent, key, value):
        return f"{indent}{json.dumps(key, ensure_ascii=False)}: {value}"

    def block(indent, parts):
        return "{\n" + ",\n".join(parts) + f"\n{indent}}}"

    def compact(found):
        return json.dumps(found, separators=(",", ":"))

    parts = []
    for name, own in sets.items():
        questions = [line("      ", query, block("      ", [line("        ", mode, compact(o)) for mode, o in modes.items()]))
                     for query, modes in own["queries"].items()]
        hashes = [line("      ", key, json.dumps(own[key])) for key in ("query_set_hash", "config_hash")]
        parts.append(line("    ", name, block("    ", [*hashes, line("      ", "queries", block("      ", questions))])))
    return block("", [line("  ", "version", 1), line("  ", "sets", block("  ", parts))]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("outcomes", type=pathlib.Path)
    parser.add_argument("evaluation", type=pathlib.Path, help="eval.json, or what eval --format json printed")
    parser.add_argument("--renew", action="store_true", help="write the outcomes of the evaluation to the file")
    args = parser.parse_args()
    document = json.loads(args.evaluation.read_text(encoding="utf-8"))
    rows, source = document["rows"], document["provenance"]
    sets = json.loads(args.outcomes.read_text(encoding="utf-8"))["sets"] if args.outcomes.exists() else {}
    held = sets.get(source["query_set"])
    same_set = held is not None and held["query_set_hash"] == source["query_set_hash"]
    old = held["queries"] if same_set else {}
    failures = []
    if not same_set:
        what = "holds nothing of this query set" if held is None else "was made with other questions or labels"
        failures.append(f"{args.outcomes} {what}; add it with --renew")
    else:
        changes = 0
        for row in rows:
            before, now = old.get(row["query_id"], {}).get(row["mode"]), outcome(row)
            if before != now:
                changes += 1
                print(f"  {row['query_id']} ({row['mode']}): {said(before)} → {said(now)}")
                if before is None:
                    failures.append(f"{row['query_id']} ({row['mode']}) is not in {args.outcomes}")
        print(f"{changes} of {len(rows)} outcomes differ from {args.outcomes}")
        if changes and held["config_hash"] != source["config_hash"]:
            print("the settings differ from those of the file")
        failures += drops(old, rows)
    for failure in failures:
        print(failure)
    if args.renew:
        if any(row["error"] for row in rows):
            sys.exit("not written, because rows failed")
        # Modes that were not run keep their outcomes.
        queries = {}
        for row in rows:
            queries.setdefault(row["query_id"], dict(old.get(row["query_id"], {})))[row["mode"]] = outcome(row)
        hashes = {key: source[key] for key in ("query_set_hash", "config_hash")}
        sets[source["query_set"]] = {**hashes, "queries": queries}
        args.outcomes.write_text(text(sets), encoding="utf-8")
        return 0
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
