#!/usr/bin/env python3
"""Build the sample papers: corpus/src/papers/*.typ -> corpus/*.pdf.

    python3 corpus/src/build.py            build all papers
    python3 corpus/src/build.py NAME ...   build some
    python3 corpus/src/build.py --check    rebuild in memory; fail unless each committed PDF is the same byte for byte

The output depends on the sources and on the pinned typst release alone: fonts are those inside the typst
wheel, dates are fixed, and nothing is read from the network or the system. Where the pinned release is
not installed, environment.py makes a private environment under target/.
"""

from __future__ import annotations

import argparse
import datetime
import pathlib
import sys

import environment

SRC = pathlib.Path(__file__).resolve().parent
CORPUS = SRC.parent
# Stands in for the build time that a PDF records; any fixed value would do.
EPOCH = datetime.datetime(2025, 1, 1, tzinfo=datetime.timezone.utc)


def compile_paper(source: pathlib.Path, root: pathlib.Path = SRC) -> bytes:
    """One paper as PDF bytes; it may import files below `root`. Untagged, as most published papers are."""
    import typst

    fonts = typst.Fonts(include_system_fonts=False, include_embedded_fonts=True)
    compiler = typst.Compiler(source, root=root, font_paths=fonts)
    pdf, warnings = compiler.compile_with_warnings(format="pdf", timestamp=EPOCH, pdf_tags=False)
    for warning in warnings:
        print(f"warning: {source.name}: {warning.message}", file=sys.stderr)
    return pdf


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the sample papers.")
    parser.add_argument("names", nargs="*", help="file stems; all papers when left out")
    parser.add_argument("--check", action="store_true", help="compare with the committed PDFs, write nothing")
    args = parser.parse_args()
    sources = sorted((SRC / "papers").glob("*.typ"))
    if args.names:
        unknown = set(args.names) - {s.stem for s in sources}
        if unknown:
            print(f"error: no such paper: {', '.join(sorted(unknown))}", file=sys.stderr)
            return 2
        sources = [s for s in sources if s.stem in args.names]
    differing = []
    for source in sources:
        pdf = compile_paper(source)
        target = CORPUS / f"{source.stem}.pdf"
        if not args.check:
            target.write_bytes(pdf)
        elif not target.exists() or target.read_bytes() != pdf:
            differing.append(target.name)
    if args.check and not args.names:
        strays = {p.stem for p in CORPUS.glob("*.pdf")} - {s.stem for s in sources}
        differing += sorted(f"{stem}.pdf (no source)" for stem in strays)
    for name in differing:
        print(f"differs: {name}", file=sys.stderr)
    if not differing:
        print(f"{len(sources)} papers {'unchanged' if args.check else 'built'}")
    return 1 if differing else 0


if __name__ == "__main__":
    environment.ensure(__file__)
    raise SystemExit(main())
