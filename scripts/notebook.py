#!/usr/bin/env python3
"""Runs the code cells of a notebook in the working directory, and compares what they print with what is stored.

    scripts/notebook.py NOTEBOOK            fails if a cell raises, or its text differs from the stored one
    scripts/notebook.py NOTEBOOK --write    stores it

Needs no Jupyter: a cell is plain Python, and the value of its last expression is shown.
"""

import ast
import contextlib
import io
import json
import sys
from pathlib import Path


def shown(value):
    """The output of a value, as a notebook has it."""
    data = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_().splitlines(keepends=True)
    return data


def run(source, names):
    """Runs a cell; its outputs."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    outputs = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)})
    if value is not None:
        outputs.append({"data": shown(value), "metadata": {}, "output_type": "execute_result"})
    return outputs


def main(path, write=False):
    """Runs a notebook; the number of cells that print something else than is stored."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names, differ = {"__name__": "__main__"}, 0
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells, 1):
        outputs = run("".join(cell["source"]), names)
        for output in outputs:
            if output["output_type"] == "execute_result":
                output["execution_count"] = number
        if outputs != cell["outputs"] and not write:
            differ += 1
            print(f"{path}: cell {number} prints\n{json.dumps(outputs, indent=1, ensure_ascii=False)}")
        cell["outputs"], cell["execution_count"] = outputs, number
    if write:
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{path}: {len(cells)} cells, {differ} differ")
    return differ


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--write"]):
        sys.exit(__doc__)
    sys.exit(min(main(Path(sys.argv[1]), write=bool(sys.argv[2:])), 1))
