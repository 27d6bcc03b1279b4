"""The names of LitPath, of the five-dimension judge and of Ragas, over `pipeline score`."""

import dataclasses
import json
import subprocess

import pytest

from paper_pipeline import (
    EvaluationDataset,
    EvaluationRunner,
    LLMEvaluator,
    PipelineError,
    RAGEvaluator,
    quick_evaluate,
    to_ragas,
)

PASSAGE = "The badgers slept for nine hours a day. The otters swam two miles."


@pytest.fixture(autouse=True)
def _here(folder):
    """The working directory and the program of the tests."""


def test_litpath_runs_a_function_over_a_dataset():
    dataset = EvaluationDataset("Badgers")
    runner = EvaluationRunner(RAGEvaluator())
    with pytest.raises(PipelineError, match="'Badgers' has no example; add one with add_example"):
        runner.run(lambda question: (question, []), dataset, "none")
    dataset.add_example(question="How long did the badgers sleep?", reference_answer="The badgers slept nine hours.")
    dataset.add_example(question="How tall are giraffes?")
    done = runner.run(lambda _: ("The badgers slept for nine hours a day.", [PASSAGE]), dataset, "v1")
    assert (done["experiment_name"], done["dataset_name"]) == ("v1", "Badgers")
    assert done["metrics"]["relevance_pass_rate"] == 0.5
    assert done["metrics"]["groundedness_pass_rate"] == 1.0
    assert done["metrics"]["metrics"]["correctness"]["n"] == 1


def test_one_answer_is_scored_by_the_names_of_both_systems():
    question = "How long did the badgers sleep?"
    good = quick_evaluate(question, "The badgers slept for nine hours a day.", [PASSAGE])
    bad = quick_evaluate(question, "The badgers slept for eleven hours a day.", [PASSAGE])
    assert set(good) == {"relevance", "groundedness", "retrieval_relevance", "overall_pass"}
    assert (good["groundedness"]["score"], good["overall_pass"]) == (True, True)
    assert (bad["groundedness"]["score"], bad["overall_pass"]) == (False, False)
    chunks = [{"text": PASSAGE, "doc_id": "badgers.pdf", "page": 3}]
    judge = LLMEvaluator()
    faithfulness = judge.evaluate_faithfulness(question, "The badgers slept for eleven hours a day.", chunks)
    assert faithfulness["score"] == 0.0
    assert faithfulness["unsupported_claims"] == ["The badgers slept for eleven hours a day."]
    cited = "The badgers slept for nine hours a day. [badgers.pdf:3]"
    scores = judge.evaluate_comprehensive(question, cited, chunks, ground_truth="The badgers slept nine hours a day.")
    assert set(scores["evaluations"]) == {
        "faithfulness",
        "answer_relevance",
        "citation_quality",
        "completeness",
        "correctness",
    }
    assert scores["evaluations"]["citation_quality"]["score"] == 1.0
    weights = scores["weights_used"]
    mean = sum(scores["evaluations"][name]["score"] * weight for name, weight in weights.items()) / sum(
        weights.values()
    )
    assert scores["overall_score"] == pytest.approx(mean)
    assert "correctness" not in judge.evaluate_comprehensive(question, cited, chunks)["weights_used"]


def test_rows_of_an_evaluation_say_why_they_fail(library):
    rows = [
        {"user_input": "How long?", "response": "Eleven hours.", "retrieved_contexts": [PASSAGE]},
        {"user_input": "How far did the otters swim?", "response": "The otters swam two miles.",
         "retrieved_contexts": [PASSAGE]},
    ]  # fmt: skip
    evaluation = library.evaluate(rows)
    assert list(evaluation.failures()) == ["1"]
    assert evaluation.means["faithfulness"].mean == 0.5
    assert [row["faithfulness"] for row in evaluation.records()] == [0.0, 1.0]
    assert "row 1 fails" in str(evaluation)


def test_answers_become_rows_of_ragas(library, answer, program, tmp_path):
    with pytest.raises(PipelineError, match="ask with include_context=True"):
        to_ragas([dataclasses.replace(answer, context=None)])
    path = tmp_path / "rows.jsonl"
    rows = to_ragas([answer], {answer.query: "268 and 259."}, path)
    assert rows == [json.loads(line) for line in path.read_text().splitlines()]
    assert rows[0]["retrieved_contexts"] == [passage.text for passage in answer.context]
    command = [program, "score", path, "--format=json", "--quiet"]
    read = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout)
    assert read["metadata"]["input_format"] == "ragas (JSON lines)"
    assert read["results"]["1"]["question"] == answer.query
    assert read["results"]["1"]["evaluations"]["correctness"]["score"] is not None
    # Whole answers keep their citations, which Ragas has no key for.
    assert library.evaluate([answer]).means["citation_precision"].mean == 1.0
