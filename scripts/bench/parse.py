"""Reads PDFs: parse.py pymupdf|pypdfium2 PROCESSES, paths as a JSON list on standard input. Units: pages."""

import json
import multiprocessing
import sys

from peer import Clock, report


def pymupdf(path):
    import pymupdf

    flags = pymupdf.TEXTFLAGS_DICT & ~pymupdf.TEXT_PRESERVE_IMAGES
    with pymupdf.open(path) as document:
        for page in document:
            page.get_text("dict", flags=flags)
        return document.page_count


def pypdfium2(path):
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    for page in document:
        page.get_textpage().get_text_range()
    return len(document)


def warm(name):
    """Imports in each process before the clock runs."""
    __import__(name)


def main():
    name, processes = sys.argv[1], int(sys.argv[2])
    read = {"pymupdf": pymupdf, "pypdfium2": pypdfium2}[name]
    paths = json.load(sys.stdin)
    warm(name)
    if processes == 1:
        with Clock() as clock:
            pages = sum(map(read, paths))
    else:
        # The processes end inside the clock: only then are their processor seconds known.
        pool = multiprocessing.get_context("fork").Pool(processes, initializer=warm, initargs=(name,))
        with Clock() as clock:
            pages = sum(pool.imap_unordered(read, paths, chunksize=1))
            pool.close()
            pool.join()
    report(clock, pages, [name])


if __name__ == "__main__":
    main()
