"""What a chunk costs in Qdrant's engine, and what its quantisations keep: the figures of docs/scale.md, "Beyond one machine".

    qdrant.py bytes INDEX...            bytes of a chunk on disk by part, and the time to fetch 50 candidates
    qdrant.py recall INDEX... --model FOLDER --questions QUERIES.JSONL...
                                        recall@10 against exact search, and size, by quantisation and oversampling
    qdrant.py latency INDEX... [--chunks N]
                                        processor time of searches in one shard with N chunks, with and without filter, the
                                        fastest of 3 rounds for each question; input of scripts/fanout.py

Reads the vectors and texts of embedded indexes (segments/*). Runs the engine in this process, with the packages of
scripts/qdrant_shim.txt; recall also needs onnxruntime and tokenizers. Prints JSON.
"""

import argparse
import base64
import json
import math
import os
import re
import shutil
import sys
import tempfile
import time
import uuid
from pathlib import Path

import numpy as np
import qdrant_edge as edge
from qdrant_client import grpc as q
from qdrant_client.conversions.conversion import json_to_value

SIZE = 384
LIST = 1000  # points that a search of the program asks for
DOT, MAXSIM = edge.Distance.Dot, edge.MultiVectorConfig(edge.MultiVectorComparator.MaxSim)


def read(folders):
    """The chunks of the indexes: windows (f32), sentence vectors (8 bits and their scales), text, and word counts."""
    out = []
    for segment in sorted(s for f in folders for s in Path(f).glob("segments/*")):
        windows = np.fromfile(segment / "windows.f32", "<f4").reshape(-1, SIZE)
        codes = np.fromfile(segment / "sentences.i8", "i1").reshape(-1, SIZE)
        scales = np.fromfile(segment / "sentences.scale", "<f4")
        rows = np.fromfile(segment / "chunks.rows", "<u4").reshape(-1, 6)
        sources = json.loads((segment / "segment.json").read_text())["sources"]
        for line, row in zip((segment / "chunks.jsonl").open(), rows):
            chunk = json.loads(line)
            first, end = sources[row[0]]["sentences"]
            at = [first + s["number"] for s in chunk["sentences"]]
            assert not at or max(at) < end, segment
            out.append((windows[row[2] : row[3]], codes[at], scales[at], chunk))
    return out


def sparse(text, words):
    """A vector with a saturated term frequency for each word: as many numbers as the store writes, for stems."""
    counts = {}
    for word in re.findall(r"[a-z0-9]+", text.lower()):
        at = words.setdefault(word, len(words))
        counts[at] = counts.get(at, 0) + 1
    ids = sorted(counts)
    return edge.SparseVector(ids, [counts[i] * 2.2 / (counts[i] + 1.2) for i in ids])


def params(size=SIZE, **more):
    return edge.EdgeVectorParams(size, DOT, multivector_config=MAXSIM, **more)


def fill(folder, points, batch=500, indexed=(), **config):
    """A shard of these points, optimised and opened again."""
    config = edge.EdgeConfig(optimizers=edge.EdgeOptimizersConfig(default_segment_number=1, indexing_threshold=1), **config)
    shard = edge.EdgeShard.create(str(folder), config)
    for name, kind in indexed:
        shard.update(edge.UpdateOperation.create_field_index(name, kind))
    block = []
    for point in points:
        block.append(point)
        if len(block) == batch:
            shard.update(edge.UpdateOperation.upsert_points(block))
            block = []
    if block:
        shard.update(edge.UpdateOperation.upsert_points(block))
    shard.flush()
    shard.optimize()
    shard.flush()
    shard.close()
    return edge.EdgeShard.load(str(folder))


def used(folder, *but):
    """Bytes on the disk, without the write-ahead log."""
    files = [p for p in Path(folder).rglob("*") if p.is_file() and "wal" not in p.relative_to(folder).parts[0]]
    return sum(p.stat().st_blocks * 512 for p in files if not any(b in str(p) for b in but))


def timed(call, *given):
    """Processor time of a call: a search of one segment runs in one thread."""
    start = time.process_time()
    call(*given)
    return time.process_time() - start


def spread(times):
    times = sorted(1000 * t for t in times)
    return {f"p{p}": round(times[min(len(times) - 1, math.ceil(len(times) * p / 100) - 1)], 2) for p in (50, 95, 99)}


def wire(payload, vector):
    """Bytes of a fetched point in gRPC."""
    rows = vector["s"] if vector else []
    multi = q.MultiDenseVector(vectors=[q.DenseVector(data=row) for row in rows])
    point = q.RetrievedPoint(payload={k: json_to_value(v) for k, v in payload.items()})
    return point.ByteSize() + (multi.ByteSize() if rows else 0)


def measure_bytes(chunks, work, copies):
    words = {}
    n = len(chunks) * copies
    ids = [str(uuid.uuid5(uuid.NAMESPACE_URL, str(i))) for i in range(n)]
    one = edge.EdgeSparseVectorParams()

    def sentences(c):
        return base64.b64encode(c[1].tobytes() + c[2].tobytes()).decode()

    def kept(c):
        return {k: c[3][k] for k in ("chunk_id", "source_id", "section", "ordinal")} | {"year": 2020, "born": 1}

    def text(c):
        return {"text": json.dumps({k: c[3][k] for k in ("text", "sentences", "heading", "prefix")})}

    fields = [("source_id", edge.PayloadSchemaType.Keyword), ("section", edge.PayloadSchemaType.Keyword)]
    fields += [(name, edge.PayloadSchemaType.Integer) for name in ("year", "born")]
    none = {"sparse_vectors": {"x": one}}
    rows = {
        "ids alone": (lambda c: ({}, {}), none, ()),
        "windows": (lambda c: ({"w": c[0].tolist()}, {}), {"vectors": {"w": params()}}, ()),
        "words": (lambda c: ({"x": sparse(c[3]["text"], words)}, {}), none, ()),
        "fields": (lambda c: ({}, kept(c)), none, ()),
        "fields, indexed": (lambda c: ({}, kept(c)), none, fields),
        "text": (lambda c: ({}, text(c)), none, ()),
        "sentence vectors as payload": (lambda c: ({}, {"s": sentences(c)}), none, ()),
        "text and sentence vectors as payload": (lambda c: ({}, text(c) | {"s": sentences(c)}), none, ()),
        "sentence vectors as vectors, 8 bits": (
            lambda c: ({"s": (c[1].astype("f4") + 128).tolist()}, {}),
            {"vectors": {"s": params(datatype=edge.VectorStorageDatatype.Uint8, hnsw_config=edge.HnswIndexConfig(0, 4, 10**9))}},
            (),
        ),
    }
    rng, out, fetched, before = np.random.default_rng(1), {}, {}, 0
    for name, (make, config, indexed) in rows.items():
        folder = work / name
        points = (edge.Point(i, *make(chunks[k % len(chunks)])) for k, i in enumerate(ids))
        shard = fill(folder, points, indexed=indexed, **config)
        size = used(folder) / n
        before = before or size
        out[name] = round(size if name == "ids alone" else size - before)
        times, sent = [], []
        for _ in range(200):
            wanted = [ids[i] for i in rng.integers(0, n, 50)]
            start = time.perf_counter()
            got = [(p.payload, p.vector) for p in shard.retrieve(wanted, True, "8 bits" in name)]
            times.append(time.perf_counter() - start)
            assert len(got) >= 45
            sent.append(len(got) and sum(wire(*one) for one in got) / len(got))
        if "sentence" in name or name == "text":
            fetched[name] = spread(times) | {"bytes on the wire": round(50 * float(np.mean(sent)))}
        shard.close()
        shutil.rmtree(folder)
    raw = {
        "windows a chunk": sum(len(c[0]) for c in chunks) / len(chunks),
        "sentences a chunk": sum(len(c[1]) for c in chunks) / len(chunks),
        "different words a chunk": sum(len(sparse(c[3]["text"], words).indices) for c in chunks) / len(chunks),
        "bytes of text a chunk": sum(len(c[3]["text"].encode()) for c in chunks) / len(chunks),
    }
    return {"chunks": n, "raw": raw, "bytes a chunk": out, "fetch of 50, ms": fetched}


def embed(model, files):
    """The vectors of the questions in BEIR's queries.jsonl, by the embedding model in a folder."""
    import onnxruntime
    import tokenizers

    reader = tokenizers.Tokenizer.from_file(str(model / "tokenizer.json"))
    reader.no_padding()
    session = onnxruntime.InferenceSession(str(model / "model.onnx"))
    out = []
    for line in (line for f in files for line in Path(f).open()):
        ids = np.array([reader.encode(json.loads(line)["text"]).ids[:256]], "i8")
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        given = {i.name: given[i.name] for i in session.get_inputs()}
        v = session.run(None, given)[0]
        v = v.reshape(-1, SIZE).mean(0)
        out.append(v / np.linalg.norm(v))
    return np.array(out, "f4")


def grouped(chunks):
    """More chunks from the same texts: their windows, and their sentence vectors by three."""
    out = [c[0] for c in chunks]
    for c in chunks:
        s = c[1].astype("f4") * c[2][:, None]
        s /= np.maximum(np.linalg.norm(s, axis=1, keepdims=True), 1e-9)
        out += [s[i : i + 3] for i in range(0, len(s), 3)]
    return out


def measure_recall(chunks, work, asked, only):
    docs = grouped(chunks)
    flat, owner = np.concatenate(docs), np.repeat(np.arange(len(docs)), [len(d) for d in docs])
    starts = np.searchsorted(owner, np.arange(len(docs)))
    scores = np.array([np.maximum.reduceat(flat @ v, starts) for v in asked])
    one_bit, two_bits = edge.BinaryQuantizationEncoding.OneBit, edge.BinaryQuantizationEncoding.TwoBits
    kinds = {
        "f32": None,
        "int8": edge.ScalarQuantizationConfig(edge.ScalarType.Int8, always_ram=True),
        "4 bits": edge.TurboQuantQuantizationConfig(always_ram=True, bits=edge.TurboQuantBitSize.Bits4),
        "2 bits": edge.BinaryQuantizationConfig(always_ram=True, encoding=two_bits),
        "1 bit": edge.BinaryQuantizationConfig(always_ram=True, encoding=one_bit),
    }
    shapes = {
        "chunks, no graph": (docs, 0, 100, kinds, (None,)),
        "chunks, graph": (docs, 16, 100, ("f32", "int8"), (None,)),
        "windows, graph": (flat[:, None], 16, 100, ("f32", "int8", "2 bits", "1 bit"), (None, 4000)),
    }
    out = {"chunks": len(docs), "windows": len(flat), "raw f32 MB": round(flat.nbytes / 1e6), "questions": len(asked)}
    for shape, (rows, m, width, names, efs) in shapes.items():
        for name in names:
            if only not in f"{shape}, {name}":
                continue
            folder, start = work / "shard", time.perf_counter()
            points = (edge.Point(i, {"w": d.tolist() if rows is docs else d[0].tolist()}, {}) for i, d in enumerate(rows))
            space = {"quantization_config": kinds[name], "hnsw_config": edge.HnswIndexConfig(m, width, 10), "on_disk": True}
            space = params(**space) if rows is docs else edge.EdgeVectorParams(SIZE, DOT, **space)
            shard = fill(folder, points, vectors={"w": space})
            built = time.perf_counter() - start
            of = [(p.stat().st_size, p.name) for p in folder.rglob("*") if p.is_file()]
            row = {"built s": round(built), "quantised bytes a window": round(sum(n for n, p in of if "quantized" in p) / len(flat))}
            row["graph bytes a window"] = round(sum(n for n, p in of if p.startswith(("links", "graph"))) / len(flat))
            for ef in efs:
                for times in (1, 2, 4) if kinds[name] else (1,):
                    label = f"ef {ef or LIST}, oversampling {times}"
                    row[label] = found(shard, asked, scores, None if rows is docs else owner, ef, kinds[name] and times)
            out[f"{shape}, {name}"] = row
            print(shape, name, row, file=sys.stderr, flush=True)
            shard.close()
            shutil.rmtree(folder)
    return out


def found(shard, asked, scores, owner, ef, oversampling):
    """How many of the first 10 and 100 chunks of a list of 1,000 points are as good as the best 10 and 100, and times."""
    params, hits, spent = {"hnsw_ef": ef}, {10: 0, 100: 0}, []
    if oversampling:
        params["quantization"] = edge.QuantizationSearchParams(rescore=True, oversampling=float(oversampling))
    for v, exact in zip(asked, scores):
        query = edge.Query.Nearest([v.tolist()] if owner is None else v.tolist(), using="w")
        request = edge.QueryRequest(limit=LIST, query=query, params=edge.SearchParams(**params))
        start = time.perf_counter()
        ids = [p.id for p in shard.query(request)]
        spent.append(time.perf_counter() - start)
        ids = ids if owner is None else list(dict.fromkeys(int(owner[i]) for i in ids))
        for k in hits:
            hits[k] += int((exact[ids[:k]] >= np.partition(exact, -k)[-k] - 1e-5).sum())
    return {f"recall@{k}": round(n / (k * len(asked)), 4) for k, n in hits.items()} | spread(spent)


def measure_latency(chunks, work, wanted, questions=200):
    rng, words, docs = np.random.default_rng(3), {}, grouped(chunks)
    texts = [sparse(c[3]["text"], words) for c in chunks]
    held = np.bincount(np.concatenate([t.indices for t in texts]))

    def point(k):
        d = docs[k % len(docs)]
        if k >= len(docs):  # more chunks than texts: near ones
            d = d + 0.3 * rng.standard_normal(d.shape).astype("f4") / math.sqrt(SIZE)
            d /= np.linalg.norm(d, axis=1, keepdims=True)
        vectors = {"scan": d.tolist(), "graph": d[0].tolist(), "words": texts[int(rng.integers(len(texts)))]}
        return edge.Point(k, vectors, {"year": 1990 + k % 35, "born": 1 + k % 5})

    int8 = edge.ScalarQuantizationConfig(edge.ScalarType.Int8, always_ram=True)
    start, integer = time.perf_counter(), edge.PayloadSchemaType.Integer
    shard = fill(
        work / "shard",
        map(point, range(wanted)),
        indexed=[("year", integer), ("born", integer)],
        vectors={
            "scan": params(quantization_config=int8, hnsw_config=edge.HnswIndexConfig(0, 100, 10), on_disk=True),
            "graph": edge.EdgeVectorParams(
                SIZE, DOT, quantization_config=int8, hnsw_config=edge.HnswIndexConfig(16, 100, 10), on_disk=True
            ),
        },
        sparse_vectors={"words": edge.EdgeSparseVectorParams()},
    )
    out, raw = {"chunks": wanted, "built s": round(time.perf_counter() - start)}, {}
    live = edge.FieldCondition("born", range=edge.RangeFloat(lte=4))
    years = edge.FieldCondition("year", range=edge.RangeFloat(gte=2020))
    quantized = edge.SearchParams(quantization=edge.QuantizationSearchParams(rescore=True, oversampling=1.0))
    for name, conditions in {"all": [live], "5 of 35 years": [live, years]}.items():
        for kind in ("scan", "graph", "words"):
            times = []
            for _ in range(questions):
                if kind == "words":  # eight words of one text, each in less than a tenth of the texts
                    some = [i for i in texts[int(rng.integers(len(texts)))].indices if held[i] < len(texts) / 10]
                    some = sorted(set(rng.choice(some, 8).tolist())) if some else [0]
                    vector = edge.SparseVector(some, [math.log(len(texts) / held[i]) for i in some])
                else:
                    v = docs[int(rng.integers(len(docs)))][0] + 0.5 * rng.standard_normal(SIZE).astype("f4") / math.sqrt(SIZE)
                    vector = [v.tolist()] if kind == "scan" else v.tolist()
                query, filter_ = edge.Query.Nearest(vector, using=kind), edge.Filter(must=conditions)
                how = None if kind == "words" else quantized
                request = edge.QueryRequest(limit=LIST, query=query, filter=filter_, params=how)
                times.append(min(timed(shard.query, request) for _ in range(3)))
            out[f"{kind}, {name}"] = spread(times)
            raw[f"{kind}, {name}"] = [round(1000 * t, 3) for t in times]
    shard.close()
    return out | {"ms": raw}


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("what", choices=["bytes", "recall", "latency"])
    args.add_argument("index", nargs="+")
    args.add_argument("--model", type=Path)
    args.add_argument("--questions", nargs="*", default=[])
    args.add_argument("--only", default="", help="of recall: only rows with this in their name")
    args.add_argument("--chunks", type=int, default=20_000)
    args = args.parse_args()
    chunks = read(args.index)
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as work:
        if args.what == "bytes":
            out = measure_bytes(chunks, Path(work), max(1, args.chunks // len(chunks)))
        elif args.what == "recall":
            out = measure_recall(chunks, Path(work), embed(args.model, args.questions), args.only)
        else:
            out = measure_latency(chunks, Path(work), args.chunks)
    print(json.dumps(out, indent=1))


if __name__ == "__main__":
    main()
