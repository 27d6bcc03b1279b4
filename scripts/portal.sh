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
"$program" serve --index "$index" --data "$data" --listen 127.0.0.1:0 > "$data/listening" 2> "$data/log" &
server=$!
trap 'kill $server; wait $server || true; rm -rf "$data"' EXIT
for _ in $(seq 100); do
  grep -q listening "$data/listening" && break
  kill -0 $server || { cat "$data/log" >&2; exit 2; }
  sleep 0.2
done
address=$(sed -n 's/^listening on //p' "$data/listening")
node target/portal/test.mjs "$address" "How many participants were randomised in the BRISKLINE trial?" \
  "What did the moon landing cost?" ${pictures:+"$pictures"}
