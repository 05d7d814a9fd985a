package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Slurm whose jobs are processes of this machine, in the background; the job's number is that of the file of their ids.
const (
	sbatch = `#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    --array=*) last=${1#--array=1-} ;;
    --wrap) wrap=$2 ;;
  esac
  shift
done
for i in $(seq "$last"); do
  SLURM_ARRAY_TASK_ID=$i sh -c "$wrap" >>slurm.out 2>&1 &
  echo $! >>slurm-7
done
echo '7;cluster'
`
	scancel = `#!/bin/sh
kill -TERM $(cat "slurm-$1")
mv "slurm-$1" scancelled
`
)

// elastic carries a run out by deploy/elastic.sh: its workers are cancelled in the end, and the bytes are the same.
func (w *world) elastic() {
	script, err := filepath.Abs("../../deploy/elastic.sh")
	if err != nil {
		w.t.Fatal(err)
	}
	slurm := w.t.TempDir()
	for name, text := range map[string]string{"sbatch": sbatch, "scancel": scancel} {
		if err := os.WriteFile(filepath.Join(slurm, name), []byte(text), 0o777); err != nil {
			w.t.Fatal(err)
		}
	}
	cmd := exec.Command("sh", script, "spec.yaml", "store elastic", "2", "--out", "elastic")
	cmd.Env = append(os.Environ(), "TEMPORAL_ADDRESS="+w.address, "PATH="+strings.Join([]string{slurm, w.bin, os.Getenv("PATH")}, ":"))
	run := w.start(cmd)
	if err := run.wait(); err != nil {
		said, _ := os.ReadFile(filepath.Join(w.dir, "slurm.out"))
		w.t.Fatalf("%v\n%s\n%s", err, run, said)
	}
	w.same("elastic", "whole")
	ids, err := os.ReadFile(filepath.Join(w.dir, "scancelled"))
	if err != nil || len(strings.Fields(string(ids))) != 2 {
		w.t.Errorf("cancelled %q, want two workers (%v)", ids, err)
	}
}
