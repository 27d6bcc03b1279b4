"""Compares the structure that `pipeline parse` extracts from a paper with its ground truth: every metric is hits of a count."""

import bisect
import math
import random
import statistics

from fold import letters, name_words, soft, strict

# Key and label, in the order in which they are shown. A low value is good for LOW alone.
METRICS = {
    "soft_precision": "heading precision, soft", "soft_recall": "heading recall, soft", "soft_f1": "heading F1, soft",
    "strict_precision": "heading precision, strict", "strict_recall": "heading recall, strict", "strict_f1": "heading F1, strict",
    "section_order": "sections in order", "paragraphs_whole": "paragraphs whole",
    "paragraphs_right_section": "paragraphs in right section", "reading_order": "paragraphs in order",
    "reference_leak": "references leaked", "title": "title", "title_precision": "title, of those given",
    "first_author": "first author", "author_precision": "author precision", "author_recall": "author recall",
    "author_f1": "author F1", "authors_exact": "authors all right", "year": "year", "year_precision": "year, of those given",
    "doi": "DOI", "doi_precision": "DOI, of those given",
}
LOW = "reference_leak"
NOT_INDEXED = {"references", "supplementary"}
# Headings under which text is printed that the ground truth puts under none.
FIRST_SECTIONS = {"", "introduction", "main", "maintext"}
PROBE = 40  # letters that stand for a paragraph that is not found whole
RESAMPLES = 10_000


class Paper:
    """One compared paper: `shares` has (hits, count) for each metric, the rest explains it.

    `parsed` is the JSON of `pipeline parse`, or None with a `failure`: all of the truth then counts as missed. `printed` is the
    PDF's plain text; without it, no heading counts as absent from the PDF.
    """

    def __init__(self, name, truth, parsed, failure=None, printed=None):
        self.name, self.truth, self.failure = name, truth, failure
        self.ours = parsed or {"title": None, "authors": [], "year": None, "doi": None, "sections": []}
        self.printed = None if printed is None else letters(printed)
        self.headings = [section["heading"] for section in self.ours["sections"]]
        self.soft = [soft(heading) for heading in self.headings]
        self.texts = [letters(section["text"]) for section in self.ours["sections"]]
        self.indexed = [t for t, s in zip(self.texts, self.ours["sections"]) if s["name"] not in NOT_INDEXED]
        self.shares = {**self.compare_headings(), **self.compare_paragraphs(), **self.compare_front()}
        references = [reference for reference in truth.references if self.is_printed(reference)]
        self.leaked = [r for r in references if any(r in text for text in self.indexed)]
        # A paper that was not read leaks nothing: that is no merit.
        self.shares[LOW] = (0, 0) if failure else (len(self.leaked), len(references))

    def is_printed(self, folded):
        return self.printed is None or folded in self.printed

    def compare_headings(self):
        truth = self.truth.headings
        headed = [at for at, heading in enumerate(self.headings) if heading.strip()]
        self.pairs = pair([self.soft[at] for at in headed], [heading.soft for heading in truth])
        self.pairs = [(headed[ours], at) for ours, at in self.pairs]
        equal = sum(strict(self.headings[ours]) in truth[at].strict for ours, at in self.pairs)
        found = {at for _, at in self.pairs}
        lost = [heading for at, heading in enumerate(truth) if at not in found]
        self.missed = [heading for heading in lost if self.is_printed(heading.soft)]
        self.absent = [heading for heading in lost if not self.is_printed(heading.soft)]
        pardons, used, self.invented = list(self.truth.pardons), {ours for ours, _ in self.pairs}, []
        for at in (at for at in headed if at not in used):
            pardon = next((names for names in pardons if self.soft[at] in names), None)
            if pardon:
                pardons.remove(pardon)
            else:
                self.invented.append(self.headings[at])
        given, wanted = len(self.pairs) + len(self.invented), len(self.pairs) + len(self.missed)
        shares = {"section_order": in_order([at for _, at in self.pairs])}
        for form, hits in (("soft", len(self.pairs)), ("strict", equal)):
            shares |= {f"{form}_precision": (hits, given), f"{form}_recall": (hits, wanted)}
            shares[f"{form}_f1"] = (2 * hits, given + wanted)
        return shares

    def compare_paragraphs(self):
        """`places` has for each paragraph (section, letter, whole or not), or None; `right` whether the section is right."""
        self.places, self.right = [], []
        # A heading that was extracted is printed, whatever PDFium's text makes of its ligatures.
        extracted = {self.truth.headings[at].soft for _, at in self.pairs}
        for paragraph in self.truth.paragraphs:
            under = (h.soft for h in paragraph.under if h.soft in extracted or self.is_printed(h.soft))
            # The nearest heading that is printed: nothing can be under one that is not.
            nearest = next(under, None)
            wanted = FIRST_SECTIONS if nearest is None else {nearest}
            places = self.places_of(paragraph.runs)
            right = [place for place in places if self.soft[place[0]] in wanted]
            # Where the same words are in two sections, the right one counts.
            self.places.append((right or places or [None])[0])
            self.right.append(bool(right))
        found = [place[:2] for place in self.places if place]
        return {
            "paragraphs_whole": (sum(bool(place and place[2]) for place in self.places), len(self.places)),
            "paragraphs_right_section": (sum(self.right), len(self.right)),
            "reading_order": in_order(found),
        }

    def places_of(self, runs):
        """In each section the place of the whole paragraph; if no section has it, of two of three probes."""
        whole = [(at, start, True) for at, text in enumerate(self.texts) if (start := in_sequence(text, runs)) is not None]
        if whole:
            return whole
        longest = max(reversed(runs), key=lambda run: len(run.encode()))
        middle = max(0, len(longest) // 2 - PROBE // 2)
        probes = [runs[0][:PROBE], longest[middle : middle + PROBE], runs[-1][-PROBE:]]
        found = ((at, [start for probe in probes if (start := text.find(probe)) >= 0]) for at, text in enumerate(self.texts))
        return [(at, starts[0], False) for at, starts in found if len(starts) >= 2]

    def compare_front(self):
        """The paper's own data. What the truth has not is not counted; what we leave empty is missed, but not "given"."""
        truth, ours = self.truth, self.ours
        title, doi = letters(ours["title"] or ""), (ours["doi"] or "").lower()
        self.missed_authors, self.wrong_authors = [], list(ours["authors"])
        for name in truth.authors:
            same = next((author for author in self.wrong_authors if is_author(author, name)), None)
            if same is None:
                self.missed_authors.append(" ".join(name).strip())
            else:
                self.wrong_authors.remove(same)
        found, named, known = len(truth.authors) - len(self.missed_authors), len(ours["authors"]), bool(truth.authors)
        first = named and known and is_author(ours["authors"][0], truth.authors[0])
        exact = not (self.missed_authors or self.wrong_authors)
        shares = {
            "first_author": (int(bool(first)), int(known)),
            "author_precision": (found, named if known else 0),
            "author_recall": (found, len(truth.authors)),
            "author_f1": (2 * found, named + len(truth.authors) if known else 0),
            "authors_exact": (int(exact), 1) if known else (0, 0),
        }
        for key, asked, given, right in (
            ("title", bool(truth.titles), bool(title), title in map(letters, truth.titles)),
            ("year", bool(truth.years), ours["year"] is not None, ours["year"] in truth.years),
            ("doi", bool(truth.doi), bool(doi), doi == truth.doi),
        ):
            shares[key] = (int(asked and right), int(asked))
            shares[f"{key}_precision"] = (int(asked and given and right), int(asked and given))
        return shares


def pair(ours, truth):
    """Pairs of equal items, each at most once: first a longest common subsequence, then the rest as it comes. Papers have
    "Methods" in the abstract and again in the body: pairing by name alone would call one misplaced when the other was missed."""
    best = [[0] * (len(truth) + 1) for _ in range(len(ours) + 1)]
    for i in reversed(range(len(ours))):
        for j in reversed(range(len(truth))):
            same = ours[i] == truth[j]
            best[i][j] = best[i + 1][j + 1] + 1 if same else max(best[i + 1][j], best[i][j + 1])
    i, j, pairs = 0, 0, []
    while i < len(ours) and j < len(truth):
        if ours[i] == truth[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    taken, used = {i for i, _ in pairs}, {j for _, j in pairs}
    for i in (i for i in range(len(ours)) if i not in taken):
        j = next((j for j in range(len(truth)) if j not in used and truth[j] == ours[i]), None)
        if j is not None:
            used.add(j)
            pairs.append((i, j))
    return sorted(pairs)


def in_order(places):
    """Of neighbouring places, the share in which the first is before the second."""
    return sum(a < b for a, b in zip(places, places[1:])), max(0, len(places) - 1)


def in_sequence(text, runs):
    """Where the first run begins if all runs follow each other in the text, else None."""
    first, reached = None, 0
    for run in runs:
        at = text.find(run, reached)
        if at < 0:
            return None
        first, reached = at if first is None else first, at + len(run)
    return first


def is_author(author, name):
    """Whether the author's words end (or, family name first, begin) with the surname, and the first of the others has the
    initial of the given names. One letter too many makes it another name."""
    author, given, surname = name_words(author), name_words(name[0]), name_words(name[1])
    if not surname or len(author) < len(surname):
        return False
    cut = len(author) - len(surname)
    for found, others in ((author[cut:], author[:cut]), (author[: len(surname)], author[len(surname) :])):
        initials = [words[0][0] if words else "" for words in (others, given)]
        if found == surname and initials[0] == initials[1]:
            return True
    return False


def group(papers, seed):
    """The metrics over some papers."""
    return {
        "papers": len(papers),
        "failed": sum(bool(paper.failure) for paper in papers),
        "absent_headings": sum(len(paper.absent) for paper in papers),
        "metrics": {key: mean([paper.shares[key] for paper in papers], seed) for key in METRICS},
    }


def mean(shares, seed):
    """`micro` pools the counts of papers, with its 95 % interval; `macro` is the mean over papers."""
    shares = sorted(share for share in shares if share[1])
    hits, of = map(sum, zip(*shares)) if shares else (0, 0)
    low, high = interval(shares, hits / of, seed) if of else (None, None)
    by_paper = statistics.fmean(h / n for h, n in shares) if of else None
    values = {"micro": hits / of if of else None, "macro": by_paper, "ci_low": low, "ci_high": high}
    return {**values, "hits": hits, "of": of, "papers": len(shares)}


def interval(shares, value, seed):
    """The 95 % bootstrap interval (Efron 1987, bias-corrected and accelerated) of pooled shares, resampled by paper, with the
    tails of Hesterberg 2015 for small samples. If all resamples are equal: the Wilson bound for 0 of n papers that differ."""
    n, normal, draw = len(shares), statistics.NormalDist(), random.Random(seed)
    pool = lambda drawn: sum(hits for hits, _ in drawn) / sum(of for _, of in drawn)
    means = sorted(pool(draw.choices(shares, k=n)) for _ in range(RESAMPLES))
    if means[-1] - means[0] <= 1e-12:
        unseen = normal.inv_cdf(0.975) ** 2 / (n + normal.inv_cdf(0.975) ** 2)
        return value - unseen * value, value + unseen * (1 - value)
    below = (bisect.bisect_left(means, value) + bisect.bisect_right(means, value)) / (2 * RESAMPLES)
    left_out = [pool(shares[:at] + shares[at + 1 :]) for at in range(n)]
    centre = statistics.fmean(left_out)
    squares, cubes = (sum((centre - m) ** power for m in left_out) for power in (2, 3))
    ends, reach = [], math.sqrt(n / (n - 1)) * student_975(n - 1)
    for tail in (-reach, reach):
        if 0 < below < 1 and squares:
            bias = normal.inv_cdf(below)
            tail = bias + (bias + tail) / (1 - cubes / (6 * squares**1.5) * (bias + tail))
        place = normal.cdf(tail) * (RESAMPLES - 1)
        under = math.floor(place)
        ends.append(means[under] + (means[math.ceil(place)] - means[under]) * (place - under))
    # An interval of a skewed small sample can miss the value itself.
    return min(ends[0], value), max(ends[1], value)


def student_975(freedom):
    """The point that Student's t exceeds with probability 2.5 %, by bisection over the finite sums of Abramowitz and Stegun
    26.7.3 and 26.7.4."""
    low, high = 0.0, 13.0
    for _ in range(60):
        t = (low + high) / 2
        angle, odd = math.atan(t / math.sqrt(freedom)), freedom % 2
        power, term, total = odd, math.cos(angle) if odd else 1.0, 0.0
        for _ in range(freedom // 2):
            total, power = total + term, power + 2
            term *= math.cos(angle) ** 2 * (power - 1) / power
        within = (angle + math.sin(angle) * total) * 2 / math.pi if odd else math.sin(angle) * total
        low, high = (t, high) if within < 0.95 else (low, t)
    return low
