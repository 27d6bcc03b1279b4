#!/usr/bin/env python3
"""Searches beside Python programs that do the same, and how an index behaves as it grows (docs/lab/scale.md).

Build first: cargo build --release -p bench. The Python programs: pip install -r requirements-retrieval.txt; those that are
missing are named.
"""

import argparse
import json
import pathlib
import shutil
import statistics
import sys
import tempfile

import harness

BM25_PEERS = ("bm25s", "rank_bm25", "tantivy", "pyserini")
VECTOR_PEERS = {"faiss-flat": "faiss", "usearch-exact": "usearch", "faiss-hnsw": "faiss", "hnswlib": "hnswlib", "usearch": "usearch"}
GROWTH = [
    "chunks", "build s", "build peak MB", "disk MB", "vectors MB", "open ms", "resident MB", "add a paper s", "hybrid p50 ms",
    "p95", "p99", "vector p95", "bm25 p95", "recall@10",
]


def bm25(args):
    found = harness.run([args.bench, "bm25", args.dir, "-k", args.k, "--rounds", args.rounds])
    for name in filter(harness.has, BM25_PEERS):
        found["programs"].append({"name": name, **harness.peer("bm25.py", name, args.dir, args.k, args.rounds)})
    rows = [["program", "one at a time, q/s", "batch, q/s", "versions"]]
    for program in found["programs"]:
        batch = "none" if program["batch"] is None else f"{program['batch']:.0f}"
        rows.append([program["name"], f"{program['one']:.0f}", batch, harness.versions(program)])
    return found, rows


def vectors(args):
    with tempfile.TemporaryDirectory() as folder:
        sizes = ["--chunks", args.chunks, "--questions", args.questions, "--seed", args.seed]
        command = [args.bench, "vectors", folder, *sizes, "-k", args.k, "--rounds", args.rounds]
        found = harness.run(command + ["--hnsw"] * args.hnsw)
        for name in (name for name, package in VECTOR_PEERS.items() if harness.has(package)):
            measured = harness.peer("vectors.py", name, folder, found["dimension"], args.k, args.rounds)
            found["programs"].append({"name": name, **measured})
    rows = [["program", "build s", "ef", "recall", "q/s", "versions"]]
    for program in found["programs"]:
        first = [program["name"], f"{program['build_seconds']:.1f}", harness.versions(program)]
        for point in program["results"]:
            rows.append([*first[:2], point["ef"] or "exact", f"{point['recall']:.3f}", f"{point['rate']:.0f}", first[2]])
            first = ["", "", ""]
    return found, rows


def growth(args):
    folder = args.keep or pathlib.Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    try:
        sizes = [size(args, folder, chunks) for chunks in map(int, args.chunks.split(","))]
    finally:
        if not args.keep:
            shutil.rmtree(folder)
    if args.plot:
        plot(sizes, args.plot)
    rows = [GROWTH]
    for one in sizes:
        built, served = one["built"], one["served"]
        megabytes = (built["peak_bytes"], one["disk_bytes"], served["vector_bytes"])
        latencies = (*served["hybrid"].values(), served["vector"]["p95"], served["bm25"]["p95"])
        rows.append([
            served["chunks"], f"{built['seconds']:.1f}", *(f"{bytes_ / 1e6:.0f}" for bytes_ in megabytes),
            f"{served['open_ms']:.1f}", f"{served['resident_bytes'] / 1e6:.0f}", f"{one['add_paper']:.2f}",
            *(f"{ms:.2f}" for ms in latencies), f"{served['recall']:.3f}",
        ])
    return {"sizes": sizes}, rows


def size(args, folder, chunks):
    """Builds, searches and extends one index, each in a process of its own. One that is kept is not built again."""
    index, record = folder / str(chunks), folder / f"{chunks}.json"
    threads = {"RAYON_NUM_THREADS": args.threads} if args.threads else {}

    def step(name):
        print(f"{chunks} chunks: {name}", file=sys.stderr)
        sizes = ["--chunks", chunks, "--questions", args.questions, "--rounds", args.rounds, "--seed", args.seed]
        return harness.run([args.bench, "growth", name, index, *sizes], **threads)

    if record.is_file():
        known = json.loads(record.read_text(encoding="utf-8"))
    else:
        known = {"chunks": chunks, "built": step("build")}
        known["disk_bytes"] = sum(path.stat().st_size for path in index.rglob("*") if path.is_file())
        record.write_text(json.dumps(known), encoding="utf-8")
    served, added = step("search"), step("add")
    if not args.keep:
        shutil.rmtree(index)
    return {**known, "served": served, "add_paper": statistics.median(added), "added": added}


def plot(sizes, path):
    """Times and sizes by number of chunks, on logarithmic axes."""
    from matplotlib import pyplot

    panels = (
        {
            "build, s": lambda one: one["built"]["seconds"],
            "add a paper, s": lambda one: one["add_paper"],
            "open, s": lambda one: one["served"]["open_ms"] / 1e3,
            "hybrid p95, s": lambda one: one["served"]["hybrid"]["p95"] / 1e3,
            "hybrid p50, s": lambda one: one["served"]["hybrid"]["p50"] / 1e3,
        },
        {
            "disk, MB": lambda one: one["disk_bytes"] / 1e6,
            "resident, MB": lambda one: one["served"]["resident_bytes"] / 1e6,
            "vectors, MB": lambda one: one["served"]["vector_bytes"] / 1e6,
        },
    )
    figure, axes = pyplot.subplots(1, 2, figsize=(13, 4))
    for axis, lines in zip(axes, panels):
        for name, value in lines.items():
            axis.loglog([one["served"]["chunks"] for one in sizes], [value(one) for one in sizes], marker="o", label=name)
        axis.set_xlabel("chunks")
        axis.grid(True, color="#ddd")
        axis.legend()
    figure.savefig(path, format="svg", bbox_inches="tight", metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)

    def command(run, text):
        one = commands.add_parser(run.__name__, help=text, description=text)
        one.set_defaults(run=run)
        one.add_argument("--rounds", type=int, default=3, metavar="N", help="over all questions [default: 3]")
        one.add_argument("--format", choices=("text", "json", "markdown"), default="text")
        one.add_argument("--bench", default="target/release/bench", metavar="PROGRAM")
        if run is not bm25:
            one.add_argument("--questions", type=int, default=200, metavar="N", help="[default: 200]")
            one.add_argument("--seed", type=int, default=20, metavar="N", help="of words and vectors [default: 20]")
        if run is not growth:
            one.add_argument("-k", type=int, default=10, metavar="N", help="results of a search [default: 10]")
        return one

    command(bm25, "Searches by BM25 on one core.").add_argument("dir", help="a folder with corpus.jsonl and queries.jsonl")
    one = command(vectors, "Searches over seeded vectors on one core, and their recall.")
    one.add_argument("--chunks", type=int, default=100_000, metavar="N", help="vectors [default: 100000]")
    one.add_argument("--hnsw", action="store_true", help='also measure retrieve.vector_index = "hnsw"')
    one = command(growth, "Building, searching and extending indexes of seeded papers; the fastest round of a question counts.")
    one.add_argument("--chunks", default="10000,100000,1000000", metavar="N,…", help="of each index")
    one.add_argument("--threads", type=int, metavar="N", help="of a search [default: all cores]")
    one.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="where indexes stay; those there are not built again")
    one.add_argument("--plot", metavar="FILE.svg", help="also draw the results; needs matplotlib")
    args = parser.parse_args()
    machine = harness.machine()
    found, rows = args.run(args)
    if args.format == "json":
        print(json.dumps({"machine": machine, **found}, indent=2))
    else:
        print(harness.table(rows, args.format == "markdown"), end="")


if __name__ == "__main__":
    main()
