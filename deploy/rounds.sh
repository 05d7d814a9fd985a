#!/bin/sh
# rounds.sh SPEC STORE [FLAG...]
# Carries out a run on Slurm without a server: round after round, a job array of what can be done now. STORE, and the
# folder it is started in, are on a file system that all nodes mount; STORE may be a bucket. Each FLAG is given to
# mapo step --list and to mapo run. Stopped, the same command continues.
set -eu
spec=$1
MAPO_STORE=$2
shift 2
MAPO_JOBS=$(mktemp "$PWD/mapo-jobs.XXXXXX")
export MAPO_STORE MAPO_JOBS
trap 'rm -f "$MAPO_JOBS"' EXIT
trap 'exit 130' INT TERM

before=
while :; do
  now=$(mapo step --list "$spec" --store "$MAPO_STORE" "$@")
  [ -n "$now" ] || break
  if [ "$now" = "$before" ]; then
    echo "rounds.sh: no job of the last round ended: see the slurm-*.out files" >&2
    exit 1
  fi
  before=$now
  printf '%s\n' "$now" >"$MAPO_JOBS"
  sbatch --wait --export=ALL --array=1-"$(wc -l <"$MAPO_JOBS")" --cpus-per-task="${MAPO_CPUS:-8}" --requeue \
    --wrap 'exec mapo step $(sed -n "${SLURM_ARRAY_TASK_ID}p" "$MAPO_JOBS") --store "$MAPO_STORE"' || {
    echo "rounds.sh: sbatch, or a job of the round, failed: see the slurm-*.out files" >&2
    exit 1
  }
done
mapo run "$spec" --store "$MAPO_STORE" "$@"
