"""Writes ../../src/support/features/common_words.txt: the 4,000 words that stand in most windows of text, the most frequent first.

    python3 words.py relevance.jsonl.gz

The input is a gzipped file of JSON objects, one a line, with the sentences of a window in `s` and the name of a source
in `src`. Sources whose questions are not English are left out.
"""

import collections
import gzip
import json
import pathlib
import re
import sys

WORDS = 4000
WORD = re.compile(r"[a-z][a-z'-]*[a-z]|[a-z]")


def main():
    count = collections.Counter()
    with gzip.open(sys.argv[1], "rt") as lines:
        for line in lines:
            window = json.loads(line)
            if not window["src"].startswith("xquad"):
                words = WORD.findall(" ".join(window["s"]).lower())
                count.update({part for word in words for part in word.removesuffix("'s").split("-") if len(part) > 1})
    ranked = sorted(count, key=lambda word: (-count[word], word))[:WORDS]
    target = pathlib.Path(__file__).parents[2] / "src/support/features/common_words.txt"
    target.write_text("\n".join(ranked) + "\n")


if __name__ == "__main__":
    main()
