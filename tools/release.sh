#!/usr/bin/env bash
# Builds what is shipped from the last commit: the command, the C library, a software bill of materials
# (SBOM) of each, and checksums.
#
#   tools/release.sh FOLDER      into FOLDER
#   tools/release.sh --verify    twice, in different directories, and compares the results
#
# The bytes depend on the commit, the compiler and the system's linker, not on directories, times or users. Needs git, python3, a
# C compiler and cargo-cyclonedx (cargo install cargo-cyclonedx --locked).
set -euo pipefail
export LC_ALL=C
umask 022
repository=$(cd "$(dirname "$0")/.." && pwd)
# Both builds are of this commit, also if there is another one meanwhile.
commit=$(git -C "$repository" rev-parse HEAD)

# Builds into the folder $1, in the directory $2, which has to be new.
build() (
    mkdir -p "$1" "$2"
    folder=$(cd "$1" && pwd)
    work=$(cd "$2" && pwd)
    git clone -q "$repository" "$work/source"
    cd "$work/source"
    git checkout -q --detach "$commit"
    # The instant of everything that has one is that of the commit.
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
    cargo=${CARGO_HOME:-$HOME/.cargo}
    # Messages of panics and debug information name source files.
    places=("$work/source=/robomata" "$work/target=/target" "$cargo=/cargo" "$(rustc --print sysroot)=/rust")
    export SOURCE_DATE_EPOCH CARGO_TARGET_DIR="$work/target"
    CARGO_ENCODED_RUSTFLAGS=$(printf '%s\037' "${places[@]/#/--remap-path-prefix=}")
    export CARGO_ENCODED_RUSTFLAGS=${CARGO_ENCODED_RUSTFLAGS%$'\037'}
    export CFLAGS="${places[*]/#/-ffile-prefix-map=}"
    # One after the other: in one call, the library would get features, and with them packages, that only the command needs.
    cargo build -q --locked --profile dist -p robomata-cli
    cargo build -q --locked --profile dist -p robomata-abi
    install -m 755 "$work/target/dist/robomata" "$folder"
    install -m 644 "$work/target/dist/librobomata_abi.a" "$folder/librobomata.a"
    install -m 755 "$work/target/dist/librobomata_abi.so" "$folder/librobomata.so.1"
    tools/sbom.py crates/cli "$folder/robomata.cdx.json"
    tools/sbom.py crates/abi "$folder/librobomata.cdx.json"
    cd "$folder"
    sha256sum librobomata.a librobomata.cdx.json librobomata.so.1 robomata robomata.cdx.json >SHA256SUMS
)

[ $# -eq 1 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
cargo cyclonedx --version >/dev/null 2>&1 || {
    echo 'release.sh: cargo-cyclonedx is missing: cargo install cargo-cyclonedx --locked' >&2
    exit 2
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ "$1" = --verify ]; then
    build "$scratch/first" "$scratch/a"
    rm -rf "$scratch/a"
    build "$scratch/second" "$scratch/another-directory"
    cat "$scratch/first/SHA256SUMS"
    diff "$scratch/first/SHA256SUMS" "$scratch/second/SHA256SUMS" || {
        echo 'release.sh: two builds differ' >&2
        exit 1
    }
    echo 'both builds have these checksums'
else
    [ ! -e "$1" ] || { echo "release.sh: $1 exists: name a new folder" >&2; exit 2; }
    build "$1" "$scratch/build"
    cat "$1/SHA256SUMS"
fi
