package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// From lets the game read replies from in. Where that is a terminal, a key is a reply, and names are
// lines that it edits; with words replies are lines, too. Otherwise each line of the input is a
// reply or a name.
func (g *Game) From(in io.Reader, words bool) {
	g.Read = Lines(in)
	g.Line = g.Read
	f, isFile := in.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return
	}
	if g.Shown = words; !words {
		g.Read = func(ctx context.Context) (string, error) { return key(ctx, f) }
	}
}

// key waits for one key of a terminal, or for the end of ctx.
func key(ctx context.Context, f *os.File) (_ string, err error) {
	before, err := term.MakeRaw(int(f.Fd()))
	if err != nil {
		return "", fmt.Errorf("read a key: %w", err)
	}
	defer func() { err = errors.Join(err, term.Restore(int(f.Fd()), before)) }()
	type press struct {
		text string
		err  error
	}
	pressed := make(chan press, 1)
	go func() {
		var b [8]byte // an arrow or a letter of another alphabet comes as several bytes at once
		n, err := f.Read(b[:])
		pressed <- press{string(b[:n]), err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case p := <-pressed:
		switch {
		case p.err != nil:
			return "", fmt.Errorf("read a key: %w", p.err)
		case p.text == "\x03", p.text == "\x04": // Ctrl-C, Ctrl-D: raw mode passes them on
			return "", ErrQuit
		}
		return p.text, nil
	}
}
