package serve

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	freeBody   = 32 << 10 // bytes kept of a body that are not counted: each connection has them
	mostBodies = 32 << 20 // bytes kept of all bodies besides, or twice what one may have
	mostForm   = 16 << 10 // bytes of a body that is not JSON
	mostDrain  = 2 << 20  // bytes read of a body that is refused
	chunkBytes = 16 << 10
	plainBytes = 8 << 10 // a body of no more, with plainCount values at most, is decoded at once
	plainCount = 256
	turnTime   = time.Second // to wait for a turn to decode a larger one
)

// bodies is the memory and the work that the bodies of all requests may take at once.
type bodies struct {
	kept  atomic.Int64  // bytes, without each one's freeBody
	turns chan struct{} // of those that decode a large one
}

var chunks = sync.Pool{New: func() any { return new([chunkBytes]byte) }}

// errBusy refuses a body for whose memory or work there is no room.
var errBusy = &Fault{Status: http.StatusServiceUnavailable, Reason: "the server is at work on too many large requests; send this one again"}

// maxBody returns how many bytes a body may have.
func (s *Server) maxBody() int64 {
	if s.MaxBody > 0 {
		return s.MaxBody
	}
	return s.set.Bounds().body
}

// read reads r's body within its bounds, so that what comes after has it whole. A
// body that is refused is answered here.
func (s *Server) read(w *recorder, r *http.Request, isJSON bool) bool {
	err := s.readBody(w, r, isJSON)
	if err == nil {
		return true
	}
	drain(r)
	var f *Fault
	var late net.Error
	switch {
	case errors.Is(err, errBusy):
		w.Header().Set("Retry-After", "1")
		return refuse(w, errBusy.Status, "%s", errBusy.Reason)
	case errors.As(err, &f):
		return refuse(w, f.Status, "%s", f.Reason)
	case errors.As(err, &late) && late.Timeout():
		return refuse(w, http.StatusRequestTimeout, "the body took longer than %s", requestTime)
	}
	return refuse(w, http.StatusBadRequest, "the body ended early")
}

func (s *Server) readBody(w *recorder, r *http.Request, isJSON bool) error {
	limit := s.maxBody()
	most := max(mostBodies, 2*limit)
	if !isJSON {
		limit = mostForm
	}
	if r.ContentLength > limit {
		return fault(http.StatusRequestEntityTooLarge, "the body has %d bytes, more than %d", r.ContentLength, limit)
	}
	screen := &screen{bounds: s.set.Bounds(), raw: !isJSON}
	screen.kept = make([]byte, 0, min(max(r.ContentLength, 512), 4<<10))
	held := &hold{bodies: s.bodies}
	w.hold = held
	chunk := chunks.Get().(*[chunkBytes]byte)
	defer chunks.Put(chunk)
	for left := limit; ; {
		n, err := r.Body.Read(chunk[:])
		if left -= int64(n); left < 0 {
			return fault(http.StatusRequestEntityTooLarge, "the body has more than %d bytes", limit)
		}
		if _, err := screen.Write(chunk[:n]); err != nil {
			return err
		}
		if len(screen.kept) > int(screen.body) && isJSON {
			return fault(http.StatusRequestEntityTooLarge, "the body has more than %d bytes besides spaces; a whole game of the policies served has no more", screen.body)
		}
		if !held.grow(int64(cap(screen.kept)-freeBody), most) {
			return errBusy
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	if len(screen.kept) > plainBytes || screen.values > plainCount {
		if err := held.turn(r.Context()); err != nil {
			return err
		}
		*r = *r.WithContext(context.WithValue(r.Context(), holdKey{}, held))
	}
	r.Body = &readOnce{data: screen.kept}
	return nil
}

// drain reads what is still to come of a body that is refused, unless it is much: a
// client that sends all of it before it reads would not see the reply.
func drain(r *http.Request) {
	if r.Header.Get("Expect") != "" {
		return // the client sends it only if asked to
	}
	chunk := chunks.Get().(*[chunkBytes]byte)
	defer chunks.Put(chunk)
	for left := mostDrain; left > 0; {
		n, err := r.Body.Read(chunk[:])
		if left -= n; err != nil {
			return
		}
	}
}

// readOnce is a body that is forgotten when it is read.
type readOnce struct{ data []byte }

func (r *readOnce) Read(p []byte) (int, error) {
	if len(r.data) == 0 {
		r.data = nil
		return 0, io.EOF
	}
	n := copy(p, r.data)
	r.data = r.data[n:]
	return n, nil
}

func (r *readOnce) Close() error { return nil }

// hold is what a request holds of [bodies], until its body is decoded.
type hold struct {
	*bodies
	bytes int64
	turns bool
	once  sync.Once
}

type holdKey struct{}

// decoded gives back what a request of this context holds. Whatever waits for a database
// calls it first: that may take long.
func decoded(ctx context.Context) {
	if h, ok := ctx.Value(holdKey{}).(*hold); ok {
		h.release()
	}
}

// grow holds n bytes, of most that all may have, and reports whether there is room.
func (h *hold) grow(n, most int64) bool {
	more := n - h.bytes
	if more <= 0 {
		return true
	}
	if h.kept.Add(more) > most {
		h.kept.Add(-more)
		return false
	}
	h.bytes = n
	return true
}

// turn waits for a turn to decode a large body.
func (h *hold) turn(ctx context.Context) error {
	late := time.NewTimer(turnTime)
	defer late.Stop()
	select {
	case h.bodies.turns <- struct{}{}:
		h.turns = true
		return nil
	case <-late.C:
	case <-ctx.Done():
	}
	return errBusy
}

// release gives all back. Only the first call does anything.
func (h *hold) release() {
	h.once.Do(func() {
		h.kept.Add(-h.bytes)
		if h.turns {
			<-h.bodies.turns
		}
	})
}
