#!/usr/bin/env bash
# Repeats docs/results.md part by part:
#
#     bash docs/reproduce.sh                       lists the parts and what each costs
#     bash docs/reproduce.sh [--smoke] PART…       runs them; all: every part
#
# What a part leaves is in runs/reproduce/PART, or $OUT/PART. --smoke runs the same commands on small problems with
# hardly any training, in about a minute of processor time for all parts: it shows that they work. Numbers differ from
# results.md within their intervals where trainer and judge have changed since their commits.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The costs are CPU minutes of the recorded runs; ~ is an estimate.
parts='misses|1|How much the search misses
tables|~5|Tables without training; birds and Leuven need their files in $MAPO_DATA
noise|~5|the figure of wrong answers
thresholds|25|examples/thresholds.yaml: five levels
levels|30|nine levels, identification, and the figure of worst cases
regret|24|nine levels, simple regret
weight|12|nine levels with a trade-off weight of 0.03, after levels
race|~320|the race of both trainers, identification (docs/race.sh)
race-regret|~200|the same, simple regret
optimal|~1|How far from optimal
birds|36|birds, w = 0; needs cub_pyes.csv.gz in $MAPO_DATA
animals|~40|animals, rows, w = 0.6
animals-noise|~15|animals with flipped answers, w = 0.99
people|~3|another source of answers, both ways; needs cross_authors.csv and cross_leuven.csv in $MAPO_DATA
birds-average|~35|birds, rows, w = 0.6; likewise
leuven|~60|Leuven, rows, w = 0.6; needs leuven_animal_pyes.csv.gz in $MAPO_DATA
arms|~30|Arms, success or not
arms-gaussian|19|Arms, Gaussian rewards
linear|~22|Vectors: 20 queries and 10 hypotheses
content|~22|Vectors: 30 dishes
classifiers|26|Pools: five models, 60 items, 20 labels
jester|26|Jester, w = 0.7; needs jester_complete.csv.gz and jester_z10.csv in $MAPO_DATA
service|~4|load and kills; needs PostgreSQL
speed|6|a training iteration; the ratio needs PyTorch
cluster|47|a run through Temporal beside one in a process; needs temporal in PATH'

nine='levels: [8, 11.3137085, 16, 22.627417, 32, 45.254834, 64, 90.509668, 128]'
priors='priors: ["flip:0.5", "flip:0.6", "flip:0.7", "flip:0.8", "flip:0.9"]'
rivals='rivals: [uniform, uncertainty, "sgbs:0.01", "sgbs:0.1", "sgbs:0.3", bayes-lal]'

# spec PART prints the part's spec.
spec() {
  case $1 in
  thresholds | cluster) cat examples/thresholds.yaml ;;
  levels | regret | weight)
    printf 'problem: {thresholds: {d: 25}}\nbudget: 20\nseed: 1\n%s\nevaluate: {%s, %s}\n' "$nine" "$rivals" "$priors"
    ;;&
  regret) printf 'loss: simple-regret\n' ;;
  weight) printf 'objective: {average: "flip:0.7", weight: 0.03}\n' ;;
  optimal) printf 'problem: {thresholds: {d: 3}}\nbudget: 5\ninstances: tiny.csv\nlevels: [%s]\nevaluate: {rivals: [uniform]}\n' "$2" ;;
  arms | arms-gaussian | linear | content | classifiers | birds | birds-average | animals | animals-noise) cat "examples/$1.yaml" ;;
  leuven)
    sed -e 's/cub_pyes/leuven_animal_pyes/' -e 's/^levels: .*/levels: [8, 16, 32]/' examples/birds-average.yaml ;;
  jester)
    printf 'problem: {jester: {file: jester_complete.csv.gz, hypotheses: jester_z10.csv}}\nbudget: 20\nloss: simple-regret\n'
    printf 'objective: {average: users, weight: 0.7}\nevaluate: {rivals: [uniform, uncertainty, "sgbs:0.01"], priors: [users]}\n'
    ;;
  esac
}

# small makes a spec one that runs in a second or two, and needs no data.
small() {
  sed -E -e 's/d: 25/d: 5/' -e 's/^budget: [246]0/budget: 4/' -e 's/count: 10/count: 4/' -e 's/^levels: \[.{20,}/levels: [8, 32]/' -e 's/queries: 100/queries: 6/' \
    -e 's/[a-z_]+\.csv\.gz/animals.csv/' -e 's/\{jester: .*/{table: animals.csv, select: {queries: 6}}/' -e 's/users/table/' \
    -e 's/rivals: \[[^]]*\]/rivals: [uniform]/' -e 's/^train: .*/train: {preset: smoke}/'
}

# run PART [LEVEL] writes the part's spec and runs it, or resumes the run.
run() {
  mkdir -p "$out/$1"
  local file=$out/$1/spec${2:-}.yaml folder=$out/$1/run${2:-}
  if [ -n "$smoke" ]; then spec "$@" | small >"$file"; else spec "$@" >"$file"; fi
  cp examples/*.csv "$out/$1/"
  show "$mapo" run "$file" $smoke --out "$folder" --store "$out/store" $([ ! -d "$folder" ] || printf -- --resume)
}

# show prints a command and runs it.
show() {
  printf '$ %s\n' "${*/#$mapo/mapo}"
  "$@"
}

# needs FILE… reports whether the data are there; at smoke scale none are needed.
needs() {
  local file
  for file in "$@"; do
    if [ -z "$smoke" ] && [ ! -f "${MAPO_DATA:-}/$file" ]; then
      printf '%s is not in $MAPO_DATA: skipped\n' "$file"
      return 1
    fi
  done
}

average() { show "$mapo" eval information:0.03 --problem "$1" --prior table --games "${games:-20000}" "${@:2}"; }

# rows TABLE SELECT prints the spec of a table that is played without training.
rows() { printf 'problem: {table: %s%s}\ntruth: rows\nask-once: true\nbudget: 20\n' "$1" "$2"; }

part() {
  local games=${smoke:+200} long r
  long=$([ -n "$smoke" ] || printf 1)
  case $1 in
  misses) show env MAPO_CI=1 MAPO_LONG=$long go test -count=1 ./adversary/search -run 'TestShortfall$' -v ;;
  tables)
    average examples/animals.csv --flip 0,0.05,0.1,0.2
    [ -n "$smoke" ] || show env MAPO_LONG=1 go test -count=1 ./game/play -run TestAnimals -v
    mkdir -p "$out/tables"
    rows cub_pyes.csv.gz ', select: {queries: 100, design: balanced}' >"$out/tables/birds.yaml"
    rows leuven_animal_pyes.csv.gz '' >"$out/tables/leuven.yaml"
    [ -n "$smoke" ] || ! needs cub_pyes.csv.gz || average "$out/tables/birds.yaml"
    [ -n "$smoke" ] || ! needs leuven_animal_pyes.csv.gz || average "$out/tables/leuven.yaml"
    ;;
  noise)
    mkdir -p "$out/noise"
    show "$mapo" eval information:0.03 sgbs:0.1+posterior uniform --problem examples/animals.csv --prior table \
      --flip 0,0.05,0.1,0.2,0.3 ${games:+--games "$games"} --svg "$out/noise/noise.svg"
    ;;
  race) show bash docs/race.sh ${smoke:+1 tiny} ${long:+4100 thresholds-32} ;;
  race-regret) show bash docs/race.sh ${smoke:+1 tiny-regret} ${long:+2100 thresholds-32-regret} ;;
  optimal)
    show "$mapo" certify examples/tiny.yaml
    for r in 8 16 32; do run optimal $r; done
    ;;
  people)
    [ -n "$smoke" ] || ! needs cross_authors.csv cross_leuven.csv || for pair in 'authors leuven' 'leuven authors'; do
      set -- $pair
      show "$mapo" eval information:0.03 instant:0 instant:0.7 --problem "$MAPO_DATA/cross_$1.csv" \
        --answers "$MAPO_DATA/cross_$2.csv" --games 20000
    done
    ;;
  birds | birds-average) ! needs cub_pyes.csv.gz || run "$1" ;;
  leuven) ! needs leuven_animal_pyes.csv.gz || run leuven ;;
  jester) ! needs jester_complete.csv.gz jester_z10.csv || run jester ;;
  service) show env MAPO_LONG=$long go test -count=1 -timeout 60m ./serve/web -run "TestLoad${long:+|TestKilledServer}" -v ;;
  speed)
    show "$mapo" bench ${smoke:+--rollouts 100}
    [ -n "$smoke" ] || show python3 bench/ratio.py
    ;;
  cluster)
    mkdir -p "$out/cluster"
    if [ -n "$smoke" ]; then spec cluster | small; else spec cluster; fi >"$out/cluster/spec.yaml"
    if command -v temporal >/dev/null; then
      show python3 bench/cluster.py "$out/cluster/spec.yaml" $smoke --pairs 1
    else
      printf 'temporal is not in PATH: skipped\n'
    fi
    ;;
  *) run "$1" ;;
  esac
}

smoke=
if [ "${1:-}" = --smoke ]; then
  smoke='--scale smoke'
  shift
fi
if [ $# -eq 0 ]; then
  printf 'part\tCPU minutes\twhat\n%s\n' "${parts//|/$'\t'}" | column -t -s $'\t'
  exit
fi
all=$(cut -d '|' -f 1 <<<"$parts")
if [ "$1" = all ]; then mapfile -t wanted <<<"$all"; else wanted=("$@"); fi
for name in "${wanted[@]}"; do
  if ! grep -qx -e "$name" <<<"$all"; then
    printf 'reproduce.sh: there is no part %s; the parts are %s\n' "$name" "$(tr '\n' ' ' <<<"$all")" >&2
    exit 2
  fi
done
out=${OUT:-runs/reproduce}
mkdir -p "$out"
out=$(cd "$out" && pwd)
export CGO_ENABLED=0
mapo=$out/mapo
go build -o "$mapo" ./cmd/mapo
for name in "${wanted[@]}"; do
  printf '\n== %s\n' "$name"
  part "$name"
done
