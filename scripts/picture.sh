#!/usr/bin/env bash
# Draws the README's picture, docs/session.svg, from what the program prints.
# It needs target/release/pipeline and the index of the sample papers: run scripts/run.sh first.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/target/release:$PATH PIPELINE__INDEX__DIR=index-sample PIPELINE__LOG__FILE=
exec "${PYTHON:-python3}" scripts/terminal_svg.py docs/session.svg \
  'pipeline ask "Did alternating walking raise peak oxygen uptake more than steady walking?"' \
  'pipeline ask "What did BRISKLINE find on telomere length?"'
