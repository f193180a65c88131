#!/usr/bin/env bash
# Counts the instructions of parsing, compiling and checking (also usages, sites in random order, and several crawlers)
# of small fixed corpora, and compares them with instructions.toml: a count that grew by more than 5 % is a failure. Counts
# are compared only with the recorded versions of the compiler and valgrind, since other versions give other counts.
# --update records the current counts.
set -euo pipefail
cd "$(dirname "$0")"

recorded=instructions.toml
parts='parse compile check usage random groups'

if ! command -v valgrind >/dev/null; then
    echo 'instructions: valgrind is missing: nothing is counted'
    exit 0
fi

rustc=$(rustc --version)
valgrind=$(valgrind --version)
target=${CARGO_TARGET_DIR:-../target}
# Built alone, so that little is compiled; the counts are those of a build with these features.
cargo build --release -q -p robomata-instructions

# Use only the instructions of the generic processor: valgrind must know all of them.
count() {
    local log
    log=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no \
        --toggle-collect="*count_$1*" "$target/release/instructions" 2>&1) || { echo "$log" >&2; return 1; }
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p' <<<"$log"
}

value() {
    sed -n "s/^$1 = \"\{0,1\}\([^\"]*\)\"\{0,1\}$/\1/p" "$recorded"
}

found="# Instructions of fixed work; instructions.sh compares and, with --update, writes this file.
rustc = \"$rustc\"
valgrind = \"$valgrind\"

[counts]"
verdict=0
judges=no
if [ -f "$recorded" ] && [ "$(value rustc)" = "$rustc" ] && [ "$(value valgrind)" = "$valgrind" ]; then
    judges=yes
fi

for part in $parts; do
    now=$(count "$part")
    found="$found
$part = $now"
    before=$([ -f "$recorded" ] && value "$part" || true)
    if [ -z "$before" ]; then
        printf '%-8s %12d\n' "$part" "$now"
        continue
    fi
    change=$(awk -v now="$now" -v before="$before" 'BEGIN { printf "%+.2f", (now / before - 1) * 100 }')
    printf '%-8s %12d, recorded %d (%s %%)\n' "$part" "$now" "$before" "$change"
    if [ "$judges" = yes ] && awk -v change="$change" 'BEGIN { exit !(change > 5) }'; then
        echo "instructions: $part grew by more than 5 %"
        verdict=1
    fi
done

if [ "${1:-}" = --update ]; then
    printf '%s\n' "$found" >"$recorded"
    echo "instructions: recorded"
    exit 0
fi
if [ "$judges" = no ]; then
    echo "instructions: not compared: the record is for $(value rustc), $(value valgrind);" \
        "this machine has $rustc, $valgrind"
fi
exit "$verdict"
