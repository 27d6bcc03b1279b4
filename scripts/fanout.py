"""How long a question takes that asks many shards: a small simulation from the measured times of one shard.

    fanout.py LATENCY.JSON... [--filter all] [--stall 0.001] [--seed 1]

LATENCY.JSON: what `scripts/bench/qdrant.py latency` printed for shards of several sizes. A question asks every shard for
both lists at once, words and vectors, and waits for the slowest. The time of a list is drawn from the measured ones of the
largest shard, times the growth with the shard: words and a scan of all vectors in proportion to the chunks, a graph with
their logarithm, by least squares over the files. With the probability of --stall a list takes 10 times as long (the engine
merges segments, a page comes from the disk). "asked twice": another replica is asked after 2 times the median
(`read_fan_out_factor` and `read_fan_out_delay_ms` of a collection), and the first answer counts. A core for each list; a
round trip adds 0.5 ms.
"""

import argparse
import json
import math
from pathlib import Path

import numpy as np

SHARDS = ((10e6, 12), (100e6, 96), (1e9, 600))
DRAWN = 10_000


def growth(runs, kind, size):
    """Time of a shard of this size, as a multiple of the time of the largest measured one."""
    n = np.array([run["chunks"] for run in runs], float)
    x = np.log(n) if kind.startswith("graph") else n
    y = np.array([run[kind]["p50"] for run in runs])
    slope, start = np.polyfit(x, y, 1)
    at = math.log(size) if kind.startswith("graph") else size
    return max(1.0, (start + slope * at) / y[np.argmax(n)])


def draw(rng, ms, factor, shards, stall):
    """Times of one kind of search, questions by shards."""
    t = rng.choice(ms, (DRAWN, shards)) * factor
    return np.where(rng.random(t.shape) < stall, t * 10, t)


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("runs", nargs="+", type=Path)
    args.add_argument("--stall", type=float, default=0.001)
    args.add_argument("--filter", choices=["all", "5 of 35 years"], default="all")
    args.add_argument("--seed", type=int, default=1)
    args = args.parse_args()
    runs = sorted((json.loads(p.read_text()) for p in args.runs), key=lambda run: run["chunks"])
    print("| chunks | shards | chunks a shard | vectors by | core ms a shard | one shard p50 | p99 | all p50 | p99 | asked twice p99 |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for chunks, shards in SHARDS:
        for vectors in ("scan", "graph"):
            rng = np.random.default_rng(args.seed)
            one = np.zeros((DRAWN, shards))
            twice, work = one.copy(), 0.0
            for kind in (f"{vectors}, {args.filter}", f"words, {args.filter}"):
                ms, factor = np.array(runs[-1]["ms"][kind]), growth(runs, kind, chunks / shards)
                first = draw(rng, ms, factor, shards, args.stall)
                second = draw(rng, ms, factor, shards, args.stall) + 2 * np.median(first)
                one, twice, work = np.maximum(one, first), np.maximum(twice, np.minimum(first, second)), work + first.mean()
            cells = [f"{chunks / 1e6:,.0f} million", shards, f"{chunks / shards / 1e6:.1f} million", vectors, f"{work:.0f}"]
            times = (*np.percentile(one[:, 0], (50, 99)), *np.percentile(one.max(1) + 0.5, (50, 99)), np.percentile(twice.max(1) + 0.5, 99))
            print("| " + " | ".join([str(c) for c in cells] + [f"{t:.0f}" for t in times]) + " |")


if __name__ == "__main__":
    main()
