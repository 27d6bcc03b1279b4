#!/usr/bin/env bash
# Builds the whole test suite, sets up what it needs, and runs it. The last line is the count over all test programs:
# "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
export CARGO_TARGET_DIR=$PWD/target
# The binary that the tests run does the set-up: nothing is built twice.
cargo test --workspace --locked --quiet --no-run || exit 2
scripts/setup.sh --pipeline target/debug/pipeline || exit 2
# The stand-in for a Qdrant server, made once for each list of packages. With QDRANT_URL the tests use that server.
shim=target/qdrant-tools-$(sha256sum <scripts/qdrant_shim.txt | cut -c1-12)
if [ -z "${QDRANT_URL-}" ] && [ ! -x "$shim/bin/python" ]; then
  "${PYTHON:-python3}" -m venv "$shim" &&
    "$shim/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r scripts/qdrant_shim.txt ||
    { rm -rf "$shim"; exit 2; }
fi
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
