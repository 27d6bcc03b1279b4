#!/usr/bin/env bash
# Builds the wheel of the release binary and of the Python package into target/wheels.
#
#   scripts/wheel.sh [--try [WHEEL]]
#     --try    also installs it with pip into an empty environment, sets it up there, and asks the sample papers a question,
#              from the command line and from Python. WHEEL is tried instead of a new one
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-} in
  '' | --try) ;;
  -h | --help) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) echo "wheel.sh: unknown argument: $1" >&2; exit 2 ;;
esac
python=${PYTHON:-python3}
wheel=${2:-}
if [ -z "$wheel" ]; then
  tools=target/wheel-tools
  [ -x "$tools/bin/maturin" ] || { "$python" -m venv "$tools"; "$tools/bin/pip" install --quiet "$(sed -n 's/^requires = \["\(.*\)"\]$/\1/p' pyproject.toml)"; }
  rm -rf target/wheels
  "$tools/bin/maturin" build --release --quiet --out target/wheels
  wheel=$(echo target/wheels/*.whl)
fi
ls -sh "$wheel"
[ "${1:-}" = --try ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/env"
SECONDS=0
"$work/env/bin/pip" install --quiet "$wheel"
echo "installed after $SECONDS s"
export PIPELINE_NATIVES=$work/natives
SECONDS=0
"$work/env/bin/pipeline" setup --quiet
"$work/env/bin/pipeline" --index "$work/index" ingest corpus --quiet
"$work/env/bin/pipeline" --index "$work/index" ask "How many participants were randomised in the BRISKLINE trial?" | tee "$work/answer"
echo "set up, ingested and answered after $SECONDS s"
grep -q BRISKLINE "$work/answer"
# The package finds the program of its own environment, not one that is named or on the path.
env -u PIPELINE_BIN PATH=/usr/bin:/bin "$work/env/bin/python" -I - "$work/index" <<'PYTHON'
import sys
from importlib.resources import files

from paper_pipeline import Library

answer = Library(index=sys.argv[1]).ask("How many falls led to injury with vitamin D and with placebo in SUNDOWN?")
print(f"\nfrom Python:\n{answer}")
assert "81" in answer.text and answer.citations, answer
assert (files("paper_pipeline") / "py.typed").is_file()
PYTHON
