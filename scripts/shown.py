#!/usr/bin/env python3
"""Checks that the pages show what the program prints.

    scripts/shown.py BINARY

In an empty folder for each page, runs the commands that are shown with their output: `$ COMMAND` in a console block, and a block of
sh that a block of text follows. Each line shown must be among the lines printed, in the same order. `…` stands for what is left out;
times, memory and speeds may differ. Standard library only.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["README.md", "docs/tutorial.md", "docs/guide.md", "docs/evaluate.md", "docs/judges.md"]


def shown(text):
    """The (script, lines of output) pairs of a page."""
    for block in re.finditer(r"^```(sh|console)\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", text, re.M | re.S):
        kind, body, output = block.groups()
        if kind == "sh" and output:
            yield body, output.splitlines()
        elif kind == "console":
            for part in re.split(r"^\$ ", body, flags=re.M)[1:]:
                command = re.match(r"(?:.*\\\n)*.*\n", part).group()
                yield command, part[len(command) :].splitlines()


def same(line):
    """A line without what differs from run to run."""
    return re.sub(r"\d[\d.,]* (s|ms|MiB|pages/s|texts/s)\b", r"N \1", line).rstrip()


def missing(lines, printed):
    """The first line shown that is not printed where it should be."""
    printed = iter(printed)
    for line in lines:
        begin, dots, _ = same(line).partition("…")
        whole = same(line)
        if whole and whole != "…" and not any(own == whole or (dots and begin and whole.endswith("…") and own.startswith(begin)) for own in printed):
            return line
    return None


def check(page, binary):
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        programs, here = Path(folder, "bin"), Path(folder, "here")
        programs.mkdir()
        here.mkdir()
        (programs / "pipeline").symlink_to(binary)
        env = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "COLUMNS": "100", "NO_COLOR": "1", "HERE": str(here)}
        for script, lines in shown((ROOT / page).read_text()):
            # The folder in which a command ends is that in which the next one begins.
            script = f'cd "$(cat "$HERE.at" 2>/dev/null || echo "$HERE")"\n{script}pwd > "$HERE.at"\n'
            done = subprocess.run(["bash", "-c", script], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            printed = [same(line) for line in done.stdout.splitlines()]
            line = missing(lines, printed)
            if line is not None:
                wrong.append(f"{page}: not printed: {line}\n{done.stdout}")
    return wrong


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__.strip())
    wrong = [error for page in PAGES for error in check(page, Path(sys.argv[1]).resolve())]
    print(*wrong, sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
