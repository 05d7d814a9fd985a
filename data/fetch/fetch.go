// Package fetch downloads data files so that a broken download never takes a good
// one's place. A file arrives under another name, is resumed where it stopped,
// checked (size, sha256, its own reader) and only then renamed. The network is not
// trusted: no reply of a server can cause a panic, a hang or a full disk.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// File is one file to fetch.
type File struct {
	Name   string             // in the folder it is put into
	URLs   []string           // its addresses, tried in order
	Size   int64              // bytes; 0: not known
	SHA256 string             // in hex; "": not known, the first download's is recorded
	Check  func(string) error // reads a downloaded file, at another path but of the same name's ending; nil: none
}

// Getter downloads. Its zero value is ready.
type Getter struct {
	Client   *http.Client        // nil: one that follows redirects, but not from https to http
	Stall    time.Duration       // how long a server may say nothing; 0: 30 seconds
	Wait     time.Duration       // before the second try, doubled each time; 0: a second
	Tries    int                 // in a row that bring nothing; 0: 4
	Progress func(Progress)      // called often, from Get's goroutine; nil: not called
	Sleep    func(time.Duration) // nil: time.Sleep, ended by the context
}

// Progress is how far a download is.
type Progress struct {
	Name        string
	Done, Total int64  // bytes; Total 0: not known
	Note        string // what went wrong with the last try, and that another follows
}

const (
	mostBytes = 1 << 28 // of a file whose size is not known
	mostTries = 100     // of one file, also where each brings something
)

// permanent is a fault that another try would not mend.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// wrong is the fault of a file that came whole and is another one.
type wrong struct{ error }

func (w wrong) Unwrap() error { return w.error }

// Get makes sure that f is in folder, which it makes, and reports whether it had to
// be fetched. A file that is there and has the recorded or known hash is kept,
// unless again; one that is there otherwise is replaced once the new one is whole. A
// download that stops, by ctx or a fault, leaves what it has for the next Get.
func (g *Getter) Get(ctx context.Context, f File, folder string, again bool) (fetched bool, err error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return false, fmt.Errorf("cannot make the folder: %w: choose another with --to", err)
	}
	if !again && f.good(filepath.Join(folder, f.Name)) {
		return false, nil
	}
	p, err := openPart(folder, f.Name)
	if err != nil {
		return false, err
	}
	defer p.close()
	if err := g.download(ctx, f, p); err != nil {
		return false, err
	}
	return true, nil
}

// download brings the part to its end, by as many tries as it takes, and puts it in its place. Where an address does not
// have the file, it goes on with the next.
func (g *Getter) download(ctx context.Context, f File, p *part) error {
	tries, wait := or(g.Tries, 4), or(g.Wait, time.Second)
	address, idle := 0, 0
	for try := 1; ; try++ {
		before := p.size
		err := g.try(ctx, f, p, f.URLs[address])
		more := address+1 < len(f.URLs)
		var final permanent
		switch {
		case err == nil:
			var other wrong
			if err = p.finish(f); !more || !errors.As(err, &other) {
				return err
			}
			address, idle = address+1, 0
			continue
		case ctx.Err() != nil:
			return fmt.Errorf("%s: %w", f.Name, ctx.Err())
		case errors.As(err, &final) && more:
			address, idle = address+1, 0 // the file may have moved to its other address
			continue
		case errors.As(err, &final):
			return fmt.Errorf("%s: %w", f.URLs[address], err)
		}
		if idle++; p.size > before {
			idle = 0
		}
		if idle >= tries && more && try < mostTries {
			address, idle = address+1, 0
			continue
		}
		if idle >= tries || try >= mostTries {
			return fmt.Errorf("%s: %w; gave up after %d tries: run the command again to go on", f.URLs[address], err, try)
		}
		g.tell(Progress{f.Name, p.size, p.total, err.Error() + ", trying again"})
		if err := g.sleep(ctx, wait<<min(idle, 5)); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
}

// try makes one request, for what follows the end of the part, and writes the answer
// to the part.
func (g *Getter) try(ctx context.Context, f File, p *part, address string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := or(g.Stall, 30*time.Second)
	silence := fmt.Errorf("the server said nothing for %v", stall)
	timer := time.AfterFunc(stall, func() { cancel(silence) })
	defer timer.Stop()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return permanent{err}
	}
	req.Close = true // what a server says behind its answer is not read
	if err := p.ask(req); err != nil {
		return permanent{err}
	}
	client := g.Client
	if client == nil {
		client = &http.Client{CheckRedirect: stayEncrypted}
	}
	resp, err := client.Do(req)
	if err != nil {
		return because(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }() // it is read to its end or given up
	whole, err := p.answer(resp, f)
	if whole || err != nil {
		return err
	}
	buf := make([]byte, 64<<10)
	for {
		n, err := resp.Body.Read(buf)
		timer.Reset(stall)
		if n > 0 {
			if err := p.write(buf[:n], f); err != nil {
				return err
			}
			g.tell(Progress{Name: f.Name, Done: p.size, Total: p.total})
		}
		switch {
		case errors.Is(err, io.EOF):
			return p.complete()
		case err != nil:
			return because(ctx, err)
		}
	}
}

// because returns why a request ended: the cause of the cancellation, such as a
// silent server, else what the network says.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the connection ended early")
	}
	return err
}

// stayEncrypted follows redirects, but not to where others can read along.
func stayEncrypted(req *http.Request, via []*http.Request) error {
	if via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return permanent{fmt.Errorf("the server sends on from https to %s", req.URL)}
	}
	if len(via) >= 10 {
		return permanent{errors.New("the server sends on without end")}
	}
	return nil
}

func (g *Getter) tell(p Progress) {
	if g.Progress != nil {
		g.Progress(p)
	}
}

// sleep waits, or until ctx ends.
func (g *Getter) sleep(ctx context.Context, d time.Duration) error {
	if g.Sleep != nil {
		g.Sleep(d)
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// or returns v, or otherwise where v is zero.
func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
