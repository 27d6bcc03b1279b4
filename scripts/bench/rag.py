"""A small RAG in Python with LangChain, whose answers `pipeline score` scores.

rag.py FOLDER QUERIES.jsonl MODEL_DIR [--url http://127.0.0.1:8080/v1 --model NAME] > rows.jsonl

Pages are cut into pieces of 1,000 characters with 200 in common, the four nearest to the question are the passages, and a chat
model answers from them with [file.pdf:page]. Without --url, the answer is the three sentences of the passages that are nearest to
the question. MODEL_DIR holds model.onnx and tokenizer.json of all-MiniLM-L6-v2, as scripts/setup.sh puts them in .natives.
Rows have the keys of Ragas, and `retrieved_context_ids`. Set-up: pip install -r requirements-rag.txt
"""

import argparse
import json
import pathlib
import re
import sys

import numpy
import onnxruntime
import pypdfium2
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter
from tokenizers import Tokenizer

PROMPT = """Answer the question from the passages below, in at most three sentences. After each sentence, cite the passage as \
[file.pdf:page]. If the passages do not answer the question, reply exactly: The passages do not answer the question.

{passages}

Question: {question}
Answer:"""


class MiniLm(Embeddings):
    """Mean of the token vectors, of length 1."""

    def __init__(self, folder):
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(256)
        self.tokenizer.no_padding()
        self.session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
        self.names = [given.name for given in self.session.get_inputs()]

    def embed_query(self, text):
        ids = numpy.array([self.tokenizer.encode(text).ids], dtype=numpy.int64)
        given = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
        tokens = self.session.run(None, {name: given[name] for name in self.names})[0][0]
        vector = tokens.mean(axis=0)
        return (vector / numpy.linalg.norm(vector)).tolist()

    def embed_documents(self, texts):
        return [self.embed_query(text) for text in texts]


def pages(folder):
    """Every page with text, with its file and number."""
    for path in sorted(folder.rglob("*.pdf")):
        with pypdfium2.PdfDocument(path) as pdf:
            for at in range(len(pdf)):
                text = pdf[at].get_textpage().get_text_range().strip()
                if text:
                    yield Document(text, metadata={"file": path.name, "page": at + 1})


def nearest_sentences(model, question, found):
    """The three sentences of the passages that are nearest to the question, each with its page."""
    vector = numpy.array(model.embed_query(question))
    sentences = [
        (sentence.strip(), document)
        for document in found
        for sentence in re.split(r"(?<=[.!?])\s+", document.page_content.replace("\n", " "))
        if len(sentence) > 30
    ]
    sentences.sort(key=lambda pair: -float(vector @ numpy.array(model.embed_query(pair[0]))))
    return " ".join(f"{text} [{d.metadata['file']}:{d.metadata['page']}]" for text, d in sentences[:3])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("queries", type=pathlib.Path)
    parser.add_argument("embedding", type=pathlib.Path)
    parser.add_argument("--url")
    parser.add_argument("--model", default="local")
    args = parser.parse_args()

    model = MiniLm(args.embedding)
    splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200)
    store = InMemoryVectorStore(model)
    store.add_documents(splitter.split_documents(list(pages(args.folder))))
    chat = None
    if args.url:
        from langchain_openai import ChatOpenAI

        chat = ChatOpenAI(base_url=args.url, model=args.model, api_key="none", temperature=0, max_tokens=300, timeout=600)

    for line in args.queries.read_text(encoding="utf-8").splitlines():
        if not line.strip():
            continue
        query = json.loads(line)
        found = store.similarity_search(query["query"], k=4)
        if chat:
            passages = "\n\n".join(f"[{d.metadata['file']}:{d.metadata['page']}]\n{d.page_content}" for d in found)
            answer = chat.invoke(PROMPT.format(passages=passages, question=query["query"])).content
        else:
            answer = nearest_sentences(model, query["query"], found)
        row = {
            "id": query["id"],
            "user_input": query["query"],
            "response": answer,
            "retrieved_contexts": [
                {"text": d.page_content, "doc_id": d.metadata["file"], "page": d.metadata["page"]} for d in found
            ],
            "reference": query.get("reference_answer"),
        }
        print(json.dumps(row, ensure_ascii=False))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
