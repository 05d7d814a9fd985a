package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"mapo/game"
	"mapo/judge"
	"mapo/policy/external"
)

// programs are the policies of a command line that are programs.
type programs struct {
	workers int
	timeout time.Duration
	decide  string          // how they recommend, by its name in package decision; "": by least squares
	ctx     context.Context // of the evaluation: it ends with the first program that fails
	stop    context.CancelFunc
	list    []*external.Policy
}

// startPrograms returns a set without programs.
func startPrograms(ctx context.Context, workers int, timeout time.Duration, decide string) *programs {
	g := &programs{workers: workers, timeout: timeout, decide: decide}
	g.ctx, g.stop = context.WithCancel(ctx)
	return g
}

// isCommand reports whether a word of the command line is a program to run. A file of that name is a file: a shell's
// *.safetensors must not run what a user called a file.
func isCommand(name string) bool {
	if !strings.HasPrefix(name, external.Prefix) || strings.HasSuffix(name, policySuffix) {
		return false
	}
	_, err := os.Stat(name)
	return err != nil
}

// start starts a program.
func (g *programs) start(p *game.Problem, loss game.Loss, name string) (judge.Player, error) {
	o := external.Options{Decision: g.decide, Loss: loss, Workers: g.workers, Timeout: g.timeout, Fail: func(error) { g.stop() }}
	x, err := external.Start(g.ctx, p, strings.TrimPrefix(name, external.Prefix), o)
	if err != nil {
		return judge.Player{}, err
	}
	g.list = append(g.list, x)
	return judge.Player{Policy: x, Name: x.String()}, nil
}

// fault returns why what was played does not count, nil where it does.
func (g *programs) fault() error {
	for _, x := range g.list {
		if err := x.Err(); err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return nil
}

// close ends all programs.
func (g *programs) close() {
	for _, x := range g.list {
		_ = x.Close() // its fault has been told
	}
	g.stop()
}
