"""The retrievers give the ranking of `pipeline search`."""

import pytest

QUESTIONS = ("vitamin D and falls", "Does an early eating window lower weight?", "peak oxygen uptake of walkers")


def test_langchain(library, printed):
    pytest.importorskip("langchain_core", reason="the extra langchain is not installed")
    from paper_pipeline.langchain import PipelineRetriever

    for question in QUESTIONS:
        found = PipelineRetriever(library=library, k=7).invoke(question)
        check([(one.id, one.page_content, one.metadata) for one in found], printed("search", "-k=7", question))
    filters = {"sources": ["tandrik_2021_vo2_walkers"]}
    only = PipelineRetriever(library=library, filters=filters).invoke("falls")
    assert {one.metadata["source_id"] for one in only} == {"tandrik_2021_vo2_walkers"}


def test_llamaindex(library, printed):
    pytest.importorskip("llama_index.core", reason="the extra llamaindex is not installed")
    from paper_pipeline.llamaindex import PipelineRetriever

    for question in QUESTIONS:
        found = PipelineRetriever(library, k=7).retrieve(question)
        assert all(one.score == one.node.metadata["score"] for one in found)
        rows = [(one.node.node_id, one.node.get_content(), one.node.metadata) for one in found]
        check(rows, printed("search", "-k=7", question))


def check(rows, document):
    assert len(rows) == 7
    for (chunk, text, metadata), hit in zip(rows, document["hits"], strict=True):
        assert (chunk, text) == (hit["chunk_id"], hit["text"])
        for name, key in {
            "source_id": "source_id",
            "section": "section",
            "page": "page_start",
            "title": "title",
        }.items():
            assert metadata[name] == hit[key]
        assert metadata["score"] == hit["combined_score"]
