package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"mapo/internal/suite"
)

// tiny is a run of a moment that chooses its own levels.
const tiny = `problem:
  thresholds: {d: 4}
budget: 4
train: {preset: smoke, mlp: {hidden: [16]}}
evaluate:
  rivals: [uniform]
  priors: ["flip:0.8"]
`

// TestInterruptMessages presses Ctrl-C in every phase of every command, at events of its own and at moments spread over
// the time it takes: the last line says what to do, and a command it names ends what was begun. What is compared is
// certain at every moment, so no chance enters the verdict, and the events come on every machine.
func TestInterruptMessages(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the program some dozen times")
	}
	t.Parallel()
	bin := program(t)
	goOn := regexp.MustCompile(`^mapo: stopped; go on with: (\S*mapo (?:run|train) .*)$`)
	seen, games := map[string]int{}, "400000"
	if suite.Reduced() {
		games = "50000"
	}
	for _, c := range []struct {
		args    []string
		events  []string
		moments int
		want    *regexp.Regexp // the last line where nothing can be gone on with
	}{
		{[]string{"run", "spec.yaml", "--out", "it's here", "--checkpoint-every", "1ns"}, []string{"begin", "started 1", "saved 30", "finished 5"}, 8, regexp.MustCompile(`^mapo: stopped; nothing was begun$`)},
		{[]string{"train", "spec.yaml", "--out", "a.safetensors", "--checkpoint-every", "1ns"}, []string{"begin", "saved 30"}, 5, regexp.MustCompile(`^mapo: stopped; nothing was begun$`)},
		{[]string{"eval", "uniform", "sgbs:0.1", "--problem", "spec.yaml", "--games", games, "--csv", "rows.csv"}, []string{"begin"}, 5, regexp.MustCompile(`^mapo: stopped; nothing was (begun|kept)$`)},
		{[]string{"inspect", "spec.yaml"}, []string{"begin"}, 3, regexp.MustCompile(`^mapo: stopped; nothing was begun$`)},
	} {
		if suite.Reduced() {
			c.moments = (c.moments + 1) / 4
		}
		whole := time.Duration(0) // measured by the first, which is not stopped
		for i := range c.moments + 1 + len(c.events) {
			order := ""
			if at := i - c.moments - 1; at >= 0 {
				order = "interrupt " + c.events[at]
			}
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "spec.yaml"), []byte(tiny), 0o666); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(bin, c.args...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), stopAt+"="+order)
			said := new(bytes.Buffer)
			cmd.Stderr = said
			begin := time.Now()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if i > 0 && order == "" {
				time.Sleep(whole * time.Duration(2*i-1) / time.Duration(2*c.moments))
				_ = cmd.Process.Signal(os.Interrupt) // it may have ended
			}
			err := cmd.Wait()
			if i == 0 {
				whole = time.Since(begin)
			}
			var exit *exec.ExitError
			if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled() {
				seen["killed"]++ // before the program had begun to listen
				continue
			}
			if err == nil {
				if order != "" {
					t.Errorf("%v is not stopped at %s", c.args, order)
				}
				seen["ended"]++
				continue
			}
			lines := strings.Split(strings.TrimSpace(said.String()), "\n")
			last := lines[len(lines)-1]
			m := goOn.FindStringSubmatch(last)
			if exit == nil || exit.ExitCode() != exitInterrupted || m == nil && !c.want.MatchString(last) {
				t.Errorf("%v stopped after %d parts of %d, or at %q: %v, last line %q", c.args, 2*i-1, 2*c.moments, order, err, last)
				continue
			}
			if m == nil {
				if order != "" && order != "interrupt begin" {
					t.Errorf("%v stopped at %s: last line %q", c.args, order, last)
				}
				seen["nothing"]++
				continue
			}
			seen["go on"]++
			again := exec.Command("sh", "-c", m[1])
			again.Dir = dir
			again.Env = append(os.Environ(), "PATH="+filepath.Dir(bin)+string(filepath.ListSeparator)+os.Getenv("PATH"))
			if out, err := again.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", m[1], err, out)
			}
			if c.args[0] == "train" {
				if left, err := filepath.Glob(filepath.Join(dir, "a.safetensors*")); err != nil || len(left) != 1 {
					t.Errorf("the training left %v, %v", left, err)
				}
			} else if _, err := os.Stat(filepath.Join(dir, "it's here", "report.html")); err != nil {
				t.Error(err)
			}
		}
	}
	t.Logf("%v", seen)
	if seen["go on"] == 0 || seen["nothing"] == 0 {
		t.Errorf("the moments hit only %v", seen)
	}
}
