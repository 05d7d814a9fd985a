package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// What becomes of an entry.
const (
	caught   = "caught"
	survived = "SURVIVED"
	broken   = "DOES NOT APPLY" // or does not compile, or its tests fail without it
)

// result is an entry's.
type result struct {
	entry
	outcome string
	by      []string      // the tests that failed
	why     string        // where it is broken
	cpu     time.Duration // of all its runs, the sound one included where it was made
}

// row returns the result in a line.
func (r result) row() string {
	detail := strings.Join(r.by, " ")
	if r.why != "" {
		detail = r.why
	}
	return fmt.Sprintf("%-8s %6.1f s  %s: %s [%s]", r.outcome, r.cpu.Seconds(), r.In, r.Why, detail)
}

// runner plants entries.
type runner struct {
	root, scratch string
	tree          *tree
	sound         map[string]error // by command, whether its tests pass without a bug
	check         bool             // only whether entries apply
}

// try plants e and runs its tests.
func (r *runner) try(ctx context.Context, e entry) (res result) {
	res = result{entry: e, outcome: broken}
	overlay, err := r.plant(e)
	if err != nil {
		res.why = err.Error()
		return res
	}
	for _, run := range e.Runs {
		if r.tree.tests[path.Clean(run.Package)] == nil {
			res.why = "the folder " + run.Package + " has no tests; a package is named by its folder, such as game/sim"
			return res
		}
	}
	if r.check {
		res.outcome = "applies"
		return res
	}
	res.outcome = caught
	for _, run := range e.Runs {
		args := r.args(run)
		if err := r.passes(ctx, args, &res.cpu); err != nil {
			res.outcome, res.why = broken, err.Error()
			return res
		}
		out, failed, err := r.test(ctx, append([]string{"-overlay=" + overlay, "-count=1"}, args...), &res.cpu)
		switch {
		case err != nil:
			res.outcome, res.why = broken, err.Error()
			return res
		case !failed:
			res.outcome, res.why = survived, "the tests of "+run.Package+" pass"
			return res
		}
		by := failures(out)
		for _, test := range run.tests() {
			if !slices.Contains(by, test) {
				res.outcome, res.why = survived, test+" of "+run.Package+" passes"
				return res
			}
		}
		res.by = append(res.by, by...)
	}
	return res
}

// plant writes the mutated file, and the overlay that puts it in place.
func (r *runner) plant(e entry) (overlay string, err error) {
	file, text, err := r.tree.apply(e)
	if err != nil {
		return "", err
	}
	mutant := filepath.Join(r.scratch, filepath.Base(file))
	if err := os.WriteFile(mutant, text, 0o600); err != nil {
		return "", err
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": {file: mutant}})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(r.scratch, "overlay.json")
	return overlay, os.WriteFile(overlay, data, 0o600)
}

// args returns those of `go test` for a run, byte and golden tests left out.
func (r *runner) args(run run) []string {
	args := append([]string{"-vet=off", "-timeout=10m"}, run.Flags...)
	if skip := r.tree.golden(path.Clean(run.Package)); len(skip) > 0 {
		args = append(args, "-skip=^("+strings.Join(skip, "|")+")$")
	}
	return append(args, "./"+path.Clean(run.Package))
}

// passes returns an error where the tests fail without a bug: then they prove nothing. They must
// also be some.
func (r *runner) passes(ctx context.Context, args []string, cpu *time.Duration) error {
	command := strings.Join(args, " ")
	if err, known := r.sound[command]; known {
		return err
	}
	out, failed, err := r.test(ctx, args, cpu)
	switch {
	case err != nil:
	case failed:
		err = fmt.Errorf("without the bug, too, go test %s fails: %s", command, strings.Join(failures(out), " "))
	case bytes.Contains(out, []byte("no tests to run")), bytes.Contains(out, []byte("no test files")):
		err = fmt.Errorf("go test %s runs no test", command)
	}
	r.sound[command] = err
	return err
}

// test runs `go test` and reports whether tests failed. An error is that of a build.
func (r *runner) test(ctx context.Context, args []string, cpu *time.Duration) (out []byte, failed bool, err error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test"}, args...)...)
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err = cmd.CombinedOutput()
	if cmd.ProcessState != nil {
		*cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return out, false, err
	}
	if built.Match(out) {
		lines := strings.SplitN(string(out), "\n", 4)
		return out, false, fmt.Errorf("it does not build: %s", strings.Join(lines[:min(3, len(lines))], " / "))
	}
	return out, err != nil, nil
}

var (
	built  = regexp.MustCompile(`(?m)^FAIL.*\[(build|setup) failed\]`)
	failed = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)
)

// failures returns the tests that failed in the output of `go test`, or what ended it.
func failures(out []byte) (tests []string) {
	for _, m := range failed.FindAllSubmatch(out, -1) {
		tests = append(tests, string(m[1]))
	}
	if len(tests) == 0 {
		tests = []string{"panic or time out"}
	}
	return tests
}

// summary writes a table of all that are not caught and of packages, and returns an error unless
// every entry of the list was caught.
func summary(w io.Writer, results []result, all int) error {
	var cpu time.Duration
	type count struct{ all, good int }
	packages := map[string]*count{}
	var names []string
	good := 0
	for _, r := range results {
		cpu += r.cpu
		name, _, _ := strings.Cut(r.In, ".")
		if packages[name] == nil {
			packages[name] = new(count)
			names = append(names, name)
		}
		packages[name].all++
		if r.outcome == caught || r.outcome == "applies" {
			packages[name].good++
			good++
		}
	}
	slices.Sort(names)
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "package\tentries\tcaught")
	for _, name := range names {
		fmt.Fprintf(table, "%s\t%d\t%d\n", name, packages[name].all, packages[name].good)
	}
	fmt.Fprintf(table, "all\t%d\t%d\n", len(results), good)
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "%.0f s of CPU\n", cpu.Seconds())
	for _, r := range results {
		if r.outcome != caught && r.outcome != "applies" {
			fmt.Fprintf(w, "mutants.txt:%d: %s\n", r.Line, r.row())
		}
	}
	if good < all {
		return fmt.Errorf("%d of %d entries are not caught", all-good, all)
	}
	return nil
}
