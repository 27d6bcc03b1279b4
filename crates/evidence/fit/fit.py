"""Fits the model of sentences and that of answers for the vectors of one embedding model (../src/fitted/MODEL); from rows that
were made with a reader also those for sentences that it has read (sentences-read.json, answer-read.json).

    python3 -m venv venv && venv/bin/pip install -r requirements.txt
    pipeline ingest DIR/articles.jsonl --index DIR/index            for each data set; `bench` is cargo run --release -p lab --example bench --
    bench answers DIR/qa.jsonl --articles DIR/articles.jsonl --set index.dir=DIR/index > NAME.jsonl
    bench answers QUERIES.jsonl --set index.dir=DIR/index > NAME.jsonl        the same for papers with a query set
    venv/bin/python fit.py MODEL NAME.jsonl ...                     prints held-out figures, writes both files
    venv/bin/python fit.py MODEL NAME.jsonl ... --test OTHER.jsonl  also measures OTHER, which is not fitted on
    venv/bin/python fit.py MODEL NAME.jsonl ... --half first        writes models that are fitted on one half of the papers

Papers are divided into halves by a hash of their id. For the figures printed, each half is tested with a model that was
fitted on the other half. The models that are written are fitted on everything, so figures of those on these data sets
are not held out.
"""

import argparse
import collections
import hashlib
import json
import pathlib

import lightgbm
import numpy
from sklearn.linear_model import LogisticRegression

SEED = 20240229
# More of one of these never makes a sentence less likely to answer; more of the others never more likely.
RISING = ["cosine", "coverage", "local_coverage", "mix", "pairs", "run", "rarest", "around", "well_formed",
          "row_label", "column_label", "asked_of_paper", "centred", "counted", "reader", "reader_window"]
FALLING = ["cosine_behind", "coverage_behind", "local_behind", "mix_behind", "cosine_rank", "mix_rank",
           "asked_of_paper_behind", "centred_behind", "centred_rank", "announces_unasked", "reader_behind"]
# Data sets for the model of sentences alone. Their passages are single paragraphs, and the models of answers became no better
# with them.
SENTENCES_ONLY = ["wiki"]
# Data sets that the reader was trained on: what it says of them tells nothing.
TRAINED_READER = ["wiki"]
ROUNDS = 300
TREES = {
    "objective": "lambdarank", "lambdarank_truncation_level": 10, "label_gain": [0, 1], "num_leaves": 10,
    "learning_rate": 0.04, "min_data_in_leaf": 50, "feature_fraction": 0.3, "bagging_fraction": 0.8, "bagging_freq": 1,
    "lambda_l2": 5.0, "verbose": -1, "seed": SEED, "num_threads": 2, "deterministic": True, "force_row_wise": True,
}


class Question:
    def __init__(self, name, row, names):
        self.set = name
        self.answerable = row["answerable"]
        self.removed = row["removed"]
        self.gold = row["gold"]
        self.items = max(row["items"], 1)
        self.answer = row["answer"]
        self.document = row["document"]
        self.values = numpy.array(row["sentences"], dtype=numpy.float32).reshape(-1, len(names))
        self.labels = numpy.array([bool(items) for items in row["gold"]])
        # What is never quoted cannot be ranked.
        quotable = self.values[:, names.index("well_formed")] > 0 if len(self.labels) else []
        self.values, self.labels = self.values[quotable], self.labels[quotable]
        self.gold = [items for items, kept in zip(self.gold, quotable) if kept]
        digit = hashlib.sha256(f"{SEED}\n{row['document']}".encode()).hexdigest()[0]
        self.half = digit >= "8"
        # The baseline: half cosine, half BM25.
        self.mix = self.values[:, names.index("mix")]
        # Out-of-half predictions.
        self.scores = self.probabilities = numpy.zeros(len(self.labels))


def load(path):
    with open(path) as lines:
        head = json.loads(next(lines))
        rows = [json.loads(line) for line in lines]
    name = pathlib.Path(path).stem
    questions = [Question(name, row, head["sentence_features"]) for row in rows]
    return head["sentence_features"], head["answer_features"], [q for q in questions if len(q.labels)]


def trees(questions, names):
    """The trees: only questions with a gold sentence in their context can be ranked."""
    used = [q for q in questions if q.labels.any()]
    data = lightgbm.Dataset(
        numpy.concatenate([q.values for q in used]),
        numpy.concatenate([q.labels for q in used]).astype(int),
        group=[len(q.labels) for q in used],
    )
    direction = [(name in RISING) - (name in FALLING) for name in names]
    return lightgbm.train({**TREES, "monotone_constraints": direction}, data, ROUNDS)


def platt(questions, scores):
    """Slope and intercept of the probability that a sentence answers. Every set counts alike."""
    x = numpy.concatenate(scores)[:, None]
    y = numpy.concatenate([q.labels for q in questions])
    w = numpy.concatenate([numpy.full(len(q.labels), w / len(q.labels)) for q, w in zip(questions, weights(questions))])
    fitted = LogisticRegression(C=1e6).fit(x, y, sample_weight=w)
    return float(fitted.coef_[0][0]), float(fitted.intercept_[0])


def weights(questions):
    """A weight for each question: every set counts alike."""
    count = collections.Counter(q.set for q in questions)
    return [1000.0 / count[q.set] for q in questions]


def logistic(x):
    return 1.0 / (1.0 + numpy.exp(-x))


def of_answer(question, sentence_names, names):
    """The features of the answer, with held-out probabilities of the sentences."""
    values = dict(zip(names, question.answer))
    order = numpy.argsort(-question.probabilities, kind="stable")
    p = numpy.append(question.probabilities[order], [0.0] * 5)
    best = dict(zip(sentence_names, question.values[order[0]]))
    clipped = min(max(p[0], 1e-4), 1 - 1e-4)
    values.update(
        best=numpy.log(clipped / (1 - clipped)), second=p[1], five=p[:5].sum(), best_cosine=best["cosine"],
        best_coverage=best["coverage"], best_rarest=best["rarest"], best_asked_of_paper=best["asked_of_paper"],
        best_centred=best["centred"],
    )
    return [values[name] for name in names]


def right(question):
    order = numpy.argsort(-question.probabilities, kind="stable")
    return bool(question.labels[order[:3]].any())


def regression(questions, rows, labels):
    """A logistic regression on standardised features. Every set counts alike."""
    mean, scale = rows.mean(axis=0), rows.std(axis=0)
    scale[scale < 1e-6] = 1.0
    fitted = LogisticRegression(C=0.3, max_iter=2000)
    fitted.fit((rows - mean) / scale, labels, sample_weight=weights(questions))
    return mean, scale, fitted.coef_[0], float(fitted.intercept_[0])


def answered(question):
    return question.answerable and not question.removed


def interval(questions, values):
    """95 % of 2,000 means over resampled papers."""
    papers = collections.defaultdict(list)
    for question, value in zip(questions, values):
        papers[question.document].append(value)
    sums = numpy.array([[sum(own), len(own)] for own in papers.values()], dtype=float)
    drawn = numpy.random.default_rng(SEED).integers(len(sums), size=(2000, len(sums)))
    drawn = sums[drawn].sum(axis=1)
    low, high = numpy.percentile(drawn[:, 0] / drawn[:, 1], [2.5, 97.5])
    return f"{numpy.mean(values):.3f} [{low:.3f}, {high:.3f}]"


def figures(questions, probability, answerable):
    """Held-out figures of each data set."""
    for name in sorted({q.set for q in questions}):
        own = [(q, p, a) for q, p, a in zip(questions, probability, answerable) if q.set == name]
        yes = [(q, p, a) for q, p, a in own if answered(q)]
        line = {}
        asked = [q for q, _, _ in yes]
        for depth in (1, 3, 5):
            for of, by in (("hit", lambda q: q.probabilities), ("baseline", lambda q: q.mix)):
                hits = [q.labels[numpy.argsort(-by(q), kind="stable")[:depth]].any() for q in asked]
                line[f"{of}@{depth}"] = interval(asked, hits)
        shown = [
            len({i for at in numpy.argsort(-q.probabilities, kind="stable")[:5] for i in q.gold[at]}) / q.items
            for q, _, _ in yes
        ]
        line["recall@5"] = interval(asked, shown)
        print(f"{name}: {len(yes)} questions, " + ", ".join(f"{k} {v}" for k, v in line.items()))
        for label, others in [
            ("labelled as unanswerable", [a for q, _, a in own if not q.answerable and not q.removed]),
            ("gold papers removed", [a for q, _, a in own if q.removed]),
        ]:
            if others:
                for cut in (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6):
                    given = numpy.mean([a >= cut for _, _, a in yes])
                    refused = numpy.mean([a < cut for a in others])
                    print(f"  {label}, cut {cut}: answered {given:.3f}, refused {refused:.3f}, "
                          f"balanced {(given + refused) / 2:.3f}")
        for low in (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9):
            bin_ = [right(q) for q, p, _ in yes if p >= low]
            if bin_:
                print(f"  p >= {low}: {len(bin_)} answers, right {numpy.mean(bin_):.3f}, "
                      f"of all right {sum(bin_) / max(1, sum(right(q) for q, _, _ in yes)):.2f}")


def tree_of(node):
    """A tree as lists; splits are numbered in depth-first order, so that children follow their parents."""
    out = {"feature": [], "threshold": [], "left": [], "right": [], "value": []}

    def visit(node):
        if "leaf_value" in node:
            out["value"].append(round(node["leaf_value"], 5))
            return -len(out["value"])
        at = len(out["feature"])
        for key in ("feature", "threshold", "left", "right"):
            out[key].append(None)
        out["feature"][at] = node["split_feature"]
        out["threshold"][at] = float(numpy.float32(node["threshold"]))
        out["left"][at] = visit(node["left_child"])
        out["right"][at] = visit(node["right_child"])
        return at

    visit(node)
    return out


def short(values):
    return [round(float(value), 6) for value in values]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embedder", metavar="MODEL", help="the embedding model, as embedding.model names it")
    parser.add_argument("features", nargs="+")
    parser.add_argument("--test", nargs="*", default=[], help="data sets that are measured and never fitted on")
    parser.add_argument("--half", choices=["first", "second"], help="fit the models that are written on this half alone")
    arguments = parser.parse_args()
    questions, tests = [], []
    for into, paths in ((questions, arguments.features), (tests, arguments.test)):
        for path in paths:
            sentence_names, answer_names, own = load(path)
            into += own
    if any(q.values[:, sentence_names.index("reader")].any() for q in questions):
        print("With the reader:")
        seen = [q for q in questions if q.set not in TRAINED_READER]
        fit(seen, tests, sentence_names, answer_names, arguments, "-read")
        print("Without:")
    for question in [*questions, *tests]:
        question.values = question.values[:, [not name.startswith("reader") for name in sentence_names]]
        pairs = zip(answer_names, question.answer)
        question.answer = [value for name, value in pairs if not name.startswith("reader")]
    plain = [[name for name in names if not name.startswith("reader")] for names in (sentence_names, answer_names)]
    fit(questions, tests, *plain, arguments, "")


def fit(questions, tests, sentence_names, answer_names, arguments, suffix):
    """Prints held-out figures and writes both models."""
    # Held out: each half by a model of the other; the tests by a model of both.
    for half in (False, True, None):
        tested = tests if half is None else [q for q in questions if q.half != half]
        if tested:
            model = trees([q for q in questions if half is None or q.half == half], sentence_names)
            for question in tested:
                question.scores = model.predict(question.values)
    slope, intercept = platt(questions, [q.scores for q in questions])
    for question in [*questions, *tests]:
        question.probabilities = logistic(slope * question.scores + intercept)

    def features(of):
        return numpy.array([of_answer(q, sentence_names, answer_names) for q in of])

    def regressed(of, label):
        """A regression on questions of these that count for it."""
        of = [q for q in of if q.set not in SENTENCES_ONLY]
        return regression(of, features(of), [label(q) for q in of])

    def probabilities(label):
        out = {}
        for half in (False, True, None):
            tested = tests if half is None else [q for q in questions if q.half != half]
            if tested:
                own = [q for q in questions if half is None or q.half == half]
                mean, scale, slopes, constant = regressed(own, label)
                values = logistic((features(tested) - mean) / scale @ slopes + constant)
                out.update(zip(tested, values))
        return [out[q] for q in [*questions, *tests]]

    figures([*questions, *tests], probabilities(right), probabilities(answered))

    if arguments.half:
        questions = [q for q in questions if q.half == (arguments.half == "second")]
    model = trees(questions, sentence_names)
    regressions = {}
    for name, label in (("right", right), ("answerable", answered)):
        mean, scale, slopes, constant = regressed(questions, label)
        regressions[name] = {"weight": short(slopes), "intercept": round(constant, 6)}
    data = sorted({q.set for q in questions})
    folder = pathlib.Path(__file__).parent.parent / "src" / "fitted" / arguments.embedder
    folder.mkdir(parents=True, exist_ok=True)
    dump = model.dump_model()
    (folder / f"sentences{suffix}.json").write_text(json.dumps({
        "fitted_on": data, "features": sentence_names,
        "trees": [tree_of(tree["tree_structure"]) for tree in dump["tree_info"]],
        "slope": round(slope, 6), "intercept": round(intercept, 6),
    }, separators=(",", ":")) + "\n")
    (folder / f"answer{suffix}.json").write_text(json.dumps({
        "fitted_on": data, "features": answer_names, "mean": short(mean), "scale": short(scale),
        **regressions,
    }, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
