"""The notebook and the page of the docs run, and print what they show."""

import doctest
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_notebook_prints_what_it_stores(folder):
    command = [sys.executable, ROOT / "scripts" / "notebook.py", ROOT / "docs" / "notebook.ipynb"]
    paths = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run(command, cwd=folder, env=paths, stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_page_shows_what_is_printed(folder, capsys):
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    page = str(ROOT / "docs" / "python.md")
    failed, run = doctest.testfile(page, module_relative=False, optionflags=options, encoding="utf-8")
    assert run > 20
    assert failed == 0, capsys.readouterr().out
