"""What the calls return: the documents of `pipeline … --format json`, as dataclasses.

Each has names of its JSON Schema (`pipeline schema ask`, for example). `document` is the whole document, with the keys
that no dataclass has.
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from textwrap import shorten
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from paper_pipeline.errors import OTHER_VERSION, PipelineError

T = TypeVar("T")
Record = dict[str, Any]


def decode(kind: type[T], document: object) -> T:
    """Makes a dataclass of a document.

    Raises PipelineError `unreadable` if it is no such document.
    """
    try:
        return _value(kind, document)  # type: ignore[no-any-return]
    except (TypeError, AttributeError) as error:
        raise PipelineError("unreadable", f"this is no {kind.__name__}: {error}", OTHER_VERSION) from error


def _value(hint: Any, value: Any) -> Any:
    if value is None:
        return None
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (types.UnionType, Union):
        return _value(next(one for one in inner if one is not type(None)), value)
    if origin is list:
        return [_value(inner[0], one) for one in value]
    if origin is dict:
        return {key: _value(inner[1], one) for key, one in value.items()}
    if not hasattr(hint, "__dataclass_fields__"):
        return value
    hints = get_type_hints(hint)
    known = {name: _value(kind, value[name]) for name, kind in hints.items() if name in value}
    return hint(**known | ({"document": value} if "document" in hints else {}))


def _text(value: object) -> str:
    if isinstance(value, list):
        return "; ".join(map(_text, value))
    number = f"{value:.3f}" if isinstance(value, float) else None
    return number or ("" if value is None else shorten(str(value), 500, placeholder=" …"))


@dataclass(frozen=True, kw_only=True)
class Tabular:
    """A document that is rows: in a notebook a table, elsewhere text, a list or a data frame."""

    document: Record = field(default_factory=dict, repr=False, compare=False)

    def records(self) -> list[Record]:
        """The rows, each with the same keys."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame. Needs pandas."""
        return importlib.import_module("pandas").DataFrame.from_records(self.records())

    def _shown(self) -> list[Record]:
        """The rows that people read."""
        return self.records()

    def __repr__(self) -> str:
        lines = []
        for first, *rest in (list(row.items()) for row in self._shown()):
            lines += [_text(first[1]), *(f"  {key}: {_text(value)}" for key, value in rest)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = self._shown()
        head = "".join(f"<th>{escape(str(key))}</th>" for key in (rows[0] if rows else ()))
        cells = ("".join(f"<td>{escape(_text(value))}</td>" for value in row.values()) for row in rows)
        return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


@dataclass(frozen=True, kw_only=True)
class Work:
    """What is known of a paper."""

    source_id: str = ""
    title: str | None = None
    authors: list[str] = field(default_factory=list)
    year: int | None = None
    doi: str | None = None
    path: str | None = None
    fictional: bool = False

    def cited_as(self) -> str:
        """`Ada Crell et al. (2021). Title`, as far as it is known, or the `source_id`."""
        who = self.authors[0] + (" et al." if len(self.authors) > 1 else "") if self.authors else ""
        lead = f"{who} ({self.year})" if self.year else who
        return ". ".join(part for part in (lead.strip(), self.title) if part) or self.source_id


@dataclass(frozen=True, kw_only=True)
class Paper(Work):
    """A paper of the index."""

    venue: str | None = None
    tags: list[str] = field(default_factory=list)
    chunks: int


@dataclass(frozen=True, kw_only=True)
class Citation(Work):
    """A verbatim quote that an answer rests on."""

    chunk_id: str
    relevant_quote: str
    section: str | None = None
    page: int | None = None

    def place(self) -> str:
        """`results, p. 2`, as far as it is known."""
        return ", ".join(part for part in (self.section, f"p. {self.page}" if self.page else None) if part)


@dataclass(frozen=True, kw_only=True)
class Passage(Work):
    """A passage of a paper."""

    chunk_id: str
    section: str
    page_start: int
    page_end: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Why the papers do not answer."""

    reason: str
    detail: str


@dataclass(frozen=True, kw_only=True, repr=False)
class Answer(Tabular):
    """What `pipeline ask` prints. Its rows are its quotes."""

    query: str
    answer: str
    citations: list[Citation]
    confidence: str
    probability: float | None = None
    no_evidence: bool
    refusal: Refusal | None = None
    caveats: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    context: list[Passage] | None = None

    @property
    def text(self) -> str:
        """The answer with the number of the paper, `[1]`, for each mark `(source_id, chunk_id)`."""
        text, numbers = self.answer, {paper: number for number, paper in enumerate(self.by_paper(), 1)}
        for citation in self.citations:
            mark = f"({citation.source_id}, {citation.chunk_id})"
            text = text.replace(mark, f"[{numbers[citation.source_id]}]")
        return text

    def by_paper(self) -> dict[str, list[Citation]]:
        """The citations by `source_id`, in the order of the answer."""
        papers: dict[str, list[Citation]] = {}
        for citation in self.citations:
            papers.setdefault(citation.source_id, []).append(citation)
        return papers

    def records(self) -> list[Record]:
        """The quotes."""
        keys = ("source_id", "section", "page", "relevant_quote", "title", "year", "doi")
        return [{key: getattr(one, key) for key in keys} for one in self.citations]

    def _below(self) -> str:
        return " ".join([] if self.no_evidence else [f"Confidence: {self.confidence}.", *self.caveats])

    def __repr__(self) -> str:
        lines = [self.text]
        for number, quotes in enumerate(self.by_paper().values(), 1):
            lines += ["", f"[{number}] {quotes[0].cited_as()}"]
            lines += [f"    {quote.place()}: “{quote.relevant_quote}”" for quote in quotes]
        return "\n".join([*lines, "", self._below()]).strip()

    def _repr_html_(self) -> str:
        parts = [f"<p>{escape(part)}</p>" for part in self.text.split("\n\n")] + ["<ol>"]
        for quotes in self.by_paper().values():
            parts.append(f"<li>{escape(quotes[0].cited_as())}")
            parts += [f"<br>{escape(quote.place())}: <q>{escape(quote.relevant_quote)}</q>" for quote in quotes]
        return "".join([*parts, f"</ol><p><small>{escape(self._below())}</small></p>"])


@dataclass(frozen=True, kw_only=True)
class Hit(Passage):
    """A passage that a search found."""

    vector_score: float
    bm25_score: float
    combined_score: float

    def metadata(self) -> Record:
        """What a retriever says of it: all but the text; `page` is the first page, `score` the combined score."""
        known = {key: value for key, value in vars(self).items() if key != "text" and value is not None}
        return known | {"page": self.page_start, "score": self.combined_score}


@dataclass(frozen=True, kw_only=True, repr=False)
class Hits(Tabular):
    """What `pipeline search` prints: the best first."""

    query: str
    hits: list[Hit]
    notes: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def records(self) -> list[Record]:
        """The passages."""
        keys = ("source_id", "section", "page_start", "combined_score", "text")
        return [{key: getattr(one, key) for key in keys} for one in self.hits]


@dataclass(frozen=True, kw_only=True)
class Column:
    """A question that each paper is asked."""

    name: str
    question: str


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What a paper says: `status` is `stated`, `not_found`, `failed` or `not_asked`."""

    status: str
    answer: str | None = None
    value: str | None = None
    unit: str | None = None
    quote: str | None = None
    section: str | None = None
    page: int | None = None
    confidence: str | None = None
    error: str | None = None

    def __str__(self) -> str:
        if self.answer is None:
            return f"failed: {self.error}" if self.error else self.status.replace("_", " ")
        return f"{self.answer} (p. {self.page})" if self.page else self.answer


@dataclass(frozen=True, kw_only=True)
class PaperRow:
    """What one paper says, in the order of the columns."""

    source_id: str
    source: Work
    cells: list[Cell]


@dataclass(frozen=True, kw_only=True, repr=False)
class PaperTable(Tabular):
    """What `pipeline ask --per-paper` prints: a row for each paper, a column for each question."""

    columns: list[Column]
    papers: list[PaperRow]

    def records(self) -> list[Record]:
        """A row for each paper; an answer that was not found is None."""
        return self._rows(lambda cell: cell.answer)

    def _shown(self) -> list[Record]:
        return self._rows(str)

    def _rows(self, shown: Callable[[Cell], str | None]) -> list[Record]:
        names = [column.name for column in self.columns]
        return [
            {"source_id": row.source_id} | dict(zip(names, map(shown, row.cells), strict=True)) for row in self.papers
        ]


@dataclass(frozen=True, kw_only=True)
class Ingested:
    """What `pipeline ingest` prints: counts of files, `failed` with `path` and `reason`, and `sources` of the index."""

    found: int
    added: int
    changed: int
    unchanged: int
    failed: list[Record]
    sources: int


@dataclass(frozen=True, kw_only=True)
class Mean:
    """The mean of a metric over the `n` rows that have it, with a 95 % interval."""

    mean: float | None
    n: int
    ci_low: float | None = None
    ci_high: float | None = None

    def __str__(self) -> str:
        if self.mean is None:
            return "n/a"
        interval = "" if self.ci_low is None else f" [{self.ci_low:.2f}, {self.ci_high:.2f}]"
        return f"{self.mean:.2f}{interval}, n = {self.n}"


@dataclass(frozen=True, kw_only=True)
class Scored:
    """One answer that was scored."""

    question: str | None = None
    evaluations: dict[str, Record]
    overall_score: float | None = None
    metrics: Record
    failure_reasons: list[str]
    document: Record = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True, repr=False)
class Evaluation(Tabular):
    """What `pipeline score` prints: a row for each answer, by its id."""

    results: dict[str, Scored]

    @property
    def means(self) -> dict[str, Mean]:
        """The means over the rows, by the keys of `pipeline metrics`."""
        return {key: decode(Mean, mean) for key, mean in self.document["metrics"]["metrics"].items()}

    def failures(self) -> dict[str, list[str]]:
        """Why rows fail, by their id."""
        return {row: scored.failure_reasons for row, scored in self.results.items() if scored.failure_reasons}

    def records(self) -> list[Record]:
        """The scores of each row; one that it does not have is None."""
        had = [key for key, mean in self.means.items() if mean.n]
        rows = []
        for row, scored in self.results.items():
            scores = {
                key: scored.metrics[key] if isinstance(scored.metrics[key], (int, float)) else None for key in had
            }
            rows.append({"id": row, "question": scored.question, "overall_score": scored.overall_score} | scores)
        return rows

    def _shown(self) -> list[Record]:
        means = [{"metric": key, "mean": mean} for key, mean in self.means.items() if mean.n]
        failed = [{"metric": f"row {row} fails", "mean": why} for row, why in self.failures().items()]
        return [*means, *failed]

    def __repr__(self) -> str:
        return "\n".join(f"{row['metric']:<28}{_text(row['mean'])}" for row in self._shown())


@dataclass(frozen=True, kw_only=True, repr=False)
class Verified(Tabular):
    """What `pipeline verify` prints: its rows are the claims of a text, each with the word on it and the reason."""

    claims: list[Record]
    quotes: list[Record]

    def records(self) -> list[Record]:
        """The claims; where one is not supported, why."""
        return [{key: one.get(key) for key in ("claim", "verdict", "reason")} for one in self.claims]
