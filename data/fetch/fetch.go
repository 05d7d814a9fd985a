package fetch

import (
	"cmp"
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
	Client   *http.Client   // nil: one that follows redirects, but not from https to http
	Stall    time.Duration  // how long a server may say nothing; 0: 30 seconds
	Wait     time.Duration  // before the second try, doubled each time; 0: a second
	Progress func(Progress) // called often, from Get's goroutine; nil: not called
}

// Progress is how far a download is.
type Progress struct {
	Name        string
	Done, Total int64  // bytes; Total 0: not known
	Note        string // what went wrong with the last try, and that another follows
}

const (
	mostBytes = 1 << 28 // of a file whose size is not known
	mostIdle  = 4       // tries in a row that bring nothing
	mostTries = 100     // at one address, also where each brings something
)

// permanent is a fault that another try at the same address would not mend.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

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
	p, err := openPart(f, folder)
	if err != nil {
		return false, err
	}
	defer p.close()
	for _, address := range f.URLs {
		if err = g.from(ctx, p, address); err == nil || ctx.Err() != nil {
			break
		}
	}
	return err == nil, err
}

// from brings the part to its end from one address, by as many tries as it takes, and puts it in its place.
func (g *Getter) from(ctx context.Context, p *part, address string) error {
	for try, idle := 1, 0; ; try++ {
		before := p.size
		err := g.try(ctx, p, address)
		switch {
		case err == nil:
			return p.finish()
		case ctx.Err() != nil:
			return fmt.Errorf("%s: %w", p.Name, ctx.Err())
		case errors.As(err, new(permanent)):
			return fmt.Errorf("%s: %w", address, err)
		}
		if idle++; p.size > before {
			idle = 0
		}
		if idle >= mostIdle || try >= mostTries {
			return fmt.Errorf("%s: %w; gave up after %d tries: run the command again to go on", address, err, try)
		}
		g.tell(Progress{p.Name, p.size, p.total, err.Error() + ", trying again"})
		select {
		case <-ctx.Done():
		case <-time.After(cmp.Or(g.Wait, time.Second) << idle):
		}
	}
}

// try makes one request, for what follows the end of the part, and writes the answer to the part.
func (g *Getter) try(ctx context.Context, p *part, address string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := cmp.Or(g.Stall, 30*time.Second)
	timer := time.AfterFunc(stall, func() { cancel(fmt.Errorf("the server said nothing for %v", stall)) })
	defer timer.Stop()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return permanent{err}
	}
	req.Close = true // what a server says behind its answer is not read
	if err := p.ask(req); err != nil {
		return permanent{err}
	}
	resp, err := cmp.Or(g.Client, &http.Client{CheckRedirect: stayEncrypted}).Do(req)
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	defer func() { _ = resp.Body.Close() }() // it was read
	whole, err := p.answer(resp)
	if whole || err != nil {
		return err
	}
	for buf := make([]byte, 64<<10); ; {
		n, err := resp.Body.Read(buf)
		timer.Reset(stall)
		if err := p.write(buf[:n]); err != nil {
			return err
		}
		g.tell(Progress{Name: p.Name, Done: p.size, Total: p.total})
		switch {
		case err == nil:
		case context.Cause(ctx) != nil:
			return context.Cause(ctx)
		case errors.Is(err, io.ErrUnexpectedEOF), p.size < p.total:
			return errors.New("the connection ended early")
		case errors.Is(err, io.EOF):
			return nil
		default:
			return err
		}
	}
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
