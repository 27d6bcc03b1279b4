"""The notebook of the docs runs and prints what is stored in it."""

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
