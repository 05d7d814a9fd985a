package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mapo/record"
	"mapo/run/job"
)

// Line is an event as mapo-worker follow writes it, a JSON object a line; the first names the run.
type Line struct {
	ID           string   `json:"id,omitempty"`
	New          bool     `json:"new,omitempty"` // beside ID: the store served no run before
	Kind         job.Kind `json:"kind,omitempty"`
	Step, Policy string   `json:",omitempty"`
	Text         string   `json:"text,omitempty"`
	Seconds      float64  `json:"seconds,omitempty"`
	Phase        string   `json:"phase,omitempty"`
	Iter, Iters  int      `json:",omitempty"`
	Worst        *float64 `json:"worst,omitempty"` // absent: not a number
}

// LineOf returns e as a [Line].
func LineOf(e job.Event) Line {
	l := Line{Kind: e.Kind, Step: e.Step, Policy: e.For, Text: e.Text, Seconds: e.Seconds, Phase: e.Train.Phase, Iter: e.Train.Iter, Iters: e.Train.Iters}
	if w := e.Train.Worst; !math.IsNaN(w) && !math.IsInf(w, 0) {
		l.Worst = &w
	}
	return l
}

// Event returns the event that the line is of.
func (l Line) Event() job.Event {
	e := job.Event{Kind: l.Kind, Step: l.Step, For: l.Policy, Text: l.Text, Seconds: l.Seconds,
		Train: record.Step{Phase: l.Phase, Iter: l.Iter, Iters: l.Iters, Worst: math.NaN()}}
	if l.Worst != nil {
		e.Train.Worst = *l.Worst
	}
	return e
}

// helper finds mapo-worker: beside this program, else where the shell looks.
func helper() (string, error) {
	if self, err := os.Executable(); err == nil {
		path := filepath.Join(filepath.Dir(self), "mapo-worker"+filepath.Ext(self))
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		}
	}
	path, err := exec.LookPath("mapo-worker")
	if err != nil {
		return "", errors.New("mapo-worker, the program that speaks with Temporal, is neither beside mapo nor in $PATH: go build ./cmd/mapo-worker")
	}
	return path, nil
}

// command returns a command of mapo-worker that is told to stop, and waited for, when ctx ends. When this program dies, the pipe to
// it breaks, and it stops as well.
func command(ctx context.Context, args []string) (*exec.Cmd, error) {
	path, err := helper()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, append([]string{"--leash"}, args...)...)
	if _, err := cmd.StdinPipe(); err != nil {
		return nil, err
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 2 * time.Minute
	return cmd, nil
}

// Run passes a command on to mapo-worker. Its own fault is the error.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	cmd, err := command(ctx, args)
	if err != nil {
		return err
	}
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = stdout, &tail{w: stderr, last: &said}
	err = cmd.Run()
	if errors.Is(err, context.Canceled) { // it was told to stop, and has done so without complaint
		return nil
	}
	return fault(err, said.String())
}

// Complete returns what a hidden command of mapo-worker prints for a shell that completes a command line, "" where it is not
// installed.
func Complete(ctx context.Context, args []string) string {
	path, err := helper()
	if err != nil {
		return ""
	}
	out, _ := exec.CommandContext(ctx, path, args...).Output() // less than all of it completes nothing
	return string(out)
}

// Hear passes a command on to mapo-worker, and calls hear with every line that it writes.
func Hear(ctx context.Context, args []string, hear func(Line)) error {
	cmd, err := command(ctx, args)
	if err != nil {
		return err
	}
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	for lines := bufio.NewReader(out); ; {
		text, err := lines.ReadBytes('\n') // of any length; what ends the reading, Wait says
		if err != nil {
			break
		}
		var l Line
		if json.Unmarshal(text, &l) == nil {
			hear(l)
		}
	}
	return fault(cmd.Wait(), said.String())
}

// ownFault begins mapo-worker's own fault.
const ownFault = "mapo-worker: "

// tail passes lines on but the last, mapo-worker's own fault, which is said as mapo's.
type tail struct {
	w    io.Writer
	last *strings.Builder
}

func (t *tail) Write(p []byte) (int, error) {
	for _, line := range strings.SplitAfter(string(p), "\n") {
		if strings.HasPrefix(line, ownFault) {
			t.last.WriteString(line)
		} else if _, err := t.w.Write([]byte(line)); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// fault returns mapo-worker's, in its words where it has said any.
func fault(err error, said string) error {
	if text, ok := strings.CutPrefix(strings.TrimSpace(said), ownFault); err != nil && ok {
		return errors.New(text)
	}
	return err
}
