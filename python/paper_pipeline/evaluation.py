"""Evaluation by the names of other systems: LitPath, the five-dimension judge, and rows for Ragas."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paper_pipeline.errors import PipelineError
from paper_pipeline.library import Library
from paper_pipeline.results import Answer, Evaluation, Record

Passages = Sequence[str | Mapping[str, Any]]
"""Texts, or objects with `text` and, if known, `doc_id`, `page` and `chunk_id`."""

System = Callable[[str], tuple[str, Passages]]
"""A function that answers a question: the answer, and the passages that it was written from."""


class RAGEvaluator:
    """Scores answers with the judge of the settings: a language model, or the offline judge.

    `model` names another judge: a section `[llm.NAME]` of the settings, or a model of the provider of `[llm]`. Keys and
    addresses are in the settings and the environment.
    """

    def __init__(self, model: str | None = None, *, library: Library | None = None) -> None:
        self._library, self._model = library or Library(), model

    def evaluate_rows(self, rows: Iterable[Record]) -> Evaluation:
        """Scores rows of any format that `pipeline score` reads."""
        return self._library.evaluate(rows, model=self._model)

    def _one(self, query: str, response: str, docs: Passages, reference: str | None) -> Record:
        evaluation = self.evaluate_rows([_row(query, response, docs, reference)])
        return next(iter(evaluation.results.values())).document


def quick_evaluate(query: str, response: str, retrieved_docs: Passages) -> Record:
    """Scores one answer: `relevance`, `groundedness` and `retrieval_relevance`, and `overall_pass`.

    Each has `score` (None if it could not be judged) and `explanation`.
    """
    document = RAGEvaluator()._one(query, response, retrieved_docs, None)
    return {key: document[key] for key in ("relevance", "groundedness", "retrieval_relevance", "overall_pass")}


def _row(query: str, response: str, docs: Passages, reference: str | None) -> Record:
    row = {"query": query, "response": response, "retrieved_docs": list(docs)}
    return row if reference is None else row | {"reference_answer": reference}


@dataclass
class EvaluationDataset:
    """Questions with their right answers."""

    name: str
    examples: list[tuple[str, str | None]] = field(default_factory=list)

    def add_example(self, question: str, reference_answer: str | None = None) -> None:
        """Adds a question. Without a right answer, its correctness is not scored."""
        self.examples.append((question, reference_answer))


class EvaluationRunner:
    """Asks a system the questions of a dataset and scores its answers."""

    def __init__(self, evaluator: RAGEvaluator) -> None:
        self._evaluator = evaluator

    def run(self, rag_function: System, dataset: EvaluationDataset, experiment_name: str) -> Record:
        """Asks `rag_function` the questions of the dataset.

        Returns the document of `pipeline score`, where `metrics` has `relevance_pass_rate`, `groundedness_pass_rate`
        and the others, with `experiment_name` and `dataset_name`. An exception of the function ends the run.
        """
        if not dataset.examples:
            message = f"the dataset {dataset.name!r} has no example"
            raise PipelineError("no_example", message, "add one with add_example")
        rows = [_row(question, *rag_function(question), reference) for question, reference in dataset.examples]
        names = {"experiment_name": experiment_name, "dataset_name": dataset.name}
        return names | self._evaluator.evaluate_rows(rows).document


class LLMEvaluator(RAGEvaluator):
    """The five-dimension judge. In place of its client, it takes the name of a language model of the settings."""

    def evaluate_faithfulness(self, query: str, answer: str, chunks: Passages) -> Record:
        """Whether the chunks support each claim: `score` from 0 to 1, `reasoning`, `unsupported_claims`.

        A language model is asked for all dimensions.
        """
        return dict(self._one(query, answer, chunks, None)["evaluations"]["faithfulness"])

    def evaluate_comprehensive(
        self, query: str, answer: str, chunks: Passages, ground_truth: str | None = None
    ) -> Record:
        """All five dimensions in `evaluations`, with `overall_score` and `weights_used`.

        A score is None where the row lacks what it needs (`n_a` says what) or the judge failed (`error`).
        """
        document = self._one(query, answer, chunks, ground_truth)
        return {key: document[key] for key in ("evaluations", "overall_score", "weights_used")}


def to_ragas(
    answers: Iterable[Answer], references: Mapping[str, str] | None = None, path: str | os.PathLike[str] | None = None
) -> list[Record]:
    """Answers as rows for Ragas, `ragas.EvaluationDataset.from_list(rows)`; `path` gets them as JSON lines.

    `references` has right answers by question. Raises PipelineError `no_context` for an answer that was asked without
    `include_context=True`.
    """
    rows = []
    for answer in answers:
        if answer.context is None:
            hint = "ask with include_context=True"
            raise PipelineError("no_context", f"the answer to {answer.query!r} has no passages", hint)
        row: Record = {
            "user_input": answer.query,
            "response": answer.text,
            "retrieved_contexts": [passage.text for passage in answer.context],
            "retrieved_context_ids": [passage.chunk_id for passage in answer.context],
        }
        if references and answer.query in references:
            row["reference"] = references[answer.query]
        rows.append(row)
    if path is not None:
        Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return rows
