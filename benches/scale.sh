#!/usr/bin/env bash
# A generated collection, end to end, in bounded memory: the time of each step relative to the lower bound, and its memory.
#
#     benches/scale.sh [SITES [URLS [FOLDER]]]        default: 100000 1000000 and a temporary folder
#
# Ten million sites and a hundred million URLs need about 31 GB in FOLDER. The output is Markdown. The memory is the
# process's own (RssAnon); pages of mapped bundles belong to the system, which takes them back when it needs them.
set -euo pipefail
cd "$(dirname "$0")/.."

sites=${1:-100000}
urls=${2:-1000000}
folder=${3:-$(mktemp -d)}
mkdir -p "$folder"
[ $# -ge 3 ] || trap 'rm -rf "$folder"' EXIT

cargo build --release -q --workspace --bins
bin=${CARGO_TARGET_DIR:-target}/release
robomata=$bin/robomata
cd_free() { df --output=avail -h "$folder" | tail -1 | tr -d ' '; }

# Runs a command and prints a row: seconds, its own peak memory, bytes written.
row() {
    local name=$1 output=$2 start end own=0 now pid
    shift 2
    start=$(date +%s.%N)
    "$@" &
    pid=$!
    while kill -0 "$pid" 2>/dev/null; do
        now=$(awk '/^RssAnon/ { print $2 }' "/proc/$pid/status" 2>/dev/null || true)
        [ "${now:-0}" -gt "$own" ] && own=$now
        sleep 0.1
    done
    wait "$pid"
    end=$(date +%s.%N)
    awk -v name="$name" -v s="$start" -v e="$end" -v own="$own" -v size="$(stat -c %s "$output" 2>/dev/null || echo 0)" \
        'BEGIN { printf "| %s | %.1f | %.0f | %.2f |\n", name, e - s, own / 1024, size / 1e9 }'
}

to() { local file=$1; shift; "$@" >"$file"; }

echo "$sites sites, $urls URLs, $(nproc) cores, $(cd_free) free"
echo
echo '| step | seconds | own memory, MB | GB written |'
echo '|---|--:|--:|--:|'
row 'generate' "$folder/urls.txt" "$bin/corpus" generate --seed 9309 --sites "$sites" --urls "$urls" \
    --robots "$folder/robots.jsonl" --frontier "$folder/urls.txt" 2>"$folder/log"
row 'floor: `cat` captures' /dev/null to /dev/null cat "$folder/robots.jsonl"
row 'compile' "$folder/policies.bundle" "$robomata" compile "$folder/robots.jsonl" --agent Googlebot \
    -o "$folder/policies.bundle" 2>>"$folder/log"
rm "$folder/robots.jsonl"
row 'inspect' /dev/null to "$folder/inspected" "$robomata" inspect "$folder/policies.bundle"
row 'floor: `cat` URLs' "$folder/copy.txt" to "$folder/copy.txt" cat "$folder/urls.txt"
rm "$folder/copy.txt"
row 'filter' "$folder/allowed.txt" "$robomata" filter --agent Googlebot --policies "$folder/policies.bundle" \
    --to "$folder/allowed.txt" --stats "$folder/stats.json" "$folder/urls.txt"
rm "$folder/allowed.txt"
row 'floor: `sort` URLs' "$folder/sorted.txt" env LC_ALL=C sort -S 2G -T "$folder" -o "$folder/sorted.txt" "$folder/urls.txt"
rm "$folder/urls.txt"
row 'filter, sorted' "$folder/allowed.txt" "$robomata" filter --agent Googlebot --policies "$folder/policies.bundle" \
    --to "$folder/allowed.txt" "$folder/sorted.txt"
rm "$folder/allowed.txt" "$folder/sorted.txt"
row 'shard, 8' /dev/null "$robomata" shard "$folder/policies.bundle" -n 8 -o "$folder/shard" 2>>"$folder/log"
echo
echo '```'
cat "$folder/inspected" "$folder/stats.json"
echo '```'
