#!/usr/bin/env bash
# How much more work and time the paper's algorithm needs than the default trainer for the same judged worst case:
#
#     bash bench/yardstick.sh [TIME] [CASE…]
#
# trains both for TIME (10m) on this machine in each case, as its first iterations say (a policy that has learnt plays
# faster: of 210m identification took 109), and prints the ratios, by level. Cases: thresholds-32 and
# thresholds-32-regret (r = 32 alone), thresholds and thresholds-regret (the paper's nine levels), birds and birds-small
# (a table of 200 birds, cub_pyes.csv.gz in $MAPO_DATA), tiny and tiny-regret (five queries, to try the command). The
# paper's algorithm is that of its appendix D with all iterations scaled to the time. SMALL=1 gives it the batches and rates of desk scale instead, which get further in an
# hour than 10,000 games an iteration do. START=uniform, or another, is what the default trainer starts near.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

time=${1:-10m}
cases=("${@:2}")
if [ ${#cases[@]} -eq 0 ]; then cases=(thresholds-32 thresholds-32-regret thresholds thresholds-regret birds); fi
paper='{preset: paper, estimator: paper}'
if [ -n "${SMALL:-}" ]; then paper='{preset: desk, paper: {}, estimator: paper, mlp: {}, M: 64, L: 16, rate_psi: 1e-3}'; fi

start=
if [ -n "${START:-}" ]; then start=", structured: {start: $START}"; fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
go build -o "$scratch/mapo" ./cmd/mapo

# spec CASE TRAIN prints the case's spec with that training.
spec() {
  case $1 in
  tiny*) printf 'problem: {thresholds: {d: 5}}\nbudget: 4\nlevels: [32]\n' ;;
  thresholds*) printf 'problem: {thresholds: {d: 25}}\nbudget: 20\n' ;;
  birds-small) printf 'problem: {table: cub_pyes.csv.gz, select: {queries: 30}}\nask-once: true\nbudget: 10\nlevels: [32]\n' ;;
  birds) printf 'problem: {table: cub_pyes.csv.gz, select: {queries: 100}}\nask-once: true\nbudget: 20\n' ;;
  *) printf 'unknown case %s\n' "$1" >&2; return 1 ;;
  esac
  case $1 in
  thresholds-32*) printf 'levels: [32]\n' ;;
  birds) printf 'levels: [5.656854249492381, 8, 16, 22.627416997969522, 32]\n' ;;
  thresholds*) printf 'levels: [8, 11.313708498984761, 16, 22.627416997969522, 32, 45.254833995939045, 64, 90.50966799187809, 128]\n' ;;
  esac
  case $1 in *-regret) printf 'loss: simple-regret\n' ;; esac
  printf 'train: %s\nevaluate: {rivals: [uniform, uncertainty, "sgbs:0.01", "sgbs:0.1", "sgbs:0.3"]}\n' "$2"
}

for name in "${cases[@]}"; do
  spec "$name" "{preset: desk$start}" >"$scratch/$name.yaml"
  spec "$name" "$paper" >"$scratch/$name-paper.yaml"
  printf '\n== %s\n' "$name"
  "$scratch/mapo" bench yardstick "$scratch/$name.yaml" "$scratch/$name-paper.yaml" --time "$time"
done
