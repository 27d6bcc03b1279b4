#!/usr/bin/env bash
# The quality gate: evaluates the sample corpus in both modes with both query sets, and compares every outcome with
# queries/baseline.json (rank of the gold evidence, evidence in context and answer, decision).
#
# Every change is listed. It fails when, by one of the four measures, losses exceed gains by more than 4 questions in a
# mode: vectors differ in their last digits between processors, so a few outcomes differ too.
#
#   scripts/quality.sh [--renew] [--pipeline PROGRAM]      exit code 1 when it fails
#     --renew       write the file, and print what changed
#     --pipeline    a binary that is there, instead of building one
set -euo pipefail
renew=()
pipeline=target/release/pipeline
setup=()
while [ $# -gt 0 ]; do
  case $1 in
    --renew) renew=(--renew); shift ;;
    --pipeline) pipeline=$(realpath "${2:?--pipeline needs a program}"); setup=(--pipeline "$pipeline"); shift 2 ;;
    -h | --help) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "quality: unknown option: $1" >&2; exit 2 ;;
  esac
done
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR=$PWD/target
scripts/setup.sh "${setup[@]}"
# The index stays: the next run reads only papers that changed, or all when the reader did.
work=target/quality
mkdir -p "$work"
export PIPELINE__INDEX__DIR=$work/index PIPELINE__LOG__FILE='' PIPELINE__LOG__REPORTS=$work/reports
"$pipeline" ingest corpus --quiet >/dev/null
code=0
for set in queries/eval.jsonl queries/extended.jsonl; do
  echo "quality: $set"
  status=0
  "$pipeline" eval --quiet --fresh --mode both --queries "$set" --format json >"$work/eval.json" || status=$?
  [ "$status" -le 1 ] || exit "$status"
  scripts/outcomes.py queries/baseline.json "$work/eval.json" "${renew[@]}" || code=1
done
if [ "$code" -ne 0 ]; then
  echo "quality: too much was lost; if the change is intended, run scripts/quality.sh --renew and commit the file" >&2
fi
exit "$code"
