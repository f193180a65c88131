#!/usr/bin/env bash
# Installs the C library, its headers and a file for pkg-config: install.sh PREFIX [FOLDER]. FOLDER has libraries that are
# built already; without it, they are built for release.
set -euo pipefail
[ $# -ge 1 ] || { echo 'usage: install.sh PREFIX [FOLDER]' >&2; exit 2; }
mkdir -p "$1"
prefix=$(cd "$1" && pwd)
built=$(cd "${2:-.}" && pwd)
cd "$(dirname "$0")"
if [ $# -lt 2 ]; then
    cargo build --profile dist -p robomata-abi
    built=${CARGO_TARGET_DIR:-../../target}/dist
fi
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' ../../Cargo.toml)
mkdir -p "$prefix/lib/pkgconfig" "$prefix/include"
install -m 644 include/robomata.h include/robomata.hpp include/robomata_googlebot.hpp "$prefix/include"
install -m 644 "$built/librobomata_abi.a" "$prefix/lib/librobomata.a"
install -m 755 "$built/librobomata_abi.so" "$prefix/lib/librobomata.so.1"
ln -sf librobomata.so.1 "$prefix/lib/librobomata.so"
# What a program needs besides the static library.
sed -e "s|@PREFIX@|$prefix|" -e "s|@VERSION@|$version|" -e 's|@PRIVATE@|-lpthread -ldl -lm|' robomata.pc.in \
    >"$prefix/lib/pkgconfig/robomata.pc"
echo "installed robomata $version in $prefix"
