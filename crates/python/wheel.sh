#!/usr/bin/env bash
# Builds the wheel that is shipped into the folder $1, with a software bill of materials (SBOM) in it. Needs maturin, git and
# cargo-cyclonedx (cargo install cargo-cyclonedx --locked).
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,3s/^# \{0,1\}//p' "$0" >&2; exit 2; }
folder=$(realpath -m "$1")
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tools/sbom.py crates/python "$scratch/robomata.cdx.json" --subject pkg:pypi/robomata
maturin build --profile "${PROFILE:-dist}" --out "$folder" --sbom-include "$scratch/robomata.cdx.json"
