#!/bin/sh
# elastic.sh SPEC STORE WORKERS [FLAG...]
# Carries out a run on Slurm with workers that come and go, through the Temporal server of TEMPORAL_ADDRESS or of the
# profile. STORE is on a file system that all nodes mount, or a bucket. Each FLAG is given to mapo run. More workers
# join by the sbatch line below, and any may be cancelled. The workers of this script end with it.
set -eu
spec=$1
MAPO_STORE=$2
workers=$3
shift 3
export MAPO_STORE

# 90 s before its time limit a worker is told to stop, and saves checkpoints.
id=$(sbatch --parsable --export=ALL --array=1-"$workers" --cpus-per-task="${MAPO_CPUS:-8}" --requeue --signal=B:TERM@90 \
  --wrap 'exec mapo worker --temporal env --store "$MAPO_STORE" --create')
trap 'scancel "${id%%;*}"' EXIT
trap 'exit 130' INT TERM
mapo run "$spec" --temporal env --store "$MAPO_STORE" "$@"
