"""Makes multilingual-e5-small: e5.py SOURCE.bin TARGET FILE, where FILE is model.onnx, tokenizer.json or model.json in the
folder multilingual-e5-small. Set-up runs it behind onnx_graph.py.

The source holds the model with weights of 4 bits in blocks of 32 (a scale for each block), and its vocabulary. The target
multiplies 8-bit integers, as that of minilm.py does, one text at a time:

- The weights of an output, which have 12 or 48 scales in the source, share one. They are rounded to -64..64: no
  intermediate sum overflows 16 bits, so processors with and without VNNI compute the same.
- Inputs that are much larger than the others are split.
- Word vectors are looked up in the 4 bits of the source.

Against a graph that multiplies the weights of the source as 32-bit numbers, the cosine of a text's two vectors is .9993 on
average, .9988 at least (40 abstracts of NFCorpus and 34 questions). Weights are rounded in 64-bit arithmetic: the same source
gives the same bytes everywhere.
"""

import json

HIDDEN, HEADS, LAYERS, POSITIONS, BLOCK, LEVELS = 384, 12, 12, 512, 32, 64

# Inputs that are split, and into how many: powers of two that bring the largest values in 60 abstracts (of the Cranfield
# collection) and 136 questions to at most 4, 6 before the wide layer and 7 behind it.
SPLIT = {
    "l0.fi": {15: 2, 60: 2, 87: 2, 321: 4},
    "l0.fo": {318: 8},
    "l1.q": {15: 2},
    "l1.fi": {15: 8, 87: 2, 146: 2, 321: 4},
    "l1.fo": {1462: 2},
    "l2.q": {15: 2},
    "l2.fi": {15: 8, 321: 2},
    "l2.fo": {354: 2},
    "l3.q": {15: 2},
    "l3.fi": {15: 8, 146: 2, 297: 2, 321: 2},
    "l4.q": {15: 2, 345: 2},
    "l4.fi": {15: 4, 146: 2, 321: 2},
    "l4.fo": {778: 16},
    "l5.q": {35: 2, 62: 2, 297: 2, 345: 2},
    "l5.fi": {15: 2, 35: 8, 321: 2, 345: 2},
    "l5.fo": {658: 8},
    "l6.q": {35: 2, 297: 2, 345: 2},
    "l6.fi": {15: 2, 35: 8},
    "l6.fo": {1152: 2},
    "l7.q": {11: 2, 15: 2, 35: 2, 62: 2, 146: 2, 297: 2, 345: 2},
    "l7.fi": {15: 2, 35: 8},
    "l7.fo": {413: 2},
    "l8.q": {11: 2, 15: 2, 35: 2, 62: 2, 297: 2, 345: 2},
    "l8.fi": {15: 4, 35: 8},
    "l9.q": {15: 2, 35: 2},
    "l9.fi": {15: 4, 35: 8, 351: 2},
    "l10.q": {35: 2},
    "l10.fi": {15: 2, 35: 4, 351: 2},
    "l11.q": {35: 2},
    "l11.fi": {35: 2},
}


class Source:
    """The file: header, vocabulary, a map of characters (which NFKC replaces), tensors."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.at = 4
        _, _, _, _, _, self.words, *_ = self.read("I7ifi")
        pieces, _, _, _, _, size = self.read("i4iQ")
        starts = self.read(f"{pieces + 1}I")
        self.scores = self.read(f"{pieces}f")
        text = self.data[self.at : self.at + size]
        self.pieces = [text[start:end].decode() for start, end in zip(starts, starts[1:])]
        self.at += size
        _, size = self.read("iI")
        self.at += size
        self.tensors = {}
        for _ in range(*self.read("i")):
            (length,) = self.read("H")
            name = self.data[self.at : self.at + length].decode()
            self.at += length
            _, _, offset, size = self.read("BIQQ")
            self.tensors[name] = self.data[offset : offset + size]

    def read(self, layout):
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def blocks(self, name):
        """Scales, and the bytes with the weights: byte j of a block holds weight j below and weight j + 16 above."""
        raw = self.tensors[name]
        count = len(raw) // 18
        scales, halves = bytearray(2 * count), bytearray(16 * count)
        for byte in range(2):
            scales[byte::2] = raw[byte::18]
        for byte in range(16):
            halves[byte::16] = raw[2 + byte :: 18]
        return struct.unpack(f"<{count}e", scales), bytes(halves)


def rounded(source, name, inputs):
    """A matrix with one scale for each output: its rows (the inputs) as single bytes, and the scales."""
    scales, halves = source.blocks(name + ".w")
    blocks = inputs // BLOCK
    outputs = len(scales) // blocks
    table, sizes = bytearray(inputs * outputs), []
    for output in range(outputs):
        row, largest = [], 0.0
        for at in range(output * blocks, (output + 1) * blocks):
            part = halves[16 * at : 16 * at + 16]
            codes = [byte & 15 for byte in part] + [byte >> 4 for byte in part]
            row.append((scales[at], codes))
            largest = max(largest, abs(scales[at]) * max(abs(code - 8) for code in codes))
        size = largest / LEVELS or 1.0
        sizes.append(size)
        line = bytearray()
        for scale, codes in row:
            steps = [round(scale * (code - 8) / size) & 255 for code in range(16)]
            line += bytes(steps[code] for code in codes)
        table[output::outputs] = line
    return bytes(table), sizes


def side_by_side(tables, inputs):
    widths = [len(table) // inputs for table in tables]
    return b"".join(
        table[row * width : (row + 1) * width] for row in range(inputs) for table, width in zip(tables, widths)
    )


def in_order(halves):
    """The weights two to a byte in their order, as signed numbers of 4 bits."""
    count = len(halves) // 2
    even, odd = (int.from_bytes(halves[start::2], "little") for start in (0, 1))
    low = int.from_bytes(b"\x0f" * count, "little")
    first = (even & low | (odd & low) << 4).to_bytes(count, "little")
    second = (even >> 4 & low | odd & low << 4).to_bytes(count, "little")
    out = bytearray(len(halves))
    for byte in range(8):
        out[byte::16] = first[byte::8]
        out[8 + byte :: 16] = second[byte::8]
    return out.translate(bytes(byte ^ 0x88 for byte in range(256)))


def build(source):
    graph = Graph()
    node, weight = graph.node, graph.weight
    tensors = source.tensors

    def vector(name):
        raw = tensors[name]
        return weight(name, FLOAT, [len(raw) // 4], raw)

    def linear(x, inputs, *names):
        """x times the matrices side by side, plus their biases."""
        made = [rounded(source, name, inputs) for name in names]
        raw = side_by_side([table for table, _ in made], inputs)
        sizes = [size for _, own in made for size in own]
        bias = b"".join(tensors[name + ".b"] for name in names)
        scale = struct.pack(f"<{len(sizes)}f", *sizes)
        return graph.product(x, inputs, names[0], raw, scale, bias, SPLIT.get(names[0], {}))

    def normalised(x, name):
        return node("LayerNormalization", [x, vector(name + ".w"), vector(name + ".b")], axis=-1, epsilon=EPSILON)

    scales, halves = source.blocks("emb.word")
    table = weight("words", INT4, [source.words, HIDDEN], bytes(in_order(halves)))
    scales = weight("words.scale", FLOAT, [source.words, HIDDEN // BLOCK], struct.pack(f"<{len(scales)}f", *scales))
    words = node(
        "GatherBlockQuantized", [table, "input_ids", scales],
        domain="com.microsoft", block_size=BLOCK, gather_axis=0, quantize_axis=1,
    )
    zero = weight("zero", INT64, [1], struct.pack("<q", 0))
    length = node("Shape", ["input_ids"], start=1, end=2)
    places = node("Slice", [weight("places", FLOAT, [POSITIONS, HIDDEN], source.tensors["emb.pos"]), zero, length, zero])
    # Every token is of the first kind: there are no pairs of texts.
    kind = weight("kind", FLOAT, [HIDDEN], source.tensors["emb.type"][: HIDDEN * 4])
    x = normalised(node("Add", [node("Add", [words, kind]), places]), "emb.ln")
    for layer in range(LAYERS):
        prefix = f"l{layer}."
        parts = [prefix + part for part in ("query", "key", "value")]
        all_three = linear(x, HIDDEN, prefix + "q", prefix + "k", prefix + "v")
        node("Split", [all_three], parts, axis=-1, num_outputs=3)
        seen = node("MultiHeadAttention", parts, domain="com.microsoft", num_heads=HEADS)
        x = normalised(node("Add", [linear(seen, HIDDEN, prefix + "ao"), x]), prefix + "aln")
        wide = node("Gelu", [linear(x, HIDDEN, prefix + "fi")])
        x = normalised(node("Add", [linear(wide, 4 * HIDDEN, prefix + "fo"), x]), prefix + "oln")
    node("Identity", [x], ["last_hidden_state"])
    return graph


def tokenizer(source):
    """SentencePiece's unigram model, as the tokenizers library describes it."""

    def special(piece):
        token = {"id": source.pieces.index(piece), "content": piece, "lstrip": piece == "<mask>"}
        return {**token, "rstrip": False, "single_word": False, "normalized": False, "special": True}

    def replaced(pattern, content):
        return {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}

    def part(name, kind="SpecialToken"):
        return {kind: {"id": name, "type_id": 0}}

    one = [part("<s>"), part("A", "Sequence"), part("</s>")]
    ends = {piece: {"id": piece, "ids": [source.pieces.index(piece)], "tokens": [piece]} for piece in ("<s>", "</s>")}
    blanks = "[\\t\\n\\x0c\\r\\u1680\\u200b-\\u200f\\u2028\\u2029\\u2581\\ufeff\\ufffd]"
    controls = "[\\x01-\\x08\\x0b\\x0e-\\x1f\\x7f\\x8f\\x9f]"
    spaces = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [special(piece) for piece in ("<s>", "<pad>", "</s>", "<unk>", "<mask>")],
        "normalizer": {"type": "Sequence", "normalizers": [replaced(controls, ""), replaced(blanks, " "), {"type": "NFKC"}]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, spaces]},
        "post_processor": {
            "type": "TemplateProcessing", "single": one, "special_tokens": ends,
            "pair": [*one, part("</s>"), part("B", "Sequence"), part("</s>")],
        },
        "decoder": None,
        "model": {
            "type": "Unigram", "unk_id": source.pieces.index("<unk>"), "byte_fallback": False,
            "vocab": [[piece, round(score, 6)] for piece, score in zip(source.pieces, source.scores)],
        },
    }


# How the model is used: its authors' prefixes and length.
SETTINGS = {
    "name": "multilingual-e5-small", "pooling": "mean", "query_prefix": "query: ", "passage_prefix": "passage: ",
    "max_tokens": POSITIONS,
}

if __name__ == "__main__":
    _, path, target, wanted = sys.argv
    name = wanted.split("/")[1]
    if name == "model.onnx":
        build(Source(path)).save(target, "multilingual-e5-small", "e5.py", HIDDEN, 21)
    else:
        with open(target, "w", encoding="utf-8") as file:
            json.dump(tokenizer(Source(path)) if name == "tokenizer.json" else SETTINGS, file, ensure_ascii=False)
