#!/usr/bin/env bash
# Walks through the web pages of `pipeline serve` in Chromium, over the sample papers:
#   scripts/portal.sh [--pipeline PROGRAM] [--index DIR] [--pictures DIR]
# Needs Chromium and Node. Installs its two packages into target/portal.
set -euo pipefail
cd "$(dirname "$0")/.."
program=target/release/pipeline index=index-sample pictures=
while [ $# -gt 0 ]; do
  case $1 in
    --pipeline) program=$2 ;;
    --index) index=$2 ;;
    --pictures) pictures=$(realpath -m "$2") && mkdir -p "$pictures" ;;
    *) echo "portal.sh: unknown option $1" >&2 && exit 2 ;;
  esac
  shift 2
done
mkdir -p target/portal
cp scripts/portal/* target/portal/
npm install --prefix target/portal --no-audit --no-fund --silent
data=$(mktemp -d)
servers=
trap 'kill $servers; wait; rm -rf "$data"' EXIT
# Starts a server of an index with its data in the folder NAME; its address is in $address.
serve() { # INDEX NAME
  mkdir "$data/$2"
  "$program" serve --index "$1" --data "$data/$2" --listen 127.0.0.1:0 > "$data/$2/listening" 2> "$data/$2/log" &
  servers+=" $!"
  for _ in $(seq 100); do
    grep -q listening "$data/$2/listening" && break
    kill -0 $! || { cat "$data/$2/log" >&2; exit 2; }
    sleep 0.2
  done
  address=$(sed -n 's/^listening on //p' "$data/$2/listening")
}

# Papers whose titles, names and texts are hostile. One of them is no paper.
node target/portal/hostile.mjs write "$data/papers"
"$program" ingest "$data/papers" --index "$data/hostile-index" --quiet || [ $? -eq 1 ]
serve "$data/hostile-index" hostile
node target/portal/hostile.mjs walk "$address"

# A copy: the walk uploads papers.
cp -r "$index" "$data/sample-index"
serve "$data/sample-index" sample
node target/portal/test.mjs "$address" "How many participants were randomised in the BRISKLINE trial?" \
  "What did the moon landing cost?" ${pictures:+"$pictures"}
