"""Runs an embedding model: embed.py MODEL.onnx THREADS, the token ids of each text as JSON on standard input.

Bare inference: the ids are ours, nothing is pooled, so that the difference to ours is all that we put around the model.
As in the pipeline, every thread takes the next text, the longest first. Units: tokens.
"""

import json
import sys
import threading

import numpy
import onnxruntime
from peer import Clock, report


def inputs(tokens, names):
    ids = numpy.array([tokens], dtype=numpy.int64)
    given = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
    return {name: given[name] for name in names}


def work(session, texts):
    for text in texts:
        session.run(None, text)


def main():
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    sessions = [onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"]) for _ in range(int(sys.argv[2]))]
    names = [i.name for i in sessions[0].get_inputs()]
    texts = json.load(sys.stdin)
    fed = [inputs(text, names) for text in texts]
    for session in sessions:
        session.run(None, fed[-1])
    shared = iter(fed)  # the next item is taken under Python's lock
    threads = [threading.Thread(target=work, args=(session, shared)) for session in sessions]
    with Clock() as clock:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    report(clock, sum(map(len, texts)), ["onnxruntime"])


if __name__ == "__main__":
    main()
