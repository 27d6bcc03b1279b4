#!/usr/bin/env python3
"""Writes the reference pages of docs/ from what the program says of itself.

    scripts/docs.py BINARY [--check]

docs/reference/commands.md is made from `--help` of every command, docs/reference/settings.md from configs/default.toml (which a test
compares with the code), and the table in docs/metrics.md from `pipeline metrics`. With --check, nothing is written, and the exit code
is 1 if a page is not up to date, or if a link of any page leads nowhere. Standard library only.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MADE = "<!-- Made by scripts/docs.py; do not edit. -->\n"
GLOBAL = "Global options:\n"


def run(binary, *args):
    """What a command prints, in lines of 100 characters, without the settings of whoever runs this."""
    env = {key: value for key, value in os.environ.items() if key != "PYTHON" and not key.startswith("PIPELINE_")}
    env |= {"COLUMNS": "100", "NO_COLOR": "1"}
    done = subprocess.run(["pipeline", *args], executable=binary, env=env, capture_output=True, text=True, check=True)
    return done.stdout


def commands(binary):
    """The help of every command, the global options once."""

    def pages(path):
        text = run(binary, *path, "--help")
        body, _, rest = text.partition(GLOBAL)
        # What follows the global options, such as examples, belongs to the command.
        rest = rest.partition("\n\n")[2]
        yield path, f"{body.rstrip()}\n\n{rest}".rstrip() + "\n"
        listed = re.search(r"^Commands:\n((?:  .*\n)+)", body, re.M)
        names = re.findall(r"^  ([a-z][a-z-]*) ", listed.group(1), re.M) if listed else []
        for name in names:
            if name != "help":
                yield from pages([*path, name])

    top = run(binary, "--help")
    groups = re.findall(r"^((?:Every day|Evaluation|Operation)):\n((?:  .*\n)+)", top, re.M)
    groups = [(title, re.findall(r"^  ([a-z-]+)", lines, re.M)) for title, lines in groups]
    groups.append(("Other", re.search(r"^Also: ([a-z, -]+)", top, re.M).group(1).strip(" (").split(", ")))
    out = ["# Commands\n", MADE]
    for title, names in groups:
        out.append(f"- {title}: " + ", ".join(f"[{name}](#pipeline-{name})" for name in names))
    shared = top.partition(GLOBAL)[2].partition("\n\n")[0]
    codes = top.partition("Exit codes:\n")[2].rstrip()
    out.append(f"\nEvery command has these options:\n\n```text\n{shared}\n```\n\nExit codes:\n\n```text\n{codes}\n```\n")
    for _, names in groups:
        for name in names:
            for path, text in pages([name]):
                mark = "#" * min(len(path) + 1, 4)
                out.append(f"{mark} pipeline {' '.join(path)}\n\n```text\n{text}```\n")
    return "\n".join(out)


def settings():
    """A table for each section of the default settings."""
    out = ["# Settings\n", MADE]
    out.append("Your own file (`--config FILE`) needs only the settings that you change; [how they are set](../guide.md#settings).\n")
    note, is_first = [], False
    for line in (ROOT / "configs/default.toml").read_text().splitlines():
        if line.startswith("# "):
            note.append(line[2:])
        elif line.startswith("["):
            note, is_first = [], True
            out.append(f"\n## {line}\n")
        elif " = " in line:
            if is_first:
                out.append("| setting | default | meaning |\n|---|---|---|")
            is_first = False
            key, _, value = line.partition(" = ")
            out.append(f"| `{key}` | `{value}` | {' '.join(note).replace('|', chr(92) + '|').replace('<', '&lt;')} |")
            note = []
        elif not line:
            # What stands alone below a head describes the section.
            if is_first and note:
                out.append(" ".join(note) + "\n")
            note = []
    return "\n".join(out).replace("\n\n\n", "\n\n") + "\n"


def metrics(binary):
    """docs/metrics.md with the table that the program prints."""
    table = [line for line in run(binary, "metrics", "--format", "markdown").splitlines() if line.startswith("|")]
    text = (ROOT / "docs/metrics.md").read_text()
    begin = text.index(table[0])
    end = text.index("\n\n", begin)
    return text[:begin] + "\n".join(table) + text[end:]


def anchors(path):
    """What a link into a page can name, as GitHub makes it of headings."""
    found, is_code = set(), False
    for line in path.read_text().splitlines():
        is_code ^= line.startswith("```")
        if not is_code and re.match(r"#+ ", line):
            title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line.lstrip("# ")).lower()
            found.add(re.sub(r"[^\w -]", "", title).replace(" ", "-"))
    return found


def dead_links():
    """The links between the pages that lead nowhere."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *(ROOT / name / "README.md" for name in ("corpus", "crates", "queries"))]
    for page in pages:
        text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(), flags=re.S)
        for link in re.findall(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"", text):
            target, _, anchor = next(filter(None, link)).partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            path = (page.parent / target).resolve() if target else page
            if not path.exists() or (anchor and path.suffix == ".md" and anchor not in anchors(path)):
                yield f"{page.relative_to(ROOT)}: {next(filter(None, link))}"


def main():
    args = [arg for arg in sys.argv[1:] if arg != "--check"]
    if len(args) != 1 or args[0].startswith("-"):
        sys.exit(__doc__.strip())
    binary = str(Path(args[0]).resolve())
    made = {
        "docs/reference/commands.md": commands(binary),
        "docs/reference/settings.md": settings(),
        "docs/metrics.md": metrics(binary),
    }
    stale = [name for name, text in made.items() if not (ROOT / name).is_file() or (ROOT / name).read_text() != text]
    if "--check" in sys.argv:
        dead = list(dead_links())
        if stale:
            print(f"not up to date: {', '.join(stale)}; run scripts/docs.py {args[0]}", file=sys.stderr)
        if dead:
            print("links that lead nowhere:", *dead, sep="\n", file=sys.stderr)
        sys.exit(1 if stale or dead else 0)
    for name in stale:
        (ROOT / name).write_text(made[name])
        print(name)


if __name__ == "__main__":
    main()
