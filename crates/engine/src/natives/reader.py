"""Makes the reader: reader.py SOURCE.onnx TARGET FILE, where FILE is reader/model.onnx or reader/model.json. Set-up runs
it behind onnx_graph.py.

The source holds the cross-encoder ms-marco-MiniLM-L-12-v2 with 8-bit weights, one scale for each matrix. The target reads a
question and several sentences in one pass, and multiplies 8-bit integers as minilm.py says. Its embeddings and lowest
layers are those of the source; above them are layers that were trained further: `reader.bin` in the working directory holds
these, and the pooler (evidence/fit/reader.py writes it).

Weights are rounded to -64..64, with a scale for each output: no sum of two products overflows 16 bits, so processors with and
without VNNI compute the same, at full speed. The first vector of the output is the pooled one, the others are those of the
tokens.
"""

HIDDEN, HEADS, LAYERS, SHARED, LEVELS = 384, 12, 12, 6, 64
PARTS = ("q", "k", "v", "ao", "fi", "fo")
NAMES = {
    "attention.self.query": "q", "attention.self.key": "k", "attention.self.value": "v", "attention.output.dense": "ao",
    "intermediate.dense": "fi", "output.dense": "fo",
}


def inputs_of(part):
    return 4 * HIDDEN if part == "fo" else HIDDEN


class Source:
    """Weights by name, and the name of the matrix that goes with each bias."""

    def __init__(self, path):
        with open(path, "rb") as file:
            model = memoryview(file.read())
        graph = next(value for key, value in fields(model) if key == 7)
        self.held, users, products, self.matrices = {}, {}, [], {}
        for key, value in fields(graph):
            if key == 5:
                tensor = dict(fields(value))
                self.held[bytes(tensor[8]).decode()] = bytes(tensor.get(9, b"")) or packed(value)
            elif key == 1:
                kind, ins, outs = texts(value, 4)[0], texts(value, 1), texts(value, 2)
                for name in ins:
                    users.setdefault(name, (kind, ins, outs))
                if kind == "MatMulInteger":
                    products.append((ins[1], outs[0]))
        for matrix, name in products:
            while name in users:
                kind, ins, outs = users[name]
                if kind == "Add":
                    bias = next((other for other in ins if other in self.held), None)
                    self.matrices[bias] = matrix.removesuffix("_quantized")
                    break
                name = outs[0]

    def scalars(self, name):
        """Scale and zero point."""
        (scale,) = struct.unpack("<f", self.held[name + "_scale"])
        return scale, self.held[name + "_zero_point"][0]

    def matrix(self, bias, outputs):
        """Its rows (the inputs) rounded anew as single bytes, and a scale for each output."""
        name = self.matrices[bias]
        scale, zero = self.scalars(name)
        raw = self.held[name + "_quantized"]
        signed = [(byte - 256 if byte > 127 else byte) - (zero - 256 if zero > 127 else zero) for byte in range(256)]
        table, sizes = bytearray(len(raw)), []
        for output in range(outputs):
            column = raw[output::outputs]
            largest = max(abs(signed[byte]) for byte in set(column)) or 1
            sizes.append(scale * largest / LEVELS)
            table[output::outputs] = column.translate(bytes(round(value * LEVELS / largest) & 255 for value in signed))
        return bytes(table), sizes


def packed(tensor):
    """Numbers that a tensor does not hold as bytes: 32-bit integers of which each is one byte, or 32-bit floats."""
    out = b""
    for key, value in fields(tensor):
        if key == 4:
            out += bytes(value)
        elif key == 5:
            at, value = 0, bytes(value) if not isinstance(value, int) else varint(value)
            while at < len(value):
                number_, at = read_varint(value, at)
                out += bytes([number_ & 255])
    return out


class Trained:
    """The layers that were trained, and the pooler: for each matrix its scales, biases and rows; then the norms of a layer."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        self.matrices, self.vectors, at = {}, {}, 0

        def take(size):
            nonlocal at
            at += size
            return data[at - size : at]

        def matrix(name, inputs, outputs):
            sizes = struct.unpack(f"<{outputs}f", take(4 * outputs))
            self.vectors[name + ".b"] = take(4 * outputs)
            self.matrices[name] = take(inputs * outputs), sizes

        for layer in range(SHARED, LAYERS):
            for part in PARTS:
                matrix(f"l{layer}.{part}", inputs_of(part), 4 * HIDDEN if part == "fi" else HIDDEN)
            for name in ("aln.w", "aln.b", "oln.w", "oln.b"):
                self.vectors[f"l{layer}.{name}"] = take(4 * HIDDEN)
        matrix("pool", HIDDEN, HIDDEN)
        assert at == len(data)


def build(source, trained):
    graph = Graph()
    node, weight = graph.node, graph.weight
    vectors, matrices = dict(trained.vectors), dict(trained.matrices)
    for layer in range(SHARED):
        prefix = f"bert.encoder.layer.{layer}."
        for name, part in NAMES.items():
            bias = prefix + name + ".bias"
            matrices[f"l{layer}.{part}"] = source.matrix(bias, 4 * HIDDEN if part == "fi" else HIDDEN)
            vectors[f"l{layer}.{part}.b"] = source.held[bias]
        for name, norm in (("attention.output.LayerNorm", "aln"), ("output.LayerNorm", "oln")):
            vectors[f"l{layer}.{norm}.w"] = source.held[prefix + name + ".weight"]
            vectors[f"l{layer}.{norm}.b"] = source.held[prefix + name + ".bias"]
    embeddings = "bert.embeddings."
    for end in ("weight", "bias"):
        vectors["emb." + end[0]] = source.held[f"{embeddings}LayerNorm.{end}"]

    def vector(name):
        return weight(name, FLOAT, [len(vectors[name]) // 4], vectors[name])

    def linear(x, *names):
        """x times the matrices side by side, plus their biases."""
        inputs = inputs_of(names[0].split(".")[-1])
        widths = [len(matrices[name][0]) // inputs for name in names]
        rows = (matrices[name][0][row * width : (row + 1) * width] for row in range(inputs) for name, width in zip(names, widths))
        sizes = [size for name in names for size in matrices[name][1]]
        bias = b"".join(vectors[name + ".b"] for name in names)
        scale = struct.pack(f"<{len(sizes)}f", *sizes)
        return graph.product(x, inputs, names[0], b"".join(rows), scale, bias, {})

    def normalised(x, name):
        return node("LayerNormalization", [x, vector(name + ".w"), vector(name + ".b")], axis=-1, epsilon=EPSILON)

    def constant(name, value):
        return weight(name, INT64, [1], struct.pack("<q", value))

    def looked_up(name, gather):
        name = f"{embeddings}{name}_embeddings.weight"
        scale, zero = source.scalars(name)
        raw = source.held[name + "_quantized"]
        rows = node("Cast", [gather(weight(name, UINT8, [len(raw) // HIDDEN, HIDDEN], raw))], to=FLOAT)
        shift = weight(name + ".zero", FLOAT, [], struct.pack("<f", zero))
        return node("Mul", [node("Sub", [rows, shift]), weight(name + ".scale", FLOAT, [], struct.pack("<f", scale))])

    zero, one, end = constant("zero", 0), constant("one", 1), constant("end", 1 << 20)
    length = node("Shape", ["input_ids"], start=1, end=2)
    words = looked_up("word", lambda table: node("Gather", [table, "input_ids"]))
    kinds = looked_up("token_type", lambda table: node("Gather", [table, "token_type_ids"]))
    places = looked_up("position", lambda table: node("Slice", [table, zero, length, zero]))
    x = normalised(node("Add", [node("Add", [words, kinds]), places]), "emb")
    for layer in range(LAYERS):
        prefix = f"l{layer}."
        parts = [prefix + part for part in ("query", "key", "value")]
        node("Split", [linear(x, prefix + "q", prefix + "k", prefix + "v")], parts, axis=-1, num_outputs=3)
        seen = node("MultiHeadAttention", parts, domain="com.microsoft", num_heads=HEADS)
        x = normalised(node("Add", [linear(seen, prefix + "ao"), x]), prefix + "aln")
        wide = node("Gelu", [linear(x, prefix + "fi")])
        x = normalised(node("Add", [linear(wide, prefix + "fo"), x]), prefix + "oln")
    first = node("Tanh", [linear(node("Slice", [x, zero, one, one]), "pool")])
    node("Concat", [first, node("Slice", [x, one, end, one])], ["last_hidden_state"], axis=1)
    return graph


if __name__ == "__main__":
    _, path, target, wanted = sys.argv
    if wanted.endswith("model.json"):
        with open(target, "w", encoding="utf-8") as file:
            file.write('{"name": "ms-marco-MiniLM-L12-v2-reader"}\n')
    else:
        graph = build(Source(path), Trained("reader.bin"))
        graph.save(target, "reader", "reader.py", HIDDEN, 20, ["input_ids", "token_type_ids"])
