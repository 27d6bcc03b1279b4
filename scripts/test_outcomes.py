"""Tests of outcomes.py: every change is listed, and only losses beyond the tolerance fail."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("outcomes.py")


def row(number, context, outcome="answered", error=None, mode="hybrid"):
    return {"query_id": f"D{number:02}", "mode": mode, "error": error, "outcome": outcome, "gold_ranks": [1],
            "expected_no_evidence": False, "scores": {"gold_recall_context": context, "gold_recall_answer": 1 / 3}}


class Outcomes(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.file = self.folder / "outcomes.json"

    def compare(self, rows, *options, labels="abc"):
        source = {"query_set": "set.jsonl", "query_set_hash": labels, "config_hash": "c"}
        document = self.folder / "eval.json"
        document.write_text(json.dumps({"rows": rows, "provenance": source}))
        ran = subprocess.run([sys.executable, SCRIPT, self.file, document, *options], capture_output=True, text=True)
        return ran.returncode, ran.stdout + ran.stderr

    def test_losses_may_exceed_gains_by_four(self):
        self.assertEqual(self.compare([row(n, 0.5) for n in range(24)], "--renew")[0], 0)
        for losses, gains, code in [(0, 0, 0), (4, 0, 0), (8, 4, 0), (0, 9, 0), (5, 0, 1), (9, 4, 1)]:
            rows = [row(n, 0.0 if n < losses else 1.0 if n < losses + gains else 0.5) for n in range(24)]
            found, said = self.compare(rows)
            self.assertEqual((found, said.count("→")), (code, losses + gains), said)
        self.assertIn("gold evidence in the context fell in 9 questions and rose in 4, more than 4 apart", said)

    def test_errors_and_refusals_are_wrong_decisions(self):
        self.compare([row(n, 1.0) for n in range(8)], "--renew")
        rows = [row(n, 1.0, "none") if n < 4 else row(n, {"error": "x"}, None, "down") for n in range(8)]
        found, said = self.compare(rows)
        self.assertEqual(found, 1)
        self.assertIn("the share of right decisions fell in 8 questions and rose in 0, more than 1 apart", said)
        self.assertIn("not written, because rows failed", self.compare(rows, "--renew")[1])

    def test_other_questions_are_not_compared_and_other_modes_stay(self):
        self.compare([row(0, 1.0), row(0, 1.0, mode="vector")], "--renew")
        self.assertIn("other questions or labels", self.compare([row(0, 1.0)], labels="def")[1])
        self.assertEqual(self.compare([row(0, 1.0), row(1, 1.0)])[0], 1, "a question that the file does not have")
        self.compare([row(0, 0.0)], "--renew")
        held = json.loads(self.file.read_text())["sets"]["set.jsonl"]["queries"]["D00"]
        self.assertEqual((held["hybrid"]["context"], held["vector"]["context"]), (0.0, 1.0))


if __name__ == "__main__":
    unittest.main()
