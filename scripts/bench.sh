#!/usr/bin/env bash
# The speed benchmark beside Python programs, and the structure scores where the papers are at hand.
# Python packages go into target/bench-venv, pinned by scripts/bench/requirements.txt.
#
#   scripts/bench.sh [FOLDER OF PDFS] [options of scripts/bench/speed.py]     default folder: corpus
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR=$PWD/target
case ${1:-} in -h | --help) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
folder=${1:-corpus}
[ $# -gt 0 ] && shift
venv=target/bench-venv requirements=scripts/bench/requirements.txt
scripts/setup.sh
if ! cmp -s "$requirements" "$venv/requirements.txt"; then
  "${PYTHON:-python3}" -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --only-binary=:all: -r "$requirements"
  # tiktoken fetches its table from a place of its own; the same table lies in the crate that the pipeline uses.
  table=$(cargo metadata --format-version 1 --locked | "$venv/bin/python" -c 'import json, os, sys
print(next(os.path.dirname(p["manifest_path"]) for p in json.load(sys.stdin)["packages"] if p["name"] == "tiktoken-rs"))')
  mkdir -p "$venv/tiktoken"
  cp "$table/assets/cl100k_base.tiktoken" "$venv/tiktoken/9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
  cp "$requirements" "$venv/requirements.txt"
fi
cargo build --release --locked --quiet --package bench
"$venv/bin/python" -B scripts/bench/speed.py "$folder" "$@"
if [ -d ../shared/data/structure ]; then
  "$venv/bin/python" -B scripts/bench/structure.py ../shared/data/structure
else
  echo "skipped: ../shared/data/structure is not here"
fi
