"""Trains the reader: ../../natives/src/reader.bin (layers and pooler) and ../../models/src/reader.json (what follows them).

    python3 reader.py PAPERS TRAIN SOURCE [--hours H] [--state FILE]     needs numpy, tokenizers and torch; hours on two cores
    python3 reader.py --hash PAPERS QUESTIONS.tsv                        questions with numbers of lines to everyday.tsv

PAPERS holds rct/papers/*.md and covid-qa/articles.jsonl. TRAIN holds relevance.jsonl.gz (`q` question, `s` sentences of a window, `l`
for each 1 answers, 0 does not, -1 unknown, `a` the same of the window, `src`). SOURCE holds model.onnx, the file that set-up fetches
(ms-marco-MiniLM-L12-v2-int8), and tokenizer.json.

The data: everyday.tsv, questions in words that the papers do not use, written by a language model that read them. A line has the
paper, the kind of question, its language, the question, the lines that answer it and lines that only seem to, each by the first ten hex
digits of the SHA-256 of its text; `miss` is a question that the paper does not answer. A fifth of the windows are those of SQuAD 1.1 and
2.0 (CC BY-SA 4.0), QED (CC BY-SA 3.0), MedQuAD (CC BY 4.0), SelQA (Apache-2.0), Evidence Inference and PubMedQA (MIT).

The model: ms-marco-MiniLM-L-12-v2. Embeddings and the six lowest layers stay as set-up rounds them. It reads `[CLS] question [SEP] title
heading [SEP] sentence [SEP] sentence [SEP] ...`, at most 256 tokens. A sentence scores by a linear layer on its mean vector and the
window's score; a window by the pooled first vector, as the model was trained to.

A question is seen with a window around a line that answers, windows around lines that seem to, around lines that share words with it, and
of another paper. Papers whose hash is divisible by HELD are not trained on.
"""

import argparse
import collections
import gzip
import hashlib
import json
import math
import pathlib
import random
import re
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
NATIVES = HERE.parent.parent / "natives/src"
MAKER = {"__name__": "reader"}
exec((NATIVES / "onnx_graph.py").read_text() + (NATIVES / "reader.py").read_text(), MAKER)
HIDDEN, HEADS, LAYERS, SHARED, LEVELS = (MAKER[name] for name in ("HIDDEN", "HEADS", "LAYERS", "SHARED", "LEVELS"))

SEED, HELD, AUX, RATE, BATCH = 1, 12, 0.2, 6e-5, 2600
# Tokens, as the reader cuts them.
QUESTION, TITLE, HEADING, SENTENCE = 64, 24, 10, 96
# Rows of each source of windows, at most.
AUXILIARY = {
    "ei": 2500, "ei_same": 600, "ei_un": 500, "squad": 1500, "squad_un": 1500, "selqa": 1000, "qed": 600, "pubmedqa": 505,
    "pubmedqa_un": 495, "medquad": 300, "medquad_un": 300,
}
SHORT = set("fig figs al vs e.g i.e dr no ref refs approx ca cf st mr mrs prof inc ltd vol ed eds min max resp spp sp var etc eq eqs "
            "tab sec wk mo".split())
COMMON = set("the of a an and or in for to with by on at from between per as is are was were did do does how what why who which when "
             "where many much that this those these their they it its study trial paper people patients participants group groups not "
             "no than then after before during over under into about there have has had be been".split())
SIZE = 42000  # characters of a paper that were read


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def held(paper):
    return int.from_bytes(hashlib.sha256(paper.encode()).digest()[:4], "big") % HELD == 0


# Papers as lines: headings, rows of tables, sentences.


def sentences(paragraph):
    paragraph, out, start = re.sub(r"\s+", " ", paragraph).strip(), [], 0
    for match in re.finditer(r'[.!?][\)\]"”]?\s+(?=[A-Z0-9\(\[“"α-ω])', paragraph):
        word = paragraph[start : match.start()].rsplit(" ", 1)[-1].strip("([").lower()
        if word not in SHORT and not (len(word) == 1 and word.isalpha()):
            out.append(paragraph[start : match.end()].strip())
            start = match.end()
    return out + [paragraph[start:].strip()] if paragraph[start:].strip() else out


def lines_of(text):
    lines, skip = [], False
    for paragraph in filter(None, map(str.strip, re.split(r"\n\s*\n", text))):
        if paragraph.startswith("#"):
            heading, _, paragraph = paragraph.partition("\n")
            skip = bool(re.match(r"#+\s*(references|bibliography|literature cited)\b", heading, re.I))
            lines += [] if skip else [heading]
        if skip or not paragraph.strip():
            continue
        if paragraph.startswith("|"):
            lines += [row.strip() for row in paragraph.split("\n") if not re.match(r"^\|[\s:\-|]+\|?$", row.strip())]
        else:
            lines += sentences(paragraph)
    size, kept = 0, []
    for line in lines:
        size += len(line) + 8
        if size > SIZE:
            break
        kept.append(line)
    return kept


def papers_in(folder):
    """Title and lines by the name of the paper."""
    out = {}
    for path in sorted((folder / "rct/papers").glob("*.md")):
        lines = lines_of(path.read_text())
        out[path.stem] = next((line for line in lines if line.startswith("# ")), "").lstrip("# "), lines
    with open(folder / "covid-qa/articles.jsonl", encoding="utf-8") as articles:
        for article in map(json.loads, articles):
            out["covid_" + article["_id"]] = article["title"], lines_of(article["text"])
    return out


def hashed(folder, path):
    """Numbers of lines, counted from 0 in their paper, become hashes."""
    papers = papers_in(folder)
    for line in open(path, encoding="utf-8"):
        paper, tag, language, question, *places = line.rstrip("\n").split("\t")
        marked = [",".join(digest(papers[paper][1][int(at)]) for at in of.split(",") if at) for of in places]
        print(paper, tag, language, question, *marked, sep="\t")


def words(text):
    return {word[:6] for word in re.findall(r"[a-z0-9]{3,}", text.lower())} - COMMON


class Paper:
    def __init__(self, title, lines, tokens):
        self.lines = lines
        self.tokens = [own[:SENTENCE] for own in tokens(lines)]
        self.is_heading = [line.startswith("#") for line in lines]
        self.words = [words(line) for line in lines]
        heading, self.above = [], []
        title = tokens([title])[0][:TITLE]
        for line in lines:
            if line.startswith(("## ", "### ")):
                heading = tokens([line.lstrip("# ")])[0][:HEADING]
            self.above.append(title + heading)

    def window(self, at, room, choice):
        """Lines around one, of at most `room` tokens."""
        low = high = at
        used = len(self.tokens[at]) + len(self.above[at]) + 2
        while True:
            near = []
            if low > 0 and not self.is_heading[low - 1]:
                near.append(low - 1)
            elif low > 1 and not self.is_heading[low - 2] and choice.random() < 0.3:
                near.append(low - 2)
            if high + 1 < len(self.lines) and not self.is_heading[high + 1]:
                near.append(high + 1)
            near = [one for one in near if used + len(self.tokens[one]) + 1 <= room]
            if not near:
                return [one for one in range(low, high + 1) if not self.is_heading[one]]
            new = choice.choice(near)
            used += len(self.tokens[new]) + 1
            low, high = min(low, new), max(high, new)


class Data:
    def __init__(self, folder, train, tokens):
        self.choice, texts = random.Random(SEED), papers_in(folder)
        self.questions, self.papers = [], {}
        for line in (HERE / "everyday.tsv").read_text(encoding="utf-8").splitlines():
            name, tag, _, question, answers, seeming = line.split("\t")
            if held(name):
                continue
            if name not in self.papers:
                self.papers[name] = Paper(*texts[name], tokens)
            place = {digest(text): at for at, text in reversed(list(enumerate(texts[name][1])))}
            answers, seeming = ([place[one] for one in of.split(",") if one in place] for of in (answers, seeming))
            if bool(answers) != (tag == "miss"):
                own = {"paper": name, "words": words(question), "tokens": tokens([question])[0][:QUESTION]}
                self.questions.append({**own, "answers": answers, "seeming": [at for at in seeming if at not in answers]})
        holders = collections.Counter(word for paper in self.papers.values() for own in paper.words for word in own)
        count = sum(len(paper.lines) for paper in self.papers.values())
        self.rarity = {word: math.log(1 + count / (1 + of)) for word, of in holders.items()}
        rows, choice = collections.defaultdict(list), random.Random(SEED)
        with gzip.open(train / "relevance.jsonl.gz", "rt", encoding="utf-8") as windows:
            for row in map(json.loads, windows):
                if row["src"] in AUXILIARY and len(row["s"]) > 1:
                    rows[row["src"]].append(row)
        self.windows = []
        for source, most in AUXILIARY.items():
            choice.shuffle(rows[source])
            self.windows += rows[source][:most]
        for row in self.windows:
            *row["tokens"], row["question"] = tokens([*row["s"], row["q"]])
        self.order = []

    def alike(self, question, paper):
        """The lines that share most with a question, by rare words."""

        def score(own):
            return sum(self.rarity.get(word, 0) for word in question["words"] & own) / (8 + len(own)) ** 0.5

        scores = [0 if heading else score(own) for heading, own in zip(paper.is_heading, paper.words)]
        return [at for at in sorted(range(len(scores)), key=lambda at: -scores[at])[:25] if scores[at] > 0]

    def draw(self):
        """Tokens of a question; its windows, each what stands above it and pairs of tokens and label; the label of the first, if that
        is known otherwise."""
        if self.choice.random() < AUX:
            return self.auxiliary()
        if not self.order:
            self.order = self.questions[:]
            self.choice.shuffle(self.order)
        question, choice = self.order.pop(), self.choice
        paper, answers = self.papers[question["paper"]], question["answers"]
        length = choice.choice([96, 128, 128, 160, 160, 192, 256])
        room, out, seen = length - len(question["tokens"]) - 2, [], set()

        def add(paper, at, labelled=True):
            if paper.is_heading[at] or labelled and at in seen:
                return 0
            lines = [one for one in paper.window(at, room, choice) if not labelled or one not in seen]
            if labelled:
                seen.update(lines)
            above = paper.above[at] if choice.random() < 0.85 else []
            out.append((above, [(paper.tokens[one], int(labelled and one in answers)) for one in lines]))
            return 1

        wanted = (1 if length > 160 else 2) + (not answers)
        if answers:
            add(paper, choice.choice(answers[:3]))
        for at in choice.sample(question["seeming"], min(2, len(question["seeming"]))):
            wanted -= add(paper, at) if wanted else 0
        if wanted or choice.random() < 0.35:
            kind = choice.random()
            near = [at for at in self.alike(question, paper) if at not in answers][:12] if kind < 0.6 else []
            if near:
                add(paper, choice.choice(near))
            elif kind < 0.8:
                add(paper, choice.choice([at for at in range(len(paper.lines)) if at not in answers]))
            else:
                other = self.papers[choice.choice(sorted(self.papers))]
                if other is not paper:
                    add(other, choice.choice(self.alike(question, other)[:8] or range(len(other.lines))), False)
        return question["tokens"], [window for window in out if window[1]], None

    def auxiliary(self):
        row = self.choice.choice(self.windows)
        pairs, room, question = [], 200, row["question"][:QUESTION]
        for own, label in zip(row["tokens"], row["l"]):
            own = own[:SENTENCE]
            room -= len(own) + 1
            if room < len(question):
                break
            pairs.append((own, label))
        known = [label for _, label in pairs]
        cut = row["a"] == 1 and 1 not in known and -1 not in known
        return question, [([], pairs)] if pairs else [], None if cut or row["a"] < 0 else row["a"]

    def batch(self):
        groups, size = [], 0
        while size < BATCH:
            group = self.draw()
            if group[1]:
                groups.append(group)
                size += sum(len(group[0]) + len(above) + sum(len(own) + 1 for own, _ in pairs) for above, pairs in group[1])
        return groups


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papers", type=pathlib.Path)
    parser.add_argument("train", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--hours", type=float, default=1.1)
    parser.add_argument("--state", type=pathlib.Path, help="write what was trained, as torch saves it")
    arguments = parser.parse_args()

    import numpy
    import torch
    import torch.nn.functional as F
    from tokenizers import Tokenizer

    source = MAKER["Source"](arguments.source / "model.onnx")

    def vector(name):
        return torch.from_numpy(numpy.frombuffer(source.held[name], numpy.float32).copy())

    def scaled(name, kind, outputs):
        scale, zero = source.scalars(name)
        raw = numpy.frombuffer(source.held[name + "_quantized"], kind).astype(numpy.float32)
        zero = numpy.array([zero], numpy.uint8).view(kind)[0]
        return torch.from_numpy((raw - float(zero)) * scale).reshape(-1, outputs)

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            first = "bert.embeddings."
            self.words, self.places, self.kinds = (
                torch.nn.Buffer(scaled(f"{first}{name}_embeddings.weight", numpy.uint8, HIDDEN))
                for name in ("word", "position", "token_type")
            )
            self.first = torch.nn.Buffer(torch.stack([vector(f"{first}LayerNorm.{end}") for end in ("weight", "bias")]))
            self.layers = torch.nn.ModuleList()
            for layer in range(LAYERS):
                own, prefix, free = torch.nn.ParameterDict(), f"bert.encoder.layer.{layer}.", layer >= SHARED

                def add(name, values):
                    own[name] = torch.nn.Parameter(values.contiguous(), requires_grad=free)

                for name, part in MAKER["NAMES"].items():
                    bias = prefix + name + ".bias"
                    add(part + "_w", scaled(source.matrices[bias], numpy.int8, 4 * HIDDEN if part == "fi" else HIDDEN).T)
                    add(part + "_b", vector(bias))
                for name, norm in (("attention.output.LayerNorm", "aln"), ("output.LayerNorm", "oln")):
                    add(norm + "_w", vector(f"{prefix}{name}.weight"))
                    add(norm + "_b", vector(f"{prefix}{name}.bias"))
                self.layers.append(own)
            self.pool_w = torch.nn.Parameter(scaled("bert.pooler.dense.weight", numpy.int8, HIDDEN).T.contiguous())
            self.pool_b = torch.nn.Parameter(vector("bert.pooler.dense.bias"))
            self.window = torch.nn.Parameter(scaled("classifier.weight", numpy.int8, 1)[:, 0].clone())
            self.window_b = torch.nn.Parameter(torch.zeros(1))
            self.sentence, self.sentence_b = torch.nn.Parameter(torch.zeros(HIDDEN)), torch.nn.Parameter(torch.tensor(-3.0))
            self.gains = torch.nn.Parameter(torch.tensor([0.3, 1.0]))

        def forward(self, ids, kinds, mask, part, count):
            """Logits of the sentences [batch, count] and of the windows [batch]. `part` is for each token the number of its
            sentence from 1, 0 for others."""
            batch, length = ids.shape
            x = F.layer_norm(self.words[ids] + self.places[:length] + self.kinds[kinds], (HIDDEN,), *self.first, 1e-12)
            for at, own in enumerate(self.layers):
                dropped = 0.1 if self.training and at >= SHARED else 0.0
                with torch.set_grad_enabled(torch.is_grad_enabled() and at >= SHARED):

                    def linear(part, x):
                        return F.linear(x, own[part + "_w"], own[part + "_b"])

                    def added(x, part, inner, name):
                        y = F.dropout(linear(part, inner), dropped, bool(dropped))
                        return F.layer_norm(x + y, (HIDDEN,), own[name + "_w"], own[name + "_b"], 1e-12)

                    heads = [linear(p, x).view(batch, length, HEADS, -1).transpose(1, 2) for p in "qkv"]
                    seen = F.scaled_dot_product_attention(*heads, attn_mask=mask[:, None, None, :])
                    x = added(x, "ao", seen.transpose(1, 2).reshape(batch, length, HIDDEN), "aln")
                    x = added(x, "fo", F.gelu(linear("fi", x)), "oln")
            pooled = torch.tanh(F.linear(x[:, 0], self.pool_w, self.pool_b)) @ self.window + self.window_b
            of = F.one_hot(part, count + 1).float()[..., 1:]
            mean = torch.einsum("bnc,bnh->bch", of, x) / of.sum(1).clamp(min=1)[..., None]
            # Times 4: it learns faster.
            return mean @ self.sentence * 4 + self.sentence_b + self.gains[0] * pooled[:, None], pooled * self.gains[1]

    def tensors(groups, start, end):
        rows, owners, told = [], [], []
        for group, (question, windows, answers) in enumerate(groups):
            for above, pairs in windows:
                ids = [start, *question, end]
                first = len(ids)
                ids += [*above, end] if above else []
                part, labels = [0] * len(ids), [label for _, label in pairs]
                for number, (own, _) in enumerate(pairs, 1):
                    ids, part = ids + [*own, end], part + [number] * (len(own) + 1)
                rows.append((ids, [0] * first + [1] * (len(ids) - first), [1] * len(ids), part, labels))
                owners.append(group)
                told.append(answers if answers is not None else 1 if 1 in labels else -1 if -1 in labels else 0)
        fills = (0, 0, 0, 0, -2)

        def padded(column):
            width = max(len(row[column]) for row in rows)
            return torch.tensor([list(row[column]) + [fills[column]] * (width - len(row[column])) for row in rows])

        return *map(padded, range(5)), torch.tensor(owners), torch.tensor(told).float()

    def loss_of(scores, windows, labels, owners, told):
        known, of_windows = (labels >= 0).float(), (told >= 0).float()
        weight = torch.tensor(2.0)
        each = F.binary_cross_entropy_with_logits(scores, labels.clamp(min=0).float(), pos_weight=weight, reduction="none")
        whole = F.binary_cross_entropy_with_logits(windows, told.clamp(min=0), reduction="none")
        # All sentences of a question against each other.
        ranked = []
        for group in owners.unique():
            own, label = scores[owners == group].reshape(-1), labels[owners == group].reshape(-1)
            if (label == 1).any() and (label == 0).any():
                ranked.append(torch.logsumexp(own[label >= 0], 0) - torch.logsumexp(own[label == 1], 0))
        loss = 3 * (each * known).sum() / known.sum().clamp(min=1) + 0.5 * (whole * of_windows).sum() / of_windows.sum().clamp(min=1)
        return loss + sum(ranked) / len(ranked) if ranked else loss

    torch.manual_seed(SEED)
    tokenizer = Tokenizer.from_file(str(arguments.source / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    start, end = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")

    def tokens(texts):
        return [encoded.ids for encoded in tokenizer.encode_batch(texts, add_special_tokens=False)]

    data, net = Data(arguments.papers, arguments.train, tokens), Net().train()
    print(f"{len(data.questions)} questions about {len(data.papers)} papers, {len(data.windows)} other windows", flush=True)
    body = [value for value in net.layers.parameters() if value.requires_grad]
    body += [net.pool_w, net.pool_b, net.window, net.window_b]
    head = [net.sentence, net.sentence_b, net.gains]
    rates = [RATE, 2e-3]
    optimizer = torch.optim.AdamW([{"params": body}, {"params": head}], weight_decay=0.01)
    began, step, seen, sums = time.time(), 0, 0, 0.0
    while (done := (time.time() - began) / 3600 / arguments.hours) < 1:
        for group, rate in zip(optimizer.param_groups, rates):
            group["lr"] = rate * min(1.0, done / 0.02 + 0.05) * max(0.02, 1 - done)
        groups = data.batch()
        # Of like length together: less padding.
        groups.sort(key=lambda group: max(len(above) + sum(len(own) for own, _ in pairs) for above, pairs in group[1]))
        for part in (groups[at : at + 3] for at in range(0, len(groups), 3)):
            *inputs, labels, owners, told = tensors(part, start, end)
            ids, kinds, mask, places = inputs
            loss = loss_of(*net(ids, kinds, mask.bool(), places, labels.shape[1]), labels, owners, told) * len(part) / len(groups)
            loss.backward()
            seen, sums = seen + ids.numel(), sums + loss.item()
        torch.nn.utils.clip_grad_norm_([*body, *head], 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        if step % 20 == 0:
            print(f"step {step}, {seen} tokens, loss {sums / 20:.3f}, {time.time() - began:.0f} s", flush=True)
            sums = 0.0
    if arguments.state:
        torch.save(net.state_dict(), arguments.state)
    write(net, numpy)


def write(net, numpy):
    def floats(value):
        return numpy.ascontiguousarray(value.detach().numpy(), dtype="<f4").tobytes()

    def matrix(weights, bias):
        weights = weights.detach().numpy()
        size = (numpy.abs(weights).max(1) / LEVELS).astype(numpy.float32)
        rounded = numpy.round(weights / numpy.where(size, size, 1)[:, None]).clip(-LEVELS, LEVELS).astype(numpy.int8)
        return size.astype("<f4").tobytes() + floats(bias) + numpy.ascontiguousarray(rounded.T).tobytes()

    out = b""
    for own in list(net.layers)[SHARED:]:
        out += b"".join(matrix(own[part + "_w"], own[part + "_b"]) for part in MAKER["PARTS"])
        out += b"".join(floats(own[name]) for name in ("aln_w", "aln_b", "oln_w", "oln_b"))
    (NATIVES / "reader.bin").write_bytes(out + matrix(net.pool_w, net.pool_b))
    values = {
        "sentence": (net.sentence * 4).tolist(), "sentence_constant": net.sentence_b.item(), "window": net.window.tolist(),
        "window_constant": net.window_b.item(), "gains": net.gains.tolist(),
    }

    def short(value):
        return [short(one) for one in value] if isinstance(value, list) else float(f"{value:.6g}")

    text = json.dumps({name: short(value) for name, value in values.items()}, separators=(",", ":"))
    (HERE.parent.parent / "models/src/reader.json").write_text(text + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--hash"]:
        hashed(pathlib.Path(sys.argv[2]), sys.argv[3])
    else:
        main()
