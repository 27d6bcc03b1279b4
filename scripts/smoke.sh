#!/usr/bin/env bash
# A folder of real papers, ingested into a temporary index, and a handful of questions about them: every file must
# be indexed, each answer must cite the paper that holds it, and what the papers do not say must be refused.
#
#   scripts/smoke.sh FOLDER PROGRAM      PROGRAM is the pipeline; the questions are about ../shared/data/papers
set -euo pipefail
folder=$(realpath "${1:?name a folder of papers}")
pipeline=$(realpath "${2:?name the program}")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIPELINE__INDEX__DIR=$work/index PIPELINE__LOG__FILE=$work/run_log.jsonl

"$pipeline" ingest "$folder"
failures=0
expect() { # source that must be cited, question
  answer=$("$pipeline" ask --format json "$2") || true
  if python3 -c 'import json,sys; a=json.loads(sys.argv[1]); sys.exit(not any(c["source_id"]==sys.argv[2] for c in a["citations"]))' "$answer" "$1"; then
    echo "ok    $2"
  else
    echo "FAIL  $2: $1 is not cited" && failures=$((failures + 1))
  fi
}
refuse() {
  code=0
  "$pipeline" ask --quiet "$1" >/dev/null || code=$?
  if [ "$code" -eq 1 ]; then echo "ok    refused: $1"; else echo "FAIL  not refused (exit code $code): $1" && failures=$((failures + 1)); fi
}
expect garmany_2021_longevity_leap "How many years is the gap between healthspan and lifespan?"
expect frazier_2015_shark_longevity "What is the maximum longevity of Atlantic sharpnose sharks from tag-recapture data?"
expect wiener_2016_sleep_periodontitis "Is sleeping too little associated with periodontitis?"
refuse "Who won the football world cup in 2018?"
refuse "What is the boiling point of tungsten?"
[ "$failures" -eq 0 ] || { echo "smoke: $failures questions failed" >&2; exit 1; }
