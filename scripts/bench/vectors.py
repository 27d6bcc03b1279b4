"""Searches vectors: vectors.py PEER FOLDER DIMENSION K ROUNDS. One thread, one question at a time.

FOLDER holds vectors.f32, questions.f32 (unit vectors, one after the other) and truth.u32 (the K nearest of each question).
Prints questions a second (the median over rounds) and recall, for each breadth of the walk where there is one.
"""

import importlib.metadata
import json
import os
import statistics
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy

BREADTHS = [16, 32, 64, 128, 256, 512, 1024]


def hnswlib_(vectors):
    import hnswlib

    index = hnswlib.Index(space="ip", dim=vectors.shape[1])
    index.init_index(max_elements=len(vectors), M=16, ef_construction=200)
    index.add_items(vectors, num_threads=1)
    index.set_num_threads(1)
    return index.set_ef, lambda q, k: index.knn_query(q, k=k)[0][0], ["hnswlib"]


def usearch_(vectors):
    from usearch.index import Index

    index = Index(ndim=vectors.shape[1], metric="ip", dtype="f32", connectivity=16, expansion_add=200)
    index.add(numpy.arange(len(vectors)), vectors, threads=1)

    def breadth(ef):
        index.expansion_search = ef

    return breadth, lambda q, k: index.search(q, k, threads=1).keys, ["usearch"]


def faiss_hnsw(vectors):
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexHNSWFlat(vectors.shape[1], 16, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = 200
    index.add(vectors)

    def breadth(ef):
        index.hnsw.efSearch = ef

    return breadth, lambda q, k: index.search(q[None], k)[1][0], ["faiss-cpu"]


def faiss_flat(vectors):
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    return None, lambda q, k: index.search(q[None], k)[1][0], ["faiss-cpu"]


def usearch_exact(vectors):
    from usearch.index import search

    return None, lambda q, k: search(vectors, q, k, "ip", exact=True, threads=1).keys, ["usearch"]


def main():
    peer, folder, dimension, k, rounds = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
    read = lambda name, kind: numpy.fromfile(os.path.join(folder, name), dtype=kind)
    vectors = read("vectors.f32", numpy.float32).reshape(-1, dimension)
    questions = read("questions.f32", numpy.float32).reshape(-1, dimension)
    truth = read("truth.u32", numpy.uint32).reshape(len(questions), -1)[:, :k]
    started = time.perf_counter()
    breadth, search, packages = {
        "hnswlib": hnswlib_,
        "usearch": usearch_,
        "faiss-hnsw": faiss_hnsw,
        "faiss-flat": faiss_flat,
        "usearch-exact": usearch_exact,
    }[peer](vectors)
    built = time.perf_counter() - started
    results = []
    for ef in BREADTHS if breadth else [None]:
        if breadth:
            breadth(ef)
        found = [set(map(int, search(q, k))) for q in questions]
        recall = sum(len(f & set(map(int, t))) for f, t in zip(found, truth)) / truth.size
        rates = []
        for _ in range(rounds):
            started = time.perf_counter()
            for q in questions:
                search(q, k)
            rates.append(len(questions) / (time.perf_counter() - started))
        results.append({"ef": ef, "recall": recall, "rate": statistics.median(rates)})
    versions = {name: importlib.metadata.version(name) for name in packages}
    print(json.dumps({"build_seconds": built, "results": results, "versions": versions}))


if __name__ == "__main__":
    main()
