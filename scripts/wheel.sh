#!/usr/bin/env bash
# Builds the wheel of the release binary into target/wheels.
#
#   scripts/wheel.sh [--try]
#     --try    also installs it with pip into an empty environment, sets it up there, and asks the sample papers a question
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-} in
  '' | --try) ;;
  -h | --help) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) echo "wheel.sh: unknown argument: $1" >&2; exit 2 ;;
esac
python=${PYTHON:-python3}
tools=target/wheel-tools
[ -x "$tools/bin/maturin" ] || { "$python" -m venv "$tools"; "$tools/bin/pip" install --quiet "$(sed -n 's/^requires = \["\(.*\)"\]$/\1/p' pyproject.toml)"; }
rm -rf target/wheels
"$tools/bin/maturin" build --release --quiet --out target/wheels
ls -sh target/wheels
[ "${1:-}" = --try ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/env"
SECONDS=0
"$work/env/bin/pip" install --quiet target/wheels/*.whl
echo "installed after $SECONDS s"
export PIPELINE_NATIVES=$work/natives
SECONDS=0
"$work/env/bin/pipeline" setup --quiet
"$work/env/bin/pipeline" --index "$work/index" ingest corpus --quiet
"$work/env/bin/pipeline" --index "$work/index" ask "How many participants were randomised in the BRISKLINE trial?" | tee "$work/answer"
echo "set up, ingested and answered after $SECONDS s"
grep -q BRISKLINE "$work/answer"
