#!/usr/bin/env bash
# From a fresh clone to a measured answer: release build, set-up, ingest, evaluation of both modes, report.
#
#   scripts/run.sh                            the fictional sample papers of corpus/ with queries/extended.jsonl, in index-sample/
#   scripts/run.sh FOLDER [--queries FILE]    your papers, in index-FOLDER/; evaluated only with a query set
#
# PIPELINE__INDEX__DIR names another index.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder='' queries=''
while [ $# -gt 0 ]; do
  case $1 in
    --queries) queries=$(realpath "${2:?--queries needs a file}"); shift 2 ;;
    -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "run: unknown option: $1" >&2; exit 2 ;;
    *) folder=$(realpath "$1"); shift ;;
  esac
done
if [ -n "${PIPELINE_NATIVES:-}" ]; then PIPELINE_NATIVES=$(realpath -m "$PIPELINE_NATIVES"); export PIPELINE_NATIVES; fi
cd "$root"
export CARGO_TARGET_DIR=$root/target
if [ -z "$folder" ]; then
  # Fictional papers must not answer questions about real ones: they never share an index.
  folder=corpus queries=${queries:-queries/extended.jsonl} index=index-sample
else
  index=index-$(basename "$folder")
fi
export PIPELINE__INDEX__DIR=${PIPELINE__INDEX__DIR:-$index}

# Exit code 1 is a negative result (some files failed, a check did not pass), 2 is an error.
tolerate() {
  local code=0
  "$@" || code=$?
  [ "$code" -le 1 ] || exit "$code"
  [ "$code" -eq 0 ] || echo "run: $2 ended with exit code 1; see above" >&2
}

# Says what comes now, and how long it takes on two cores.
step() { printf '\n== %s\n\n' "$*"; }

step "build the program and get its libraries and models (12 minutes the first time)"
scripts/setup.sh
pipeline=target/release/pipeline
tolerate "$pipeline" doctor
step "read the papers in $folder (15 seconds for 100 pages)"
tolerate "$pipeline" ingest "$folder"
if [ "$folder" = corpus ]; then
  step "three questions to the same papers, by pipeline demo with an index of its own"
  (unset PIPELINE__INDEX__DIR && "$pipeline" demo pipeline-demo)
fi
if [ -n "$queries" ]; then
  step "hybrid against vector-only retrieval, with the questions in $queries (3 minutes for 150)"
  tolerate "$pipeline" eval --mode both --queries "$queries"
fi
echo
echo "To ask these papers: target/release/pipeline --index $PIPELINE__INDEX__DIR ask \"YOUR QUESTION\""
