#!/usr/bin/env bash
# Packs the inputs of targets for the repository: of those in work/TARGET, the fewest that reach all code, without real files.
#
#   pack.sh TARGET...
#
# It needs a work folder that run.sh has filled without CORPORA.
set -euo pipefail
cd "$(dirname "$0")"
[ $# -gt 0 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
if [ -e work/has-real-files ]; then
    echo 'pack.sh: work/ has inputs from real files, which stay out of the repository: start with another work folder' >&2
    exit 2
fi
host=$(rustc -vV | sed -n 's/^host: //p')
built=${CARGO_TARGET_DIR:-target}/$host/release
for target in "$@"; do
    least=$(mktemp -d)
    "$built/$target" -merge=1 -rss_limit_mb=4096 "$least" "work/$target" >"work/$target.merge.log" 2>&1 ||
        { tail -n 20 "work/$target.merge.log" >&2; exit 1; }
    printf '%s: ' "$target"
    "$built/seeds" pack "$least" "corpus/$target.zst"
    rm -r "$least"
done
