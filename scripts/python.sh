#!/usr/bin/env bash
# Checks the Python package: ruff, mypy --strict, its tests and the notebook, with the program that was built.
#
#   scripts/python.sh [--pipeline PROGRAM] [--extras]
#     --pipeline   the program; target/release/pipeline by default
#     --extras     also the retrievers, against LangChain and LlamaIndex, and data frames: installs 200 MB
set -euo pipefail
cd "$(dirname "$0")/.."
program=target/release/pipeline extras=''
while [ $# -gt 0 ]; do
  case $1 in
    --pipeline) program=${2:?--pipeline needs a program}; shift 2 ;;
    --extras) extras=-extras; shift ;;
    -h | --help) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "python.sh: unknown argument: $1" >&2; exit 2 ;;
  esac
done
# Made once for each list of packages.
wanted=(-r python/requirements.txt ${extras:+-r python/requirements-extras.txt})
tools=target/python-tools$extras-$(cat python/requirements*.txt | sha256sum | cut -c1-12)
if [ ! -x "$tools/bin/pytest" ]; then
  "${PYTHON:-python3}" -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check "${wanted[@]}"
fi
"$tools/bin/ruff" check --quiet
"$tools/bin/ruff" format --check --quiet
# Without the packages that they are for, the retrievers cannot be checked.
passed=()
[ -n "$extras" ] || passed=(--exclude '/(langchain|llamaindex)\.py$')
"$tools/bin/mypy" --cache-dir "$tools/mypy" "${passed[@]}"
PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1 PIPELINE_BIN=$program \
  "$tools/bin/pytest" --quiet -p no:cacheprovider
