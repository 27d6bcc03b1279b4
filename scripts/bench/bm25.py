"""Searches a BEIR folder by BM25: bm25.py PEER FOLDER K ROUNDS. One thread.

Prints questions a second, the median over rounds: one at a time, from text to ids of documents; and as one batch.
"""

import importlib.metadata
import json
import os
import re
import statistics
import sys
import time

for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"


def words(text):
    return re.findall(r"(?u)\b\w\w+\b", text.lower())


def bm25s_numba(texts, k):
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    retriever = bm25s.BM25(backend="numba")
    retriever.index(bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)

    def batch(questions):
        tokens = bm25s.tokenize(questions, stopwords="en", stemmer=stemmer, show_progress=False)
        # It refuses a question of nothing but stop words.
        if tokens.vocab:
            retriever.retrieve(tokens, k=k, n_threads=1, show_progress=False)

    return (lambda question: batch([question])), batch, ["bm25s", "numba"]


def rank_bm25(texts, k):
    import numpy
    import rank_bm25

    index = rank_bm25.BM25Okapi([words(text) for text in texts])

    def one(question):
        scores = index.get_scores(words(question))
        best = numpy.argpartition(scores, -k)[-k:]
        return best[numpy.argsort(-scores[best])]

    return one, None, ["rank-bm25", "numpy"]


def tantivy_py(texts, k):
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=False, tokenizer_name="en_stem")
    builder.add_integer_field("id", stored=False, fast=True)
    index = tantivy.Index(builder.build())
    writer = index.writer(num_threads=1)
    for number, text in enumerate(texts):
        writer.add_document(tantivy.Document(text=text, id=number))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def one(question):
        query = index.parse_query(" ".join(words(question)) or "nothing", ["text"])
        return searcher.search(query, k, count=False).hits

    return one, None, ["tantivy"]


def pyserini(texts, k):
    import tempfile

    from pyserini.index.lucene import LuceneIndexer
    from pyserini.search.lucene import LuceneSearcher

    folder = tempfile.mkdtemp()
    indexer = LuceneIndexer(folder, threads=1)
    indexer.add_batch_dict([{"id": str(number), "contents": text} for number, text in enumerate(texts)])
    indexer.close()
    searcher = LuceneSearcher(folder)

    def batch(questions):
        searcher.batch_search(questions, [str(n) for n in range(len(questions))], k=k, threads=1)

    return (lambda question: searcher.search(question, k=k)), batch, ["pyserini"]


def main():
    peer, folder, k, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    with open(os.path.join(folder, "corpus.jsonl"), encoding="utf-8") as file:
        documents = [json.loads(line) for line in file]
    with open(os.path.join(folder, "queries.jsonl"), encoding="utf-8") as file:
        questions = [json.loads(line)["text"] for line in file]
    texts = [f"{document.get('title', '')} {document['text']}" for document in documents]
    one, batch, packages = {
        "bm25s": bm25s_numba,
        "rank_bm25": rank_bm25,
        "tantivy": tantivy_py,
        "pyserini": pyserini,
    }[peer](texts, k)
    if peer == "rank_bm25":
        questions = questions[:300]
    # Compilers run at the first question.
    for question in questions[:20]:
        one(question)
    if batch:
        batch(questions[:20])
    singles, batches = [], []
    for _ in range(rounds):
        started = time.perf_counter()
        for question in questions:
            one(question)
        singles.append(len(questions) / (time.perf_counter() - started))
        if batch:
            started = time.perf_counter()
            batch(questions)
            batches.append(len(questions) / (time.perf_counter() - started))
    print(
        json.dumps(
            {
                "one": statistics.median(singles),
                "batch": statistics.median(batches) if batches else None,
                "versions": {name: importlib.metadata.version(name) for name in packages},
            }
        )
    )


if __name__ == "__main__":
    main()
