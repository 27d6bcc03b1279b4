"""Writes questions about cells of tables, for `bench answers`.

    python3 tables.py PAPERS PARSED DIR NAME ...

PAPERS holds the papers NAME.pdf with their JATS files NAME.xml, which say what stands above and beside each cell. PARSED holds
NAME.json, what `pipeline parse NAME.pdf --format json` prints: a row that it does not show as one line is left out. DIR gets
the PDFs, and questions.jsonl: up to four cells of each table are asked for in words of the labels, of which some are
left out, with words of the caption or the title. For every third question there is one that nothing answers: its row is
one of another paper.
"""

import json
import pathlib
import random
import re
import shutil
import sys
import xml.etree.ElementTree as tree

SEED = 20240229
CELLS = 4
SMALL = set("the of a an and or in for to with by on at from between per as is are was were table all data values value "
            "mean sd se ci n no p study using based".split())


def text_of(node):
    return re.sub(r"\s+", " ", "".join(node.itertext())).strip()


def grid(rows):
    """The cells of table rows, those that span several places repeated."""
    out, held = [], {}
    for at, row in enumerate(rows):
        line, column = [], 0
        cells = iter([cell for cell in row if cell.tag.split("}")[-1] in ("td", "th")])
        while True:
            if (at, column) in held:
                line.append(held[at, column])
                column += 1
                continue
            cell = next(cells, None)
            if cell is None:
                break
            value = text_of(cell)
            wide, high = (int(cell.get(name) or 1) for name in ("colspan", "rowspan"))
            for right in range(wide):
                line.append(value)
                for down in range(1, high):
                    held[at + down, column + right] = value
            column += wide
        out.append(line)
    return out


def tables(path):
    root = tree.parse(path).getroot()
    title = text_of(next(root.iter("article-title")))
    for wrap in root.iter("table-wrap"):
        caption = " ".join(text_of(node) for node in wrap.iter("caption"))
        for table in wrap.iter("table"):
            head = grid([row for part in table.iter("thead") for row in part.iter("tr")])
            body = grid([row for part in table.iter("tbody") for row in part.iter("tr")])
            if head and body:
                yield title, caption, head, body


def words(text):
    return [word for word in re.findall(r"[^\W_][\w.%+-]*", re.sub(r"\([^)]*\)|\[[^\]]*\]", " ", text))]


def some(random_, text, share=0.8):
    kept = [word for word in words(text) if random_.random() < share]
    return " ".join(kept or words(text)[:1])


def plain(text):
    return re.sub(r"[^0-9a-z]", "", text.lower())


def questions(name, folder, parsed, random_):
    rows = [line for section in json.loads((parsed / f"{name}.json").read_text())["sections"]
            for line in section["text"].split("\n") if " | " in line]
    by_text = {plain(line): line for line in rows}
    for title, caption, head, body in tables(folder / f"{name}.xml"):
        width = max(map(len, head + body))
        columns = [" ".join(dict.fromkeys(row[at] for row in head if at < len(row))) for at in range(width)]
        group, cells = "", []
        for row in body:
            if len(set(row)) == 1 or not any(row[1:]):
                group = row[0]
                continue
            line = by_text.get(plain("".join(dict.fromkeys(row))) or "-") or by_text.get(plain("".join(row)))
            for at in range(1, len(row)):
                named = re.search(r"[^\W\d_]{3}", row[0]) and re.search(r"[^\W\d_]{2}", columns[at])
                if line and named and re.search(r"\d", row[at]):
                    cells.append((row[0], group, columns[at], line))
        for label, group, column, line in random_.sample(cells, min(CELLS, len(cells))):
            topic = [word for word in words(caption) + words(title) if word.lower() not in SMALL and len(word) > 3]
            topic = " ".join(random_.sample(topic, min(len(topic), random_.randint(0, 3))))
            yield name, label, group, column, topic, line


def asked(random_, label, group, column, topic):
    label, column, group = some(random_, label), some(random_, column), some(random_, group) if group else ""
    of = f" in {group}" if group and random_.random() < 0.7 else ""
    about = f" {random_.choice(['in', 'for', 'with', 'of'])} {topic}" if topic else ""
    return random_.choice([
        f"What was the {label} for {column}{of}{about}?",
        f"What was the {column} of {label}{of}{about}?",
        f"What is the {label} in the {column} group{of}{about}?",
        f"How high was {label}{of} with {column}{about}?",
        f"What {column} was found for {label}{of}{about}?",
        f"{column} {label}{of}{about}",
    ])


def main():
    if len(sys.argv) < 5 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__.strip())
    papers, parsed, out = map(pathlib.Path, sys.argv[1:4])
    random_ = random.Random(SEED)
    (out / "papers").mkdir(parents=True, exist_ok=True)
    all_ = []
    for name in sys.argv[4:]:
        shutil.copy(papers / f"{name}.pdf", out / "papers")
        all_ += list(questions(name, papers, parsed, random_))
    with open(out / "questions.jsonl", "w", encoding="utf-8") as file:
        def write(id_, query, name, quote):
            row = {"id": id_, "type": "direct", "query": query, "expected_no_evidence": quote is None}
            row["target_papers"] = [] if quote is None else [name.lower()]
            if quote is not None:
                row["gold_evidence"] = [{"source_id": name.lower(), "quote": quote}]
            file.write(json.dumps(row, ensure_ascii=False) + "\n")

        for at, (name, label, group, column, topic, line) in enumerate(all_):
            write(f"T{at}", asked(random_, label, group, column, topic), name, line.replace(" | ", " "))
            others = [other for other in all_ if other[0] != name]
            if at % 3 == 0 and others:
                write(f"N{at}", asked(random_, random_.choice(others)[1], group, column, topic), name, None)
    print(f"{len(all_)} questions about {len(sys.argv) - 4} papers in {out}")


if __name__ == "__main__":
    main()
