"""A retriever for LangChain. Needs `pip install "paper-pipeline[langchain]"`."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from paper_pipeline.library import Library


class PipelineRetriever(BaseRetriever):
    """Passages in the order of `pipeline search`.

    The metadata of each is that of `paper_pipeline.results.Hit.metadata`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    library: Library
    k: int = 10
    mode: str | None = None
    filters: Any = None

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        hits = self.library.search(query, k=self.k, mode=self.mode, filters=self.filters)
        return [Document(id=hit.chunk_id, page_content=hit.text, metadata=hit.metadata()) for hit in hits]
