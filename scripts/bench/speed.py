#!/usr/bin/env python3
"""Speed of parsing, chunking and embedding, in turns with Python programs that do the same work, and of a whole ingestion
(docs/lab/speed.md). Every other round runs the programs in reverse order, so that a machine that is slow for a minute is slow for
all of them. Build first: cargo build --release -p pipeline; cargo build --release -p lab --example bench. The Python programs: scripts/bench.sh installs them.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import harness

TASKS = ("parse", "chunk", "embed", "whole")
HEADER = ["work", "who", "a second", "min to max", "a CPU second", "ours/it", "min to max", "CPU ours/it", "peak MiB"]


def race(work, unit, rounds, contestants):
    """Runs {name: measure} in turns; ours is the first."""
    samples = {name: [] for name in contestants}
    for turn in range(rounds):
        for name in list(contestants)[:: 1 if turn % 2 == 0 else -1]:
            samples[name].append(contestants[name]())
        print(f"{work}: round {turn + 1} of {rounds}", file=sys.stderr)
    return {"work": work, "unit": unit, "samples": samples}


def rates(samples, clock):
    """Units a second of each round; None where the system does not tell."""
    return [s["units"] / s[clock] if s["units"] and s.get(clock) else None for s in samples]


def spread(values, form):
    """Median and range, as text; empty without values."""
    values = [value for value in values if value is not None]
    if not values:
        return "", ""
    return form.format(statistics.median(values)), f"{form.format(min(values))} to {form.format(max(values))}"


def rows(found):
    """The lines of a race in the table."""
    ours = next(iter(found["samples"].values()))
    for name, samples in found["samples"].items():
        by_wall, by_cpu = rates(samples, "seconds"), rates(samples, "cpu_seconds")
        first = samples is ours

        def ratios(clock):
            pairs = [] if first else zip(rates(ours, clock), rates(samples, clock))
            return [a / b for a, b in pairs if a and b]

        peaks = [sample["peak_bytes"] for sample in samples if sample.get("peak_bytes")]
        yield [
            f"{found['work']} ({found['unit']})" if first else "",
            name,
            *spread(by_wall, "{:.0f}"),
            spread(by_cpu, "{:.0f}")[0],
            *spread(ratios("seconds"), "{:.2f}"),
            spread(ratios("cpu_seconds"), "{:.2f}")[0],
            max(peaks) >> 20 if peaks else "",
        ]


def whole(args):
    """One ingestion into a new index, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [args.pipeline, "ingest", args.dir, "--index", os.path.join(folder, "index"), "--format", "json", "--quiet"]
        command += [word for setting in args.settings for word in ("--set", setting)]
        started = time.perf_counter()
        done = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
        seconds = time.perf_counter() - started
    if done.returncode > 1:
        sys.exit(2)
    return {"seconds": seconds, "summary": json.loads(done.stdout)}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=pathlib.Path, help="a folder of PDFs")
    parser.add_argument("--tasks", default=",".join(TASKS), metavar="TASK,…", help=f"of {', '.join(TASKS)} [default: all]")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="the whole is measured once [default: 5]")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), metavar="N", help="processes [default: all cores]")
    parser.add_argument("--tokens", type=int, default=16_000, metavar="N", help="model tokens to embed in a round, about")
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="KEY=VALUE", help="one setting")
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    parser.add_argument("--bench", default="target/release/examples/bench", metavar="PROGRAM")
    parser.add_argument("--pipeline", default="target/release/pipeline", metavar="PROGRAM")
    args = parser.parse_args()
    args.tasks = args.tasks.split(",")
    if unknown := set(args.tasks) - set(TASKS):
        parser.error(f"there is no task {', '.join(sorted(unknown))}; known: {', '.join(TASKS)}")
    return args


def races(args):
    """All measurements that were asked for, but the whole."""

    def ours(command, workers=args.workers):
        settings = [word for setting in args.settings for word in ("--set", setting)]
        return harness.run([args.bench, command, args.dir, "--workers", workers, "--tokens", args.tokens, *settings])

    told = ours("peer-input") if set(args.tasks) - {"whole"} else {}
    found = []
    for workers in sorted({1, args.workers}) if "parse" in args.tasks else ():
        contestants = {"pipeline, with structure": lambda workers=workers: ours("parse", workers)}
        for package, name in (("pymupdf", "PyMuPDF dict, no images"), ("pypdfium2", "pypdfium2 text")):
            if harness.has(package):
                contestants[name] = lambda p=package, w=workers: harness.peer("parse.py", p, w, given=told["files"])
        processes = "one process" if workers == 1 else "a process for each core"
        found.append(race(f"parsing, {processes}", "pages", args.rounds, contestants))
    if "chunk" in args.tasks:
        contestants = {"pipeline": lambda: ours("chunk")}
        if harness.has("tiktoken"):
            sizes = (told["max_tokens"], told["overlap_tokens"])
            contestants["tiktoken in Python"] = lambda: harness.peer("chunk.py", *sizes, given=told["sections"])
        found.append(race("chunking, one thread", "cl100k tokens", args.rounds, contestants))
    if "embed" in args.tasks:
        contestants = {"pipeline, from text to vectors": lambda: ours("embed")}
        if harness.has("onnxruntime"):
            given = told["ids"]
            bare = lambda: harness.peer("embed.py", told["model"], args.workers, given=given)
            contestants["onnxruntime in Python, bare"] = bare
        found.append(race("embedding, all threads", "model tokens", args.rounds, contestants))
    return found


def main():
    args = arguments()
    machine = harness.machine()
    found = races(args)
    ingested = whole(args) if "whole" in args.tasks else None
    after = harness.load()
    if args.format == "json":
        print(json.dumps({"machine": machine, "load_after": after, "races": found, "whole": ingested}, indent=2))
        return
    if found:
        print(harness.table([HEADER, *(row for one in found for row in rows(one))], args.format == "markdown"))
    if ingested:
        read = ingested["summary"]
        print(
            f"The whole, cold, into a new index: {ingested['seconds']:.1f} s for {read['pages_read']} pages, of them "
            f"{read['read_seconds']:.1f} s reading and {read['embed_seconds']:.1f} s cutting, embedding ({read['embedded_texts']} "
            f"texts) and writing; peak {read['peak_bytes'] >> 20} MiB in the parent, {read['worker_peak_bytes'] >> 20} MiB in a worker.\n"
        )
    samples = [sample for one in found for series in one["samples"].values() for sample in series]
    print(
        f"{args.rounds} rounds, medians; {machine['processor']} ({machine['cores']} cores, {machine['memory_mib']} MiB), "
        f"{machine['system']}; commit {machine['commit']}; load {machine['load']:.1f} before, {after:.1f} after; "
        f"{harness.versions(*samples) or 'no Python peers'}."
    )


if __name__ == "__main__":
    main()
