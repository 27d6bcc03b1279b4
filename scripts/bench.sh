#!/usr/bin/env bash
# The speed benchmark with its Python peers, and the structure scores where the papers are at hand.
# The peers go into target/bench-venv, pinned by crates/bench/peers/requirements.txt; without them `bench speed` still
# measures the pipeline, and says so.
#
#   scripts/bench.sh [FOLDER OF PDFS] [arguments of `bench speed`]     default folder: corpus
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR=$PWD/target
case ${1:-} in -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
folder=${1:-corpus}
[ $# -gt 0 ] && shift
venv=target/bench-venv
scripts/setup.sh
if ! cmp -s crates/bench/peers/requirements.txt "$venv/requirements.txt"; then
  "${PYTHON:-python3}" -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --only-binary=:all: -r crates/bench/peers/requirements.txt
  # tiktoken fetches its table from a place of its own; the same table lies in the crate that the pipeline uses.
  table=$(cargo metadata --format-version 1 --locked | "$venv/bin/python" -c 'import json, os, sys
print(next(os.path.dirname(p["manifest_path"]) for p in json.load(sys.stdin)["packages"] if p["name"] == "tiktoken-rs"))')
  mkdir -p "$venv/tiktoken"
  cp "$table/assets/cl100k_base.tiktoken" "$venv/tiktoken/9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
  cp crates/bench/peers/requirements.txt "$venv/requirements.txt"
fi
cargo build --release --locked --quiet --package bench
target/release/bench speed "$folder" --python "$venv/bin/python" "$@"
if [ -d ../shared/data/structure ]; then
  target/release/bench score-structure ../shared/data/structure
else
  echo "skipped: ../shared/data/structure is not here"
fi
