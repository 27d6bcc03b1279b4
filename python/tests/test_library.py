"""The library against the program and a server."""

import json
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from paper_pipeline import Library, PipelineError, results

VOLATILE = {"timings_ms"}


def steady(document):
    """A document without what differs from call to call."""
    return {key: value for key, value in document.items() if key not in VOLATILE}


def test_an_answer_is_what_the_program_prints_and_reads_well(answer, printed):
    assert steady(answer.document) == steady(printed("ask", "--include-context", answer.query))
    assert not answer.no_evidence
    first = answer.citations[0]
    assert (first.source_id, first.year, first.authors[0]) == (
        "nuvrakesh_2024_vitamin_d_null",
        2024,
        "Tamsel Nuvrakesh",
    )
    assert any(first.relevant_quote in passage.text for passage in answer.context)
    assert "[1]" in answer.text
    assert first.chunk_id not in answer.text
    shown = str(answer)
    assert "\n[1] Tamsel Nuvrakesh et al. (2024). " in shown
    assert f"p. {first.page}: “{first.relevant_quote}”" in shown


def test_a_question_is_never_an_option_and_a_refusal_is_an_answer(library):
    refusal = library.ask("--version tungsten")
    assert refusal.query == "--version tungsten"
    assert (refusal.no_evidence, refusal.citations) == (True, [])
    assert refusal.refusal.reason
    with pytest.raises(PipelineError) as raised:
        library.ask("falls", filters={"sources": ["--help"]})
    assert (raised.value.message, raised.value.hint) == (
        'no source "--help" is in the index',
        "`pipeline papers` prints the source ids",
    )
    for call, code in (
        (lambda: library.ask("falls\0"), "bad_text"),
        (lambda: library.table(["falls\ud800"]), "bad_text"),
        (lambda: Library(program="no-such-program").ask("falls"), "program_missing"),
    ):
        with pytest.raises(PipelineError) as raised:
            call()
        assert raised.value.code == code


def test_filters_mode_and_count_reach_the_search(library, printed):
    filters = {"sources": ["tandrik_2021_vo2_walkers"], "sections": ["methods", "results"], "year_from": 2021}
    hits = library.search("walking", k=3, mode="bm25", filters=filters)
    flags = "--mode=bm25 -k=3 --source=tandrik_2021_vo2_walkers --section=methods --section=results --year-from=2021"
    assert steady(hits.document) == steady(printed("search", *flags.split(), "walking"))
    assert 0 < len(hits) <= 3
    assert {hit.section for hit in hits} <= {"methods", "results"}


def test_a_table_has_a_row_for_each_paper(table):
    rows = {row["source_id"]: row for row in table.records()}
    assert len(rows) == 3
    assert "Double-blind" in rows["nuvrakesh_2024_vitamin_d_null"]["Design"]
    assert {row["Dogs"] for row in rows.values()} == {None}
    assert str(table).count("Dogs: not found") == 3


def test_a_server_says_the_same_as_the_program(library, answer, table, server):
    url, key = server
    served = Library(url=url, key=key)
    filters = {"tags": ["falls"], "year_to": 2024}
    assert served.ask(answer.query, include_context=True) == answer
    assert served.search("falls", k=5, filters=filters) == library.search("falls", k=5, filters=filters)
    assert [paper.source_id for paper in served.sources()] == [paper.source_id for paper in library.sources()]
    one = served.table(["Design: What was the study design?"], sources=["nuvrakesh_2024_vitamin_d_null"])
    same = next(row for row in table.papers if row.source_id == "nuvrakesh_2024_vitamin_d_null")
    assert [(row.source, row.cells) for row in one.papers] == [(same.source, same.cells[:1])]
    rows = [{"user_input": "How far?", "response": "Two miles.", "retrieved_contexts": ["They walked two miles."]}]
    assert served.evaluate(rows) == library.evaluate(rows)
    # Nothing is left on the server.
    backend = served._backend
    assert backend._send("GET", "/v1/tables") == {"tables": []}


def test_each_claim_and_quote_of_a_text_is_compared_with_the_papers(library, server):
    text = "There were 268 falls with vitamin D. It was called “a trial of 999 otters in the sea”."
    found = library.verify(text)
    assert found.claims[0]["verdict"] == "supported"
    assert [(one["quote"], one["found"]) for one in found.quotes] == [("a trial of 999 otters in the sea", False)]
    assert found.records()[0]["claim"].startswith("There were 268 falls")
    url, key = server
    assert Library(url=url, key=key).verify(text).document == found.document
    with pytest.raises(PipelineError, match='no source "nope"'):
        library.verify("There were 268 falls.", sources=["nope"])


def test_errors_of_a_server_have_its_code(server):
    url, key = server
    with pytest.raises(PipelineError) as raised:
        Library(url=url, key="pk_1_wrong").ask("falls")
    assert "wrong" not in f"{raised.value!r}"
    assert raised.value.code == "no_key"
    with pytest.raises(PipelineError) as raised:
        Library(url=url, key=key).search("falls", k=1000)
    assert (raised.value.code, raised.value.value) == ("out_of_range", "1000")
    with pytest.raises(PipelineError) as raised:
        Library(url=url, key=key).evaluate([{"user_input": "How far?", "response": 5}])
    assert raised.value.message
    with pytest.raises(PipelineError) as raised:
        Library(url="http://127.0.0.1:9", key=key).ask("falls")
    assert raised.value.code == "unreachable"


def test_a_redirect_does_not_get_the_key_and_a_busy_server_is_asked_again():
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            seen.append((self.path, self.headers["Authorization"]))
            self.rfile.read(int(self.headers["Content-Length"] or 0))
            self.send_response(503 if len(seen) == 1 else 302)
            self.send_header("Retry-After", "0")
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST  # noqa: N815

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        with pytest.raises(PipelineError, match="answered 302"):
            Library(url=f"http://127.0.0.1:{other.server_port}", key="pk_1_x").ask("falls")
        other.shutdown()
    assert seen == [("/v1/ask", "Bearer pk_1_x")] * 2


def test_what_papers_say_is_never_markup(library, answer, table):
    def hostile(value):
        if isinstance(value, dict):
            return {key: hostile(one) for key, one in value.items()}
        if isinstance(value, list):
            return [hostile(one) for one in value]
        return "<script>&x</script>" if isinstance(value, str) else value

    passages = ["The badgers slept for nine hours."]
    rows = [{"user_input": "Why?", "response": "The badgers slept for eleven hours.", "retrieved_contexts": passages}]
    for shown in (answer, library.search("falls"), table, library.evaluate(rows)):
        spoilt = results.decode(type(shown), hostile(shown.document) | {"newer": 1})
        html = spoilt._repr_html_()
        assert "&lt;script&gt;&amp;x" in html
        assert "<script" not in html
        assert spoilt.document["newer"] == 1


@pytest.mark.parametrize(
    ("kind", "schema", "inner"),
    [
        (results.Answer, "ask", None),
        (results.Citation, "ask", "CitationWithSource"),
        (results.Passage, "ask", "ContextRecord"),
        (results.Refusal, "ask", "Refusal"),
        (results.Hits, "search", None),
        (results.Hit, "search", "Hit"),
        (results.Paper, "sources", "Paper"),
        (results.PaperTable, "ask-per-paper", None),
        (results.PaperRow, "ask-per-paper", "PaperRow"),
        (results.Column, "ask-per-paper", "Column"),
        (results.Ingested, "ingest", None),
        (results.Evaluation, "evaluate", None),
        (results.Verified, "verify", None),
        (results.Scored, "evaluate", "EvaluateResult"),
        (results.Mean, "evaluate", "MetricSummary"),
    ],
)
def test_fields_are_those_of_the_schema(program, kind, schema, inner):
    document = json.loads(subprocess.run([program, "schema", schema], capture_output=True, check=True).stdout)
    described = document["$defs"][inner] if inner else document
    # What is known of a paper is more in some documents than in others.
    work = set(results.Work.__dataclass_fields__) if issubclass(kind, results.Work) else set()
    names = set(kind.__dataclass_fields__) - {"document"} - (work - {"source_id", "title"})
    assert names <= set(described["properties"])
    must = {name for name, part in kind.__dataclass_fields__.items() if _has_no_default(part)}
    assert must <= set(described["required"])


def _has_no_default(part):
    return part.default is part.default_factory  # Both are MISSING.


def test_cells_are_those_of_the_schema(program):
    command = [program, "schema", "ask-per-paper"]
    cell = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["$defs"]["Cell"]["oneOf"]
    assert set(results.Cell.__dataclass_fields__) <= {name for one in cell for name in one["properties"]}


def test_a_document_of_something_else_is_an_error():
    with pytest.raises(PipelineError) as raised:
        results.decode(results.Answer, {"query": "Why?"})
    assert raised.value.code == "unreadable"
    assert "no Answer" in str(raised.value)


def test_a_file_that_cannot_be_read_is_a_warning_and_the_others_are_asked(program, tmp_path):
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "badgers.md").write_text("# Badgers in winter\n\nThe badgers slept for nine hours a day.\n")
    (papers / "torn.pdf").write_bytes(b"%PDF-1.7 torn")
    library = Library(papers, index=tmp_path / "index", program=program)
    with pytest.warns(UserWarning, match=r"torn\.pdf was not read: damaged"):
        answer = library.ask("How long did the badgers sleep?")
    assert "nine hours" in answer.text
    assert library.ingest().unchanged == 1


def test_rows_are_a_data_frame(library, table):
    pytest.importorskip("pandas")
    frame = library.search("falls", k=3).to_pandas()
    assert list(frame["source_id"]) == [hit.source_id for hit in library.search("falls", k=3)]
    assert list(table.to_pandas().columns) == ["source_id", "Design", "Dogs"]
