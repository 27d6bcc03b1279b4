#!/usr/bin/env bash
# From a fresh clone to a measured answer: set-up, release build, ingest, evaluation of both modes, report.
#
#   scripts/run.sh [FOLDER] [--queries FILE]     default: corpus/ with queries/eval.jsonl
set -euo pipefail
cd "$(dirname "$0")/.."
folder=corpus queries=queries/eval.jsonl
while [ $# -gt 0 ]; do
  case $1 in
    --queries) queries=${2:?--queries wants a file}; shift 2 ;;
    -h | --help) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "run: unknown option: $1" >&2; exit 2 ;;
    *) folder=$1; shift ;;
  esac
done

# Exit code 1 is an honest no (some files failed, a check did not hold), 2 is an error.
honest() { "$@" || { code=$?; [ "$code" -eq 1 ] || exit "$code"; echo "run: $2 ended with exit code 1; see above" >&2; }; }

scripts/setup.sh
cargo build --release --locked --package pipeline
pipeline=target/release/pipeline
honest "$pipeline" doctor
honest "$pipeline" ingest "$folder"
honest "$pipeline" eval --mode both --queries "$queries"
