#!/usr/bin/env bash
# Fetches the openly licensed papers of corpus/open-papers.csv into open-papers, which git ignores.
# It needs to reach the publishers; each file is checked, and what is there already is not fetched again.
#
#   scripts/fetch_corpus.sh [--help]     exit code 0: all there, 1: some missing, 2: error (nothing can be reached, bad list)
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
exec "${PYTHON:-python3}" "$root/scripts/fetch_corpus.py" "$@"
