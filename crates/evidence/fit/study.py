"""Fits the regressions for what is asked of every study (../src/study/weights.json) on marked sentences (study.tsv).

    python3 -m venv venv && venv/bin/pip install -r requirements.txt
    cargo run --release --package engine --example study_cues -- INDEX > CUES.jsonl      once per index, each to its own file
    venv/bin/python study.py CUES.jsonl ...                        prints figures of a cross-validation, writes the file
    venv/bin/python study.py CUES.jsonl ... --held-out PAPERS.txt  fits on the others and measures these, writes nothing

A line of study.tsv has the paper, the item, the sentences that answer the question by themselves, and those that do so only partly,
each by the first ten hex digits of the SHA-256 of its text without line breaks. For the figures, each fifth of the papers is tested with
regressions fitted on the others.
"""

import argparse
import collections
import hashlib
import json
import pathlib

import numpy
import scipy.sparse
from sklearn.linear_model import LogisticRegression

HERE = pathlib.Path(__file__).parent
FOLDS = 5
STRENGTH = 0.5  # C of scikit-learn, the inverse of the L2 penalty
PARTLY = 0.3    # weight of a sentence that answers only partly; it counts as one that does not
FILLED = 0.45   # guardrail.refuse_below
LEAST = 10      # papers that a cue must occur in
KEPT = 300      # cues of an item


def read(files, labels):
    rows, seen = [], set()
    for name in files:
        for line in open(name, encoding="utf-8"):
            row = json.loads(line)
            digest = hashlib.sha256(row["text"].encode()).hexdigest()[:10]
            if row["paper"] in labels and (row["paper"], digest) not in seen:
                seen.add((row["paper"], digest))
                rows.append((row["paper"], digest, row["cues"]))
    return rows


def matrix(rows):
    holders = collections.defaultdict(set)
    for paper, _, cues in rows:
        for cue in cues:
            holders[cue].add(paper)
    names = sorted(cue for cue, of in holders.items() if len(of) >= LEAST)
    column = {cue: at for at, cue in enumerate(names)}
    columns = [[column[cue] for cue in row[2] if cue in column] for row in rows]
    ends = numpy.cumsum([0] + [len(row) for row in columns])
    flat = numpy.concatenate([numpy.array(row, dtype=int) for row in columns])
    return scipy.sparse.csr_matrix((numpy.ones(len(flat)), flat, ends), shape=(len(rows), len(names))), names


def regress(x, grades):
    model = LogisticRegression(C=STRENGTH, solver="liblinear", intercept_scaling=10, max_iter=1000, random_state=0)
    return model.fit(x, grades == 2, sample_weight=numpy.where(grades == 1, PARTLY, 1.0))


def fit(x, grades):
    """The columns kept, and the regression on these."""
    weights = numpy.abs(regress(x, grades).coef_[0])
    kept = numpy.sort(numpy.argsort(-weights, kind="stable")[:KEPT])
    return kept, regress(x[:, kept], grades)


def held_out(x, grades, fold):
    sums = numpy.zeros(len(grades))
    for part in range(FOLDS):
        kept, model = fit(x[fold != part], grades[fold != part])
        sums[fold == part] = model.decision_function(x[fold == part][:, kept])
    return sums


def best(papers, sums, grades):
    """For each paper, the highest sum and the grade of that sentence."""
    out = []
    for paper in sorted(set(papers)):
        own = numpy.flatnonzero(papers == paper)
        top = own[numpy.argmax(sums[own])]
        out.append((sums[top], grades[top]))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cues", nargs="+")
    parser.add_argument("--held-out", help="file of papers to hold out, one per line")
    arguments = parser.parse_args()
    labels = collections.defaultdict(lambda: collections.defaultdict(dict))
    stated = collections.Counter()
    for line in (HERE / "study.tsv").read_text().splitlines():
        paper, item, *by_grade = line.split("\t")
        labels[paper]
        for grade, digests in zip((2, 1), by_grade):
            for digest in filter(None, digests.split(",")):
                labels[paper][item].setdefault(digest, grade)
        if by_grade and by_grade[0]:
            stated[paper, item] = 1
    items = sorted({item for paper in labels.values() for item in paper})
    rows = read(arguments.cues, labels)
    papers = numpy.array([row[0] for row in rows])
    x, names = matrix(rows)
    grades = {item: numpy.array([labels[row[0]][item].get(row[1], 0) for row in rows]) for item in items}
    print(len(rows), "sentences of", len(set(papers)), "papers;", len(names), "cues")
    missing = sorted(set(labels) - set(papers))
    if missing:
        parser.error(f"no sentences of {len(missing)} papers, such as {missing[0]}: name the cues of every index")
    marked = {(paper, digest) for paper, of in labels.items() for own in of.values() for digest in own}
    print(len(marked - {row[:2] for row in rows}), "of", len(marked), "marked sentences are not usable or not there")
    apart = set(open(arguments.held_out).read().split()) if arguments.held_out else set()
    fitted_on = numpy.array([paper not in apart for paper in papers])
    fold = numpy.array([int(hashlib.sha256(paper.encode()).hexdigest(), 16) % FOLDS for paper in papers])

    out, cells, tests = {}, [], []
    for item in items:
        own, g = x[fitted_on], grades[item][fitted_on]
        sums = held_out(own, g, fold[fitted_on])
        # The sum of the best sentence of a paper, as a probability that it answers.
        tops = best(papers[fitted_on], sums, g)
        scale = LogisticRegression(C=1.0).fit([[top[0]] for top in tops], [top[1] == 2 for top in tops])
        slope, shift = float(scale.coef_[0][0]), float(scale.intercept_[0])
        cells += [(item, slope * s + shift, grade) for s, grade in tops]
        kept, model = fit(own, g)
        weights = {names[at]: round(float(w) * slope, 3) for at, w in zip(kept, model.coef_[0])}
        out[item] = {"bias": round(float(model.intercept_[0]) * slope + shift, 3), "cues": weights}
        if apart:
            others = x[~fitted_on]
            sums = slope * model.decision_function(others[:, kept]) + shift
            tests += [(item, *top) for top in best(papers[~fitted_on], sums, grades[item][~fitted_on])]
    for name, these, group in (("by fifths", cells, set(papers) - apart), ("held out", tests, apart)):
        total = sum(stated[paper, item] for paper in group for item in items)
        for least in (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8) if these else ():
            chosen = [c for c in these if 1 / (1 + numpy.exp(-c[1])) >= least]
            right, partly = (sum(c[2] == grade for c in chosen) for grade in (2, 1))
            print(f"{name} {least}: filled {len(chosen)}, right {right} ({right / max(len(chosen), 1):.3f}), partly {partly}, of {total} stated {right / max(total, 1):.3f}")
        for item in items if these else ():
            chosen = [c for c in these if c[0] == item and c[1] >= numpy.log(FILLED / (1 - FILLED))]
            print(f"  {item}: {sum(c[2] == 2 for c in chosen)} of {len(chosen)} filled, {sum(stated[p, item] for p in group)} stated")
    if apart:
        return
    text = json.dumps(out, indent=0, ensure_ascii=False)
    (HERE.parent / "src/study/weights.json").write_text(text + "\n", encoding="utf-8")


main()
