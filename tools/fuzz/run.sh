#!/usr/bin/env bash
# Builds the fuzz targets with AddressSanitizer, runs each of them and prints a table:
#
#   run.sh [SECONDS] [TARGET...]     60 seconds each; without targets, all but parquet
#
# Inputs are kept in work/TARGET, and findings in artifacts/TARGET. With a finding, the exit code is 1. Seconds in the table are
# those of a core; the last two columns add up all runs, which are in work/runs.tsv.
# CORPORA=DIR also starts from real files, JOBS=N runs N targets at a time, and FUZZ_ARGS adds arguments of libFuzzer.
set -euo pipefail
cd "$(dirname "$0")"

seconds=${1:-60}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(policy answers rules program bundle captures frontier page standing abi)

# Instrumentation is an option of the compiler that stable versions hide.
export RUSTC_BOOTSTRAP=1
features=()
if [[ " ${targets[*]} " == *' parquet '* ]]; then features=(--features parquet); fi
cargo fuzz build --fuzz-dir . "${features[@]}"
host=$(rustc -vV | sed -n 's/^host: //p')
built=${CARGO_TARGET_DIR:-target}/$host/release
mkdir -p work
# See pack.sh.
[ -z "${CORPORA:-}" ] || touch work/has-real-files
"$built/seeds" write work ${CORPORA:+"$CORPORA"}

# Longer inputs make an execution slow, and find no more.
longest() {
    case $1 in
    answers | page) echo 2000 ;;
    rules | standing) echo 600 ;;
    *) echo 8000 ;;
    esac
}

row='%-9s %8s %11s %8s %8s %8s %9s %11s %15s\n'

# Runs one target, and writes its row of the table.
run() {
    local target=$1 log=work/$1.log status=0
    mkdir -p "work/$target" "artifacts/$target"
    local before found last executions cpu TIMEFORMAT='%U %S'
    before=$(find "artifacts/$target" -type f | wc -l)
    # shellcheck disable=SC2086 -- these are several arguments
    { time "$built/$target" "work/$target" -artifact_prefix="artifacts/$target/" -max_total_time="$seconds" \
        -max_len="$(longest "$target")" -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 ${FUZZ_ARGS:-} \
        >"$log" 2>&1; } 2>"work/$target.time" || status=$?
    found=$(($(find "artifacts/$target" -type f | wc -l) - before))
    if [ "$status" != 0 ]; then
        grep -m 1 -A 12 -aE 'panicked at|ERROR: ' "$log" >&2 || tail -n 20 "$log" >&2
        [ "$found" != 0 ] || found="exit code $status"
    fi
    last=$(grep -aE '^#[0-9]+.* cov: ' "$log" | tail -n 1)
    number() { sed -n "s/.* $1: \([0-9]*\).*/\1/p" <<<"$last"; }
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    cpu=$(awk '{ printf "%.0f", $1 + $2 }' "work/$target.time")
    printf '%s\t%s\t%s\t%s\n' "$target" "$cpu" "${executions:-0}" "$found" >>work/runs.tsv
    # shellcheck disable=SC2046 -- these are two columns
    printf "$row" "$target" "$cpu" "${executions:-?}" "$(number cov)" "$(number ft)" \
        "$(find "work/$target" -type f | wc -l)" "$found" \
        $(awk -v target="$target" '$1 == target { s += $2; n += $3 } END { print s, n }' work/runs.tsv) >"work/$target.row"
    [ "$status" = 0 ]
}

failed=
rm -f work/*.row
for target in "${targets[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-1}" ]; do wait -n || failed=yes; done
    run "$target" &
done
while [ -n "$(jobs -rp)" ]; do wait -n || failed=yes; done
# shellcheck disable=SC2059 -- both tables have the same columns
printf "$row" target seconds executions edges features inputs findings 'all seconds' 'all executions'
for target in "${targets[@]}"; do cat "work/$target.row"; done
# A job that had already ended when the loop looked is not waited for: the table has its findings.
[ -z "$(awk '$7 != 0' work/*.row)" ] && [ -z "$failed" ]
