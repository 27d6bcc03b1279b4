#!/usr/bin/env bash
# Downloads a public BEIR benchmark and unpacks it to DIR/NAME, for `pipeline bench beir DIR/NAME`.
# The archive is unpacked only if its hash matches: by default the MD5 that the authors of BEIR publish.
#
#   scripts/fetch_beir.sh NAME DIR       NAME: nfcorpus, scifact, fiqa, arguana, scidocs, trec-covid, ... (--list)
#     --url URL                          another address of the archive (a .zip with corpus.jsonl, queries.jsonl, qrels/)
#     --md5 HASH | --sha256 HASH         its hash, for an archive that is not in the list
#     --no-check                         accept whatever is downloaded
#
# Requires network access. Exit code 0: unpacked, 2: error.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
exec "${PYTHON:-python3}" "$root/scripts/fetch_beir.py" "$@"
