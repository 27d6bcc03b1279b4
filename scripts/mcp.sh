#!/usr/bin/env bash
# Holds the tools of assistants to the protocol and to real clients: the conformance suite for both revisions, the official Python
# client and the inspector, over standard input and HTTP. Downloads them from npm and PyPI; needs Node.js 22 or later and Python.
#
#   scripts/mcp.sh PROGRAM INDEX [QUESTION]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
program=$(realpath "${1:?name the program}") index=$(realpath "${2:?name an index}")
question=${3:-How many participants completed the trial?}
work=$(mktemp -d)
server=''
trap 'if [ -n "$server" ]; then kill "$server" && wait "$server" || true; fi; rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet mcp==2.3.0
(cd "$work" && npm init -y > npm.log && npm install --no-audit --no-fund --loglevel=error \
  old@npm:@modelcontextprotocol/conformance@0.1.16 new@npm:@modelcontextprotocol/conformance@0.2.0-alpha.12 \
  @modelcontextprotocol/inspector@2.12.0 >> npm.log)

"$program" --index "$index" serve --listen 127.0.0.1:0 --nc --data "$work/data" > "$work/out" 2> "$work/log" &
server=$!
for _ in $(seq 300); do grep -q listening "$work/out" && break; sleep 0.1; done
url=$(sed -n 's/^listening on //p' "$work/out")/mcp
echo "serving $url"

echo '== conformance, 2025-11-25'
node "$work/node_modules/old/dist/index.js" server --url "$url" --expected-failures "$root/scripts/mcp/expected-2025-11-25.yaml" \
  > "$work/old.log" 2>&1 || { tail -n 60 "$work/old.log"; exit 1; }
sed -n '/=== SUMMARY/,$p' "$work/old.log" | grep -E '^✓|^Total'
echo '== conformance, 2026-07-28'
node "$work/node_modules/new/dist/index.js" server --url "$url" --requirements 2026-07-28 \
  --expected-failures "$root/scripts/mcp/expected-2026-07-28.yaml" > "$work/new.log" 2>&1 || { tail -n 90 "$work/new.log"; exit 1; }
sed -n '/=== SUMMARY/,/^Not scored/p' "$work/new.log" | grep -E '^✓|^Total'

echo '== Python client'
"$work/venv/bin/python" "$root/scripts/mcp/client.py" "$program" "$index" "$url" "$question"

echo '== inspector'
inspect() { node "$work/node_modules/.bin/mcp-inspector" --cli "$@"; }
natives=${PIPELINE_NATIVES:+-e PIPELINE_NATIVES=$PIPELINE_NATIVES}
# shellcheck disable=SC2086 # two words or none
inspect $natives --transport stdio --method tools/list -- "$program" mcp --index "$index" > "$work/tools.json"
echo "tools over standard input: $(grep -c '"inputSchema"' "$work/tools.json")"
inspect "$url" --transport http --method tools/call --tool-name list_sources > "$work/sources.json"
echo "papers over HTTP: $(sed -n 's/.*"total": \([0-9]*\).*/\1/p' "$work/sources.json")"
echo 'all held'
