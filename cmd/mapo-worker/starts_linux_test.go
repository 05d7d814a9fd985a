package main

import (
	"os"
	"path/filepath"
	"strings"
)

// starts: a start that fails leaves nothing in the way of the corrected command, a mistyped store is refused, and a run
// whose folder is taken says how to watch it.
func (w *world) starts() {
	gone := func(names ...string) {
		w.t.Helper()
		for _, name := range names {
			if _, err := os.Lstat(filepath.Join(w.dir, name)); err == nil {
				w.t.Errorf("%s was left behind", name)
			}
		}
	}
	args := []string{"run", "longer.yaml", "--out", "corrected", "--store", "store-corrected", "--temporal"}
	for line, want := range map[string]string{
		"runs lst":                  `unknown command "lst"; did you mean "list"?: see mapo runs --help`,
		"runs":                      "missing subcommand: use one of cancel, list, status, terminate",
		"runs status":               "usage: mapo runs status ID; got 0 arguments",
		"cancel a b":                "usage: mapo cancel ID; got 2 arguments",
		"worker":                    "--store is missing",
		"worker --sotre x":          "unknown flag: --sotre: see mapo worker --help",
		"worker --store x here":     "usage: mapo worker; got an argument",
		"runs list --temporal :1":   "no Temporal server answers at :1 (dial tcp :1: connect: connection refused)",
		"cancel --temporal :1 none": "no Temporal server answers at :1 (dial tcp",
	} {
		w.fails(want, strings.Fields(line)...)
	}
	w.fails("no Temporal server answers", append(args, "127.0.0.1:1")...)
	w.fails("has no namespace", append(args, w.address, "--namespace", "other")...)
	w.fails("served no run on a cluster: leave out --attach", append(args, w.address, "--attach")...)
	w.fails("there is no store at store-nowhere: leave out --attach", append(args[:5:5], "store-nowhere", "--temporal", w.address, "--attach")...)
	gone("corrected", "store-nowhere", "store-corrected/environment", "store-corrected/cluster")
	w.fails("is it mistyped? mapo run --temporal makes it", "worker", "--temporal", w.address, "--store", "store-correctde")
	w.fails("served no run on a cluster", "worker", "--temporal", w.address, "--store", "store-corrected") // left by the run, and empty
	gone("store-correctde")

	run := w.mapo("run", "spec.yaml", "--out", "corrected", "--store", "store-corrected", "--temporal", w.address) // another run
	w.saying(run, "Ctrl-C leaves it running")
	if !strings.Contains(run.String(), "store-corrected is a new store") {
		w.t.Errorf("the run does not say that it made the store: %s", run)
	}
	said := w.fails("watch it with --attach, continue it with --resume", "run", "spec.yaml", "--out", "corrected", "--store", "store-corrected", "--temporal", w.address)
	if strings.Count(said, "\n") != 1 {
		w.t.Errorf("the refusal has more than a line: %s", said)
	}
	worker := w.mapo("worker", "--temporal", w.address, "--store", "store-corrected")
	w.saying(worker, "serving")
	for _, part := range []string{"judge and train jobs", filepath.Join(w.dir, "store-corrected"), w.address, "queue mapo-"} {
		if !strings.Contains(worker.String(), part) {
			w.t.Errorf("the worker's first line lacks %q: %s", part, worker)
		}
	}
	second := w.mapo("run", "spec.yaml", "--out", "corrected", "--store", "store-corrected", "--temporal", w.address, "--attach")
	if err := run.wait(); err != nil {
		w.t.Fatalf("%v\n%s", err, run)
	}
	if err := second.wait(); err != nil {
		w.t.Fatalf("%v\n%s", err, second)
	}
	w.same("corrected", "whole")
}

// fails runs a command that must fail, and say so in these words. It returns what the command said.
func (w *world) fails(want string, args ...string) string {
	w.t.Helper()
	s := w.mapo(args...)
	if err := s.wait(); err == nil || !strings.Contains(s.String(), want) {
		w.t.Errorf("mapo %v: %v, %s; want %q", args, err, s, want)
	}
	return s.String()
}
