#!/usr/bin/env python3
"""Writes ClapNQ as articles.jsonl and qa.jsonl, for `bench answers --own-paper`.

    scripts/clapnq_articles.py clapnq.jsonl [MORE.jsonl ...] DIR

Each line of the input has `id`, the question (`input` or `question`), `passages` with `title` and `text`, and the answers
(`output` or `answers`) with `selected_sentences`. The first passage becomes the article, its selected sentences become
the answers; a question without them is marked as impossible.
"""

import json
import pathlib
import sys


def main():
    if len(sys.argv) < 3 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__.strip())
    *inputs, folder = map(pathlib.Path, sys.argv[1:])
    articles, questions, unplaced = {}, [], 0
    for path in inputs:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                passage = row["passages"][0]
                text, title = passage["text"], passage.get("title", "")
                question = row["input"] if "input" in row else row["question"]
                given = row["output"] if "output" in row else row["answers"]
                identifier = row["id"]
            except (json.JSONDecodeError, KeyError, IndexError, TypeError) as error:
                sys.exit(f"clapnq_articles: {path}, line {number} is no row of ClapNQ: {error!r}")
            article, _ = articles.setdefault(text, (f"passage{len(articles)}", title))
            answers = []
            for sentence in (given[0] if given else {}).get("selected_sentences", []):
                start = text.find(sentence.strip())
                if start < 0:
                    unplaced += 1
                else:
                    answers.append({"text": sentence.strip(), "answer_start": start})
            questions.append({
                "id": identifier, "doc_id": article, "question": question, "answers": answers,
                "is_impossible": not answers,
            })
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "articles.jsonl", "w", encoding="utf-8") as out:
        for text, (article, title) in articles.items():
            out.write(json.dumps({"_id": article, "title": title, "text": text, "metadata": {}}) + "\n")
    with open(folder / "qa.jsonl", "w", encoding="utf-8") as out:
        for question in questions:
            out.write(json.dumps(question) + "\n")
    print(f"{len(articles)} articles, {len(questions)} questions in {folder}; "
          f"{unplaced} selected sentences are not in their passage and were left out")


if __name__ == "__main__":
    main()
