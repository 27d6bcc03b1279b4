#!/usr/bin/env python3
"""Build the sample pages of the layout tests: *.typ -> *.pdf beside them, with the release of typst that
corpus/src/environment.py pins. `--check` fails unless the committed files are the same byte for byte."""

from __future__ import annotations

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path.insert(0, str(ROOT / "corpus" / "src"))

import build as corpus
import environment


def main() -> int:
    check = sys.argv[1:] == ["--check"]
    differing = []
    for source in sorted(HERE.glob("*.typ")):
        if source.stem == "prose":
            continue
        pdf = corpus.compile_paper(source, root=HERE)
        target = source.with_suffix(".pdf")
        if not check:
            target.write_bytes(pdf)
        elif not target.exists() or target.read_bytes() != pdf:
            differing.append(target.name)
    if differing:
        print(f"differ from their sources: {', '.join(differing)}; run {pathlib.Path(__file__).name}", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    environment.ensure(__file__)
    sys.exit(main())
