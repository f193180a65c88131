#!/usr/bin/env bash
# Builds the playground into one file, dist/index.html. Needs Node 20, npm, and what the npm package needs.
# --no-module: takes the WebAssembly module that was built last.
set -euo pipefail
cd "$(dirname "$0")"

case "${1:-}" in
    '') ../../crates/wasm/build.sh ;;
    --no-module) ;;
    *) echo "unknown argument: $1 (only --no-module is known)" >&2; exit 2 ;;
esac
[ -f ../../crates/wasm/npm/dist/esm/playground.wasm.js ] ||
    { echo 'missing: the WebAssembly module (run crates/wasm/build.sh)' >&2; exit 1; }
npm ci --ignore-scripts --no-audit --no-fund
node_modules/.bin/tsc -p .
node build.mjs
