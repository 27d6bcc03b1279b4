"""Makes all-MiniLM-L6-v2: minilm.py SOURCE.onnx TARGET.onnx. Set-up runs it behind onnx_graph.py.

The source holds all-MiniLM-L6-v2 with 8-bit weights (a scale for each column), which it turns back into 32-bit numbers
before it multiplies. The target has the same numbers in a smaller graph that multiplies 8-bit integers:

- Activations are quantised as they come (DynamicQuantizeLinear, MatMulInteger). Their scale is that of the whole
  tensor, so the graph takes one text at a time, without padding: a vector must not depend on other texts.
- Query, key and value are one multiplication; attention is one node (com.microsoft.MultiHeadAttention) without a mask.
- A few inputs of a multiplication are ten times as large as the others, and would leave these few steps of the common
  scale. They are split: 28 becomes four times 7, and the row of weights is repeated (Zhao et al., "Outlier Channel
  Splitting", 2019). The vectors' error falls to a sixth.
- Embeddings are looked up in 8 bits.

No weight is computed here: weights and scales are copied, so the same source gives the same bytes everywhere.
"""

HIDDEN, HEADS, LAYERS = 384, 12, 6

# Inputs that are split, and into how many: powers of two that bring the largest values in 40 abstracts (of the Cranfield
# collection) to at most 6, or 8 before the wide layer.
SPLIT = {
    "0.attention.self.query": {63: 2, 99: 2},
    "0.intermediate.dense": {63: 2, 99: 4},
    "0.output.dense": {856: 8},
    "1.attention.self.query": {99: 2, 157: 2},
    "1.intermediate.dense": {63: 2, 99: 4},
    "1.output.dense": {251: 2, 607: 4, 821: 2},
    "2.attention.self.query": {99: 2, 157: 2},
    "2.intermediate.dense": {99: 4, 223: 2},
    "2.output.dense": {218: 4, 1004: 4, 1265: 2},
    "3.attention.self.query": {99: 2, 157: 2},
    "3.intermediate.dense": {63: 2, 99: 4, 223: 2},
    "3.output.dense": {201: 2, 358: 4},
    "4.attention.self.query": {99: 2, 157: 2, 338: 2},
    "4.intermediate.dense": {99: 4, 127: 2, 223: 2},
    "4.output.dense": {637: 2, 716: 2, 1031: 2, 1097: 2, 1357: 2},
    "5.attention.self.query": {99: 2, 157: 2, 338: 2},
    "5.intermediate.dense": {99: 2, 223: 2, 319: 2},
    "5.output.dense": {1302: 2},
}


def load(path):
    """What the source holds: weights by name, and the name of the matrix that goes with each bias."""
    with open(path, "rb") as file:
        model = memoryview(file.read())
    graph = next(value for key, value in fields(model) if key == 7)
    weights, products, matrices = {}, {}, {}
    for key, value in fields(graph):
        if key == 5:
            tensor = dict(fields(value))
            weights[bytes(tensor[8]).decode()] = bytes(tensor.get(9, b""))
        elif key == 1:
            kind, ins, outs = texts(value, 4)[0], texts(value, 1), texts(value, 2)
            if kind == "MatMul":
                products[outs[0]] = ins[1]
            elif kind == "Add" and ins[0] in products:
                matrices[ins[1]] = products[ins[0]]
    return weights, matrices


def columns(parts, rows):
    """Matrices of single bytes, side by side."""
    widths = [len(part) // rows for part in parts]
    cells = (part[row * width : (row + 1) * width] for row in range(rows) for part, width in zip(parts, widths))
    return b"".join(cells)


def build(source):
    held, matrices = source
    graph = Graph()
    node, weight = graph.node, graph.weight

    def vector(name):
        return weight(name, FLOAT, [len(held[name]) // 4], held[name])

    def linear(x, rows, prefix, names):
        """x times the matrices side by side, plus their biases."""
        biases = [f"{prefix}.{name}.bias" for name in names]
        stem = f"{prefix}.{names[0]}"
        parts = [matrices[bias] for bias in biases]
        raw = columns([held[part + "_q"] for part in parts], rows)
        scale = b"".join(held[part + "_scale"] for part in parts)
        bias = b"".join(held[bias] for bias in biases)
        return graph.product(x, rows, stem, raw, scale, bias, SPLIT.get(stem.removeprefix("inner.encoder.layer."), {}))

    def normalised(x, name):
        return node("LayerNormalization", [x, vector(name + ".weight"), vector(name + ".bias")], axis=-1, epsilon=EPSILON)

    def looked_up(name, ids):
        raw = held[name + "_q"]
        table = weight(name, INT8, [len(raw) // HIDDEN, HIDDEN], raw)
        scales = weight(name + ".scale", FLOAT, [len(raw) // HIDDEN, 1], held[name + "_scale"])
        return node("Mul", [node("Cast", [node("Gather", [table, ids])], to=FLOAT), node("Gather", [scales, ids])])

    first = "inner.embeddings."
    zero, one = (weight(name, INT64, [], struct.pack("<q", n)) for n, name in enumerate(("zero", "one")))
    length = node("Squeeze", [node("Shape", ["input_ids"], start=1, end=2)])
    words = looked_up(first + "word_embeddings.weight", "input_ids")
    places = looked_up(first + "position_embeddings.weight", node("Range", [zero, length, one]))
    # Every token is of the first kind: there are no pairs of texts.
    kind = weight("token_type", FLOAT, [HIDDEN], held[first + "token_type_embeddings.weight"][: HIDDEN * 4])
    x = normalised(node("Add", [node("Add", [words, kind]), places]), first + "LayerNorm")
    for layer in range(LAYERS):
        prefix = f"inner.encoder.layer.{layer}"
        parts = [f"{prefix}.{part}" for part in ("query", "key", "value")]
        all_three = linear(x, HIDDEN, prefix + ".attention.self", ["query", "key", "value"])
        node("Split", [all_three], parts, axis=-1, num_outputs=3)
        seen = node("MultiHeadAttention", parts, domain="com.microsoft", num_heads=HEADS)
        seen = linear(seen, HIDDEN, prefix, ["attention.output.dense"])
        x = normalised(node("Add", [seen, x]), prefix + ".attention.output.LayerNorm")
        wide = node("Gelu", [linear(x, HIDDEN, prefix, ["intermediate.dense"])])
        x = normalised(node("Add", [linear(wide, 4 * HIDDEN, prefix, ["output.dense"]), x]), prefix + ".output.LayerNorm")
    node("Identity", [x], ["last_hidden_state"])
    return graph


if __name__ == "__main__":
    build(load(sys.argv[1])).save(sys.argv[2], "all-MiniLM-L6-v2", "minilm.py", HIDDEN, 20)
