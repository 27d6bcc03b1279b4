"""What the benchmarks share: running our program and the peers, and saying on which machine."""

import json
import os
import pathlib
import platform
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def note(message):
    print(f"note: {message}", file=sys.stderr)


def load():
    """Processes that wanted a core in the last minute."""
    return os.getloadavg()[0]


def machine():
    def field(path, key):
        try:
            lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
        except OSError:
            return "unknown"
        return next((line.partition(":")[2].strip() for line in lines if line.startswith(key)), "unknown")

    memory = field("/proc/meminfo", "MemTotal").split()[0]
    commit = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return {
        "processor": field("/proc/cpuinfo", "model name"),
        "cores": os.cpu_count(),
        "memory_mib": int(memory) >> 10 if memory.isdecimal() else None,
        "system": f"{platform.system().lower()}-{platform.machine()}",
        "commit": commit.stdout.strip() or "unknown",
        "load": load(),
    }


def run(command, given=None, **variables):
    """The JSON that a program prints; `given` goes to its standard input. What it says on standard error is passed on."""
    done = subprocess.run(
        list(map(str, command)),
        input=None if given is None else json.dumps(given),
        stdin=subprocess.DEVNULL if given is None else None,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        env={**os.environ, **{name: str(value) for name, value in variables.items()}},
    )
    if done.returncode:
        print(f"error: {command[0]} {command[1]} ended with exit code {done.returncode}", file=sys.stderr)
        sys.exit(2)
    return json.loads(done.stdout)


def has(package):
    """Whether this Python can import a package; says so if not."""
    found = subprocess.run([sys.executable, "-c", f"import {package}"], capture_output=True, check=False).returncode == 0
    if not found:
        note(f"{package} is not measured: this Python cannot import it (see the requirements beside the scripts)")
    return found


def peer(script, *arguments, given=None):
    """The measurement of a script beside this one, by the same Python."""
    tables = pathlib.Path(sys.prefix) / "tiktoken"
    variables = {"TIKTOKEN_CACHE_DIR": tables} if tables.is_dir() else {}
    return run([sys.executable, "-B", HERE / script, *arguments], given, **variables)


def table(rows, markdown):
    """A table of text; the first row is the header."""
    rows = [[str(cell).replace("|", "\\|") if markdown else str(cell) for cell in row] for row in rows]
    widths = [max(3, *map(len, column)) for column in zip(*rows)]
    rows = [rows[0], ["-" * width for width in widths], *rows[1:]]
    left, between, right = ("| ", " | ", " |") if markdown else ("", "  ", "")
    lines = (left + between.join(cell.ljust(width) for cell, width in zip(row, widths)) + right for row in rows)
    return "".join(line.rstrip() + "\n" for line in lines)


def versions(*found):
    """Versions of all measured packages in one line."""
    merged = {name: version for one in found for name, version in one.get("versions", {}).items()}
    return ", ".join(f"{name} {version}" for name, version in sorted(merged.items()))
