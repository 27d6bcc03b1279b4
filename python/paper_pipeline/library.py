"""The library: papers, and what can be asked of them."""

from __future__ import annotations

import json
import os
import threading
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from paper_pipeline.backends import Filters, Program, Server
from paper_pipeline.errors import PipelineError, PipelineWarning
from paper_pipeline.results import Answer, Evaluation, Hits, Ingested, Paper, PaperTable, Verified, decode

Papers = str | os.PathLike[str]


class Library:
    """Papers to ask.

    `Library("papers")` is a folder, or several, or single papers: the first call ingests what is new in them. The
    index is that of the command line: `./index`, unless `index` or the settings name another. All papers of the index
    are asked. `Library()` asks the index as it is. `Library(url=…, key=…)` asks a server, `pipeline serve`.

    `settings` are those of `--set`, as in `{"retrieve.mode": "bm25"}`. The environment of the program holds, too, such
    as `PIPELINE_CONFIG`. `timeout` is in seconds, for each call. Calls may come from several threads.
    """

    def __init__(
        self,
        papers: Papers | Iterable[Papers] = (),
        *,
        index: Papers | None = None,
        settings: Mapping[str, object] | None = None,
        program: str | None = None,
        url: str | None = None,
        key: str | None = None,
        timeout: float = 3600.0,
    ) -> None:
        several = [papers] if isinstance(papers, (str, os.PathLike)) else papers
        self.papers = [os.fspath(one) for one in several]
        self._fresh = threading.Lock()
        self._ingested = not self.papers
        self._backend: Program | Server
        if url is not None and (self.papers or index or settings or program):
            raise PipelineError("bad_address", "with a url, only key and timeout can be given", value=url)
        if url is not None:
            self._backend = Server(url, key, timeout)
            return
        options = [f"--index={os.fspath(index)}"] if index is not None else []
        for name, value in (settings or {}).items():
            options.append(f"--set={name}={value if isinstance(value, str) else json.dumps(value)}")
        self._backend = Program(program, options, timeout)

    def ask(
        self, question: str, *, mode: str | None = None, filters: Filters | None = None, include_context: bool = False
    ) -> Answer:
        """Answers a question with quotes; an answer with `no_evidence` is a refusal.

        `mode` is `hybrid`, `vector` or `bm25`. With `include_context`, the answer has the passages that it was made
        from, which `evaluate` needs.
        """
        self._ready()
        return decode(Answer, self._backend.ask(question, mode, filters or {}, include_context))

    def search(self, question: str, *, k: int = 10, mode: str | None = None, filters: Filters | None = None) -> Hits:
        """Finds passages, at most `k`, the best first."""
        self._ready()
        return decode(Hits, self._backend.search(question, mode, filters or {}, k))

    def table(self, columns: Mapping[str, str] | Iterable[str], *, sources: Iterable[str] = ()) -> PaperTable:
        """Asks each paper the same questions.

        A column is a question, or `Name: question`; of a mapping, the keys are the names. `sources` are the papers, by
        `source_id`; all unless given.
        """
        self._ready()
        named = (
            [f"{name}: {question}" for name, question in columns.items()] if isinstance(columns, Mapping) else columns
        )
        lines = [" ".join(line.split()) for line in named]
        return decode(PaperTable, self._backend.table(lines, list(sources)))

    def evaluate(self, rows: Iterable[Mapping[str, Any] | Answer], *, model: str | None = None) -> Evaluation:
        """Scores answers of any system: rows with the keys of Ragas or of another format of `pipeline score`.

        Rows may also be answers of `ask(…, include_context=True)`. `model` names the language model that judges; by
        default that of the settings does, or the offline judge.
        """
        documents = [row.document if isinstance(row, Answer) else row for row in rows]
        return decode(Evaluation, self._backend.evaluate(documents, model))

    def verify(self, answer: Answer | str, *, question: str = "", sources: Iterable[str] = ()) -> Verified:
        """Compares each sentence and each quote of a text with the papers, or with those of `sources`."""
        self._ready()
        text = answer.answer if isinstance(answer, Answer) else answer
        return decode(Verified, self._backend.verify(text, question, list(sources)))

    def sources(self) -> list[Paper]:
        """The papers of the index."""
        self._ready()
        return [decode(Paper, paper) for paper in self._backend.sources()["sources"]]

    def ingest(self) -> Ingested:
        """Adds what is new in the papers of this library to the index, and says what was done with each file."""
        done = decode(Ingested, self._backend.ingest(self.papers))
        self._ingested = True
        for note in done.failed:
            warnings.warn(f"{note['path']} was not read: {note['reason']}", PipelineWarning, stacklevel=2)
        return done

    def _ready(self) -> None:
        with self._fresh:
            if not self._ingested:
                self.ingest()
