"""Trains the reader: ../../natives/src/reader.bin (layers) and ../../models/src/reader.json (what follows them).

    python3 reader.py TRAIN E5 --test FILE ...     needs numpy, tokenizers and torch; minutes on a GPU

TRAIN holds relevance.jsonl.gz (`q` question, `s` sentences of a window, `l` for each 1 answers, 0 does not, -1 unknown, `a`
the same of the window, `src`) and support.jsonl.gz (`q` claim, `s` sentences, `y` 0 not stated, 1 or 2 stated or denied,
`src`). E5 holds e5-small-q4.bin and tokenizer.json, as set-up leaves them. Windows that share a sentence with a test file (any
text) are left out.

The data: SQuAD 1.1 and 2.0, XQuAD (CC BY-SA 4.0), QED (CC BY-SA 3.0), MedQuAD (CC BY 4.0), SelQA, FoolMeTwice (Apache-2.0),
Evidence Inference, PubMedQA (MIT), HealthVer, SciFact claims.

The model: embeddings and four lowest layers of multilingual-e5-small, as set-up rounds them, and four layers above that are
trained, initialised from its next ones. It reads `<s> query: question </s> sentence </s> sentence </s> ...`, at most 256
tokens. A sentence scores by the cosine of its mean vector and the question's, and a linear layer; a window by a linear layer
on the first token, and its best sentence.

Besides the windows as they are, it sees what retrieval finds: sentences of other papers that share words or meaning with
the question, around the ones that answer or alone; and near misses: trials with the outcome of another trial.
"""

import argparse
import collections
import gzip
import json
import math
import pathlib
import random
import re
import time

import numpy
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

HERE = pathlib.Path(__file__).resolve().parent
NATIVES = HERE.parent.parent / "natives/src"
E5 = {"__name__": "e5"}
exec((NATIVES / "onnx_graph.py").read_text() + (NATIVES / "e5.py").read_text(), E5)
HIDDEN, HEADS, SHARED, OWN = (E5[name] for name in ("HIDDEN", "HEADS", "SHARED", "OWN"))
PARTS = {"q": HIDDEN, "k": HIDDEN, "v": HIDDEN, "ao": HIDDEN, "fi": HIDDEN, "fo": 4 * HIDDEN}
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

SEED, WINDOW, QUESTION, SENTENCE, BATCH, RATE = 1, 256, 64, 96, 16384, 1e-4
# How often a row of each source is drawn.
SHARES = {
    "ei": 3, "ei_same": 2, "ei_un": 2, "ei_near": 1, "squad": 1, "squad_un": 1.5, "squad_other": 0.5, "medquad": 0.4,
    "medquad_un": 0.6, "pubmedqa": 1, "pubmedqa_un": 1, "selqa": 1, "qed": 1, "xquad_es": 1, "xquad_de": 1, "support": 0.5,
}
# The questions of Evidence Inference: intervention and outcome.
TRIALS = [
    r"^What was the effect of (?P<I>.+?) compared with (?P<C>.+?) on (?P<O>.+)\?$",
    r"^Was (?P<O>.+?) different between (?P<I>.+?) and (?P<C>.+)\?$",
    r"^Is (?P<O>.+?) higher or lower with (?P<I>.+?) than with (?P<C>.+)\?$",
    r"^Did (?P<I>.+?) change (?P<O>.+?) compared with (?P<C>.+)\?$",
    r"^How did (?P<I>.+?) affect (?P<O>.+), compared with (?P<C>.+)\?$",
    r"^What happened to (?P<O>.+?) under (?P<I>.+)\?$",
    r"^Does (?P<I>.+?) improve (?P<O>.+)\?$",
]
COMMON = set(
    "the of a an and or in for to with by on at from between per as is are was were rate level levels score scores total "
    "mean change number patients group after before during all".split()
)


def plain(text):
    return re.sub(r"\W+", " ", text.lower()).strip()


def content(text):
    return {word for word in plain(text).split() if word not in COMMON and len(word) > 2}


def rows_of(folder, tests):
    """The rows that share no sentence with the tests, near misses added, each with the group of texts it belongs to."""
    test = " " + " ".join(plain(pathlib.Path(path).read_text(errors="replace")) for path in tests) + " "
    known = {}

    def in_test(sentence):
        text = plain(sentence)
        if text not in known:
            known[text] = len(text) >= 60 and f" {text} " in test
        return known[text]

    def read(name):
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            return [row for row in map(json.loads, lines) if not any(map(in_test, row["s"]))]

    rows = read("relevance.jsonl.gz")
    for row in read("support.jsonl.gz"):
        if row["src"] in ("scifact", "healthver", "fm2", "fm2_nei"):
            stated = int(row["y"] != 0)
            rows.append({"q": row["q"], "s": row["s"], "l": [-stated] * len(row["s"]), "a": stated, "src": "support"})

    parent = {}

    def find(key):
        parent.setdefault(key, key)
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for row in rows:
        row["group"] = ("window", tuple(row["s"]))
        match = next(filter(None, (re.match(trial, row["q"]) for trial in TRIALS)), None)
        row["trial"] = match if row["src"].startswith("ei") else None
        keys = [("sentence", plain(sentence)) for sentence in row["s"] if len(plain(sentence)) > 60]
        if row["trial"] and len(row["trial"]["I"]) > 14:
            keys.append(("intervention", plain(row["trial"]["I"])))
        for key in keys:
            parent[find(row["group"])] = find(key)
    for row in rows:
        row["group"] = find(row["group"])
    return rows + near_misses([row for row in rows if row["src"] == "ei" and row["trial"]])


def near_misses(rows):
    """Up to two questions for each window: the outcome is that of another trial, with a word that the window lacks."""
    choice, by_word, made = random.Random(SEED), collections.defaultdict(list), []
    outcomes = [(row["trial"]["O"], row["group"], content(row["trial"]["O"])) for row in rows]
    for at, (_, _, words) in enumerate(outcomes):
        for word in sorted(words):
            by_word[word].append(at)
    for row in rows:
        here = set(plain(" ".join(row["s"])).split())
        alike = [at for word in sorted(content(row["trial"]["O"])) for at in by_word[word]]
        choice.shuffle(alike)
        count = 0
        for at in alike[:30] + choice.sample(range(len(rows)), min(10, len(rows))):
            outcome, group, words = outcomes[at]
            if count < 2 and words and group != row["group"] and len(words - here) >= max(1, len(words) / 3):
                question = row["q"].replace(row["trial"]["O"], outcome)
                made.append({**row, "q": question, "l": [0] * len(row["s"]), "a": 0, "src": "ei_near"})
                count += 1
    return made


class Texts:
    """Sentences and questions as tokens, each once."""

    def __init__(self, rows, tokenizer):
        self.rows = rows
        for kind, of, most in (("sentences", lambda row: row["s"], SENTENCE), ("questions", lambda row: [row["q"]], QUESTION)):
            places = {}
            for row in rows:
                row[kind] = [places.setdefault(text, len(places)) for text in of(row)]
            texts = [("query: " if kind == "questions" else "") + text for text in places]
            tokens = [encoded.ids[:most] for encoded in tokenizer.encode_batch(texts, add_special_tokens=False)]
            setattr(self, kind, tokens)
        self.passage = tokenizer.encode("passage:", add_special_tokens=False).ids


def weights(source, name, inputs, levels=None):
    scales, halves = source.blocks(name)
    halves = numpy.frombuffer(halves, numpy.uint8).reshape(-1, 16)
    codes = numpy.concatenate([halves & 15, halves >> 4], 1).astype(numpy.float32) - 8
    matrix = (codes * numpy.array(scales, numpy.float32)[:, None]).reshape(-1, inputs)
    if levels:
        size = numpy.abs(matrix).max(1, keepdims=True) / levels
        matrix = numpy.round(matrix / size) * size
    return torch.from_numpy(matrix)


class Net(torch.nn.Module):
    def __init__(self, source, layers, frozen):
        super().__init__()

        def vector(name):
            return torch.from_numpy(numpy.frombuffer(source.tensors[name], numpy.float32).copy())

        self.frozen = frozen
        self.words = torch.nn.Buffer(weights(source, "emb.word", HIDDEN).half())
        self.places = torch.nn.Buffer(vector("emb.pos").reshape(-1, HIDDEN) + vector("emb.type")[:HIDDEN])
        self.first = torch.nn.Buffer(torch.stack([vector("emb.ln.w"), vector("emb.ln.b")]))
        self.layers = torch.nn.ModuleList()
        for layer in range(layers):
            own, free = torch.nn.ParameterDict(), layer >= frozen
            for part, inputs in PARTS.items():
                matrix = weights(source, f"l{layer}.{part}.w", inputs, None if free else E5["LEVELS"])
                own[part + "_w"] = torch.nn.Parameter(matrix, requires_grad=free)
                own[part + "_b"] = torch.nn.Parameter(vector(f"l{layer}.{part}.b"), requires_grad=free)
            for name in ("aln", "oln"):
                for end in "wb":
                    own[f"{name}_{end}"] = torch.nn.Parameter(vector(f"l{layer}.{name}.{end}"), requires_grad=free)
            self.layers.append(own)
        self.sentence, self.centre, self.window = (torch.nn.Parameter(torch.zeros(HIDDEN)) for _ in range(3))
        # Weight of the cosine, constant of a sentence, constant of a window, weight of its best sentence.
        self.gains = torch.nn.Parameter(torch.tensor([8.0, -3.0, 0.0, 0.5]))

    def states(self, ids, mask):
        x = F.layer_norm(self.words[ids].float() + self.places[: ids.shape[1]], (HIDDEN,), *self.first, 1e-12)
        batch, length = ids.shape
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            for at, own in enumerate(self.layers):
                dropped = 0.1 if self.training and at >= self.frozen else 0.0
                with torch.set_grad_enabled(torch.is_grad_enabled() and at >= self.frozen):

                    def linear(part, x):
                        return F.linear(x, own[part + "_w"], own[part + "_b"])

                    def added(x, part, inner, name):
                        y = F.dropout(linear(part, inner), dropped, bool(dropped))
                        return F.layer_norm(x + y, (HIDDEN,), own[name + "_w"], own[name + "_b"], 1e-12)

                    heads = [linear(p, x).view(batch, length, HEADS, -1).transpose(1, 2) for p in "qkv"]
                    seen = F.scaled_dot_product_attention(*heads, attn_mask=mask[:, None, None, :])
                    x = added(x, "ao", seen.transpose(1, 2).reshape(batch, length, HIDDEN), "aln")
                    x = added(x, "fo", F.gelu(linear("fi", x)), "oln")
        return x.float()

    def forward(self, ids, mask, part, count):
        """Logits of the sentences [batch, count] and of the windows [batch]. `part` is for each token the number of its
        sentence from 1, 0 for the question, -1 for others."""
        x = self.states(ids, mask)
        batch, length, _ = x.shape
        at = torch.where(part < 0, count + 1, part) + torch.arange(batch, device=x.device)[:, None] * (count + 2)
        size = torch.zeros(batch * (count + 2), device=x.device)
        size = size.index_add(0, at.view(-1), torch.ones(batch * length, device=x.device))
        mean = torch.zeros(batch * (count + 2), HIDDEN, device=x.device).index_add(0, at.view(-1), x.reshape(-1, HIDDEN))
        mean = (mean / size.clamp(min=1)[:, None]).view(batch, count + 2, HIDDEN)
        question, sentences = mean[:, :1], mean[:, 1 : count + 1]
        cosine = F.cosine_similarity(sentences - self.centre, question - self.centre, dim=-1)
        # Times 4: they learn faster.
        scores = self.gains[0] * cosine + sentences @ self.sentence * 4 + self.gains[1]
        there = size.view(batch, -1)[:, 1 : count + 1] > 0
        best = scores.detach().masked_fill(~there, -20).amax(1)
        return scores, x[:, 0] @ self.window * 4 + self.gains[2] + self.gains[3] * best


def padded(lists, fill):
    width = max(map(len, lists))
    return torch.tensor([list(row) + [fill] * (width - len(row)) for row in lists])


def alike(texts, source, most=50):
    """For each question the sentences that are most like it: half by cosine, half by cosine and shared tokens."""
    net = Net(source, E5["LAYERS"], E5["LAYERS"]).to(DEVICE).eval()

    def embedded(lists):
        order, out, at = sorted(range(len(lists)), key=lambda i: len(lists[i])), torch.zeros(len(lists), HIDDEN, device=DEVICE), 0
        with torch.no_grad():
            while at < len(order):
                part = order[at : at + max(1, 32768 // len(lists[order[min(at + 1000, len(order) - 1)]]))][:1000]
                ids, mask = padded([lists[i] for i in part], 1).to(DEVICE), padded([[1] * len(lists[i]) for i in part], 0).to(DEVICE)
                x = net.states(ids, mask.bool()) * mask[..., None]
                out[torch.tensor(part, device=DEVICE)] = F.normalize(x.sum(1), dim=-1)
                at += len(part)
        return out

    sentences = embedded([[0, *texts.passage, *tokens, 2] for tokens in texts.sentences])
    questions = embedded([[0, *tokens, 2] for tokens in texts.questions])
    held = collections.Counter(token for tokens in texts.sentences for token in set(tokens))
    rarity = {token: math.log(1 + len(texts.sentences) / (1 + count)) for token, count in held.items()}
    place = {token: at for at, token in enumerate(held)}
    columns = [sorted(place[token] for token in set(tokens)) for tokens in texts.sentences]
    starts = torch.tensor([0, *numpy.cumsum([len(column) for column in columns])])
    flat = torch.tensor([token for column in columns for token in column])
    size = (len(columns), len(place))
    holds = torch.sparse_csr_tensor(starts, flat, torch.ones(len(flat)), size).to(DEVICE)
    found = []
    for at in range(0, len(questions), 512):
        part = texts.questions[at : at + 512]
        asked = torch.zeros(len(place), len(part))
        for column, tokens in enumerate(part):
            # Without "query" and the colon.
            known = sorted(set(tokens[2:]) & place.keys())
            total = sum(rarity[token] for token in known) or 1.0
            for token in known:
                asked[place[token], column] = rarity[token] / total
        cosine = sentences @ questions[at : at + 512].T
        mix = (cosine - 0.7) / 0.2 + holds @ asked.to(DEVICE)
        best = [values.topk(min(most // 2, len(columns)), 0).indices.T for values in (mix, cosine)]
        found += torch.cat(best, 1).cpu().tolist()
    return found


class Windows:
    def __init__(self, texts, found):
        self.texts, self.found, self.choice = texts, found, random.Random(SEED)
        self.groups = collections.defaultdict(set)
        for row in texts.rows:
            for sentence in row["sentences"]:
                self.groups[sentence].add(row["group"])

    def draw(self, count):
        shares = [SHARES[row["src"]] for row in self.texts.rows]
        return [self.window(row) for row in self.choice.choices(self.texts.rows, shares, k=count)]

    def window(self, row):
        """Tokens, parts (as `Net.forward` takes them), labels of the sentences, label of the window."""
        choice, kind = self.choice, self.choice.random()
        question = list(self.texts.questions[row["questions"][0]])
        own, others, answers = list(zip(row["sentences"], row["l"])), [], row["a"]
        if kind < 0.4:
            dropped = choice.random() * 0.6
            own = [pair for pair in own if pair[1] == 1 or choice.random() > dropped] or own
        if kind > 0.3:
            found = [s for s in self.found[row["questions"][0]] if s not in row["sentences"] and row["group"] not in self.groups[s]]
            others = [(s, 0) for s in choice.sample(found[:40], min(choice.randint(2, 8), len(found[:40])))]
            if kind > 0.85 and len(others) > 1:
                own, answers = [], 0
            elif kind > 0.55:
                own = [pair for pair in own if pair[1] != 0 or choice.random() < 0.3] or own
        blocks = [[pair] for pair in others]
        if len(own) > 2 and choice.random() < 0.5:
            cut = choice.randint(1, len(own) - 1)
            blocks += [own[:cut], own[cut:]]
        elif own:
            blocks.append(own)
        choice.shuffle(blocks)
        if choice.random() < 0.25:
            # A question in other words.
            near = [s for s, label in own if label == 1] or [s for s, _ in own]
            words, share = {token for s in near for token in self.texts.sentences[s]}, choice.uniform(0.2, 0.6)
            question = question[:2] + [t for t in question[2:] if t not in words or choice.random() > share]
        pairs, room, kept = [pair for block in blocks for pair in block], WINDOW - len(question) - 2, set()
        for at in sorted(range(len(pairs)), key=lambda at: (pairs[at][1] != 1, choice.random())):
            size = len(self.texts.sentences[pairs[at][0]]) + 1
            if size <= room:
                kept.add(at)
                room -= size
        pairs = [pair for at, pair in enumerate(pairs) if at in kept]
        labels = [label for _, label in pairs]
        if answers == 1 and 1 in row["l"] and 1 not in labels:
            answers = 0
        ids, part = [0, *question, 2], [-1, *[0] * len(question), -1]
        for number, (sentence, _) in enumerate(pairs, 1):
            tokens = [*self.texts.sentences[sentence], 2]
            ids, part = ids + tokens, part + [number] * len(tokens)
        return ids, part, labels, answers


def batches(windows, steps):
    while steps:
        pool, batch, made = sorted(windows.draw(4096), key=lambda window: len(window[0])), [], []
        for window in filter(lambda window: window[2], pool):
            if batch and (len(batch) + 1) * len(window[0]) > BATCH:
                made.append(batch)
                batch = []
            batch.append(window)
        made.append(batch)
        windows.choice.shuffle(made)
        for batch in made[:steps]:
            yield [padded([window[0] for window in batch], 1), padded([window[1] for window in batch], -1),
                   padded([[1] * len(window[0]) for window in batch], 0).bool(),
                   padded([window[2] for window in batch], -1).float(), torch.tensor([float(window[3]) for window in batch])]
        steps -= len(made[:steps])


def loss_of(scores, windows, labels, answers):
    known = (labels >= 0).float()
    each = F.binary_cross_entropy_with_logits(
        scores, labels.clamp(min=0), pos_weight=torch.tensor(3.0, device=scores.device), reduction="none"
    )
    all_, right = (torch.logsumexp(scores.masked_fill(hidden, -1e4), 1) for hidden in (labels < 0, labels != 1))
    ranked = ((labels == 1).any(1) & (labels == 0).any(1)).float()
    told = (answers >= 0).float()
    whole = F.binary_cross_entropy_with_logits(windows, answers.clamp(min=0), reduction="none")

    def mean(values, of):
        return (values * of).sum() / of.sum().clamp(min=1)

    return mean(each, known) + 0.5 * mean(all_ - right, ranked) + 0.7 * mean(whole, told)


def train(texts, source, steps):
    torch.manual_seed(SEED)
    windows = Windows(texts, alike(texts, source))
    net, start = Net(source, SHARED + OWN, SHARED).to(DEVICE).train(), time.time()
    head = [net.sentence, net.centre, net.window]
    body = [value for value in net.layers.parameters() if value.requires_grad]
    rates = [RATE, 2e-3, 2e-2]
    groups = [{"params": body}, {"params": head}, {"params": [net.gains], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    for step, batch in enumerate(batches(windows, steps)):
        ids, part, mask, labels, answers = (value.to(DEVICE) for value in batch)
        if step == 0:
            with torch.no_grad():
                net.centre.copy_(net.states(ids, mask)[mask].mean(0))
        for group, rate in zip(optimizer.param_groups, rates):
            group["lr"] = rate * min(1, (step + 1) / 100) * max(0.02, 1 - step / steps)
        loss = loss_of(*net(ids, mask, part, labels.shape[1]), labels, answers)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*body, *head, net.gains], 1.0)
        optimizer.step()
        if step % 100 == 0:
            print(f"step {step}, loss {loss.item():.3f}, {time.time() - start:.0f} s", flush=True)
    return net


def write(net, layers, head):
    out = bytearray()

    def floats(value):
        return numpy.ascontiguousarray(value, dtype="<f4").tobytes()

    for own in list(net.layers)[SHARED:]:
        own = {name: value.detach().cpu().half().float().numpy() for name, value in own.items()}
        for part in PARTS:
            matrix = own[part + "_w"]
            size = (numpy.abs(matrix).max(1) / E5["LEVELS"]).astype(numpy.float32)
            rounded = numpy.round(matrix / numpy.where(size, size, 1)[:, None]).astype(numpy.int8)
            out += floats(size) + floats(own[part + "_b"]) + numpy.ascontiguousarray(rounded.T).tobytes()
        for name in ("aln_w", "aln_b", "oln_w", "oln_b"):
            out += floats(own[name])
    layers.write_bytes(out)
    values = {"centre": net.centre, "sentence": net.sentence * 4, "window": net.window * 4, "gains": net.gains}
    short = {name: [float(f"{number:.6g}") for number in value.tolist()] for name, value in values.items()}
    head.write_text(json.dumps(short, separators=(",", ":")) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train", type=pathlib.Path)
    parser.add_argument("e5", type=pathlib.Path)
    parser.add_argument("--test", nargs="*", default=[], help="texts of which no sentence is trained on")
    parser.add_argument("--steps", type=int, default=3000)
    arguments = parser.parse_args()
    source = E5["Source"](arguments.e5 / "e5-small-q4.bin")
    texts = Texts(rows_of(arguments.train, arguments.test), Tokenizer.from_file(str(arguments.e5 / "tokenizer.json")))
    print(f"{len(texts.rows)} rows, {len(texts.sentences)} sentences", flush=True)
    net = train(texts, source, arguments.steps)
    write(net, NATIVES / "reader.bin", HERE.parent.parent / "models/src/reader.json")


if __name__ == "__main__":
    main()
