"""Reads and writes ONNX files. Standard library only; set-up runs this text before that of the model to make."""

import struct
import sys

FLOAT, UINT8, INT8, INT64, INT4 = 1, 2, 3, 7, 22
EPSILON = 1e-12


# Protocol buffers, as much of them as ONNX needs.
def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The fields of a message, in order: (number, value), where a value is an integer or a memoryview."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = read_varint(data, at)
        else:
            size, at = read_varint(data, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
            value, at = data[at : at + size], at + size
        yield key >> 3, value


def texts(message, field):
    return [bytes(value).decode() for key, value in fields(message) if key == field]


class Graph:
    """Nodes and weights of the target."""

    def __init__(self):
        self.nodes, self.weights, self.count = [], [], 0

    def weight(self, name, kind, shape, raw):
        dims = b"".join(number(1, size) for size in shape)
        self.weights.append(dims + number(2, kind) + block(8, name) + block(9, raw))
        return name

    def node(self, operator, inputs, outputs=None, domain="", **attributes):
        self.count += 1
        outputs = outputs or [f"{operator}_{self.count}"]
        body = b"".join(block(1, name) for name in inputs) + b"".join(block(2, name) for name in outputs)
        body += block(3, f"node_{self.count}") + block(4, operator)
        for name, value in attributes.items():
            float_ = isinstance(value, float)
            shown = varint(2 << 3 | 5) + struct.pack("<f", value) if float_ else number(3, value)
            body += block(5, block(1, name) + shown + number(20, 1 if float_ else 2))
        self.nodes.append(body + block(7, domain))
        return outputs[0]

    def save(self, path, name, maker, width, opset, inputs=("input_ids",)):
        """One text at a time goes in; out comes a vector of `width` numbers for each of its tokens."""

        def value(name, kind, shape):
            dims = b"".join(block(1, number(1, d) if isinstance(d, int) else block(2, d)) for d in shape)
            return block(1, name) + block(2, block(1, number(1, kind) + block(2, dims)))

        graph = b"".join(block(1, node) for node in self.nodes) + block(2, name)
        graph += b"".join(block(5, weight) for weight in self.weights)
        graph += b"".join(block(11, value(taken, INT64, [1, "length"])) for taken in inputs)
        graph += block(12, value("last_hidden_state", FLOAT, [1, "length", width]))
        opsets = block(8, block(1, "") + number(2, opset)) + block(8, block(1, "com.microsoft") + number(2, 1))
        with open(path, "wb") as file:
            file.write(number(1, 10) + block(2, maker) + block(7, graph) + opsets)

    def product(self, x, rows, stem, raw, scale, bias, split):
        """x times a matrix of 8-bit integers (`rows` inputs, in the order of its rows), times `scale`, plus `bias`.

        x is quantised as it comes: its scale is that of the whole tensor. Inputs in `split` are divided by their
        number of copies, a power of two, and the rows of weights are repeated as often.
        """
        node, weight = self.node, self.weight
        width = len(raw) // rows
        repeated = [channel for channel, copies in split.items() for _ in range(copies - 1)]
        if repeated:
            raw += b"".join(raw[channel * width : (channel + 1) * width] for channel in repeated)
            shares = struct.pack(f"<{rows}f", *(1 / split.get(channel, 1) for channel in range(rows)))
            x = node("Mul", [x, weight(stem + ".shares", FLOAT, [rows], shares)])
            again = weight(stem + ".again", INT64, [len(repeated)], struct.pack(f"<{len(repeated)}q", *repeated))
            x = node("Concat", [x, node("Gather", [x, again], axis=2)], axis=2)
        matrix = weight(stem + ".q", INT8, [rows + len(repeated), width], raw)
        scale = weight(stem + ".scale", FLOAT, [width], scale)
        bias = weight(stem + ".b", FLOAT, [width], bias)
        quantised = [f"{stem}.x{end}" for end in ("", "_scale", "_zero")]
        node("DynamicQuantizeLinear", [x], quantised)
        product = node("MatMulInteger", [quantised[0], matrix, quantised[2]])
        product = node("Cast", [product], to=FLOAT)
        product = node("Mul", [product, node("Mul", [quantised[1], scale])])
        return node("Add", [product, bias])
