"""Writes windows of sentences with questions as articles.jsonl and qa.jsonl, for `bench answers`.

    python3 windows.py relevance.jsonl.gz DIR SOURCE[=QUESTIONS] ...

Each line of the input has the question `q`, the sentences `s` of a window, a label for each in `l` (1: answers), whether the
window answers `a`, and the source `src`. For each source, a seeded sample of its questions is written, at most one about a
window; those without an answer are marked as impossible. The windows of all sampled questions become articles, so each
question is searched in all of them.
"""

import gzip
import json
import pathlib
import random
import sys

SEED = 20240229


def main():
    if len(sys.argv) < 4 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__.strip())
    source, folder = map(pathlib.Path, sys.argv[1:3])
    wanted = dict(argument.split("=") if "=" in argument else (argument, 10**9) for argument in sys.argv[3:])
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["src"] in wanted]
    random.Random(SEED).shuffle(rows)
    articles, questions, count = {}, [], {}
    for row in rows:
        name, window = row["src"], tuple(row["s"])
        if count.get(name, 0) >= int(wanted[name]) or (name, window) in count:
            continue
        if row["a"] == 1 and 1 not in row["l"]:
            continue  # The window answers, but nobody said where.
        count[name] = count.get(name, 0) + 1
        count[name, window] = 1
        article = articles.setdefault(window, f"{name}{len(articles)}")
        answers, start = [], 0
        for sentence, label in zip(row["s"], row["l"]):
            if label == 1:
                answers.append({"text": sentence, "answer_start": start})
            start += len(sentence) + 1
        questions.append({
            "id": f"{name}-{count[name]}", "doc_id": article, "question": row["q"], "answers": answers,
            "is_impossible": not answers,
        })
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "articles.jsonl", "w", encoding="utf-8") as out:
        for window, article in articles.items():
            out.write(json.dumps({"_id": article, "title": "", "text": " ".join(window), "metadata": {}}) + "\n")
    with open(folder / "qa.jsonl", "w", encoding="utf-8") as out:
        for question in questions:
            out.write(json.dumps(question) + "\n")
    print(f"{len(articles)} articles, {len(questions)} questions in {folder}")


if __name__ == "__main__":
    main()
