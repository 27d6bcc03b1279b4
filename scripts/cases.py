#!/usr/bin/env python3
"""Runs the cases of ../shared/data/cases through the binary and prints pass or fail for each.

    scripts/cases.py [BINARY]

The default binary is target/release/pipeline. Case 69 needs a multilingual model and is not run. Exits with 1 if a case fails, and with 0 without the folder.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT.parent / "shared/data/cases"
BINARY = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/release/pipeline").resolve()
FOLDER = Path(tempfile.mkdtemp(prefix="cases-"))


def run(*args, cwd=FOLDER):
    done = subprocess.run([BINARY, *map(str, args)], cwd=cwd, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def document(*args, cwd=FOLDER):
    code, out, err = run(*args, "--format", "json", cwd=cwd)
    assert out.strip(), f"{args}: {err.strip()[-300:]}"
    return json.loads(out)


def paper(path):
    return document("parse", path)


def text(path):
    sections = paper(path)["sections"]
    return " ".join(f"{s.get('heading', '')} {s['text']}" for s in sections)


def library(case, name=None):
    """A copy of the case's folder, indexed."""
    folder = FOLDER / (name or case.name)
    shutil.copytree(case, folder)
    (folder / "README").unlink(missing_ok=True)
    code, out, err = run("ingest", ".", cwd=folder)
    return folder, code, out + err


def holds(where, *parts):
    for part in parts:
        assert part in where, f"{part!r} is missing in {where[:400]!r}"


def lacks(where, *parts):
    for part in parts:
        assert part not in where, f"{part!r} stands in {where[:400]!r}"


def words(path):
    return re.findall(r"\S+", text(path))


def line_numbers(case):
    for plain, numbered in [("left-0", "left-*"), ("left-0", "right-*"), ("twocol-0", "twocol-[0-9]")]:
        want = words(case / f"{plain}.pdf")
        for path in sorted(case.glob(f"{numbered}.pdf")):
            assert words(path) == want, f"{path.name}: other words than {plain}.pdf"


def ligatures(case):
    for path in sorted(case.glob("*.pdf")):
        found = text(path)
        holds(found.lower(), "verification", "inflammation", "affinity")
        assert not re.search(r"\b(fi|fl|ff|ffi|ffl)\b", found), path.name


def superscripts(case):
    pdf, md = text(case / "sup.pdf"), text(case / "sup.md")
    lacks(pdf, "2509", " 106 ", "108")
    holds(pdf, "10^6")
    holds(md, "10^6", "H2O", "250 mg", "m")
    lacks(md, "2509", "<sup>")


def soft_hyphens(case):
    found = text(case / "shy.pdf")
    holds(found, "reconstruction", "questionnaire", "01-2301-XX", "Tolerability", "well-known", "5-HT2A")
    lacks(found, "\u00ad", "\ufffe")


def jats(case):
    found = text(case / "paper.xml")
    lacks(found, "minutes3", "106 cells", "reviewers doubt", "thank the reviewers")
    holds(found, "11 minutes", "10^6 cells", "H2O")


def stamps(case):
    for name in ["stamp", "stamp-notes", "stamp-horizontal"]:
        year = paper(case / f"{name}.pdf")["year"]
        assert year == 2025, f"{name}: {year}"


def repeated_lines(case):
    found = text(case / "prompts.pdf")
    holds(found, "Prompt B: cramps", "Grade how often cramps woke the adult in the night", "Prompt C: mood")


def authors(case):
    found = paper(case / "initials.pdf")["authors"]
    assert len(found) == 5, found


def turned(case):
    want = words(case / "font-plain.pdf")
    for path in sorted(case.glob("*.pdf")):
        found = paper(path)
        assert found["title"], f"{path.name}: no title"
        if path.name.startswith("font-"):
            assert words(path) == want, f"{path.name}: {words(path)[:20]}"


def pipes(case):
    table, rows = (document("score", case / f"same-rows.{kind}") for kind in ["csv", "json"])
    for key in ["metrics", "summary"]:
        assert table.get(key) == rows.get(key), f"{key} differ"


def tables(case):
    for name in ["semicolon.csv", "sep-line.csv", "tab.csv", "tab.tsv"]:
        code, out, err = run("score", case / name)
        assert code in (0, 1) and "3" in out, f"{name}: {code} {err[-200:]}"


def goldens(case):
    folder, _, _ = library(CASES / "papers")
    for path in sorted(case.glob("*.json*")):
        code, _, err = run("score", path, cwd=folder)
        advice = re.search(r"`pipeline ([^`]+)`", err)
        assert code == 2 and advice, f"{path.name}: {code} {err[-300:]}"
        code, _, err = run(*shlex.split(advice[1]), cwd=folder)
        assert code == 0, f"{advice[0]}: {code} {err[-300:]}"


def bibtex(case):
    folder, code, said = library(case)
    assert code == 0, said
    shown = " ".join(run("papers", "show", f"p{n}", cwd=folder)[1] for n in range(7))
    holds(shown, "Nguyễn", "Thắng" if "Thắng" in shown else "Xuân", "Großwend", "Kovalevskaitė", "Magnesium > starch")
    lacks(shown, "\\", "$")


def apple(case):
    _, code, said = library(case)
    assert code == 0, said


def ids(case):
    folder, _, _ = library(case)
    listed = run("papers", "list", cwd=folder)[1]
    lacks(listed, "paper-ec91b960", "paper-b3eb5a38", "paper-82e3d4a9")
    holds(listed.lower(), "lun")


def spellings(case):
    folder, _, _ = library(case)
    for line in (case / "questions.tsv").read_text().splitlines()[1:]:
        question = line.split("\t")[1]
        assert not document("ask", question, cwd=folder)["no_evidence"], question


def threshold(case):
    folder, _, _ = library(case)
    for query in ["1,25-(OH)2D3", "C++", "p<0.05"]:
        hits = document("search", query, cwd=folder)["hits"]
        assert any(hit["source_id"] == "cytokines" for hit in hits), query


def answers(case):
    folder, _, _ = library(case)
    lines = (case / "q.txt").read_text().splitlines()
    return [document("ask", line, cwd=folder) for line in lines if line.strip()]


def asked(case):
    """The answer to the question of the case's command."""
    folder, _, said = library(case)
    question = re.search(r'ask "([^"]+)"', (case / "command").read_text())[1]
    return document("ask", question, cwd=folder), said


def drop_cap(case):
    holds(text(case / "drop_cap.pdf"), "The recovery of orphaned seal pups depends", "Staff at most centres feed")


def hidden(case):
    if not any("layers" in warning for warning in paper(case / "papers/iron_donors.pdf")["warnings"]):
        lacks(text(case / "papers/iron_donors.pdf"), "150 donors", "9.8", "INTERNAL NOTE")


def portfolio(case):
    holds(library(case)[2], "2 attached PDF files")


def chinese_lines(case):
    holds(text(case / "yoga.pdf"), "瑜伽组每周练习两次", "短暂的肌肉酸痛", "十二周后，瑜伽组的疼痛评分下降了2.8分")


def two_papers(case):
    issue = paper(case / "issue_12.pdf")
    holds(text(case / "issue_12.pdf"), "Two people worked at each site. The weather was mild.")
    assert sum(s["heading"] == "Results" for s in issue["sections"]) == 2, [s["heading"] for s in issue["sections"]]


def html_table(case):
    holds(asked(case)[0]["answer"], "min 22.1")


def formula(case):
    holds(asked(case)[0]["answer"], "14.8 µg/L")


def pages(case):
    answer = asked(case)[0]["citations"][0]
    assert (answer["page_start"], answer["title"]) == (2, "Fog nets and drinking water in two coastal villages"), answer


def accents(case):
    assert not any(answer["no_evidence"] for answer in answers(case))


def captions(case):
    for answer, number in zip(answers(case), ["61 adults", "41 finished"]):
        holds(answer["answer"], number)


def about_library(case):
    for answer in answers(case):
        holds(answer["answer"], "pipeline papers")


def two_authors(case):
    holds(answers(case)[0]["answer"], "Garlic lowered blood pressure in bus drivers.")


def no_authors(case):
    answer = asked(case)[0]
    assert not answer["no_evidence"] or "has no authors in the index" in answer["answer"], answer["answer"]


def vitamin(case):
    holds(asked(case)[0]["answer"], "Nuns took vit. D at 800 I.U. daily")


def column(case):
    answer = asked(case)[0]["answer"]
    holds(answer, "Dropouts, n 5")
    lacks(answer, "Workers, n 31")


def scores(case, name="answers.jsonl"):
    return document("score", case / name)["results"]


def faithful(row):
    return row["metrics"]["faithfulness"]


def judged_chinese(case):
    for name, row in scores(case).items():
        assert name == "right" or faithful(row) != 1, f"{name}: {faithful(row)}"


def marks(case):
    for name, row in scores(case).items():
        assert faithful(row) == 1, f"{name}: {faithful(row)}"


def refusals(case):
    for name, row in scores(case).items():
        assert row["metrics"]["no_evidence_accuracy"] == 1 and not row["auto_fail"], f"{name}: {row['answer']}"


def arguana(case):
    found = document("bench", "beir", case / "argu", "--mode", "bm25", cwd=FOLDER)
    assert [found["measures"][key]["mean"] for key in ("ndcg@10", "mrr@10")] == [1, 1], found


def by_column(case):
    assert [faithful(row) for row in scores(case, "dict_of_lists.json").values()] == [1, 1]


def scale_words(case):
    for name, row in scores(case).items():
        assert row["auto_fail"] == name.startswith("bad"), f"{name}: {row['failure_reasons']}"


def nulls(case):
    folder, _, _ = library(case)
    server = subprocess.Popen([BINARY, "serve", "--listen", "127.0.0.1:18990"], cwd=folder, stderr=subprocess.DEVNULL)
    try:
        for body in re.findall(r"-d '([^']+)'", (case / "command").read_text()):
            path = "search" if "explain" in body else "ask"
            request = urllib.request.Request(f"http://127.0.0.1:18990/v1/{path}", body.encode(), {"Content-Type": "application/json"})
            for _ in range(50):
                try:
                    with urllib.request.urlopen(request, timeout=60) as answer:
                        assert answer.status == 200
                        break
                except urllib.error.HTTPError as error:
                    raise AssertionError(f"{path}: {error.code} {error.read()[:200]}") from error
                except OSError:
                    time.sleep(0.2)
    finally:
        server.terminate()
        server.wait()


def provider(case, mode, *parts):
    folder, _, _ = library(case)
    server = subprocess.Popen([sys.executable, case / "server.py", "18977", FOLDER / "log.jsonl"])
    time.sleep(1)
    try:
        settings = ["llm.provider=openai", f"llm.base_url=http://127.0.0.1:18977/{mode}", "llm.model=m", "generate.method=llm"]
        sets = [part for setting in settings for part in ("--set", setting)]
        started = time.monotonic()
        code, _, err = run("ask", "How did herring change the growth of chicks?", "--no-cache", *sets, cwd=folder)
        assert code == 2 and time.monotonic() - started < 30, f"{code} {time.monotonic() - started:.0f} s"
        holds(err, *parts)
    finally:
        server.terminate()
        server.wait()


CHECKS = {
    "01": pipes,
    "03": tables,
    "20": line_numbers,
    "21": ligatures,
    "22": superscripts,
    "23": soft_hyphens,
    "30": bibtex,
    "34": jats,
    "35": stamps,
    "36": repeated_lines,
    "37": authors,
    "39": turned,
    "52": spellings,
    "53": threshold,
    "54": goldens,
    "55": apple,
    "56": ids,
    "61": drop_cap,
    "62": hidden,
    "63": portfolio,
    "64": chinese_lines,
    "65": two_papers,
    "66": html_table,
    "67": formula,
    "68": pages,
    "70": accents,
    "71": captions,
    "72": about_library,
    "73": two_authors,
    "74": no_authors,
    "75": vitamin,
    "76": column,
    "77": judged_chinese,
    "78": marks,
    "79": refusals,
    "80": arguana,
    "81": by_column,
    "82": scale_words,
    "83": nulls,
    "84": lambda case: provider(case, "lmstudio", "/v1"),
    "85": lambda case: provider(case, "retry-hour/v1", "60 minutes"),
}


def main():
    if not CASES.is_dir():
        print(f"skipped: there is no {CASES}")
        return 0
    failed = 0
    for number, check in CHECKS.items():
        case = next(CASES.glob(f"{number}-*"))
        try:
            check(case)
            print(f"pass  {case.name}")
        except (AssertionError, KeyError, IndexError, json.JSONDecodeError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"FAIL  {case.name}: {error}")
    shutil.rmtree(FOLDER)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
