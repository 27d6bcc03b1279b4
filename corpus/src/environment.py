"""Run the scripts of this folder with the package versions that requirements.txt pins.

If they cannot be imported, a private environment is made under target/ and the calling script starts again in it.
"""

from __future__ import annotations

import importlib.metadata
import os
import pathlib
import subprocess
import sys
import venv

SRC = pathlib.Path(__file__).resolve().parent
ROOT = SRC.parent.parent
REQUIREMENTS = SRC / "requirements.txt"
RESTARTED = "CORPUS_SRC_RESTARTED"


def pins() -> dict[str, str]:
    """Package names and the versions asked for."""
    lines = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    return {name.strip(): version.strip() for name, version in pairs}


def lacking() -> list[str]:
    """The pinned packages that are missing here, or present in another version."""
    out = []
    for name, version in pins().items():
        try:
            if importlib.metadata.version(name) != version:
                out.append(f"{name}=={version}")
        except importlib.metadata.PackageNotFoundError:
            out.append(f"{name}=={version}")
    return out


def ensure(script: str) -> None:
    """Return when every pin is met; otherwise run `script` again inside the private environment, and exit."""
    missing = lacking()
    if not missing:
        return
    if os.environ.get(RESTARTED):
        raise SystemExit(f"error: {', '.join(missing)} not found\nhint: pip install -r {REQUIREMENTS.relative_to(ROOT)}")
    home = ROOT / "target" / "corpus-venv"
    python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        print(f"making an environment under target/corpus-venv for {', '.join(missing)}", file=sys.stderr)
        venv.create(home, with_pip=True)
    installed = subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", REQUIREMENTS], check=False)
    if installed.returncode != 0:
        raise SystemExit(f"error: pip could not install {', '.join(missing)}\nhint: install them by hand, then run this again")
    done = subprocess.run([python, script, *sys.argv[1:]], env={**os.environ, RESTARTED: "1"}, check=False)
    raise SystemExit(done.returncode)
