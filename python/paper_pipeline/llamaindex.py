"""A retriever for LlamaIndex. Needs `pip install "paper-pipeline[llamaindex]"`."""

from __future__ import annotations

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from paper_pipeline.backends import Filters
from paper_pipeline.library import Library


class PipelineRetriever(BaseRetriever):
    """Passages in the order of `pipeline search`, each with its combined score.

    The metadata of each is that of `paper_pipeline.results.Hit.metadata`.
    """

    def __init__(
        self, library: Library, *, k: int = 10, mode: str | None = None, filters: Filters | None = None
    ) -> None:
        super().__init__()
        self._library, self._k, self._mode, self._filters = library, k, mode, filters

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = self._library.search(query_bundle.query_str, k=self._k, mode=self._mode, filters=self._filters)
        return [
            NodeWithScore(
                node=TextNode(id_=hit.chunk_id, text=hit.text, metadata=hit.metadata()), score=hit.combined_score
            )
            for hit in hits
        ]
