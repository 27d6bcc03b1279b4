"""The labelled sets: their claims, their labels, and the folds that keep related rows together."""

import gzip
import hashlib
import json
import pathlib
import sys

import numpy

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

# Name, file, what rows must share to belong to the same fold, and how much the set counts in fitting (0: it is only measured).
SETS = {
    "ragtruth": ("ragtruth-qa.jsonl", ["context"], 1.0),
    "scifact": ("scifact-claims-train.jsonl", ["context", "response"], 1.0),
    "healthver": ("healthver-dev.jsonl", ["context", "response"], 1.0),
    "summedits": ("summedits-scitldr.jsonl", ["context"], 0.3),
    "papers": (None, ["paper"], 0.0),
}
# Errors planted in claims.tsv that contradict the passage; the others say more than it does.
AGAINST = {"swap", "entity", "number", "scale", "negation", "direction", "condition"}
# Sets that are only fitted on, and how much they count.
EXTRA = {"syn": 0.3, "fm2": 0.2}
FOLDS = 5
SEED = 7


def labelled(name, faithfulness, papers):
    """The rows of a set."""
    file = SETS[name][0]
    return lines(pathlib.Path(faithfulness) / file) if file else written(papers)


def written(folder):
    """The rows of claims.tsv: claims of our own about passages of papers, true ones ("ok") and such with one error of a kind. A
    line has the paper, the first ten hex digits of the SHA-256 of the passage's first line, its number of lines, the kind, and
    the claim. Lines of papers are those of ../reader.py."""
    import reader

    texts, out = reader.papers_in(pathlib.Path(folder)), []
    for at, line in enumerate((HERE / "claims.tsv").read_text(encoding="utf-8").splitlines()):
        paper, first, count, kind, claim = line.split("\t")
        own = texts[paper][1]
        start = next(number for number, text in enumerate(own) if reader.digest(text) == first)
        out.append({"id": at, "paper": paper, "context": " ".join(own[start : start + int(count)]), "response": claim,
                    "kind": kind, "faithful": int(kind == "ok")})
    return out


def rows(faithfulness, support, papers):
    """What `bench support` reads: `id`, `context`, and `response` (cut into claims) or `claim` (taken whole)."""
    for name in SETS:
        for row in labelled(name, faithfulness, papers):
            yield {"id": f"{name}:{row['id']}", "context": row["context"], "response": row["response"]}
    for at, row in enumerate(lines(support)):
        if source(row):
            yield {"id": f"{row['src']}:{at}", "context": " ".join(row["s"]), "claim": row["q"]}


def lines(path):
    opened = gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)
    with opened as text:
        return [json.loads(line) for line in text]


def source(row):
    name = row["src"].split("_")[0]
    return name if name in EXTRA else None


class Claims:
    """Claims with features, as columns of equal length, and the responses that they come from."""

    def __init__(self, dump, faithfulness, support, papers):
        head, *dumped = lines(dump)
        self.features = head["features"]
        dumped = {line["id"]: line["claims"] for line in dumped}
        self.responses = []
        columns = {key: [] for key in ["x", "supported", "contradicted", "set", "fold", "weight", "response"]}

        def add(claim, **values):
            if claim["values"] is not None:
                for key, value in {"x": claim["values"], **values}.items():
                    columns[key].append(value)

        for name, (_, keys, _) in SETS.items():
            data = labelled(name, faithfulness, papers)
            for row, group in zip(data, components([[(k, row[k].lower()) for k in keys] for row in data])):
                claims = dumped[f"{name}:{row['id']}"]
                fold = fold_of(name, group)
                for claim in claims:
                    supported, contradicted = labels(name, row, claim)
                    add(claim, supported=supported, contradicted=contradicted, set=name, fold=fold,
                        weight=1.0 if name == "ragtruth" else 1.0 / len(claims), response=len(self.responses))
                self.responses.append({"set": name, "faithful": row["faithful"], "fold": fold, "row": row,
                                       "claims": claims})
        for at, row in enumerate(lines(support)):
            if source(row):
                add(dumped[f"{row['src']}:{at}"][0], supported=int(row["y"] == 1), contradicted=float(row["y"] == 2),
                    set=source(row), fold=-1, weight=1.0, response=-1)
        for key, values in columns.items():
            setattr(self, key, numpy.array(values, dtype=numpy.float32 if key == "x" else None))

    def weights(self, kept, labels):
        """A weight for each claim: sets count as given, and both labels alike within a set."""
        out = numpy.zeros(len(self.set))
        for name, total in [*((n, w) for n, (_, _, w) in SETS.items()), *EXTRA.items()]:
            for label in (0, 1):
                own = kept & (self.set == name) & (labels == label)
                if own.any():
                    out[own] = total / 2 * self.weight[own] / self.weight[own].sum()
        return out * kept.sum() / max(out.sum(), 1e-9)


def labels(name, row, claim):
    """Whether a claim is supported, and whether it is contradicted (nan where nobody says)."""
    if name == "ragtruth":
        answer = row["response"].encode()
        start, end = (len(answer[:at].decode(errors="ignore")) for at in claim["span"])
        wrong = [span for span in row["spans"] if min(end, span["end"]) - max(start, span["start"]) > 3]
        return int(not wrong), float(any("Conflict" in span["label_type"] for span in wrong))
    if name == "papers":
        return row["faithful"], float(row["kind"] in AGAINST)
    against = {"scifact": "CONTRADICT", "healthver": "Refutes"}.get(name)
    if against:
        return row["faithful"], float(row["label"] == against)
    return row["faithful"], 0.0 if row["faithful"] else numpy.nan


def components(rows):
    """For each row the name of its connected component: rows that share a key belong together."""
    parent = {}

    def find(key):
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for keys in rows:
        for key in keys:
            parent.setdefault(key, key)
        for key in keys[1:]:
            first, other = sorted([find(keys[0]), find(key)])
            parent[other] = first
    return [find(keys[0]) for keys in rows]


def fold_of(name, group):
    return int(hashlib.sha256(f"{SEED}\n{name}\n{group}".encode()).hexdigest(), 16) % FOLDS
