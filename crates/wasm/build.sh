#!/usr/bin/env bash
# Builds the npm package: its WebAssembly modules and its JavaScript. Needs Node 20, npm, and cargo with the target
# wasm32-unknown-unknown; the README says what to do without it.
set -euo pipefail
cd "$(dirname "$0")"

fail() { echo "$1" >&2; exit 1; }
node -e 'process.exit(+(process.versions.node.split(".")[0] < 20))' 2>/dev/null || fail 'missing: node 20 or later'
npm --version >/dev/null 2>&1 || fail 'missing: npm'

# What is not wanted is left out: the texts of panics, and what std does for speed.
target=wasm32-unknown-unknown
# The sources of the standard library come with rustup's component rust-src. A machine that cannot fetch it may have Debian's
# compiler for this target, whose packages contain them.
has_sources() { [ -d "$(rustc --print sysroot)/lib/rustlib/src/rust/library" ]; }
has_debian() { [ -x /usr/bin/rustc ] && [ -d "$(/usr/bin/rustc --print sysroot)/lib/rustlib/src/rust/library" ]; }
if ! has_sources && command -v rustup >/dev/null; then
    rustup component add rust-src || true
fi
if ! has_sources && ! has_debian && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    { apt-get update && apt-get install -y --no-install-recommends rustc-web rust-web-src; } >/dev/null 2>&1 || true
fi
if ! has_sources; then
    has_debian || fail "missing: the sources of std (rustup component add rust-src, or Debian's rustc-web and rust-web-src)"
    linker=$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin/rust-lld
    [ -x "$linker" ] || linker=$(command -v wasm-ld) || fail "missing: rust-lld or wasm-ld, a linker for $target"
    # A folder of its own, because what another compiler built does not fit.
    export RUSTC=/usr/bin/rustc CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$linker
    export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/../../target}/debian
fi
# std is built for the module, which is unstable and needs no nightly compiler. With the crate's other types, cargo would not
# optimize the module as a whole.
build=(
    cargo rustc --crate-type cdylib --profile wasm --target "$target" -p robomata-abi --no-default-features
    -Zbuild-std=std,panic_abort -Zbuild-std-features=optimize_for_size -Zpanic-immediate-abort
    --config 'profile.wasm.panic="immediate-abort"'
)
folder=${CARGO_TARGET_DIR:-../../target}
npm ci --prefix npm --ignore-scripts --no-audit --no-fund
rm -rf npm/dist
mkdir -p npm/dist/esm npm/dist/cjs "$folder/wasm"

# What rustc uses, and every browser and Node have.
features=(
    --mvp-features --enable-bulk-memory --enable-bulk-memory-opt --enable-multivalue --enable-mutable-globals
    --enable-nontrapping-float-to-int --enable-reference-types --enable-sign-ext --enable-simd
)

# module NAME FEATURES
module() {
    RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS=-Ctarget-feature=+simd128 \
        "${build[@]}" --features "$2"
    local opt=(npm/node_modules/.bin/wasm-opt "${features[@]}") built=$folder/wasm/$1
    # No address is below 1024: the stack is there, and grows down. Functions with one caller are not inlined into it: gzip
    # compresses two small functions better than a large one.
    "${opt[@]}" -O3 --converge --low-memory-unused --one-caller-inline-max-function-size=1 \
        --strip-debug --strip-producers --strip-target-features \
        "$folder/$target/wasm/robomata_abi.wasm" -o "$built.optimized.wasm"
    node npm/order.mjs "$built.optimized.wasm" "$built.ordered.wasm"
    "${opt[@]}" --reorder-functions-by-name --strip-debug "$built.ordered.wasm" -o "$built.wasm"
    node npm/module-text.mjs "$folder/wasm/$1.wasm" npm/dist "$1"
}
everything=permissions,pages,lint,expectations,drawing,standing
module checks ''
module robomata explain,lint
module permissions permissions,lint,expectations
module playground "$everything"

npm/node_modules/.bin/tsc -p npm/tsconfig.json
npm/node_modules/.bin/tsc -p npm/tsconfig.cjs.json
echo '{ "type": "commonjs" }' >npm/dist/cjs/package.json
cp ../../LICENSE-APACHE ../../LICENSE-MIT npm/

# The features are those of the module that contains all others. The package has no dependencies besides.
rm -f npm/sbom.cdx.json
if cargo cyclonedx --version >/dev/null 2>&1; then
    ../../tools/sbom.py ../abi npm/sbom.cdx.json --subject pkg:npm/robomata \
        --no-default-features --features "$everything" --target "$target"
else
    echo 'no cargo-cyclonedx: the package has no software bill of materials (cargo install cargo-cyclonedx --locked)' >&2
fi
