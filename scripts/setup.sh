#!/usr/bin/env bash
# Builds the release binary, and has `pipeline setup` download what it loads at run time: PDFium, ONNX Runtime, the MiniLM
# model and what the reader is made from. Files that are in place are not downloaded again. Nothing is installed into Python.
#
#   scripts/setup.sh [--natives DIR] [--pipeline PROGRAM]
#     --natives     default: $PIPELINE_NATIVES, else .natives beside this project
#     --pipeline    a binary that is there, instead of building one
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
natives=${PIPELINE_NATIVES:-$root/.natives}
pipeline=''
while [ $# -gt 0 ]; do
  case $1 in
    --natives) natives=${2:?--natives needs a folder}; shift 2 ;;
    --pipeline) pipeline=${2:?--pipeline needs a program}; shift 2 ;;
    -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "setup: unknown argument: $1" >&2; exit 2 ;;
  esac
done
if [ -z "$pipeline" ]; then
  target=${CARGO_TARGET_DIR:-$root/target}
  cargo build --manifest-path "$root/Cargo.toml" --target-dir "$target" --release --locked --package pipeline
  pipeline=$target/release/pipeline
fi
code=0
"$pipeline" setup --natives "$natives" --python "${PYTHON:-python3}" || code=$?
# 1: no libraries are pinned for this platform. Set-up has named them; the user sets natives.pdfium and natives.onnxruntime.
[ "$code" -le 1 ] || exit "$code"
