#!/usr/bin/env bash
# What the default trainer and the paper's algorithm reach in the same time, on this machine:
#
#     bash docs/race.sh [TIME] [CASE…]
#
# trains both in each case for a quarter of TIME (600, in seconds), a half of it and all of it, and prints the judged
# worst cases and the environment steps. Cases: thresholds-32 and thresholds-32-regret (r = 32 alone), thresholds and
# thresholds-regret (nine levels), tiny and tiny-regret (five queries, to try the command). The paper's algorithm has
# the batches and rates of desk scale. Policies are judged as desk's are, in tiny cases as smoke's.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

time=${1:-600}
cases=("${@:2}")
if [ ${#cases[@]} -eq 0 ]; then cases=(thresholds-32 thresholds-32-regret); fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
go build -o "$scratch/mapo" ./cmd/mapo

# spec CASE TRAIN prints the case's spec with that training.
spec() {
  case $1 in
  tiny*) printf 'problem: {thresholds: {d: 5}}\nbudget: 4\nlevels: [32]\n' ;;
  thresholds-32*) printf 'problem: {thresholds: {d: 25}}\nbudget: 20\nlevels: [32]\n' ;;
  thresholds*)
    printf 'problem: {thresholds: {d: 25}}\nbudget: 20\n'
    printf 'levels: [8, 11.3137085, 16, 22.627417, 32, 45.254834, 64, 90.509668, 128]\n'
    ;;
  *) printf 'unknown case %s\n' "$1" >&2; return 1 ;;
  esac
  case $1 in *-regret) printf 'loss: simple-regret\n' ;; esac
  printf 'train: %s\nevaluate: {rivals: [], priors: []}\n' "$2"
}

for name in "${cases[@]}"; do
  preset=desk
  case $name in tiny*) preset=smoke ;; esac
  printf '\n== %s: seconds, trainer, r, worst case, its interval, steps of mapo\n' "$name"
  for part in 4 2 1; do
    seconds=$(awk "BEGIN { print $time / $part }")
    for trainer in default paper; do
      settings=
      if [ $trainer = paper ]; then settings=', paper: {}, estimator: paper, mlp: {}, M: 64, L: 16, rate_psi: 1e-3'; fi
      run=$scratch/$name-$trainer-$part
      spec "$name" "{preset: $preset$settings}" >"$run.yaml"
      "$scratch/mapo" run "$run.yaml" --max-time "${seconds}s" --out "$run" --yes >"$run.out" 2>&1 || { cat "$run.out" >&2; exit 1; }
      steps=$(grep '"policy":"\(mapo\|pi-1\)"' "$run/log.jsonl" | sed -n 's/.*"work":\([0-9.e+]*\).*/\1/p' | tail -n 1)
      awk -F, -v s="$seconds" -v t=$trainer -v n="$steps" \
        '$1 == "worst-case" && $2 == "mapo" { printf "%s s  %-8s r = %s  %.3f [%.3f, %.3f]  %s\n", s, t, $4, $7, $8, $9, n }' "$run/results.csv"
    done
  done
done
