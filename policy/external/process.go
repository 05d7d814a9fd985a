package external

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"mapo/game"
)

var goodbye = 2 * time.Second // for a process to end once its input has; tests change it

const (
	lastWord = 1 << 12 // bytes of standard error kept
	shown    = 160     // bytes of what was sent that a message shows
)

// process is one running command, asked by one caller at a time.
type process struct {
	x    *Policy
	cmd  *exec.Cmd
	in   io.WriteCloser
	pipe io.ReadCloser // standard output
	out  *bufio.Reader // of pipe
	said *tail         // standard error
	line []byte        // scratch
	stop func() bool   // of watching for the end of all
	once sync.Once
	died error         // what Wait said
	time time.Duration // that the next reply may take

	asked bool // at least once

	mu   sync.Mutex
	gone bool // Wait is over: the process's number may be another's
}

// launch starts a process and greets it.
func launch(x *Policy) (*process, error) {
	proc := &process{x: x, cmd: exec.Command(x.words[0], x.words[1:]...), said: &tail{}, time: x.options.First}
	own(proc.cmd)
	proc.cmd.Stderr = proc.said
	proc.cmd.WaitDelay = goodbye // a child of its may hold standard error open
	var err error
	if proc.in, err = proc.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if proc.pipe, err = proc.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	proc.out = bufio.NewReaderSize(proc.pipe, 1<<16)
	if err := proc.cmd.Start(); err != nil {
		return nil, fmt.Errorf("it cannot be run: %w", err)
	}
	proc.stop = context.AfterFunc(x.ctx, proc.kill)
	proc.line = append(proc.line[:0], x.hello...)
	if err := proc.within(proc.send); err != nil {
		err = proc.fault("it did not read its greeting", err)
		proc.end()
		return nil, err
	}
	return proc, nil
}

// ask sends a batch of states and reads their probabilities.
func (proc *process) ask(dst []float32, s game.States) error {
	d := proc.x.p.Queries()
	states := s.Len(d)
	if proc.asked { // what has come since the last reply would pass for the next one
		if err := proc.silent(); err != nil {
			return err
		}
	}
	proc.asked = true
	proc.line = request(proc.line[:0], proc.x.p, s)
	var reply []byte
	err := proc.within(func() error {
		if err := proc.send(); err != nil {
			return err
		}
		var err error
		reply, err = proc.read(replyLimit(len(dst)))
		return err
	})
	if err != nil {
		what := "no reply to 1 state"
		if states != 1 {
			what = fmt.Sprintf("no reply to %d states", states)
		}
		return proc.fault(what, err)
	}
	proc.time = proc.x.options.Timeout
	if err := parse(dst, reply, s, d); err != nil {
		return fmt.Errorf("%w; it sent %s", err, excerpt(reply))
	}
	return proc.silent()
}

// silent returns an error where the process has sent more than its reply.
func (proc *process) silent() error {
	if proc.out.Buffered() == 0 && pending(proc.pipe) {
		_, _ = proc.out.Peek(1) // at the end of its output there is nothing, and the next reply tells it
	}
	n := proc.out.Buffered()
	if n == 0 {
		return nil
	}
	rest, _ := proc.out.Peek(min(n, shown)) // is there
	return fmt.Errorf("it sent more than the one line asked for: %s", excerpt(rest))
}

// within does something with the process that may take no longer than the timeout: the process is killed then, which
// ends any reading and writing.
func (proc *process) within(do func() error) error {
	ctx, cancel := context.WithTimeout(proc.x.ctx, proc.time)
	defer cancel()
	stop := context.AfterFunc(ctx, proc.kill)
	err := do()
	if !stop() { // it has been killed
		return errors.Join(ctx.Err(), err)
	}
	return err
}

// fault puts err into words: what took too long, or why the process is gone.
func (proc *process) fault(what string, err error) error {
	var partial *cutShort
	sent := "nothing"
	if errors.As(err, &partial) && len(partial.line) > 0 {
		sent = excerpt(partial.line)
	}
	switch {
	case proc.x.ctx.Err() != nil:
		return proc.x.ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s within %v, so it was stopped; it had sent %s", what, proc.time, sent)
	case errors.Is(err, errTooLong):
		return fmt.Errorf("%s: its line does not end; it sent %s", what, sent)
	}
	_ = proc.in.Close()
	proc.finish()
	how := "exit status 0"
	if proc.died != nil {
		how = proc.died.Error()
	}
	if last := proc.said.last(); last != "" {
		how += ", " + last
	}
	return fmt.Errorf("%s: it ended (%s); it had sent %s", what, how, sent)
}

// send writes the line.
func (proc *process) send() error {
	_, err := proc.in.Write(proc.line)
	return err
}

// cutShort is a line that never came to its end.
type cutShort struct {
	line []byte
	err  error
}

func (c *cutShort) Error() string { return c.err.Error() }
func (c *cutShort) Unwrap() error { return c.err }

var errTooLong = errors.New("the line is too long")

// read returns the next line, of at most limit bytes.
func (proc *process) read(limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := proc.out.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, &cutShort{line, err}
		case len(line) > limit:
			return nil, &cutShort{line, errTooLong}
		}
	}
}

// finish waits for the process to end by itself, a moment, and kills it then.
func (proc *process) finish() {
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	defer context.AfterFunc(ctx, proc.kill)()
	proc.wait()
}

// wait waits for the process to end, and frees what it held.
func (proc *process) wait() {
	proc.once.Do(func() {
		_, _ = io.Copy(io.Discard, proc.out) // Wait must not run before the last read
		proc.died = proc.cmd.Wait()
		proc.mu.Lock()
		proc.gone = true
		proc.mu.Unlock()
		proc.stop()
	})
}

// kill ends the process and its children. Closing the pipes ends our reading and writing even where a child has got away
// with them.
func (proc *process) kill() {
	proc.mu.Lock()
	defer proc.mu.Unlock()
	if !proc.gone {
		killAll(proc.cmd.Process)
	}
	_ = proc.in.Close()
	_ = proc.pipe.Close()
}

// end kills the process and waits for it.
func (proc *process) end() {
	proc.kill()
	proc.wait()
}

// excerpt returns the beginning of what was sent, on one line.
func excerpt(line []byte) string {
	text := strings.ToValidUTF8(string(line[:min(len(line), shown)]), "?")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }), " ")
	if len(line) > shown {
		text += "…"
	}
	if strings.TrimSpace(text) == "" {
		return "an empty line"
	}
	return text
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	if len(t.data) > lastWord {
		t.data = append(t.data[:0], t.data[len(t.data)-lastWord:]...)
	}
	return len(p), nil
}

// last returns the last line that is not blank.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(string(t.data))
	if text == "" {
		return ""
	}
	return excerpt([]byte(text[strings.LastIndexByte(text, '\n')+1:]))
}
