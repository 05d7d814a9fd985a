package terminal

import (
	"bufio"
	"context"
	"errors"
	"io"
)

// Lines reads replies from r, one a line. What it has begun to read after a
// cancelled call is lost.
func Lines(r io.Reader) func(context.Context) (string, error) {
	lines := bufio.NewReader(io.LimitReader(r, 1<<20))
	type read struct {
		text string
		err  error
	}
	return func(ctx context.Context) (string, error) {
		got := make(chan read, 1)
		go func() {
			text, err := lines.ReadString('\n')
			if text != "" && errors.Is(err, io.EOF) {
				err = nil
			}
			got <- read{text, err}
		}()
		select {
		case one := <-got:
			return one.text, one.err
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}
