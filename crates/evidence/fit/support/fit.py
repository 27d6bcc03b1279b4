"""Fits the offline judge of support, ../../src/support/words.json and vectors.json, and the confidence of written answers,
../../../guardrail/src/confidence.json.

    python3 -m venv venv && venv/bin/pip install -r requirements.txt
    venv/bin/python fit.py rows FAITHFULNESS SUPPORT PAPERS > rows.jsonl
    bench support rows.jsonl > features.jsonl
    venv/bin/python fit.py fit FAITHFULNESS SUPPORT PAPERS features.jsonl

FAITHFULNESS is a folder of labelled sets, SUPPORT a file of single claims, PAPERS holds the papers that claims.tsv is about
(rct/papers/*.md and covid-qa/articles.jsonl); data.py says which, and how rows are divided
into folds so that no question, context or (where claims repeat) claim is in two of them. The figures printed are held
out: each fold is judged by a model fitted on the others, with the rules of ../../src/support/rules.json as in the shipped judge. The
models that are written are fitted on everything.

Each file holds two forests, "supported" and "contradicted", and the rule by which claims are combined.
"""

import argparse
import json
import pathlib
import sys

import lightgbm
import numpy
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score, roc_auc_score

import data

# More of one of these never makes support less likely; more of the others never more likely. An absent number, a changed
# word or a denial must never help, whatever the sets at hand happen to hold.
RISING = [
    "verbatim", "coverage", "sentence_coverage", "passage_coverage", "soft_coverage", "soft_passage", "soft_lowest", "soft_low",
    "soft_absent", "cosine",
]
FALLING = [
    "absent_weight", "absent_rarest", "absent_run", "numbers_absent", "numbers_elsewhere", "numbers_changed",
    "names_absent", "symbols_absent", "negation_differs", "direction_differs", "exchanged", "swapped", "turned",
    "hedge_dropped", "surer",
    "more_causal", "wider", "superlative", "named_gap",
]
# What only an embedder can tell.
OF_VECTORS = [
    "cosine", "soft_coverage", "soft_passage", "soft_lowest", "soft_low", "soft_absent", "soft_specific",
]
ROUNDS = 180
TREES = {
    "objective": "binary", "num_leaves": 8, "learning_rate": 0.05, "min_data_in_leaf": 40, "feature_fraction": 0.4,
    "bagging_fraction": 0.8, "bagging_freq": 1, "lambda_l2": 10.0, "verbose": -1, "seed": data.SEED, "num_threads": 2,
    "deterministic": True, "force_row_wise": True,
}


def logistic(x):
    return 1.0 / (1.0 + numpy.exp(-x))


class Target:
    """One forest: what it tells, from which features, and its held-out scores."""

    def __init__(self, claims, labels, names, monotone):
        self.names = names
        self.columns = [claims.features.index(name) for name in names]
        self.claims, self.labels = claims, labels
        fitted = [name for name, (*_, weight) in data.SETS.items() if weight] + list(data.EXTRA)
        self.known = ~numpy.isnan(labels) & numpy.isin(claims.set, fitted)
        self.sign = [((n in RISING) - (n in FALLING)) * monotone for n in names]
        self.scores = numpy.full(len(labels), numpy.nan)
        for fold in range(data.FOLDS):
            own = claims.fold == fold
            self.scores[own] = self.train(~own).predict(claims.x[own][:, self.columns], raw_score=True)
        # Platt's line, on held-out scores; every set and both labels count alike.
        held = self.known & (claims.fold >= 0)
        weight = claims.weights(held, labels)[held]
        line = LogisticRegression(C=1e6).fit(self.scores[held][:, None], labels[held].astype(int), sample_weight=weight)
        self.slope, self.intercept = float(line.coef_[0][0]), float(line.intercept_[0])
        self.logits = self.slope * self.scores + self.intercept

    def train(self, kept):
        kept = kept & self.known
        labels = numpy.nan_to_num(self.labels).astype(int)
        weight = self.claims.weights(kept, self.labels)[kept]
        rows = lightgbm.Dataset(self.claims.x[kept][:, self.columns], labels[kept], weight=weight)
        return lightgbm.train({**TREES, "monotone_constraints": self.sign}, rows, ROUNDS)

    def written(self):
        model = self.train(numpy.full(len(self.labels), True)).dump_model()
        return {"features": self.names, "trees": [tree_of(tree["tree_structure"]) for tree in model["tree_info"]],
                "slope": round(self.slope, 5), "intercept": round(self.intercept, 5)}


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


def measures(faithful, score):
    faithful, score = numpy.array(faithful), numpy.array(score)
    wrong, told = faithful == 0, score < 0.5
    recall, specific = told[wrong].mean(), (~told)[~wrong].mean()
    precision = wrong[told].mean() if told.any() else 0.0
    return {"n": len(faithful), "balanced": (recall + specific) / 2, "P": precision, "R": recall,
            "F1": 2 * precision * recall / max(precision + recall, 1e-9), "AUC": roc_auc_score(faithful, score),
            "kappa": cohen_kappa_score(faithful, (~told).astype(int))}


def shown(values):
    return ", ".join(f"{k} {v:.3f}" if isinstance(v, float) else f"{k} {v}" for k, v in values.items())


class Rules:
    """What the judge adds to the forest: see ../../src/support/rules.json and model.rs."""

    def __init__(self, claims, vectors):
        rules = json.loads((pathlib.Path(__file__).parents[2] / "src/support/rules.json").read_text())

        def column(name):
            return claims.x[:, claims.features.index(name)].astype(float)

        penalty = sum(amount * column(name) for name, amount in rules["penalties"].items())
        coverage = column("passage_coverage")
        against = penalty + column("named_gap") + column("reversed")
        self.added = numpy.where((coverage >= 0.999) & (against <= 0), rules["complete"], 0.0) - penalty
        if not vectors:
            self.added -= rules["foreign"] * numpy.maximum(rules["related"] - coverage, 0.0)
        self.verbatim = (column("verbatim") > 0) & (column("named_gap") <= 0)
        self.nothing = column("terms") <= 0

    def apply(self, logits):
        """The logits that the judge gives, kept in the range that it combines."""
        most = -LEAST
        out = numpy.where(self.nothing, LEAST, logits + self.added)
        out = numpy.where(self.verbatim, numpy.log(0.99 / 0.01), out)
        return numpy.clip(out, LEAST, most)


# The most that the number of claims and their mean may weigh.
MOST = 0.15
# The logit of the smallest probability that is told apart, 0.0001.
LEAST = float(numpy.log(1e-4 / (1 - 1e-4)))


class Combination:
    """How the claims of a response give its probability: the logit of the least supported one, raised for the number of
    claims and for how far the mean lies above it. With one claim, that claim's probability. The second lowest in
    addition gained a hundredth on held-out answers, and let one clear error pass in a long answer."""

    def __init__(self, responses, logits):
        rows = [parts(logits[r["own"]]) for r in responses]
        self.rows = numpy.array(rows)
        self.labels = numpy.array([r["faithful"] for r in responses])
        fold = numpy.array([r["fold"] for r in responses])
        self.logits = numpy.zeros(len(rows))
        for at in range(data.FOLDS):
            own = fold == at
            weights = self.fit(self.rows[~own], self.labels[~own])
            self.logits[own] = self.rows[own, 0] + self.rows[own, 1:] @ weights
        self.weights = self.fit(self.rows, self.labels)

    @staticmethod
    def fit(rows, labels):
        balance = numpy.where(labels == 1, 0.5 / (labels == 1).mean(), 0.5 / (labels == 0).mean())

        def loss(weights):
            z = (rows[:, 0] + rows[:, 1:] @ weights) * (2 * labels - 1)
            return (balance * numpy.logaddexp(0, -z)).mean() + 0.001 * (weights**2).sum()

        # More weight on the mean, or less than none on the number, fits better and lets one clear error pass.
        return minimize(loss, numpy.zeros(rows.shape[1] - 1), bounds=[(0.0, MOST)] * (rows.shape[1] - 1)).x


def parts(logits):
    ordered = numpy.sort(logits)
    return [ordered[0], numpy.log(len(ordered)), ordered.mean() - ordered[0]]


def fit(claims, names, monotone=True):
    supported = Target(claims, claims.supported.astype(float), names, monotone)
    judged = Rules(claims, "cosine" in names).apply(supported.logits)
    contradicted = Target(claims, claims.contradicted.astype(float), names, False)
    for at, response in enumerate(claims.responses):
        response["own"] = numpy.flatnonzero(claims.response == at)
    several = [r for r in claims.responses if r["set"] == "ragtruth" and len(r["own"])]
    combined = Combination(several, judged)
    balanced = []
    for name in data.SETS:
        own = [r for r in claims.responses if r["set"] == name]
        if name == "ragtruth":
            by_response = dict(zip((id(r) for r in several), combined.logits))
        else:
            by_response = {id(r): total(judged[r["own"]], combined)
                           for r in own if len(r["own"])}
        score = [logistic(by_response.get(id(r), -9.0)) for r in own]
        values = measures([r["faithful"] for r in own], score)
        if data.SETS[name][2]:
            balanced.append(values["balanced"])
        print(f"{name}: {shown(values)}")
        if name == "papers":
            kinds = {r["row"]["kind"] for r in own}
            for kind in sorted(kinds):
                told = [s < 0.5 for r, s in zip(own, score) if r["row"]["kind"] == kind]
                print(f"  {kind}: {numpy.mean(told):.2f} of {len(told)} judged unsupported")
        against = (claims.set == name) & ~numpy.isnan(claims.contradicted)
        if len(set(claims.contradicted[against])) == 2:
            truth, p = claims.contradicted[against], logistic(contradicted.logits[against])
            unsupported = logistic(judged[against]) < 0.5
            told = unsupported & (p >= 0.5)
            print(f"  contradicted: AUC {roc_auc_score(truth, p):.3f}, P {truth[told].mean():.3f}, "
                  f"R {told[truth == 1].mean():.3f} of {int(truth.sum())}")
    print(f"macro balanced accuracy {numpy.mean(balanced):.3f}")
    return supported, contradicted, combined, confidence(several, judged)


# The confidence of a written answer is high and medium from these probabilities on.
HIGH, MEDIUM = 0.85, 0.65


def confidence(responses, judged):
    """How likely every claim of a response is supported, from the held-out probabilities of its claims: a logistic model of
    the lowest logit, the number of claims, and how far the mean lies above the lowest. The figures are held out: RAGTruth QA,
    folds by context. Classes are not weighted, so that it is a probability at the rate of supported responses of this set."""
    rows = numpy.array([parts(judged[r["own"]]) for r in responses])
    labels = numpy.array([r["faithful"] for r in responses])
    fold = numpy.array([r["fold"] for r in responses])
    held, constant = numpy.zeros(len(rows)), numpy.zeros(len(rows))
    for at in range(data.FOLDS):
        own = fold == at
        held[own] = LogisticRegression(C=1.0).fit(rows[~own], labels[~own]).predict_proba(rows[own])[:, 1]
        constant[own] = labels[~own].mean()
    brier = ((held - labels) ** 2).mean()
    print(f"confidence: n {len(rows)}, supported {labels.mean():.3f}, AUC {roc_auc_score(labels, held):.3f}, "
          f"Brier {brier:.3f} (their share alone: {((constant - labels) ** 2).mean():.3f})")
    level = numpy.where(held >= HIGH, "high", numpy.where(held >= MEDIUM, "medium", "low"))
    for name in ("high", "medium", "low"):
        own = level == name
        if own.any():
            print(f"  {name}: {own.sum()} responses, {labels[own].mean():.3f} supported, mean probability {held[own].mean():.3f}")
    model = LogisticRegression(C=1.0).fit(rows, labels)
    return {"weights": [round(float(w), 5) for w in model.coef_[0]], "intercept": round(float(model.intercept_[0]), 5),
            "high": HIGH, "medium": MEDIUM}


def total(logits, combined):
    rows = parts(logits)
    return rows[0] + numpy.array(rows[1:]) @ combined.weights


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("rows", "fit"):
        command = commands.add_parser(name)
        command.add_argument("faithfulness")
        command.add_argument("support")
        command.add_argument("papers")
    command.add_argument("features")
    args = parser.parse_args()
    if args.command == "rows":
        for row in data.rows(args.faithfulness, args.support, args.papers):
            print(json.dumps(row))
        return
    claims = data.Claims(args.features, args.faithfulness, args.support, args.papers)
    words = [name for name in claims.features if name not in OF_VECTORS]
    target = pathlib.Path(__file__).parents[2] / "src/support"
    for file, names in (("words", words), ("vectors", claims.features)):
        print(f"== {file}")
        supported, contradicted, combined, stated = fit(claims, names)
        weights = [round(float(w), 5) for w in combined.weights]
        model = {"supported": supported.written(), "contradicted": contradicted.written(), "combination": weights}
        (target / f"{file}.json").write_text(json.dumps(model, separators=(",", ":")) + "\n")
        print(f"combination {weights}", file=sys.stderr)
    # That of the model with vectors, which is the shipped one.
    written = target.parents[2] / "guardrail/src/confidence.json"
    written.write_text(json.dumps(stated) + "\n")


if __name__ == "__main__":
    main()
