"""Runs an embedding model: embed.py MODEL.onnx THREADS, batches of token ids as JSON on standard input.

Bare inference: the ids are ours, nothing is pooled, so that the difference to ours is all that we put around the model.
Units: tokens, padding left out.
"""

import json
import sys

import numpy
import onnxruntime
from peer import Clock, report


def inputs(batch, names):
    longest = max(map(len, batch))
    ids = numpy.zeros((len(batch), longest), dtype=numpy.int64)
    mask = numpy.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
    return {name: given[name] for name in names}


def main():
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(sys.argv[2])
    session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]
    batches = json.load(sys.stdin)
    fed = [inputs(batch, names) for batch in batches]
    session.run(None, inputs([batches[-1][0]], names))
    with Clock() as clock:
        for batch in fed:
            session.run(None, batch)
    report(clock, sum(len(tokens) for batch in batches for tokens in batch), ["onnxruntime"])


if __name__ == "__main__":
    main()
