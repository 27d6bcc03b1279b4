#!/usr/bin/env bash
# Builds the whole test suite, sets up what it needs, and runs it. The last line is the count over all test programs:
# "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
export CARGO_TARGET_DIR=$PWD/target
# The binary that the tests run does the set-up: nothing is built twice.
cargo test --workspace --locked --quiet --no-run || exit 2
scripts/setup.sh --pipeline target/debug/pipeline || exit 2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cargo test --workspace --locked --no-fail-fast -- --quiet --show-output 2>&1 | tee "$log"
code=${PIPESTATUS[0]}
echo "build and tests took $SECONDS s"
skipped=$(grep -c '^skipped' "$log")
awk -v skipped="$skipped" -v code="$code" '/^test result: / { p += $4; f += $6; i += $8 }
  END { if (p + f == 0) { print "test: no test ran" > "/dev/stderr"; exit 2 }
        if (skipped) printf "%d tests said that they skipped what this machine lacks\n", skipped
        if (code && !f) { print "test: a test program ended without its count; see above" > "/dev/stderr"; f = 1 }
        printf "%d passed, %d failed\n", p, f }' "$log" || exit 2
exit "$code"
