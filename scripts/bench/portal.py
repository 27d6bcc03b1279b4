#!/usr/bin/env python3
"""Measures the web pages of a running server: how exactly marks cover quotes, and how long a reader waits.

    scripts/bench/portal.py SERVER PAPERS QUESTIONS [--quotes 50] [--times 20]

SERVER is its address, PAPERS the folder that it has indexed, QUESTIONS a query set (one JSON object with `query` in each line). Each
quoted sentence of the answers is looked up on its page, and compared with the boxes of characters that pypdfium2 gives. Needs pypdfium2.
"""

import argparse
import collections
import http.client
import json
import statistics
import time
import unicodedata
from pathlib import Path
from urllib.parse import quote, urlsplit

import pypdfium2

# So many quotes of one paper count at most.
PER_PAPER = 3

ARGUMENTS = argparse.ArgumentParser(description=__doc__.split("\n")[0])
ARGUMENTS.add_argument("server")
ARGUMENTS.add_argument("papers", type=Path)
ARGUMENTS.add_argument("questions", type=Path)
ARGUMENTS.add_argument("--quotes", type=int, default=50)
ARGUMENTS.add_argument("--times", type=int, default=20)


def fetch(server, path, body=None, accept="application/json"):
    connection = http.client.HTTPConnection(urlsplit(server).netloc, timeout=300)
    headers = {"Accept": accept, "Content-Type": "application/json"}
    connection.request("POST" if body else "GET", path, body and json.dumps(body), headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content


def letters(text):
    """The letters and digits of a text without accents, and of which of its characters each is."""
    found = [(plain, at) for at, ch in enumerate(text) for plain in unicodedata.normalize("NFKD", ch).lower() if plain.isalnum()]
    return "".join(ch for ch, _ in found), [at for _, at in found]


def characters(page):
    """The letters of a page with their boxes: left, top, right, bottom in points from the upper left corner of the page as it is shown."""
    left, bottom, right, top = page.get_cropbox()
    text = page.get_textpage()
    boxes = []
    for at in range(text.count_chars()):
        x0, y0, x1, y1 = text.get_charbox(at, loose=True)
        corners = {0: (x0 - left, top - y1, x1 - left, top - y0), 90: (y0 - bottom, x0 - left, y1 - bottom, x1 - left),
                   180: (right - x1, y0 - bottom, right - x0, y1 - bottom), 270: (top - y1, right - x1, top - y0, right - x0)}
        boxes.append(corners[page.get_rotation()])
    found = [(letters(text.get_text_range(at, 1))[0], box) for at, box in enumerate(boxes)]
    return [(ch, box) for letter, box in found for ch in letter]


def place(page, wanted, near):
    """The boxes of the quote on a page, in pieces where other text or a letter without a meaning stands between: those nearest to the marks."""
    text = "".join(ch for ch, _ in page)
    best, at, end = [], 0, None
    while at < len(wanted):
        # The longest beginning of the rest that stands on the page.
        low, high = 0, len(wanted) - at
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if wanted[at : at + middle] in text else (low, middle - 1)
        starts = [] if low < min(12, len(wanted)) else [i for i in range(len(text)) if text.startswith(wanted[at : at + low], i)]
        if not starts and end is not None:
            # A short piece goes on where the one before ended.
            low = min(3, len(wanted) - at)
            starts = [i for i in range(end, end + 4) if text.startswith(wanted[at : at + low], i)][:1]
        if starts:
            score = lambda start: sum(covered(box, near) for _, box in page[start : start + low])
            start = max(starts, key=score)
            best += [box for _, box in page[start : start + low]]
            end = start + low
        at += low if starts else 1
    return best


def covered(box, areas):
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(a["x"] <= x <= a["x"] + a["width"] and a["y"] <= y <= a["y"] + a["height"] for a in areas)


def outside(boxes, areas):
    """The share of the marks, by a grid of half points, that is in no line of the quote: a line reaches from its first to its last letter."""
    lines = []
    for box in sorted(boxes, key=lambda box: box[1]):
        middle = (box[1] + box[3]) / 2
        for line in lines:
            if line[1] <= middle <= line[3] and box[0] - 40 <= line[2] and line[0] - 40 <= box[2]:
                line[:] = [min(line[0], box[0]), min(line[1], box[1]), max(line[2], box[2]), max(line[3], box[3])]
                break
        else:
            lines.append(list(box))
    marked = beyond = 0
    for area in areas:
        for i in range(int(area["width"] * 2)):
            for j in range(int(area["height"] * 2)):
                x, y = area["x"] + i / 2 + 0.25, area["y"] + j / 2 + 0.25
                marked += 1
                # A sentence ends with a stop or a bracket, which is no letter.
                beyond += not any(l[0] - 4 <= x <= l[2] + 6 and l[1] - 1 <= y <= l[3] + 1 for l in lines)
    return beyond / marked if marked else 0.0


def marks(options):
    questions = [json.loads(line)["query"] for line in options.questions.read_text().splitlines() if line.strip()]
    seen, rows, unplaced, of_paper = set(), [], 0, collections.Counter()
    for question in questions:
        if len(rows) >= options.quotes:
            break
        status, content = fetch(options.server, "/v1/ask", {"query": question})
        for cited in json.loads(content).get("citations", []) if status == 200 else []:
            file = next(options.papers.glob(f"{cited['source_id']}.pdf"), None)
            text = cited["relevant_quote"]
            if len(rows) >= options.quotes or not file or text in seen or not cited.get("page_start") or of_paper[file] >= PER_PAPER:
                continue
            seen.add(text)
            of_paper[file] += 1
            first = cited.get("page") or cited["page_start"]
            wanted = letters(text)[0]
            pdf = pypdfium2.PdfDocument(file)
            boxes, hit, beyond, area = [], 0, [], 0
            for number in range(first, first + 3):
                if number > len(pdf):
                    continue
                path = f"/v1/papers/{quote(cited['source_id'])}/pages/{number}?quote={quote(text)}"
                status, content = fetch(options.server, path)
                areas = json.loads(content)["quote"] if status == 200 else []
                if number == first or areas:
                    # The cells of a row of a table stand apart.
                    letters_of = characters(pdf[number - 1])
                    own = [box for cell in text.split(" | ") for box in place(letters_of, letters(cell)[0], areas)]
                    boxes += own
                    hit += sum(covered(box, areas) for box in own)
                    if areas:
                        size = sum(a["width"] * a["height"] for a in areas)
                        beyond.append((outside(own, areas), size))
                        area += size
            if not boxes:
                unplaced += 1
                print(f"not found by pypdfium2: {cited['source_id']} p. {first}: {text[:80]}")
                continue
            share = min(1.0, hit / len(wanted))
            off = sum(part * size for part, size in beyond) / area if area else 1.0
            rows.append((share, off))
            if share < 0.98 or off > 0.1:
                print(f"{share:.3f} covered, {off:.3f} outside: {cited['source_id']} p. {first}: {text[:100]!r}")
    good = sum(share >= 0.98 and off <= 0.1 for share, off in rows)
    print(f"marks: {good} of {len(rows)} quotes of {len(of_paper)} papers with >= .98 of their characters covered and <= .1 of the mark outside; "
          f"smallest {min(s for s, _ in rows):.3f}, largest outside {max(o for _, o in rows):.3f}; {unplaced} more not found by pypdfium2")


def pictures(options):
    _, content = fetch(options.server, "/v1/papers")
    papers = [source["source_id"] for source in json.loads(content)["sources"] if (options.papers / f"{source['source_id']}.pdf").exists()]
    times = {"cold": [], "warm": []}
    for kind in times:
        for at in range(options.times):
            started = time.perf_counter()
            status, _ = fetch(options.server, f"/paper/{quote(papers[at % len(papers)])}/page/{1 + at // len(papers)}/image")
            assert status == 200, status
            times[kind].append(1000 * (time.perf_counter() - started))
    print("picture of a page: " + ", ".join(f"{kind} {statistics.median(own):.0f} ms" for kind, own in times.items()) + f" (medians of {options.times})")


def first_sentence(options):
    """From the end of the search to the first text of the answer, by the events of /v1/ask."""
    questions = [json.loads(line)["query"] for line in options.questions.read_text().splitlines()[: options.times]]
    waits, whole = [], []
    for question in questions:
        connection = http.client.HTTPConnection(urlsplit(options.server).netloc, timeout=300)
        body = json.dumps({"query": question + " "})
        started = time.perf_counter()
        connection.request("POST", "/v1/ask", body, {"Accept": "text/event-stream", "Content-Type": "application/json"})
        stream, name, searched = connection.getresponse(), "", None
        for line in stream:
            line = line.decode().strip()
            if line.startswith("event:"):
                name = line[6:].strip()
            elif line.startswith("data:"):
                now = time.perf_counter()
                if name == "stage" and json.loads(line[5:]).get("stage") == "retrieve":
                    searched = now
                if name in ("draft", "answer") and searched:
                    waits.append(1000 * (now - searched))
                    whole.append(1000 * (now - started))
                    break
        connection.close()
    print(f"first text of an answer: {statistics.median(waits):.0f} ms after the search, {statistics.median(whole):.0f} ms after the question (medians of {len(waits)})")


if __name__ == "__main__":
    options = ARGUMENTS.parse_args()
    pictures(options)
    first_sentence(options)
    marks(options)
