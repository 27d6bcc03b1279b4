"""Cuts sections into chunks: chunk.py MAX_TOKENS OVERLAP, a JSON list of {prefix, text} on standard input.

The same job as ours, written plainly: sentences by a regular expression, each encoded once, packed greedily into chunks
of whole sentences that share up to OVERLAP tokens, the prefix counted in. Units: tokens of the text.
"""

import json
import re
import sys

import tiktoken
from peer import Clock, report

SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'(\[]?[A-Z0-9])")


def chunks(encode, section, most, overlap):
    room = most - len(encode(section["prefix"] + "\n"))
    sentences = [s for s in SENTENCE.split(section["text"]) if s.strip()]
    sizes = [len(tokens) for tokens in encode_all(encode, sentences)]
    out, start, at = [], 0, 0
    while at < len(sentences):
        total = sum(sizes[start:at])
        while start < at and total + sizes[at] > room:
            total -= sizes[start]
            start += 1
        while at < len(sentences) and (start == at or total + sizes[at] <= room):
            total += sizes[at]
            at += 1
        out.append(section["prefix"] + "\n" + " ".join(sentences[start:at]))
        if at < len(sentences):
            begin, shared, start = start, 0, at
            while start - 1 > begin and shared + sizes[start - 1] <= overlap:
                start -= 1
                shared += sizes[start]
    return out


def encode_all(encode, sentences):
    return [encode(sentence if i == 0 else " " + sentence) for i, sentence in enumerate(sentences)]


def main():
    most, overlap = int(sys.argv[1]), int(sys.argv[2])
    sections = json.load(sys.stdin)
    encode = tiktoken.get_encoding("cl100k_base").encode_ordinary
    encode("loads the table")
    with Clock() as clock:
        for section in sections:
            chunks(encode, section, most, overlap)
    tokens = sum(len(encode(section["text"])) for section in sections)
    report(clock, tokens, ["tiktoken"])


if __name__ == "__main__":
    main()
